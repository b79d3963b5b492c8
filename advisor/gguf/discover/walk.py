"""A bounded walk over folders that gives model files, from directory entries alone."""

import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from advisor.core.progress import CancelToken
from advisor.core.translation import tr
from advisor.gguf.discover.model import Notes

ENDING = ".gguf"
MAGICS = (b"GGUF", b"FUGG")
"""The second stands in files whose byte order was turned; opening one says so."""

SMALLEST_BYTES = 24
"""A GGUF header without keys and tensors: magic, version and two counts."""
DOUBTFUL_BYTES = 4096
"""Below this a file that ends in .gguf is looked into: Git-LFS pointers and error pages are that small."""

_DIGEST = re.compile(r"(?:sha256[-:])?([0-9a-f]{64})")
_REAL_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,11}")
"""What follows the last dot of ``llama-3.1-8b`` is no ending."""
_LOOK_EVERY = 256

Key = tuple[str, int | str, int]
"""What makes two entries the same file: ("digest", SHA-256, 0), ("inode", device, number) or ("path", real path, 0)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a search ends.

    Attributes:
        depth: folders below the one that was named.
        entries: directory entries looked at, of all places together.
        sniffs: files without an ending whose first four bytes are read.
    """

    depth: int = 8
    entries: int = 200_000
    sniffs: int = 4_000


@dataclass(frozen=True, slots=True)
class FoundFile:
    """One entry that is, or links to, a model file."""

    folder: str
    name: str
    size_bytes: int
    keys: tuple[Key, ...]


class Walk:
    """One search's walks, which share their limits, notes and cancel token."""

    def __init__(self, cancel: CancelToken, notes: Notes, limits: Limits) -> None:
        self._cancel = cancel
        self._notes = notes
        self._depth = limits.depth
        self._entries = limits.entries
        self._sniffs = limits.sniffs

    def files(
        self, root: str, *, sniff: bool = False, named: bool = False, enter: Callable[[str], bool] = lambda name: True
    ) -> Iterator[FoundFile]:
        """Model files in and below a folder; links are followed, and each folder is entered once.

        Args:
            root: the folder; when it does not exist nothing is given, and no note unless it was ``named``.
            sniff: whether files without an ending are looked into for the magic.
            named: whether the user named this folder.
            enter: which folders to go into, by name; hidden ones never.

        Raises:
            Cancelled: between two entries, once the token is set.
        """
        waiting = [(root, 0)]
        entered: set[Key] = set()
        while waiting:
            folder, depth = waiting.pop()
            for entry in self.entries(folder, entered, quiet=depth == 0 and not named):
                try:
                    if entry.is_dir():
                        if depth < self._depth and not entry.name.startswith(".") and enter(entry.name):
                            waiting.append((entry.path, depth + 1))
                        continue
                    found = self._file(folder, entry, sniff)
                except OSError as error:
                    self._notes.add(self._sentence(entry.path, error))
                    continue
                if found is not None:
                    yield found

    def entries(self, folder: str, entered: set[Key], quiet: bool = False) -> Iterator[os.DirEntry[str]]:
        """The entries of one folder, once; a folder that cannot be read gives a note and nothing more."""
        try:
            self._cancel.raise_if_cancelled()
            key = _identity(os.stat(folder), folder)  # noqa: PTH116 -- a Path for each entry takes half of the time
            if key in entered:
                return
            entered.add(key)
            with os.scandir(folder) as listing:
                for number, entry in enumerate(listing):
                    if number % _LOOK_EVERY == 0:
                        self._cancel.raise_if_cancelled()
                    if self._entries <= 0:
                        self._notes.add(
                            tr(
                                "The search ended at {folder}: there are too many files.",
                                folder=self._notes.short(folder),
                            )
                        )
                        return
                    self._entries -= 1
                    yield entry
        except (FileNotFoundError, NotADirectoryError) as error:
            if not quiet:
                self._notes.add(self._sentence(folder, error))
        except (OSError, ValueError) as error:
            self._notes.add(self._sentence(folder, error))

    def _file(self, folder: str, entry: os.DirEntry[str], sniff: bool) -> FoundFile | None:
        name = entry.name
        ends_right = name.lower().endswith(ENDING)
        if not ends_right and not (sniff and not _REAL_ENDING.fullmatch(os.path.splitext(name)[1])):  # noqa: PTH122
            return None
        state = entry.stat()
        if not stat.S_ISREG(state.st_mode):
            return None
        if not ends_right:
            if self._sniffs <= 0 or state.st_size < SMALLEST_BYTES:
                return None
            self._sniffs -= 1
            if not has_magic(entry.path):
                return None
        elif state.st_size < DOUBTFUL_BYTES and not has_magic(entry.path):
            self._notes.add(tr("{file} is not a model, in spite of its name.", file=self._notes.short(entry.path)))
            return None
        return FoundFile(folder, name, state.st_size, _keys(entry, state))

    def _sentence(self, path: str, error: OSError | ValueError) -> str:
        shown = self._notes.short(path)
        if isinstance(error, FileNotFoundError):
            gone_link = os.path.islink(path)  # noqa: PTH114
            return (
                tr("{file} is a link to something that is gone.", file=shown)
                if gone_link
                else tr("{file} is not there.", file=shown)
            )
        if isinstance(error, PermissionError):
            return tr("You have no permission to read {file}.", file=shown)
        return tr("{file} could not be read ({error}).", file=shown, error=getattr(error, "strerror", None) or error)


def has_magic(path: str) -> bool:
    """Whether a regular file begins as GGUF does; raises OSError where it cannot be read."""
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123
        return file.read(4) in MAGICS


def digest_key(name: str) -> Key | None:
    """The key of a file that is named after its SHA-256, as Ollama and the Hugging Face cache do."""
    named = _DIGEST.fullmatch(name)
    return ("digest", named[1], 0) if named else None


def file_key(path: str) -> Key:
    """Device and inode of a path, its links followed; raises OSError."""
    return _identity(os.stat(path), path)  # noqa: PTH116


def _keys(entry: os.DirEntry[str], state: os.stat_result) -> tuple[Key, ...]:
    # On Windows a listing does not tell the inode; asking for it takes a call of its own.
    inode = _identity(state, entry.path) if state.st_ino else file_key(entry.path)
    name = os.path.basename(os.readlink(entry.path)) if entry.is_symlink() else entry.name  # noqa: PTH115, PTH119
    digest = digest_key(name)
    return (inode,) if digest is None else (inode, digest)


def _identity(state: os.stat_result, path: str) -> Key:
    return ("inode", state.st_dev, state.st_ino) if state.st_ino else ("path", os.path.realpath(path), 0)
