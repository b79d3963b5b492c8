"""A GGUF header taken apart into entries that can be changed one by one, and put together again.

A second reader on purpose: lenient, slow, and without a line of the one under test, so that it can also say what that
one should have found.
"""

import struct
from dataclasses import dataclass, field
from math import prod

from tests.support.gguf_builder import ARRAY, STRING, TYPE_IDS

SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Value type -> bytes of one number."""
_BLOCKS = {number: (elements, size) for number, elements, size in TYPE_IDS.values()}
_ALIGNMENT = 32
_MOST = 4096
"""Entries taken apart; what follows stays in the tail."""


@dataclass
class Row:
    """One row of the tensor table."""

    name: bytes
    dims: list[int]
    type_id: int
    offset: int

    @property
    def bytes(self) -> int:
        """Size by type and shape, half a block as a whole one; some space for a type that is not known here."""
        elements, size = _BLOCKS.get(self.type_id, (1, 1))
        return -(-prod(self.dims) // elements) * size


@dataclass
class Skeleton:
    """A header's entries.

    Attributes:
        keys: name and value, the value with its type number before it.
        complete: whether every entry that the counts promise was there.
        tail: the bytes behind the last entry that could be taken apart.
    """

    order: str = "<"
    version: int = 3
    keys: list[tuple[bytes, bytes]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    complete: bool = True
    tail: bytes = b""

    @property
    def elements(self) -> int:
        """Of all tensors."""
        return sum(prod(row.dims) for row in self.rows)

    def laid_out(self) -> None:
        """Give every tensor a place of its own, one behind the other."""
        position = 0
        for row in self.rows:
            row.offset = position
            position += -(-max(row.bytes, 1) // _ALIGNMENT) * _ALIGNMENT

    def packed(self) -> bytes:
        """The file's bytes; numbers that do not fit are cut to their lowest bits."""
        order = self.order
        parts = [b"GGUF", struct.pack(f"{order}IQQ", self.version & 0xFFFFFFFF, len(self.rows), len(self.keys))]
        for name, value in self.keys:
            parts += [struct.pack(f"{order}Q", len(name)), name, value]
        for row in self.rows:
            numbers = [each & (2**64 - 1) for each in row.dims]
            parts += [
                struct.pack(f"{order}Q", len(row.name)),
                row.name,
                struct.pack(f"{order}I{len(numbers)}Q", len(numbers), *numbers),
                struct.pack(f"{order}IQ", row.type_id & 0xFFFFFFFF, row.offset & (2**64 - 1)),
            ]
        return b"".join(parts) + self.tail


class _Ended(Exception):
    """The bytes end before the entry does."""


class _Bytes:
    def __init__(self, data: bytes, order: str) -> None:
        self.data, self.order, self.at = data, order, 0

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise _Ended
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, letter: str) -> int:
        found: int = struct.unpack(self.order + letter, self.take(struct.calcsize(letter)))[0]
        return found

    def text(self) -> bytes:
        return self.take(self.number("Q"))

    def value(self) -> bytes:
        start, kind = self.at, self.number("I")
        if kind == STRING:
            self.text()
        elif kind == ARRAY:
            inner, count = self.number("I"), self.number("Q")
            if inner in SIZES:
                self.take(SIZES[inner] * count)
            elif inner != STRING or count * 8 > len(self.data):
                raise _Ended
            else:
                for _ in range(count):
                    self.text()
        elif kind in SIZES:
            self.take(SIZES[kind])
        else:
            raise _Ended
        return self.data[start : self.at]

    def row(self) -> Row:
        name, dimensions = self.text(), self.number("I")
        if dimensions > 8:
            raise _Ended
        dims = [self.number("Q") for _ in range(dimensions)]
        return Row(name, dims, self.number("I"), self.number("Q"))


def taken_apart(data: bytes) -> Skeleton | None:
    """The entries of a header as far as they can be told; None for what does not even begin as one."""
    if len(data) < 24 or data[:4] != b"GGUF":
        return None
    order = ">" if data[4:6] == b"\0\0" and data[6:8] != b"\0\0" else "<"
    source = _Bytes(data, order)
    source.take(4)
    found = Skeleton(order, source.number("I"))
    rows, keys = source.number("Q"), source.number("Q")
    whole = source.at
    try:
        for _ in range(min(keys, _MOST)):
            found.keys.append((source.text(), source.value()))
            whole = source.at
        for _ in range(min(rows, _MOST) if keys <= _MOST else 0):
            found.rows.append(source.row())
            whole = source.at
    except _Ended:
        pass
    found.complete = (len(found.rows), len(found.keys)) == (rows, keys)
    found.tail = data[whole:]
    return found
