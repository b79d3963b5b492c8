"""The machine card: what this computer is, and what it was seen to read and compute."""

from dataclasses import dataclass, field
from typing import Final

from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.hardware.model import Cpu, Gpu, Machine, Power
from advisor.report import formatting as fmt
from advisor.report import wording
from ui.viewmodels.rows import Row, explained, row

BUSY_FRACTION: Final = 0.25
"""Share of the processor that others may use before the status bar warns; a benchmark would read low."""

SHOWN_EXTENSIONS: Final = 3


@dataclass(frozen=True, slots=True)
class MachineCard:
    """Rows of the card; ``waiting`` is said in their place while there are none."""

    rows: tuple[Row, ...] = ()
    waiting: str = field(default_factory=lambda: tr("Reading this machine…"))


def present_machine(machine: Machine | None, ceilings: Ceilings | None, measuring: bool = False) -> MachineCard:
    """The card's state; ``measuring`` says that the ceilings are on their way."""
    if machine is None:
        return MachineCard()
    later = Unknown(tr("measuring…") if measuring else tr("not measured yet"), Missing.NOT_YET)
    memory = machine.memory
    free = memory.available_bytes
    rows = [
        row(tr("CPU"), machine.cpu.name, _without_marks, _cores(machine.cpu)),
        row(tr("Memory"), memory.total_bytes, fmt.size,
            tr("{size} free", size=fmt.size(free.value)) if isinstance(free, Known) else ""),
        explained(
            row(tr("Bandwidth"), ceilings.read_bytes_per_s if ceilings else later, fmt.bandwidth, _rated(ceilings)),
            tr(wording.READ_WORDS),
            tr(wording.RATED_WORDS) if _rated(ceilings) else "",
        ),
        explained(
            row(tr("Compute"), ceilings.compute_flop_per_s if ceilings else later, fmt.flop_rate),
            tr(wording.ARITHMETIC_WORDS),
            tr(wording.PREFILL_CEILING_WORDS),
        ),
        *_disturbed(ceilings),
        *_gpus(machine),
        _power(machine.power),
    ]
    return MachineCard(tuple(rows), "")


def _rated(ceilings: Ceilings | None) -> str:
    rated = ceilings.theoretical_bytes_per_s.or_none() if ceilings else None
    return "" if rated is None else tr("rated for {bandwidth}", bandwidth=fmt.bandwidth(rated))


def _disturbed(ceilings: Ceilings | None) -> tuple[Row, ...]:
    if ceilings is None or not ceilings.disturbed:
        return ()
    return (
        Row("", tr("⚠ measured while disturbed"), detail=tr("at least this"), tone="warning",
            tip=tr(ceilings.disturbed)),
    )  # fmt: skip


def machine_warning(machine: Machine | None) -> str:
    """What makes figures read low right now, one line for the status bar; empty when nothing does."""
    if machine is None:
        return ""
    warnings = []
    if machine.power.on_battery.or_none():
        warnings.append(tr("on battery: figures may read low"))
    busy = machine.load.cpu_busy_fraction.or_none()
    if busy is not None and busy >= BUSY_FRACTION:
        warnings.append(tr(
            "other programs were using {share} of the CPU: figures may read low", share=fmt.percent(busy)
        ))  # fmt: skip
    steal = machine.load.steal_fraction.or_none()
    if steal is not None and steal >= 0.05:
        warnings.append(tr(
            "the host took {share} of the CPU away: figures may read low", share=fmt.percent(steal)
        ))  # fmt: skip
    return "; ".join(warnings)


def _without_marks(name: str) -> str:
    """A processor's name without trademark signs, which cost room and say nothing."""
    return " ".join(name.replace("(R)", "").replace("(TM)", "").split())


def _cores(cpu: Cpu) -> str:
    physical = cpu.physical.or_none()
    if physical is None:
        parts = [fmt.plural(cpu.logical, "logical CPU", "logical CPUs")]
    else:
        parts = [fmt.plural(physical, "core", "cores") if physical != 1 else tr("1 core")]
    if cpu.usable_threads != physical:
        parts.append(tr("{threads} usable", threads=cpu.usable_threads))
    if words := _extensions(cpu.extensions):
        parts.append(words)
    return " · ".join(parts)


def _extensions(names: tuple[str, ...]) -> str:
    """The widest vectors and the matrix instructions in a word each; the report lists them all."""
    families = (("amx", "AMX"), ("avx512", "AVX-512"), ("avx2", "AVX2"), ("avx", "AVX"), ("sve", "SVE"),
                ("neon", "NEON"))
    words = [word for start, word in families if any(name.startswith(start) for name in names)]
    shown = words[: 2 if words[:1] == ["AMX"] else 1]
    for end, word in (("vnni", "VNNI"), ("i8mm", "I8MM"), ("dotprod", "DOTPROD")):
        if any(name.endswith(end) for name in names):
            shown.append(word)
    return ", ".join(shown[:SHOWN_EXTENSIONS])


def _gpus(machine: Machine) -> list[Row]:
    if machine.gpus:
        return [_gpu(gpu, "GPU" if len(machine.gpus) == 1 else f"GPU {i}") for i, gpu in enumerate(machine.gpus)]
    note = machine.gpus_note
    if isinstance(note, Known):
        return [Row("GPU", tr("none found"), detail=tr(str(note.value)), tone="muted", tip=fmt.origin_words(note))]
    return [row("GPU", note, str)]


def _gpu(gpu: Gpu, label: str) -> Row:
    parts = []
    if gpu.shares_memory.or_none():
        parts.append(tr("shares memory"))
    elif (total := gpu.memory_total_bytes.or_none()) is not None:
        parts.append(fmt.size(total))
    if (speed := gpu.memory_bytes_per_s.or_none()) is not None:
        parts.append(tr("{bandwidth} in theory", bandwidth=fmt.bandwidth(speed)))
    return row(label, gpu.name, str, " · ".join(parts))


def _power(power: Power) -> Row:
    battery = power.on_battery
    if isinstance(battery, Known):
        text, tone = (tr("⚠ on battery"), "warning") if battery.value else (tr("mains"), "")
        profile = power.profile.or_none()
        shown = tr("profile {profile}", profile=profile) if profile else ""
        return Row(tr("Power"), text, detail=shown, tone=tone, tip=fmt.origin_words(battery))
    return row(tr("Power"), battery, str)
