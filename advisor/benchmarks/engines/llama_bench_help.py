"""What a llama-bench program says about itself: its options, its version, its devices. Pure functions on its words."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import NO_LINK, EngineDevice
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import marked, tr
from advisor.core.units import MIB

_OPTION: Final = re.compile(r"(?:^|[\s,(])(-{1,2}[A-Za-z][A-Za-z-]*)")
_VERSION: Final = re.compile(r"version:\s*(\S+)\s*\(([^)]+)\)")
_WARNING: Final = re.compile(r"^warning: (.+, performance may be affected)\s*$", re.MULTILINE)
_DEVICE: Final = re.compile(r"^\s+(\S+): (.+?) \((\d+) MiB, (\d+) MiB free\)\s*$")
_SILENT: Final = Unknown(marked("llama-bench does not tell"), Missing.NOT_SUPPORTED)


@dataclass(frozen=True, slots=True)
class Abilities:
    """What this version of the program can be asked for.

    Attributes:
        warnings: what it says against its own build ("debug build, performance may be affected").
    """

    options: frozenset[str]
    jsonl: bool
    flash_attention_auto: bool
    no_repack_takes_value: bool
    warnings: tuple[str, ...] = ()

    def first(self, *names: str) -> str:
        """The first of several names of one option that this version knows; empty for none."""
        return next((name for name in names if name in self.options), "")


def abilities(text: str) -> Abilities:
    """From the text of ``--help``, with what it writes to standard error meanwhile."""
    options: set[str] = set()
    flash = ""
    for line in text.splitlines():
        if line.strip().startswith("-"):
            head = line.split("(default")[0]
            found = _OPTION.findall(head)
            options.update(found)
            flash = head if "--flash-attn" in found else flash
    warnings = tuple(_WARNING.findall(text))
    return Abilities(frozenset(options), "jsonl" in text, "auto" in flash, "--no-repack <" in text, warnings)


def version(lines: Iterable[str]) -> str:
    """Build number and commit, as "5163 (8cf427ff)", from the words of ``--version``; empty where they hold none."""
    for line in lines:
        found = _VERSION.search(line)
        if found:
            return f"{found[1]} ({found[2]})"
    return ""


def devices(lines: Iterable[str]) -> tuple[EngineDevice, ...]:
    """The devices of ``--list-devices``, with the processor, which it does not list, last."""
    found = []
    for line in lines:
        device = _DEVICE.match(line)
        if device is None:
            continue
        name, description, total, free = device[1], device[2], int(device[3]), int(device[4])
        is_remote = name.startswith("RPC")
        found.append(
            EngineDevice(
                name,
                description,
                "accel" if name in ("BLAS", "Accelerate") else "gpu",
                _memory(total),
                _memory(free),
                Unknown(tr("llama-bench does not measure it"), Missing.NOT_SUPPORTED) if is_remote else NO_LINK,
            )
        )
    return (*found, EngineDevice("CPU", tr("the processor"), "cpu", _SILENT, _SILENT))


def _memory(mebibytes: int) -> Fact[int]:
    return Known(mebibytes * MIB, Basis.READ, "llama-bench --list-devices") if mebibytes else _SILENT
