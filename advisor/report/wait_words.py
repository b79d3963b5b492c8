"""Where did my wait go, in words and tables that screens, terminal, Markdown and PDF share; pure functions."""

from collections.abc import Sequence
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Known, Unknown
from advisor.core.numbers import MINUTE_S, seconds_ends
from advisor.core.translation import marked, tr, trc
from advisor.diagnosis.model import Loss, Timeline, Verdict, Workload
from advisor.diagnosis.parts import Course, Part, PartId, Seconds, Turn
from advisor.report import formatting as f

TITLE: Final = marked("Where did my wait go")

NAMES: Final = {
    PartId.LOAD: marked("Load the model (once)"),
    PartId.TOKENISE: marked("Tokenise"),
    PartId.CACHED_PREFILL: marked("Kept part (cached prefill)"),
    PartId.COLD_PREFILL: marked("Read (cold prefill)"),
    PartId.DECODE: marked("Write (decode)"),
    PartId.SAMPLING: marked("Sampling and overhead"),
}

_SHORT_NAMES: Final = {
    PartId.LOAD: marked("load (once)"),
    PartId.TOKENISE: marked("tokenise"),
    PartId.CACHED_PREFILL: marked("kept"),
    PartId.DECODE: marked("write"),
    PartId.SAMPLING: marked("sampling"),
}

ONE_REQUEST: Final = marked("One request")
FIRST_TIME: Final = marked("The first time")
AFTERWARDS: Final = marked("Afterwards")
AFTERWARDS_KEPT: Final = marked("Afterwards, beginning kept")
WHOLE_CHAT: Final = marked("The whole chat")
READ_AGAIN: Final = marked("Read again each turn")
KEPT: Final = marked("Kept from turn to turn")

TURN_HEAD: Final = (
    marked("Turn"), marked("In context"), marked("Wait, read again"), marked("Wait, kept"), marked("Stream"),
)  # fmt: skip
MOST_TURNS: Final = 8
"""Turns that a table shows; of a longer chat the first ones, some between, and the last."""

NOT_THERE: Final = "–"

Table = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]


def short_name(part: PartId) -> str:
    """A part in a word or two: "read"."""
    if part is PartId.COLD_PREFILL:
        return trc("part of a request", "read")  # the word also says where a figure comes from
    return tr(_SHORT_NAMES[part])


def took_words(took: Seconds) -> str:
    """A time with its range: "12.4 s (12.0–13.1 s)"; alone where both ends read the same as it."""
    middle = f.seconds(took.middle_s)
    if took.high_s >= MINUTE_S:  # minutes and seconds at both ends, as in the middle
        low, high = f.seconds(took.low_s), f.seconds(took.high_s)
        return middle if low == high else f"{middle} ({tr('{low} to {high}', low=low, high=high)})"
    low, high = seconds_ends(took.low_s, took.high_s)
    if low == high:
        return middle
    if took.middle_s > 0:
        middle, _ = seconds_ends(took.middle_s, took.high_s)  # no finer than its ends
    if middle.partition(f.NBSP)[0] == "0":
        return f.seconds_range(took.low_s, took.high_s)
    return f"{middle} ({f.seconds_range(took.low_s, took.high_s)})"


def courses(timeline: Timeline) -> tuple[tuple[str, Course], ...]:
    """The courses worth showing, with their titles: both of a chat only where there is one."""
    if not timeline.first_time.parts:
        return ()
    kept = timeline.afterwards.part(PartId.CACHED_PREFILL) is not None
    shown = [(FIRST_TIME, timeline.first_time), (AFTERWARDS_KEPT if kept else AFTERWARDS, timeline.afterwards)]
    if len(timeline.turns) > 1:
        shown += [(READ_AGAIN, timeline.chat), (KEPT, timeline.chat_kept)]
    return tuple(shown)


def parts_tables(timeline: Timeline) -> tuple[Table, ...]:
    """Of one request, and of a chat where there is one: a row for each part, the sum last."""
    shown = courses(timeline)
    return tuple(_parts_table(shown[start : start + 2]) for start in range(0, len(shown), 2))


def _parts_table(shown: Sequence[tuple[str, Course]]) -> Table:
    of_one = shown[0][0] == FIRST_TIME
    head = (tr(ONE_REQUEST) if of_one else tr(WHOLE_CHAT), *(tr(title) for title, _ in shown))
    rows = [
        (tr(NAMES[part]), *(_cell(course.part(part)) for _, course in shown))
        for part in PartId
        if any(course.part(part) is not None for _, course in shown)
    ]
    return head, (*rows, (tr("Together"), *(took_words(course.total) for _, course in shown)))


def _cell(part: Part | None) -> str:
    if part is None:
        return NOT_THERE
    return took_words(part.took.value) if isinstance(part.took, Known) else tr("unknown")


def tables(timeline: Timeline) -> tuple[Table, ...]:
    """Every table there is to show: the parts of a request, those of a chat, and the chat's turns."""
    turns = turns_table(timeline)
    return (*parts_tables(timeline), *((turns,) if turns[1] else ()))


def turns_table(timeline: Timeline) -> Table:
    """Head and rows, one for each turn that is shown; empty for a single request."""
    if len(timeline.turns) < 2:
        return (), ()
    rows = tuple(
        (
            f.count(turn.number),
            f.tokens(turn.prompt_tokens),
            took_words(turn.wait),
            took_words(turn.wait_kept),
            took_words(turn.stream),
        )
        for turn in shown_turns(timeline.turns)
    )
    return tuple(map(tr, TURN_HEAD)), rows


def shown_turns(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """All turns, or of many the first ones, some between, and the last."""
    if len(turns) <= MOST_TURNS:
        return tuple(turns)
    last = len(turns) - 1
    return tuple(turns[i] for i in sorted({round(step * last / (MOST_TURNS - 1)) for step in range(MOST_TURNS)}))


def legend(course: Course) -> str:
    """The parts of one bar in order, with what they took, and the sum: "read 97 s · write 26 s · together 123 s"."""
    said = []
    for part in course.parts:
        words = f.seconds(part.took.value.middle_s) if isinstance(part.took, Known) else tr("unknown")
        said.append(f"{short_name(part.id)} {words}")
    return " · ".join([*said, tr("together {time}", time=took_words(course.total))])


def part_tip(part: Part) -> str:
    """Everything about a part in a line: name, tokens, seconds with range, and where they come from."""
    name = tr(NAMES[part.id]) + (f", {f.tokens(part.tokens)}" if part.tokens else "")
    if isinstance(part.took, Unknown):
        return tr("{name}: unknown, {reason}", name=name, reason=f.why(part.took))
    return f"{name}: {took_words(part.took.value)}, {f.basis_word(part.took.basis)}: {f.origin_words(part.took)}"


def missing_sentence(course: Course) -> str:
    """What is not in the sums, and why; empty where nothing is missing."""
    reasons: dict[str, list[str]] = {}
    for part in course.parts:
        if isinstance(part.took, Unknown):
            reasons.setdefault(f.why(part.took).rstrip("."), []).append(short_name(part.id))
    said = [f"{f.listed(names)} ({reason})" for reason, names in reasons.items()]
    return tr("Unknown and not in the sums: {parts}.", parts=f.listed(said)) if said else ""


def kept_sentence(timeline: Timeline, workload: Workload) -> str:
    """What "afterwards" assumes; empty where there is nothing to keep."""
    if timeline.afterwards.part(PartId.CACHED_PREFILL) is None and len(timeline.turns) < 2:
        return ""
    what = tr("the first {tokens}", tokens=f.tokens(workload.prompt_tokens - workload.new_tokens))
    if len(timeline.turns) > 1:
        what = tr("what it has read")
    return tr(
        "“Kept” assumes that your program or server keeps {what}, {basis}.", what=what, basis=timeline.kept_basis
    )


def notes(timeline: Timeline, workload: Workload) -> tuple[str, ...]:
    """The sentences that belong below the tables."""
    if not timeline.first_time.parts:
        return ()
    return tuple(filter(None, (missing_sentence(timeline.first_time), kept_sentence(timeline, workload))))


def loss_sentence(verdict: Verdict) -> str:
    """Seconds beyond comfort where there are any, and those above the ceilings where they are known, of both phases."""
    if len(verdict.losses) < 2:
        return ""
    said = []
    if any(loss.beyond_comfort_s > 0 for loss in verdict.losses):
        said.append(tr("Beyond your comfort line: {times}.", times=_lost(verdict.losses)))
    known = [
        _of(loss.phase, f.seconds(loss.above_ceiling_s.value)) for loss in verdict.losses
        if isinstance(loss.above_ceiling_s, Known)
    ]  # fmt: skip
    if known:
        said.append(tr("Longer than at their ceilings: {times}.", times=f.listed(known)))
    return " ".join(said)


def _of(phase: Phase, time: str) -> str:
    if phase is Phase.PREFILL:
        return tr("{time} of reading (prefill)", time=time)
    return tr("{time} of writing (decode)", time=time)


def _lost(losses: Sequence[Loss]) -> str:
    said = [
        _of(loss.phase, f.seconds(loss.beyond_comfort_s) if loss.beyond_comfort_s > 0 else tr("nothing"))
        for loss in losses
    ]
    return f.listed(said)

