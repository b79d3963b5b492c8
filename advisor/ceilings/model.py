"""Probe results and the ceilings that rest on them, as frozen values."""

from dataclasses import dataclass
from typing import Final

from advisor.ceilings.kernels import NO_KERNELS, KernelTable
from advisor.core.evidence import Fact, Missing, Unknown
from advisor.core.translation import marked

_NOT_MEASURED: Final = Unknown(marked("not measured yet"), Missing.NOT_YET)
_NOT_READ: Final = Unknown(marked("the system does not tell"), Missing.NOT_SUPPORTED)

CEILINGS_SOURCE: Final = marked("probes of this machine and the model's traffic")
"""What both ceilings together rest on."""

READ_KERNELS: Final = (
    marked("or of 64-bit integers"), marked("maximum of int32"), marked("dot product of two streams of float32"),
    marked("ggml F16 matrix times vector"),
)
"""What the measuring child calls its kernels; it knows no catalogue, and who shows a name says ``retold`` of it."""


@dataclass(frozen=True, slots=True)
class ReadProbe:
    """One read-only kernel at one thread count and working set.

    Attributes:
        kernel: what read ("max of float32", "dot of float32", "ggml F16 vector product").
        threads: threads that read side by side.
        bytes_per_pass: bytes read by one pass; the working set, at least 1.
        samples_s: seconds of each pass, warm-up left out, at least one, all above 0.
    """

    kernel: str
    threads: int
    bytes_per_pass: int
    samples_s: tuple[float, ...]

    @property
    def best_bytes_per_s(self) -> float:
        """Speed of the fastest pass: a ceiling is what was reached once."""
        return self.bytes_per_pass / min(self.samples_s)


@dataclass(frozen=True, slots=True)
class ArithmeticProbe:
    """One matrix product: ``(outputs x inputs) times (inputs x columns)``.

    Attributes:
        kernel: which code multiplied ("ggml Q4_K, repacked", "float32 BLAS").
        flop: useful FLOP of one product, ``2 * inputs * outputs * columns``.
        samples_s: seconds of each product, warm-up left out, at least one, all above 0.
    """

    kernel: str
    threads: int
    inputs: int
    outputs: int
    columns: int
    flop: int
    samples_s: tuple[float, ...]

    @property
    def best_flop_per_s(self) -> float:
        """Speed of the fastest product."""
        return self.flop / min(self.samples_s)


@dataclass(frozen=True, slots=True)
class Falsified:
    """A measured speed that stood above its ceiling, so that the way of measuring ceilings can be mended.

    Attributes:
        phase: "prefill" or "decode".
        test: llama-bench's name of the test.
        ceiling_tokens_per_s: the bound that was passed.
        again_tokens_per_s: the bound after measuring it again, more widely.
        stands: the measured speed is above that one, too; the ceiling is then "at least" the measured speed.
    """

    phase: str
    test: str
    measured_tokens_per_s: float
    ceiling_tokens_per_s: float
    again_tokens_per_s: float
    stands: bool


@dataclass(frozen=True, slots=True)
class Ceilings:
    """Both upper bounds for one model on this machine, at one batch and depth.

    Attributes:
        read_bytes_per_s: usable read bandwidth at a working set like the bytes of one step.
        compute_flop_per_s: usable arithmetic of the model's matrices, each type at its best, mixed as in the model.
        decode_tokens_per_s: per stream-step: ``batch`` tokens per ``step_bytes``, all streams together.
        prefill_tokens_per_s: for ``prompt`` tokens read in one go.
        balance_flop_per_byte: compute / bandwidth, the ridge of the roofline.
        balance_batch: streams at which decode turns from memory-bound to compute-bound.
        decode_at_least: the measured decode passed the bound even after measuring it again, so the bound is
            only known to be at least the measured speed.
        prefill_at_least: likewise.
        read_probes, arithmetic_probes: every probe the two figures were chosen from.
    """

    batch: int
    depth: int
    prompt: int
    read_bytes_per_s: Fact[float]
    compute_flop_per_s: Fact[float]
    decode_tokens_per_s: Fact[float]
    prefill_tokens_per_s: Fact[float]
    balance_flop_per_byte: Fact[float]
    balance_batch: Fact[float]
    decode_at_least: bool
    prefill_at_least: bool
    read_probes: tuple[ReadProbe, ...]
    arithmetic_probes: tuple[ArithmeticProbe, ...]
    best_flop_per_s: Fact[float] = _NOT_MEASURED
    """Best of any product; what attention is reckoned with, and what a format's own speed is held against."""
    theoretical_bytes_per_s: Fact[float] = _NOT_READ
    """What the memory that holds the weights is rated for; no program reaches it."""
    memory_bound_from_depth: Fact[int] = _NOT_MEASURED
    """Depth from which no number of streams makes decode compute-bound."""
    kernels: KernelTable = NO_KERNELS
    falsified: tuple[Falsified, ...] = ()
    measured_on: str = ""
    """Day of figures that were kept from an earlier run; empty for fresh ones."""
    disturbed: str = ""
    """What else went on while the probes ran ("other programs used 48 % of the CPU"), so that they may be too low."""

    @property
    def decode_is_bound_below(self) -> bool:
        """Whether decode's ceiling is only known to be at least this: it was passed, or its probes were disturbed."""
        return self.decode_at_least or bool(self.disturbed)

    @property
    def prefill_is_bound_below(self) -> bool:
        """Likewise."""
        return self.prefill_at_least or bool(self.disturbed)
