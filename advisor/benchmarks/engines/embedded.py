"""The llama-cpp-python of this Python, always in a child: what it reaches, and how fast it runs a model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from advisor.benchmarks import failures, protocol
from advisor.benchmarks.conditions import disturbance, judge
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import Conditions, LiveReading, Phase, Stamp, TestResult
from advisor.benchmarks.supervisor import Ending, Limits, Outcome, run_child
from advisor.ceilings.model import ArithmeticProbe, ReadProbe
from advisor.core.errors import AdvisorError, Cancelled
from advisor.core.progress import CancelToken
from advisor.hardware.model import Power
from advisor.hardware.probes.load import LoadWindow, own_processes

PROBE_LIMITS: Final = Limits(silence_s=60.0, total_s=180.0)
PROBE_RETRIES: Final = 3
"""Native crashes of single probe kernels that are stepped over before the probing gives up."""


@dataclass(frozen=True, slots=True)
class Probed:
    """What the ceiling probes gave.

    Attributes:
        notes: what is missing from them and why.
        disturbed: what else went on meanwhile, a clause; empty when nothing of weight did.
    """

    reads: tuple[ReadProbe, ...]
    arithmetic: tuple[ArithmeticProbe, ...]
    notes: tuple[str, ...]
    disturbed: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one child measured of the two phases.

    Attributes:
        tests: every phase with at least one whole repetition; ``complete`` tells whether all were done.
        error: why the rest is missing, None when nothing is.
        crashed_early: a native crash at load or in prefill, for which safe mode may be the cure.
        load_s: seconds that loading took; None when it was not reached.
    """

    tests: tuple[TestResult, ...]
    error: AdvisorError | None
    crashed_early: bool
    load_s: float | None


@dataclass(frozen=True, slots=True)
class Listening:
    """Who hears what while a child measures: gauge readings, words for the status bar, finished repetitions."""

    reading: Callable[[LiveReading], None]
    phase: Callable[[str], None]
    repetition: Callable[[Phase, float], None]
    finished: Callable[[TestResult], None]


def probe(request: Mapping[str, Any], launch: Launch, on_phase: Callable[[str], None], cancel: CancelToken) -> Probed:
    """Measure read bandwidth and arithmetic; a kernel that crashes is stepped over and named.

    Raises:
        EngineError: when nothing could be measured.
        Cancelled: when stopped.
    """
    probes = _Probes(on_phase)
    window = LoadWindow(own_processes)
    notes: list[str] = []
    skip: list[str] = []
    outcome = Outcome(Ending.NOT_STARTED)
    for attempt in range(PROBE_RETRIES + 1):
        remaining = {**request, "skip": skip, "read_kernels": attempt == 0 or not probes.reads}
        probes.trying = ""
        outcome = run_child(remaining, launch, PROBE_LIMITS, probes.take, cancel)
        if outcome.ending is not Ending.CRASHED or not probes.trying:
            break
        notes.append(f"the kernel {probes.trying} crashed ({outcome.signal_name}) and was left out")
        skip = [*skip, *probes.done, probes.trying]
    if outcome.ending is Ending.CANCELLED:
        raise Cancelled("Stopped while the ceilings were being measured.", "Measure again whenever you like.")
    if outcome.ending is not Ending.DONE:
        error = failures.explain(outcome, "measuring the ceilings")
        if not probes.reads and not probes.arithmetic:
            raise error
        notes.append(error.sentence)
    elif outcome.result and outcome.result.get("engine"):
        notes.append(str(outcome.result["engine"]))
    return Probed(tuple(probes.reads), tuple(probes.arithmetic), tuple(notes), disturbance(window.close()))


def measure(
    request: Mapping[str, Any],
    launch: Launch,
    limits: Limits,
    device: str,
    engine: str,
    power: Power,
    listening: Listening,
    cancel: CancelToken,
) -> Measured:
    """Run the phases of a request in one child."""
    run = _Run(request, device, engine, power, listening)
    outcome = run_child(request, launch, limits, run.take, cancel)
    tests = run.results()
    if outcome.ending is Ending.DONE and len(tests) == len(run.plan):
        return Measured(tests, None, False, run.load_s)
    error = failures.explain(outcome, run.stage)
    early = run.before_decode and failures.is_engine_fault(outcome)
    return Measured(tests, error, early, run.load_s)


@dataclass(slots=True)
class _Probes:
    """Collects the rows of the task ``ceilings``."""

    on_phase: Callable[[str], None]
    reads: list[ReadProbe] = field(default_factory=list)
    arithmetic: list[ArithmeticProbe] = field(default_factory=list)
    trying: str = ""
    done: list[str] = field(default_factory=list)

    def take(self, message: Mapping[str, Any]) -> None:
        if message["kind"] == protocol.PROGRESS:
            self.on_phase(str(message.get("phase", "")))
        elif "trying" in message:
            self.trying = str(message["trying"])
        elif message.get("probe") == "read":
            self.reads.append(
                ReadProbe(
                    str(message["kernel"]),
                    _count(message, "threads"),
                    _count(message, "bytes_per_pass"),
                    _samples(message),
                )
            )
            self._finish()
        elif message.get("probe") == "arithmetic":
            self.arithmetic.append(
                ArithmeticProbe(
                    str(message["kernel"]),
                    _count(message, "threads"),
                    _count(message, "inputs"),
                    _count(message, "outputs"),
                    _count(message, "columns"),
                    _count(message, "flop"),
                    _samples(message),
                )
            )
            self._finish()

    def _finish(self) -> None:
        if self.trying:
            self.done.append(self.trying)
            self.trying = ""


class _Run:
    """Follows one ``phases`` child: which stage it is in and what it has measured."""

    def __init__(
        self, request: Mapping[str, Any], device: str, engine: str, power: Power, listening: Listening
    ) -> None:
        self.plan: list[Mapping[str, int]] = list(request["tests"])
        self.stage = "loading the model"
        self.before_decode = True
        self.load_s: float | None = None
        self._request = request
        self._device = device
        self._engine = engine
        self._power = power
        self._listening = listening
        self._samples: list[list[float]] = [[] for _ in self.plan]
        self._conditions: dict[int, Conditions] = {}
        self._window: LoadWindow | None = None

    def take(self, message: Mapping[str, Any]) -> None:
        kind = message["kind"]
        if kind == protocol.PROGRESS:
            self._listening.phase(str(message.get("phase", "")))
        elif kind == protocol.READING:
            self._listening.reading(_reading(message))
        elif "load_s" in message:
            self.load_s = protocol.seconds(message, "load_s")
        elif "stage" in message:
            self._enter(_index(message, len(self.plan)), str(message["stage"]))
        elif "seconds" in message:
            index = _index(message, len(self.plan))
            elapsed_s = protocol.seconds(message, "seconds")
            self._samples[index].append(elapsed_s)
            self._listening.repetition(self._phase(index), elapsed_s)
            if self._is_complete(index):
                self._judge(index)
                self._listening.finished(self._result(index))

    def results(self) -> tuple[TestResult, ...]:
        """Everything with at least one whole repetition, in order."""
        return tuple(self._result(index) for index, samples in enumerate(self._samples) if samples)

    def _enter(self, index: int, stage: str) -> None:
        phase = self._phase(index)
        self.before_decode = phase is Phase.PREFILL
        self.stage = f"{phase}" if stage == "running" else f"warming up for {phase}"
        if stage == "running" and self._window is None:
            self._window = LoadWindow(own_processes)

    def _phase(self, index: int) -> Phase:
        return Phase.PREFILL if self.plan[index]["n_prompt"] else Phase.DECODE

    def _is_complete(self, index: int) -> bool:
        return len(self._samples[index]) >= int(self._request["repetitions"])

    def _judge(self, index: int) -> None:
        if self._window is not None:
            self._conditions[index] = judge(
                self._samples[index], self._window.close(), self._power, self._request.get("notes", ())
            )
            self._window = None

    def _result(self, index: int) -> TestResult:
        test = self.plan[index]
        complete = self._is_complete(index)
        unfinished = Conditions(Stamp.SUSPECT, ("the run ended before all repetitions",))
        return TestResult(
            phase=self._phase(index),
            n_prompt=int(test["n_prompt"]),
            n_gen=int(test["n_gen"]),
            n_depth=int(test["n_depth"]),
            n_threads=int(self._request["n_threads"]),
            n_batch=int(self._request["n_batch"]),
            n_ubatch=int(self._request["n_ubatch"]),
            samples_s=tuple(self._samples[index]),
            engine=self._engine,
            device=self._device,
            safe_mode=not self._request["use_extra_bufts"],
            conditions=self._conditions.get(index, unfinished),
            complete=complete,
        )


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


def _index(message: Mapping[str, Any], tests: int) -> int:
    index = message.get("test")
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < tests:
        raise protocol.ProtocolError(f"a row for the test {index!r}, which was not asked for")
    return index


def _count(message: Mapping[str, Any], name: str) -> int:
    value = message.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise protocol.ProtocolError(f"{name} is {value!r}")
    return value


def _samples(message: Mapping[str, Any]) -> tuple[float, ...]:
    values = message.get("samples_s")
    if not isinstance(values, list) or not values:
        raise protocol.ProtocolError("a probe without samples")
    return tuple(protocol.seconds({"samples_s": value}, "samples_s") for value in values)
