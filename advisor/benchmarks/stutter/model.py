"""What the stutter experiment measured, as frozen values, and the figures that follow from them; pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from advisor.benchmarks.model import Conditions, EngineMode, TestSpec
from advisor.benchmarks.trials.rounds import counted
from advisor.ceilings.mixed import PredictedPauses
from advisor.core.evidence import Fact, Missing, Unknown
from advisor.core.stats import median, percentile
from advisor.core.translation import marked

STALL_S: Final = 0.2
"""Longest time between two tokens that still reads as a stream: what services promise for a conversation with a large
model (MLPerf Inference rules, Llama-2-70B, 200 ms per token; physics.md 9)."""

CHUNKS: Final = (64, 128, 256, 512)
"""Sizes that are tried beside the whole prompt at once."""

CHUNK_STEP: Final = 32
"""Engines multiply in tiles; odd sizes waste a part of one."""

NOT_MEASURED: Final = Unknown(marked("it was not measured"), Missing.NOT_YET)


@dataclass(frozen=True, slots=True)
class TokenClock:
    """One prompt that arrived; every value is the gap between two tokens of every running stream, in seconds.

    Attributes:
        round: from 0.
        before_s: while only the streams ran.
        during_s: while the prompt was read, one for each of its pieces.
        after_s: while the prompt's own stream ran with the others.
    """

    round: int
    before_s: tuple[float, ...]
    during_s: tuple[float, ...]
    after_s: tuple[float, ...]

    def __post_init__(self) -> None:
        every = (*self.before_s, *self.during_s, *self.after_s)
        if not self.before_s or not self.during_s or min(every) <= 0:
            raise ValueError("a token clock needs gaps above 0, before the prompt and during it")

    @property
    def worst_s(self) -> float:
        """The longest gap while the prompt was read."""
        return max(self.during_s)

    @property
    def first_token_s(self) -> float:
        """From the prompt's arrival to its own first token."""
        return math.fsum(self.during_s)


@dataclass(frozen=True, slots=True)
class ChunkSize:
    """One size of the pieces.

    Attributes:
        chunk_tokens: prompt tokens per step; as many as the prompt has where it was read in one go.
        clocks: one per round, in order.
        predicted: made before the run.
    """

    chunk_tokens: int
    clocks: tuple[TokenClock, ...]
    predicted: Fact[PredictedPauses] = NOT_MEASURED


@dataclass(frozen=True, slots=True)
class Pauses:
    """What one size came to in the rounds that count; gaps in seconds.

    Attributes:
        steady_s: median gap before the prompt came.
        p50_s, p95_s: of the gaps while it was read, likewise the median over the rounds.
        worst_s: median over the rounds of the longest gap, so that one disturbed round does not decide;
            ``worst_low_s`` and ``worst_high_s`` are its range.
        first_token_s: median; likewise.
        slower: by which factor the prompt took longer than in one go, by rounds; None where that was not measured.
        error: predicted ÷ measured worst gap, less 1; None without a prediction.
    """

    chunk_tokens: int
    rounds: int
    steady_s: float
    p50_s: float
    p95_s: float
    worst_s: float
    worst_low_s: float
    worst_high_s: float
    first_token_s: float
    first_token_low_s: float
    first_token_high_s: float
    slower: float | None
    error: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stutter:
    """The whole experiment, possibly partial.

    Attributes:
        spec: prompt, steady streams, their depth at the start, and how the engine was set.
        sizes: smallest first, each with at least one round.
        round_conditions: stamp of every round, by its number.
        conditions: stamp of the rounds that count.
        left_out: sentences on sizes that could not be measured.
        interrupted: sentence saying why it is not complete; empty when it is.
        created_at: ISO 8601 with zone.
    """

    spec: TestSpec
    sizes: tuple[ChunkSize, ...]
    round_conditions: tuple[Conditions, ...]
    conditions: Conditions
    engine: str
    device: str
    mode: EngineMode
    created_at: str
    left_out: tuple[str, ...] = ()
    interrupted: str = ""

    def __post_init__(self) -> None:
        if not self.sizes or not all(size.clocks for size in self.sizes):
            raise ValueError("a stutter experiment needs at least one round of every size")

    @property
    def counted_rounds(self) -> tuple[int, ...]:
        """Rounds that count: without those that were disturbed, where enough others are left."""
        return counted(self.round_conditions)

    def pauses(self) -> tuple[Pauses, ...]:
        """The figures of every size, smallest first."""
        good = self.counted_rounds
        clocks = [tuple(clock for clock in size.clocks if clock.round in good) or size.clocks for size in self.sizes]
        # no size is above the whole prompt, and the largest comes last
        whole = clocks[-1] if self.is_whole(self.sizes[-1].chunk_tokens) else ()
        return tuple(_pauses(size, counting, whole) for size, counting in zip(self.sizes, clocks, strict=True))

    def is_whole(self, chunk_tokens: int) -> bool:
        """Whether a size means that the prompt was read in one go."""
        return chunk_tokens >= self.spec.n_prompt


def _pauses(size: ChunkSize, clocks: Sequence[TokenClock], whole: Sequence[TokenClock]) -> Pauses:
    worst = [clock.worst_s for clock in clocks]
    first = [clock.first_token_s for clock in clocks]
    at_once = {clock.round: clock.first_token_s for clock in whole}
    ratios = [clock.first_token_s / at_once[clock.round] for clock in clocks if clock.round in at_once]
    predicted = size.predicted.or_none()
    return Pauses(
        chunk_tokens=size.chunk_tokens,
        rounds=len(clocks),
        steady_s=median([gap for clock in clocks for gap in clock.before_s]),
        p50_s=median([percentile(clock.during_s, 0.50) for clock in clocks]),
        p95_s=median([percentile(clock.during_s, 0.95) for clock in clocks]),
        worst_s=median(worst),
        worst_low_s=min(worst),
        worst_high_s=max(worst),
        first_token_s=median(first),
        first_token_low_s=min(first),
        first_token_high_s=max(first),
        slower=median(ratios) if ratios else None,
        error=predicted.worst_s / median(worst) - 1 if predicted is not None else None,
    )


def largest_within(pauses: Sequence[Pauses], budget_s: float) -> int | None:
    """Most prompt tokens per step whose worst gap stays within ``budget_s``, in whole tiles; None where none does.

    Between two measured sizes along a straight line, rounded down to ``CHUNK_STEP`` but not below the smaller one;
    never beyond the largest that was measured. A size counts only if all smaller ones keep the budget, too.
    """
    kept: Pauses | None = None
    for each in pauses:
        if each.worst_s > budget_s:
            if kept is None:
                return None
            share = (budget_s - kept.worst_s) / (each.worst_s - kept.worst_s)
            between = kept.chunk_tokens + share * (each.chunk_tokens - kept.chunk_tokens)
            return max(kept.chunk_tokens, int(between) // CHUNK_STEP * CHUNK_STEP)
        kept = each
    return None if kept is None else kept.chunk_tokens


def worst_at(pauses: Sequence[Pauses], chunk_tokens: int) -> float | None:
    """The worst gap at a size, along straight lines between measured ones; None outside of them."""
    for low, high in pairwise(pauses):
        if low.chunk_tokens <= chunk_tokens <= high.chunk_tokens:
            share = (chunk_tokens - low.chunk_tokens) / (high.chunk_tokens - low.chunk_tokens)
            return low.worst_s + share * (high.worst_s - low.worst_s)
    return next((each.worst_s for each in pauses if each.chunk_tokens == chunk_tokens), None)


def slower_at(pauses: Sequence[Pauses], chunk_tokens: int) -> float | None:
    """By which factor a prompt takes longer at a size than in one go, likewise; None where it is not known."""
    for low, high in pairwise(pauses):
        if low.slower is not None and high.slower is not None and low.chunk_tokens <= chunk_tokens <= high.chunk_tokens:
            share = (chunk_tokens - low.chunk_tokens) / (high.chunk_tokens - low.chunk_tokens)
            return low.slower + share * (high.slower - low.slower)
    return None
