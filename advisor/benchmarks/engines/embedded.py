"""A llama-cpp-python, this Python's own or another's, always in a child."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from advisor.benchmarks import failures
from advisor.benchmarks.conditions import disturbance
from advisor.benchmarks.engines.engine import Listening, Measured, Probed
from advisor.benchmarks.engines.phase_run import PhaseRun
from advisor.benchmarks.engines.probe_run import ProbeRun
from advisor.benchmarks.job import Job, wire_request
from advisor.benchmarks.known_faults import Crash, recognise
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import EngineDevice, EngineFacts, EngineMode
from advisor.benchmarks.supervisor import Ending, Limits, Outcome, run_child
from advisor.core.errors import AdvisorError, Cancelled, EngineCrashed
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.hardware.model import Power
from advisor.hardware.probes.load import LoadWindow, own_pids

INFO_LIMITS: Final = Limits(silence_s=60.0, total_s=120.0)
PROBE_LIMITS: Final = Limits(silence_s=60.0, total_s=180.0)
PROBE_RETRIES: Final = 3
"""Native crashes of single probe kernels that are stepped over before the probing gives up."""


@dataclass(frozen=True, slots=True)
class EmbeddedEngine:
    """The ``Engine`` that measures with our own worker.

    Attributes:
        launch: how the child is started, and in which Python.
    """

    launch: Launch = field(default_factory=Launch)

    def read_facts(self, cancel: CancelToken) -> Fact[EngineFacts]:
        """Ask the engine what it is; Unknown with the reason and the remedy where it cannot say."""
        outcome = run_child({"task": "engine"}, self.launch, INFO_LIMITS, lambda _message: None, cancel)
        if outcome.ending is not Ending.DONE or outcome.result is None:
            error = _with_cause(failures.explain(outcome, "starting"))
            missing = Missing.TOOL_MISSING if error.code == "engine_missing" else Missing.FAILED
            return Unknown(str(error), missing)
        said = outcome.result
        try:
            facts = EngineFacts(
                name="llama-cpp-python",
                version=str(said["version"]),
                build=str(said["build"]),
                system_info=str(said["system_info"]),
                python=self.launch.command[0],
                gpu_offload=bool(said["gpu_offload"]),
                devices=tuple(_device(entry) for entry in said["devices"]),
            )
        except (KeyError, TypeError, ValueError) as problem:
            return Unknown(f"the engine's answer could not be understood ({problem!r})")
        return Known(facts, Basis.READ, "the engine itself, asked in a child process")

    def probe(self, request: Mapping[str, Any], on_phase: Callable[[str], None], cancel: CancelToken) -> Probed:
        """Measure read bandwidth and arithmetic; a kernel that crashes is stepped over and named.

        Raises:
            EngineError: when nothing could be measured.
            Cancelled: when stopped.
        """
        probes = ProbeRun(on_phase)
        window = LoadWindow(own_pids)
        notes: list[str] = []
        skip: list[str] = []
        outcome = Outcome(Ending.NOT_STARTED)
        for attempt in range(PROBE_RETRIES + 1):
            remaining = {**request, "skip": skip, "read_kernels": attempt == 0 or not probes.reads}
            probes.trying = ""
            outcome = run_child(remaining, self.launch, PROBE_LIMITS, probes.take, cancel)
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

    def measure(self, job: Job, limits: Limits, power: Power, listening: Listening, cancel: CancelToken) -> Measured:
        """Run the tests of a job in one child."""
        run = PhaseRun(job, power, listening)
        outcome = run_child(wire_request(job), self.launch, limits, run.take, cancel)
        if run.is_complete and outcome.ending is Ending.DONE:
            return Measured(run.results(), None, False, run.load_s, run.real_use)
        error = failures.explain(outcome, run.stage)
        if run.is_complete and outcome.ending not in (Ending.BABBLED, Ending.CANCELLED):
            # All tests are there; what went wrong later cost only the text, or nothing.
            real_use = run.real_use if isinstance(run.real_use, Known) else Unknown(error.sentence.rstrip("."))
            return Measured(run.results(), None, False, run.load_s, real_use)
        early = run.before_decode and failures.is_engine_fault(outcome)
        return Measured(run.results(), error, early, run.load_s)


def _with_cause(error: AdvisorError) -> AdvisorError:
    """A crash at the start: the engine cannot be asked what it was built for, the processor can."""
    if not isinstance(error, EngineCrashed):
        return error
    from advisor.hardware.detect import read_machine  # slow to import, and crashes are rare

    cpu = read_machine().cpu
    signal = str(error.fields["signal"])
    crash = Crash(signal, "starting", EngineMode.DEFAULT, cpu.extensions, cpu.architecture)
    return failures.named(error, recognise(crash))


def _device(entry: Mapping[str, Any]) -> EngineDevice:
    def memory(field_name: str) -> Fact[int]:
        value = int(entry[field_name])
        return (
            Known(value, Basis.READ, "ggml")
            if value > 0
            else Unknown("the backend does not tell", Missing.NOT_SUPPORTED)
        )

    return EngineDevice(
        name=str(entry["name"]),
        description=str(entry["description"]),
        kind=str(entry["kind"]),
        memory_total_bytes=memory("memory_total_bytes"),
        memory_free_bytes=memory("memory_free_bytes"),
    )
