"""What every engine can do, and the values it answers with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from advisor.benchmarks.job import Job
from advisor.benchmarks.model import NO_REAL_USE, EngineFacts, LiveReading, RealUse, TestResult, TestSpec
from advisor.benchmarks.supervisor import Limits
from advisor.ceilings.kernels import NO_KERNELS, KernelTable
from advisor.ceilings.model import ArithmeticProbe, ReadProbe
from advisor.core.errors import AdvisorError
from advisor.core.evidence import Fact
from advisor.core.progress import CancelToken
from advisor.hardware.model import Power


@dataclass(frozen=True, slots=True)
class Probed:
    """What the ceiling probes gave.

    Attributes:
        notes: what is missing from them and why.
        kernels: the kernel table.
        disturbed: what else went on meanwhile, a clause; empty when nothing of weight did.
    """

    reads: tuple[ReadProbe, ...]
    arithmetic: tuple[ArithmeticProbe, ...]
    notes: tuple[str, ...]
    disturbed: str = ""
    kernels: KernelTable = NO_KERNELS


@dataclass(frozen=True, slots=True)
class Measured:
    """What one child measured.

    Attributes:
        tests: every test with at least one whole repetition; ``complete`` tells whether all were done.
        error: why the rest is missing, None when nothing is.
        crashed_early: a native crash at load or in prefill, for which safe mode may be the cure.
        load_s: seconds that loading took; None when it was not reached.
        left_out: index of each test that was left out, with the reason, a clause.
        at: index of the test that ran when it ended; None before the first.
        real_use: text written after the tests, where the job asked for it; failing there does not spoil the tests.
    """

    tests: tuple[TestResult, ...]
    error: AdvisorError | None
    crashed_early: bool
    load_s: float | None
    left_out: tuple[tuple[int, str], ...] = ()
    at: int | None = None
    real_use: Fact[RealUse] = NO_REAL_USE


@dataclass(frozen=True, slots=True)
class Listening:
    """Who hears what while a child measures.

    Attributes:
        reading: gauge readings.
        phase: words for the status bar.
        repetition: a finished repetition, by test and seconds.
        finished: a whole test.
        filled: seconds that bringing the cache to a test's depth took.
        begun: a test begins.
    """

    reading: Callable[[LiveReading], None]
    phase: Callable[[str], None]
    repetition: Callable[[int, float], None]
    finished: Callable[[TestResult], None]
    filled: Callable[[int, float], None] = lambda _index, _seconds: None
    begun: Callable[[int], None] = lambda _index: None


class Engine(Protocol):
    """One way to run models. Every method blocks, and what it starts is gone when it returns."""

    def read_facts(self, cancel: CancelToken, rpc_servers: Sequence[str] = ()) -> Fact[EngineFacts]:
        """What the engine is, with the devices of the RPC servers; Unknown with the reason and the remedy."""

    def why_not(self, test: TestSpec) -> str:
        """Why this engine cannot run a test, a clause; empty when it can."""

    def probe(self, request: Mapping[str, Any], on_phase: Callable[[str], None], cancel: CancelToken) -> Probed:
        """Measure read bandwidth and arithmetic; raises EngineError when nothing could be measured, Cancelled."""

    def measure(self, job: Job, limits: Limits, power: Power, listening: Listening, cancel: CancelToken) -> Measured:
        """Run the tests of a job in one process; never raises for what goes wrong in it."""
