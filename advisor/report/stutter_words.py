"""The table and the sentences of a stutter experiment, shared by terminal, window, Markdown and PDF."""

from typing import Final

from advisor.benchmarks.model import merged_reasons
from advisor.benchmarks.stutter.model import STALL_S, Pauses, Stutter, largest_within
from advisor.core.evidence import Unknown
from advisor.core.translation import marked, tr, trn
from advisor.report import formatting as f
from advisor.report import wording

TITLE: Final = marked("Stutter: what others feel while a prompt is read")
HEAD: Final = (
    marked("Prompt tokens per step"), marked("Gap p50"), marked("Gap p95"), marked("Worst gap"), marked("Range"),
    marked("Predicted worst"), marked("First token"), marked("Prompt"), marked("Rounds"),
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
        f.seconds_range(each.worst_low_s, each.worst_high_s) if each.rounds > 1 else tr("one round"),
        _predicted(stutter, each),
        f.seconds(each.first_token_s),
        slower_words(each),
        f.count(each.rounds),
    )


def size_words(stutter: Stutter, chunk_tokens: int) -> str:
    """A size as people say it: "256", or "2,048 (in one go)"."""
    size = f.count(chunk_tokens)
    return tr("{size} (in one go)", size=size) if stutter.is_whole(chunk_tokens) else size


def _predicted(stutter: Stutter, each: Pauses) -> str:
    size = next(size for size in stutter.sizes if size.chunk_tokens == each.chunk_tokens)
    predicted = size.predicted.or_none()
    if predicted is None or each.error is None:
        return tr("unknown")
    sign = f.MINUS if each.error < 0 else "+"
    return f"{f.seconds(predicted.worst_s)} ({sign}{f.percent(abs(each.error))})"


def slower_words(each: Pauses) -> str:
    """What the size costs the prompt: "12 % longer"."""
    if each.slower is None:
        return tr("unknown")
    if abs(each.slower - 1) < 0.005:
        return tr("as long")
    share = f.percent(abs(each.slower - 1))
    return tr("{share} longer", share=share) if each.slower > 1 else tr("{share} shorter", share=share)


def sentences(stutter: Stutter, budget_s: float = STALL_S) -> list[str]:
    """What it comes to: the worst pause, the size that keeps the budget, what it costs, and what to doubt."""
    said = [worst_sentence(stutter), budget_sentence(stutter, budget_s)]
    reasons = {f.why(size.predicted) for size in stutter.sizes if isinstance(size.predicted, Unknown)}
    said += [tr("Nothing is predicted: {reason}.", reason=reason) for reason in sorted(reasons)]
    out = [number for number in range(len(stutter.round_conditions)) if number not in stutter.counted_rounds]
    if max(each.rounds for each in stutter.pauses()) > 1:
        said.append(tr("Gaps are medians over the rounds; the range is that of each round's worst."))
    if out:
        why = "; ".join(merged_reasons(stutter.round_conditions[number] for number in out))
        said.append(trn(
            "{n}\u00a0round was left out: {why}.", "{n}\u00a0rounds were left out: {why}.",
            len(out), n=f.count(len(out)), why=why,
        ))  # fmt: skip
    if stutter.conditions.because:
        said.append(f"{f.capital(wording.conditions_words(stutter.conditions))}.")
    if stutter.mode:
        said.append(tr("The engine ran in safe mode."))
    return [*said, *stutter.left_out, *filter(None, [stutter.interrupted])]


def worst_sentence(stutter: Stutter) -> str:
    """How long everybody waits when the prompt is read in the largest pieces."""
    last = stutter.pauses()[-1]
    how = tr("in one go")
    if not stutter.is_whole(last.chunk_tokens):
        how = tr("in pieces of {tokens}", tokens=f.tokens(last.chunk_tokens))
    streams = stutter.spec.n_streams
    values = {
        "prompt": f.tokens(stutter.spec.n_prompt), "how": how, "worst": f.seconds(last.worst_s),
        "steady": f.seconds(last.steady_s),
    }  # fmt: skip
    if streams == 1:
        return tr(
            "While a prompt of {prompt} is read {how}, the other stream waits {worst} for a token instead of {steady}.",
            **values,
        )
    return tr(
        "While a prompt of {prompt} is read {how}, {n} other streams wait {worst} for a token instead of {steady}.",
        n=f.count(streams), **values,
    )  # fmt: skip


def budget_sentence(stutter: Stutter, budget_s: float = STALL_S) -> str:
    """The largest size that keeps the budget and what it costs the prompt, or that none does."""
    pauses = stutter.pauses()
    found = largest_within(pauses, budget_s)
    least = pauses[0]
    if found is None:
        whole = stutter.is_whole(least.chunk_tokens)
        return tr(
            "Not even {size} keeps pauses within {budget}: the longest of a round is usually {worst}.",
            size=tr("the whole prompt at once") if whole else f.count(least.chunk_tokens),
            budget=f.seconds(budget_s), worst=f.seconds(least.worst_s),
        )  # fmt: skip
    if stutter.is_whole(found):
        return tr("Even the whole prompt at once keeps pauses within {budget}.", budget=f.seconds(budget_s))
    near = max((each for each in pauses if each.chunk_tokens <= found), key=lambda each: each.chunk_tokens)
    cost = ""
    if near.slower is not None and near.slower >= 1.005:
        cost = tr(
            "; the prompt takes {longer} than in one go at {size}",
            longer=slower_words(near), size=f.count(near.chunk_tokens),
        )  # fmt: skip
    largest = tr(" (no larger size was measured)") if found == pauses[-1].chunk_tokens else (
        "" if found == near.chunk_tokens else tr(" (read between two measured sizes)")
    )  # fmt: skip
    return tr(
        "{tokens} per step keep pauses within {budget}{largest}{cost}.",
        tokens=f.tokens(found), budget=f.seconds(budget_s), largest=largest, cost=cost,
    )  # fmt: skip
