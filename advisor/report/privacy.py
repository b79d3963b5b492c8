"""Leaves out of results what names the user: home folders, user names in paths, full paths of model files."""

import os
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from advisor.core.home import home_folder

T = TypeVar("T")

_HOMES: Final = re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\+Users\\+)[^/\\\s\"':;,]+")
"""Home folders of the usual systems, whoever they belong to: results of other machines pass through here too."""


_MODEL_FILES: Final = re.compile(
    r"(?<![\w./\\~-])(?:~|[A-Za-z]:)?[/\\](?:[^/\\\s\"'`]+[/\\]+)*(?=[^/\\\s\"'`]+\.gguf\b)", re.IGNORECASE
)
"""The folders of a model file in a text; one with a space in its name is known only where it is the model's own."""


def shortened(text: str, home: Path | None = None) -> str:
    """The text with every home folder written as ``~``.

    Args:
        text: anything shown or stored, a command line or an engine's message for example.
        home: this user's home folder; the running user's when not given.
    """
    own = str(home if home is not None else home_folder() or "")
    if len(own) > 1:
        text = re.sub(re.escape(own) + r"(?=$|[/\\\s\"':;,)])", "~", text)
    return _HOMES.sub("~", text)


def without_personal_paths(value: T, home: Path | None = None, model_path: Path | None = None) -> T:
    """The same frozen value with paths cut to the file name and home folders shortened in every text.

    Args:
        value: any frozen value, or a text.
        home: this user's home folder; the running user's when not given.
        model_path: where the model lies; in texts its folder is left out, so that the file name alone remains. Other
            model files in texts (an engine names each part of a set) keep their file names alone as well.
    """
    return cast(T, _cleaned(value, home or home_folder(), _folders(model_path)))


def _folders(path: Path | None) -> tuple[str, ...]:
    """How a text may write the folder of that file, longest first; none for a bare name and for the root."""
    if path is None:
        return ()
    spelled = {str(path.parent), str(path.absolute().parent), os.path.realpath(path.parent)}
    return tuple(sorted((one for one in spelled if len(one) > 1), key=lambda one: (-len(one), one)))


def _without_folders(text: str, folders: tuple[str, ...]) -> str:
    for folder in folders:
        text = re.sub(rf"(?<![^\s\"'`(=:“‘]){re.escape(folder)}[/\\]+(?=[^/\\\s])", "", text)
    return _MODEL_FILES.sub("", text)


def _cleaned(value: Any, home: Path | None, folders: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        # An enumeration's member is a str as well and must stay what it is.
        return shortened(_without_folders(value, folders), home) if type(value) is str else value
    if isinstance(value, Path):
        return Path(value.name)
    if isinstance(value, tuple):
        return tuple(_cleaned(item, home, folders) for item in value)
    if isinstance(value, Mapping):
        return {key: _cleaned(item, home, folders) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        given = (each.name for each in fields(value) if each.init)
        return replace(value, **{name: _cleaned(getattr(value, name), home, folders) for name in given})
    return value
