"""One model in several files: ``NAME-00001-of-00003.gguf``. Any of them opens the whole set."""

import re
from dataclasses import dataclass
from pathlib import Path

from advisor.core import numbers
from advisor.core.errors import BadFile
from advisor.core.translation import tr, trn
from advisor.gguf.cursor import damaged
from advisor.gguf.header import Header, TensorInfo
from advisor.gguf.keys import Keys
from advisor.gguf.readable import readable
from advisor.gguf.reader import read_header

SHARD_NAME = re.compile(r"(?P<stem>.+)-(?P<number>[0-9]{5})-of-(?P<count>[0-9]{5})(?P<suffix>\.[^.]+)?", re.DOTALL)
MAX_SHARDS = 1024


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """All files of one model.

    Attributes:
        first: the header that holds the model's keys.
        tensors: of all files, in order.
        file_bytes: of all files together.
        shards: how many files there are.
        first_path: the first of them.
        notes: of all headers.
    """

    first: Header
    tensors: tuple[TensorInfo, ...]
    file_bytes: int
    shards: int
    notes: tuple[str, ...]
    first_path: Path


def read_files(path: Path) -> ModelFiles:
    """Read the header of a file, and of its siblings when it is one of a set.

    Siblings are looked for beside the path as given, not beside the target of a link.

    Raises:
        BadFile: as ``read_header``; also when files of the set are missing or do not belong together.
    """
    header = read_header(path)
    count = Keys(header.keys, "").count(".split.count") or 1
    if count == 1:
        return ModelFiles(header, header.tensors, header.file_bytes, 1, header.notes, path)
    siblings = _siblings(path, count)
    headers = [header if sibling == path else read_header(sibling) for sibling in siblings]
    tensors = tuple(tensor for each in headers for tensor in each.tensors)
    declared = Keys(headers[0].keys, "").count(".split.tensors.count")
    if declared is not None and declared != len(tensors):
        raise _damaged(
            path,
            tr(
                "its set declares {declared} tensors, and the {count} files hold {tensors}",
                declared=numbers.count(declared),
                count=count,
                tensors=numbers.count(len(tensors)),
            ),
        )
    if len({tensor.name for tensor in tensors}) != len(tensors):
        raise _damaged(path, tr("the files of its set hold a tensor twice"))
    return ModelFiles(
        first=headers[0],
        tensors=tensors,
        file_bytes=sum(each.file_bytes for each in headers),
        shards=count,
        notes=tuple(dict.fromkeys(note for each in headers for note in each.notes)),
        first_path=siblings[0],
    )


def _siblings(path: Path, count: int) -> list[Path]:
    named = SHARD_NAME.fullmatch(path.name)
    if count > MAX_SHARDS:
        raise _damaged(path, tr("it claims to be one of {count} files", count=numbers.count(count)))
    if not named or int(named["count"]) != count:
        raise BadFile(
            tr(
                "{file} is one of {count} files of a model, but its name does not say which.",
                file=readable(path.name),
                count=count,
            ),
            tr(
                "Give it back its name, NAME-00001-of-{number}.gguf or the like, and put the others beside it.",
                number=format(count, "05d"),
            ),
            {"path": str(path), "shards": count},
        )
    suffix = named["suffix"] or ""
    names = [f"{named['stem']}-{number:05d}-of-{count:05d}{suffix}" for number in range(1, count + 1)]
    missing = [name for name in names if not (path.parent / name).exists()]
    if missing:
        shown = ", ".join(readable(name) for name in missing[:3])
        if len(missing) > 3:
            shown = tr("{files} and {more} more", files=shown, more=len(missing) - 3)
        raise BadFile(
            trn(
                "{file} is one of {all} files of a model, and {n} of them is missing: {files}.",
                "{file} is one of {all} files of a model, and {n} of them are missing: {files}.",
                len(missing), file=readable(path.name), all=count, n=len(missing), files=shown,
            ),
            tr("Download the missing files into the same folder."),
            {"path": str(path), "missing": missing},
        )
    return [path if name == path.name else path.parent / name for name in names]


def _damaged(path: Path, what: str) -> BadFile:
    error = damaged(readable(path.name), what)
    error.fields = {"path": str(path)}
    return error
