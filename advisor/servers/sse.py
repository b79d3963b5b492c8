"""Server-sent events out of bytes as they come, however they are cut.

Lines are split as bytes and decoded whole, so that a character cut between two reads is no error; a byte that is no
UTF-8 becomes a replacement character.
"""

import re
from typing import Final

LONGEST_LINE_BYTES: Final = 1 << 20
"""A line is one token's worth of JSON, a few hundred bytes; what passes this is no event, and is not kept."""

_LINE_END: Final = re.compile(rb"\r\n|\n|\r(?!\Z)")
"""A carriage return at the very end may be half of a pair: it waits for the next bytes."""


class LineTooLong(ValueError):
    """A line passed ``LONGEST_LINE_BYTES``."""


class EventReader:
    """Feed it bytes, get the data of finished events.

    Comments (pings), ids and retry times are passed over. An event named ``error`` comes as its data like any other;
    servers put the error into the data.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._data: list[str] = []
        self._size = 0
        self.stray = b""
        """The first line that is no field of an event, cut at 200 bytes; b"" while there is none."""

    def feed(self, received: bytes) -> list[str]:
        """The data of every event that these bytes end. Raises LineTooLong."""
        unseen = max(0, len(self._rest) - 1)  # a carriage return that waited; the rest holds no end, however long it is
        self._rest += received
        lines, start = [], 0
        for end in _LINE_END.finditer(self._rest, unseen):
            lines.append(bytes(self._rest[start : end.start()]))
            start = end.end()
        del self._rest[:start]
        if len(self._rest) > LONGEST_LINE_BYTES:
            raise LineTooLong
        return [event for line in lines if (event := self._line(line)) is not None]

    def end(self) -> list[str]:
        """What the end of the stream ends: a last event without its blank line."""
        found = self.feed(b"\n\n")
        last = self._line(b"")
        return found if last is None else [*found, last]

    def _line(self, line: bytes) -> str | None:
        if not line:
            data, self._data, self._size = self._data, [], 0
            return "\n".join(data) if data else None
        name, _, value = line.removeprefix(b"\xef\xbb\xbf").partition(b":")
        if name == b"data":
            self._size += len(value)
            if self._size > LONGEST_LINE_BYTES:
                raise LineTooLong
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
        elif name not in (b"", b"event", b"id", b"retry") and not self.stray:
            self.stray = line[:200]
        return None
