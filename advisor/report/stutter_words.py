"""The table and the sentences of a stutter experiment, shared by terminal, window, Markdown and PDF."""

from typing import Final

from advisor.benchmarks.model import merged_reasons
from advisor.benchmarks.stutter.model import STALL_S, Pauses, Stutter, largest_within
from advisor.core.evidence import Unknown
from advisor.core.numbers import noun
from advisor.report import formatting as f
from advisor.report import wording

TITLE: Final = "Stutter: what others feel while a prompt is read"
HEAD: Final = (
    "Prompt tokens per step", "Gap p50", "Gap p95", "Worst gap", "Range", "Predicted worst", "First token", "Prompt",
    "Rounds",
)  # fmt: skip


def rows(stutter: Stutter) -> list[tuple[str, ...]]:
    """One row per size, smallest first, cells in the order of ``HEAD``."""
    return [_row(stutter, each) for each in stutter.pauses()]


def _row(stutter: Stutter, each: Pauses) -> tuple[str, ...]:
    return (
        size_words(stutter, each.chunk_tokens),
        f.seconds(each.p50_s),
        f.seconds(each.p95_s),
        f.seconds(each.worst_s),
        f.seconds_range(each.worst_low_s, each.worst_high_s) if each.rounds > 1 else "one round",
        _predicted(stutter, each),
        f.seconds(each.first_token_s),
        slower_words(each),
        f.count(each.rounds),
    )


def size_words(stutter: Stutter, chunk_tokens: int) -> str:
    """A size as people say it: "256", or "2,048 (in one go)"."""
    return f"{f.count(chunk_tokens)} (in one go)" if stutter.is_whole(chunk_tokens) else f.count(chunk_tokens)


def _predicted(stutter: Stutter, each: Pauses) -> str:
    size = next(size for size in stutter.sizes if size.chunk_tokens == each.chunk_tokens)
    predicted = size.predicted.or_none()
    if predicted is None or each.error is None:
        return "unknown"
    sign = f.MINUS if each.error < 0 else "+"
    return f"{f.seconds(predicted.worst_s)} ({sign}{f.percent(abs(each.error))})"


def slower_words(each: Pauses) -> str:
    """What the size costs the prompt: "12 % longer"."""
    if each.slower is None:
        return "unknown"
    if abs(each.slower - 1) < 0.005:
        return "as long"
    return f"{f.percent(abs(each.slower - 1))} {'longer' if each.slower > 1 else 'shorter'}"


def sentences(stutter: Stutter, budget_s: float = STALL_S) -> list[str]:
    """What it comes to: the worst pause, the size that keeps the budget, what it costs, and what to doubt."""
    said = [worst_sentence(stutter), budget_sentence(stutter, budget_s)]
    reasons = {size.predicted.reason for size in stutter.sizes if isinstance(size.predicted, Unknown)}
    said += [f"Nothing is predicted: {reason}." for reason in sorted(reasons)]
    out = [number for number in range(len(stutter.round_conditions)) if number not in stutter.counted_rounds]
    if max(each.rounds for each in stutter.pauses()) > 1:
        said.append("Gaps are medians over the rounds; the range is that of each round's worst.")
    if out:
        why = "; ".join(merged_reasons(stutter.round_conditions[number] for number in out))
        said.append(f"{f.capital(f.plural(len(out), 'round'))} {noun(len(out), 'was', 'were')} left out: {why}.")
    if stutter.conditions.because:
        said.append(f"{f.capital(wording.conditions_words(stutter.conditions))}.")
    if stutter.mode:
        said.append("The engine ran in safe mode.")
    return [*said, *stutter.left_out, *filter(None, [stutter.interrupted])]


def worst_sentence(stutter: Stutter) -> str:
    """How long everybody waits when the prompt is read in the largest pieces."""
    last = stutter.pauses()[-1]
    how = "in one go" if stutter.is_whole(last.chunk_tokens) else f"in pieces of {f.tokens(last.chunk_tokens)}"
    return (
        f"While a prompt of {f.tokens(stutter.spec.n_prompt)} is read {how}, {_streams(stutter)} "
        f"{f.seconds(last.worst_s)} for a token instead of {f.seconds(last.steady_s)}."
    )


def _streams(stutter: Stutter) -> str:
    count = stutter.spec.n_streams
    return "the other stream waits" if count == 1 else f"{f.count(count)} other streams wait"


def budget_sentence(stutter: Stutter, budget_s: float = STALL_S) -> str:
    """The largest size that keeps the budget and what it costs the prompt, or that none does."""
    pauses = stutter.pauses()
    found = largest_within(pauses, budget_s)
    least = pauses[0]
    if found is None:
        size = "the whole prompt at once" if stutter.is_whole(least.chunk_tokens) else f"{f.count(least.chunk_tokens)}"
        return (
            f"Not even {size} keeps pauses within {f.seconds(budget_s)}: the longest of a round is usually "
            f"{f.seconds(least.worst_s)}."
        )
    if stutter.is_whole(found):
        return f"Even the whole prompt at once keeps pauses within {f.seconds(budget_s)}."
    near = max((each for each in pauses if each.chunk_tokens <= found), key=lambda each: each.chunk_tokens)
    cost = f"; the prompt takes {slower_words(near)} than in one go at {f.count(near.chunk_tokens)}" if (
        near.slower is not None and near.slower >= 1.005
    ) else ""  # fmt: skip
    largest = " (no larger size was measured)" if found == pauses[-1].chunk_tokens else (
        "" if found == near.chunk_tokens else " (read between two measured sizes)"
    )  # fmt: skip
    return f"{f.tokens(found)} per step keep pauses within {f.seconds(budget_s)}{largest}{cost}."
