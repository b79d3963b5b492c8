"""Changes to an input: to the structure of a header, and to bare bytes."""

import struct
from collections.abc import Callable, Sequence
from random import Random

from tests.fuzz import searching
from tests.fuzz.skeleton import SIZES, Row, Skeleton, taken_apart
from tests.fuzz.world import BEHIND_BYTES, MOST_FILES, packed, unpacked
from tests.support.gguf_builder import ARRAY, STRING, TYPE_IDS

NUMBERS = (
    0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 96, 127, 128, 255, 256, 511, 512, 513, 1024, 4095, 4096,
    65_535, 65_536, 2**20, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**39, 2**40 - 1, 2**40, 2**53, 2**60, 2**62,
    2**63 - 1, 2**63, 2**64 - 32, 2**64 - 1,
)  # fmt: skip
TEXTS = (
    b"",
    b"llama",
    b"bert",
    b"adapter",
    b"vocab",
    b"9.9B",
    b"\xff\xfe",
    "é\n\x1b[0m".encode(),
    b"x" * 70,
    b"7" * 3000,
)
VALUE_TYPES = (*range(13), 13, 99, 2**32 - 1)
TENSOR_TYPES = (*(number for number, _, _ in TYPE_IDS.values()), 3, 4, 19, 28, 36, 43, 153, 2**31, 2**32 - 1)
MOST_CHANGES = 6


class Changer:
    """Draws changes.

    Args:
        random: where all chance comes from, so that a run can be repeated.
        stock: inputs from which keys and tensors are borrowed.
    """

    def __init__(self, random: Random, stock: Sequence[bytes]) -> None:
        self._random = random
        self._stock = stock
        self._structural: tuple[Callable[[Skeleton], None], ...] = (
            self._number_in_value, self._number_in_value, self._number_in_value, self._other_value, self._other_type,
            self._drop_key, self._copy_key, self._borrow_keys, self._rename_key, self._swap_architecture,
            self._dims, self._dims, self._tensor_type, self._offset, self._drop_row, self._copy_row, self._borrow_rows,
            self._rename_row, self._version, self._everywhere, self._everywhere, self._everywhere,
        )  # fmt: skip
        self._bare: tuple[Callable[[bytearray], None], ...] = (
            self._flip, self._hostile_number, self._cut_out, self._insert, self._truncate,
        )  # fmt: skip

    def changed(self, data: bytes) -> bytes:
        """The same input with one to a few changes."""
        random = self._random
        if data.startswith(searching.FIRST):
            return self._other_texts(data)
        behind, headers = unpacked(data)
        if random.random() < 0.03:
            behind = random.randrange(len(BEHIND_BYTES))
        if random.random() < 0.02:
            headers = [*headers, random.choice(headers)][:MOST_FILES]
        if len(headers) > 1 and random.random() < 0.05:
            headers.pop(random.randrange(len(headers)))
        index = random.randrange(len(headers))
        skeleton = taken_apart(headers[index])
        if skeleton is not None and random.random() < 0.85:
            for _ in range(min(1 + int(random.expovariate(0.8)), MOST_CHANGES)):
                random.choice(self._structural)(skeleton)
            if random.random() < 0.8:
                skeleton.laid_out()
            headers[index] = skeleton.packed()
        if skeleton is None or random.random() < 0.2:
            bare = bytearray(headers[index])
            for _ in range(random.randint(1, 3)):
                random.choice(self._bare)(bare)
            headers[index] = bytes(bare)
        return packed(headers, behind)

    def _other_texts(self, data: bytes) -> bytes:
        bare = bytearray(data[len(searching.FIRST) :])
        for _ in range(self._random.randint(1, 4)):
            self._random.choice(self._bare)(bare)
        return searching.FIRST + bytes(bare)

    def _number(self) -> int:
        random = self._random
        return random.choice(NUMBERS) if random.random() < 0.7 else int(2 ** (random.random() * 64))

    def _near(self, value: int) -> int:
        """Another number, often one close to the old."""
        random = self._random
        return random.choice((value + 1, value - 1, value * 2, value // 2, -value, self._number(), self._number()))

    def _packed_number(self, order: str, size: int, value: int) -> bytes:
        return (value & (256**size - 1)).to_bytes(size, "little" if order == "<" else "big")

    def _number_in_value(self, skeleton: Skeleton) -> None:
        """One number of a value, or of an array's head, becomes another."""
        if not skeleton.keys:
            return
        index = self._random.randrange(len(skeleton.keys))
        name, value = skeleton.keys[index]
        kind = int.from_bytes(value[:4], "little" if skeleton.order == "<" else "big")
        if kind == ARRAY and len(value) >= 16:
            inner = int.from_bytes(value[4:8], "little" if skeleton.order == "<" else "big")
            step = SIZES.get(inner, 8)
            places = [(8, 8), *((16 + step * i, step) for i in range(min((len(value) - 16) // step, 600)))]
            start, size = self._random.choice(places)
        else:
            start, size = 4, SIZES.get(kind, 8)
        old = int.from_bytes(value[start : start + size], "little" if skeleton.order == "<" else "big")
        new = self._packed_number(skeleton.order, size, self._near(old))
        skeleton.keys[index] = (name, value[:start] + new + value[start + size :])

    def _value(self, order: str) -> bytes:
        """A value of any kind."""
        random = self._random
        kind = random.choice((4, 4, 4, 5, 6, 7, 8, 9, 9, 10, 11, 12))
        if kind == STRING:
            return struct.pack(f"{order}I", kind) + self._text(order)
        if kind == ARRAY:
            inner = random.choice((4, 5, 5, 7, 6, 8, 10))
            count = random.choice((0, 1, 2, 3, 4, 7, 8, 64, 65, 1025))
            head = struct.pack(f"{order}IIQ", kind, inner, count)
            same = self._item(order, inner)
            items = (same if random.random() < 0.5 else self._item(order, inner) for _ in range(count))
            return head + b"".join(items)
        return struct.pack(f"{order}I", kind) + self._item(order, kind)

    def _item(self, order: str, kind: int) -> bytes:
        if kind == STRING:
            return self._text(order)
        if kind in (6, 12):
            number = self._random.choice((0.0, 1.0, -1.0, 1e30, float("inf"), float("nan")))
            return struct.pack(order + ("f" if kind == 6 else "d"), number)
        return self._packed_number(order, SIZES[kind], self._number())

    def _text(self, order: str) -> bytes:
        text = self._random.choice(TEXTS)
        return struct.pack(f"{order}Q", len(text)) + text

    def _other_value(self, skeleton: Skeleton) -> None:
        if skeleton.keys:
            index = self._random.randrange(len(skeleton.keys))
            skeleton.keys[index] = (skeleton.keys[index][0], self._value(skeleton.order))

    def _other_type(self, skeleton: Skeleton) -> None:
        """The same bytes under another type, of the value or of an array's elements."""
        if not skeleton.keys:
            return
        index = self._random.randrange(len(skeleton.keys))
        name, value = skeleton.keys[index]
        kind = self._packed_number(skeleton.order, 4, self._random.choice(VALUE_TYPES))
        at = 4 if len(value) >= 16 and self._random.random() < 0.5 else 0
        skeleton.keys[index] = (name, value[:at] + kind + value[at + 4 :])

    def _drop_key(self, skeleton: Skeleton) -> None:
        if skeleton.keys:
            skeleton.keys.pop(self._random.randrange(len(skeleton.keys)))

    def _copy_key(self, skeleton: Skeleton) -> None:
        """One key's value under another's name, or the whole key twice."""
        if skeleton.keys:
            name, value = self._random.choice(skeleton.keys)
            if self._random.random() < 0.9:
                index = self._random.randrange(len(skeleton.keys))
                skeleton.keys[index] = (skeleton.keys[index][0], value)
            else:
                skeleton.keys.append((name, value))

    def _other(self, order: str) -> Skeleton | None:
        header = self._random.choice(unpacked(self._random.choice(self._stock))[1])
        found = taken_apart(header)
        return found if found is not None and found.order == order else None

    def _borrow_keys(self, skeleton: Skeleton) -> None:
        """Some keys of another file, under this one's architecture."""
        other = self._other(skeleton.order)
        if other is None or not other.keys:
            return
        own = self._architecture(skeleton)
        theirs = self._architecture(other)
        for name, value in self._random.sample(other.keys, min(len(other.keys), self._random.randint(1, 4))):
            renamed = own + name.removeprefix(theirs) if theirs and name.startswith(theirs + b".") else name
            keys = [each for each in skeleton.keys if each[0] != renamed]
            skeleton.keys = [*keys, (renamed, value)]

    def _rename_key(self, skeleton: Skeleton) -> None:
        if skeleton.keys:
            index = self._random.randrange(len(skeleton.keys))
            other = self._other(skeleton.order)
            if other is not None and other.keys:
                skeleton.keys[index] = (self._random.choice(other.keys)[0], skeleton.keys[index][1])

    @staticmethod
    def _architecture(skeleton: Skeleton) -> bytes:
        return next((value[12:] for name, value in skeleton.keys if name == b"general.architecture"), b"")

    def _swap_architecture(self, skeleton: Skeleton) -> None:
        """Another architecture's name throughout."""
        other = self._other(skeleton.order)
        own = self._architecture(skeleton)
        new = self._architecture(other) if other is not None else b"llama"
        if not own or not new:
            return
        text = struct.pack(f"{skeleton.order}IQ", STRING, len(new)) + new
        skeleton.keys = [
            (new + name.removeprefix(own), value)
            if name.startswith(own + b".")
            else (name, text if name == b"general.architecture" else value)
            for name, value in skeleton.keys
        ]

    def _row(self, skeleton: Skeleton) -> Row | None:
        return self._random.choice(skeleton.rows) if skeleton.rows else None

    def _dims(self, skeleton: Skeleton) -> None:
        row, random = self._row(skeleton), self._random
        if row is None:
            return
        if row.dims and random.random() < 0.8:
            index = random.randrange(len(row.dims))
            row.dims[index] = self._near(row.dims[index])
        elif random.random() < 0.5:
            row.dims.append(random.choice((0, 1, 2, 4, 2**32, 2**63)))
        elif row.dims:
            row.dims.pop()

    def _everywhere(self, skeleton: Skeleton) -> None:
        """One length becomes another in all shapes and keys, so that the file stays of one piece."""
        row = self._row(skeleton)
        if row is None or not row.dims:
            return
        old = self._random.choice(row.dims)
        new = self._random.choice((0, 1, 2, 3, 32, 256, old + 1, old * 2, old * 32, 2**20, 2**31, 2**40 - 32))
        for each in skeleton.rows:
            each.dims = [new if dim == old else dim for dim in each.dims]
        value = struct.pack(f"{skeleton.order}II", 4, old & 0xFFFFFFFF)
        other = struct.pack(f"{skeleton.order}II", 4, new & 0xFFFFFFFF)
        skeleton.keys = [(name, other if found == value else found) for name, found in skeleton.keys]

    def _tensor_type(self, skeleton: Skeleton) -> None:
        row = self._row(skeleton)
        if row is not None:
            row.type_id = self._random.choice(TENSOR_TYPES)

    def _offset(self, skeleton: Skeleton) -> None:
        row = self._row(skeleton)
        if row is not None:
            row.offset = self._near(row.offset)

    def _drop_row(self, skeleton: Skeleton) -> None:
        if skeleton.rows:
            skeleton.rows.pop(self._random.randrange(len(skeleton.rows)))

    def _copy_row(self, skeleton: Skeleton) -> None:
        row = self._row(skeleton)
        if row is not None:
            name = row.name.replace(b"blk.0", b"blk.1") if self._random.random() < 0.7 else row.name + b"x"
            skeleton.rows.append(Row(name, list(row.dims), row.type_id, row.offset))

    def _borrow_rows(self, skeleton: Skeleton) -> None:
        other = self._other(skeleton.order)
        if other is not None and other.rows:
            skeleton.rows += self._random.sample(other.rows, min(len(other.rows), self._random.randint(1, 3)))

    def _rename_row(self, skeleton: Skeleton) -> None:
        row, other = self._row(skeleton), self._other(skeleton.order)
        if row is not None and other is not None and other.rows:
            row.name = self._random.choice((self._random.choice(other.rows).name, b"", b"\xff", b"n" * 63))

    def _version(self, skeleton: Skeleton) -> None:
        if self._random.random() < 0.1:
            skeleton.version = self._random.choice((0, 1, 2, 3, 4, 2**16, 2**31))

    def _place(self, bare: bytearray) -> int:
        """Early bytes oftener: they hold the counts and most of the structure."""
        return int(self._random.random() ** 2 * len(bare))

    def _flip(self, bare: bytearray) -> None:
        if bare:
            bare[self._place(bare)] = self._random.randrange(256)

    def _hostile_number(self, bare: bytearray) -> None:
        size = self._random.choice((1, 2, 4, 8))
        at = self._place(bare)
        if at + size <= len(bare):
            bare[at : at + size] = self._packed_number("<", size, self._number())

    def _cut_out(self, bare: bytearray) -> None:
        at = self._place(bare)
        del bare[at : at + self._random.choice((1, 4, 8, 32))]

    def _insert(self, bare: bytearray) -> None:
        at = self._place(bare)
        bare[at:at] = bytes(self._random.randrange(256) for _ in range(self._random.choice((1, 4, 8))))

    def _truncate(self, bare: bytearray) -> None:
        if self._random.random() < 0.3:
            del bare[self._random.randrange(len(bare) + 1) :]
