"""What an experiment makes of an advice: measured seconds in place of predicted ones; pure."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from advisor.benchmarks.model import Phase, TestSpec
from advisor.benchmarks.trials.model import (
    Arm,
    ChunkTrial,
    Outcome,
    Pair,
    PrefixTrial,
    QuantiseTrial,
    SettingTrial,
    SpeculateTrial,
    Trial,
    TrialPlan,
)
from advisor.core.dates import day
from advisor.core.evidence import Basis
from advisor.core.numbers import count, seconds, seconds_range
from advisor.core.stats import median
from advisor.core.translation import tr, trn
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, WontHelp
from advisor.recommendations.saving import within

SAME_SHARE: Final = 0.05
"""Shares of a prompt that differ by no more than five points are the same experiment: a saving moves as little."""
SAME_DEPTH: Final = 2.0
SHALLOW: Final = 512
"""Depths count as alike within a factor of two, and all of those below 512 tokens do: attention is a small part."""


def apply(advice: Advice, trial: Trial, evidence: Evidence) -> Advice:
    """The advice with what was measured: the ratio of each phase on what that phase costs in this workload as tried.

    A trial that must not be believed, or decided nothing, leaves the prediction as it is and only tells of itself.
    """
    if not trial.believed:
        said = tr(
            "{evidence} It was tried here, and the figures are not to be believed: {why}.",
            evidence=advice.evidence, why=trial.doubt,
        )  # fmt: skip
        return replace(advice, tried=trial, evidence=said)
    if {pair.outcome for pair in trial.pairs} == {Outcome.UNSURE}:
        said = tr(
            "{evidence} It was tried here, and the rounds differed too much to decide.", evidence=advice.evidence
        )
        return replace(advice, tried=trial, evidence=said)
    other = _other(advice.phase)
    own, beside = trial.pair(advice.phase), trial.pair(other)
    if own is not None:
        pause = isinstance(trial.plan, ChunkTrial)
        whole_s = median(own.before_s) if pause else cost_s(advice, evidence)
        low, high = own.interval
        saving = within(whole_s, whole_s * (1 - high), whole_s * (1 - own.ratio), whole_s * (1 - low))
        advice = replace(
            advice,
            saved_s=saving.middle_s,
            saved_s_low=saving.low_s,
            saved_s_high=saving.high_s,
            basis=Basis.MEASURED,
            evidence=_told(trial),
        )
    if beside is not None:
        lost = beside.outcome in (Outcome.SAME, Outcome.UNSURE)
        other_s = 0.0 if lost else _as_tried_s(advice, evidence, other) * (1 - beside.ratio)
        advice = replace(advice, other_saved_s=other_s)
    return replace(advice, tried=trial)


def cost_s(advice: Advice, evidence: Evidence) -> float:
    """Seconds that a trial's ratio is of: what its phase costs, or the longest pause where the advice shortens that."""
    return advice.trial.pause_s if isinstance(advice.trial, ChunkTrial) else _as_tried_s(advice, evidence, advice.phase)


def _as_tried_s(advice: Advice, evidence: Evidence, phase: Phase) -> float:
    """What the phase costs at the depth at which the advice is tried; another file is tried with the measured tests."""
    file = isinstance(advice.trial, QuantiseTrial)
    return evidence.cost_as_measured_s(phase) if file else evidence.cost_s(phase)


def outcome(advice: Advice) -> Outcome | None:
    """What trying it showed for the request as a whole; None where it was not tried, or must not be believed."""
    if advice.tried is None or not advice.tried.believed:
        return None
    said = {pair.outcome for pair in advice.tried.pairs}
    if said <= {Outcome.SAME, Outcome.UNSURE}:
        return Outcome.UNSURE if Outcome.UNSURE in said else Outcome.SAME
    if Outcome.HURTS not in said:
        return Outcome.HELPS
    saved_s = advice.saved_s + advice.other_saved_s
    return Outcome.HELPS if Outcome.HELPS in said and saved_s > 0 else Outcome.HURTS


def wont_help(advice: Advice) -> WontHelp:
    """An advice that hurt when it was tried, as something that will not help, with its number."""
    assert advice.tried is not None
    hurt = [pair for pair in advice.tried.pairs if pair.outcome is Outcome.HURTS]
    lost_s = -(advice.saved_s + advice.other_saved_s)
    lost = seconds(lost_s) if lost_s > 0 else ""
    if len(advice.tried.pairs) == 1 and advice.saved_s_high < 0:
        lost = seconds_range(-advice.saved_s_high, -advice.saved_s_low)
    sentence = (
        tr("{title}: tried here, it costs {time} {per}.", title=advice.title, time=lost, per=tr(advice.saves_what))
        if lost
        else tr("{title}: tried here, it saves nothing.", title=advice.title)
    )
    return WontHelp(advice.id, sentence, _told(advice.tried, hurt))


def newest(advice: Advice, trials: tuple[Trial, ...]) -> Trial | None:
    """The newest trial that answers this advice; None where none does."""
    fitting = (trial for trial in reversed(trials) if trial.advice == advice.id and _answers(trial.plan, advice.trial))
    return next(fitting, None)


def _answers(then: TrialPlan | None, now: TrialPlan | None) -> bool:
    """Whether an experiment answers what would be tried; of speculation also one with a model that the user picked."""
    by_choice = isinstance(then, SpeculateTrial) and then.draft is not None
    return (by_choice and not (isinstance(now, SpeculateTrial) and now.draft is not None)) or same(now, then)


def same(now: TrialPlan | None, then: TrialPlan | None) -> bool:
    """Whether an experiment answers what would be tried now, so that its ratios hold for another workload.

    Settings, file and method must be the same. Lengths may differ as long as the work as advised is the same share
    of the work as it is, within ``SAME_SHARE``, and the depth is alike: then the ratio of the seconds is the same
    but for what attention adds. Otherwise the advice is a prediction again.
    """
    match now, then:
        case SettingTrial(), SettingTrial():
            return _same_arm(now.before, then.before) and _same_arm(now.after, then.after) and _same_share(now, then)
        case QuantiseTrial(), QuantiseTrial():
            return now.to == then.to
        case PrefixTrial(), PrefixTrial():
            shares = (plan.shared_tokens / max(1, plan.prompt_tokens) for plan in (now, then))
            return _close(*shares)
        case SpeculateTrial(), SpeculateTrial():
            guessing = now.n_draft == then.n_draft and _name(now.draft) == _name(then.draft)
            return guessing and _near(now.depth_tokens, then.depth_tokens)
        case ChunkTrial(), ChunkTrial():
            sizes = (now.before_tokens, now.after_tokens) == (then.before_tokens, then.after_tokens)
            return sizes and now.streams == then.streams
    return False


def _same_arm(one: Arm, two: Arm) -> bool:
    alike = one.placement == two.placement and _name(one.model) == _name(two.model)
    return alike and list(map(_setting, one.tests)) == list(map(_setting, two.tests))


def _setting(spec: TestSpec) -> TestSpec:
    """The test without its lengths."""
    depth = 0 if spec.n_depth <= SHALLOW else 1
    return replace(spec, n_prompt=min(spec.n_prompt, 1), n_gen=min(spec.n_gen, 1), n_depth=depth)


def _same_share(now: SettingTrial, then: SettingTrial) -> bool:
    def shares(plan: SettingTrial) -> list[float]:
        pairs = zip(plan.before.tests, plan.after.tests, strict=False)
        return [after.tokens / max(1, before.tokens) for before, after in pairs]

    def depths(plan: SettingTrial) -> list[int]:
        return [spec.n_depth for arm in (plan.before, plan.after) for spec in arm.tests]

    alike = all(_close(one, two) for one, two in zip(shares(now), shares(then), strict=True))
    return alike and all(_near(one, two) for one, two in zip(depths(now), depths(then), strict=True))


def _near(one: int, two: int) -> bool:
    """Depths at which attention takes a similar part."""
    few, many = sorted(max(SHALLOW, depth) for depth in (one, two))
    return many <= SAME_DEPTH * few


def _close(one: float, two: float) -> bool:
    return abs(one - two) <= SAME_SHARE


def _name(path: Path | None) -> str:
    """Files are compared by name: results leave their folders out."""
    return path.name if path is not None else ""


def _other(phase: Phase) -> Phase:
    return Phase.DECODE if phase is Phase.PREFILL else Phase.PREFILL


def _told(trial: Trial, pairs: Sequence[Pair] = ()) -> str:
    """The measured figures of a trial, one sentence."""
    shown = [
        f"{pair.what} {_middle(pair.before_s)} → {_middle(pair.after_s)}" for pair in pairs or trial.pairs
    ]
    return trn(
        "Tried here on {day}, {n}\u00a0round by turns, {before} against {after}: {figures}.",
        "Tried here on {day}, {n}\u00a0rounds by turns, {before} against {after}: {figures}.",
        trial.rounds,
        day=day(trial.created_at), n=count(trial.rounds), before=trial.before, after=trial.after,
        figures="; ".join(shown),
    )  # fmt: skip


def _middle(values: tuple[float, ...]) -> str:
    return seconds(median(values))
