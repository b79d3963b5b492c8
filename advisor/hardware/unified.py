"""GPUs that use the main memory: filled in from it, and never counted beside it; pure."""

from collections.abc import Sequence
from dataclasses import replace

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.hardware.model import Gpu, Memory


def share_main_memory(gpu: Gpu, memory: Memory) -> Gpu:
    """The GPU with total and free memory of the system's, where it has none of its own.

    An AMD integrated GPU keeps its own figures (carve-out and GTT), bounded by what is free in the system now:
    memory that is in use cannot be mapped, however large the window is.
    """
    if gpu.shares_memory.or_none() is not True:
        return gpu
    available = memory.available_bytes
    if isinstance(gpu.gtt_bytes, Known) and isinstance(gpu.memory_total_bytes, Known):
        if isinstance(available, Unknown):
            return replace(gpu, memory_free_bytes=available)
        mappable = min(gpu.gtt_bytes.value, available.value)
        free = (gpu.memory_free_bytes.or_none() or 0) + mappable
        source = tr("free carve-out + GTT, at most the system's available memory")
        return replace(gpu, memory_free_bytes=Known(free, Basis.COMPUTED, source))
    if isinstance(gpu.memory_total_bytes, Known):
        return gpu
    return replace(
        gpu, memory_total_bytes=_shared(memory.total_bytes), memory_free_bytes=_shared(memory.available_bytes)
    )


def installed(memory: Memory, gpus: Sequence[Gpu]) -> Fact[int]:
    """Bytes in the slots: the modules' sum, or what the system sees with the carve-outs of integrated GPUs."""
    if memory.modules:
        return Known(sum(module.size_bytes for module in memory.modules), Basis.READ, tr("sum of the memory modules"))
    if isinstance(memory.limit_bytes, Known):
        return Unknown(tr("a control group hides the size of the memory"), Missing.NOT_SUPPORTED)
    carved = [gpu.carve_out_bytes.value for gpu in gpus if isinstance(gpu.carve_out_bytes, Known)]
    if isinstance(memory.total_bytes, Known) and carved:
        total = memory.total_bytes.value + sum(carved)
        return Known(total, Basis.COMPUTED, tr("{source} + the GPU's carve-out", source=memory.total_bytes.source))
    return Unknown(tr("the system does not list its memory modules"), Missing.NOT_SUPPORTED)


def _shared(fact: Fact[int]) -> Fact[int]:
    return (
        fact
        if isinstance(fact, Unknown)
        else Known(fact.value, fact.basis, tr("{source}; shared with the CPU", source=fact.source))
    )
