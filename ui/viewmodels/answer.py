"""Verdict, advice and what will not help, as the right column shows them."""

from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Fact, Known
from advisor.diagnosis.model import Problem, Verdict
from advisor.recommendations.model import Advice, HowTo, WontHelp
from advisor.report import formatting as fmt
from advisor.report import wait_words


@dataclass(frozen=True, slots=True)
class VerdictCard:
    """``edge`` colours the card's edge: "prefill", "decode", "good", "bad" or "" ."""

    headline: str = "No verdict yet"
    sentence: str = "Open a model, say what the work is, and press Benchmark."
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


@dataclass(frozen=True, slots=True)
class WontLine:
    """One thing that cannot help, with the number that says so."""

    sentence: str
    evidence: str


@dataclass(frozen=True, slots=True)
class AdviceList:
    """The right column below the verdict; ``empty`` is said in place of advice."""

    advice: tuple[AdviceCard, ...] = ()
    wont_help: tuple[WontLine, ...] = ()
    empty: str = "Advice appears here after a benchmark, ordered by the seconds it saves on your work."


EDGES: Final = {
    Problem.PREFILL: "prefill", Problem.DECODE: "decode", Problem.NONE: "good", Problem.FAULT: "bad",
}


def present_verdict(
    verdict: Fact[Verdict] | None, interrupted: str = "", measuring: bool = False, has_model: bool = False,
    no_engine: str = "",
) -> VerdictCard:
    """The verdict card; before there is a verdict it says what to do."""
    if verdict is not None and isinstance(verdict, Known):
        v = verdict.value
        details = tuple(filter(None, (v.prefill.because, v.decode.because, wait_words.loss_sentence(v))))
        return VerdictCard(v.headline, v.sentence, EDGES[v.problem], details, interrupted)
    if measuring:
        return VerdictCard("Measuring…", "Both phases are being measured. Stop keeps what is there.")
    if interrupted and verdict is not None:
        return VerdictCard("No verdict", fmt.sentence(verdict.reason), partial=interrupted)
    if has_model and no_engine:
        return VerdictCard("No verdict yet", f"There is no engine to measure with. {no_engine}")
    if has_model:
        return VerdictCard(
            "No verdict yet", "Press Benchmark: one run says which phase is the problem."
        )
    return VerdictCard()


def present_advice(advice: tuple[Advice, ...], wont_help: tuple[WontHelp, ...], judged: bool) -> AdviceList:
    """The lists in the order they came; ``judged`` is whether there is a verdict at all."""
    if not judged:
        return AdviceList()
    return AdviceList(
        tuple(_card(one) for one in advice),
        tuple(WontLine(one.sentence, one.evidence) for one in wont_help),
        "" if advice else "Nothing here would save seconds on this work.",
    )


def _card(advice: Advice) -> AdviceCard:
    commands = [how.command for how in advice.how if how.command]
    more = [("Saves", fmt.saving(advice.saved_s, advice.saved_s_low, advice.saved_s_high) + " per request")]
    more += [(label, text) for label, text in
             (("Cost", advice.cost), ("Way back", advice.undo), ("Evidence", advice.evidence)) if text]
    return AdviceCard(
        id=advice.id,
        phase=str(advice.phase),
        title=advice.title,
        saving=fmt.saved(advice.saved_s, advice.saved_s_low, advice.saved_s_high),
        detail=advice.detail,
        badge=str(advice.basis),
        badge_tip=advice.evidence,
        first_command=commands[0] if commands else "",
        how=tuple(_how(how) for how in advice.how),
        more=tuple(more),
    )


def _how(how: HowTo) -> HowLine:
    return HowLine(how.where, how.words, how.command)

