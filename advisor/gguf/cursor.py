"""Bounds-checked reading of a header through a small window of the file."""

import re
import struct
from functools import cache
from io import RawIOBase

from advisor.core import numbers
from advisor.core.errors import BadFile
from advisor.core.translation import tr, trn
from advisor.core.units import KIB, MIB

WINDOW_BYTES = 256 * KIB
"""Bytes read at a time; small, so that a header costs no more memory than its own facts."""

HEADER_LIMIT_BYTES = 256 * MIB
"""A header that goes on beyond this is damaged; the largest seen in real models is about 20 MB (2026)."""

STRINGS_LIMIT = 8 * 2**20
"""Array texts that one header may hold; the largest real vocabularies have 262,144 entries and 514,906 merges."""

_BATCH = 256
_SHORT = 48
_BATCH_BYTES = _BATCH * (8 + _SHORT)
_U64 = struct.Struct("<Q")
_LENGTHS = {"<": _U64, ">": struct.Struct(">Q")}


@cache
def _batch_of_short_texts() -> re.Pattern[bytes]:
    """Matches exactly ``_BATCH`` texts of up to ``_SHORT`` bytes, each with its 8-byte length before it.

    A vocabulary is a chain of a quarter of a million length-prefixed texts. Walking it in Python costs 20 ms and more;
    the regular-expression engine walks the same chain, checks every length and does so in about half the time. The
    quantifier is possessive, so that a chain which does not match is given up without backtracking.
    """
    by_likelihood = sorted(range(_SHORT + 1), key=lambda length: abs(length - 6))
    texts = (re.escape(_U64.pack(length)) + b".{%d}" % length for length in by_likelihood)
    return re.compile(b"(?s:" + b"|".join(texts) + b"){%d}+" % _BATCH)


class Cursor:
    """A position in a file that never leaves it.

    Args:
        file: unbuffered, seekable.
        size_bytes: of the file, when it was opened.
        shown: the file's name for sentences.

    Attributes:
        order: of the bytes in numbers, "<" or ">"; little-endian until somebody knows better.
        size_bytes: as given.
    """

    __slots__ = ("_base", "_buffer", "_file", "_pos", "_shown", "_strings_left", "order", "size_bytes")

    def __init__(self, file: RawIOBase, size_bytes: int, shown: str) -> None:
        self._file = file
        self._shown = shown
        self._buffer = b""
        self._base = 0
        self._pos = 0
        self._strings_left = STRINGS_LIMIT
        self.size_bytes = size_bytes
        self.order = "<"

    @property
    def offset(self) -> int:
        """Absolute position in bytes."""
        return self._base + self._pos

    @property
    def remaining_bytes(self) -> int:
        """Bytes from here to the end of the file."""
        return self.size_bytes - self.offset

    def u32(self) -> int:
        """The next unsigned 32-bit number."""
        return int.from_bytes(self.take(4), "little" if self.order == "<" else "big")

    def u64(self) -> int:
        """The next unsigned 64-bit number."""
        value: int = _LENGTHS[self.order].unpack(self.take(8))[0]
        return value

    def take(self, count: int) -> bytes:
        """The next ``count`` bytes.

        Raises:
            BadFile: when the file ends before.
        """
        end = self._pos + count
        if end > len(self._buffer):
            self._refill(count)
            end = count
        found = self._buffer[self._pos : end]
        self._pos = end
        return found

    def skip(self, count: int) -> None:
        """Go ``count`` bytes on without reading them.

        Raises:
            BadFile: when the file ends before.
        """
        if count > self.remaining_bytes:
            raise self.cut(count)
        self._pos += count

    def skip_strings(self, count: int) -> None:
        """Go past ``count`` texts, each with its length before it, without keeping any.

        Raises:
            BadFile: when the file ends before, or the header holds more texts than any model has.
        """
        if count * _U64.size > self.remaining_bytes:
            raise self.cut(count * _U64.size)
        self._strings_left -= count
        if self._strings_left < 0:
            raise damaged(
                self._shown,
                tr("its header claims lists of more than {limit} texts", limit=numbers.count(STRINGS_LIMIT)),
            )
        match = _batch_of_short_texts().match
        while count >= _BATCH and self.order == "<":
            if len(self._buffer) - self._pos < _BATCH_BYTES and len(self._buffer) - self._pos < self.remaining_bytes:
                self._refill(0)
            batch = match(self._buffer, self._pos)
            if batch:
                self._pos = batch.end()
            else:
                self._skip_any_strings(_BATCH)
            count -= _BATCH
        self._skip_any_strings(count)

    def _skip_any_strings(self, count: int) -> None:
        """The same, one text at a time, whatever its length."""
        length_at = _LENGTHS[self.order].unpack_from
        while count > 0:
            buffer, pos, done = self._buffer, self._pos, 0
            try:
                for done in range(count):  # noqa: B007 - tells the handler how far it came
                    pos += 8 + length_at(buffer, pos)[0]
                done = count
            except (struct.error, OverflowError):
                # the next length lies outside the window; a start beyond the file is refused by skip()
                self.skip(pos - self._pos)
                self._refill(8)
            else:
                self.skip(pos - self._pos)
            count -= done

    def _refill(self, needed: int) -> None:
        """Move the window so that it begins here and holds at least ``needed`` bytes."""
        start = self.offset
        if needed > self.size_bytes - start:
            raise self.cut(needed)
        if start + needed > HEADER_LIMIT_BYTES:
            raise damaged(
                self._shown, tr("its header goes on for more than {limit} MiB", limit=HEADER_LIMIT_BYTES // MIB)
            )
        self._file.seek(start)
        wanted = min(max(needed, WINDOW_BYTES), self.size_bytes - start)
        parts = []
        while wanted > 0:
            part = self._file.read(wanted)
            if not part:
                break
            parts.append(part)
            wanted -= len(part)
        self._buffer, self._base, self._pos = b"".join(parts), start, 0
        if len(self._buffer) < needed:
            raise self.cut(needed)

    def cut(self, needed: int) -> BadFile:
        """The error for a header that wants ``needed`` more bytes than there are."""
        if needed > HEADER_LIMIT_BYTES:
            return damaged(
                self._shown,
                tr(
                    "at byte {offset} its header claims a part of {needed} bytes",
                    offset=numbers.count(self.offset),
                    needed=numbers.count(needed),
                ),
            )
        return BadFile(
            trn(
                "{file} ends inside its own header, after {n} byte: it looks like an incomplete download.",
                "{file} ends inside its own header, after {n} bytes: it looks like an incomplete download.",
                self.size_bytes,
                file=self._shown,
                n=numbers.count(self.size_bytes),
            ),
            tr("Download the file again and compare its size with the size on the page that you got it from."),
            {"file_bytes": self.size_bytes, "at_byte": self.offset},
        )


def damaged(shown: str, what: str) -> BadFile:
    """The error for a header that contradicts itself or its file; ``what`` is a clause in the user's language."""
    return BadFile(
        tr("{file} is damaged: {what}.", file=shown, what=what),
        tr("Download the file again, or get it from another source."),
    )
