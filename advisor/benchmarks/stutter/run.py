"""Follows a child that lets a prompt arrive among running streams (task ``stutter``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from advisor.benchmarks import protocol
from advisor.benchmarks.child_words import translated
from advisor.benchmarks.conditions import NOTHING_SEEN, judge
from advisor.benchmarks.job import Placement, in_mode, wire_model, wire_spec
from advisor.benchmarks.model import Conditions, EngineMode, TestSpec
from advisor.benchmarks.stutter.model import TokenClock
from advisor.benchmarks.trials.rounds import worst
from advisor.benchmarks.trials.watching import Watch
from advisor.core.translation import marked
from advisor.hardware.model import Power
from advisor.hardware.probes.load import LoadWindow, own_processes

STEADY_STEPS: Final = 8
"""Tokens of every stream before the prompt and after it: enough for a median."""


def request_of(
    model: Path, spec: TestSpec, chunks: Sequence[int], mode: EngineMode, placement: Placement, rounds: int,
    least_rounds: int, budget_s: float,
) -> dict[str, Any]:
    """What the worker is asked; ``spec`` holds prompt, streams and depth, ``chunks`` are sizes up to the prompt."""
    return {
        "task": "stutter",
        **wire_model(model, mode, placement),
        "prompt_tokens": spec.n_prompt,
        "streams": spec.n_streams,
        "chunks": list(chunks),
        "steady": STEADY_STEPS,
        "rounds": rounds,
        "least_rounds": least_rounds,
        "budget_s": budget_s,
        "test": wire_spec(in_mode(spec, mode)),
    }


@dataclass(slots=True)
class StutterRun:
    """Takes the messages of one child.

    Attributes:
        watch: of what else went on.
        power: where the current came from.
        clocks: by size of the pieces.
        left_out: reasons, by size.
        chunk: size that ran last, 0 before the first.
        warm: a size got through its warming up, so that the engine works as such.
    """

    watch: Watch
    power: Power
    clocks: dict[int, list[TokenClock]] = field(default_factory=dict)
    left_out: dict[int, str] = field(default_factory=dict)
    chunk: int = 0
    warm: bool = False
    _stamps: list[Conditions] = field(default_factory=list)
    _window: LoadWindow | None = None
    _paused_s: float = 0.0

    @property
    def stage(self) -> str:
        """What it was doing, for the words of an error."""
        return marked("reading a prompt among running streams") if self.watch.loaded else "loading the model"

    @property
    def rounds(self) -> int:
        """Whole rounds so far: all sizes that were not left out have that many."""
        running = [clocks for chunk, clocks in self.clocks.items() if chunk not in self.left_out]
        return min((len(clocks) for clocks in running), default=0)

    def take(self, message: Mapping[str, Any]) -> None:
        """One message of the child; raises ProtocolError for what cannot be."""
        if self.watch.take(message) or message["kind"] != protocol.ROW:
            return
        if "begun" in message:
            self.chunk = protocol.count(message, "begun")
        elif "warm_up_s" in message:
            self.warm = True
        elif "left_out" in message:
            self.left_out[protocol.count(message, "chunk")] = translated(str(message["left_out"]))
        elif "during_s" in message:
            self._take_clock(message)
        elif "round" in message:
            if protocol.count(message, "round", 0) != len(self._stamps) + (self._window is not None):
                raise protocol.ProtocolError("rounds that do not follow each other")
            self._close_round()
            self._window = LoadWindow(own_processes)
            self._paused_s = self.watch.paused_s

    def finish(self) -> tuple[Conditions, ...]:
        """The stamps of all rounds, the one that was not finished included."""
        self._close_round()
        return tuple(self._stamps)

    def _take_clock(self, message: Mapping[str, Any]) -> None:
        try:
            gaps = [tuple(float(value) for value in message[f"{name}_s"]) for name in ("before", "during", "after")]
            clock = TokenClock(protocol.count(message, "round", 0), *gaps)
        except (TypeError, KeyError, ValueError) as error:
            raise protocol.ProtocolError(f"no token clock ({error})") from error
        self.clocks.setdefault(protocol.count(message, "chunk"), []).append(clock)

    def _close_round(self) -> None:
        if self._window is None:
            return
        number, others = len(self._stamps), self._window.close()
        mine = [clock for clocks in self.clocks.values() for clock in clocks if clock.round == number]
        busy_s = sum(clock.first_token_s for clock in mine)
        seen = replace(NOTHING_SEEN, paused_s=self.watch.paused_s - self._paused_s)
        self._stamps.append(worst([judge((busy_s or 1.0,), others, self.power, seen)]))
        self._window = None
