"""What an experiment compares, and what came out of it, as frozen values."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.benchmarks.model import Conditions, Phase, Stamp, TestSpec
from advisor.core.evidence import Fact, Missing, Unknown
from advisor.core.stats import median, median_interval
from advisor.core.translation import marked, tr

SAME_WITHIN: Final = 0.03
"""A median change below 3 % is called no difference: two processes of one setting differ by as much."""

SURE_WITHIN: Final = 0.10
"""No difference is said only where the whole interval lies within 10 % of none; a wider one says nothing."""

LEAST_ROUNDS: Final = 3
"""Fewer rounds have no interval, so that they decide nothing."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One of the two ways.

    Attributes:
        words: what is set, for sentences ("2 threads", "Q4_K_M").
        tests: what is run, one per phase at most.
        model: another file than the diagnosed one; None for the same.
    """

    words: str
    tests: tuple[TestSpec, ...]
    placement: Placement = OWN_CHOICE
    model: Path | None = None


@dataclass(frozen=True, slots=True)
class SettingTrial:
    """Two ways that differ in settings, in the length of the prompt or in the place of the weights.

    The seconds of each phase's test are compared as they are, so tests of different lengths compare different work.
    """

    before: Arm
    after: Arm


@dataclass(frozen=True, slots=True)
class QuantiseTrial:
    """The file against a quantisation of it that is made for the experiment and removed afterwards.

    Attributes:
        to: llama.cpp's name of the file type ("Q4_K_M").
    """

    to: str


@dataclass(frozen=True, slots=True)
class PrefixTrial:
    """A prompt read whole against the same one after ``shared_tokens`` of it were kept."""

    prompt_tokens: int
    shared_tokens: int


@dataclass(frozen=True, slots=True)
class SpeculateTrial:
    """Plain decoding against guessing ``n_draft`` tokens per step.

    Attributes:
        draft: a small model that guesses; None for guessing from the text so far (n-grams).
        depth_tokens: in the cache while the work writes; what each guess attends to decides whether it gains.
    """

    n_draft: int
    draft: Path | None = None
    depth_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ChunkTrial:
    """A prompt that arrives among running streams, read in pieces of the present size against smaller ones.

    Attributes:
        prompt_tokens: of the prompt.
        streams: that decode meanwhile.
        depth: tokens that each of them starts with.
        before_tokens, after_tokens: prompt tokens per step as it is and as advised, none above the prompt.
        stall_s: longest pause that shall be kept.
        pause_s: what the longest pause is now, as the advice says it.
    """

    prompt_tokens: int
    streams: int
    depth: int
    before_tokens: int
    after_tokens: int
    stall_s: float
    pause_s: float


TrialPlan = SettingTrial | QuantiseTrial | PrefixTrial | SpeculateTrial | ChunkTrial
"""How one advice is tried."""


class Outcome(StrEnum):
    """What an experiment says about one phase."""

    HELPS = marked("helps")
    HURTS = marked("hurts")
    SAME = marked("no difference")
    UNSURE = marked("not decided")


@dataclass(frozen=True, slots=True)
class Pair:
    """One phase both ways; the two tuples hold one value per round, in the order they were measured.

    Attributes:
        what: the work that was timed ("pp512", "128 tokens of repetitive text").
        before_s: seconds as it is, above 0.
        after_s: seconds as advised, above 0, as many.
    """

    phase: Phase
    what: str
    before_s: tuple[float, ...]
    after_s: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.before_s or len(self.before_s) != len(self.after_s):
            raise ValueError("an experiment needs as many values of either way, and at least one")
        if min(*self.before_s, *self.after_s) <= 0:
            raise ValueError("seconds must be above 0")

    @property
    def ratios(self) -> tuple[float, ...]:
        """Seconds as advised ÷ as it is, by rounds: what disturbs a whole round cancels out."""
        return tuple(after / before for before, after in zip(self.before_s, self.after_s, strict=True))

    @property
    def ratio(self) -> float:
        """Median over the rounds; below 1 where the advice saves time."""
        return median(self.ratios)

    @property
    def interval(self) -> tuple[float, float]:
        """Where the ratio lies: 95 % from six rounds on, the whole range below."""
        return median_interval(self.ratios) or (min(self.ratios), max(self.ratios))

    @property
    def outcome(self) -> Outcome:
        """Helps or hurts only where the whole interval says so and the median is worth speaking of."""
        low, high = self.interval
        near = low >= 1 - SURE_WITHIN and high <= 1 + SURE_WITHIN
        if len(self.ratios) < LEAST_ROUNDS or (low <= 1 <= high and not near):
            return Outcome.UNSURE
        if abs(self.ratio - 1) < SAME_WITHIN or low <= 1 <= high:
            return Outcome.SAME
        return Outcome.HELPS if self.ratio < 1 else Outcome.HURTS


@dataclass(frozen=True, slots=True)
class Quality:
    """How far a quantised model strays from its source on a fixed text.

    Attributes:
        mean_kld: mean Kullback-Leibler divergence per token, natural logarithm, at least 0.
        kld_error: its standard error.
        same_top: share of positions with the same most probable token, 0 to 1.
        perplexity_before: of the source on that text.
        perplexity_after: of the quantised one.
        tokens: positions compared.
        text: name of the text.
        ended: why the comparison ended before its time, a sentence; empty where it did not.
    """

    mean_kld: float
    kld_error: float
    same_top: float
    perplexity_before: float
    perplexity_after: float
    tokens: int
    text: str
    ended: str = ""


@dataclass(frozen=True, slots=True)
class Speculated:
    """What guessing did.

    Attributes:
        accepted: share of guessed tokens that were right, 0 to 1.
        tokens_per_step: tokens that each step of the large model gave, at least 1.
        step_s: (tokens, median seconds of a step of so many), by tokens; empty where they were not measured.
        draft_cost: seconds of one guess in steps of one token; 0 for n-grams.
    """

    accepted: float
    tokens_per_step: float
    step_s: tuple[tuple[int, float], ...] = ()
    draft_cost: float = 0.0


@dataclass(frozen=True, slots=True)
class StallCheck:
    """Whether a stall budget was kept.

    Attributes:
        budget_s: longest pause that shall be.
        worst_before_s, worst_after_s: median over the rounds of the longest gap of a running stream, both ways.
        first_token_before_s, first_token_after_s: median time until the prompt's own first token.
    """

    budget_s: float
    worst_before_s: float
    worst_after_s: float
    first_token_before_s: float
    first_token_after_s: float

    @property
    def kept(self) -> bool:
        """Whether the advised way keeps the budget."""
        return self.worst_after_s <= self.budget_s


_NOT_PART: Final = Unknown(marked("not part of this experiment"), Missing.NOT_APPLICABLE)


@dataclass(frozen=True, slots=True)
class Trial:
    """An experiment that was made, kept whether it helped or not.

    Attributes:
        advice: id of the advice.
        before: what was set as it is, in words.
        after: what was set as advised, in words.
        pairs: one per phase that was compared.
        conditions: the worse stamp of both ways, with all reasons.
        notes: sentences that belong to the result (what was left out, and why).
        created_at: ISO 8601 with zone.
        plan: what was tried; None only until whoever began the experiment has set it.
    """

    advice: str
    before: str
    after: str
    pairs: tuple[Pair, ...]
    conditions: Conditions
    created_at: str
    quality: Fact[Quality] = _NOT_PART
    speculated: Fact[Speculated] = _NOT_PART
    stall: Fact[StallCheck] = _NOT_PART
    notes: tuple[str, ...] = ()
    plan: TrialPlan | None = None

    @property
    def rounds(self) -> int:
        """Whole rounds, 0 where nothing was compared."""
        return min((len(pair.before_s) for pair in self.pairs), default=0)

    @property
    def believed(self) -> bool:
        """Whether its figures may stand in place of a prediction."""
        return not self.doubt

    @property
    def doubt(self) -> str:
        """Why they may not, a clause; empty where they may."""
        if not self.pairs:
            return tr("nothing could be compared")
        if self.conditions.stamp is Stamp.INVALID:
            return "; ".join(self.conditions.because)
        return "" if self.rounds >= LEAST_ROUNDS else tr("fewer than three rounds tell nothing")

    def pair(self, phase: Phase) -> Pair | None:
        """The comparison of one phase; None where it was not part of the experiment."""
        return next((pair for pair in self.pairs if pair.phase is phase), None)
