"""Measurements as frozen values."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from advisor.core.evidence import Fact, Missing, Unknown
from advisor.core.stats import mad, median, relative_spread

_NOT_ASKED: Final = Unknown("not asked for", Missing.NOT_YET)


class Phase(StrEnum):
    """The two workloads of every generation."""

    PREFILL = "prefill"
    DECODE = "decode"


class Stamp(StrEnum):
    """Whether a run can be believed."""

    VALID = "valid"
    SUSPECT = "suspect"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Conditions:
    """The stamp of a run and why.

    Attributes:
        because: clauses without a full stop, empty only when valid.
        fault: a reason is the machine's own state, which slows real work too (swapping), and not a disturbance of
            the measurement only.
    """

    stamp: Stamp
    because: tuple[str, ...]
    fault: bool = False


@dataclass(frozen=True, slots=True)
class EngineDevice:
    """A device that the engine itself can compute on, as ggml names it ("CPU", "CUDA0", "Vulkan0")."""

    name: str
    description: str
    kind: str
    """"cpu", "gpu", "igpu" or "accel"."""
    memory_total_bytes: Fact[int]
    memory_free_bytes: Fact[int]
    pci_id: Fact[str] = _NOT_ASKED
    """Spelled as ``Gpu.pci_id``; by it the device is found among the machine's GPUs."""


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """The engine that measures.

    Attributes:
        name: "llama-cpp-python".
        version: of the binding.
        build: what identifies the native build (system info line and library hash), key of remembered choices.
        python: interpreter that runs it.
        gpu_offload: whether this build can use a GPU at all.
        devices: what it can compute on, in its own order.
    """

    name: str
    version: str
    build: str
    system_info: str
    python: str
    gpu_offload: bool
    devices: tuple[EngineDevice, ...]


@dataclass(frozen=True, slots=True)
class TestResult:
    """One row as llama-bench would name it: ``n_prompt`` tokens read, or ``n_gen`` tokens written one by one.

    Attributes:
        samples_s: seconds of each repetition, warm-up left out, in order, at least one.
        device: where the weights lay ("CPU", "CUDA0").
        safe_mode: the engine ran without its extra buffers because the default crashed.
        complete: False when the run ended (Stop, crash) before all repetitions.
    """

    __test__ = False  # not a pytest class

    phase: Phase
    n_prompt: int
    n_gen: int
    n_depth: int
    n_threads: int
    n_batch: int
    n_ubatch: int
    samples_s: tuple[float, ...]
    engine: str
    device: str
    safe_mode: bool
    conditions: Conditions
    complete: bool = True

    @property
    def test(self) -> str:
        """llama-bench's name: ``pp512``, ``tg128``, ``tg128 @ d4096``."""
        name = f"pp{self.n_prompt}" if self.phase is Phase.PREFILL else f"tg{self.n_gen}"
        return f"{name} @ d{self.n_depth}" if self.n_depth else name

    @property
    def tokens(self) -> int:
        """Tokens of one repetition."""
        return self.n_prompt if self.phase is Phase.PREFILL else self.n_gen

    @property
    def samples_tokens_per_s(self) -> tuple[float, ...]:
        """Speed of each repetition."""
        return tuple(self.tokens / s for s in self.samples_s)

    @property
    def tokens_per_s(self) -> float:
        """Median speed over the repetitions."""
        return median(self.samples_tokens_per_s)

    @property
    def mad_tokens_per_s(self) -> float | None:
        """Median absolute deviation; None for a single repetition."""
        return mad(self.samples_tokens_per_s)

    @property
    def relative_spread(self) -> float | None:
        """Deviation of the speeds as a share of their median; None for a single repetition."""
        return relative_spread(self.samples_tokens_per_s)


def merged_reasons(conditions: Iterable[Conditions]) -> list[str]:
    """Why runs carry their stamps, in order, each once; of those that differ in their figures only, the first."""
    reasons: dict[str, str] = {}
    for held in conditions:
        for why in held.because:
            reasons.setdefault(_FIGURE.sub("", why), why)
    return list(reasons.values())


_FIGURE: Final = re.compile(r"(?:under|over)?[\s\d.,]*\d[\s\d.,]*(?:%|[kMGT]?B\b)?")
"""A number with its unit, so that "512 MB" and "1.2 GB" count as the same reason."""


@dataclass(frozen=True, slots=True)
class LiveReading:
    """What a gauge shows while the child measures.

    Attributes:
        repetition: 1-based; 0 while warming up.
        tokens_per_s: speed of the repetition so far, or of the whole one when ``final``.
    """

    phase: Phase
    repetition: int
    repetitions: int
    tokens_per_s: float
    final: bool
