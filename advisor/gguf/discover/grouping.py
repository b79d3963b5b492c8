"""From files to models: sets of shards become one, the same file under several names becomes one."""

import os
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from advisor.core.numbers import plural
from advisor.gguf.discover.model import FoundModel, Source
from advisor.gguf.discover.walk import ENDING, FoundFile, Key, digest_key
from advisor.gguf.readable import readable
from advisor.gguf.shards import MAX_SHARDS, SHARD_NAME

NOT_MODELS = ("mmproj", "imatrix")
"""Words in the names of files that share the ending and are no models by themselves."""

_EMPTY_NAMES = frozenset({"model", "ggml-model", "ggml-model-q4_0", "ggml-model-f16"})
"""File names that say nothing; the folder's name does."""
_LLAMA_CPP_PREFIX = re.compile(r".+?-gguf_", re.IGNORECASE)
"""llama.cpp writes ``USER_REPOSITORY-GGUF_FILE.gguf``."""
_DIGITS = re.compile(r"(\d+)")


def not_a_model(word: str, number: int) -> str:
    """So many files with this word of ``NOT_MODELS`` in their names, called by what they are."""
    if word == "imatrix":
        return plural(number, "importance matrix", "importance matrices")
    return plural(number, "vision part (mmproj)", "vision parts (mmproj)")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model under one of its names, and what its first file is recognised by."""

    model: FoundModel
    keys: tuple[Key, ...]


def candidates(files: Iterable[FoundFile], source: Source, left_out: dict[str, int]) -> list[Candidate]:
    """Models of one place; each set of shards once, under its first file.

    Args:
        files: of that place.
        source: whose place it is.
        left_out: by the words of ``NOT_MODELS``; files that are none are counted here.
    """
    singles: list[FoundFile] = []
    sets: dict[tuple[str, str, int], dict[int, FoundFile]] = {}
    for file in files:
        lower = file.name.lower()
        word = next((word for word in NOT_MODELS if word in lower), "")
        if word:
            left_out[word] = left_out.get(word, 0) + 1
            continue
        shard = SHARD_NAME.fullmatch(file.name)
        number, count = (int(shard["number"]), int(shard["count"])) if shard else (0, 0)
        if shard and 1 <= number <= count <= MAX_SHARDS:
            sets.setdefault((file.folder, shard["stem"], count), {})[number] = file
        else:
            singles.append(file)
    found = [_candidate(shown_name(file.name, file.folder, source), (file,), 1, source) for file in singles]
    for (folder, stem, count), shards in sets.items():
        present = tuple(shards[number] for number in sorted(shards))
        found.append(_candidate(shown_name(stem, folder, source), present, count, source))
    return found


def shown_name(file_name: str, folder: str, source: Source) -> str:
    """The name that a person knows a file by; on one line, in composed Unicode."""
    name = file_name[: -len(ENDING)] if file_name.lower().endswith(ENDING) else file_name
    if source is Source.LLAMA_CPP:
        name = _LLAMA_CPP_PREFIX.sub("", name, count=1) or name
    if name.lower() in _EMPTY_NAMES:
        name = os.path.basename(folder) or name  # noqa: PTH119
    return readable(unicodedata.normalize("NFC", name)) or ENDING


def merged(found: Iterable[Candidate]) -> tuple[FoundModel, ...]:
    """Each file once, under its nicest name, sorted by name."""
    groups: list[list[FoundModel]] = []
    where: dict[Key, int] = {}
    for candidate in found:
        known = sorted({where[key] for key in candidate.keys if key in where})
        target = known[0] if known else len(groups)
        if not known:
            groups.append([])
        groups[target].append(candidate.model)
        for other in known[1:]:
            # This file shows that two groups are one: it has the inode of the first and the digest of the second.
            groups[target] += groups[other]
            groups[other] = []
            where = {key: target if group == other else group for key, group in where.items()}
        where.update(dict.fromkeys(candidate.keys, target))
    return tuple(sorted((min(group, key=_niceness) for group in groups if group), key=_order))


def _candidate(name: str, present: tuple[FoundFile, ...], shards: int, source: Source) -> Candidate:
    first = present[0]
    size_bytes = sum(file.size_bytes for file in present)
    model = FoundModel(name, Path(first.folder, first.name), size_bytes, source, shards, shards - len(present))
    return Candidate(model, first.keys)


def _niceness(model: FoundModel) -> tuple[object, ...]:
    rank = list(Source).index(model.source)
    return (
        model.missing_shards,
        digest_key(model.name) is not None,
        rank,
        model.name.endswith(":latest"),
        len(model.name),
        model.name,
        str(model.path),
    )


def _order(model: FoundModel) -> tuple[object, ...]:
    """As people sort: without regard to case, 8B before 70B; ties by place, so that the order never changes."""
    pieces = _DIGITS.split(model.name.casefold())
    natural = tuple((int(piece), "") if piece.isascii() and piece.isdigit() else (-1, piece) for piece in pieces)
    return natural, model.source.value, str(model.path)
