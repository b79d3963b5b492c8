"""A bounds-checked reader of GGUF headers, versions 2 and 3, of either byte order.

It reads the keys and the tensor table, never a weight, and keeps no text of a vocabulary. Format:
https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. What is refused follows ``gguf.cpp`` of llama.cpp
(ggml 0.25, read 2026-11-29).
"""

import os
import stat
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import FileIO, RawIOBase
from math import prod
from pathlib import Path
from types import MappingProxyType

from advisor.core import numbers
from advisor.core.errors import BadFile
from advisor.core.translation import tr, trc
from advisor.gguf.cursor import Cursor, damaged
from advisor.gguf.header import ArrayInfo, Header, Scalar, TensorInfo, Value
from advisor.gguf.layout import check_layout
from advisor.gguf.quant_types import TYPES
from advisor.gguf.readable import readable
from advisor.gguf.sniff import SNIFF_BYTES, cannot_open, not_gguf

MAGIC = b"GGUF"
NEWEST_VERSION = 3
DEFAULT_ALIGNMENT = 32
FORMATS_ALIGNMENT = 8
"""The format allows every multiple of it, llama.cpp powers of two only."""

KEYS_LIMIT = 2**16
TENSORS_LIMIT = 2**16
KEY_LIMIT_BYTES = 2**16 - 1
"""Longest key that the format allows."""
NAME_LIMIT_BYTES = 64
"""GGML_MAX_NAME, the terminating zero included."""
MAX_DIMENSIONS = 4
KEPT_ITEMS = 1024
"""Numeric arrays up to this length are kept as tuples; per-layer arrays are well below it."""
KEPT_TEXTS = 64
KEPT_TEXT_BYTES = 2**16
KEPT_TOTAL_BYTES = 4 * 2**20
"""Bytes of texts and arrays kept from one header together; what comes after is counted but not kept. Names of keys
have the same limit for themselves."""
_OVERFLOW = 2**63

_STRING, _ARRAY, _UINT32, _BOOL = 8, 9, 4, 7
_FORMATS = (
    (0, "uint8", "B"),
    (1, "int8", "b"),
    (2, "uint16", "H"),
    (3, "int16", "h"),
    (4, "uint32", "I"),
    (5, "int32", "i"),
    (6, "float32", "f"),
    (7, "bool", "?"),
    (10, "uint64", "Q"),
    (11, "int64", "q"),
    (12, "float64", "d"),
)
_NUMBERS: Mapping[str, Mapping[int, tuple[str, struct.Struct]]] = {
    order: {kind: (name, struct.Struct(order + letter)) for kind, name, letter in _FORMATS} for order in "<>"
}


def read_header(path: Path) -> Header:
    """Read one file's header.

    Args:
        path: a GGUF file; links are followed. For a split model this is one shard, see ``shards.py``.

    Raises:
        BadFile: when there is no such file, it is not GGUF, it is damaged or incomplete. The sentence says which.
    """
    with _opened(path) as (file, size_bytes):
        return read_header_of(file, size_bytes, path)


def read_header_of(file: RawIOBase, size_bytes: int, path: Path) -> Header:
    """The same of an open file, of any kind that can be read from any place; ``path`` names it in sentences.

    Raises:
        BadFile: as ``read_header``.
    """
    shown = readable(path.name)
    head = file.read(SNIFF_BYTES) or b""
    if not head.startswith(MAGIC):
        raise not_gguf(path, head, size_bytes)
    return _HeaderReader(Cursor(file, size_bytes, shown), shown).read()


@contextmanager
def _opened(path: Path) -> Iterator[tuple[FileIO, int]]:
    try:
        # a pipe or a device would block in open(), so the kind is asked first
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError
        if not stat.S_ISREG(kind):
            raise OSError(0, tr("not a regular file"))
        with path.open("rb", buffering=0) as file:
            yield file, os.fstat(file.fileno()).st_size
    except BadFile as error:
        error.fields = {"path": str(path), **error.fields}
        raise
    except (OSError, ValueError) as error:
        raise cannot_open(path, error) from error


class _HeaderReader:
    """One pass over a header; everything it returns is a plain value."""

    def __init__(self, cursor: Cursor, shown: str) -> None:
        self._at = cursor
        self._shown = shown
        self._numbers = _NUMBERS["<"]
        self._kept_bytes = 0
        self._notes: list[str] = []

    def read(self) -> Header:
        self._at.take(len(MAGIC))
        version = self._version()
        tensor_count, key_count = self._at.u64(), self._at.u64()
        # the smallest key takes 8 + 1 + 4 + 1 bytes, the smallest tensor 8 + 4 + 4 + 8
        self._check_count(key_count, KEYS_LIMIT, 14, trc("of a file's header", "keys"))
        self._check_count(tensor_count, TENSORS_LIMIT, 24, trc("of a file's header", "tensors"))
        keys = self._keys(key_count)
        alignment = self._alignment(keys)
        table = self._tensors(tensor_count)
        data_start = -(-self._at.offset // alignment) * alignment
        tensors = check_layout(table, data_start, alignment, self._at.size_bytes, self._shown)
        return Header(
            version=version,
            keys=MappingProxyType(keys),
            tensors=tensors,
            data_start=data_start,
            alignment=alignment,
            file_bytes=self._at.size_bytes,
            notes=tuple(self._notes),
            big_endian=self._at.order == ">",
        )

    def _version(self) -> int:
        version = self._at.u32()
        if version & 0xFFFF == 0 and version:
            # the magic reads the same either way; a small number in the upper half means the other byte order
            self._at.order, self._numbers = ">", _NUMBERS[">"]
            version = int.from_bytes(version.to_bytes(4, "little"), "big")
        if version > NEWEST_VERSION:
            raise BadFile(
                tr(
                    "{file} is GGUF version {version}, and this program knows versions up to {newest}.",
                    file=self._shown,
                    version=version,
                    newest=NEWEST_VERSION,
                ),
                tr("Look for a newer version of Two Machines."),
                {"version": version},
            )
        if version < 2:
            raise BadFile(
                tr(
                    "{file} is GGUF version {version}, which engines no longer read.", file=self._shown, version=version
                ),
                tr("Get a newer file of the same model."),
                {"version": version},
            )
        return version

    def _check_count(self, count: int, limit: int, smallest_bytes: int, what: str) -> None:
        if count > limit:
            raise self._damaged(
                tr("its header claims {count} {what}, more than any model has", count=numbers.count(count), what=what)
            )
        if count * smallest_bytes > self._at.remaining_bytes:
            raise self._at.cut(count * smallest_bytes)

    def _keys(self, count: int) -> dict[str, Value]:
        keys: dict[str, Value] = {}
        seen: set[bytes] = set()
        name_bytes = 0
        for index in range(count):
            length = self._at.u64()
            if not length:
                raise self._damaged(tr("key {number} of its header has no name", number=index + 1))
            if length > KEY_LIMIT_BYTES:
                raise self._damaged(
                    tr(
                        "the name of key {number} in its header claims {length} bytes",
                        number=index + 1,
                        length=numbers.count(length),
                    )
                )
            raw = self._at.take(length)
            if raw in seen:
                raise self._damaged(tr("its header holds the key {key} twice", key=_shown(raw)))
            name_bytes += length
            if name_bytes > KEPT_TOTAL_BYTES:
                raise self._damaged(tr("the names of its keys are longer than those of any model"))
            seen.add(raw)
            key = _text(raw)
            keys[key] = self._value(key, self._at.u32())
        return keys

    def _value(self, key: str, kind: int) -> Value:
        if kind == _STRING:
            return self._text_value(self._at.u64())
        if kind == _ARRAY:
            return self._array(key, self._at.u32(), self._at.u64())
        if kind not in self._numbers:
            raise self._damaged(tr("key {key} has the unknown value type {kind}", key=readable(key), kind=kind))
        if key == "general.alignment" and kind != _UINT32:
            raise self._damaged(tr("its alignment is not stored as an unsigned 32-bit number"))
        number = self._numbers[kind][1]
        value: Scalar = number.unpack(self._at.take(number.size))[0]
        return value

    def _text_value(self, length: int) -> str | ArrayInfo:
        if length > KEPT_TEXT_BYTES or not self._keep(length):
            self._at.skip(length)
            return ArrayInfo("text", length)
        return _text(self._at.take(length))

    def _array(self, key: str, kind: int, count: int) -> Value:
        if kind == _STRING:
            # a vocabulary is never kept, however small
            if count > KEPT_TEXTS or key.startswith("tokenizer.") or not self._keep(count * 64):
                self._at.skip_strings(count)
                return ArrayInfo("string", count)
            texts = [self._text_value(self._at.u64()) for _ in range(count)]
            return tuple("" if isinstance(text, ArrayInfo) else text for text in texts)
        if kind not in self._numbers:
            # llama.cpp refuses arrays of arrays as well
            what = tr("an array of arrays") if kind == _ARRAY else tr("an array of the unknown type {kind}", kind=kind)
            raise self._damaged(tr("key {key} holds {what}", key=readable(key), what=what))
        name, number = self._numbers[kind]
        if count > KEPT_ITEMS or not self._keep(count * 32):
            self._at.skip(count * number.size)
            return ArrayInfo(name, count)
        return tuple(item[0] for item in number.iter_unpack(self._at.take(count * number.size)))

    def _keep(self, cost_bytes: int) -> bool:
        """Whether so much more may be kept; counts it when it may."""
        if self._kept_bytes + cost_bytes > KEPT_TOTAL_BYTES:
            return False
        self._kept_bytes += cost_bytes
        return True

    def _alignment(self, keys: Mapping[str, Value]) -> int:
        alignment = keys.get("general.alignment", DEFAULT_ALIGNMENT)
        if not isinstance(alignment, int):
            raise self._damaged(tr("its alignment is not a number"))
        if not alignment:
            self._notes.append(
                tr("The file declares alignment 0; it was read with the usual {usual}.", usual=DEFAULT_ALIGNMENT)
            )
            return DEFAULT_ALIGNMENT
        if alignment & (alignment - 1):
            if alignment % FORMATS_ALIGNMENT:
                raise self._damaged(
                    tr("its alignment is {alignment}, which is not a power of two", alignment=alignment)
                )
            self._notes.append(
                tr(
                    "The file declares alignment {alignment}, which is not a power of two: llama.cpp refuses to load "
                    "it.",
                    alignment=alignment,
                )
            )
        return alignment

    def _tensors(self, count: int) -> list[TensorInfo]:
        table: list[TensorInfo] = []
        seen: set[bytes] = set()
        for index in range(count):
            length = self._at.u64()
            if length >= NAME_LIMIT_BYTES:
                raise self._damaged(
                    tr(
                        "the name of tensor {number} claims {length} bytes, the limit is 63",
                        number=index + 1,
                        length=numbers.count(length),
                    )
                )
            raw = self._at.take(length)
            if raw in seen:
                raise self._damaged(tr("its tensor table holds {name} twice", name=_shown(raw)))
            seen.add(raw)
            table.append(self._tensor(_text(raw)))
        return table

    def _tensor(self, name: str) -> TensorInfo:
        count = self._at.u32()
        if count > MAX_DIMENSIONS:
            raise self._damaged(
                tr(
                    "tensor {name} claims {count} dimensions, the limit is {most}",
                    name=readable(name),
                    count=numbers.count(count),
                    most=MAX_DIMENSIONS,
                )
            )
        dims: tuple[int, ...] = struct.unpack(f"{self._at.order}{count}Q", self._at.take(8 * count))
        # a zero among the dimensions must not hide an absurd one
        if prod(dim or 1 for dim in dims) >= _OVERFLOW:
            raise self._damaged(
                tr(
                    "tensor {name} claims an impossible shape ({shape})",
                    name=readable(name),
                    shape=" × ".join(map(str, dims)),
                )
            )
        type_id, offset = self._at.u32(), self._at.u64()
        quant = TYPES.get(type_id)
        if quant is None:
            return TensorInfo(name, dims, type_id, offset, None)
        if (dims[0] if dims else 1) % quant.block_elements:
            raise self._damaged(
                tr(
                    "the rows of tensor {name} are no whole number of {type} blocks",
                    name=readable(name),
                    type=quant.name,
                )
            )
        return TensorInfo(name, dims, type_id, offset, quant.bytes_of(prod(dims)))

    def _damaged(self, what: str) -> BadFile:
        return damaged(self._shown, what)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")


def _shown(raw: bytes) -> str:
    return readable(_text(raw))
