"""Whether a tensor table fits its file."""

from collections.abc import Sequence
from dataclasses import replace

from advisor.core.errors import BadFile
from advisor.core.numbers import count
from advisor.core.translation import tr, trn
from advisor.gguf.cursor import damaged
from advisor.gguf.header import TensorInfo
from advisor.gguf.readable import readable
from advisor.gguf.sniff import PIECE, piece_number

_IMPOSSIBLE_BYTES = 2**50
"""A petabyte; a header that describes more is damaged, not merely longer than its file."""


def check_layout(
    table: Sequence[TensorInfo], data_start: int, alignment: int, file_bytes: int, shown: str
) -> tuple[TensorInfo, ...]:
    """The same tensors, in the same order, with ``span_bytes`` filled in.

    Args:
        table: the rows in the file's order, spans not known yet.
        data_start: absolute offset of the data in bytes.
        alignment: bytes, a power of two.
        file_bytes: size of the file on disk.
        shown: the file's name for sentences.

    Raises:
        BadFile: when offsets are misaligned, tensors overlap, or the file is shorter than the table says.
    """
    # empty tensors may share an offset with the one after them
    ordered = sorted(range(len(table)), key=lambda index: (table[index].offset, table[index].bytes or 0))
    needed_bytes = data_start
    previous: TensorInfo | None = None
    for index in ordered:
        tensor = table[index]
        if tensor.offset % alignment:
            raise damaged(
                shown,
                tr(
                    "tensor {name} begins at {offset}, no multiple of {alignment}",
                    name=readable(tensor.name),
                    offset=count(tensor.offset),
                    alignment=alignment,
                ),
            )
        if previous is not None and previous.offset + (previous.bytes or 0) > tensor.offset:
            raise damaged(
                shown,
                tr(
                    "its tensors {first} and {second} overlap",
                    first=readable(previous.name),
                    second=readable(tensor.name),
                ),
            )
        needed_bytes = max(needed_bytes, data_start + tensor.offset + (tensor.bytes or 0))
        previous = tensor
    if needed_bytes > _IMPOSSIBLE_BYTES:
        raise damaged(shown, tr("its tensor table describes {n} bytes", n=count(needed_bytes)))
    if table and needed_bytes > file_bytes:
        raise _too_short(needed_bytes, file_bytes, shown)
    ends = [table[index].offset for index in ordered[1:]] + [file_bytes - data_start]
    spans = {index: end - table[index].offset for index, end in zip(ordered, ends, strict=False)}
    return tuple(replace(tensor, span_bytes=spans[index]) for index, tensor in enumerate(table))


def _too_short(needed_bytes: int, file_bytes: int, shown: str) -> BadFile:
    part = PIECE.search(shown)
    hint = tr("Download the file again, or let the download finish.")
    looks_like = tr("an incomplete download")
    if part:
        number, of = piece_number(shown), part["of"]
        looks_like = (
            tr("part {number} of {all} of a file that was cut in pieces", number=number, all=int(of)) if of
            else tr("part {number} of a file that was cut in pieces", number=number)
        )  # fmt: skip
        hint = tr("Join the pieces in order into one file first.")
    return BadFile(
        trn(
            "{file} has {held} bytes, but its header describes {described}: "
            "{missing} byte is missing, it looks like {looks_like}.",
            "{file} has {held} bytes, but its header describes {described}: "
            "{missing} bytes are missing, it looks like {looks_like}.",
            needed_bytes - file_bytes,
            file=shown,
            held=count(file_bytes),
            described=count(needed_bytes),
            missing=count(needed_bytes - file_bytes),
            looks_like=looks_like,
        ),
        hint,
        {"file_bytes": file_bytes, "expected_bytes": needed_bytes},
    )
