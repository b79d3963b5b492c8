"""All advice for one diagnosis, most seconds saved first."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from advisor.benchmarks.trials.model import Outcome, SettingTrial, SpeculateTrial, Trial
from advisor.diagnosis.model import Problem
from advisor.recommendations import (
    add_gpu,
    batch,
    chunk_prefill,
    close_program,
    cool_down,
    drafting,
    engine_build,
    faster_memory,
    find_fault,
    flash_attention,
    kv_type,
    offload,
    plug_in,
    quantise,
    reuse_prefix,
    second_gpu,
    shorten_prompt,
    speculate,
    threads,
    tried,
    ubatch,
    use_gpu,
)
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.ledger import NO_LEDGER, Ledger, widened
from advisor.recommendations.model import PER_REQUEST, PER_TURN, Advice, WontHelp

ADVICE: Final[tuple[Callable[[Evidence], Advice | None], ...]] = (
    shorten_prompt.predict,
    reuse_prefix.predict,
    use_gpu.predict,
    offload.predict,
    add_gpu.predict,
    second_gpu.predict,
    quantise.predict,
    speculate.predict,
    threads.predict,
    ubatch.predict,
    flash_attention.predict,
    kv_type.predict,
    faster_memory.predict,
    batch.predict,
    chunk_prefill.predict,
    engine_build.predict,
    find_fault.predict,
    close_program.predict,
    cool_down.predict,
    plug_in.predict,
)

IDS: Final = frozenset({
    shorten_prompt.ID, reuse_prefix.ID, use_gpu.ID, offload.ID, add_gpu.ID, second_gpu.ID, quantise.ID, speculate.ID,
    threads.ID, ubatch.ID, flash_attention.ID, kv_type.ID, faster_memory.ID, batch.ID, chunk_prefill.ID,
    engine_build.ID, find_fault.ID, close_program.ID, cool_down.ID, plug_in.ID,
})  # fmt: skip
"""Names of all advice that there is."""

NOTICEABLE_S: Final = 0.1
"""A tenth of a second feels instant (Nielsen): saving less changes nothing for anybody."""

NOTICEABLE_SHARE: Final = 0.01
"""Less than one per cent of the request drowns in the spread of any measurement."""

FIRST: Final = (find_fault.ID, plug_in.ID, close_program.ID)
"""They change every other figure, so they come before what was computed from these."""


@dataclass(frozen=True, slots=True)
class Advised:
    """All advice for one diagnosis.

    Attributes:
        advice: what to do, most seconds saved first.
        in_vain: what lost time when it was tried.
    """

    advice: tuple[Advice, ...]
    in_vain: tuple[WontHelp, ...]


def advise(evidence: Evidence, trials: tuple[Trial, ...] = (), ledger: Ledger = NO_LEDGER) -> Advised:
    """What to do, most seconds saved on this workload first, and what lost time when it was tried.

    What was tried here counts with its measured seconds, and stays in the list where it made no difference, so that
    this is seen. Never something to buy while something is wrong or the figures are not to be believed, and nothing
    that may cost time where nobody has a problem.
    """
    found = [weighed(advice, evidence, trials, ledger) for advice in predictions(evidence)]
    floor_s = max(NOTICEABLE_S, NOTICEABLE_SHARE * evidence.timeline.total_s)
    nothing_to_buy = evidence.faulty or evidence.unreliable
    comfortable = evidence.verdict.problem is Problem.NONE
    useful = rank(
        advice
        for advice in found
        if _is_worth_saying(advice, floor_s)
        and not (nothing_to_buy and advice.costs_money)
        and not (comfortable and _may_lose(advice))
    )
    hurt = tuple(tried.wont_help(advice) for advice in found if tried.outcome(advice) is Outcome.HURTS)
    return Advised(useful, hurt)


def predictions(evidence: Evidence) -> tuple[Advice, ...]:
    """Every prediction that the evidence allows, those that save nothing included: what loses can be tried, too."""
    found = (predict(evidence) for predict in ADVICE)
    return tuple(_tryable(_of_what(advice, evidence), evidence) for advice in found if advice is not None)


def _tryable(advice: Advice, evidence: Evidence) -> Advice:
    """Without its trial where the engine can only run settings."""
    alike = advice.trial is None or isinstance(advice.trial, SettingTrial)
    return advice if alike or evidence.own_worker else replace(advice, trial=None)


def _of_what(advice: Advice, evidence: Evidence) -> Advice:
    """A chat's evidence is that of its average turn (``diagnosis/average_turn.py``)."""
    if not evidence.is_chat or advice.saves_what != PER_REQUEST:
        return advice
    return replace(advice, saves_what=PER_TURN)


def weighed(advice: Advice, evidence: Evidence, trials: tuple[Trial, ...], ledger: Ledger) -> Advice:
    """A prediction as it is shown: answered by the newest trial that fits, else as wide as its record here demands."""
    trial = tried.newest(advice, trials)
    if trial is not None and isinstance(trial.plan, SpeculateTrial) and trial.plan.draft is not None:
        advice = replace(advice, title=drafting.title(trial.plan.draft))
    if trial is not None and trial.believed:
        return tried.apply(advice, trial, evidence)
    advice = widened(advice, tried.cost_s(advice, evidence), ledger)
    return advice if trial is None else tried.apply(advice, trial, evidence)


def _is_worth_saying(advice: Advice, floor_s: float) -> bool:
    found = tried.outcome(advice)
    if found is not None:
        return found is not Outcome.HURTS
    return advice.saved_s > 0 and (advice.id in FIRST or advice.saved_s + advice.other_saved_s >= floor_s)


def _may_lose(advice: Advice) -> bool:
    """Whether the request may take longer with it; what was tried here has shown that it does not."""
    return advice.tried is None and advice.id not in FIRST and advice.saved_s_low + min(0.0, advice.other_saved_s) < 0


def rank(advice: Iterable[Advice]) -> tuple[Advice, ...]:
    """Advice by seconds saved in its phase, ties by id, independent of the order it comes in.

    What must be put right before any other figure counts (a fault, a saving profile) stands first.
    """
    return tuple(sorted(advice, key=lambda one: (one.id not in FIRST, -one.saved_s, one.id)))
