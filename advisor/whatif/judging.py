"""What a change does to the work: seconds, the words for it, and whether it becomes comfortable; pure."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from advisor.benchmarks.phrases import joined
from advisor.core.evidence import Basis, Fact, Known, Unknown
from advisor.core.numbers import digits, fixed, seconds, seconds_range, size
from advisor.core.translation import marked, tr, trc
from advisor.diagnosis.parts import Seconds
from advisor.recommendations.saving import Factors, from_factors
from advisor.whatif.model import Base, Bought, Change, Fit, Gain, Kind, WhatIf

NOTICED: Final = 1.15
"""Speed-up from which somebody notices: two runs of one setting differ by up to 10 % (docs/accuracy.md)."""

WORDS: Final[Mapping[Bought, tuple[str, str]]] = MappingProxyType({
    Bought.BOTH: (marked("buys you both, first-word time and a faster stream"), marked("both")),
    Bought.PERHAPS_BOTH: (
        marked("buys you perhaps both, first-word time and a faster stream"), marked("perhaps both")
    ),
    Bought.FIRST_WORD: (marked("buys you first-word time only"), marked("first word")),
    Bought.PERHAPS_FIRST_WORD: (marked("buys you perhaps first-word time only"), marked("perhaps first word")),
    Bought.STREAM: (marked("buys you a faster stream only"), "stream"),
    Bought.PERHAPS_STREAM: (marked("buys you perhaps a faster stream only"), marked("perhaps stream")),
    Bought.ROOM: (marked("buys you room for larger models, no speed"), marked("room")),
    Bought.NOTHING: (marked("buys you nothing for this model"), marked("nothing")),
    Bought.NO_ROOM: (marked("the model does not fit"), marked("does not fit")),
    Bought.UNKNOWN: (marked("not known"), marked("unknown")),
})  # fmt: skip
"""What is bought, and the same in a word or two."""


def judge(base: Base, change: Change) -> WhatIf:
    """The change with its seconds and words for this work."""
    wait, stream = _after(base.wait_s, change.prefill), _after(base.stream_s, change.decode)
    words = buys(change)
    return WhatIf(
        change,
        wait,
        stream,
        _saved(base, change),
        f"{factor_words(change)}: {words}",
        words,
        _comfortable(base, wait, stream),
    )


def bought(change: Change) -> Bought:
    """What is bought, losses left aside."""
    if isinstance(change.prefill, Unknown) or isinstance(change.decode, Unknown):
        return Bought.NO_ROOM if change.fit.fits is False else Bought.UNKNOWN
    reads, writes = change.prefill.value, change.decode.value
    first_word, stream = reads.middle >= NOTICED, writes.middle >= NOTICED
    if first_word and stream:
        return Bought.BOTH if reads.low > 1 and writes.low > 1 else Bought.PERHAPS_BOTH
    if first_word:
        return Bought.FIRST_WORD if reads.low > 1 else Bought.PERHAPS_FIRST_WORD
    if stream:
        return Bought.STREAM if writes.low > 1 else Bought.PERHAPS_STREAM
    if change.kind in (Kind.SECOND_MACHINE, Kind.SECOND_MODULE) and change.fit.room_bytes is not None:
        return Bought.ROOM
    return Bought.NOTHING


def buys(change: Change) -> str:
    """What is bought ("buys you first-word time only"), and what it costs where a phase loses."""
    said, lost = tr(WORDS[bought(change)][0]), _lost(change)
    return tr("{bought}, and costs you {lost}", bought=said, lost=lost) if lost else said


def buys_cell(answer: WhatIf) -> str:
    """What is bought in a word or two, for a table."""
    found = bought(answer.change)
    return trc("bought", "stream") if found is Bought.STREAM else tr(WORDS[found][1])  # elsewhere streams are counted


def _lost(change: Change) -> str:
    """What a change costs, where a phase clearly loses."""
    if isinstance(change.prefill, Unknown) or isinstance(change.decode, Unknown):
        return ""
    loses = 1 / NOTICED
    slower = change.prefill.value.middle <= loses, change.decode.value.middle <= loses
    return joined([words for words, holds in zip((tr("first-word time"), tr("stream speed")), slower, strict=True)
                   if holds])  # fmt: skip


def factor_words(change: Change) -> str:
    """Both middles: "prefill ×12, decode ×1.0"."""
    read, write = (
        factor(fact.value) if isinstance(fact, Known) else tr("unknown") for fact in (change.prefill, change.decode)
    )
    return tr("prefill {read}, decode {write}", read=read, write=write)


def factor(factors: Factors) -> str:
    """The middle: "×310", "×12", "×1.0", "×0.42"; two digits tell what a range allows."""
    value = factors.middle
    if value >= 100:
        return f"×{digits(value, value / 10)}"
    return f"×{value:.0f}" if value >= 9.95 else f"×{fixed(value, 1)}" if value >= 0.95 else f"×{digits(value)}"


def range_words(factors: Factors) -> str:
    """Both ends: "×8–18"."""
    low, high = (factor(Factors(end, end, end)) for end in (factors.low, factors.high))
    return low if low == high else f"{low}–{high[1:]}"


def seconds_words(base: Base, answer: WhatIf) -> str:
    """Afterwards and now: "The first word after 2.1–4.0 s instead of 96 s, the answer in 5–7 s instead of 26 s."."""
    if isinstance(answer.wait, Unknown) or isinstance(answer.stream, Unknown):
        reason = answer.wait.reason if isinstance(answer.wait, Unknown) else ""
        return tr("Not known: {why}.", why=reason) if reason else ""
    wait, stream, line = answer.wait.value, answer.stream.value, base.work.comfort.longest_wait_s
    return tr(
        "The first word after {wait} instead of {wait_now}, the answer in {stream} instead of {stream_now}.",
        wait=seconds_range(wait.low_s, wait.high_s, line), wait_now=seconds(base.wait_s, line),
        stream=seconds_range(stream.low_s, stream.high_s), stream_now=seconds(base.stream_s),
    )  # fmt: skip


def fit_words(fit: Fit) -> str:
    """Verdict and both figures: "fits: needs 5.2 GB of 21.6 GB"."""
    if fit.room_bytes is None:
        return tr("needs {needed}; how much room there is is not known", needed=size(fit.needed_bytes))
    needed, room = size(fit.needed_bytes), size(fit.room_bytes)
    if fit.fits:
        return tr("fits: needs {needed} of {room}", needed=needed, room=room)
    return tr("does not fit whole: needs {needed} of {room}", needed=needed, room=room)


def _after(now_s: float, factors: Fact[Factors]) -> Fact[Seconds]:
    if isinstance(factors, Unknown):
        return factors
    gain = factors.value
    return Known(Seconds(now_s / gain.middle, now_s / gain.high, now_s / gain.low), Basis.ESTIMATED, factors.source)


def _saved(base: Base, change: Change) -> Fact[Gain]:
    if isinstance(change.prefill, Unknown):
        return change.prefill
    if isinstance(change.decode, Unknown):
        return change.decode
    read, write = (
        from_factors(cost_s, gain.low, gain.middle, gain.high)
        for cost_s, gain in ((base.wait_s, change.prefill.value), (base.stream_s, change.decode.value))
    )
    total = Gain(read.middle_s + write.middle_s, read.low_s + write.low_s, read.high_s + write.high_s)
    return Known(total, Basis.ESTIMATED, change.prefill.source)


def comfortable_now(base: Base) -> bool:
    """Whether the present keeps the comfort line."""
    return base.wait_s <= base.work.comfort.longest_wait_s and base.stream_s <= _slowest_s(base)


def _comfortable(base: Base, wait: Fact[Seconds], stream: Fact[Seconds]) -> bool | None:
    """Whether the whole range of both keeps the comfort line; None where only a part does, or nothing is known."""
    if isinstance(wait, Unknown) or isinstance(stream, Unknown):
        return None
    longest_s, slowest_s = base.work.comfort.longest_wait_s, _slowest_s(base)
    if wait.value.high_s <= longest_s and stream.value.high_s <= slowest_s:
        return True
    return False if wait.value.low_s > longest_s or stream.value.low_s > slowest_s else None


def _slowest_s(base: Base) -> float:
    return base.work.answer_tokens / base.work.comfort.slowest_tokens_per_s
