"""Leaves out of results what names the user: home folders, user names in paths, full paths of model files."""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar, cast

T = TypeVar("T")

_HOMES: Final = re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\+Users\\+)[^/\\\s\"':;,]+")
"""Home folders of the usual systems, whoever they belong to: results of other machines pass through here too."""


def shortened(text: str, home: Path | None = None) -> str:
    """The text with every home folder written as ``~``.

    Args:
        text: anything shown or stored, a command line or an engine's message for example.
        home: this user's home folder; the running user's when not given.
    """
    own = str(home if home is not None else Path.home())
    if len(own) > 1:
        text = re.sub(re.escape(own) + r"(?=$|[/\\\s\"':;,)])", "~", text)
    return _HOMES.sub("~", text)


def without_personal_paths(value: T, home: Path | None = None) -> T:
    """The same frozen value with paths cut to the file name and home folders shortened in every text."""
    return cast(T, _cleaned(value, home))


def _cleaned(value: Any, home: Path | None) -> Any:
    if isinstance(value, str):
        # An enumeration's member is a str as well and must stay what it is.
        return shortened(value, home) if type(value) is str else value
    if isinstance(value, Path):
        return Path(value.name)
    if isinstance(value, tuple):
        return tuple(_cleaned(item, home) for item in value)
    if isinstance(value, Mapping):
        return {key: _cleaned(item, home) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _cleaned(getattr(value, f.name), home) for f in fields(value)})
    return value
