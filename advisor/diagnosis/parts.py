"""The parts of a wait, in seconds with their uncertainty, as frozen values."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from advisor.core.evidence import Fact


class PartId(StrEnum):
    """What a request's seconds go into, in the order in which they pass."""

    LOAD = "load"
    TOKENISE = "tokenise"
    CACHED_PREFILL = "cached_prefill"
    """Taking up again the part of the prompt that was kept."""
    COLD_PREFILL = "cold_prefill"
    """Reading prompt tokens."""
    DECODE = "decode"
    SAMPLING = "sampling"
    """Choosing tokens and turning them into text, and what else real use takes beyond the benchmark."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """A time with its uncertainty; ``0 <= low_s <= middle_s <= high_s``."""

    middle_s: float
    low_s: float
    high_s: float

    def __post_init__(self) -> None:
        if not 0 <= self.low_s <= self.middle_s <= self.high_s:
            raise ValueError("a time lies between its own low and high end, and above 0")

    def __add__(self, other: "Seconds") -> "Seconds":
        """One after the other; the ends add up, since what slows one part of a run usually slows the next."""
        return Seconds(self.middle_s + other.middle_s, self.low_s + other.low_s, self.high_s + other.high_s)

    def times(self, number: int) -> "Seconds":
        """That many times one after the other."""
        return Seconds(self.middle_s * number, self.low_s * number, self.high_s * number)


NO_TIME = Seconds(0.0, 0.0, 0.0)


def add_up(times: Iterable[Seconds]) -> Seconds:
    """All of them one after the other."""
    return sum(times, NO_TIME)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a wait.

    Attributes:
        tokens: that it handles, of all people together; 0 for loading.
        took: Unknown where it was not measured; it is then missing from every sum, which is said.
    """

    id: PartId
    tokens: int
    took: Fact[Seconds]


@dataclass(frozen=True, slots=True)
class Course:
    """A request or a whole chat from the first to the last second.

    Attributes:
        parts: in order; a part that does not occur is not there.
        total: of the known parts.
    """

    parts: tuple[Part, ...] = ()
    total: Seconds = NO_TIME

    def part(self, wanted: PartId) -> Part | None:
        """The part of that name; None where it does not occur."""
        return next((part for part in self.parts if part.id is wanted), None)


NO_COURSE = Course()


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a chat.

    Attributes:
        number: from 1.
        prompt_tokens: everything the model must know, read anew where nothing is kept.
        new_tokens: those that were not there in the turn before; all of them in the first.
        wait: until the first token, when everything is read again.
        wait_kept: the same when what was there before is kept.
        stream: from the first token to the last.
    """

    number: int
    prompt_tokens: int
    new_tokens: int
    wait: Seconds
    wait_kept: Seconds
    stream: Seconds
