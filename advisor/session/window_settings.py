"""What the window keeps from one start to the next: one small JSON file, declared once."""

import json
import logging
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from advisor.core.errors import AdvisorError
from advisor.diagnosis.model import Workload
from advisor.diagnosis.workload import PRESETS
from advisor.report.codec import build, build_value, json_text, plain_fields

log = logging.getLogger(__name__)

SCHEMA: Final = 1
"""Counted up when a key changes its meaning; a new key with a default needs no new number."""

FIRST_PRESET: Final = "rag"
LARGEST_BYTES: Final = 100_000


@dataclass(frozen=True, slots=True)
class WindowSettings:
    """Each field has a default, so that a key that is missing or damaged costs itself only.

    Attributes:
        theme: "system", "light", "dark" or "contrast".
        geometry: place and size as Qt writes them, in hexadecimal; empty for the usual ones.
        model: path of the model opened last; empty for none.
        workload: what was asked last.
        server: address of the server in the form, without user, password, key and query; empty for none.
        still: as little as possible moves.
        language: "system", or a language of its own: "en", "de".
    """

    theme: str = "system"
    geometry: str = ""
    model: str = ""
    workload: Workload = PRESETS[FIRST_PRESET]
    server: str = ""
    still: bool = False
    language: str = "system"


DEFAULTS: Final = WindowSettings()


def read_settings(path: Path) -> WindowSettings:
    """The settings of that file; the defaults where it is missing, damaged or of a newer version."""
    held = _held(path)
    if held is None or _is_newer(held):
        return DEFAULTS
    values: dict[str, Any] = {}
    for field in fields(WindowSettings):
        if field.name in held:
            try:
                values[field.name] = _value(field.type, held[field.name])
            except AdvisorError as error:
                log.warning("the setting %s is not used: %s", field.name, error.sentence)
    return WindowSettings(**values)


def write_settings(path: Path, settings: WindowSettings) -> None:
    """Replace the file as a whole; of two windows the one closed last counts. A newer version's file is left alone.

    A failure costs the settings and is only logged: the window is closing.
    """
    from advisor.report.exporters.files import write_atomically  # not needed before the window closes

    held = _held(path)
    if held is not None and _is_newer(held):
        log.warning("the settings are of a newer version and stay as they are")
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json_text({"schema": SCHEMA, **plain_fields(settings)}))
    except (OSError, AdvisorError) as error:
        log.warning("the settings could not be written: %s", error)


def _value(hint: Any, data: object) -> Any:
    return build(Workload, data, "workload") if hint is Workload else build_value(hint, data, "setting")


def _is_newer(held: dict[str, Any]) -> bool:
    schema = held.get("schema")
    return isinstance(schema, int) and schema > SCHEMA


def _held(path: Path) -> dict[str, Any] | None:
    try:
        with path.open("rb") as stream:
            held = json.loads(stream.read(LARGEST_BYTES))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        log.warning("the settings cannot be read: %s", error)
        return None
    return held if isinstance(held, dict) else None
