"""A GGUF header as frozen values: what ``reader.py`` returns."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Union


@dataclass(frozen=True, slots=True)
class ArrayInfo:
    """A value that was skipped: an array too long to keep, a vocabulary, or a long text.

    Attributes:
        item_type: GGUF's name of the element type; ``text`` for a single long text.
        length: elements, or bytes of a long text.
    """

    item_type: str
    length: int


Scalar = Union[int, float, bool, str]
Value = Union[Scalar, tuple[Scalar, ...], ArrayInfo]


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """One row of the tensor table.

    Attributes:
        dims: elements per dimension, row length first; at most 4.
        type_id: ggml type; it may be one that this program does not know.
        offset: bytes from the start of the data, a multiple of the alignment.
        bytes: size by its type and shape; None for a type that is not in the table.
        span_bytes: bytes to the next tensor or the end of the file, padding included.
    """

    name: str
    dims: tuple[int, ...]
    type_id: int
    offset: int
    bytes: int | None
    span_bytes: int = 0

    @property
    def elements(self) -> int:
        """Product of the dimensions."""
        return prod(self.dims)

    @property
    def stored_bytes(self) -> int:
        """Size by type and shape, or by the space it takes in the file when the type is unknown."""
        return self.span_bytes if self.bytes is None else self.bytes


@dataclass(frozen=True, slots=True)
class Header:
    """What one GGUF file says before its weights.

    Attributes:
        version: 2 or 3.
        keys: key -> number, truth value, text, tuple of a short array, or ``ArrayInfo`` of what was skipped.
        data_start: absolute offset of the first tensor's data in bytes.
        alignment: bytes; a power of two.
        file_bytes: size of the file on disk.
        notes: sentences about oddities that do not stop the reading.
        big_endian: whether its numbers, weights included, are stored the other way round.
    """

    version: int
    keys: Mapping[str, Value]
    tensors: tuple[TensorInfo, ...]
    data_start: int
    alignment: int
    file_bytes: int
    notes: tuple[str, ...] = ()
    big_endian: bool = False
