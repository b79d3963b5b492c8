"""Writes a model with random weights: every tensor in its true type and size, one random piece repeated.

Speed hardly depends on what the weights are as long as they are numbers spread about zero: no infinities, no subnormals
everywhere, and routers that send different tokens to different experts. With a mean of their own every query would
match every key hundreds of times as strongly as in a trained model, and exponentials that vanish take the processor
twice as long (attention at depth 4,096 took 4.6 ms in place of 2.6 ms, 2026-11-30). Pages repeat in content only; each
is read on its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from advisor.core.errors import AdvisorError, BadFile
from advisor.core.progress import CancelToken
from advisor.core.translation import tr
from advisor.gguf.header import TensorInfo, Value
from advisor.gguf.quant_types import TYPES, QuantType
from advisor.gguf.writer import LaidOut, laid_out
from advisor.rehearsal.blueprint import Blueprint

_BLOCKS: Final = 8192
_NUMBERS: Final = 1 << 20
_ROOM: Final = "general.room"
"""A key that nobody reads; without its value it takes ``_ROOM_BYTES`` of a header."""
_ROOM_BYTES: Final = 32
_NORM: Final = "norm"
_LAST_NORM: Final = "last norm"

_HALVES: Final[dict[str, tuple[tuple[int, float], ...]]] = {
    "Q4_0": ((0, 4e-3),), "Q4_1": ((0, 4e-3), (2, -7.5 * 4e-3)), "Q5_0": ((0, 2e-3),),
    "Q5_1": ((0, 2e-3), (2, -15.5 * 2e-3)), "Q8_0": ((0, 2e-4),), "Q2_K": ((80, 1.7e-3), (82, 1.5 * 1.7e-3)),
    "Q3_K": ((108, 1e-4),), "Q4_K": ((0, 1.4e-4), (2, 7.5 * 1.4e-4)), "Q5_K": ((0, 7e-5), (2, 15.5 * 7e-5)),
    "Q6_K": ((208, 1e-5),), "IQ4_NL": ((0, 2e-4),), "IQ4_XS": ((0, 1e-5),), "IQ3_S": ((0, 1e-4),),
    "IQ3_XXS": ((0, 1e-4),), "IQ2_XXS": ((0, 1e-4),), "IQ2_XS": ((0, 1e-4),), "IQ2_S": ((0, 1e-4),),
    "IQ1_S": ((0, 1e-3),), "TQ1_0": ((52, 2e-2),), "TQ2_0": ((64, 2e-2),), "Q1_0": ((0, 2e-2),),
    "Q2_0": ((0, 1e-2),),
}  # fmt: skip
"""Where a block of a type keeps its scales (16-bit floats), and values that spread weights by 0.01 to 0.02."""
_SIX_BITS: Final = {at: 0xA0 if at < 12 else 0 for at in range(4, 16)}
"""Every sub-block's scale and minimum are 32, and the minimum lies in the middle of the steps."""
_BYTES: Final[dict[str, dict[int, int]]] = {
    "Q4_K": _SIX_BITS, "Q5_K": _SIX_BITS, "Q2_K": dict.fromkeys(range(16), 0x88), "MXFP4": {0: 120},
}  # fmt: skip
"""Bytes of a block that are not random: scales of sub-blocks, and an exponent of one byte."""


def write(plan: Blueprint, path: Path, cancel: CancelToken, progress: Callable[[float], None] = lambda _: None) -> Path:
    """Write the model; the same plan gives the same file.

    Raises:
        BadFile: a tensor type that cannot be made up.
        AdvisorError: the disk is full or read-only. What was written then stays for the caller to remove.
        Cancelled: when stopped.
    """
    file = laid_out(plan.keys, plan.tensors)
    pieces = Pieces()
    for tensor in file.tensors:
        pieces.of(tensor)  # an unknown type is told before anything is written
    try:
        with path.open("wb") as out:
            out.write(file.header)
            for tensor in file.tensors:
                out.seek(file.data_start + tensor.offset)
                piece, left = pieces.of(tensor), tensor.stored_bytes
                while left:
                    cancel.raise_if_cancelled()
                    left -= out.write(piece[:left])
                progress((file.data_start + tensor.offset) / file.file_bytes)
            out.truncate(file.file_bytes)
    except OSError as error:
        raise _not_written() from error
    return path


@dataclass(frozen=True, slots=True)
class Pair:
    """One file that is by turns the larger stand-in and the smaller one: its beginning, under a header of its own."""

    path: Path
    headers: tuple[bytes, ...]
    """All of the same length."""

    def show(self, which: int) -> Path:
        """Make the file that stand-in. No engine may have it open. Raises AdvisorError."""
        try:
            with self.path.open("r+b") as out:
                out.write(self.headers[which])
        except OSError as error:
            raise _not_written() from error
        return self.path


def write_pair(
    plans: Sequence[Blueprint], path: Path, cancel: CancelToken, progress: Callable[[float], None] = lambda _: None
) -> Pair:
    """Write the last of the plans; each of the others is a beginning of it. Raises what ``write`` does."""
    files = [laid_out(plan.keys, plan.tensors) for plan in plans]
    for file in files:
        assert file.tensors == files[-1].tensors[: len(file.tensors)], "no beginning of the larger one"
    write(plans[-1], path, cancel, progress)
    return Pair(path, tuple(_as_long(plan, file, files[-1]) for plan, file in zip(plans, files, strict=True)))


def _as_long(plan: Blueprint, file: LaidOut, other: LaidOut) -> bytes:
    """The header with room behind it, so that the weights begin where the other's do."""
    lacking = len(other.header) - len(file.header)
    if not lacking:
        return file.header
    room: dict[str, Value] = {_ROOM: " " * (lacking - _ROOM_BYTES)}
    return laid_out({**plan.keys, **room}, plan.tensors).header


def _not_written() -> AdvisorError:
    return AdvisorError(
        tr("The stand-in could not be written: the disk is full or read-only."),
        tr("Make room, or set TWO_MACHINES_HOME to a folder on another disk."),
        {"reason": "no_space"},
    )


class Pieces:
    """One random piece per type, made when it is first needed."""

    def __init__(self) -> None:
        import numpy

        self._numpy: Any = numpy
        self._random = numpy.random.default_rng(1)
        self._made: dict[str, memoryview] = {}

    def of(self, tensor: TensorInfo) -> memoryview:
        """What a tensor's data is filled with, from its beginning, again and again. Raises BadFile."""
        quant = TYPES.get(tensor.type_id)
        name = quant.name if quant else ""
        if len(tensor.dims) < 2:
            name = _LAST_NORM if tensor.name.startswith("output") else _NORM
        if name not in self._made:
            self._made[name] = memoryview(self._make(name, quant, tensor))
        return self._made[name]

    def _make(self, name: str, quant: QuantType | None, tensor: TensorInfo) -> bytes:
        numpy = self._numpy
        match name:
            case "norm":
                return self._floats(numpy.float32, 2.0, 0.25)
            case "last norm":  # so that some next words are much likelier than others
                return self._floats(numpy.float32, 4.0, 0.5)
            case "F32":
                return self._floats(numpy.float32, 0.0, 0.02)
            case "F16":
                return self._floats(numpy.float16, 0.0, 0.02)
            case "BF16":
                whole = numpy.frombuffer(self._floats(numpy.float32, 0.0, 0.02), dtype=numpy.uint32)
                return bytes((whole >> 16).astype(numpy.uint16).tobytes())
        if quant is None or not (name in _HALVES or name in _BYTES):
            shown = quant.name if quant else tr("number {type_id}", type_id=tensor.type_id)
            raise BadFile(
                tr("The tensor type {shown} cannot be made up, so this file cannot be rehearsed.", shown=shown),
                tr("Choose another quantisation of the same model."),
            )
        blocks = self._random.integers(0, 256, (_BLOCKS, quant.block_bytes), dtype=numpy.uint8)
        for offset, byte in _BYTES.get(name, {}).items():
            blocks[:, offset] = byte
        for offset, scale in _HALVES.get(name, ()):
            half = numpy.full(_BLOCKS, scale, dtype=numpy.float16).view(numpy.uint8).reshape(_BLOCKS, 2)
            blocks[:, offset : offset + 2] = half
        return bytes(blocks.tobytes())

    def _floats(self, kind: Any, mean: float, spread: float) -> bytes:
        return bytes((mean + self._random.standard_normal(_NUMBERS) * spread).astype(kind).tobytes())
