"""Builders for diagnosis and advice: models, machines, measured rows and ceilings from a few published figures."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from advisor.benchmarks.model import Conditions, EngineDevice, EngineFacts, EngineMode, Phase, Stamp, TestResult
from advisor.ceilings.model import ArithmeticProbe, Ceilings, ReadProbe
from advisor.ceilings.roofline import ceilings as make_ceilings
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.diagnosis.average_turn import average_turn
from advisor.diagnosis.engine import diagnose
from advisor.diagnosis.model import Workload
from advisor.diagnosis.timeline import timeline as make_timeline
from advisor.diagnosis.workload import preset
from advisor.gguf.model import ModelFacts
from advisor.gguf.traffic import AttentionLayer, Traffic
from advisor.hardware.model import Cpu, Gpu, Load, Machine, Memory, Power
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice
from advisor.recommendations.ranking import advise

GB = 10**9
GIB = 2**30
VALID = Conditions(Stamp.VALID, ())
NOT_YET = Unknown("not asked in this test", Missing.NOT_YET)


def read(value: object) -> Known:
    return Known(value, Basis.READ, "test")


def traffic(
    weight_bytes: float = 4.62e9, parameters: float = 7.505e9, *, head_share: float = 0.07, layers: int = 32,
    kv_heads: int = 8, heads: int = 32, length: int = 128, window: int | None = None, experts: int = 0,
    experts_used: int = 0, expert_bytes: float = 0.0,
) -> Traffic:
    """A model's traffic; the defaults are Llama-3.1-8B in Q4_K_M. ``weight_bytes`` is what a dense step reads."""
    head = round(weight_bytes * head_share)
    return Traffic(
        dense_bytes=round(weight_bytes) - head,
        head_bytes=head,
        expert_bytes=round(expert_bytes),
        experts=experts,
        experts_used=experts_used,
        row_bytes=0,
        block_elements=round(parameters * (1 - head_share)),
        head_elements=round(parameters * head_share),
        last_ffn_elements=0,
        attention=tuple(AttentionLayer(heads, kv_heads, length, length, window) for _ in range(layers)),
    )


def model(
    flows: Traffic | None = None, *, bits: float = 4.9, label: str = "Q4_K_M", types: dict[str, int] | None = None,
    weights_bytes: int | None = None,
) -> ModelFacts:
    held = flows or traffic()
    weights = weights_bytes or round(held.dense_bytes + held.head_bytes + held.expert_bytes)
    parameters = round(weights * 8 / bits)
    return ModelFacts(
        path=Path("model.gguf"),
        name="Model",
        architecture="llama",
        label=read(label),
        file_bytes=weights,
        weights_bytes=weights,
        parameters=parameters,
        active_parameters=read(parameters),
        layers=read(len(held.attention)),
        embedding_length=NOT_YET,
        heads=NOT_YET,
        kv_heads=NOT_YET,
        vocabulary=NOT_YET,
        context_length=NOT_YET,
        tied_head=False,
        experts=held.experts,
        experts_used=held.experts_used,
        types=types or {"Q4_K": weights},
        matmuls=(),
        has_decode=True,
        notes=(),
        traffic=read(held),
    )


def gpu(name: str = "RTX 3090", memory_bytes: int = 24 * GIB, bytes_per_s: float | None = 936e9,
        shares: bool = False) -> Gpu:
    rate: Fact[float] = NOT_YET if bytes_per_s is None else read(bytes_per_s)
    return Gpu(read(name), NOT_YET, NOT_YET, read(memory_bytes), read(memory_bytes), rate, NOT_YET, NOT_YET, NOT_YET,
               read(shares))


def machine(
    *, memory_bytes: int = 32 * GIB, gpus: Sequence[Gpu] = (), on_battery: bool = False, profile: str = "",
    virtual: bool = False, threads: int = 8,
) -> Machine:
    return Machine(
        system="Test system",
        cpu=Cpu(
            name=read("Test CPU"), architecture="x86_64", logical=threads, physical=read(threads),
            usable_threads=threads, usable_because="cores", affinity=read(threads),
            quota_cpus=NOT_YET, extensions=("avx2",), l3_bytes=NOT_YET,
            virtual_machine=read("kvm") if virtual else Unknown("bare metal", Missing.NOT_APPLICABLE),
        ),
        memory=Memory(read(memory_bytes), read(memory_bytes), NOT_YET, read(0)),
        gpus=tuple(gpus),
        gpus_note=read("test"),
        power=Power(read(on_battery), read(profile) if profile else NOT_YET),
        load=Load(read(0.02), read(0.1), NOT_YET),
        read_at="2026-11-29T14:00:00+00:00",
    )


def engine(*, gpu_offload: bool = False, devices: Sequence[EngineDevice] = ()) -> EngineFacts:
    return EngineFacts("llama-cpp-python", "0.3.36", "build", "info", "python", gpu_offload, tuple(devices))


def device(name: str = "CUDA0", kind: str = "gpu", memory_bytes: int = 24 * GIB) -> EngineDevice:
    return EngineDevice(name, f"Test {name}", kind, read(memory_bytes), read(memory_bytes))


def row(
    phase: Phase, tokens_per_s: float | Sequence[float], *, tokens: int | None = None, depth: int = 0,
    threads: int = 4, on: str = "CPU", safe: bool = False, conditions: Conditions = VALID,
) -> TestResult:
    speeds = (tokens_per_s,) if isinstance(tokens_per_s, int | float) else tuple(tokens_per_s)
    size = tokens or (512 if phase is Phase.PREFILL else 128)
    prefill = phase is Phase.PREFILL
    return TestResult(
        phase=phase, n_prompt=size if prefill else 0, n_gen=0 if prefill else size, n_depth=depth,
        n_threads=threads, n_batch=2048, n_ubatch=512, samples_s=tuple(size / speed for speed in speeds),
        engine="llama-cpp-python", device=on, conditions=conditions,
        mode=EngineMode.NO_EXTRA_BUFFERS if safe else EngineMode.DEFAULT,
    )


def pp(tokens_per_s: float | Sequence[float], **more: object) -> TestResult:
    return row(Phase.PREFILL, tokens_per_s, **more)  # type: ignore[arg-type]


def tg(tokens_per_s: float | Sequence[float], **more: object) -> TestResult:
    return row(Phase.DECODE, tokens_per_s, **more)  # type: ignore[arg-type]


C01_SWEEP = (
    *(pp(speed, tokens=64, threads=threads) for threads, speed in
      ((1, 6.17), (2, 12.31), (4, 23.18), (8, 32.29), (16, 33.52), (32, 59.0))),
    *(tg(speed, tokens=16, threads=threads) for threads, speed in
      ((1, 4.05), (2, 7.8), (4, 12.22), (8, 16.71), (16, 15.32), (32, 16.41))),
)
"""A published thread sweep of a 7B Q4_0 on a processor (cases V1 and C01)."""


def read_probe(bytes_per_s: float, *, kernel: str = "max of float32", threads: int = 2,
               working_set: int = 247_000_000) -> ReadProbe:
    return ReadProbe(kernel, threads, working_set, (working_set / bytes_per_s,))


def arithmetic_probe(flop_per_s: float, *, kernel: str = "float32 BLAS", threads: int = 2) -> ArithmeticProbe:
    flop = 2 * 4096 * 4096 * 512
    return ArithmeticProbe(kernel, threads, 4096, 4096, 512, flop, (flop / flop_per_s,))


def ceilings(flows: Traffic | None = None, bytes_per_s: float = 61.4e9, flop_per_s: float | None = 0.74e12,
             **more: int) -> Ceilings:
    """Ceilings with one probe each; the defaults are the laptop of the design pictures."""
    arithmetic = () if flop_per_s is None else (arithmetic_probe(flop_per_s),)
    return make_ceilings(flows or traffic(), (read_probe(bytes_per_s),), arithmetic, **more)


def evidence(
    workload: Workload, tests: Sequence[TestResult], *, facts: ModelFacts | None = None,
    bounds: Ceilings | None = None, computer: Machine | None = None, runtime: EngineFacts | None = None,
) -> Evidence:
    """The whole evidence with timeline and verdict computed from the rest."""
    held = facts or model()
    here = computer or machine()
    when = make_timeline(workload, tests, held.traffic.or_none())
    assert isinstance(when, Known)
    verdict = diagnose(workload, when.value, tests, bounds, held, here)
    one, times = average_turn(workload, when.value)
    return Evidence(here, runtime, held, bounds, tuple(tests), one, times, verdict, workload)


def recommend(held: Evidence) -> tuple[Advice, ...]:
    """What is advised as far as nothing was tried."""
    return advise(held).advice


LAPTOP: tuple[TestResult, ...] = (pp(41.3), tg(11.6))


def laptop(name: str = "rag", **more: Any) -> Evidence:
    """What the design's laptop with one preset gives."""
    return evidence(preset(name), LAPTOP, bounds=ceilings(), **more)


def commands(advice: Advice | None) -> str:
    """Everything that an advice says to type."""
    assert advice is not None
    return " | ".join(how.command for how in advice.how)
