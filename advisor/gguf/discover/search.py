"""The search itself: every place once, then one sorted list."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from advisor.core.progress import CancelToken
from advisor.core.translation import tr
from advisor.gguf.discover.grouping import Candidate, candidates, merged, not_a_model
from advisor.gguf.discover.model import Discovery, Home, Notes
from advisor.gguf.discover.ollama import ollama_models
from advisor.gguf.discover.places import Layout, Place, places, user_place
from advisor.gguf.discover.walk import FoundFile, Limits, Walk


def discover(
    home: Home,
    folders: Iterable[Path] = (),
    own: Iterable[Place] = (),
    cancel: CancelToken | None = None,
    limits: Limits | None = None,
) -> Discovery:
    """The models of a home, of the program itself and of folders that the user named.

    Reads directory entries and sizes, Ollama's manifests, and four bytes of files without an ending and of very small
    ones. What cannot be read gives a note; no file system error is raised.

    Raises:
        Cancelled: soon after the token is set, unless a drive does not answer.
    """
    notes = Notes(home.folder)
    walk = Walk(cancel or CancelToken(), notes, limits or Limits())
    named = [place for folder in folders for place in user_place(folder)]
    found: list[Candidate] = []
    for place in _each_once((*own, *places(home), *named)):
        if place.layout is Layout.OLLAMA:
            found += ollama_models(place.folder, walk, notes)
        else:
            left_out: dict[str, int] = {}
            found += candidates(_files(place, walk), place.source, left_out)
            if place.named:
                for word, number in left_out.items():
                    what = not_a_model(word, number)
                    notes.add(
                        tr(
                            "Not listed from {folder}: {what}, no model by itself.",
                            folder=notes.short(place.folder),
                            what=what,
                        )
                    )
    return Discovery(merged(found), notes.collected())


def _files(place: Place, walk: Walk) -> Iterator[FoundFile]:
    enter = _enter_hub if place.layout is Layout.HUB else _enter_any
    return walk.files(str(place.folder), sniff=place.named, named=place.named, enter=enter)


def _enter_any(name: str) -> bool:
    return True


def _enter_hub(name: str) -> bool:
    """Not into the blobs, which the snapshots link to, nor into data sets with their many small files."""
    return name not in ("blobs", "refs") and not name.startswith(("datasets--", "spaces--"))


def _each_once(wanted: Iterable[Place]) -> Iterator[Place]:
    """Without folders that are the same in the end; the first name stays."""
    seen = set()
    for place in wanted:
        try:
            real = os.path.realpath(place.folder)
        except (OSError, ValueError):
            real = str(place.folder)
        key = (os.path.normcase(real), place.layout)
        if key not in seen:
            seen.add(key)
            yield place
