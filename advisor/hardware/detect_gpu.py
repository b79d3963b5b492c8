"""All graphics processors of this machine, from NVIDIA's library and from the system, each once."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from advisor.core.dates import day
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import marked, tr, trn
from advisor.hardware.asking import ask
from advisor.hardware.matching import normalise_pci
from advisor.hardware.model import Gpu
from advisor.hardware.probes import device_tree, nvml, pci_gpus


def read_gpus(root: Path = Path("/")) -> nvml.GpuReading:
    """All GPUs; a sleeping NVIDIA card wakes once for it, and nothing is kept open."""
    reading = nvml.GpuReading((), Unknown(tr("macOS has no NVIDIA driver"), Missing.NOT_APPLICABLE))
    if sys.platform != "darwin":
        reading = ask("NVML", nvml.read, none)
    if sys.platform == "linux":
        others = ask(marked("graphics adapters"), lambda: pci_gpus.read(root), lambda _: ())
        others += ask(marked("device tree"), lambda: device_tree.read(root), lambda _: ())
    else:
        from advisor.hardware.probes import display_adapters

        others = ask(marked("graphics adapters"), display_adapters.read, lambda _: ())
    return merge(reading, others)


def none(why: Unknown) -> nvml.GpuReading:
    """No GPU, because."""
    return nvml.GpuReading((), why)


def merge(reading: nvml.GpuReading, others: Sequence[Gpu]) -> nvml.GpuReading:
    """NVIDIA's own GPUs first, then those of other makers.

    What the system shows of NVIDIA's is used only where the library shows none: then it is there without a working
    driver, which is worth knowing.
    """
    rest = tuple(gpu for gpu in others if gpu.vendor != "nvidia" or not reading.gpus)
    known = {normalise_pci(gpu.pci_id.or_none() or "") for gpu in reading.gpus} - {None}
    rest = tuple(gpu for gpu in rest if normalise_pci(gpu.pci_id.or_none() or "") not in known)
    gpus = tuple(with_table_facts(gpu) for gpu in (*reading.gpus, *rest))
    note: Fact[str] = reading.note
    if rest and not (isinstance(note, Unknown) and note.kind is Missing.FAILED):
        words = trn("the system shows {n} GPU", "the system shows {n} GPUs", len(rest), n=len(rest))
        more = trn(
            "the system shows {n} GPU of other makers", "the system shows {n} GPUs of other makers",
            len(rest), n=len(rest),
        )  # fmt: skip
        note = Known(
            f"{note.value}; {more}" if reading.gpus and isinstance(note, Known) else words,
            Basis.READ,
            tr("NVML and the system") if reading.gpus else tr("the system's list of graphics adapters"),
        )
    return nvml.GpuReading(gpus, note)


def with_table_facts(gpu: Gpu) -> Gpu:
    """The GPU with the table's bandwidth and kind where nothing here tells them and its whole name is in the table."""
    if not isinstance(gpu.name, Known):
        return gpu
    if isinstance(gpu.memory_bytes_per_s, Known) and isinstance(gpu.shares_memory, Known):
        return gpu
    from advisor.hardware.catalog import Kind, find

    row = find(gpu.name.value)
    if row is None:
        return gpu
    source = tr("{name}, {source}, looked up {day}", name=row.name, source=row.source, day=day(row.looked_up))
    rate, shares = gpu.memory_bytes_per_s, gpu.shares_memory
    if isinstance(rate, Unknown) and row.bandwidth_bytes_per_s is not None:
        rate = Known(row.bandwidth_bytes_per_s, Basis.TABLE, source)
    if isinstance(shares, Unknown):
        shares = Known(row.kind is Kind.UNIFIED, Basis.TABLE, source)
    return replace(gpu, memory_bytes_per_s=rate, shares_memory=shares)
