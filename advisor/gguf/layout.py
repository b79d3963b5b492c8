"""Whether a tensor table fits its file."""

import re
from collections.abc import Sequence
from dataclasses import replace

from advisor.core.errors import BadFile
from advisor.gguf.cursor import damaged
from advisor.gguf.header import TensorInfo
from advisor.gguf.readable import readable

_IMPOSSIBLE_BYTES = 2**50
"""A petabyte; a header that describes more is damaged, not merely longer than its file."""
_PART = re.compile(r"part[-_.]?(\d+)(?:[-_.]?of[-_.]?(\d+))?$|\.part$|\.crdownload$|\.incomplete$", re.IGNORECASE)


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
                shown, f"tensor {readable(tensor.name)} begins at {tensor.offset:,}, no multiple of {alignment}"
            )
        if previous is not None and previous.offset + (previous.bytes or 0) > tensor.offset:
            raise damaged(shown, f"its tensors {readable(previous.name)} and {readable(tensor.name)} overlap")
        needed_bytes = max(needed_bytes, data_start + tensor.offset + (tensor.bytes or 0))
        previous = tensor
    if needed_bytes > _IMPOSSIBLE_BYTES:
        raise damaged(shown, f"its tensor table describes {needed_bytes:,} bytes")
    if table and needed_bytes > file_bytes:
        raise _too_short(needed_bytes, file_bytes, shown)
    ends = [table[index].offset for index in ordered[1:]] + [file_bytes - data_start]
    spans = {index: end - table[index].offset for index, end in zip(ordered, ends, strict=False)}
    return tuple(replace(tensor, span_bytes=spans[index]) for index, tensor in enumerate(table))


def _too_short(needed_bytes: int, file_bytes: int, shown: str) -> BadFile:
    part = _PART.search(shown)
    hint = "Download the file again, or let the download finish."
    looks_like = "an incomplete download"
    if part and part.group(1):
        of = f" of {int(part.group(2))}" if part.group(2) else ""
        looks_like = f"part {int(part.group(1))}{of} of a file that was cut in pieces"
        hint = "Join the pieces in order into one file first."
    return BadFile(
        f"{shown} has {file_bytes:,} bytes, but its header describes {needed_bytes:,}: "
        f"{needed_bytes - file_bytes:,} bytes are missing, it looks like {looks_like}.",
        hint,
        {"file_bytes": file_bytes, "expected_bytes": needed_bytes},
    )
