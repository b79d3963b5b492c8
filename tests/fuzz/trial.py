"""One input, read as the program would read it; whatever is neither facts nor a refusal escapes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto
from pathlib import Path
from zlib import crc32

from advisor.core.errors import BadFile
from advisor.gguf.architecture import read_model
from advisor.gguf.model import ModelFacts
from advisor.gguf.readable import SHOWN_CHARACTERS
from tests.fuzz import searching
from tests.fuzz.skeleton import taken_apart
from tests.fuzz.world import BEHIND_BYTES, HUGE, unpacked, written
from tests.support.consistency import check

LONGEST_SENTENCE = 8 * SHOWN_CHARACTERS


EXPORTED_EVERY = 4
"""One input in so many is exported as JSON, too."""
HOLE_BYTES = 4096
"""As much of the hole as the second reader looks at."""


class Outcome(Enum):
    """What became of an input."""

    REFUSED = auto()
    """BadFile, with its sentence and hint."""
    FACTS = auto()
    """Facts of a file whose traffic is not known."""
    TRAFFIC = auto()
    """Facts with the traffic of a step."""
    SEARCHED = auto()
    """A search for models that found what it could."""


def tried(data: bytes, folder: Path) -> Outcome:
    """Read an input and check whatever comes of it.

    Raises:
        AssertionError: when facts contradict each other or the file, or a refusal is not worded as one.
    """
    if data.startswith(searching.FIRST):
        searching.searched(data, folder)
        return Outcome.SEARCHED
    paths = written(data, folder)
    try:
        model = read_model(paths[-1])
    except BadFile as error:
        _check_refusal(error, paths[-1])
        return Outcome.REFUSED
    finally:
        sizes = [path.stat().st_size for path in paths]
        for path in paths:
            path.unlink()
    check(model, exported=crc32(data) % EXPORTED_EVERY == 0)
    _check_against_bytes(model, data, sizes)
    return Outcome.FACTS if model.traffic.or_none() is None else Outcome.TRAFFIC


@contextmanager
def little_memory(more_bytes: int = 256 * 2**20) -> Iterator[None]:
    """Within it, no more than this can be allocated beyond what is taken already (Linux; elsewhere no limit)."""
    taken = Path("/proc/self/statm")
    if not taken.exists():
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    limit = int(taken.read_text().split()[0]) * resource.getpagesize() + more_bytes
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def small(data: bytes) -> bool:
    """Whether the files of an input are small enough that reading them must be quick."""
    return unpacked(data)[0] != HUGE


def _check_refusal(error: BadFile, path: Path) -> None:
    assert error.sentence.endswith("."), error.sentence
    assert error.hint.endswith("."), error.hint
    # a refusal may name another file of the set
    assert path.name.partition("-")[0] in error.sentence
    for text in (error.sentence, error.hint):
        assert len(text) <= LONGEST_SENTENCE, text[:300]
        assert text.isprintable(), repr(text)
    assert str(error.fields["path"]).startswith(os.fspath(path.parent))


def _check_against_bytes(model: ModelFacts, data: bytes, sizes: list[int]) -> None:
    """What a second reader finds in the same bytes."""
    behind, headers = unpacked(data)
    # a header may go on into the hole behind it
    hole = bytes(min(BEHIND_BYTES[behind], HOLE_BYTES))
    found = [skeleton for header in headers if (skeleton := taken_apart(header + hole)) is not None]
    if model.file_bytes == sizes[-1]:
        # the last file says nothing of a set, and was read alone
        found = found[-1:]
    else:
        assert model.file_bytes == sum(sizes)
    if all(skeleton.complete for skeleton in found):
        assert model.parameters == sum(skeleton.elements for skeleton in found)
