"""Where the wait goes: bars of one request or of a chat, and the tables that say the same in words."""

from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Fact, Known
from advisor.diagnosis.model import Timeline, Workload
from advisor.diagnosis.parts import Course, PartId
from advisor.report import formatting as fmt
from advisor.report import wait_words
from ui.viewmodels.rows import plain

TONES: Final = {
    PartId.LOAD: "neutral", PartId.TOKENISE: "neutral", PartId.CACHED_PREFILL: "prefill",
    PartId.COLD_PREFILL: "prefill", PartId.DECODE: "decode", PartId.SAMPLING: "neutral",
}

PHRASES: Final = {
    PartId.LOAD: "loading", PartId.TOKENISE: "tokenising", PartId.CACHED_PREFILL: "kept",
    PartId.COLD_PREFILL: "nothing on screen", PartId.DECODE: "streaming", PartId.SAMPLING: "sampling",
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
    sentence: str = "Seconds of waiting and of streaming appear here after a benchmark."
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
        return TimelineCard(sentence=fmt.sentence(timeline.reason))
    t = timeline.value
    courses = [("first", t.first_time)]
    if t.afterwards.total.middle_s < ALIKE * t.first_time.total.middle_s:
        courses.append(("afterwards", t.afterwards))
    chat = [("read again", t.chat), ("kept", t.chat_kept)] if len(t.turns) > 1 else []
    return TimelineCard(
        request=_bars(courses),
        chat=_bars(chat),
        chat_title=f"Chat of {fmt.plural(len(t.turns), 'turn')}" if chat else "",
        chat_sentence=_chat_sentence(t) if chat else "",
        sentence=_sentence(t, workload),
        basis=t.basis,
        tables=tuple(Table(head, rows) for head, rows in wait_words.tables(t)),
        notes=wait_words.notes(t, workload),
    )


def _sentence(t: Timeline, workload: Workload) -> str:
    comfort = workload.comfort
    late = t.wait_s > comfort.longest_wait_s
    slow = t.decode_tokens_per_s < comfort.slowest_tokens_per_s
    first = f"First word after {fmt.seconds(t.wait_s)}, " + (
        f"past your comfort line of {plain(comfort.longest_wait_s, 's')}." if late
        else f"within your {plain(comfort.longest_wait_s, 's')}."
    )
    then = f"Then {t.decode_speed}, " + (
        f"slower than the {comfort.slowest_tokens_per_s:g} that still feel fine." if slow
        else f"more than the {comfort.slowest_tokens_per_s:g} that still feel fine."
    )
    return f"{first} {then}"


def _chat_sentence(t: Timeline) -> str:
    first, last = t.turns[0], t.turns[-1]
    grows = f"grows from {fmt.seconds(first.wait.middle_s)} to {fmt.seconds(last.wait.middle_s)}"
    return (
        f"The wait for the first word {grows} where each turn is read again; kept, turn {last.number} waits "
        f"{fmt.seconds(last.wait_kept.middle_s)}."
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
        texts = (f"{PHRASES[part.id]} · {length}", length)
        segments.append(Segment(TONES[part.id], took.middle_s / longest_s, texts, wait_words.part_tip(part)))
    total = wait_words.took_words(course.total)
    return Bar(title, tuple(segments), total, f"{title}: {wait_words.legend(course)}".removeprefix(": "))
