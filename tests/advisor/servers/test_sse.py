import hypothesis
import pytest
from hypothesis import strategies as st

from advisor.servers.sse import LONGEST_LINE_BYTES, EventReader, LineTooLong

STREAM = (
    "\ufeffdata: one\n\n: a comment\n\nevent: message\nid: 7\n"
    "data: two é\ndata:three\n\nretry: 5\r\n\r\ndata: 日本\r\n\r\ndata: last"
).encode()
EVENTS = ["one", "two é\nthree", "日本", "last"]


@hypothesis.given(st.lists(st.integers(1, len(STREAM) - 1), max_size=12))
def test_events_are_the_same_however_the_bytes_are_cut(cuts: list[int]) -> None:
    reader, found, start = EventReader(), [], 0
    for end in [*sorted(cuts), len(STREAM)]:
        found += reader.feed(STREAM[start:end])
        start = end
    assert found + reader.end() == EVENTS


def test_bytes_that_are_no_utf8_become_replacements() -> None:
    assert EventReader().feed(b"data: a\xff\n\n") == ["a\ufffd"]


@pytest.mark.parametrize("start", [b"", b"data: "])
def test_a_line_without_end_is_not_kept(start: bytes) -> None:
    reader = EventReader()
    with pytest.raises(LineTooLong):
        reader.feed(start)
        for _ in range(LONGEST_LINE_BYTES // 4096 + 2):
            reader.feed(b"x" * 4096)


def test_an_event_of_many_lines_is_not_kept_either() -> None:
    reader = EventReader()
    with pytest.raises(LineTooLong):
        for _ in range(LONGEST_LINE_BYTES // 4096 + 2):
            reader.feed(b"data: " + b"x" * 4096 + b"\n")


@hypothesis.given(st.binary(max_size=400))
def test_any_bytes_are_survived(data: bytes) -> None:
    reader = EventReader()
    assert all(isinstance(event, str) for event in reader.feed(data) + reader.end())


def test_what_is_no_field_is_remembered() -> None:
    reader = EventReader()
    reader.feed(b'{"response": "a"}\n')
    assert reader.stray == b'{"response": "a"}'
