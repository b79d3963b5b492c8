"""Sentences and tables about trials and the ledger, shared by screen, terminal, Markdown and PDF."""

from typing import Final

from advisor.benchmarks.trials.model import Outcome, Pair, Trial
from advisor.core.evidence import Known, Missing, Unknown
from advisor.core.stats import median
from advisor.core.translation import marked, tr, trn
from advisor.recommendations.ledger import Ledger
from advisor.recommendations.model import Advice
from advisor.recommendations.tried import outcome
from advisor.report import formatting as f
from advisor.report import wording
from advisor.report.document import Document

TITLE: Final = marked("Tried here")
HEAD: Final = (
    marked("Advice"), marked("Measured"), marked("As it is"), marked("As advised"), marked("Change"),
    marked("Rounds"), marked("Stamp"),
)  # fmt: skip


def tried_words(advice: Advice) -> str:
    """Words such as "Tried: saves 3.1 s (2.8–3.4 s), 5 rounds"; empty where it was not tried."""
    if advice.tried is None:
        return ""
    rounds = f.plural(advice.tried.rounds, "round", "rounds")
    found = outcome(advice)
    if found is None:
        return tr("Tried, but not to be believed: {why}", why=advice.tried.doubt.split("; ")[0])
    if found is Outcome.SAME:
        return tr("Tried: no difference, {rounds}", rounds=rounds)
    if found is Outcome.UNSURE:
        return tr("Tried: not decided, the rounds differ too much, {rounds}", rounds=rounds)
    total_s = advice.saved_s + advice.other_saved_s
    if found is Outcome.HURTS:
        if total_s < 0:
            return tr("Tried: loses {time}, {rounds}", time=f.seconds(-total_s), rounds=rounds)
        return tr("Tried: saves nothing, {rounds}", rounds=rounds)
    ends = _range(advice) if len(advice.tried.pairs) == 1 and advice.tried.pair(advice.phase) else ""
    if total_s <= 0:
        return tr("Tried: no difference, {rounds}", rounds=rounds)
    time = f"{f.seconds(total_s)}{ends}{wording.of_what(advice)}"
    return tr("Tried: saves {time}, {rounds}", time=time, rounds=rounds)


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
    said = trn(
        "Its predictions held in {held} of {n}\u00a0try here", "Its predictions held in {held} of {n}\u00a0tries here",
        record.tries, held=f.count(record.held), n=f.count(record.tries),
    )  # fmt: skip
    # What was tried stands with its measured range.
    wider = record.margin > 0 and outcome(advice) is None
    if not wider:
        return f"{said}."
    return tr(
        "{said}; as far as measurements lay outside, its range is wider by {share} of the phase.",
        said=said, share=f.percent(record.margin),
    )  # fmt: skip


def ledger_words(ledger: Ledger) -> str:
    """The record of all advice together; empty where nothing was tried."""
    if not ledger.tries:
        return ""
    return trn(
        "Predictions of this program held in {held} of {n}\u00a0try on this machine.",
        "Predictions of this program held in {held} of {n}\u00a0tries on this machine.",
        ledger.tries, held=f.count(ledger.held), n=f.count(ledger.tries),
    )  # fmt: skip


def trial_rows(document: Document) -> list[tuple[str, ...]]:
    """One row per compared phase of each trial, cells in the order of ``HEAD``."""
    return [
        (trial.advice, pair.what, *_seconds(pair), change_words(pair), f.count(len(pair.before_s)),
         tr(trial.conditions.stamp))
        for trial in document.trials for pair in trial.pairs
    ]  # fmt: skip


def _seconds(pair: Pair) -> tuple[str, str]:
    return f.seconds(median(pair.before_s)), f.seconds(median(pair.after_s))


def change_words(pair: Pair) -> str:
    """Words such as "−24 % (−26 to −22 %)" of the seconds, and that it is no difference where it is none."""
    low, high = pair.interval
    undecided = pair.outcome in (Outcome.SAME, Outcome.UNSURE)
    found = tr(pair.outcome) if undecided else _change(pair.ratio)
    return f"{found} ({tr('{low} to {high}', low=_change(low), high=_change(high))})"


def _change(ratio: float) -> str:
    percents = (ratio - 1) * 100
    sign = f.MINUS if percents < 0 else "+"
    if round(percents, 1) == 0:
        return f.with_unit("0", "%")
    return f.with_unit(f"{sign}{f.fixed(abs(percents), 0 if abs(percents) >= 9.5 else 1)}", "%")


def trial_sentences(document: Document) -> list[str]:
    """What belongs to the trials beside their seconds: what was set, stamps, quality, guessing, notes, the ledger."""
    said = [sentence for trial in document.trials for sentence in _of_trial(trial)]
    return [*said, *filter(None, [ledger_words(document.ledger) if document.trials else ""])]


def _of_trial(trial: Trial) -> list[str]:
    said = [trn(
        "{advice}: {before} against {after}, {n}\u00a0round by turns, tried on {when}.",
        "{advice}: {before} against {after}, {n}\u00a0rounds by turns, tried on {when}.",
        trial.rounds, advice=trial.advice, before=trial.before, after=trial.after, n=f.count(trial.rounds),
        when=f.date_time(trial.created_at),
    )]  # fmt: skip
    if trial.conditions.because:
        said.append(f"{f.capital(wording.conditions_words(trial.conditions))}.")
    if isinstance(trial.quality, Unknown) and trial.quality.kind is not Missing.NOT_APPLICABLE:
        said.append(tr("Its quality is not known: {reason}.", reason=f.why(trial.quality)))
    if isinstance(trial.quality, Known):
        quality = trial.quality.value
        said.append(tr(
            "Quality on {text}, {tokens}: the same most probable token in {share}, mean KL divergence {divergence} "
            "nats, perplexity {before} → {after}.",
            text=quality.text, tokens=f.tokens(quality.tokens), share=f.percent(quality.same_top),
            divergence=f.number(quality.mean_kld, quality.kld_error), before=f.number(quality.perplexity_before),
            after=f.number(quality.perplexity_after),
        ))  # fmt: skip
        if quality.ended:
            ended = quality.ended
            said.append(tr("That is a part of the text only, since the comparison ended early: {why}", why=ended))
    if isinstance(trial.speculated, Known):
        guessed = trial.speculated.value
        said.append(tr(
            "{share} of the guessed tokens were right, {number} tokens per step.",
            share=f.percent(guessed.accepted), number=f.number(guessed.tokens_per_step),
        ))  # fmt: skip
    return [*said, *trial.notes]
