"""What a measurement is asked for."""

from dataclasses import dataclass, field
from typing import Final

from advisor.benchmarks.job import Placement
from advisor.benchmarks.model import FlashAttention, Phase, PlanKind
from advisor.hardware.model import Machine

N_BATCH: Final = 2048
N_UBATCH: Final = 512
"""llama-bench's defaults."""


BUDGETS_S: Final = {PlanKind.QUICK: 19.0, PlanKind.STANDARD: 80.0, PlanKind.THOROUGH: 900.0}
"""Seconds of a plan's tests, loading included. With both ceilings (about 4 s) a quick run ends within 25 s and a
standard one within 90 s; a thorough one usually runs out of tests before."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """The request that a plan is for; decides which depths and streams are worth measuring."""

    prompt_tokens: int
    answer_tokens: int
    users: int = 1


@dataclass(frozen=True, slots=True)
class BenchSettings:
    """What to measure.

    Attributes:
        n_threads: of decode; None for what the machine's facts advise.
        n_threads_prefill: None for the same as decode.
        n_streams: sequences decoded together; prefill is measured with one.
        repetitions: of each phase, exactly, unless a plan is asked for.
        kind: the plan; None for the two phases alone, exactly as set here.
        budget_s: an own time in seconds instead of the plan's; asks for a plan as well.
        placement: where the engine puts the model.
        real_use: whether a plan may end with text written as in real use.
    """

    n_prompt: int = 512
    n_gen: int = 128
    n_depth: int = 0
    n_streams: int = 1
    repetitions: int = 5
    n_threads: int | None = None
    n_threads_prefill: int | None = None
    n_batch: int = N_BATCH
    n_ubatch: int = N_UBATCH
    flash_attention: FlashAttention = FlashAttention.AUTO
    kv_type: str = "f16"
    kind: PlanKind | None = None
    budget_s: float | None = None
    placement: Placement = field(default_factory=Placement)
    real_use: bool = True

    @property
    def plan_s(self) -> float | None:
        """Seconds that the plan may take; None without a plan."""
        return self.budget_s if self.budget_s is not None else BUDGETS_S[self.kind] if self.kind else None


def threads(machine: Machine, settings: BenchSettings, phase: Phase = Phase.DECODE) -> int:
    """Threads of a phase."""
    asked = settings.n_threads_prefill if phase is Phase.PREFILL else None
    return asked or settings.n_threads or machine.cpu.usable_threads
