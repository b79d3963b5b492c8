"""What the busiest NVIDIA GPU does while something runs on it. By hand: ``nvidia-smi dmon -s pucm``.

The library is asked between messages of the measuring process and closed with the run, so that an idle GPU is left
alone. Its utilisation figures are means over the last sixth of a second to second.
Source: https://docs.nvidia.com/deploy/nvml-api/structnvmlUtilization__t.html
"""

import importlib
import statistics
import time
from dataclasses import dataclass
from typing import Any, Final

from advisor.core.translation import marked

INTERVAL_S: Final = 0.2
HELD_DOWN: Final = (
    (0x8, marked("hardware slowdown")), (0x20, marked("heat")), (0x40, marked("heat")), (0x80, marked("power brake")),
)  # fmt: skip
"""Bits of nvmlClocksEventReasons that no healthy card shows; the power limit is where every large card works."""


@dataclass(frozen=True, slots=True)
class GpuActivity:
    """The busiest GPU during a run.

    Attributes:
        samples: how often it was asked, at least 1.
        busy_fraction: median share of time in which a kernel ran, 0 to 1.
        memory_busy_fraction: median share of time in which its memory was read or written, 0 to 1.
        free_fraction: smallest share of its memory that was free, 0 to 1.
        held_down_fraction: share of the samples in which something in ``held_down_by`` lowered its clocks.
        held_down_by: reasons in English words for ``tr``, most frequent first.
    """

    samples: int
    busy_fraction: float
    memory_busy_fraction: float
    free_fraction: float
    held_down_fraction: float
    held_down_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GpuSample:
    """One moment of one GPU; fractions 0 to 1, ``reasons`` as nvmlClocksEventReasons."""

    busy: float
    memory_busy: float
    free: float
    reasons: int


def summarise(gpus: dict[int, list[GpuSample]]) -> GpuActivity | None:
    """The activity of the GPU that was busiest; None where none was asked."""
    asked = {index: samples for index, samples in gpus.items() if samples}
    if not asked:
        return None
    samples = max(asked.values(), key=lambda each: statistics.fmean(sample.busy for sample in each))
    counts: dict[str, int] = {}
    for bit, words in HELD_DOWN:
        seen = sum(1 for sample in samples if sample.reasons & bit)
        if seen:
            counts[words] = max(counts.get(words, 0), seen)
    held = sum(1 for sample in samples if any(sample.reasons & bit for bit, _ in HELD_DOWN))
    return GpuActivity(
        samples=len(samples),
        busy_fraction=statistics.median(sample.busy for sample in samples),
        memory_busy_fraction=statistics.median(sample.memory_busy for sample in samples),
        free_fraction=min(sample.free for sample in samples),
        held_down_fraction=held / len(samples),
        held_down_by=tuple(sorted(counts, key=lambda words: -counts[words])),
    )


class GpuWatch:
    """Samples all GPUs whenever it is given the chance, at most every ``INTERVAL_S``. Never raises.

    Args:
        nvml: a stand-in for the module pynvml.
    """

    def __init__(self, nvml: Any = None) -> None:
        self._gpus: dict[int, list[GpuSample]] = {}
        self._handles: list[Any] = []
        self._last_s = 0.0
        self._api = nvml
        try:
            self._api = nvml or importlib.import_module("pynvml")
            self._api.nvmlInit()
            self._handles = [
                self._api.nvmlDeviceGetHandleByIndex(index) for index in range(self._api.nvmlDeviceGetCount())
            ]
        except Exception:  # no driver, no card, another maker's: nothing to watch
            self._handles = []

    def look(self) -> None:
        """Take a sample if the last one is old enough."""
        now_s = time.monotonic()
        if self._handles and now_s - self._last_s >= INTERVAL_S:
            self._last_s = now_s
            for index, handle in enumerate(self._handles):
                sample = self._sample(handle)
                if sample is not None:
                    self._gpus.setdefault(index, []).append(sample)

    def close(self) -> GpuActivity | None:
        """What was seen; the library is let go."""
        if self._handles:
            self._handles = []
            try:
                self._api.nvmlShutdown()
            except Exception:  # it is gone already
                self._api = None
        return summarise(self._gpus)

    def _sample(self, handle: Any) -> GpuSample | None:
        api = self._api
        try:
            rates, memory = api.nvmlDeviceGetUtilizationRates(handle), api.nvmlDeviceGetMemoryInfo(handle)
            ask = getattr(api, "nvmlDeviceGetCurrentClocksEventReasons", None)
            reasons = int((ask or api.nvmlDeviceGetCurrentClocksThrottleReasons)(handle))
        except Exception:  # a GPU without these figures (GB10, Jetson, MIG) is not judged by them
            return None
        busy, memory_busy = int(rates.gpu) / 100, int(rates.memory) / 100
        free = int(memory.free) / int(memory.total) if int(memory.total) > 0 else 1.0
        if not (0 <= busy <= 1 and 0 <= memory_busy <= 1 and 0 <= free <= 1 and reasons >= 0):
            return None
        return GpuSample(busy, memory_busy, free, reasons)
