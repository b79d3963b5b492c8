"""Stages in order, with progress, cancel and partial results."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from advisor.benchmarks.model import EngineFacts, TestResult
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Fact
from advisor.core.progress import CancelToken
from advisor.diagnosis.model import Workload
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report.document import Document
from advisor.session.events import Listener


@dataclass(frozen=True, slots=True)
class BenchSettings:
    """What to measure.

    Attributes:
        n_threads: None for what the machine's facts advise.
    """

    n_prompt: int = 512
    n_gen: int = 128
    n_depth: int = 0
    repetitions: int = 5
    n_threads: int | None = None


class Pipeline:
    """Runs the stages; every method blocks and belongs on a worker thread. One pipeline may be shared by threads."""

    def read_machine(self) -> Machine:
        """Facts of this machine, about 0.2 s."""
        raise NotImplementedError

    def read_engine(self, cancel: CancelToken) -> Fact[EngineFacts]:
        """What the engine is, asked in a child; Unknown with the reason and the remedy where there is none."""
        raise NotImplementedError

    def read_model(self, path: Path) -> ModelFacts:
        """Facts of a model file. Raises BadFile."""
        raise NotImplementedError

    def measure_ceilings(
        self, model: ModelFacts, machine: Machine, listener: Listener, cancel: CancelToken
    ) -> Ceilings:
        """Both ceilings, 2 to 4 s. Raises EngineError, Cancelled."""
        raise NotImplementedError

    def diagnose(
        self, path: Path, workload: Workload, settings: BenchSettings, listener: Listener, cancel: CancelToken,
        known: Mapping[str, object] | None = None,
    ) -> Document:
        """The whole job. A Stop or an engine failure gives a partial document, with ``interrupted`` saying why.

        Raises BadFile only (before anything was measured).
        """
        raise NotImplementedError


def answer(
    machine: Machine, engine: Fact[EngineFacts], model: ModelFacts, ceilings: Fact[Ceilings],
    tests: tuple[TestResult, ...], workload: Workload, created_at: str, interrupted: str = "",
) -> Document:
    """Timeline, verdict and advice from what is there; pure and quick (under 50 ms), for every workload change."""
    raise NotImplementedError
