"""Lays out a GGUF file: header bytes and the place of every tensor; the weights are whoever's who writes them.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from advisor.gguf.header import ArrayInfo, Scalar, TensorInfo, Value

ALIGNMENT: Final = 32
_VERSION: Final = 3
_UINT32, _INT32, _FLOAT32, _BOOL, _STRING, _ARRAY, _UINT64 = 4, 5, 6, 7, 8, 9, 10
_FORMATS: Final = {_UINT32: "I", _INT32: "i", _FLOAT32: "f", _BOOL: "?", _UINT64: "Q"}


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A file before its weights are written.

    Attributes:
        header: the file's first bytes, up to ``data_start``.
        tensors: with their offsets from there, in order.
        file_bytes: up to the end of the last tensor.
    """

    header: bytes
    tensors: tuple[TensorInfo, ...]
    data_start: int
    alignment: int
    file_bytes: int


def laid_out(keys: Mapping[str, Value], tensors: Sequence[TensorInfo]) -> LaidOut:
    """The file of these keys and tensors.

    Numbers get the types that converters use: whole numbers 32 bits without a sign where they fit, others 32-bit
    floats. Arrays that a reader skipped (``ArrayInfo``) are left out.
    """
    written = {name: value for name, value in keys.items() if not isinstance(value, ArrayInfo)}
    parts = [b"GGUF", struct.pack("<IQQ", _VERSION, len(tensors), len(written))]
    parts += [_text(name) + _value(value) for name, value in written.items()]
    position, placed = 0, []
    for tensor in tensors:
        size = tensor.stored_bytes
        placed.append(TensorInfo(tensor.name, tensor.dims, tensor.type_id, position, tensor.bytes, _padded(size)))
        shape = struct.pack(f"<I{len(tensor.dims)}Q", len(tensor.dims), *tensor.dims)
        parts.append(_text(tensor.name) + shape + struct.pack("<IQ", tensor.type_id, position))
        position += _padded(size)
    header = b"".join(parts)
    header += bytes(_padded(len(header)) - len(header))
    end = placed[-1].offset + placed[-1].stored_bytes if placed else 0
    return LaidOut(header, tuple(placed), len(header), ALIGNMENT, len(header) + end)


def _padded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _text(words: str) -> bytes:
    raw = words.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Value) -> bytes:
    if isinstance(value, tuple):
        kind = _INT32 if value and type(value[0]) is int else _kind(value[0]) if value else _INT32
        return struct.pack("<IIQ", _ARRAY, kind, len(value)) + b"".join(_item(kind, item) for item in value)
    assert not isinstance(value, ArrayInfo)
    return struct.pack("<I", _kind(value)) + _item(_kind(value), value)


def _item(kind: int, value: Scalar) -> bytes:
    return _text(value) if isinstance(value, str) else struct.pack("<" + _FORMATS[kind], value)


def _kind(value: Scalar) -> int:
    if isinstance(value, bool):
        return _BOOL
    if isinstance(value, int):
        return _INT32 if value < 0 else _UINT32 if value < 2**32 else _UINT64
    return _FLOAT32 if isinstance(value, float) else _STRING
