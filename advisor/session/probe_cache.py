"""Probes of this machine kept between runs, so that the next model's ceilings need no measuring where they are known.

One small JSON file. An entry belongs to an engine build, a device, a processor, a number of threads and a step of safe
mode; what was measured while something else ran is not kept. A file that cannot be read counts as none.
"""

import json
import logging
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final, TypeVar

from advisor.benchmarks.engine_variables import steering
from advisor.benchmarks.engines.engine import Probed
from advisor.benchmarks.model import EngineDevice, EngineFacts
from advisor.benchmarks.safe_mode import cpu_key
from advisor.ceilings.kernels import AttentionTime, KernelTable, KernelTime, OperationTime
from advisor.ceilings.model import ArithmeticProbe, ReadProbe
from advisor.ceilings.roofline import SAME_SET
from advisor.core.evidence import Fact, Known, Missing, Unknown
from advisor.hardware.model import Machine

log = logging.getLogger(__name__)

SCHEMA: Final = 1
MAX_AGE: Final = timedelta(days=30)
"""Drivers, firmware and cooling change; a month-old figure is measured again."""
MAX_READS: Final = 64
_NOT_KEPT: Final = Unknown("kept from an earlier run", Missing.NOT_APPLICABLE)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ProbeKey:
    """What probes depend on; they are never used under another key."""

    build: str
    device: str
    cpu: str
    threads: int
    extra_buffers: bool

    def __str__(self) -> str:
        mode = "default mode" if self.extra_buffers else "no extra buffers"
        return f"{self.build} on {self.device}, {self.cpu}, {self.threads} threads, {mode}"


class ProbeCache:
    """The kept probes.

    Args:
        path: the file; its folder is made when something is kept.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def find(self, key: ProbeKey, request: Mapping[str, Any]) -> tuple[Probed, str] | None:
        """Probes that answer the request ``ceilings``, and the day of the oldest; None where one is lacking."""
        entry = self._entry(key)
        if entry is None or not wanted(request) <= set(map(str, entry["tried"])):
            return None
        with suppress(TypeError, KeyError, ValueError, AttributeError):
            probed = _probed(entry)
            largest = max((probe.bytes_per_pass for probe in probed.reads), default=0)
            if largest >= SAME_SET * request["read"]["bytes"]:
                return probed, str(entry["measured_on"])
        return None

    def keep(self, key: ProbeKey, request: Mapping[str, Any], probed: Probed) -> None:
        """Add undisturbed probes to those of the same key; newer rows replace older ones of the same kernel."""
        if probed.disturbed or probed.notes:
            return
        stored, entry = self._read(), self._entry(key)
        before, tried, day = Probed((), (), ()), set(), ""
        if entry is not None:
            with suppress(TypeError, KeyError, ValueError, AttributeError):
                before, tried, day = _probed(entry), {str(name) for name in entry["tried"]}, str(entry["measured_on"])
        stored["entries"][str(key)] = {
            "measured_on": day or date.today().isoformat(),
            "tried": sorted(tried | wanted(request)),
            "reads": _rows(before.reads, probed.reads, ("kernel", "threads", "bytes_per_pass"))[-MAX_READS:],
            "arithmetic": _rows(
                before.arithmetic, probed.arithmetic, ("kernel", "threads", "inputs", "outputs", "columns")
            ),
            **{
                name: [asdict(row) for row in rows]
                for name, rows in _tables(before.kernels.merged(probed.kernels)).items()
            },
        }
        self._write(stored)

    def engine(self, fingerprint: str) -> EngineFacts | None:
        """The engine with these libraries as it described itself before; None for one that was not asked yet."""
        said = self._read()["engines"].get(fingerprint) if fingerprint else None
        if not isinstance(said, dict):
            return None
        with suppress(TypeError, KeyError, ValueError, AttributeError):
            devices = tuple(
                EngineDevice(**entry, memory_total_bytes=_NOT_KEPT, memory_free_bytes=_NOT_KEPT)
                for entry in said["devices"]
            )
            return EngineFacts(**{**said, "devices": devices, "variables": steering(os.environ)})
        return None

    def remember(self, fingerprint: str, engine: EngineFacts) -> None:
        """Keep what an engine said about itself."""
        if not fingerprint or self.engine(fingerprint) is not None:
            return
        stored = self._read()
        devices = [{"name": d.name, "description": d.description, "kind": d.kind} for d in engine.devices]
        facts = {name: getattr(engine, name) for name in ("name", "version", "build", "system_info", "python")}
        stored["engines"] = {
            fingerprint: {**facts, "gpu_offload": engine.gpu_offload, "devices": devices}
        }  # one is enough: another library is another fingerprint, and the old one does not come back
        self._write(stored)

    def _entry(self, key: ProbeKey) -> dict[str, Any] | None:
        entry = self._read()["entries"].get(str(key))
        with suppress(TypeError, KeyError, ValueError):
            if date.fromisoformat(entry["measured_on"]) >= date.today() - MAX_AGE and isinstance(entry["tried"], list):
                return dict(entry)
        return None

    def _read(self) -> dict[str, Any]:
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            stored = json.loads(self._path.read_text(encoding="utf-8"))
            if stored["schema"] == SCHEMA and all(isinstance(stored[name], dict) for name in ("entries", "engines")):
                return dict(stored)
        return {"schema": SCHEMA, "entries": {}, "engines": {}}

    def _write(self, stored: Mapping[str, Any]) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.name)
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                    json.dump(stored, file)
                Path(name).replace(self._path)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            log.warning("the probes could not be kept: %s", error)


def probe_key(machine: Machine, engine: Fact[EngineFacts] | None, request: Mapping[str, Any]) -> ProbeKey | None:
    """Under what probes are kept; None where the engine does not say what it is."""
    if not isinstance(engine, Known):
        return None
    device = " of ".join([str(request["device"]), *request["rpc_servers"]])
    extra = bool(request["use_extra_bufts"])
    return ProbeKey(engine.value.build, device, cpu_key(machine.cpu), machine.cpu.usable_threads, extra)


def wanted(request: Mapping[str, Any]) -> set[str]:
    """Names of the kernels that a request asks for; an engine that cannot run one was asked all the same.

    Each number of columns counts: of the types of an advised file only two are measured, too few for that file itself.
    """
    kernels = request.get("kernels") or {"products": {"groups": []}, "attention": [], "operations": []}
    names = {
        f"{g['type_name']} {g['inputs']}x{g['outputs']} {g.get('used', 0)} x{columns}"
        for g in kernels["products"]["groups"] for columns in g["columns"]
    }
    names |= {
        " ".join(f"{name}={wish[name]}" for name in sorted(wish) if name != "caches") for wish in kernels["attention"]
    }
    names |= {" ".join(f"{name}={wish[name]}" for name in sorted(wish)) for wish in kernels["operations"]}
    return names | {f"{s['type_name']} {s['inputs']}x{s['outputs']}" for s in request["shapes"]}


def _tables(kernels: KernelTable) -> dict[str, Sequence[Any]]:
    return {"products": kernels.products, "attention": kernels.attention, "operations": kernels.operations}


def _rows(old: Sequence[Any], new: Sequence[Any], key: tuple[str, ...]) -> list[dict[str, Any]]:
    """Both as plain rows; the newer of the same kernel counts."""
    return list({tuple(getattr(row, name) for name in key): asdict(row) for row in (*old, *new)}.values())


def _probed(entry: Mapping[str, Any]) -> Probed:
    day = str(entry["measured_on"])
    kernels = KernelTable(
        _values(KernelTime, entry["products"]),
        _values(AttentionTime, entry["attention"]),
        _values(OperationTime, entry["operations"]),
        day,
    )
    reads, arithmetic = _values(ReadProbe, entry["reads"]), _values(ArithmeticProbe, entry["arithmetic"])
    return replace(Probed(reads, arithmetic, ()), kernels=kernels)


def _values(kind: type[_T], rows: Sequence[Mapping[str, Any]]) -> tuple[_T, ...]:
    """Frozen values from plain rows; ValueError for samples that no clock can have shown."""
    made = []
    for row in rows:
        samples = tuple(float(value) for value in row["samples_s"])
        if not samples or not all(0 < value < float("inf") for value in samples):
            raise ValueError("impossible samples")
        made.append(kind(**{**row, "samples_s": samples}))
    return tuple(made)
