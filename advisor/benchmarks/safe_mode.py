"""What the self-test found for each engine build on this CPU and device, remembered between runs."""

import json
import logging
import os
import tempfile
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from advisor.benchmarks.failures import crashed_before
from advisor.benchmarks.known_faults import FaultId, told
from advisor.benchmarks.model import EngineCheck, EngineMode
from advisor.hardware.model import Cpu

log = logging.getLogger(__name__)

_SCHEMA: Final = 3


class SafeModes:
    """The remembered checks, one small JSON file; a store that cannot be read or written is only a loss of memory.

    Nothing is held between calls, so two windows see what the other one found or forgot. Two that write in the same
    moment lose one check, which is then made again.

    Args:
        path: the file; its folder is made when the first check is remembered. None remembers for this object only.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._unsaved: dict[str, EngineCheck] = {}

    def find(self, build: str, cpu: str, device: str) -> EngineCheck | None:
        """What was found for this build, or None where it was never tested."""
        key = _key(build, cpu, device)
        return self._read().get(key) or self._unsaved.get(key)

    def remember(self, build: str, cpu: str, device: str, check: EngineCheck) -> None:
        """Keep what was found."""
        key = _key(build, cpu, device)
        if self._path is not None:
            try:
                _write(self._path, self._read() | {key: check})
            except OSError as error:
                log.warning("what the engine's self-test found could not be remembered: %s", error)
            else:
                return
        self._unsaved[key] = check

    def forget(self) -> bool:
        """Forget everything; whether there was anything. Raises OSError where the file cannot be removed."""
        had = bool(self._unsaved or self._read())
        self._unsaved.clear()
        if self._path is not None:
            self._path.unlink(missing_ok=True)
        return had

    def _read(self) -> dict[str, EngineCheck]:
        if self._path is None:
            return {}
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            stored = json.loads(self._path.read_text(encoding="utf-8"))
            if stored["schema"] == _SCHEMA:
                return {str(key): _check(entry) for key, entry in stored["checks"].items()}
        return {}


def cpu_key(cpu: Cpu) -> str:
    """What remembered checks name this processor by."""
    return cpu.name.or_none() or cpu.architecture


def _key(build: str, cpu: str, device: str) -> str:
    return f"{build} on {cpu}, {device}"


def _check(entry: dict[str, Any]) -> EngineCheck:
    """A remembered check, its words made anew where it is known what they are about: the language may have changed."""
    words = {name: str(entry[name]) for name in ("happened", "fault", "remedy", "since")}
    keys = {name: str(entry.get(name, "")) for name in ("stage", "signal", "fault_id")}
    check = EngineCheck(mode=EngineMode(entry["mode"]), **words, **keys)
    if check.signal:
        check = replace(check, happened=crashed_before(check.stage, check.signal))
    if check.fault_id in set(FaultId):
        fault = told(FaultId(check.fault_id))
        check = replace(check, fault=fault.sentence, remedy=fault.remedy)
    return check


def _write(path: Path, checks: dict[str, EngineCheck]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = {key: asdict(check) | {"mode": int(check.mode)} for key, check in sorted(checks.items())}
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(json.dumps({"schema": _SCHEMA, "checks": entries}, indent=1))
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
