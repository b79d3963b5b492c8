"""The verdict in the user's words: a headline and the sentences with the numbers behind it."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from advisor.benchmarks.model import TestResult
from advisor.benchmarks.phrases import tokens
from advisor.core.numbers import capital, chosen, count, percent, seconds, speed
from advisor.core.translation import tr, trn
from advisor.diagnosis.model import Finding, Limit, Problem, Timeline, Workload
from advisor.diagnosis.problem import lost_s, waits_s
from advisor.diagnosis.workload import READING_TOKENS_PER_S

NEAR_CEILING: Final = 0.60
"""Share of the ceiling from which "already runs at … of its ceiling" is fair praise."""

DOMINATES: Final = 2 / 3
"""Share of the request's seconds from which one phase is worth naming although both are comfortable."""

DEEP_BELOW: Final = 0.75
"""Speed at the depth of the work ÷ that of the row, from which the depth is a reason of its own."""


def headline_and_sentence(
    problem: Problem, workload: Workload, timeline: Timeline, prefill: Finding, decode: Finding
) -> tuple[str, str]:
    """What the problem is, and the numbers that say so."""
    return _WORDS[problem](workload, timeline, prefill, decode)


def disturbed_words(headline: str, sentence: str, reasons: Sequence[str]) -> tuple[str, str]:
    """The verdict of a run that must not be believed: why not, then what it seemed to show.

    A disturbed run slows both phases, so which of them is the problem usually still holds; the figures do not.
    """
    why = capital("; ".join(reasons) or tr("no reason was recorded"))
    return tr("Measure again: this run was disturbed."), tr(
        "{why}. Buy nothing on these figures. It looked like this: {headline} {sentence}",
        why=why, headline=headline, sentence=sentence,
    )  # fmt: skip


def chat_words(workload: Workload, timeline: Timeline) -> str:
    """How the wait of a chat grows, read again and kept; empty for a single request."""
    if len(timeline.turns) < 2:
        return ""
    first, last = timeline.turns[0], timeline.turns[-1]
    number, kept, again = count(last.number), seconds(last.wait_kept.middle_s), seconds(last.wait.middle_s)
    if workload.prefix_kept:
        return tr(
            "With the chat kept from turn to turn, turn\u00a0{n} waits {kept}; read again each time it would wait "
            "{again}.",
            n=number, kept=kept, again=again,
        )  # fmt: skip
    return tr(
        "Over {n} turns the wait grows from {first} to {again} if every turn reads the whole chat again; if your "
        "program keeps what it has read, turn\u00a0{n} waits {kept}.",
        n=number, first=seconds(first.wait.middle_s), again=again, kept=kept,
    )  # fmt: skip


def depth_words(workload: Workload, timeline: Timeline, row: TestResult | None) -> str:
    """How much the depth of the work slows writing down, where it was measured and is much; else empty."""
    if row is None or workload.prompt_tokens <= row.n_depth:
        return ""
    if timeline.decode_tokens_per_s * workload.users >= DEEP_BELOW * row.tokens_per_s:
        return ""
    values = {"shallow": row.speed_words, "prompt": tokens(workload.prompt_tokens)}
    if row.n_depth:
        return tr(
            "Behind {less} decode writes {shallow}; behind {prompt} attending to all that stands before takes the "
            "rest.",
            less=tokens(row.n_depth), **values,
        )  # fmt: skip
    return tr(
        "With an empty cache decode writes {shallow}; behind {prompt} attending to all that stands before takes the "
        "rest.", **values,
    )  # fmt: skip


def _prefill_words(workload: Workload, timeline: Timeline, prefill: Finding, decode: Finding) -> tuple[str, str]:
    wait, then = _wait_words(workload, timeline), _then_words(workload, timeline, decode)
    return tr("Prefill is your problem."), f"{wait} {then}"


def _wait_words(workload: Workload, timeline: Timeline) -> str:
    comfort_s = workload.comfort.longest_wait_s
    if workload.turns > 1 and timeline.wait_s <= comfort_s:
        late = sum(wait_s > comfort_s for wait_s in waits_s(workload, timeline))
        return tr(
            "The first word comes later than {limit}\u00a0s in {late} of {n} turns.",
            limit=chosen(comfort_s), late=count(late), n=count(workload.turns),
        )  # fmt: skip
    values = {
        "share": percent(timeline.wait_s / timeline.total_s),
        "wait": seconds(timeline.wait_s, comfort_s),
        "prompt": tokens(workload.prompt_tokens),
        "crowd": _crowd(workload),
    }
    if workload.turns > 1:
        return tr("{share} of the first turn passes before the first word: {wait} to read {prompt}{crowd}.", **values)
    return tr("{share} of each request passes before the first word: {wait} to read {prompt}{crowd}.", **values)


def _then_words(workload: Workload, timeline: Timeline, decode: Finding) -> str:
    """The other phase beside a wait that is the problem."""
    waiting_s, streaming_s = lost_s(workload, timeline)
    if streaming_s > 0:
        values = {
            "pace": _pace(workload, timeline),
            "slow": _too_slow(workload),
            "cost": seconds(streaming_s),
            "wait": seconds(waiting_s),
        }
        if workload.turns > 1:
            return tr(
                "The answer then streams at {pace}, {slow}: beyond what is comfortable this costs {cost} over all "
                "turns, the wait {wait}.", **values,
            )  # fmt: skip
        return tr(
            "The answer then streams at {pace}, {slow}: beyond what is comfortable this costs {cost}, the wait {wait}.",
            **values,
        )
    reads_along = timeline.decode_tokens_per_s >= READING_TOKENS_PER_S
    if decode.of_ceiling is not None and decode.of_ceiling >= NEAR_CEILING:
        share = percent(decode.of_ceiling)
        if reads_along:
            return tr("Decode already runs at {share} of its ceiling and keeps up with reading.", share=share)
        return tr("Decode already runs at {share} of its ceiling and is fast enough for you.", share=share)
    if reads_along:
        return tr("Decode writes {speed} and keeps up with reading.", speed=timeline.decode_speed)
    return tr("Decode writes {speed} and is fast enough for you.", speed=timeline.decode_speed)


def _decode_words(workload: Workload, timeline: Timeline, prefill: Finding, decode: Finding) -> tuple[str, str]:
    stream_s = timeline.turns[-1].stream.middle_s if _slows_later(workload, timeline) else timeline.stream_s
    first = trn(
        "The answer streams at {pace}{crowd}, {slow}: {n} takes {time}.",
        "The answer streams at {pace}{crowd}, {slow}: {n} take {time}.",
        workload.answer_tokens,
        pace=_pace(workload, timeline), crowd=_crowd(workload), slow=_too_slow(workload),
        n=tokens(workload.answer_tokens), time=seconds(stream_s),
    )  # fmt: skip
    waiting_s, _ = lost_s(workload, timeline)
    wait = seconds(timeline.wait_s, workload.comfort.longest_wait_s)
    if timeline.wait_s > workload.comfort.longest_wait_s:
        second = tr("The first word comes after {wait}, which is long too.", wait=wait)
    elif waiting_s > 0:
        second = tr("The first word comes after {wait}; later turns wait longer than is comfortable.", wait=wait)
    else:
        second = tr("The first word comes after {wait}, so the prompt is not the problem.", wait=wait)
    if decode.of_ceiling is not None and decode.of_ceiling >= NEAR_CEILING:
        praise = tr("Decode already runs at {share} of its ceiling.", share=percent(decode.of_ceiling))
        second = f"{second} {praise}"
    return tr("Decode is your problem."), f"{first} {second}"


def _none_words(workload: Workload, timeline: Timeline, prefill: Finding, decode: Finding) -> tuple[str, str]:
    comfort = workload.comfort
    sentence = tr(
        "The first word comes after {wait} (up to {limit}\u00a0s is fine) and the answer streams at {speed}{crowd} "
        "({enough} is enough).",
        wait=seconds(timeline.wait_s, comfort.longest_wait_s), limit=chosen(comfort.longest_wait_s),
        speed=timeline.decode_speed, crowd=_crowd(workload), enough=chosen(comfort.slowest_tokens_per_s),
    )  # fmt: skip
    reads = timeline.wait_s >= timeline.stream_s
    most_s = timeline.wait_s if reads else timeline.stream_s
    if most_s / timeline.total_s < DOMINATES:
        return tr("Neither reading nor writing is your problem."), sentence
    total, share = seconds(timeline.total_s), percent(most_s / timeline.total_s)
    if workload.turns > 1:
        worth = (
            tr("Of {total} in the first turn, reading the prompt takes {share}: only prefill would be worth speeding "
               "up.", total=total, share=share)
            if reads
            else tr("Of {total} in the first turn, writing the answer takes {share}: only decode would be worth "
                    "speeding up.", total=total, share=share)
        )  # fmt: skip
    else:
        worth = (
            tr("Of {total} in all, reading the prompt takes {share}: only prefill would be worth speeding up.",
               total=total, share=share)
            if reads
            else tr("Of {total} in all, writing the answer takes {share}: only decode would be worth speeding up.",
                    total=total, share=share)
        )  # fmt: skip
    return tr("Neither reading nor writing is your problem."), f"{sentence} {worth}"


def _fault_words(workload: Workload, timeline: Timeline, prefill: Finding, decode: Finding) -> tuple[str, str]:
    found = decode if decode.limit is Limit.FAULT else prefill
    warning = tr("Do not buy anything before this is cleared up.")
    return tr("Something is wrong."), f"{found.because} {warning}"


_WORDS: Final[Mapping[Problem, Callable[[Workload, Timeline, Finding, Finding], tuple[str, str]]]] = MappingProxyType({
    Problem.PREFILL: _prefill_words,
    Problem.DECODE: _decode_words,
    Problem.NONE: _none_words,
    Problem.FAULT: _fault_words,
})


def _pace(workload: Workload, timeline: Timeline) -> str:
    """The speed of the stream; that of a chat's last turn where the first one is still comfortable."""
    if not _slows_later(workload, timeline):
        return timeline.decode_speed
    last = timeline.turns[-1]
    pace = speed(workload.answer_tokens / last.stream.middle_s)
    return tr("{speed} by turn\u00a0{n}", speed=pace, n=count(last.number))


def _slows_later(workload: Workload, timeline: Timeline) -> bool:
    """Whether it takes a chat's later turns to be slow."""
    return len(timeline.turns) > 1 and timeline.decode_tokens_per_s >= workload.comfort.slowest_tokens_per_s


def _too_slow(workload: Workload) -> str:
    line = workload.comfort.slowest_tokens_per_s
    if line <= READING_TOKENS_PER_S:
        return tr("slower than most people read ({speed})", speed=chosen(READING_TOKENS_PER_S))
    return tr("below the {speed} that are comfortable here", speed=chosen(line))


def _crowd(workload: Workload) -> str:
    return tr(" for each of {n} people", n=count(workload.users)) if workload.users > 1 else ""
