"""From timeline, measurements and ceilings to the verdict: which phase is the user's problem, and why."""

from collections.abc import Callable, Sequence
from typing import Final

from advisor.benchmarks.model import Phase, Stamp, TestResult, merged_reasons
from advisor.ceilings.model import Ceilings
from advisor.core.numbers import NBSP, capital, count, digits, noun, percent, plural, seconds, speed
from advisor.diagnosis.context import context_words
from advisor.diagnosis.model import Finding, Limit, Problem, Timeline, Verdict, Workload
from advisor.diagnosis.phase_evidence import PhaseEvidence, gather
from advisor.diagnosis.problem import losses, lost_s, problem_of, waits_s
from advisor.diagnosis.rules import compute, fault, measured, memory, overhead, saturation, unknown, unpacking
from advisor.diagnosis.workload import READING_TOKENS_PER_S
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine

RULES: Final[tuple[Callable[[PhaseEvidence], Finding | None], ...]] = (
    fault.apply, measured.apply, memory.apply, compute.apply, overhead.apply, unpacking.apply, saturation.apply,
)
"""In order of authority: a fault spoils every other reading, parts of the step that were measured alone outweigh what
can only be read from its speed, a roof that is reached explains itself, the rest is read
from how far below it the phase stays. The first finding counts."""

NEAR_CEILING: Final = 0.60
"""Share of the ceiling from which "already runs at … of its ceiling" is fair praise."""

DOMINATES: Final = 2 / 3
"""Share of the request's seconds from which one phase is worth naming although both are comfortable."""


def diagnose(
    workload: Workload, timeline: Timeline, tests: Sequence[TestResult], ceilings: Ceilings | None,
    model: ModelFacts, machine: Machine,
) -> Verdict:
    """The verdict on one request.

    Which phase is the problem follows from the rule in ``problem.py``: the one that loses most seconds, not the one
    with the lower utilisation. Both comfortable is a verdict of its own; so is a fault, which outranks both.
    """
    prefill, prefill_seen = _finding(Phase.PREFILL, workload, tests, ceilings, model, machine)
    decode, decode_seen = _finding(Phase.DECODE, workload, tests, ceilings, model, machine)
    lost = losses(workload, timeline, prefill, decode)
    problem = problem_of(*lost, prefill.limit, decode.limit)
    headline, sentence = {
        Problem.PREFILL: _prefill_words,
        Problem.DECODE: _decode_words,
        Problem.NONE: _none_words,
        Problem.FAULT: _fault_words,
    }[problem](workload, timeline, prefill, decode)
    if problem is not Problem.FAULT:
        sentence = f"{sentence} {chat_words(workload, timeline)}".rstrip()
    seen = [evidence for evidence in (prefill_seen, decode_seen) if evidence is not None]
    too_long = context_words(workload, model)
    whole = " ".join(capital(part) for part in (too_long, sentence) if part)
    if problem is not Problem.FAULT:
        if any(evidence.invalid for evidence in seen):
            headline, whole = _disturbed_words(headline, whole, _reasons(seen, Stamp.INVALID))
        elif suspect := _reasons(seen, Stamp.SUSPECT):
            whole = f"{whole} The run is suspect: {'; '.join(suspect)}."
    return Verdict(problem, headline, whole, prefill, decode, lost)


def _finding(
    phase: Phase, workload: Workload, tests: Sequence[TestResult], ceilings: Ceilings | None, model: ModelFacts,
    machine: Machine,
) -> tuple[Finding, PhaseEvidence | None]:
    evidence = gather(phase, workload, tests, ceilings, model, machine)
    if evidence is None:
        return Finding(phase, Limit.UNKNOWN, None, f"{phase.capitalize()} is not measured."), None
    if evidence.invalid and not evidence.conditions.fault:
        why = f"The run of {evidence.row.test} is not valid, so it does not tell what limits {phase}."
        return Finding(phase, Limit.UNKNOWN, evidence.of_ceiling, why), evidence
    for rule in RULES:
        finding = rule(evidence)
        if finding is not None:
            return finding, evidence
    return unknown.apply(evidence), evidence


def _prefill_words(workload: Workload, timeline: Timeline, prefill: Finding, decode: Finding) -> tuple[str, str]:
    share = percent(timeline.wait_s / timeline.total_s)
    waiting_s, streaming_s = lost_s(workload, timeline)
    each = "the first turn" if workload.turns > 1 else "each request"
    first = (
        f"{share} of {each} passes before the first word: {seconds(timeline.wait_s)} to read "
        f"{plural(workload.prompt_tokens, 'token')}{_crowd(workload)}."
    )
    if workload.turns > 1 and timeline.wait_s <= workload.comfort.longest_wait_s:
        late = sum(wait_s > workload.comfort.longest_wait_s for wait_s in waits_s(workload, timeline))
        first = (
            f"The first word comes later than {digits_plain(workload.comfort.longest_wait_s)}{NBSP}s in "
            f"{count(late)} of {count(workload.turns)} turns."
        )
    if streaming_s > 0:
        pace = f"then streams at {_pace(workload, timeline)}, {_too_slow(workload)}"
        over = " over all turns" if workload.turns > 1 else ""
        second = (
            f"The answer {pace}: beyond what is comfortable this costs {seconds(streaming_s)}{over}, the wait "
            f"{seconds(waiting_s)}."
        )
    elif decode.of_ceiling is not None and decode.of_ceiling >= NEAR_CEILING:
        second = f"Decode already runs at {percent(decode.of_ceiling)} of its ceiling and {_keeps_up(timeline)}."
    else:
        second = f"Decode writes {timeline.decode_speed} and {_keeps_up(timeline)}."
    return "Prefill is your problem.", f"{first} {second}"


def _decode_words(workload: Workload, timeline: Timeline, prefill: Finding, decode: Finding) -> tuple[str, str]:
    stream_s = timeline.turns[-1].stream.middle_s if _slows_later(workload, timeline) else timeline.stream_s
    first = (
        f"The answer streams at {_pace(workload, timeline)}{_crowd(workload)}, {_too_slow(workload)}: "
        f"{plural(workload.answer_tokens, 'token')} {noun(workload.answer_tokens, 'takes', 'take')} "
        f"{seconds(stream_s)}."
    )
    waiting_s, _ = lost_s(workload, timeline)
    wait = f"The first word comes after {seconds(timeline.wait_s)}"
    if timeline.wait_s > workload.comfort.longest_wait_s:
        second = f"{wait}, which is long too."
    elif waiting_s > 0:
        second = f"{wait}; later turns wait longer than is comfortable."
    else:
        second = f"{wait}, so the prompt is not the problem."
    if decode.of_ceiling is not None and decode.of_ceiling >= NEAR_CEILING:
        second += f" Decode already runs at {percent(decode.of_ceiling)} of its ceiling."
    return "Decode is your problem.", f"{first} {second}"


def _none_words(workload: Workload, timeline: Timeline, prefill: Finding, decode: Finding) -> tuple[str, str]:
    comfort = workload.comfort
    enough = f"{digits_plain(comfort.longest_wait_s)}{NBSP}s"
    sentence = (
        f"The first word comes after {seconds(timeline.wait_s)} (up to {enough} is fine) and the answer "
        f"streams at {timeline.decode_speed}{_crowd(workload)} "
        f"({digits_plain(comfort.slowest_tokens_per_s)} is enough)."
    )
    shares = (("reading the prompt", timeline.wait_s), ("writing the answer", timeline.stream_s))
    name, most_s = max(shares, key=lambda share: share[1])
    if most_s / timeline.total_s >= DOMINATES:
        whole = "in the first turn" if workload.turns > 1 else "in all"
        sentence += (
            f" Of {seconds(timeline.total_s)} {whole}, {name} takes {percent(most_s / timeline.total_s)}: "
            f"only {'prefill' if name == shares[0][0] else 'decode'} would be worth speeding up."
        )
    return "Neither is your problem.", sentence


def _fault_words(workload: Workload, timeline: Timeline, prefill: Finding, decode: Finding) -> tuple[str, str]:
    found = decode if decode.limit is Limit.FAULT else prefill
    return "Something is wrong.", f"{found.because} Do not buy anything before this is cleared up."


def _disturbed_words(headline: str, sentence: str, reasons: Sequence[str]) -> tuple[str, str]:
    """The verdict of a run that must not be believed: why not, then what it seemed to show.

    A disturbed run slows both phases, so which of them is the problem usually still holds; the figures do not.
    """
    why = capital("; ".join(reasons) or "no reason was recorded")
    seemed = f"It looked like this: {headline} {sentence}"
    return "Measure again: this run was disturbed.", f"{why}. Buy nothing on these figures. {seemed}"


def chat_words(workload: Workload, timeline: Timeline) -> str:
    """How the wait of a chat grows, read again and kept; empty for a single request."""
    if len(timeline.turns) < 2:
        return ""
    first, last = timeline.turns[0], timeline.turns[-1]
    turn, kept = f"turn{NBSP}{count(last.number)}", seconds(last.wait_kept.middle_s)
    again = seconds(last.wait.middle_s)
    if workload.prefix_kept:
        return f"With the chat kept from turn to turn, {turn} waits {kept}; read again each time it would wait {again}."
    return (
        f"Over {count(last.number)} turns the wait grows from {seconds(first.wait.middle_s)} to {again} if every turn "
        f"reads the whole chat again; if your program keeps what it has read, {turn} waits {kept}."
    )


def _pace(workload: Workload, timeline: Timeline) -> str:
    """The speed of the stream; that of a chat's last turn where the first one is still comfortable."""
    if not _slows_later(workload, timeline):
        return timeline.decode_speed
    last = timeline.turns[-1]
    return f"{speed(workload.answer_tokens / last.stream.middle_s)} by turn{NBSP}{count(last.number)}"


def _slows_later(workload: Workload, timeline: Timeline) -> bool:
    """Whether it takes a chat's later turns to be slow."""
    return len(timeline.turns) > 1 and timeline.decode_tokens_per_s >= workload.comfort.slowest_tokens_per_s


def _keeps_up(timeline: Timeline) -> str:
    if timeline.decode_tokens_per_s >= READING_TOKENS_PER_S:
        return "keeps up with reading"
    return "is fast enough for you"


def _too_slow(workload: Workload) -> str:
    line = workload.comfort.slowest_tokens_per_s
    if line <= READING_TOKENS_PER_S:
        return f"slower than most people read ({digits_plain(READING_TOKENS_PER_S)})"
    return f"below the {digits_plain(line)} that are comfortable here"


def _crowd(workload: Workload) -> str:
    return f" for each of {count(workload.users)} people" if workload.users > 1 else ""


def digits_plain(value: float) -> str:
    """A comfort line without needless zeros: ``5.3``, ``10``."""
    return f"{value:g}" if value < 1000 else digits(value)


def _reasons(seen: Sequence[PhaseEvidence], stamp: Stamp) -> list[str]:
    """Why the runs carry that stamp, each reason once; of two that differ in their figures only, the first."""
    return merged_reasons(evidence.conditions for evidence in seen if evidence.conditions.stamp is stamp)
