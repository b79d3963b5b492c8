"""What-if as tables and sentences, for the terminal, the report and the window."""

from typing import Final

from advisor.core.evidence import Fact, Known
from advisor.core.numbers import NBSP
from advisor.diagnosis.parts import Seconds
from advisor.recommendations.saving import Factors
from advisor.report import formatting as f
from advisor.whatif.judging import buys_cell, comfortable_now, fit_words, range_words, seconds_words
from advisor.whatif.model import Base, Considered, WhatIf
from advisor.whatif.money import Money, money_words

HEAD: Final = ("change", "prefill", "decode", "first word after", "answer takes", "fits", "buys you")
UNKNOWN: Final = "unknown"
COMFORT: Final = {
    (False, True): "Comfortable then.", (True, True): "Comfortable, as it is now.",
    (False, False): "Not comfortable even then.", (True, False): "No longer comfortable.",
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
        return UNKNOWN
    if fits:
        return "yes"
    return "in part" if isinstance(answer.change.prefill, Known) else "no"


def present_words(base: Base) -> str:
    """What everything is compared with."""
    here = base.here
    return (
        f"Now ({base.source}): prefill {f.tokens_per_s(here.prefill_tokens_per_s)}, decode "
        f"{f.tokens_per_s(here.decode_tokens_per_s)}; the first word after {f.seconds(base.wait_s)}, the answer in "
        f"{f.seconds(base.stream_s)}."
    )


def answer_sentences(base: Base, answer: WhatIf, money: Money | None = None) -> tuple[str, ...]:
    """Everything about one change but its assumptions and limits."""
    change = answer.change
    sentences = [f"{f.capital(answer.words)}."]
    if isinstance(change.prefill, Known) and isinstance(change.decode, Known):
        prefill, decode = change.prefill, change.decode
        same = prefill.source == decode.source
        sentences.append(
            f"The ranges: prefill {range_words(prefill.value)}{'' if same else f' ({prefill.source})'}, decode "
            f"{range_words(decode.value)} ({decode.source})."
        )
    sentences.append(seconds_words(base, answer))
    if answer.comfortable is not None:
        sentences.append(COMFORT[comfortable_now(base), answer.comfortable])
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
    return range_words(fact.value) if isinstance(fact, Known) else UNKNOWN


def _seconds(fact: Fact[Seconds]) -> str:
    return (
        f.seconds_range(fact.value.low_s, fact.value.high_s).replace(" to ", f"{NBSP}to{NBSP}")
        if isinstance(fact, Known)
        else UNKNOWN
    )
