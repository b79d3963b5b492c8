"""What the chooser is asked and what it says, as frozen values."""

from dataclasses import dataclass
from enum import StrEnum

from advisor.core.evidence import Fact
from advisor.core.translation import marked
from advisor.diagnosis.expected import Expected
from advisor.diagnosis.model import Workload
from advisor.rehearsal.fit import Fit
from advisor.shortlist.quality import Loss


class Priority(StrEnum):
    """What the user wants most of."""

    QUALITY = "quality"
    SPEED = "speed"
    SIZE = "size"


class Comfort(StrEnum):
    """Whether the work keeps its comfort line with a model; in the user's language where it is shown."""

    YES = marked("comfortable")
    PERHAPS = marked("perhaps")
    NO = marked("too slow")
    UNKNOWN = marked("unknown")


@dataclass(frozen=True, slots=True)
class Choice:
    """One model in one quantisation on this machine.

    Attributes:
        name, maker: of the model.
        recipe: llama.cpp's name of the quantisation.
        parameters, active_parameters: all, and those of one token.
        file_bytes: size of the download.
        context: tokens that the model was made for.
        fit: its place in memory with the context that the work needs.
        long_enough: whether its context holds the work.
        expected: wait and stream; Unknown with the reason.
        comfort: of this work.
        loss: what the quantisation costs.
        worth: on the scale of ``quality.doublings``; what quality sorts by.
        beyond: times by which the worse phase misses its comfort line; what is too slow is sorted by it.
        source: where the shape is from.
    """

    name: str
    maker: str
    recipe: str
    parameters: int
    active_parameters: int
    file_bytes: int
    context: int
    fit: Fact[Fit]
    long_enough: bool
    expected: Fact[Expected]
    comfort: Comfort
    loss: Fact[Loss]
    worth: float
    beyond: float
    source: str

    @property
    def fits(self) -> bool | None:
        """Whether all of it lies in memory at once; None where that is unknown."""
        held = self.fit.or_none()
        return None if held is None or held.main_bytes.or_none() is None else held.fits

    @property
    def possible(self) -> bool:
        """Whether it can do this work at all."""
        return self.fits is not False and self.long_enough

    @property
    def is_mixture(self) -> bool:
        """Whether a token uses a part of its parameters only."""
        return self.active_parameters < 0.9 * self.parameters


@dataclass(frozen=True, slots=True)
class Shortlist:
    """All choices for a work, in the order of a priority.

    Attributes:
        choices: those to be shown.
        priority: what they are sorted by.
        impossible: models of which no quantisation fits this machine or holds the work's context.
        notes: sentences: what the figures rest on.
        disturbed: whether the computer was busy while its kernels were measured: nothing is to be bought on it.
    """

    workload: Workload
    choices: tuple[Choice, ...]
    priority: Priority
    impossible: tuple[str, ...]
    notes: tuple[str, ...]
    disturbed: bool = False

    @property
    def comfortable(self) -> int:
        """How many stand above the comfort line; they come first unless the list is sorted by speed alone."""
        return sum(choice.comfort is Comfort.YES for choice in self.choices)
