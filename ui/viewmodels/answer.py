"""Verdict, advice and what will not help, as the right column shows them."""

from dataclasses import dataclass, field, replace
from typing import Final

from advisor.benchmarks.trials.model import Outcome
from advisor.comparison.model import Outcome as Distinguished
from advisor.comparison.trend import Change
from advisor.core.evidence import Fact, Known
from advisor.core.retelling import retold
from advisor.core.translation import tr
from advisor.diagnosis.model import Problem, Verdict
from advisor.recommendations.ledger import NO_LEDGER, Ledger
from advisor.recommendations.model import Advice, HowTo, WontHelp
from advisor.recommendations.tried import outcome
from advisor.report import formatting as fmt
from advisor.report import wait_words, wording
from advisor.report.document import Document
from advisor.report.trend_words import change_sentences
from advisor.report.trial_words import record_words, tried_words


@dataclass(frozen=True, slots=True)
class VerdictCard:
    """``edge`` colours the card's edge: "prefill", "decode", "good", "bad" or "" ."""

    headline: str = field(default_factory=lambda: tr("No verdict yet"))
    sentence: str = field(default_factory=lambda: tr("Open a model, say what the work is, and press Benchmark."))
    edge: str = ""
    details: tuple[str, ...] = ()
    partial: str = ""


@dataclass(frozen=True, slots=True)
class HowLine:
    """One way of doing it; ``command`` is empty where words suffice."""

    where: str
    words: str
    command: str


@dataclass(frozen=True, slots=True)
class TryState:
    """The button that tries an advice, and what trying it showed.

    ``label`` is empty where the advice cannot be tried; ``stops`` while the button ends the experiment.
    """

    label: str = ""
    spoken: str = ""
    tip: str = ""
    enabled: bool = False
    stops: bool = False
    result: str = ""
    tone: str = ""
    asks_draft: bool = False
    """Whether a second button lets the user pick a draft model."""


NO_TRY: Final = TryState()


@dataclass(frozen=True, slots=True)
class AdviceCard:
    """One advice; ``more`` holds (label, text) pairs for the part that unfolds."""

    id: str
    phase: str
    title: str
    saving: str
    detail: str
    badge: str
    badge_tip: str
    first_command: str
    how: tuple[HowLine, ...]
    more: tuple[tuple[str, str], ...]
    trying: TryState = NO_TRY


@dataclass(frozen=True, slots=True)
class WontLine:
    """One thing that cannot help, with the number that says so."""

    sentence: str
    evidence: str


@dataclass(frozen=True, slots=True)
class AdviceList:
    """The right column below the verdict; ``empty`` is said in place of advice."""

    heading: str = field(default_factory=lambda: tr(wording.WHAT_TO_DO))
    advice: tuple[AdviceCard, ...] = ()
    wont_help: tuple[WontLine, ...] = ()
    empty: str = field(
        default_factory=lambda: tr(
            "Advice appears here after a benchmark, ordered by the seconds it saves on your work."
        )
    )


TOLD: Final = frozenset({Distinguished.FASTER, Distinguished.SLOWER})
"""Changes since the last run that stand on the card; others stand in the history."""
EDGES: Final = {
    Problem.PREFILL: "prefill", Problem.DECODE: "decode", Problem.NONE: "good", Problem.FAULT: "bad",
}


def present_verdict(
    verdict: Fact[Verdict] | None, interrupted: str = "", measuring: bool = False, has_model: bool = False,
    no_engine: str = "", changes: tuple[Change, ...] = (),
) -> VerdictCard:
    """The verdict card; before there is a verdict it says what to do."""
    if verdict is not None and isinstance(verdict, Known):
        v = verdict.value
        since = change_sentences(change for change in changes if change.outcome in TOLD)
        details = tuple(filter(None, (v.prefill.because, v.decode.because, wait_words.loss_sentence(v), *since)))
        return VerdictCard(v.headline, v.sentence, EDGES[v.problem], details, interrupted)
    if measuring:
        return VerdictCard(tr("Measuring…"), tr("Both phases are being measured. Stop keeps what is there."))
    if interrupted and verdict is not None:
        return VerdictCard(tr("No verdict"), fmt.sentence(retold(verdict.reason)), partial=interrupted)
    if has_model and no_engine:
        return VerdictCard(sentence=tr("There is no engine to measure with. {why}", why=no_engine))
    if has_model:
        return VerdictCard(sentence=tr("Press Benchmark: one run says which phase is the problem."))
    return VerdictCard()


def present_advice(
    advice: tuple[Advice, ...],
    wont_help: tuple[WontHelp, ...],
    judged: bool,
    ledger: Ledger = NO_LEDGER,
    trying: str = "",
    free: bool = False,
    own_worker: bool = False,
    heading: str = "",
) -> AdviceList:
    """The lists in the order they came.

    Args:
        advice: what to do.
        wont_help: what will not help.
        judged: whether there is a verdict at all.
        ledger: how predictions held here.
        trying: id of the advice that is being tried; empty for none.
        free: whether nothing runs, so that one can be tried.
        own_worker: whether our own child measures, which can run a draft model.
        heading: what stands above the advice, where it is not the usual.
    """
    if not judged:
        return AdviceList()
    return AdviceList(
        heading or tr(wording.WHAT_TO_DO),
        tuple(_card(one, ledger, _try_state(one, trying, free, own_worker)) for one in advice),
        tuple(WontLine(one.sentence, one.evidence) for one in wont_help),
        "" if advice else tr("Nothing here would save seconds on this work."),
    )


def tried_outcome(document: Document) -> str:
    """What the newest trial showed, for the status bar; empty without one."""
    if not document.trials:
        return ""
    name = document.trials[-1].advice
    shown = next((tried_words(one) for one in document.advice if one.id == name), "")
    return shown or next((one.sentence for one in document.wont_help if one.id == name), tr("Tried"))


def _try_state(advice: Advice, trying: str, free: bool, own_worker: bool) -> TryState:
    from advisor.recommendations import speculate  # with its curves, which the window starts without

    state = _tried_state(advice, trying, free)
    return replace(state, asks_draft=advice.id == speculate.ID and own_worker and not state.stops)


def _tried_state(advice: Advice, trying: str, free: bool) -> TryState:
    result = tried_words(advice)
    tone = {Outcome.HELPS: "good", None: "warning"}.get(outcome(advice), "muted") if result else ""
    if advice.trial is None:
        return TryState(enabled=free, result=result, tone=tone)
    if trying == advice.id:
        return TryState(
            tr("■ Stop"), tr("Stop trying: {advice}", advice=advice.title),
            tr("End the experiment; whole rounds are kept (Esc)"), True, True, result, tone,
        )  # fmt: skip
    label = tr("Try again") if advice.tried is not None else tr("Try it")
    tip = tr("Wait until nothing else runs")
    if free:
        tip = tr("Measure before and after, by turns, and put the result here")
    return TryState(label, f"{label}: {advice.title}", tip, free, False, result, tone)


def _card(advice: Advice, ledger: Ledger, trying: TryState) -> AdviceCard:
    commands = [how.command for how in advice.how if how.command]
    saving = fmt.saving(advice.saved_s, advice.saved_s_low, advice.saved_s_high)
    more = [(tr("Saves"), f"{saving} {tr(advice.saves_what)}")]
    more += [(label, text) for label, text in
             ((tr("Cost"), advice.cost), (tr("Way back"), advice.undo), (tr("Evidence"), advice.evidence),
              (tr("Record"), record_words(ledger, advice))) if text]
    return AdviceCard(
        id=advice.id,
        phase=str(advice.phase),
        title=advice.title,
        saving=fmt.saved(advice.saved_s, advice.saved_s_low, advice.saved_s_high),
        detail=advice.detail,
        badge=fmt.basis_word(advice.basis),
        badge_tip=advice.evidence,
        first_command=commands[0] if commands else "",
        how=tuple(_how(how) for how in advice.how),
        more=tuple(more),
        trying=trying,
    )


def _how(how: HowTo) -> HowLine:
    return HowLine(how.where, how.words, how.command)

