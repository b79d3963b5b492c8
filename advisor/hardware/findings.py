"""What stands out about a machine, as sentences for the user; pure."""

from advisor.core.evidence import Known, Missing, Unknown
from advisor.core.numbers import size
from advisor.core.translation import tr
from advisor.hardware import channels
from advisor.hardware.model import Cpu, Gpu, Machine


def notes(machine: Machine) -> tuple[str, ...]:
    """All sentences, faults first; empty for an ordinary machine."""
    found: list[str] = []
    if isinstance(machine.gpus_note, Unknown) and machine.gpus_note.kind is Missing.FAILED:
        found.append(tr("The graphics processor cannot be used: {reason}.", reason=tr(machine.gpus_note.reason)))
    for gpu in machine.gpus:
        found += _about_gpu(gpu, machine)
    if not isinstance(machine.cpu.virtual_machine, Known):
        found += channels.notes(machine.memory.modules, machine.memory.slots)
    found += _about_cpu(machine.cpu)
    return tuple(found)


def _about_gpu(gpu: Gpu, machine: Machine) -> list[str]:
    found: list[str] = []
    name = gpu.name.or_none() or tr("a graphics processor")
    is_card = gpu.shares_memory.or_none() is not True
    driver_reads_it = isinstance(gpu.memory_total_bytes, Known) or isinstance(gpu.uuid, Known)
    if gpu.vendor == "nvidia" and is_card and not driver_reads_it and isinstance(machine.gpus_note, Known):
        found.append(
            tr(
                "There is {name}, but NVIDIA's driver is not installed: without it nothing can compute on it.",
                name=name,
            )
        )
    if gpu.shares_memory.or_none() is True and isinstance(gpu.memory_total_bytes, Known):
        found.append(
            tr(
                "{name} uses the main memory, so {size} of it are not additional memory.",
                name=name,
                size=size(gpu.memory_total_bytes.value),
            )
        )
    lanes, most = gpu.pcie_lanes.or_none(), gpu.pcie_lanes_max.or_none()
    if lanes is not None and most is not None and lanes < most and gpu.shares_memory.or_none() is False:
        found.append(
            tr(
                "{name} is connected by {lanes} of its {most} PCI Express lanes: loading models is slower, and so is "
                "whatever does not fit its memory.",
                name=name,
                lanes=lanes,
                most=most,
            )
        )
    reasons = gpu.throttle_reasons.or_none() or ()
    hot = [tr(reason) for reason in reasons if reason.startswith(("heat", "hardware", "power brake"))]
    if hot:
        found.append(tr("{name} holds its clocks down now: {reasons}.", name=name, reasons=", ".join(hot)))
    if gpu.mig_enabled.or_none():
        found.append(
            tr("{name} is cut into instances (MIG): a program sees one of them, with a part of the memory.", name=name)
        )
    return found


def _about_cpu(cpu: Cpu) -> list[str]:
    groups = cpu.processor_groups.or_none() or 1
    if groups > 1:
        return [
            tr(
                "Windows splits this processor into {groups} groups, and llama.cpp uses one processor group only: "
                "{threads} threads.",
                groups=groups,
                threads=cpu.usable_threads,
            )
        ]
    return []
