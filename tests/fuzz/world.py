"""An input of the fuzzer: a few bytes that say how large the file is on disk, and one or more headers.

The first byte says how far each file goes on behind its bytes (as a hole); what follows is a header, or several of
them with a mark between, which become the files of one set.
"""

from pathlib import Path

from tests.support.gguf_builder import Gguf

MARK = b"\n--NEXT FILE--\n"
EXACT, SMALL, LARGE, HUGE = range(4)
BEHIND_BYTES = (0, 2**22, 2**30, 2**40)
"""Bytes behind the header; the last leaves room for any count that a header may claim."""
MOST_FILES = 4


def packed(headers: list[bytes], behind: int = SMALL) -> bytes:
    """The input that stands for these files."""
    return bytes([behind]) + MARK.join(headers)


def unpacked(data: bytes) -> tuple[int, list[bytes]]:
    """How far the files go on, and their headers."""
    return (data[0] % len(BEHIND_BYTES) if data else EXACT), data[1:].split(MARK, MOST_FILES - 1)


def written(data: bytes, folder: Path) -> list[Path]:
    """The files that an input stands for, the last of them being the one that a person opens."""
    behind, headers = unpacked(data)
    paths = []
    for number, header in enumerate(headers, start=1):
        name = "m.gguf" if len(headers) == 1 else f"m-{number:05d}-of-{len(headers):05d}.gguf"
        path = folder / name
        with path.open("wb") as file:
            file.write(header)
            file.truncate(len(header) + BEHIND_BYTES[behind])
        paths.append(path)
    return paths


def whole(file: Gguf) -> bytes:
    """A built file as an input of its own."""
    return packed([file.header()])
