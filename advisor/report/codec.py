"""Frozen values to plain JSON values and back, driven by the dataclasses' own types.

A field keeps its name, which states its base unit. A fact becomes ``name`` with ``name_source``, or null with
``name_reason`` and ``name_missing`` (which kind of unknown). Floats stay floats and integers integers, so that
writing what was read gives the same bytes. Unknown keys are passed over and absent ones take the field's
default, so that results of older versions of the same schema still load.
"""

import json
import math
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar, Union

from advisor.core.errors import BadFile
from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.core.translation import tr

T = TypeVar("T")
Json = dict[str, Any]

LARGEST = 10**30
"""Bound of what a result may hold: far above any byte or FLOP count, and NaN and infinity fail it too."""


def json_text(value: Json) -> str:
    """The text of one result, ready to print or to write: indented, UTF-8, ending with a newline."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    # a file name that is no UTF-8 reaches Python with lone surrogates, which no JSON may hold
    return text.encode("utf-8", "replace").decode("utf-8")


def fact_fields(name: str, fact: Known[Any] | Unknown, inner: Any = Any) -> Json:
    """The JSON fields of one fact; a figure that is not finite counts as unknown, JSON has no word for it."""
    if isinstance(fact, Unknown):
        return {name: None, f"{name}_reason": fact.reason, f"{name}_missing": str(fact.kind)}
    if isinstance(fact.value, float) and not math.isfinite(fact.value):
        return fact_fields(name, Unknown("the figure has no bound"))
    return {name: plain(fact.value, inner), f"{name}_source": f"{fact.basis}: {fact.source}"}


def plain_fields(value: Any, leave_out: frozenset[str] = frozenset()) -> Json:
    """A dataclass as a JSON object, fields in the order of their declaration."""
    hints = typing.get_type_hints(type(value))
    result: Json = {}
    for field in fields(value):
        if field.name in leave_out or not field.init:  # made of the others
            continue
        item, hint = getattr(value, field.name), hints[field.name]
        if isinstance(item, Known | Unknown):
            result.update(fact_fields(field.name, item, _fact_inner(hint)))
        else:
            result[field.name] = plain(item, hint)
    return result


def plain(value: Any, hint: Any = Any) -> Any:
    """One value as JSON knows it; ``hint`` is its declared type."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return value.name
    if is_dataclass(value):
        return plain_fields(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item, _arguments(hint, 1)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, _arguments(hint, 0)) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return float(value) if hint is float else value


def _arguments(hint: Any, index: int) -> Any:
    """Type of the items of a tuple (0) or of the values of a mapping (1)."""
    arguments = typing.get_args(hint)
    return arguments[index] if len(arguments) > index else Any


def _fact_inner(hint: Any) -> Any:
    """``T`` of a ``Fact[T]``; None when ``hint`` is no fact."""
    if typing.get_origin(hint) not in (Union, types.UnionType):
        return None
    for option in typing.get_args(hint):
        if typing.get_origin(option) is Known:
            return typing.get_args(option)[0]
    return None


def damaged(where: str, what: str) -> BadFile:
    """The error for a result file that does not say what it should."""
    return BadFile(
        tr("The result file is damaged: {where} {what}.", where=where, what=what),
        tr("Export the report again, or run the diagnosis anew."),
        {"field": where},
    )


def build(cls: type[T], data: Any, where: str, **given: Any) -> T:
    """A dataclass from its JSON object.

    Args:
        cls: a dataclass whose field types this module knows.
        data: the object as ``json.loads`` gives it.
        where: its place in the file, for the message.
        given: fields that are made elsewhere.

    Raises:
        BadFile: when a field is absent, of another type or refused by the dataclass.
    """
    if not isinstance(data, dict):
        raise damaged(where, tr("is not an object"))
    hints = typing.get_type_hints(cls)
    values = dict(given)
    for field in fields(cls):  # type: ignore[arg-type]  # T is a dataclass, which mypy cannot express
        if field.init and field.name not in given:
            _take(values, field, hints[field.name], data, f"{where}.{field.name}")
    try:
        return cls(**values)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise damaged(where, tr("holds impossible values ({why})", why=error)) from error


def _take(values: Json, field: Field[Any], hint: Any, data: Json, where: str) -> None:
    inner = _fact_inner(hint)
    if field.name not in data:
        if field.default is MISSING and field.default_factory is MISSING:
            raise damaged(where, tr("is missing"))
        return
    if inner is not None:
        values[field.name] = build_fact(inner, data, field.name, where)
    else:
        values[field.name] = build_value(hint, data[field.name], where)


def build_fact(inner: Any, data: Json, name: str, where: str) -> Known[Any] | Unknown:
    """A fact from its JSON fields. Raises BadFile."""
    if data.get(name) is None:
        reason = build_value(str, data.get(f"{name}_reason", "not in the file"), f"{where}_reason")
        kind = build_value(Missing, data.get(f"{name}_missing", Missing.FAILED.value), f"{where}_missing")
        return Unknown(reason, kind)
    source: str = build_value(str, data.get(f"{name}_source", ""), f"{where}_source")
    basis, _, words = source.partition(": ")
    return Known(build_value(inner, data[name], where), build_value(Basis, basis, f"{where}_source"), words)


def build_value(hint: Any, data: Any, where: str) -> Any:
    """One value of the declared type. Raises BadFile."""
    origin = typing.get_origin(hint)
    if origin in (Union, types.UnionType):
        options = [option for option in typing.get_args(hint) if option is not type(None)]
        return None if data is None else build_value(_fitting(options, data), data, where)
    if origin is tuple:
        if not isinstance(data, list):
            raise damaged(where, tr("is not a list"))
        return tuple(build_value(typing.get_args(hint)[0], item, f"{where}[{i}]") for i, item in enumerate(data))
    if origin is not None:  # the only other generic in use is Mapping[str, …]
        if not isinstance(data, dict):
            raise damaged(where, tr("is not an object"))
        inner = typing.get_args(hint)[1]
        return {key: build_value(inner, item, f"{where}.{key}") for key, item in data.items()}
    if is_dataclass(hint) and isinstance(hint, type):
        return build(hint, data, where)
    return _build_plain(hint, data, where)


def _fitting(options: list[Any], data: Any) -> Any:
    """Of several dataclasses the one whose required fields are there; the first where none fits or only one is left."""
    for option in options if len(options) > 1 and isinstance(data, dict) else ():
        needed = {each.name for each in fields(option) if each.default is each.default_factory is MISSING}
        if needed <= data.keys():
            return option
    return options[0]


def _build_number(hint: type[float] | type[int], data: Any, where: str) -> float | int:
    kinds = (int,) if hint is int else (int, float)
    if isinstance(data, bool) or not isinstance(data, kinds):
        raise damaged(where, tr("is not a whole number") if hint is int else tr("is not a number"))
    if not -LARGEST <= data <= LARGEST:
        raise damaged(where, tr("is out of any sensible range"))
    return hint(data)


def _build_plain(hint: Any, data: Any, where: str) -> Any:
    if isinstance(hint, type) and issubclass(hint, Enum):
        try:
            return hint(data)
        except ValueError as error:
            raise damaged(where, tr("has an unknown value {value}", value=repr(str(data)[:40]))) from error
    if hint in (float, int):
        return _build_number(hint, data, where)
    if hint is bool and not isinstance(data, bool):
        raise damaged(where, tr("is neither true nor false"))
    if hint is Path and isinstance(data, str):
        return Path(data)
    if hint is str and not isinstance(data, str):
        raise damaged(where, tr("is not a text"))
    return data
