"""Frozen values to plain JSON values and back, so that a new setting needs no new column.

``advisor.report.codec`` serves documents, with sources and reasons beside their figures; this one is for our own file
and only has to give the same value back.
"""

import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path, PurePath
from typing import Any, Union

Json = dict[str, Any]


def encode(value: Any) -> Any:
    """A frozen value as ``json.dumps`` takes it."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: encode(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    return str(value) if isinstance(value, PurePath) else value


def decode(hint: Any, data: Any) -> Any:
    """The value of the declared type; unknown keys are passed over, absent ones take the field's default.

    Raises:
        ValueError: when the data does not fit.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return _decode_union(arguments, data)
    if origin is tuple:
        _expect(isinstance(data, list), hint, data)
        each = [arguments[0]] * len(data) if arguments[-1] is Ellipsis else arguments
        return tuple(decode(kind, item) for kind, item in zip(each, data, strict=True))
    if origin is not None and issubclass(origin, Mapping):
        _expect(isinstance(data, dict), hint, data)
        return {key: decode(arguments[1], item) for key, item in data.items()}
    if isinstance(hint, type) and is_dataclass(hint):
        _expect(isinstance(data, dict), hint, data)
        return _decode_dataclass(hint, data)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(data)
    if hint is Path:
        _expect(isinstance(data, str), hint, data)
        return Path(data)
    if hint is float:
        _expect(isinstance(data, int | float) and not isinstance(data, bool), hint, data)
        return float(data)
    if hint in (int, bool, str):
        _expect(type(data) is hint, hint, data)
    return data


def unknown_fields(cls: type, data: Mapping[str, Any]) -> Json:
    """What ``data`` holds beside the fields of the dataclass."""
    known = {each.name for each in fields(cls)}
    return {key: value for key, value in data.items() if key not in known}


@cache
def _hints(cls: type) -> Mapping[str, Any]:
    """Types of the fields, which are strings until they are asked for; that takes half of the time of a small value."""
    return types.MappingProxyType(typing.get_type_hints(cls))


def _decode_dataclass(cls: type, data: Json) -> Any:
    hints = _hints(cls)
    values = {each.name: decode(hints[each.name], data[each.name]) for each in fields(cls) if each.name in data}
    try:
        return cls(**values)
    except TypeError as error:
        raise ValueError(f"{cls.__name__}: {error}") from error


def _decode_union(options: tuple[Any, ...], data: Any) -> Any:
    """The first option that fits; of two dataclasses (a fact), the one whose required fields are there."""
    if data is None and type(None) in options:
        return None
    for option in options:
        shape = typing.get_origin(option) or option
        if isinstance(data, dict) and isinstance(shape, type) and is_dataclass(shape):
            needed = {each.name for each in fields(shape) if each.default is each.default_factory is MISSING}
            if not needed <= data.keys():
                continue
            if shape is not option:
                return _decode_generic(shape, typing.get_args(option), data)
        try:
            return decode(option, data)
        except ValueError:
            continue
    raise ValueError(f"{data!r:.60} fits none of {options}")


def _decode_generic(cls: type, arguments: tuple[Any, ...], data: Json) -> Any:
    """A generic dataclass of one parameter (``Known[int]``)."""
    hints = {
        name: arguments[0] if isinstance(hint, typing.TypeVar) else hint
        for name, hint in _hints(cls).items()
    }
    return cls(**{each.name: decode(hints[each.name], data[each.name]) for each in fields(cls) if each.name in data})


def _expect(fits: bool, hint: Any, data: Any) -> None:
    if not fits:
        raise ValueError(f"{data!r:.60} is no {getattr(hint, '__name__', hint)}")
