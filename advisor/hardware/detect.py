"""Asks all probes, each failing alone, and puts the machine together."""

import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from advisor.core.evidence import Fact, Known, Missing, Unknown
from advisor.core.translation import marked, tr
from advisor.hardware import channels
from advisor.hardware.asking import Background, ask, unknown
from advisor.hardware.detect_cpu import read_cpu
from advisor.hardware.detect_gpu import none, read_gpus
from advisor.hardware.findings import notes
from advisor.hardware.model import Load, Machine, Memory, Power
from advisor.hardware.probes import cgroup, load, meminfo, memory_modules, power, system, topology
from advisor.hardware.unified import installed, share_main_memory

GPU_TIMEOUT_S: Final = 5.0
"""NVIDIA's library takes one to three seconds to wake a sleeping GPU, and can hang on a broken driver."""

MODULES_TIMEOUT_S: Final = 5.0
"""PowerShell and system_profiler take up to a second or two; on Linux it is one file."""


def read_machine(
    root: Path = Path("/"), affinity: Fact[frozenset[int]] | None = None, window: load.LoadWindow | None = None
) -> Machine:
    """Everything about this computer, in about 0.2 s (longer where a GPU must wake). Never raises.

    Args:
        root: where the system's files hang; another folder for captured machines.
        affinity: the mask to assume instead of this process's own, for captured machines.
        window: opened before this module was imported, which takes a third of its length; a new one without it.
    """
    window = window or ask("load", load.begin, lambda _: None)
    graphics = Background(marked("the graphics driver"), lambda: read_gpus(root), none)
    slots = Background(marked("the list of memory modules"), lambda: memory_modules.read(root), _no_modules)
    limits = ask(marked("control groups"), lambda: cgroup.read(root), lambda why: cgroup.Limits(why, why, why))
    cpu = read_cpu(root, limits, affinity or ask("affinity", topology.read_affinity, unknown))
    memory = _with_modules(_memory(root, limits), slots.result(MODULES_TIMEOUT_S))
    supply = ask("power", lambda: power.read(root), lambda why: Power(why, why))
    now = ask("load", lambda: load.read(window), lambda why: Load(why, why, why))
    found = graphics.result(GPU_TIMEOUT_S)
    machine = Machine(
        system=ask("system", lambda: system.read(root), lambda _: sys.platform),
        cpu=cpu,
        memory=replace(memory, installed_bytes=installed(memory, found.gpus)),
        gpus=tuple(share_main_memory(gpu, memory) for gpu in found.gpus),
        gpus_note=found.note,
        power=supply,
        load=now,
        read_at=datetime.now().astimezone().isoformat(timespec="seconds"),
    )
    return replace(machine, notes=notes(machine))


def _memory(root: Path, limits: cgroup.Limits) -> Memory:
    info = ask("memory", lambda: meminfo.read(root), lambda why: meminfo.MemInfo(why, why, why))
    limit = limits.memory_bytes
    if isinstance(limit, Known) and isinstance(info.total_bytes, Known) and limit.value >= info.total_bytes.value:
        limit = Unknown(tr("the control group allows more than there is"), Missing.NOT_APPLICABLE)
        return Memory(info.total_bytes, info.available_bytes, limit, info.swap_used_bytes)
    return Memory(
        total_bytes=_tighter(info.total_bytes, limit),
        available_bytes=_tighter(info.available_bytes, limits.memory_left_bytes),
        limit_bytes=limit,
        swap_used_bytes=info.swap_used_bytes,
    )


def _with_modules(memory: Memory, found: memory_modules.Modules) -> Memory:
    """The memory with what the firmware says about its modules; the reason stays where it says nothing."""
    summary = channels.summarise(found.modules)
    if isinstance(found.note, Unknown):
        summary = channels.Summary(found.note, found.note, found.note)
    return replace(
        memory,
        modules=found.modules,
        slots=found.slots,
        channels=summary.channels,
        running_transfers_per_s=summary.running_transfers_per_s,
        bytes_per_s=summary.bytes_per_s,
    )


def _no_modules(why: Unknown) -> memory_modules.Modules:
    return memory_modules.Modules((), why, why)


def _tighter(whole: Fact[int], limit: Fact[int]) -> Fact[int]:
    """The limit where there is one below the whole; a whole that is unknown stays bounded by the limit."""
    if isinstance(limit, Unknown):
        return whole
    return limit if isinstance(whole, Unknown) or limit.value < whole.value else whole
