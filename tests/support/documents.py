"""Documents to test with: the laptop of the pictures, complete, partial, and in every awkward shape.

All figures are invented; they only have to agree with each other.
"""

from dataclasses import replace
from pathlib import Path

from advisor.benchmarks.model import (
    NO_REAL_USE,
    Conditions,
    EngineCheck,
    EngineDevice,
    EngineFacts,
    EngineMode,
    FlashAttention,
    Phase,
    RealUse,
    Stamp,
    Sweep,
    TestResult,
)
from advisor.ceilings.model import ArithmeticProbe, Ceilings, ReadProbe
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.diagnosis.model import Comfort, Finding, Limit, Problem, Timeline, Verdict, Workload
from advisor.diagnosis.parts import Course, Part, PartId, Seconds, Turn, add_up
from advisor.gguf.model import MatmulShape, ModelFacts
from advisor.gguf.traffic import AttentionLayer, Traffic
from advisor.hardware.model import Cpu, Gpu, Load, Machine, Memory, Power
from advisor.recommendations.model import Advice, HowTo, WontHelp
from advisor.report.document import Document

CREATED_AT = "2026-11-29T14:05:00+01:00"
VALID = Conditions(Stamp.VALID, ())
SUSPECT = Conditions(Stamp.SUSPECT, ("on battery", "other programs used 35\u00a0% of the CPU"))
INVALID = Conditions(Stamp.INVALID, ("the machine was swapping",))

LONG_NAME = "Meta-Llama-3.1-8B-Instruct-abliterated-ultra-long-context-community-merge-" * 3 + "final_v2"
CYRILLIC_NAME = "Сайга-Мистраль 7B для русского языка"
CHINESE_NAME = "通义千问-7B-对话模型 Q4_K_M"


def read(value: object, source: str = "test") -> Known:  # type: ignore[type-arg]
    """A fact read from the system."""
    return Known(value, Basis.READ, source)


def not_here(reason: str = "no such thing on this machine") -> Unknown:
    """An unknown that does not apply."""
    return Unknown(reason, Missing.NOT_APPLICABLE)


def machine() -> Machine:
    """A laptop with an integrated GPU."""
    return Machine(
        system="Debian GNU/Linux 12, kernel 6.1",
        cpu=Cpu(
            name=read("Core i7-1360P", "/proc/cpuinfo"),
            architecture="x86_64",
            logical=16,
            physical=read(12, "/sys topology"),
            usable_threads=12,
            usable_because="12 cores",
            affinity=read(16),
            quota_cpus=not_here("no cgroup quota"),
            extensions=("avx2", "avx_vnni", "f16c", "fma"),
            l3_bytes=read(18 * 2**20),
            virtual_machine=not_here("bare metal"),
        ),
        memory=Memory(
            total_bytes=read(33_400_000_000, "/proc/meminfo"),
            available_bytes=read(26_100_000_000, "/proc/meminfo"),
            limit_bytes=not_here("no cgroup limit"),
            swap_used_bytes=read(0),
        ),
        gpus=(gpu(),),
        gpus_note=read("found by the engine's Vulkan backend"),
        power=Power(on_battery=read(False, "/sys/class/power_supply"), profile=Unknown("no power profile service")),
        load=Load(cpu_busy_fraction=read(0.04, "0.2 s of /proc/stat"), load_1min=read(0.31), steal_fraction=read(0.0)),
        read_at=CREATED_AT,
    )


def gpu() -> Gpu:
    """An integrated GPU of which little is known."""
    unknown = Unknown("no driver library for this GPU", Missing.TOOL_MISSING)
    return Gpu(
        name=read("Iris Xe"),
        uuid=read("GPU-1b2c3d4e-serial"),
        pci_id=read("8086:a7a0"),
        memory_total_bytes=unknown,
        memory_free_bytes=unknown,
        memory_bytes_per_s=unknown,
        compute_capability=not_here(),
        power_limit_w=unknown,
        driver=unknown,
        shares_memory=read(True),
    )


def engine() -> Fact[EngineFacts]:
    """A CPU build of the embedded engine."""
    return Known(
        EngineFacts(
            name="llama-cpp-python",
            version="0.3.36",
            build="0c1e570",
            system_info="AVX2 = 1 | AVX_VNNI = 1 | REPACK = 1",
            python="/home/maria/venv/bin/python3.11",
            gpu_offload=False,
            devices=(EngineDevice("CPU", "Core i7-1360P", "cpu", read(33_400_000_000), read(26_100_000_000)),),
        ),
        Basis.READ,
        "asked in a child process",
    )


def crashing_engine() -> Known[EngineFacts]:
    """The same engine, whose self-test had to step down once."""
    known = engine()
    assert isinstance(known, Known)
    check = EngineCheck(
        EngineMode.NO_EXTRA_BUFFERS,
        "the engine crashed while running prefill (SIGILL)",
        "This looks like a known fault of the engine.",
        "To mend it, build the engine again",
        "2026-11-29",
    )
    device = replace(known.value.devices[0], self_test=Known(check, Basis.MEASURED, "the engine's self-test"))
    return replace(known, value=replace(known.value, devices=(device,)))


def traffic() -> Traffic:
    """Llama 3.1 8B at Q4_K_M."""
    return Traffic(
        dense_bytes=4_190_000_000,
        head_bytes=430_000_000,
        expert_bytes=0,
        experts=0,
        experts_used=0,
        row_bytes=2304,
        block_elements=6_979_584_000,
        head_elements=525_336_576,
        last_ffn_elements=176_160_768,
        attention=tuple(AttentionLayer(32, 8, 128, 128) for _ in range(32)),
    )


def model(name: str = "Llama-3.1-8B-Instruct") -> ModelFacts:
    """A dense model of the usual kind."""
    return ModelFacts(
        path=Path("/home/maria/models/llama-3.1-8b-instruct-q4_k_m.gguf"),
        name=name,
        architecture="llama",
        label=read("Q4_K_M", "general.file_type"),
        file_bytes=4_920_734_272,
        weights_bytes=4_912_898_304,
        parameters=8_030_261_312,
        active_parameters=Known(8_030_261_312, Basis.COMPUTED, "all tensors, no experts"),
        layers=read(32),
        embedding_length=read(4096),
        heads=read(32),
        kv_heads=read(8),
        vocabulary=read(128256),
        context_length=read(131072),
        tied_head=False,
        experts=0,
        experts_used=0,
        types={"Q4_K": 3_900_000_000, "Q6_K": 1_010_000_000, "F32": 2_898_304},
        matmuls=(
            MatmulShape("Q4_K", 12, 4096, 14336, 2_100_000_000, 64),
            MatmulShape("Q6_K", 14, 14336, 4096, 700_000_000, 16),
        ),
        has_decode=True,
        notes=(),
        traffic=Known(traffic(), Basis.COMPUTED, "tensor table"),
    )


def ceilings() -> Ceilings:
    """Both ceilings with the probes they were chosen from."""
    read_source = "best of 3 read-only kernels at 4.62 GB, 8 threads, max of float32"
    return Ceilings(
        batch=1,
        depth=0,
        prompt=512,
        read_bytes_per_s=Known(61.4e9, Basis.MEASURED, read_source),
        compute_flop_per_s=Known(0.74e12, Basis.MEASURED, "best of 3 products, ggml Q4_K, 12 threads"),
        decode_tokens_per_s=Known(13.3, Basis.COMPUTED, "61.4 GB/s ÷ 4.62 GB per token"),
        prefill_tokens_per_s=Known(49.2, Basis.COMPUTED, "740 GFLOP/s ÷ 15.0 GFLOP per token"),
        balance_flop_per_byte=Known(12.05, Basis.COMPUTED, "740 GFLOP/s ÷ 61.4 GB/s"),
        balance_batch=Known(3.7, Basis.COMPUTED, "from the balance point"),
        decode_at_least=False,
        prefill_at_least=False,
        read_probes=(
            ReadProbe("max of float32", 8, 4_620_000_000, (0.0760, 0.07524, 0.0771)),
            ReadProbe("max of float32", 4, 4_620_000_000, (0.0831, 0.0829, 0.0840)),
            ReadProbe("dot of float32", 8, 4_620_000_000, (0.0790, 0.0781, 0.0802)),
        ),
        arithmetic_probes=(
            ArithmeticProbe("ggml Q4_K, repacked", 12, 4096, 14336, 512, 60_129_542_144, (0.0813, 0.08126, 0.0840)),
            ArithmeticProbe("ggml Q6_K", 12, 14336, 4096, 512, 60_129_542_144, (0.12, 0.118, 0.121)),
            ArithmeticProbe("float32 BLAS", 12, 4096, 4096, 512, 17_179_869_184, (0.031, 0.0305, 0.0311)),
        ),
    )


def prefill_test(conditions: Conditions = VALID) -> TestResult:
    """pp512 at 41.3 tokens/s."""
    return TestResult(
        phase=Phase.PREFILL,
        n_prompt=512,
        n_gen=0,
        n_depth=0,
        n_threads=12,
        n_batch=2048,
        n_ubatch=512,
        samples_s=(12.52, 12.31, 12.40, 12.38, 12.55),
        engine="llama-cpp-python 0.3.36",
        device="CPU",
        conditions=conditions,
    )


def decode_test(conditions: Conditions = VALID) -> TestResult:
    """tg128 at 11.6 tokens/s."""
    return replace(
        prefill_test(conditions),
        phase=Phase.DECODE,
        n_prompt=0,
        n_gen=128,
        samples_s=(11.03, 11.01, 11.12, 11.05, 10.98),
    )


def real_use(conditions: Conditions = VALID) -> RealUse:
    """Text at 11.1 tokens/s, 4 % below the benchmark."""
    return RealUse(
        prompt_tokens=136, tokens=64, tokenise_s=0.001, prefill_s=3.3, decode_s=5.57, sample_s=0.17, detokenise_s=0.002,
        benchmark_tokens_per_s=11.6, conditions=conditions,
    )  # fmt: skip


def workload() -> Workload:
    """Answering from documents."""
    return Workload("rag", "Answer from documents", 4000, 600, 300, 1, Comfort(10.0, 5.0))


def timeline() -> Timeline:
    """97 s of nothing, 26 s of text."""
    return Timeline(
        wait_s=96.9,
        stream_s=25.9,
        total_s=122.8,
        prefill_tokens_per_s=41.3,
        decode_tokens_per_s=11.6,
        basis="pp512 and tg128 measured here, the same speed assumed at this depth",
        first_time=_course(load_s=2.1, cold_s=96.9),
        afterwards=_course(cold_s=82.4, kept=True),
        turns=(Turn(1, 4000, 4000, _about(96.9), _about(96.9), _about(25.9)),),
        kept_basis="as llama-server, Ollama and LM Studio do with the last conversation",
    )


def _about(middle_s: float) -> Seconds:
    return Seconds(middle_s, 0.98 * middle_s, 1.03 * middle_s)


def _course(load_s: float = 0.0, cold_s: float = 0.0, kept: bool = False) -> Course:
    """Every part of the request of the pictures; sampling was not measured."""
    parts = [
        *([Part(PartId.LOAD, 0, Known(_about(load_s), Basis.MEASURED, "in this run"))] if load_s else []),
        Part(PartId.TOKENISE, 4000, Known(_about(0.03), Basis.COMPUTED, "a prompt of 136 tokens took 1 ms")),
        *([Part(PartId.CACHED_PREFILL, 600, Known(Seconds(0, 0, 0.04), Basis.ESTIMATED, "in place"))] if kept else []),
        Part(PartId.COLD_PREFILL, 3400 if kept else 4000, Known(_about(cold_s), Basis.COMPUTED, "pp512")),
        Part(PartId.DECODE, 300, Known(_about(25.9), Basis.COMPUTED, "tg128")),
        Part(PartId.SAMPLING, 300, Unknown("no text was written", Missing.NOT_YET)),
    ]
    return Course(tuple(parts), add_up(part.took.value for part in parts if isinstance(part.took, Known)))


def verdict() -> Verdict:
    """Prefill is the problem."""
    return Verdict(
        problem=Problem.PREFILL,
        headline="Prefill is your problem.",
        sentence=(
            "79 % of each request passes before the first word. Decode already runs at 87 % of its ceiling and "
            "keeps up with reading."
        ),
        prefill=Finding(Phase.PREFILL, Limit.COMPUTE, 0.84, "84 % of what this machine's arithmetic allows."),
        decode=Finding(Phase.DECODE, Limit.MEMORY, 0.87, "87 % of what this machine's memory allows."),
    )


def advice() -> tuple[Advice, ...]:
    """Four pieces of advice, one of each basis."""
    return (
        Advice(
            "shorten-prompt", Phase.PREFILL, "Retrieve 8 passages instead of 40", "4,000 → 920 tokens of prompt.",
            74.6, 74.6, 74.6, Basis.COMPUTED,
            (HowTo("your program", "Lower the number of passages (top_k) from 40 to 8."),),
            "answers may miss a passage", "raise top_k again", "Prefill runs at 41.3 tokens/s (pp512, measured).",
        ),
        Advice(
            "use-gpu", Phase.PREFILL, "Use the integrated GPU for the prompt",
            "Same memory, more arithmetic: prefill two to three times faster, writing unchanged.",
            58.0, 48.0, 65.0, Basis.ESTIMATED,
            (
                HowTo("llama-server", "Offload all layers.", "llama-server -m model.gguf -ngl 99 --device Vulkan0"),
                HowTo("LM Studio", "Set GPU offload to the maximum."),
            ),
            "needs a Vulkan build", "leave -ngl out", "Iris Xe shares the memory; decode stays at 11.6 tokens/s.",
        ),
        Advice(
            "reuse-prefix", Phase.PREFILL, "Keep the 600-token system prompt cached",
            "Read once, reused by each request.", 14.5, 14.2, 14.8, Basis.MEASURED,
            (HowTo("llama-server", "Reuse the cached prefix.", "llama-server -m model.gguf --cache-reuse 256"),),
            "none", "leave the option out", "600 tokens at 41.3 tokens/s take 14.5 s.",
        ),
        Advice(
            "quantise", Phase.DECODE, "Quantise to Q3_K_M", "Decode 11.6 → 14.3 tokens/s.", 4.9, 4.1, 5.6,
            Basis.COMPUTED, (HowTo("this app", "Convert the file."),), "quality: perplexity about 5 % worse",
            "keep the old file", "4.62 GB are read per token, 3.74 GB afterwards.",
        ),
    )  # fmt: skip


def wont_help() -> tuple[WontHelp, ...]:
    """Three things people buy."""
    return (
        WontHelp("more-cores", "More cores: writing is flat from 5 to 12 threads.", "11.5 at 5, 11.6 at 12 threads."),
        WontHelp("faster-cpu", "A faster CPU: writing stays under 13.3 tokens/s, the memory's limit.", "61.4 GB/s."),
        WontHelp("second-gpu", "A second GPU: it adds memory, not speed.", "The model fits in 6.1 of 33.4 GB."),
    )


def complete_document() -> Document:
    """Everything known: the document of the pictures."""
    return Document(
        created_at=CREATED_AT,
        app_version="0.1.0",
        machine=machine(),
        engine=engine(),
        model=model(),
        ceilings=Known(ceilings(), Basis.MEASURED, "probes in a child process"),
        tests=(prefill_test(), decode_test()),
        workload=workload(),
        timeline=Known(timeline(), Basis.COMPUTED, "measured speeds"),
        verdict=Known(verdict(), Basis.COMPUTED, "rules"),
        advice=advice(),
        wont_help=wont_help(),
        real_use=Known(real_use(), Basis.MEASURED, "text written with llama.cpp's default samplers"),
    )


def stopped_document() -> Document:
    """Stopped after the first repetitions of prefill: one phase, no verdict."""
    unknown = Unknown("decode is not measured yet", Missing.NOT_YET)
    return replace(
        complete_document(),
        tests=(replace(prefill_test(), samples_s=(12.52,), complete=False),),
        real_use=NO_REAL_USE,
        timeline=unknown,
        verdict=unknown,
        advice=(),
        wont_help=(),
        interrupted="Stopped during prefill; what was measured until then is kept.",
    )


def bare_document() -> Document:
    """Nothing but the header of a model and a machine that hides everything."""
    hidden = Unknown("the system does not tell", Missing.NOT_SUPPORTED)
    base = stopped_document()
    cpu = replace(
        base.machine.cpu, name=hidden, physical=hidden, affinity=hidden, quota_cpus=hidden, l3_bytes=hidden,
        virtual_machine=hidden, extensions=(),
    )  # fmt: skip
    return replace(
        base,
        machine=replace(
            base.machine,
            cpu=cpu,
            memory=Memory(hidden, hidden, hidden, hidden),
            gpus=(),
            gpus_note=Unknown("no NVML library", Missing.TOOL_MISSING),
            power=Power(hidden, hidden),
            load=Load(hidden, hidden, hidden),
        ),
        engine=Unknown("llama_cpp is not installed; get it with: pip install llama-cpp-python", Missing.TOOL_MISSING),
        model=replace(
            base.model, label=hidden, active_parameters=hidden, layers=hidden, embedding_length=hidden, heads=hidden,
            kv_heads=hidden, vocabulary=hidden, context_length=hidden, types={},
            traffic=Unknown("architecture mamba9 is not modelled yet", Missing.NOT_SUPPORTED),
            notes=("mamba9, an architecture of a later day.",),
        ),
        ceilings=Unknown("bytes per token are unknown", Missing.NOT_APPLICABLE),
        tests=(),
        interrupted="",
    )  # fmt: skip


def suspect_document() -> Document:
    """On battery, in safe mode, decode above its first ceiling."""
    base = complete_document()
    tests = (
        replace(prefill_test(SUSPECT), mode=EngineMode.NO_EXTRA_BUFFERS),
        replace(decode_test(SUSPECT), mode=EngineMode.NO_EXTRA_BUFFERS, samples_s=(9.0, 13.0, 11.0)),
        replace(decode_test(INVALID), n_depth=4096, samples_s=(14.9,), complete=False),
    )
    bounds = replace(ceilings(), decode_at_least=True, decode_tokens_per_s=Known(11.6, Basis.MEASURED, "tg128"))
    return replace(
        base,
        engine=crashing_engine(),
        tests=tests,
        ceilings=Known(bounds, Basis.MEASURED, "probes in a child process"),
        real_use=Known(real_use(SUSPECT), Basis.MEASURED, "text written with llama.cpp's default samplers"),
    )


def crowded_document(copies: int = 5) -> Document:
    """Twenty pieces of advice, long names and many tests, to see that nothing is clipped."""
    base = complete_document()
    many = tuple(
        replace(item, id=f"{item.id}-{i}", title=f"{item.title}, said at length, variant {i}" * (1 + i % 2))
        for i in range(copies)
        for item in advice()
    )
    tests = tuple(replace(t, n_depth=1024 * i) for i in range(12) for t in (prefill_test(), decode_test()))
    return replace(base, model=model(LONG_NAME), advice=many, wont_help=wont_help() * 4, tests=tests)


def curve_tests() -> tuple[TestResult, ...]:
    """The two phases with a point or more of every curve."""
    pp, tg = prefill_test(), decode_test()

    def at(row: TestResult, speed: float, sweep: Sweep, **settings: object) -> TestResult:
        point = replace(row, sweep=sweep, **settings)  # type: ignore[arg-type]
        return replace(point, samples_s=tuple(point.tokens / (speed * wobble) for wobble in (0.99, 1.0, 1.01)))

    short = replace(tg, n_gen=32)
    deep = {"n_depth": 4000}
    return (
        pp,
        tg,
        at(short, 10.4, Sweep.DEPTH, **deep),
        at(pp, 36.2, Sweep.DEPTH, **deep),
        *(at(short, speed, Sweep.THREADS, n_threads=n) for n, speed in ((4, 9.1), (8, 11.7), (16, 9.6))),
        *(at(pp, speed, Sweep.THREADS, n_threads=n) for n, speed in ((4, 17.2), (8, 30.9), (16, 41.5))),
        *(at(replace(tg, n_gen=16), speed, Sweep.BATCH, n_streams=n) for n, speed in ((2, 20.1), (4, 31.0), (8, 38.2))),
        *(at(replace(pp, n_prompt=2048), speed, Sweep.UBATCH, n_ubatch=n) for n, speed in ((512, 39.9), (128, 33.1))),
        at(short, 9.2, Sweep.FLASH_ATTENTION, flash_attention=FlashAttention.OFF, **deep),
        at(pp, 36.3, Sweep.FLASH_ATTENTION, flash_attention=FlashAttention.OFF, **deep),
        at(short, 10.9, Sweep.KV_TYPE, kv_type="q8_0", **deep),
    )


def swept_document() -> Document:
    """A standard plan, of which two points found no time."""
    words = ("Not measured, because there was no time left: streams (tg16 x 16, tg16 x 32).",)
    return replace(complete_document(), tests=curve_tests(), left_out=words)


EXAMPLES = {
    "swept": swept_document,
    "complete": complete_document,
    "stopped": stopped_document,
    "bare": bare_document,
    "suspect": suspect_document,
    "crowded": crowded_document,
}
