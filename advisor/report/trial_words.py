"""Sentences and tables about trials and the ledger, shared by screen, terminal, Markdown and PDF."""

from typing import Final

from advisor.benchmarks.trials.model import Outcome, Pair, Trial
from advisor.core.evidence import Known, Missing, Unknown
from advisor.core.stats import median
from advisor.recommendations.ledger import Ledger
from advisor.recommendations.model import Advice
from advisor.recommendations.tried import outcome
from advisor.report import formatting as f
from advisor.report import wording
from advisor.report.document import Document

TITLE: Final = "Tried here"
HEAD: Final = ("Advice", "Measured", "As it is", "As advised", "Change", "Rounds", "Stamp")


def tried_words(advice: Advice) -> str:
    """Words such as "Tried: saves 3.1 s (2.8–3.4 s), 5 rounds"; empty where it was not tried."""
    if advice.tried is None:
        return ""
    rounds = f.plural(advice.tried.rounds, "round")
    found = outcome(advice)
    if found is None:
        return f"Tried, but not to be believed: {advice.tried.doubt.split('; ')[0]}"
    if found is Outcome.SAME:
        return f"Tried: no difference, {rounds}"
    if found is Outcome.UNSURE:
        return f"Tried: not decided, the rounds differ too much, {rounds}"
    total_s = advice.saved_s + advice.other_saved_s
    if found is Outcome.HURTS:
        return f"Tried: {f'loses {f.seconds(-total_s)}' if total_s < 0 else 'saves nothing'}, {rounds}"
    ends = _range(advice) if len(advice.tried.pairs) == 1 and advice.tried.pair(advice.phase) else ""
    if total_s <= 0:
        return f"Tried: no difference, {rounds}"
    return f"Tried: saves {f.seconds(total_s)}{ends}{wording.of_what(advice)}, {rounds}"


def _range(advice: Advice) -> str:
    low_s, high_s = advice.saved_s_low, advice.saved_s_high
    if low_s < 0:
        return f" ({f.saving(advice.saved_s, low_s, high_s)})"
    return f" ({f.seconds_range(low_s, high_s)})" if f.seconds_range(low_s, high_s) != f.seconds(advice.saved_s) else ""


def record_words(ledger: Ledger, advice: Advice) -> str:
    """A sentence such as "Its predictions held in 7 of 9 tries here."; empty where it was never tried.

    What widens a range is how far the misses lay outside, not how many there were; it is said as what it is.
    """
    record = ledger.record(advice.id)
    if record is None:
        return ""
    said = f"Its predictions held in {f.count(record.held)} of {_tries(record.tries)} here"
    # What was tried stands with its measured range.
    wider = record.margin > 0 and outcome(advice) is None
    if not wider:
        return f"{said}."
    return f"{said}; as far as measurements lay outside, its range is wider by {f.percent(record.margin)} of the phase."


def ledger_words(ledger: Ledger) -> str:
    """The record of all advice together; empty where nothing was tried."""
    if not ledger.tries:
        return ""
    return f"Predictions of this program held in {f.count(ledger.held)} of {_tries(ledger.tries)} on this machine."


def _tries(number: int) -> str:
    return f.plural(number, "try", "tries")


def trial_rows(document: Document) -> list[tuple[str, ...]]:
    """One row per compared phase of each trial, cells in the order of ``HEAD``."""
    return [
        (trial.advice, pair.what, *_seconds(pair), change_words(pair), f.count(len(pair.before_s)),
         str(trial.conditions.stamp))
        for trial in document.trials for pair in trial.pairs
    ]  # fmt: skip


def _seconds(pair: Pair) -> tuple[str, str]:
    return f.seconds(median(pair.before_s)), f.seconds(median(pair.after_s))


def change_words(pair: Pair) -> str:
    """Words such as "−24 % (−26 to −22 %)" of the seconds, and that it is no difference where it is none."""
    low, high = pair.interval
    if pair.outcome in (Outcome.SAME, Outcome.UNSURE):
        return f"{pair.outcome} ({_change(low)} to {_change(high)})"
    return f"{_change(pair.ratio)} ({_change(low)} to {_change(high)})"


def _change(ratio: float) -> str:
    percents = (ratio - 1) * 100
    sign = f.MINUS if percents < 0 else "+"
    if round(percents, 1) == 0:
        return f.with_unit("0", "%")
    return f.with_unit(f"{sign}{abs(percents):.0f}" if abs(percents) >= 9.5 else f"{sign}{abs(percents):.1f}", "%")


def trial_sentences(document: Document) -> list[str]:
    """What belongs to the trials beside their seconds: what was set, stamps, quality, guessing, notes, the ledger."""
    said = [sentence for trial in document.trials for sentence in _of_trial(trial)]
    return [*said, *filter(None, [ledger_words(document.ledger) if document.trials else ""])]


def _of_trial(trial: Trial) -> list[str]:
    when = f", tried on {f.date_time(trial.created_at)}"
    said = [f"{trial.advice}: {trial.before} against {trial.after}, {f.plural(trial.rounds, 'round')} by turns{when}."]
    if trial.conditions.because:
        said.append(f"{f.capital(wording.conditions_words(trial.conditions))}.")
    if isinstance(trial.quality, Unknown) and trial.quality.kind is not Missing.NOT_APPLICABLE:
        said.append(f"Its quality is not known: {trial.quality.reason}.")
    if isinstance(trial.quality, Known):
        quality = trial.quality.value
        said.append(
            f"Quality on {quality.text}, {f.tokens(quality.tokens)}: the same most probable token in "
            f"{f.percent(quality.same_top)}, mean KL divergence {f.number(quality.mean_kld, quality.kld_error)} nats, "
            f"perplexity {f.number(quality.perplexity_before)} → {f.number(quality.perplexity_after)}."
        )
        if quality.ended:
            said.append(f"That is a part of the text only, since the comparison ended early: {quality.ended}")
    if isinstance(trial.speculated, Known):
        guessed = trial.speculated.value
        said.append(
            f"{f.percent(guessed.accepted)} of the guessed tokens were right, "
            f"{f.number(guessed.tokens_per_step)} tokens per step."
        )
    return [*said, *trial.notes]
