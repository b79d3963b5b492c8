"""What a change does to the work: seconds, the words for it, and whether it becomes comfortable; pure."""

from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Unknown
from advisor.core.numbers import digits, seconds, seconds_range, size
from advisor.diagnosis.parts import Seconds
from advisor.recommendations.saving import Factors, from_factors
from advisor.whatif.model import Base, Change, Fit, Gain, Kind, WhatIf

NOTICED: Final = 1.15
"""Speed-up from which somebody notices: two runs of one setting differ by up to 10 % (docs/accuracy.md)."""

FIRST_WORD: Final = "first-word time"
STREAM: Final = "a faster stream"
CELLS: Final = (
    ("both", "both"), ("perhaps both", "perhaps both"), (f"perhaps {FIRST_WORD}", "perhaps first word"),
    (FIRST_WORD, "first word"), (f"perhaps {STREAM}", "perhaps stream"), (STREAM, "stream"), ("room", "room"),
    ("nothing", "nothing"), ("the model does not fit", "does not fit"), ("not known", "unknown"),
)  # fmt: skip
"""Beginnings of what ``buys`` says, and the same in a word or two."""


def judge(base: Base, change: Change) -> WhatIf:
    """The change with its seconds and words for this work."""
    wait, stream = _after(base.wait_s, change.prefill), _after(base.stream_s, change.decode)
    bought = buys(change)
    return WhatIf(
        change,
        wait,
        stream,
        _saved(base, change),
        f"{factor_words(change)}: {bought}",
        bought,
        _comfortable(base, wait, stream),
    )


def buys(change: Change) -> str:
    """What is bought ("buys you first-word time only"), and what it costs where a phase loses."""
    if change.fit.fits is False and (isinstance(change.prefill, Unknown) or isinstance(change.decode, Unknown)):
        return "the model does not fit"
    if isinstance(change.prefill, Unknown) or isinstance(change.decode, Unknown):
        return "not known"
    reads, writes = change.prefill.value, change.decode.value
    gains = [
        (words, "" if factors.low > 1 else "perhaps ")
        for words, factors in ((FIRST_WORD, reads), (STREAM, writes))
        if factors.middle >= NOTICED
    ]
    losses = [words for words, factors in ((FIRST_WORD, reads), (STREAM, writes)) if factors.middle <= 1 / NOTICED]
    if len(gains) == 2:
        unsure = gains[0][1] or gains[1][1]
        return f"buys you {unsure}both, {FIRST_WORD} and {STREAM}"
    if gains:
        words, unsure = gains[0]
        said = f"buys you {unsure}{words} only"
    elif change.kind in (Kind.SECOND_MACHINE, Kind.SECOND_MODULE) and change.fit.room_bytes is not None:
        said = "buys you room for larger models, no speed"
    else:
        said = "buys you nothing for this model"
    if losses:
        lost = " and ".join("first-word time" if words == FIRST_WORD else "stream speed" for words in losses)
        return f"{said}, and costs you {lost}"
    return said


def buys_cell(answer: WhatIf) -> str:
    """What is bought in a word or two, for a table."""
    words = answer.buys.partition(", and costs")[0]
    short = words.removeprefix("buys you ").removesuffix(" only")
    return next((cell for start, cell in CELLS if short.startswith(start)), short)


def factor_words(change: Change) -> str:
    """Both middles: "prefill ×12, decode ×1.0"."""
    parts = []
    for name, fact in (("prefill", change.prefill), ("decode", change.decode)):
        parts.append(f"{name} {factor(fact.value) if isinstance(fact, Known) else 'unknown'}")
    return ", ".join(parts)


def factor(factors: Factors) -> str:
    """The middle: "×12", "×1.0", "×0.42"."""
    value = factors.middle
    return f"×{value:.0f}" if value >= 9.95 else f"×{value:.1f}" if value >= 0.95 else f"×{digits(value)}"


def range_words(factors: Factors) -> str:
    """Both ends: "×8–18"."""
    low, high = (factor(Factors(end, end, end)) for end in (factors.low, factors.high))
    return low if low == high else f"{low}–{high[1:]}"


def seconds_words(base: Base, answer: WhatIf) -> str:
    """Afterwards and now: "The first word after 2.1–4.0 s instead of 96 s, the answer in 5–7 s instead of 26 s."."""
    if isinstance(answer.wait, Unknown) or isinstance(answer.stream, Unknown):
        reason = answer.wait.reason if isinstance(answer.wait, Unknown) else ""
        return f"Not known: {reason}." if reason else ""
    wait, stream = answer.wait.value, answer.stream.value
    return (
        f"The first word after {seconds_range(wait.low_s, wait.high_s)} instead of {seconds(base.wait_s)}, the answer "
        f"in {seconds_range(stream.low_s, stream.high_s)} instead of {seconds(base.stream_s)}."
    )


def fit_words(fit: Fit) -> str:
    """Verdict and both figures: "fits: needs 5.2 GB of 21.6 GB"."""
    if fit.room_bytes is None:
        return f"needs {size(fit.needed_bytes)}; how much room there is is not known"
    verdict = "fits" if fit.fits else "does not fit whole"
    return f"{verdict}: needs {size(fit.needed_bytes)} of {size(fit.room_bytes)}"


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
