"""The page *Choose a model*: what is shown, as values that cost nothing to import."""

from dataclasses import dataclass, field
from typing import Final

from advisor.core.translation import marked, tr
from ui.viewmodels.cell_table import CellTable

NO_TABLE: Final = CellTable()
EMPTY: Final = marked(
    "What could this computer run for your work? Measure it once, in every quantisation; no model is downloaded. "
    "It takes about twenty seconds and is kept for a month."
)
MEASURING: Final = marked("Measuring this machine in every quantisation…")
MEASURE_TIP: Final = marked("Measure this machine's kernels in every quantisation, about twenty seconds (Esc stops)")
BUSY_TIP: Final = marked("Something else is being measured")


@dataclass(frozen=True, slots=True)
class ChooseState:
    """State of the page; ``empty`` says what to do while there is no table.

    Attributes:
        notes: what the figures rest on.
        selected: key of the choice whose details are shown.
        sentences: about it.
        again: whether to ask for another measurement, since this one was disturbed.
        can_measure, can_rehearse: whether the buttons work now; the tips say why not.
    """

    empty: str = field(default_factory=lambda: tr(EMPTY))
    headline: str = ""
    notes: tuple[str, ...] = ()
    table: CellTable = NO_TABLE
    selected: str = ""
    title: str = ""
    sentences: tuple[str, ...] = ()
    rehearsed: str = ""
    again: bool = False
    can_measure: bool = False
    measure_tip: str = field(default_factory=lambda: tr(BUSY_TIP))
    can_rehearse: bool = False
    rehearse_tip: str = ""


def waiting_state(at_rest: bool, measuring: bool) -> ChooseState:
    """Before the machine was measured."""
    return ChooseState(
        tr(MEASURING if measuring else EMPTY),
        can_measure=at_rest,
        measure_tip=tr(MEASURE_TIP if at_rest else BUSY_TIP),
    )
