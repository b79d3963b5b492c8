"""Where the wait goes: bars of one request or of a chat, and the tables that say the same in words."""

from dataclasses import dataclass, field
from typing import Final

from advisor.core.evidence import Fact, Known
from advisor.core.retelling import retold
from advisor.core.translation import marked, tr, trc, trn
from advisor.diagnosis.model import Timeline, Workload
from advisor.diagnosis.parts import Course, PartId
from advisor.report import formatting as fmt
from advisor.report import wait_words
from ui.viewmodels.rows import bare, plain

TONES: Final = {
    PartId.LOAD: "neutral", PartId.TOKENISE: "neutral", PartId.CACHED_PREFILL: "prefill",
    PartId.COLD_PREFILL: "prefill", PartId.DECODE: "decode", PartId.SAMPLING: "neutral",
}

PHRASES: Final = {
    PartId.LOAD: marked("loading"), PartId.TOKENISE: marked("tokenising"), PartId.CACHED_PREFILL: marked("kept"),
    PartId.COLD_PREFILL: marked("nothing on screen"), PartId.DECODE: marked("streaming"),
    PartId.SAMPLING: marked("sampling"),
}


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a bar.

    Attributes:
        tone: "prefill", "decode" or "neutral"; the words say the same.
        fraction: of the whole picture's width, above 0.
        texts: what may stand in it, longest first.
        tip: everything about it.
    """

    tone: str
    fraction: float
    texts: tuple[str, ...]
    tip: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar; ``title`` is short, empty where there is only one."""

    title: str
    segments: tuple[Segment, ...]
    total: str
    spoken: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table in words; ``head`` is empty where there is nothing to show."""

    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class TimelineCard:
    """The card's state.

    Attributes:
        request, chat: bars on one scale each; no chat for a single request.
        chat_title: of the button that shows it.
        chat_sentence: what the whole chat comes to.
        sentence: what it means against the comfort line, or why there is nothing yet.
        tables: of the request, of the chat and of its turns, as far as there are any.
        notes: what the tables leave out and assume.
    """

    request: tuple[Bar, ...] = ()
    chat: tuple[Bar, ...] = ()
    chat_title: str = ""
    chat_sentence: str = ""
    sentence: str = field(
        default_factory=lambda: tr("Seconds of waiting and of streaming appear here after a benchmark.")
    )
    basis: str = ""
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()


ALIKE: Final = 0.99
"""Two bars of one request that differ by less than this show the same; the second is left out."""


def present_timeline(timeline: Fact[Timeline] | None, workload: Workload) -> TimelineCard:
    """The card's state, with one sentence that sets it against the comfort line."""
    if timeline is None:
        return TimelineCard()
    if not isinstance(timeline, Known):
        return TimelineCard(sentence=fmt.sentence(retold(timeline.reason)))
    t = timeline.value
    courses = [(trc("time", "first"), t.first_time)]
    if t.afterwards.total.middle_s < ALIKE * t.first_time.total.middle_s:
        courses.append((tr("afterwards"), t.afterwards))
    chat = [(tr("read again"), t.chat), (trc("chat", "kept"), t.chat_kept)] if len(t.turns) > 1 else []
    return TimelineCard(
        request=_bars(courses),
        chat=_bars(chat),
        chat_title=_chat_title(len(t.turns)) if chat else "",
        chat_sentence=_chat_sentence(t) if chat else "",
        sentence=_sentence(t, workload),
        basis=t.basis,
        tables=tuple(Table(tuple(tr(name) for name in head), rows) for head, rows in wait_words.tables(t)),
        notes=wait_words.notes(t, workload),
    )


def _sentence(t: Timeline, workload: Workload) -> str:
    comfort = workload.comfort
    late = t.wait_s > comfort.longest_wait_s
    slow = t.decode_tokens_per_s < comfort.slowest_tokens_per_s
    wait, limit = fmt.seconds(t.wait_s, comfort.longest_wait_s), plain(comfort.longest_wait_s, "s")
    if late:
        first = tr("First word after {wait}, past your comfort line of {limit}.", wait=wait, limit=limit)
    else:
        first = tr("First word after {wait}, within your {limit}.", wait=wait, limit=limit)
    line = bare(comfort.slowest_tokens_per_s)
    if slow:
        then = tr("Then {speed}, slower than the {line} that still feel fine.", speed=t.decode_speed, line=line)
    else:
        then = tr("Then {speed}, more than the {line} that still feel fine.", speed=t.decode_speed, line=line)
    return f"{first} {then}"


def _chat_title(turns: int) -> str:
    return trn("Chat of {n}\u00a0turn", "Chat of {n}\u00a0turns", turns, n=fmt.count(turns))


def _chat_sentence(t: Timeline) -> str:
    first, last = t.turns[0], t.turns[-1]
    return tr(
        "The wait for the first word grows from {first} to {last} where each turn is read again; kept, turn {number} "
        "waits {kept}.",
        first=fmt.seconds(first.wait.middle_s),
        last=fmt.seconds(last.wait.middle_s),
        number=last.number,
        kept=fmt.seconds(last.wait_kept.middle_s),
    )


def _bars(courses: list[tuple[str, Course]]) -> tuple[Bar, ...]:
    longest_s = max((course.total.middle_s for _, course in courses), default=0.0)
    if longest_s <= 0:
        return ()
    return tuple(_bar(title if len(courses) > 1 else "", course, longest_s) for title, course in courses)


def _bar(title: str, course: Course, longest_s: float) -> Bar:
    segments = []
    for part in course.parts:
        took = part.took.or_none()
        if took is None or took.middle_s <= 0:
            continue
        length = fmt.seconds(took.middle_s)
        texts = (f"{tr(PHRASES[part.id])} · {length}", length)
        segments.append(Segment(TONES[part.id], took.middle_s / longest_s, texts, wait_words.part_tip(part)))
    total = wait_words.took_words(course.total)
    return Bar(title, tuple(segments), total, f"{title}: {wait_words.legend(course)}".removeprefix(": "))
