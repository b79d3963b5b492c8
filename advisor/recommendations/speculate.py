"""Speculative decoding: guess several tokens and check them in one step, where a step of several costs little more."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Basis
from advisor.core.numbers import percent, times, times_range
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import from_factors

ID: Final = "speculate"

DRAFT: Final = 3
"""Tokens guessed per step, llama.cpp's default (``--spec-draft-n-max``)."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Probability that a guessed token is right: low, middle, high."""

    low: float
    middle: float
    high: float


GROUNDED: Final = Acceptance(0.2, 0.5, 0.8)
"""Answers that quote their prompt (documents, code): prompt look-up gained 2 to 4 times on such work (physics.md 4)."""

DRAFTED: Final = Acceptance(0.35, 0.6, 0.8)
"""A small model of the same family guessing free text: 36 and 72 % in published runs (case D11), 80 % in good ones."""

DRAFT_COST: Final = 0.1
"""One guess of a small model in units of one step of the large one, for a model about a tenth of its size."""

DRAFTABLE_FROM_BYTES: Final = 3_000_000_000
"""Below this no model of the same family is small enough to guess cheaply."""

GROUNDED_WORK: Final = frozenset({"rag", "summarise", "coding"})

WORTH_FROM: Final = 1.15
"""A smaller middle gain is not worth the risk of losing."""

STEP_LOW: Final = 1.1
STEP_MIDDLE: Final = 1.5
STEP_HIGH: Final = 2.2
"""Cost of a step of four tokens in steps of one, published: 1.1, 1.4 and 2.2 on three machines (physics.md 3, curves b,
c and a). Many engines change to another kernel between one token and a few, which no roof shows."""

WORST: Final = 0.8
"""Losses published for look-up that finds nothing reach 19 % (physics.md 4); it then rarely guesses at all."""


def predict(evidence: Evidence) -> Advice | None:
    """A range from the spare arithmetic measured here; nothing for many users, mixtures and where it would lose."""
    low, middle, high = factors(evidence)
    traffic = evidence.traffic
    mixture = traffic is not None and traffic.experts > 0
    if evidence.workload.users > 1 or evidence.faulty or mixture or middle < WORTH_FROM:
        return None
    spare = evidence.spare_compute
    assert spare is not None
    saving = from_factors(evidence.timeline.stream_s, low, middle, high)
    grounded = _grounded(evidence)
    work = GROUNDED if grounded else DRAFTED
    return Advice(
        id=ID,
        phase=Phase.DECODE,
        title=f"Try speculative decoding {'from repeated text' if grounded else 'with a small draft model'}",
        detail=(
            f"Guesses {DRAFT} tokens {'from text seen before' if grounded else 'with a small model of the family'} "
            f"and checks them in one step: decode {times_range(low, high)} as fast. It can lose: measure it here."
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=_how(grounded),
        cost="more arithmetic per token; slower where guesses fail; the answers stay the same",
        undo="leave the option out",
        evidence=(
            f"Prefill runs {times(spare)} as fast as decode here, so that arithmetic is spare; a step of {DRAFT + 1} "
            f"tokens assumed to cost {times_range(STEP_LOW, STEP_HIGH)} one of a single token, guesses to be right in "
            f"{percent(work.low)} to {percent(work.high)} of cases."
        ),
    )


def factors(evidence: Evidence) -> tuple[float, float, float]:
    """Speed-ups (low, middle, high) for this work from the measured spare arithmetic; all 1 where it is unknown.

    ``S = tokens per step / (cost of the guesses + cost of a step)`` (physics.md eq. 17). A step of n tokens costs at
    least ``n / spare`` where arithmetic hides behind reading, else ``1 + (n - 1) / spare``, and never less than
    published curves show.
    """
    spare = evidence.spare_compute
    if spare is None or spare <= 0:
        return 1.0, 1.0, 1.0
    grounded = _grounded(evidence)
    if not grounded and evidence.model.weights_bytes < DRAFTABLE_FROM_BYTES:
        return 1.0, 1.0, 1.0
    work = GROUNDED if grounded else DRAFTED
    guesses = 0.0 if grounded else DRAFT * DRAFT_COST
    apart = 1.0 + DRAFT / spare
    costs = max(STEP_HIGH, apart), max(STEP_MIDDLE, apart), max(STEP_LOW, (DRAFT + 1) / spare)
    low, middle, high = (
        _tokens_per_step(right) / (guesses + cost)
        for right, cost in zip((work.low, work.middle, work.high), costs, strict=True)
    )
    return max(WORST, low), middle, max(high, middle)


def _grounded(evidence: Evidence) -> bool:
    return evidence.workload.id in GROUNDED_WORK


def _how(grounded: bool) -> tuple[HowTo, ...]:
    studio = HowTo("LM Studio", "Choose a small model of the same family under “Speculative Decoding”.")
    if grounded:
        return (
            HowTo("llama-server", "Guess from repeated text; no second model.",
                  f"llama-server --spec-type ngram-simple --spec-draft-n-max {DRAFT}"),
            studio,
        )
    return (
        HowTo("llama-server", "A small model with the same vocabulary guesses.",
              f"llama-server --spec-type draft-simple -md DRAFT.gguf --spec-draft-n-max {DRAFT}"),
        studio,
    )


def _tokens_per_step(acceptance: float) -> float:
    """Physics.md eq. 15."""
    if acceptance >= 1:
        return DRAFT + 1.0
    return float((1 - acceptance ** (DRAFT + 1)) / (1 - acceptance))
