"""Speculative decoding with a draft model that the user has picked: predicted from both models' kernel tables."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.phrases import guesses, tokens
from advisor.benchmarks.trials.model import SpeculateTrial
from advisor.ceilings.kernels import KernelTable
from advisor.ceilings.predict import decode_step
from advisor.ceilings.speculation import StepCosts, best_draft
from advisor.core.errors import BadFile, UsageError
from advisor.core.evidence import Basis, Known
from advisor.core.numbers import percent, times, times_range
from advisor.core.translation import marked, tr
from advisor.gguf.model import ModelFacts
from advisor.gguf.readable import readable
from advisor.recommendations import speculate
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice
from advisor.recommendations.saving import from_factors

VOCABULARY_DIFFERENCE: Final = 128
"""Tokens by which two vocabularies of one family may differ at their ends, as llama.cpp allows; the engine then
compares the words themselves."""

PUBLISHED_COSTS: Final = StepCosts(((1, 1.0), (speculate.DRAFT + 1, speculate.STEP_MIDDLE)))
"""Cost of steps where it is not measured here."""

HINT: Final = marked("Choose the GGUF file of a much smaller model of the same family and generation.")


@dataclass(frozen=True, slots=True)
class Drafter:
    """A small model that shall guess.

    Attributes:
        model: its header's facts.
        kernels: its operations on this machine; None where they could not be measured.
    """

    model: ModelFacts
    kernels: KernelTable | None


def check(draft: ModelFacts, model: ModelFacts) -> None:
    """Raise for what the headers alone rule out; the engine compares the vocabularies themselves.

    Raises:
        BadFile: it writes no text, or has another vocabulary.
        UsageError: it is as large as the model, so that nothing could be gained.
    """
    name = readable(draft.path.name)
    if not draft.has_decode:
        raise BadFile(tr("{name} cannot write text, so it cannot guess for another model.", name=name), tr(HINT))
    sizes = [each.vocabulary.or_none() for each in (model, draft)]
    if None not in sizes and abs((sizes[0] or 0) - (sizes[1] or 0)) > VOCABULARY_DIFFERENCE:
        raise BadFile(
            tr("{name} cannot guess for this model: its vocabulary has {own}, the model's {other}.",
               name=name, own=tokens(sizes[1] or 0), other=tokens(sizes[0] or 0)), tr(HINT),
        )  # fmt: skip
    if draft.weights_bytes >= model.weights_bytes:
        raise UsageError(tr("{name} is not smaller than the model, so its guesses cannot save time.", name=name),
                         tr(HINT))


def predict(evidence: Evidence, drafter: Drafter) -> Advice:
    """The advice to let that model guess, with its range; also where it will probably lose, since it is to be tried."""
    costs = speculate.step_costs_here(evidence)
    measured = _draft_cost(evidence, drafter)
    cost = _by_bytes(evidence, drafter) if measured is None else measured
    work, curve = speculate.DRAFTED, costs or PUBLISHED_COSTS
    best = best_draft(work.middle, cost, curve, speculate.LONGEST if costs else speculate.DRAFT).n_draft
    held = speculate.of_length(best or speculate.DRAFT, work, cost, curve)
    saving = from_factors(evidence.timeline.stream_s, held.low, held.middle, held.high)
    name = readable(drafter.model.path.name)
    return Advice(
        id=speculate.ID,
        phase=Phase.DECODE,
        title=title(drafter.model.path),
        detail=tr(
            "{name} guesses {tokens}, and the model checks them in one step: decode {gain} as fast.",
            name=name, tokens=tokens(held.n_draft), gain=times_range(held.low, held.high),
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=speculate.how_to(by_text=False, n_draft=held.n_draft, draft=name),
        cost=tr("memory for the second model and its cache; slower where guesses fail; the answers stay the same"),
        undo=tr("leave the option out"),
        evidence="; ".join((
            tr("One guess costs {share} of a step by the bytes of both files", share=percent(cost))
            if measured is None
            else tr("One guess costs {share} of a step by the operations of both models, measured here",
                    share=percent(cost)),
            _checking_words(held.n_draft, times(curve(held.n_draft + 1)), here=costs is not None),
            tr("guesses assumed to be right in {low} to {high} of cases.",
               low=percent(work.low), high=percent(work.high)),
        )),
        trial=SpeculateTrial(held.n_draft, drafter.model.path, evidence.writing_depth_tokens),
    )


def title(draft: Path) -> str:
    """The advice in the imperative."""
    return tr("Try speculative decoding with {draft}", draft=readable(draft.name))


def _checking_words(n_draft: int, cost: str, *, here: bool) -> str:
    if here:
        return tr("checking {guesses} costs {times} a step of one token", guesses=guesses(n_draft), times=cost)
    return tr(
        "checking {guesses} costs {times} a step of one token on other machines", guesses=guesses(n_draft), times=cost
    )


def _draft_cost(evidence: Evidence, drafter: Drafter) -> float | None:
    """One guess in steps of the large model, in the middle of the answer; None where a kernel table lacks something."""
    table, depth = evidence.kernels(Phase.DECODE), evidence.writing_depth_tokens
    if table is None or drafter.kernels is None:
        return None
    one = decode_step(evidence.model, table, depth=depth)
    guess = decode_step(drafter.model, drafter.kernels, depth=depth)
    if not isinstance(one, Known) or not isinstance(guess, Known):
        return None
    return guess.value.total_s / one.value.total_s


def _by_bytes(evidence: Evidence, drafter: Drafter) -> float:
    flows = drafter.model.traffic.or_none(), evidence.traffic
    if flows[0] is not None and flows[1] is not None:
        return flows[0].bytes_per_token() / flows[1].bytes_per_token()
    return drafter.model.weights_bytes / evidence.model.weights_bytes
