"""Which engine builds crash in their default mode on this CPU, remembered between runs.

Safe mode gives up one thing after another (``EngineMode``), first the engine's extra buffers. Known cause: with GCC 12
on CPUs with AMX, llama.cpp's AMX code crashes in the first prefill (ggml-org/llama.cpp#26954).
"""

import json
import logging
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from advisor.benchmarks.model import EngineMode

log = logging.getLogger(__name__)

_SCHEMA = 2


@dataclass(frozen=True, slots=True)
class SafeModeReason:
    """Why a build runs in safe mode: what happened, on which day (ISO 8601), and how far down the ladder it is."""

    happened: str
    since: str
    mode: EngineMode


class SafeModes:
    """The remembered choices, one small JSON file; a store that cannot be read or written is only a loss of memory.

    Args:
        path: the file; its folder is made when the first choice is remembered. None remembers nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._session: dict[str, SafeModeReason] = {}

    def reason(self, build: str, cpu: str) -> SafeModeReason | None:
        """Why this build must run in safe mode on this CPU; None for the default mode."""
        key = _key(build, cpu)
        return self._session.get(key) or self._read().get(key)

    def remember(self, build: str, cpu: str, happened: str, mode: EngineMode) -> SafeModeReason:
        """Run this build in safe mode on this CPU from now on."""
        reason = SafeModeReason(happened, date.today().isoformat(), mode)
        self._session[_key(build, cpu)] = reason
        if self._path is not None:
            choices = self._read() | {_key(build, cpu): reason}
            try:
                _write(self._path, choices)
            except OSError as error:
                log.warning("safe mode could not be remembered: %s", error)
        return reason

    def forget(self) -> bool:
        """Forget every remembered choice; whether there was one. Raises OSError where the file cannot be removed."""
        had = bool(self._session or self._read())
        self._session.clear()
        if self._path is not None:
            self._path.unlink(missing_ok=True)
        return had

    def _read(self) -> dict[str, SafeModeReason]:
        if self._path is None:
            return {}
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            stored = json.loads(self._path.read_text(encoding="utf-8"))
            if stored["schema"] == _SCHEMA:
                return {
                    key: SafeModeReason(str(entry["happened"]), str(entry["since"]), EngineMode(entry["mode"]))
                    for key, entry in stored["safe_mode"].items()
                }
        return {}


def _key(build: str, cpu: str) -> str:
    return f"{build} on {cpu}"


def _write(path: Path, choices: dict[str, SafeModeReason]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(
        {
            "schema": _SCHEMA,
            "safe_mode": {
                key: {"happened": r.happened, "since": r.since, "mode": int(r.mode)}
                for key, r in sorted(choices.items())
            },
        },
        indent=1,
    )
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
