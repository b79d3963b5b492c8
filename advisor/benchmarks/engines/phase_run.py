"""Follows a measuring child: which stage it is in and what it has measured so far."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.conditions import judge
from advisor.benchmarks.engines.engine import Listening
from advisor.benchmarks.job import Job
from advisor.benchmarks.model import Conditions, LiveReading, Phase, Stamp, Sweep, TestResult
from advisor.hardware.model import Power
from advisor.hardware.probes.load import LoadWindow, own_processes


class PhaseRun:
    """Takes the messages of one ``phases`` child.

    Args:
        job: what it was asked.
        power: where the current comes from.
        listening: who hears of it.
    """

    def __init__(self, job: Job, power: Power, listening: Listening) -> None:
        self.stage = "loading the model"
        self.before_decode = True
        self.load_s: float | None = None
        self.at: int | None = None
        self.left_out: dict[int, str] = {}
        self._job = job
        self._device = job.device
        self._engine = job.engine
        self._specs = job.specs
        self._power = power
        self._listening = listening
        self._samples: list[list[float]] = [[] for _ in self._specs]
        self._warm_ups: list[list[float]] = [[] for _ in self._specs]
        self._conditions: dict[int, Conditions] = {}
        self._windows: dict[int, LoadWindow] = {}

    def take(self, message: Mapping[str, Any]) -> None:
        """One message of the child; raises ProtocolError for what cannot be."""
        kind = message["kind"]
        if kind == protocol.PROGRESS:
            self._listening.phase(str(message.get("phase", "")))
        elif kind == protocol.READING:
            reading = _reading(message)
            if self.at is None or self._specs[self.at].sweep is Sweep.PHASES:
                self._listening.reading(reading)  # gauges show the two phases, not a curve's points
        elif "load_s" in message:
            self.load_s = protocol.seconds(message, "load_s")
            self._device = _joined(message.get("devices")) or self._device
        elif "engine" in message:
            self._engine = str(message["engine"])
            self._device = _joined(message.get("devices")) or self._device
        elif "test" in message:
            self._take_row(self._index(message), message)

    def results(self) -> tuple[TestResult, ...]:
        """Everything with at least one whole repetition, in order."""
        return tuple(self._result(index) for index, samples in enumerate(self._samples) if samples)

    @property
    def is_complete(self) -> bool:
        """Whether every test of the job was done, or left out with a reason."""
        return len(self._conditions.keys() | self.left_out.keys()) == len(self._specs)

    def _take_row(self, index: int, message: Mapping[str, Any]) -> None:
        if "stage" in message:
            self._enter(index, str(message["stage"]))
        elif "warm_up_s" in message:
            self._warm_ups[index].append(protocol.seconds(message, "warm_up_s"))
        elif "seconds" in message:
            elapsed_s = protocol.seconds(message, "seconds")
            self._samples[index].append(elapsed_s)
            self._listening.repetition(index, elapsed_s)
        elif "filled_s" in message:
            self._listening.filled(index, protocol.seconds(message, "filled_s"))
        elif "left_out" in message:
            self._leave_out(index, str(message["left_out"]))
        elif "done" in message:
            self._finish(index)

    def _enter(self, index: int, stage: str) -> None:
        phase = self._specs[index].phase
        # A crash in a sweep says something about that setting, not about the engine's default mode. Filling the cache
        # to a depth is a prefill, too.
        of_phases = self._specs[index].sweep is Sweep.PHASES
        self.before_decode = of_phases and (phase is Phase.PREFILL or self._specs[index].n_depth > 0)
        if self.at != index:
            self.at = index
            self._listening.begun(index)
        self.stage = f"{phase}" if stage == "running" else f"warming up for {phase}"
        if stage == "running" and index not in self._windows:
            self._windows[index] = LoadWindow(own_processes)

    def _finish(self, index: int) -> None:
        if not self._samples[index] or index not in self._windows or index in self._conditions:
            raise protocol.ProtocolError(f"the test {index} is said to be done, and nothing of it was measured")
        self._conditions[index] = judge(
            self._samples[index], self._windows.pop(index).close(), self._power, self._job.notes
        )
        self._listening.finished(self._result(index))

    def _leave_out(self, index: int, reason: str) -> None:
        if index in self._conditions or self._job.tests[index].essential:
            raise protocol.ProtocolError(f"the test {index} is said to be left out, which it must not be")
        self.left_out[index] = reason.rstrip(".")
        self._windows.pop(index, None)

    def _index(self, message: Mapping[str, Any]) -> int:
        index = message["test"]
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(self._specs):
            raise protocol.ProtocolError(f"a row for the test {index!r}, which was not asked for")
        return index

    def _result(self, index: int) -> TestResult:
        spec = self._specs[index]
        unfinished = Conditions(Stamp.SUSPECT, ("the run ended before all repetitions",))
        return TestResult(
            **{field.name: getattr(spec, field.name) for field in fields(spec)},
            samples_s=tuple(self._samples[index]),
            warm_up_s=tuple(self._warm_ups[index]),
            engine=self._engine,
            device=self._device,
            mode=self._job.mode,
            conditions=self._conditions.get(index, unfinished),
            complete=index in self._conditions,
        )


def _joined(devices: object) -> str:
    """Where the weights really lie, as the child tells after loading; empty where it does not."""
    return "+".join(str(device) for device in devices) if isinstance(devices, list) else ""


def _reading(message: Mapping[str, Any]) -> LiveReading:
    try:
        return LiveReading(
            phase=Phase(message["phase"]),
            repetition=int(message["repetition"]),
            repetitions=int(message["repetitions"]),
            tokens_per_s=protocol.seconds(message, "tokens_per_s"),
            final=bool(message["final"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise protocol.ProtocolError(f"a reading that cannot be understood: {error}") from error
