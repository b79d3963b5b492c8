"""A llama-cpp-python, this Python's own or another's, always in a child."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from advisor.benchmarks import failures
from advisor.benchmarks.child_words import translated
from advisor.benchmarks.conditions import disturbance
from advisor.benchmarks.engines import facts
from advisor.benchmarks.engines.engine import Listening, Measured, Probed
from advisor.benchmarks.engines.phase_run import PhaseRun
from advisor.benchmarks.engines.probe_run import ProbeRun
from advisor.benchmarks.job import Job, wire_request
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import EngineFacts, TestSpec
from advisor.benchmarks.supervisor import Ending, Limits, Outcome, run_child
from advisor.ceilings.kernels import KernelTable
from advisor.core.errors import Cancelled
from advisor.core.evidence import Fact, Known, Unknown
from advisor.core.progress import CancelToken
from advisor.core.translation import marked, tr
from advisor.hardware.model import Power
from advisor.hardware.probes.load import LoadWindow, own_processes

PROBE_LIMITS: Final = Limits(silence_s=60.0, total_s=180.0)
PROBE_RETRIES: Final = 3
"""Native crashes of single probe kernels that are stepped over before the probing gives up."""
PRODUCTS: Final = "products in "
"""How the worker names the kernel table's products while it tries them."""


@dataclass(frozen=True, slots=True)
class EmbeddedEngine:
    """The ``Engine`` that measures with our own worker.

    Attributes:
        launch: how the child is started, and in which Python.
    """

    launch: Launch = field(default_factory=Launch)

    def read_facts(self, cancel: CancelToken, rpc_servers: Sequence[str] = ()) -> Fact[EngineFacts]:
        """Ask the engine what it is; Unknown with the reason and the remedy where it cannot say."""
        return facts.read_facts(self.launch, cancel, rpc_servers)

    def why_not(self, test: TestSpec) -> str:
        """It runs every test."""
        return ""

    def probe(self, request: Mapping[str, Any], on_phase: Callable[[str], None], cancel: CancelToken) -> Probed:
        """Measure read bandwidth and arithmetic; a kernel that crashes is stepped over and named.

        Raises:
            EngineError: when nothing could be measured.
            Cancelled: when stopped.
        """
        probes = ProbeRun(on_phase)
        window = LoadWindow(own_processes)
        notes: list[str] = []
        skip: list[str] = []
        outcome = Outcome(Ending.NOT_STARTED)
        for _ in range(PROBE_RETRIES + 1):
            remaining = {**request, "skip": skip}
            if probes.reads:
                remaining.pop("read", None)
            if probes.products and not probes.trying.startswith(PRODUCTS):
                remaining.pop("kernels", None)
            probes.trying = ""
            outcome = run_child(remaining, self.launch, PROBE_LIMITS, probes.take, cancel)
            if outcome.ending is not Ending.CRASHED or not probes.trying:
                break
            notes.append(
                tr(
                    "the kernel {kernel} crashed ({signal}) and was left out",
                    kernel=probes.trying, signal=outcome.signal_name,
                )
            )  # fmt: skip
            skip = [*skip, *probes.done, probes.trying]
        if outcome.ending is Ending.CANCELLED:
            raise Cancelled(
                tr("Stopped while the ceilings were being measured."), tr("Measure again whenever you like.")
            )
        if outcome.ending is not Ending.DONE:
            error = failures.explain(outcome, marked("measuring the ceilings"))
            if not probes.reads and not probes.arithmetic:
                raise error
            notes.append(error.sentence)
        elif outcome.result and outcome.result.get("engine"):
            notes.append(translated(str(outcome.result["engine"])))
        kernels = KernelTable().merged(
            KernelTable(tuple(probes.products), tuple(probes.attention), tuple(probes.operations), _today())
        )
        return Probed(
            tuple(probes.reads), tuple(probes.arithmetic), tuple(notes), disturbance(window.close()), kernels
        )

    def measure(self, job: Job, limits: Limits, power: Power, listening: Listening, cancel: CancelToken) -> Measured:
        """Run the tests of a job in one child."""
        run = PhaseRun(job, power, listening)
        outcome = run_child(wire_request(job), self.launch, limits, run.take, cancel)
        left_out = tuple(run.left_out.items())
        if run.is_complete and outcome.ending is Ending.DONE:
            return Measured(run.results(), None, False, run.load_s, left_out, real_use=run.real_use)
        error = failures.explain(outcome, run.stage)
        if run.is_complete and outcome.ending not in (Ending.BABBLED, Ending.CANCELLED):
            # All tests are there; what went wrong later cost only the text, or nothing.
            real_use = run.real_use if isinstance(run.real_use, Known) else Unknown(error.sentence.rstrip("."))
            return Measured(run.results(), None, False, run.load_s, left_out, real_use=real_use)
        early = run.before_decode and failures.is_engine_fault(outcome)
        return Measured(run.results(), error, early, run.load_s, left_out, run.at, run.real_use)


def _today() -> str:
    return date.today().isoformat()
