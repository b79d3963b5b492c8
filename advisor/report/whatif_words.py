"""What-if as tables and sentences, for the terminal, the report and the window."""

from typing import Final

from advisor.core.evidence import Fact, Known
from advisor.core.numbers import NBSP
from advisor.core.translation import marked, tr
from advisor.diagnosis.parts import Seconds
from advisor.recommendations.saving import Factors
from advisor.report import formatting as f
from advisor.whatif.judging import buys_cell, comfortable_now, fit_words, range_words, seconds_words
from advisor.whatif.model import Base, Considered, WhatIf
from advisor.whatif.money import Money, money_words

HEAD: Final = (
    marked("change"), marked("prefill"), marked("decode"), marked("first word after"), marked("answer takes"),
    marked("fits"), marked("buys you"),
)  # fmt: skip
UNKNOWN: Final = marked("unknown")
COMFORT: Final = {
    (False, True): marked("Comfortable then."), (True, True): marked("Comfortable, as it is now."),
    (False, False): marked("Not comfortable even then."), (True, False): marked("No longer comfortable."),
}  # fmt: skip
"""By whether it is comfortable now, and then."""


def whatif_rows(answers: tuple[WhatIf, ...]) -> list[tuple[str, ...]]:
    """A row per change under ``HEAD``, in the order given."""
    return [
        (
            answer.change.name, _factors(answer.change.prefill), _factors(answer.change.decode),
            _seconds(answer.wait), _seconds(answer.stream), fits_cell(answer), buys_cell(answer),
        )
        for answer in answers
    ]  # fmt: skip


def fits_cell(answer: WhatIf) -> str:
    """One word or two: yes, in part, no, unknown."""
    fits = answer.change.fit.fits
    if fits is None:
        return tr(UNKNOWN)
    if fits:
        return tr("yes")
    return tr("in part") if isinstance(answer.change.prefill, Known) else tr("no")


def present_words(base: Base) -> str:
    """What everything is compared with."""
    here = base.here
    return tr(
        "Now ({source}): prefill {prefill}, decode {decode}; the first word after {wait}, the answer in {stream}.",
        source=base.source, prefill=f.tokens_per_s(here.prefill_tokens_per_s),
        decode=f.tokens_per_s(here.decode_tokens_per_s), wait=f.seconds(base.wait_s), stream=f.seconds(base.stream_s),
    )  # fmt: skip


def answer_sentences(base: Base, answer: WhatIf, money: Money | None = None) -> tuple[str, ...]:
    """Everything about one change but its assumptions and limits."""
    change = answer.change
    sentences = [f"{f.capital(answer.words)}."]
    if isinstance(change.prefill, Known) and isinstance(change.decode, Known):
        prefill, decode = change.prefill, change.decode
        same = prefill.source == decode.source
        source = "" if same else f" ({tr(prefill.source)})"
        sentences.append(tr(
            "The ranges: prefill {prefill}, decode {decode} ({source}).",
            prefill=f"{range_words(prefill.value)}{source}", decode=range_words(decode.value),
            source=tr(decode.source),
        ))  # fmt: skip
    sentences.append(seconds_words(base, answer))
    if answer.comfortable is not None:
        sentences.append(tr(COMFORT[comfortable_now(base), answer.comfortable]))
    sentences.append(f.sentence(f"{change.where}; {fit_words(change.fit)}"))
    if money is not None:
        sentences.append(money_words(money))
    return tuple(filter(None, sentences))


def assumption_rows(answer: WhatIf) -> list[tuple[str, str, str]]:
    """Name, value, and where it is from with the option that changes it."""
    return [
        (one.name, one.value, f"{one.source}; {one.option}" if one.option else one.source)
        for one in answer.change.assumptions
    ]


def limits(considered: Considered) -> tuple[str, ...]:
    """Every limit that any answer has, once."""
    return tuple(dict.fromkeys(limit for answer in considered.answers for limit in answer.change.limits))


def _factors(fact: Fact[Factors]) -> str:
    return range_words(fact.value) if isinstance(fact, Known) else tr(UNKNOWN)


def _seconds(fact: Fact[Seconds]) -> str:
    if not isinstance(fact, Known):
        return tr(UNKNOWN)
    return f.seconds_range(fact.value.low_s, fact.value.high_s).replace(" ", NBSP)
