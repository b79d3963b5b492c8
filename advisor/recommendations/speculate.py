"""Speculative decoding: guess several tokens and check them in one step, where a step of several costs little more."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.phrases import guesses, tokens
from advisor.benchmarks.trials.model import SpeculateTrial
from advisor.ceilings.speculation import StepCosts, best_draft, lowest_break_even, predicted_costs, speed_up
from advisor.core.evidence import Basis
from advisor.core.numbers import count, percent, times, times_range
from advisor.core.translation import tr
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import from_factors
from advisor.servers.facts import ServerKind
from advisor.servers.flags import NGRAM, Aim, command

ID: Final = "speculate"

DRAFT: Final = 3
"""Tokens guessed per step where the cost of a step is not measured: llama.cpp's default (``--spec-draft-n-max``)."""

LONGEST: Final = 16
"""Longest draft that is advised: what guesses are worth further on no published figure says."""



@dataclass(frozen=True, slots=True)
class Acceptance:
    """Probability that a guessed token is right: low, middle, high."""

    low: float
    middle: float
    high: float


GROUNDED: Final = Acceptance(0.2, 0.65, 0.85)
"""Answers that quote their prompt (documents, code): prompt look-up gained 2 to 4 times on such work (physics.md 4),
and so many tokens a step mean that 0.5 to 0.75 of long drafts are right (eq. 15), in the middle 0.65. A program written
again with a small change reaches 0.7 to 0.86 (our own text, any length of draft)."""

CAUTIOUS: Final = 0.5
"""Right guesses of quoting answers where not even the cost of steps is measured here: what gained twice."""

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

COST_UNSURE: Final = 0.25
"""How far the cost of a step that is put together from single operations may be off, as a share of it; 10 to 25 % were
seen (docs/accuracy.md)."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What guessing would do to decode on this work.

    Attributes:
        n_draft: tokens to guess per step; 0 where no length gains.
        low, middle, high: speed with guessing over speed without.
        costs: of steps of several tokens; None where they are only published figures of other machines.
        draft_cost: of one guess, in steps of the large model.
    """

    n_draft: int
    low: float
    middle: float
    high: float
    costs: StepCosts | None
    draft_cost: float = 0.0

    @property
    def break_even(self) -> float | None:
        """Share of right guesses from which any length gains; None where none does or costs are not known."""
        return None if self.costs is None else lowest_break_even(self.draft_cost, self.costs, LONGEST)


def predict(evidence: Evidence) -> Advice | None:
    """A range from the cost of steps of several tokens here; nothing where it would lose, or may well.

    Without measured kernels nothing is promised for several people at once or a mixture of experts: published runs
    lost there.
    """
    held = outlook(evidence)
    if evidence.faulty or held is None or held.middle < WORTH_FROM:
        return None
    saving = from_factors(evidence.timeline.stream_s, held.low, held.middle, held.high)
    by_text = grounded(evidence)
    guessed, gain = tokens(held.n_draft), times_range(held.low, held.high)
    return Advice(
        id=ID,
        phase=Phase.DECODE,
        title=(
            tr("Try speculative decoding from repeated text")
            if by_text
            else tr("Try speculative decoding with a small draft model")
        ),
        detail=(
            tr("Guesses {tokens} from text seen before and checks them in one step: decode {gain} as fast. It can "
               "lose: measure it here.", tokens=guessed, gain=gain)
            if by_text
            else tr("Guesses {tokens} with a small model of the family and checks them in one step: decode {gain} as "
                    "fast. It can lose: measure it here.", tokens=guessed, gain=gain)
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=how_to(by_text, held.n_draft),
        cost=tr("more arithmetic per token; slower where guesses fail; the answers stay the same"),
        undo=tr("leave the option out"),
        evidence=_evidence(evidence, held, by_text),
        # a draft model is a file that only the user can choose (``drafting``)
        trial=SpeculateTrial(held.n_draft, depth_tokens=evidence.writing_depth_tokens) if by_text else None,
    )


def outlook(evidence: Evidence) -> Outlook | None:
    """What guessing would do; None where neither kernels nor both phases are measured, or nothing could guess."""
    if not grounded(evidence) and evidence.model.weights_bytes < DRAFTABLE_FROM_BYTES:
        return None
    costs = step_costs_here(evidence)
    if costs is None:
        return _published(evidence)
    work, cost = assumed(evidence)
    return of_length(best_draft(work.middle, cost, costs, LONGEST).n_draft, work, cost, costs)


def of_length(n_draft: int, work: Acceptance, draft_cost: float, costs: StepCosts) -> Outlook:
    """What drafts of that length would do, as far as the cost of steps and the share of right guesses are known."""
    low, middle, high = (
        speed_up(right, n_draft, draft_cost, verify) for right, verify in (
            (work.low, costs.off_by(COST_UNSURE)), (work.middle, costs), (work.high, costs.off_by(-COST_UNSURE))
        )
    )  # fmt: skip
    return Outlook(n_draft, low, middle, high, costs, draft_cost)


def step_costs_here(evidence: Evidence, users: int | None = None) -> StepCosts | None:
    """v(n) from the kernel table in the middle of the answer, for all ``users`` at once unless told otherwise."""
    table = evidence.kernels(Phase.DECODE)
    if table is None:
        return None
    streams = evidence.workload.users if users is None else users
    return predicted_costs(evidence.model, table, evidence.writing_depth_tokens, streams).or_none()


def assumed(evidence: Evidence) -> tuple[Acceptance, float]:
    """How often guesses are assumed to be right for this work, and what one costs in steps of the large model."""
    return (GROUNDED, 0.0) if grounded(evidence) else (DRAFTED, DRAFT_COST)


def grounded(evidence: Evidence) -> bool:
    """Whether answers of this work repeat their prompt."""
    return evidence.workload.id in GROUNDED_WORK


def is_mixture(evidence: Evidence) -> bool:
    """Whether each token wakes other weights, so that a step of several tokens reads more of them."""
    traffic = evidence.traffic
    return traffic is not None and traffic.experts > 0


def _published(evidence: Evidence) -> Outlook | None:
    """From the measured spare arithmetic and published costs of a step (physics.md eq. 17).

    A step of n tokens costs at least ``n / spare`` where arithmetic hides behind reading, else ``1 + (n - 1) / spare``,
    and never less than published curves show.
    """
    spare = evidence.spare_compute
    if spare is None or spare <= 0 or evidence.workload.users > 1 or is_mixture(evidence):
        return None
    work, cost = assumed(evidence)
    middle = min(work.middle, CAUTIOUS) if grounded(evidence) else work.middle
    apart = 1.0 + DRAFT / spare
    steps = max(STEP_HIGH, apart), max(STEP_MIDDLE, apart), max(STEP_LOW, (DRAFT + 1) / spare)
    slow, usual, fast = (
        speed_up(right, DRAFT, cost, lambda _tokens, step=step: step)  # type: ignore[misc]
        for right, step in zip((work.low, middle, work.high), steps, strict=True)
    )
    return Outlook(DRAFT, max(WORST, slow), usual, max(fast, usual), None)


def _evidence(evidence: Evidence, held: Outlook, by_text: bool) -> str:
    work, _ = assumed(evidence)
    low, high = percent(work.low), percent(work.high)
    if held.costs is None:
        spare = evidence.spare_compute
        assert spare is not None
        return tr(
            "Prefill runs {spare} as fast as decode here, so that arithmetic is spare; a step of {n} tokens assumed to "
            "cost {cost} one of a single token, guesses assumed to be right in {low} to {high} of cases.",
            spare=times(spare), n=DRAFT + 1, cost=times_range(STEP_LOW, STEP_HIGH), low=low, high=high,
        )  # fmt: skip
    users, even = evidence.workload.users, held.break_even
    said = tr(
        "By the engine's own operations, measured here, checking {guesses} costs {times} a step of one "
        "token{people}{experts}; guesses assumed to be right in {low} to {high} of cases{gains}.",
        guesses=guesses(held.n_draft), times=times(held.costs(held.n_draft + 1)), low=low, high=high,
        people=tr(", {n} people at once", n=count(users)) if users > 1 else "",
        experts=tr(", the further experts that they wake included") if is_mixture(evidence) else "",
        gains="" if even is None else tr("; it gains from {share} on", share=percent(even)),
    )  # fmt: skip
    if by_text:
        return said
    drafted = tr(" One guess of the small model is assumed to cost {share} of a step.", share=percent(DRAFT_COST))
    return f"{said}{drafted}"


def how_to(by_text: bool, n_draft: int, draft: str = "DRAFT.gguf") -> tuple[HowTo, ...]:
    """Names as of llama.cpp's and vLLM's documents of November 2026."""
    none = HowTo("Ollama", tr("It has no such setting."))
    by_repetition, by_model = (
        tr("Guess from repeated text; no second model."), tr("A small model with the same vocabulary guesses.")
    )
    if by_text:
        ngram = min(NGRAM, n_draft)  # llama.cpp drops drafts shorter than the tokens that must agree
        return (
            HowTo("llama-server", by_repetition, command(ServerKind.LLAMA_SERVER, Aim.SPECULATE, n_draft, ngram)),
            HowTo("llama-cpp-python", tr("Give the model a look-up decoder (llama_cpp.llama_speculative)."),
                  f"LlamaPromptLookupDecoding(max_ngram_size={ngram}, num_pred_tokens={n_draft})"),
            HowTo("vLLM", by_repetition, command(ServerKind.VLLM, Aim.SPECULATE, n_draft, ngram)),
            HowTo("LM Studio", tr("It guesses with a second model only: “Speculative Decoding” beside the model.")),
            none,
        )
    return (
        HowTo("llama-server", by_model,
              f"llama-server --spec-type draft-simple -md {draft} --spec-draft-n-max {n_draft}"),
        HowTo("LM Studio", tr("Choose a small model of the same family under “Speculative Decoding”.")),
        HowTo("vLLM", by_model,
              f'vllm serve MODEL --speculative-config \'{{"method": "draft_model", "model": "DRAFT", '
              f'"num_speculative_tokens": {n_draft}}}\''),
        none,
    )
