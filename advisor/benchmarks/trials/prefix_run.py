"""Follows a child that reads prompts whole and on a kept beginning (task ``prefix``)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.trials.watching import Watch
from advisor.core.stats import median
from advisor.core.translation import marked


class Kept(StrEnum):
    """How the beginning could be kept, in the worker's words."""

    CUT = "cut"
    """The cache was cut back to it."""
    FULL_WINDOW = "full-window"
    """Likewise, once layers with a window kept everything."""
    COPY = "copy"
    """Only a copy of the model's state, taken where the beginning ends, could be taken up again."""


class Case(StrEnum):
    """What was read, in the worker's words."""

    COLD = "cold"
    SHARED = "shared"
    IDENTICAL = "identical"
    EARLY = "early"


@dataclass(slots=True)
class PrefixRun:
    """Takes the messages of one child.

    Attributes:
        watch: of what else went on.
        kept: None until the child has found a way.
        window: tokens of the model's sliding window, 0 for none.
        copy_bytes: size of the copied state, 0 where none was made.
        seconds: by case and turn.
        turns: readings of each kind in a round.
        agrees: whether prompts read on a kept beginning came to the same answer as when read whole, per check.
    """

    watch: Watch
    kept: Kept | None = None
    window: int = 0
    copy_bytes: int = 0
    seconds: dict[Case, dict[int, float]] = field(default_factory=lambda: {case: {} for case in Case})
    agrees: list[bool] = field(default_factory=list)
    turns: int = 1

    @property
    def stage(self) -> str:
        """What it was doing, for the words of an error."""
        return marked("reading prompts") if self.watch.loaded else "loading the model"

    def take(self, message: Mapping[str, Any]) -> None:
        """One message of the child; raises ProtocolError for what cannot be."""
        if self.watch.take(message):
            return
        try:
            if "kept" in message:
                self.kept = Kept(message["kept"])
                self.window = protocol.count(message, "window", 0)
                self.copy_bytes = protocol.count(message, "copy_bytes", 0)
            elif "case" in message:
                case = Case(message["case"])
                self.seconds[case][protocol.count(message, "round", 0)] = protocol.seconds(message, "seconds")
            elif "agrees" in message:
                self.agrees.append(bool(message["agrees"]))
        except ValueError as error:
            raise protocol.ProtocolError(str(error)) from error

    def both(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Seconds of the whole rounds, the median of their turns: read whole, and on the kept beginning."""
        ways = self.seconds[Case.COLD], self.seconds[Case.SHARED]
        done = min(len(way) for way in ways) // self.turns
        groups = [range(number * self.turns, (number + 1) * self.turns) for number in range(done)]
        cold, shared = (tuple(median([way[turn] for turn in group]) for group in groups) for way in ways)
        return cold, shared
