"""What a file that is not GGUF really is, told from its first bytes, and errors for files that cannot be opened."""

import re
from pathlib import Path

from advisor.core.errors import BadFile
from advisor.core.translation import marked, tr
from advisor.gguf.readable import readable

_PICK = marked("Pick the file that ends in .gguf on the model's page.")
_UNPACK = marked("Unpack it first.")
_GET_GGUF = marked("Get the model in GGUF format.")
_AGAIN = marked("Download the file again.")
_SIGN_IN = marked("Download the file itself, not the page about it; you may have to sign in there first.")
_UNKNOWN = marked("data of an unknown kind")
_ANSWERS = (
    '{"error', '{"message', '{"detail', "entry not found", "not found", "invalid username", "access denied",
    "unauthorized", "forbidden", "access to model",
)  # fmt: skip
"""What hubs and their stores answer in place of a file, short, in lower case."""
_JSON = re.compile(r'[{\[]\s*(?:["{\[}\]\d-]|$)')
PIECE = re.compile(
    r"(?:part[-_.]?|\.gguf\.)(?P<number>\d+)(?:[-_.]?of[-_.]?(?P<of>\d+))?$"
    r"|(?:split[-_.]?|\.gguf\.a)(?P<letter>[a-z])$",
    re.IGNORECASE,
)
"""How people name the pieces of a file that was too large for some host: ".gguf.part1of2", ".gguf.001",
".gguf-split-a", and ``split``'s own ".gguf.aa"."""
_FIRST_BYTES: tuple[tuple[bytes, str, str], ...] = (
    (
        b"version https://git-lfs",
        marked("a Git-LFS pointer, a small text that stands for the real model"),
        marked("Run git lfs pull in that folder, or download the file itself."),
    ),
    (
        b"# xet version",
        marked("a Xet pointer, a small text that stands for the real model"),
        marked("Download the file itself."),
    ),
    (b"PK\x03\x04", marked("a zip archive or a PyTorch checkpoint"), _GET_GGUF),
    *(
        (bytes((0x80, protocol)), marked("a Python pickle, an old PyTorch checkpoint"), _GET_GGUF)
        for protocol in range(2, 6)
    ),
    (b"\x89HDF", marked("an HDF5 file, a model of another kind"), _GET_GGUF),
    (b"BZh", marked("a bzip2 archive"), _UNPACK),
    (b"\x1f\x8b", marked("a gzip archive"), _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", marked("a 7-Zip archive"), _UNPACK),
    (b"\xfd7zXZ", marked("an xz archive"), _UNPACK),
    (b"\x28\xb5\x2f\xfd", marked("a Zstandard archive"), _UNPACK),
    (b"Rar!", marked("a RAR archive"), _UNPACK),
    (b"%PDF", marked("a PDF document"), _PICK),
    (b"\x89PNG", marked("a picture"), _PICK),
    (b"\xff\xd8\xff", marked("a picture"), _PICK),
    (b"\x7fELF", marked("a program"), _PICK),
    (b"MZ", marked("a Windows program"), _PICK),
    (b"lmgg", marked("a model in GGML format, a predecessor of GGUF that engines no longer read"), _GET_GGUF),
    (b"tjgg", marked("a model in GGJT format, a predecessor of GGUF that engines no longer read"), _GET_GGUF),
    (b"fmgg", marked("a model in GGMF format, a predecessor of GGUF that engines no longer read"), _GET_GGUF),
    (b"algg", marked("an adapter in GGML format, a predecessor of GGUF that engines no longer read"), _GET_GGUF),
    (b"FUGG", marked("damaged, its first four bytes stand in reverse order"), _AGAIN),
)
SNIFF_BYTES = 512
"""First bytes that ``not_gguf`` wants to see."""


def not_gguf(path: Path, head: bytes, size_bytes: int) -> BadFile:
    """The error for a file that does not begin with ``GGUF``, naming what it is.

    Args:
        path: as the user gave it.
        head: its first bytes, up to ``SNIFF_BYTES``.
        size_bytes: of the whole file.
    """
    what, hint = _what_it_is(head, size_bytes)
    if what is _UNKNOWN and (number := piece_number(path.name)) is not None and number > 1:
        return BadFile(
            tr("{file} is part {number} of a file that was cut in pieces.", file=readable(path.name), number=number),
            tr("Join the pieces in order into one file first."),
            {"path": str(path), "file_bytes": size_bytes},
        )
    return BadFile(
        tr("{file} is not a GGUF model: it is {what}.", file=readable(path.name), what=tr(what)),
        tr(hint),
        {"path": str(path), "file_bytes": size_bytes},
    )


def _what_it_is(head: bytes, size_bytes: int) -> tuple[str, str]:
    if not head:
        return marked("empty"), _AGAIN
    for first, what, hint in _FIRST_BYTES:
        if head.startswith(first):
            return what, hint
    if head[8:9] == b"{" and 2 <= int.from_bytes(head[:8], "little") <= size_bytes:
        return marked("a safetensors file"), _GET_GGUF
    if not any(head):
        return marked("a file of zeros, a download that has only reserved its space"), _AGAIN
    if head[257:262] == b"ustar":
        return marked("a tar archive"), _UNPACK
    text = _as_text(head)
    start = text.lstrip("\ufeff \t\r\n").lower()
    if start.startswith(_ANSWERS) and size_bytes <= SNIFF_BYTES:
        return marked("the answer of a server that did not give the file"), _SIGN_IN
    if start.startswith(("<!doctype", "<!--", "<html", "<head", "<body", "<script", "<?xml")):
        return marked("a web page"), _SIGN_IN
    if not text:
        return _UNKNOWN, _PICK
    return (marked("a JSON text"), _PICK) if _JSON.match(start) else (marked("a text file"), _PICK)


def piece_number(name: str) -> int | None:
    """Which piece of a file that somebody cut in pieces this is, by its name; None for a whole one."""
    piece = PIECE.search(name)
    if piece is None:
        return None
    letter = piece["letter"]
    return int(piece["number"]) if letter is None else ord(letter.lower()) - ord("a") + 1


def _as_text(head: bytes) -> str:
    """The bytes as text; empty where they are none."""
    encoding = "utf-16" if head.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    try:
        # the last character may be cut in two
        text = head.decode(encoding, errors="ignore" if len(head) == SNIFF_BYTES else "strict")
    except UnicodeDecodeError:
        return ""
    return text if all(char.isprintable() or char in "\t\r\n\ufeff" for char in text) else ""


def cannot_open(path: Path, error: OSError | ValueError) -> BadFile:
    """The error for a path that the operating system refuses, or that is no regular file."""
    fields = {"path": str(path)}
    shown = readable(path.name or str(path))
    if isinstance(error, FileNotFoundError):
        if path.is_symlink():
            return BadFile(
                tr("{file} is a link to a file that is gone.", file=shown),
                tr("Download the model again, or pick another file."),
                fields,
            )
        return BadFile(
            tr("There is no file {file}.", file=shown), tr("Check the path; names are case-sensitive on Linux."), fields
        )
    if isinstance(error, PermissionError):
        return BadFile(
            tr("You have no permission to read {file}.", file=shown),
            tr("Change its permissions, or copy it to a folder of yours."),
            fields,
        )
    if isinstance(error, IsADirectoryError):
        return BadFile(
            tr("{file} is a folder, not a model file.", file=shown),
            tr("Pick the file inside it that ends in .gguf."),
            fields,
        )
    reason = getattr(error, "strerror", None) or str(error)
    return BadFile(
        tr("{file} could not be read ({error}).", file=shown, error=reason),
        tr("Check the path and the disk it is on."),
        fields,
    )
