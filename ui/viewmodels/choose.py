"""The page *Choose a model*: the catalogue on this machine for the work, as a table with details; pure."""

import math
from typing import Final

from advisor.core.evidence import Known
from advisor.core.translation import marked, tr
from advisor.report import formatting as fmt
from advisor.report import shortlist_words as words
from advisor.shortlist.model import Choice, Comfort, Shortlist
from advisor.shortlist.quality import loss_sentence, loss_words
from ui.viewmodels.cell_table import Cell, CellRow, CellTable, Span
from ui.viewmodels.choose_state import BUSY_TIP, MEASURE_TIP, ChooseState

HEAD: Final = (
    marked("Model"), marked("Quantisation"), marked("Download"), marked("First word"), marked("Stream, tokens/s"),
    marked("Quality cost"), marked("Comfort"),
)  # fmt: skip
COMFORT_SORT: Final = {Comfort.YES: 0, Comfort.PERHAPS: 1, Comfort.NO: 2, Comfort.UNKNOWN: 3}


def key_of(choice: Choice) -> str:
    """What a row is called by."""
    return f"{choice.name} {choice.recipe}"


def present_choices(
    found: Shortlist,
    selected: str = "",
    rehearsed: str = "",
    *,
    at_rest: bool,
    can_rehearse: bool,
) -> ChooseState:
    """The state of the page."""
    tip = tr(MEASURE_TIP if at_rest else BUSY_TIP)
    choices = found.choices
    chosen = next((one for one in choices if key_of(one) == selected), choices[0] if choices else None)
    return ChooseState(
        empty="",
        headline=words.headline(found),
        notes=tuple(filter(None, (words.impossible_words(found), *found.notes))),
        table=_table(found),
        selected="" if chosen is None else key_of(chosen),
        title="" if chosen is None else key_of(chosen),
        sentences=() if chosen is None else words.sentences(chosen),
        rehearsed=rehearsed,
        again=found.disturbed,
        can_measure=at_rest,
        measure_tip=tip,
        can_rehearse=at_rest and can_rehearse and chosen is not None,
        rehearse_tip=tr("Measure a stand-in with random weights, about 20 s, nothing is downloaded (Esc stops)")
        if at_rest else tr(BUSY_TIP),
    )  # fmt: skip


def _table(found: Shortlist) -> CellTable:
    comfort = found.workload.comfort
    known = [one.expected.value for one in found.choices if isinstance(one.expected, Known)]
    waits = _scale([end for one in known for end in (one.wait.low_s, one.wait.high_s)], comfort.longest_wait_s)
    speeds = _scale(
        [end for one in known for end in (one.decode_tokens_per_s * 0.8, one.decode_tokens_per_s * 1.25)],
        comfort.slowest_tokens_per_s,
    )
    rows = tuple(_row(choice, waits, speeds, found) for choice in found.choices)
    return CellTable(tuple(tr(name) for name in HEAD), rows)


def _row(choice: Choice, waits: tuple[float, float], speeds: tuple[float, float], found: Shortlist) -> CellRow:
    wait, stream = Cell(tr("unknown"), math.inf), Cell(tr("unknown"), 0.0)
    if isinstance(choice.expected, Known):
        held, comfort = choice.expected.value, found.workload.comfort
        tip = tr("The line is your comfort line, {limit}", limit=fmt.chosen_seconds(comfort.longest_wait_s))
        wait = Cell(
            words.wait_cell(choice, comfort.longest_wait_s), held.wait.middle_s, tip,
            _span((held.wait.low_s, held.wait.middle_s, held.wait.high_s), waits, comfort.longest_wait_s, "prefill"),
        )  # fmt: skip
        speed, middle_s = held.decode_tokens_per_s, held.stream.middle_s
        ends = speed * middle_s / held.stream.high_s, speed, speed * middle_s / held.stream.low_s
        tip = tr("The line is your comfort line, {limit}", limit=fmt.chosen_speed(comfort.slowest_tokens_per_s))
        stream = Cell(
            words.stream_cell(choice), speed, tip, _span(ends, speeds, comfort.slowest_tokens_per_s, "decode")
        )
    loss = choice.loss.or_none()
    cost = loss.perplexity if loss is not None else -1.0
    return CellRow(
        key_of(choice),
        (
            Cell(choice.name, choice.name.lower(), f"{choice.name}: {choice.source}"),
            Cell(choice.recipe, choice.recipe),
            Cell(fmt.size(choice.file_bytes), choice.file_bytes),
            wait,
            stream,
            Cell(loss_words(choice.loss), cost, loss_sentence(choice.recipe, choice.loss)),
            Cell(tr(choice.comfort), COMFORT_SORT[choice.comfort]),
        ),
    )


def _scale(values: list[float], line: float) -> tuple[float, float]:
    """Logarithms of a column's ends; the comfort line is always on it."""
    return math.log(min([*values, line])), math.log(max([*values, line]))


def _span(ends: tuple[float, float, float], scale: tuple[float, float], line: float, phase: str) -> Span:
    low, room = scale[0], max(scale[1] - scale[0], 1e-9)

    def place(value: float) -> float:
        return min(1.0, max(0.0, (math.log(value) - low) / room))

    return Span(place(ends[0]), place(ends[1]), place(ends[2]), place(line), phase)
