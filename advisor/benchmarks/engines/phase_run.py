"""Follows a measuring child: which stage it is in and what it has measured so far."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from advisor.benchmarks import protocol
from advisor.benchmarks.child_words import translated
from advisor.benchmarks.conditions import OTHERS_SUSPECT, Seen, judge
from advisor.benchmarks.engines.engine import Listening
from advisor.benchmarks.job import Job
from advisor.benchmarks.model import (
    NO_REAL_USE,
    Cause,
    Conditions,
    LiveReading,
    Phase,
    RealUse,
    Stamp,
    Sweep,
    TestResult,
)
from advisor.core.evidence import Basis, Fact, Known
from advisor.core.translation import marked, tr, trn
from advisor.hardware.model import Power
from advisor.hardware.probes.gpu_activity import GpuWatch
from advisor.hardware.probes.load import LoadWindow, own_processes
from advisor.hardware.probes.programs import ProgramsWindow

_TEXT: Final = -1
"""Stands for the text in real use where tests have their index."""


@dataclass(slots=True)
class _Watch:
    """What is looked at while one test runs."""

    window: LoadWindow
    gpu: GpuWatch | None
    paused_s: float = 0.0


class PhaseRun:
    """Takes the messages of one ``phases`` child.

    Args:
        job: what it was asked.
        power: where the current comes from.
        listening: who hears of it.
    """

    def __init__(self, job: Job, power: Power, listening: Listening) -> None:
        self.stage = marked("loading the model")
        self.before_decode = True
        self.load_s: float | None = None
        self.at: int | None = None
        self.left_out: dict[int, str] = {}
        self.real_use: Fact[RealUse] = NO_REAL_USE
        self._job = job
        self._device = job.device
        self._engine = job.engine
        self._specs = job.specs
        self._power = power
        self._listening = listening
        self._samples: list[list[float]] = [[] for _ in self._specs]
        self._warm_ups: list[list[float]] = [[] for _ in self._specs]
        self._conditions: dict[int, Conditions] = {}
        self._watches: dict[int, _Watch] = {}
        self._programs = ProgramsWindow(own_processes)
        self._misplaced = ""

    def take(self, message: Mapping[str, Any]) -> None:
        """One message of the child; raises ProtocolError for what cannot be."""
        kind = message["kind"]
        for watch in self._watches.values():
            if watch.gpu is not None:
                watch.gpu.look()
            if kind == protocol.PAUSED:
                watch.paused_s += float(message["seconds"])
        if kind == protocol.PROGRESS:
            self._listening.phase(str(message.get("phase", "")))
        elif kind == protocol.READING:
            reading = _reading(message)
            if self.at is None or self._specs[self.at].sweep is Sweep.PHASES:
                self._listening.reading(reading)  # gauges show the two phases, not a curve's points
        elif "load_s" in message:
            self.load_s = protocol.seconds(message, "load_s")
            self._device = _joined(message.get("devices")) or self._device
            self._misplaced = misplaced(self._job, message)
        elif "engine" in message:
            self._engine = str(message["engine"])
            self._device = _joined(message.get("devices")) or self._device
        elif "test" in message:
            self._take_row(self._index(message), message)
        elif message.get("stage") == "generating":
            self.stage, self.before_decode = marked("writing text"), False
            self._watches[_TEXT] = self._watch()
        elif "real_use" in message:
            self.real_use = self._text(message["real_use"])

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
        # From the warm-up on: opening the watch takes some of the processor, which the first repetition must not miss.
        if index not in self._watches and index not in self._conditions:
            self._watches[index] = self._watch()

    def _watch(self) -> "_Watch":
        # NVIDIA's library is asked for NVIDIA's devices only: it would call another maker's busy card idle.
        return _Watch(LoadWindow(own_processes), GpuWatch() if self._job.device.startswith("CUDA") else None)

    def _finish(self, index: int) -> None:
        if not self._samples[index] or index not in self._watches or index in self._conditions:
            raise protocol.ProtocolError(f"the test {index} is said to be done, and nothing of it was measured")
        self._conditions[index] = self._judged(index, self._samples[index], self._job.notes)
        self._listening.finished(self._result(index))

    def _leave_out(self, index: int, reason: str) -> None:
        if index in self._conditions or self._job.tests[index].essential:
            raise protocol.ProtocolError(f"the test {index} is said to be left out, which it must not be")
        self.left_out[index] = translated(reason).rstrip(".")
        self._watches.pop(index, None)

    def _text(self, said: object) -> Fact[RealUse]:
        if not isinstance(said, dict) or _TEXT not in self._watches:
            raise protocol.ProtocolError("text that was written before it was begun")
        parts = said.get("parts_s")
        if not isinstance(parts, list) or not parts:
            raise protocol.ProtocolError("text that took no time")
        timed = [protocol.seconds({"parts_s": part}, "parts_s") for part in parts]
        use = RealUse(
            prompt_tokens=_tokens(said, "prompt_tokens"),
            tokens=_tokens(said, "tokens"),
            tokenise_s=protocol.seconds(said, "tokenise_s"),
            prefill_s=protocol.seconds(said, "prefill_s"),
            decode_s=protocol.seconds(said, "decode_s"),
            sample_s=protocol.seconds(said, "sample_s"),
            detokenise_s=protocol.seconds(said, "detokenise_s"),
            benchmark_tokens_per_s=self._benchmark(),
            conditions=self._judged(_TEXT, timed),
        )
        return Known(use, Basis.MEASURED, tr("text written with llama.cpp's default samplers"))

    def _benchmark(self) -> float | None:
        """Speed of the decode test that the text is compared with; None where this child had none without depth."""
        for test in self.results():
            if test.phase is Phase.DECODE and test.sweep is Sweep.PHASES and test.n_streams == 1 and not test.n_depth:
                return test.tokens_per_s
        return None

    def _judged(self, index: int, samples_s: Sequence[float], notes: tuple[str, ...] = ()) -> Conditions:
        """The stamp of what ran since ``_watch``."""
        watch = self._watches.pop(index)
        others = watch.window.close()
        disturbed = (others.others_busy_fraction.or_none() or 0.0) >= OTHERS_SUSPECT
        seen = Seen(
            paused_s=watch.paused_s,
            biggest=self._programs.biggest() if disturbed else "",
            gpu=watch.gpu.close() if watch.gpu is not None else None,
            misplaced=self._misplaced,
            notes=notes,
        )
        return judge(samples_s, others, self._power, seen)

    def _index(self, message: Mapping[str, Any]) -> int:
        index = message["test"]
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(self._specs):
            raise protocol.ProtocolError(f"a row for the test {index!r}, which was not asked for")
        return index

    def _result(self, index: int) -> TestResult:
        spec = self._specs[index]
        ended = tr("the run ended before all repetitions")
        unfinished = Conditions(Stamp.SUSPECT, (ended,), causes=(Cause.ENDED_EARLY,))
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


def misplaced(job: Job, message: Mapping[str, Any]) -> str:
    """Why a model that was meant for a GPU did not get there, a clause; from what the engine said while loading it.

    ``buffers`` of the message are names of the engine's buffer types with the bytes of weights in each; an engine that
    does not tell sends none.
    """
    buffers = message.get("buffers")
    if job.device == "CPU" or not isinstance(buffers, dict) or not buffers:
        return ""
    if all(str(name).startswith(("CPU", "AMX")) or str(name).endswith("_Host") for name in buffers):
        return tr("the model was meant for {device}, and all of it lies in main memory", device=job.device)
    offloaded = message.get("offloaded")
    if isinstance(offloaded, list) and len(offloaded) == 2 and 0 <= offloaded[0] < job.placement.gpu_layers:
        layers, total = offloaded
        if layers < total:
            return trn(
                "{n} layer was meant for {device}, and only {there} got there",
                "{n} layers were meant for {device}, and only {there} got there",
                job.placement.gpu_layers, n=job.placement.gpu_layers, device=job.device, there=layers,
            )  # fmt: skip
    return ""


def _tokens(message: Mapping[str, Any], name: str) -> int:
    value = message.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise protocol.ProtocolError(f"{name} is {value!r}")
    return value
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
