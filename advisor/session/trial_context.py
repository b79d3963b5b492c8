"""What every experiment is given, whatever it tries."""

from dataclasses import dataclass
from pathlib import Path

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Engine
from advisor.benchmarks.job import Placement
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import EngineFacts, EngineMode, Phase, TestResult, TestSpec
from advisor.benchmarks.trials.rounds import BUDGET_S, ROUNDS
from advisor.core.errors import AdvisorError, Cancelled
from advisor.core.numbers import count
from advisor.core.translation import trn
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine


@dataclass(frozen=True, slots=True)
class TrialContext:
    """One experiment on one machine; the two rows say how the thing was measured as it is.

    Attributes:
        advice: id of the advice that is tried.
        engine: what measures.
        facts: what it is.
        mode: step of the safe-mode ladder that the diagnosed run used; both ways use it.
        placement: where the diagnosed run put the model.
        device: name of the device that holds the weights there.
        prefill, decode: the diagnosed rows, for threads, batch, ubatch, KV type, flash attention and speed.
        scratch: folder for files of the experiment; made when needed, and whoever made something in it removes it.
        rounds: how many there are at most.
        budget_s: seconds after which no further round is begun, once there are ``LEAST_ROUNDS``.
        created_at: ISO 8601 with zone, for the result.
    """

    advice: str
    engine: Engine
    facts: EngineFacts
    machine: Machine
    model: ModelFacts
    mode: EngineMode
    placement: Placement
    device: str
    prefill: TestResult
    decode: TestResult
    scratch: Path
    created_at: str
    rounds: int = ROUNDS
    budget_s: float = BUDGET_S

    def row(self, phase: Phase) -> TestResult:
        """The diagnosed row of a phase."""
        return self.prefill if phase is Phase.PREFILL else self.decode

    def spec(self, phase: Phase) -> TestSpec:
        """The test of the diagnosed row, to be run again or changed with ``dataclasses.replace``."""
        return self.row(phase).spec

    @property
    def engine_name(self) -> str:
        """Name and version, for results."""
        return f"{self.facts.name} {self.facts.version}"

    @property
    def launch(self) -> Launch | None:
        """How to start children of our own worker; None where the engine is another program (llama-bench)."""
        return self.engine.launch if isinstance(self.engine, EmbeddedEngine) else None


def ended_early(done: int, most: int, error: AdvisorError) -> str:
    """How an experiment ended before its last round, a sentence."""
    if isinstance(error, Cancelled):
        return trn(
            "Stopped after {n}\u00a0round of {most}.", "Stopped after {n}\u00a0rounds of {most}.",
            done, n=count(done), most=most,
        )  # fmt: skip
    return trn(
        "Ended after {n}\u00a0round of {most}: {error}", "Ended after {n}\u00a0rounds of {most}: {error}",
        done, n=count(done), most=most, error=error.sentence,
    )  # fmt: skip
