"""Measurements as frozen values."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import IntEnum, StrEnum
from typing import Final

from advisor.benchmarks.steadiness import cold_and_sustained
from advisor.core.evidence import Fact, Missing, Unknown
from advisor.core.numbers import speed
from advisor.core.stats import mad, median, median_interval, relative_spread
from advisor.core.translation import marked, tr, trn

_NOT_ASKED: Final = Unknown(marked("not asked for"), Missing.NOT_YET)
NOT_TESTED: Final = Unknown(marked("its self-test has not run yet"), Missing.NOT_YET)


class Phase(StrEnum):
    """The two workloads of every generation."""

    PREFILL = marked("prefill")
    DECODE = marked("decode")


class Stamp(StrEnum):
    """Whether a run can be believed."""

    VALID = marked("valid")
    SUSPECT = marked("suspect")
    INVALID = marked("invalid")


class Cause(StrEnum):
    """What a reason of a stamp is about, in whatever language its clause is."""

    PLANNED = "planned"
    """Known before the run: a test cut to its time, a warning of the engine's."""
    MISPLACED = "misplaced"
    PAUSED = "paused"
    ASLEEP = "asleep"
    OTHERS = "other-programs"
    HYPERVISOR = "hypervisor"
    SWAPPING = "swapping"
    PAGING = "paging"
    THROTTLED = "throttled"
    """The processor or the GPU was held down."""
    GPU_IDLE = "gpu-idle"
    SPILLED = "gpu-spilled"
    BATTERY = "battery"
    ONE_REPETITION = "one-repetition"
    SPREAD = "spread"
    UNEVEN = "uneven"
    FELL = "fell"
    ENDED_EARLY = "ended-early"


@dataclass(frozen=True, slots=True)
class Conditions:
    """The stamp of a run and why.

    Attributes:
        because: clauses without a full stop, in the language they were said in; empty only when valid.
        fault: a reason is the machine's own state, which slows real work too (swapping), and not a disturbance of
            the measurement only.
        causes: what each clause is about, in their order; empty in results of older versions, whose clauses are
            English (``conditions.causes_of`` knows them).
        others_fraction: share of all CPUs that other programs used, where they are a cause; else 0.
        biggest: which of them used most; empty where unknown.
    """

    stamp: Stamp
    because: tuple[str, ...]
    fault: bool = False
    causes: tuple[Cause, ...] = ()
    others_fraction: float = 0.0
    biggest: str = ""

    def __post_init__(self) -> None:
        if self.causes and len(self.causes) != len(self.because):
            raise ValueError("every reason of a stamp has one cause")


class EngineMode(IntEnum):
    """The ladder of safe mode; each step keeps what the steps above it gave up."""

    DEFAULT = 0
    NO_EXTRA_BUFFERS = 1
    """Weights as the file holds them, not repacked (``use_extra_bufts=False``)."""
    NO_FLASH_ATTENTION = 2
    ONE_THREAD = 3


@dataclass(frozen=True, slots=True)
class EngineCheck:
    """What the self-test of an engine found on one device.

    Attributes:
        mode: the first step of the ladder that works.
        happened: what the engine did without it, a clause; empty in default mode.
        fault: which known fault of the engine that is, a sentence; empty where none is known.
        remedy: how to mend it, a sentence; empty where nothing is known.
        since: day of the test (ISO 8601).
        stage, signal: what the engine did, and the signal that ended it; ``fault_id`` is the known fault. From these
            the words can be made anew, in another language. Empty in default mode and in checks of older versions.
    """

    mode: EngineMode
    happened: str = ""
    fault: str = ""
    remedy: str = ""
    since: str = ""
    stage: str = ""
    signal: str = ""
    fault_id: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """The way to a device of another machine.

    Attributes:
        round_trip_s: one byte asked for and received; each layer boundary on the way costs about one.
        bytes_per_s: of the slower direction.
    """

    round_trip_s: float
    bytes_per_s: float


NO_LINK: Final = Unknown(marked("the device is part of this machine"), Missing.NOT_APPLICABLE)


@dataclass(frozen=True, slots=True)
class EngineDevice:
    """A device that the engine itself can compute on, as ggml names it ("CPU", "CUDA0", "Vulkan0", "RPC0").

    Attributes:
        kind: "cpu", "gpu", "igpu" or "accel".
        pci_id: spelled as ``Gpu.pci_id``; by it the device is found among the machine's GPUs.
        link: of a device of another machine.
    """

    name: str
    description: str
    kind: str
    memory_total_bytes: Fact[int]
    memory_free_bytes: Fact[int]
    pci_id: Fact[str] = _NOT_ASKED
    link: Fact[Link] = NO_LINK
    self_test: Fact[EngineCheck] = NOT_TESTED


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """The engine that measures.

    Attributes:
        name: "llama-cpp-python" or "llama-bench".
        version: of the binding, or llama.cpp's build number and commit.
        build: what identifies the native build (a hash over its libraries), key of remembered choices.
        python: interpreter that runs it, or the program itself where it is none.
        gpu_offload: whether this build can use a GPU at all.
        devices: what it can compute on, in its own order.
        variables: of the environment that steer it, as ``engine_variables.steering`` gives them.
    """

    name: str
    version: str
    build: str
    system_info: str
    python: str
    gpu_offload: bool
    devices: tuple[EngineDevice, ...]
    variables: tuple[str, ...] = ()

    def self_test(self, device: str) -> Fact[EngineCheck]:
        """What the self-test found on the device of that name."""
        return next((each.self_test for each in self.devices if each.name == device), NOT_TESTED)

    @property
    def safe_mode(self) -> EngineCheck | None:
        """The check of the first device on which the engine runs in safe mode; None where it does on none."""
        checks = (device.self_test.or_none() for device in self.devices)
        return next((check for check in checks if check is not None and check.mode is not EngineMode.DEFAULT), None)


class FlashAttention(StrEnum):
    """How attention is computed; ``auto`` leaves it to the engine."""

    AUTO = marked("auto")
    ON = marked("on")
    OFF = marked("off")


class Sweep(StrEnum):
    """The curve that a test is a point of; ``phases`` are the two phases themselves."""

    PHASES = "phases"
    DEPTH = "depth"
    THREADS = "threads"
    BATCH = "batch"
    UBATCH = "ubatch"
    FLASH_ATTENTION = "flash-attention"
    KV_TYPE = "kv-type"


class PlanKind(StrEnum):
    """How much to measure: as much of the same list as fits the time."""

    QUICK = "quick"
    STANDARD = "standard"
    THOROUGH = "thorough"


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSpec:
    """One test as llama-bench would name it: ``n_prompt`` tokens read, or ``n_gen`` tokens written one by one.

    Attributes:
        n_depth: tokens already in the KV cache of every stream.
        n_streams: sequences decoded together, each writing ``n_gen`` tokens.
        n_threads: of this phase (decode and prefill have settings of their own).
        kv_type: ggml type of both halves of the KV cache ("f16", "q8_0").
        sweep: the curve it belongs to.
    """

    __test__ = False  # not a pytest class

    phase: Phase
    n_prompt: int
    n_gen: int
    n_depth: int = 0
    n_streams: int = 1
    n_threads: int
    n_batch: int
    n_ubatch: int
    flash_attention: FlashAttention = FlashAttention.AUTO
    kv_type: str = "f16"
    sweep: Sweep = Sweep.PHASES

    @property
    def test(self) -> str:
        """llama-bench's name: ``pp512``, ``tg128``, ``tg128 @ d4096``; with several streams ``tg128 x 4``."""
        name = f"pp{self.n_prompt}" if self.phase is Phase.PREFILL else f"tg{self.n_gen}"
        name += f" x {self.n_streams}" if self.n_streams > 1 else ""
        return f"{name} @ d{self.n_depth}" if self.n_depth else name

    @property
    def setting(self) -> str:
        """What sets it apart from other points of its curve beyond its name; empty for phases, depths and streams."""
        match self.sweep:
            case Sweep.THREADS:
                return trn("{n} thread", "{n} threads", self.n_threads, n=self.n_threads)
            case Sweep.UBATCH:
                if self.n_batch < self.n_prompt:
                    return tr("ubatch {ubatch}, batch {batch}", ubatch=self.n_ubatch, batch=self.n_batch)
                return tr("ubatch {ubatch}", ubatch=self.n_ubatch)
            case Sweep.FLASH_ATTENTION:
                return tr("flash attention {setting}", setting=tr(self.flash_attention))
            case Sweep.KV_TYPE:
                return tr("KV {type}", type=self.kv_type)
        return ""

    @property
    def tokens(self) -> int:
        """Tokens of one repetition, all streams together."""
        return self.n_streams * (self.n_prompt if self.phase is Phase.PREFILL else self.n_gen)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult(TestSpec):
    """A test that has been run.

    Attributes:
        samples_s: seconds of each repetition, warm-up left out, in order, at least one.
        warm_up_s: seconds of what was thrown away before, in order.
        device: where the weights lay ("CPU", "CUDA0").
        mode: which step of the safe-mode ladder the engine ran on.
        complete: False when the run ended (Stop, crash) before all repetitions.
    """

    __test__ = False  # not a pytest class

    samples_s: tuple[float, ...]
    warm_up_s: tuple[float, ...] = ()
    engine: str
    device: str
    mode: EngineMode = EngineMode.DEFAULT
    conditions: Conditions
    complete: bool = True

    @property
    def spec(self) -> TestSpec:
        """What was run, to be run again or changed."""
        return TestSpec(**{each.name: getattr(self, each.name) for each in fields(TestSpec)})

    @property
    def safe_mode(self) -> bool:
        """The engine ran without something because its default crashed."""
        return self.mode is not EngineMode.DEFAULT

    @property
    def samples_tokens_per_s(self) -> tuple[float, ...]:
        """Speed of each repetition, all streams together."""
        return tuple(self.tokens / s for s in self.samples_s)

    @property
    def tokens_per_s(self) -> float:
        """Median speed over the repetitions, all streams together."""
        return median(self.samples_tokens_per_s)

    @property
    def mad_tokens_per_s(self) -> float | None:
        """Median absolute deviation; None for a single repetition."""
        return mad(self.samples_tokens_per_s)

    @property
    def speed_words(self) -> str:
        """The median speed with its unit, as fine as its spread allows."""
        return speed(self.tokens_per_s, self.mad_tokens_per_s)

    @property
    def interval_tokens_per_s(self) -> tuple[float, float] | None:
        """Where the true median lies with 95 % confidence (less below six repetitions); None below three."""
        return median_interval(self.samples_tokens_per_s)

    @property
    def relative_spread(self) -> float | None:
        """Deviation of the speeds as a share of their median; None for a single repetition."""
        return relative_spread(self.samples_tokens_per_s)

    @property
    def cold_and_sustained(self) -> tuple[float, float] | None:
        """Speed at first and speed later, in tokens/s, where they differ; None where they do not.

        See ``steadiness.cold_and_sustained``.
        """
        return cold_and_sustained(self.samples_tokens_per_s)


@dataclass(frozen=True, slots=True)
class RealUse:
    """Text written as a chat program writes it: what the benchmark leaves out is in.

    Attributes:
        prompt_tokens: of the prompt, tokenised by the model's own tokenizer.
        tokens: written, without the first one; tokens that end a text were banned.
        tokenise_s: of the whole prompt.
        prefill_s: of the whole prompt.
        decode_s: in the engine's graph, all tokens together; this part is what the benchmark measures.
        sample_s: choosing the tokens from the model's answer.
        detokenise_s: turning the tokens into text.
        benchmark_tokens_per_s: what the decode test of the same child showed; None without one.
        conditions: stamp of this run.
    """

    prompt_tokens: int
    tokens: int
    tokenise_s: float
    prefill_s: float
    decode_s: float
    sample_s: float
    detokenise_s: float
    benchmark_tokens_per_s: float | None
    conditions: Conditions

    @property
    def total_s(self) -> float:
        """Seconds from the first to the last written token, everything included."""
        return self.decode_s + self.sample_s + self.detokenise_s

    @property
    def tokens_per_s(self) -> float:
        """Speed at which the user sees tokens appear."""
        return self.tokens / self.total_s

    @property
    def sampling_fraction(self) -> float:
        """Share of the time in which tokens were chosen and turned into text, 0 to 1."""
        return (self.sample_s + self.detokenise_s) / self.total_s

    @property
    def gap_fraction(self) -> float | None:
        """How far below the benchmark it is, as a share of the benchmark's speed; below 0 where it was faster."""
        if not self.benchmark_tokens_per_s:
            return None
        return 1 - self.tokens_per_s / self.benchmark_tokens_per_s


NO_REAL_USE: Final = Unknown(marked("no text was written"), Missing.NOT_YET)
NOT_LOADED: Final = Unknown(marked("loading was not timed"), Missing.NOT_YET)


def merged_reasons(conditions: Iterable[Conditions]) -> list[str]:
    """Why runs carry their stamps, in order, each once; of those that differ in their figures only, the first."""
    reasons: dict[str, str] = {}
    for held in conditions:
        for why in held.because:
            reasons.setdefault(_FIGURE.sub("", why), why)
    return list(reasons.values())


_FIGURE: Final = re.compile(r"\s*(?:under|over|unter|über)?[\s\d.,]*\d[\s\d.,]*(?:%|[kMGT]?B\b)?")
"""A number with its unit in any language, so that "512 MB" and "1.2 GB" count as the same reason."""


@dataclass(frozen=True, slots=True)
class LiveReading:
    """What a gauge shows while the child measures.

    Attributes:
        repetitions: how many there will be at most.
        repetition: 1-based; 0 while warming up.
        tokens_per_s: speed of the repetition so far, or of the whole one when ``final``.
    """

    phase: Phase
    repetition: int
    repetitions: int
    tokens_per_s: float
    final: bool
