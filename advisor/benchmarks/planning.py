"""Which runs, sizes and time limits for this model on this machine."""

from dataclasses import dataclass, replace
from typing import Any, Final

from advisor.benchmarks.model import EngineFacts
from advisor.benchmarks.supervisor import Limits
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Fact, Known
from advisor.core.units import GIB, MIB
from advisor.gguf.model import MatmulShape, ModelFacts
from advisor.gguf.quant_types import TYPES
from advisor.hardware.model import Machine

N_BATCH: Final = 2048
N_UBATCH: Final = 512
"""llama-bench's defaults."""

PROBE_COLUMNS: Final = 512
"""Columns of the arithmetic probe: one ubatch, which is what the engine multiplies at once."""
PROBE_SIDE: Final = 2048
"""Side of the square matrix that is tried beside the model's own shapes: small ones start too often."""
PROBE_MAX_FLOP: Final = 10e9
"""Largest single product of a probe; a slow machine (20 GFLOP/s) needs half a second for it."""
PROBE_MAX_TYPES: Final = 4
MAX_READ_BYTES: Final = GIB
MIN_READ_BYTES: Final = 16 * MIB
TYPICAL_OF_CEILING: Final = 0.5
"""Share of its ceiling that a phase usually reaches; for predicting time only."""


@dataclass(frozen=True, slots=True)
class BenchSettings:
    """What to measure.

    Attributes:
        n_threads: None for what the machine's facts advise.
        budget_s: seconds the two phases may take together; None for as long as it takes. With a budget the number
            of repetitions (never below 2) and of tokens is cut to fit.
    """

    n_prompt: int = 512
    n_gen: int = 128
    n_depth: int = 0
    repetitions: int = 5
    n_threads: int | None = None
    budget_s: float | None = None


def threads(machine: Machine, settings: BenchSettings) -> int:
    """Threads of both phases."""
    return settings.n_threads or machine.cpu.usable_threads


def weights_device(engine: Fact[EngineFacts]) -> str:
    """Ggml name of the device that will hold the weights: the first GPU, else "CPU"."""
    if isinstance(engine, Known):
        for device in engine.value.devices:
            if device.kind in ("gpu", "igpu"):
                return device.name
    return "CPU"


def ceilings_request(
    model: ModelFacts, machine: Machine, engine: Fact[EngineFacts], *, depth: int = 0, safe_mode: bool = False
) -> dict[str, Any]:
    """The request of the task ``ceilings``: a working set like the model's bytes per token, its types and shapes."""
    usable = machine.cpu.usable_threads
    logical = machine.cpu.affinity.or_none() or machine.cpu.logical
    counts = sorted({1, max(usable // 2, 1), usable, min(logical, 2 * usable)})
    return {
        "task": "ceilings",
        "device": weights_device(engine),
        "read_bytes": _working_set(model, machine, depth),
        "read_threads": counts,
        "compute_threads": [usable],
        "columns": PROBE_COLUMNS,
        "use_extra_bufts": not safe_mode,
        "shapes": [
            {"type_id": s.type_id, "type_name": s.type_name, "inputs": s.inputs, "outputs": s.outputs}
            for s in _probe_shapes(model)
        ],
    }


def _working_set(model: ModelFacts, machine: Machine, depth: int) -> int:
    """Bytes one decode step reads, kept within a quarter of the free memory and a GiB.

    Beyond a GiB no cache of today helps, and reading more only takes longer.
    """
    wanted = float(model.weights_bytes)
    if isinstance(model.traffic, Known):
        wanted = model.traffic.value.step_bytes(1, depth)
    available = machine.memory.available_bytes.or_none() or GIB
    return int(max(min(wanted, MAX_READ_BYTES, available / 4), MIN_READ_BYTES))


def _probe_shapes(model: ModelFacts) -> list[MatmulShape]:
    """Per weight type, heaviest first: the model's largest matrix of that type and a square one."""
    best: dict[int, MatmulShape] = {}
    weight: dict[int, int] = {}
    for shape in model.matmuls:
        weight[shape.type_id] = weight.get(shape.type_id, 0) + shape.bytes
        fitting = replace(
            shape, outputs=max(1, min(shape.outputs, int(PROBE_MAX_FLOP / (2 * shape.inputs * PROBE_COLUMNS))))
        )
        held = best.get(shape.type_id)
        if held is None or fitting.inputs * fitting.outputs > held.inputs * held.outputs:
            best[shape.type_id] = fitting
    shapes: list[MatmulShape] = []
    for type_id in sorted(best, key=lambda t: -weight[t])[:PROBE_MAX_TYPES]:
        shapes.append(best[type_id])
        known = TYPES.get(type_id)
        if known is not None and PROBE_SIDE % known.block_elements == 0:
            shapes.append(replace(best[type_id], inputs=PROBE_SIDE, outputs=PROBE_SIDE))
    return shapes


def wider(request: dict[str, Any]) -> dict[str, Any]:
    """The same probes over more thread counts and a smaller and larger working set, after a run beat its ceiling."""
    most = max(request["read_threads"])
    return request | {
        "read_threads": sorted({*request["read_threads"], most + 1, 2 * most}),
        "compute_threads": sorted({*request["compute_threads"], most, 2 * most}),
        "read_bytes": max(request["read_bytes"] // 2, MIN_READ_BYTES),
    }


def phases_request(
    model: ModelFacts, settings: BenchSettings, n_threads: int, *, safe_mode: bool, notes: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The request of the task ``phases``: prefill then decode, as llama-bench names and runs them.

    ``notes`` are reasons, known beforehand, why the results are only suspect; the child does not read them.
    """
    tests = []
    if settings.n_prompt:
        tests.append({"n_prompt": settings.n_prompt, "n_gen": 0, "n_depth": settings.n_depth})
    if settings.n_gen:
        tests.append({"n_prompt": 0, "n_gen": settings.n_gen, "n_depth": settings.n_depth})
    return {
        "task": "phases",
        "model": str(model.engine_file),
        "tests": tests,
        "repetitions": settings.repetitions,
        "n_threads": n_threads,
        "n_batch": N_BATCH,
        "n_ubatch": N_UBATCH,
        "use_extra_bufts": not safe_mode,
        "n_gpu_layers": -1,
        "notes": list(notes),
    }


@dataclass(frozen=True, slots=True)
class Predicted:
    """Seconds that one repetition of each phase will take, and the loading; rough until the first is measured."""

    load_s: float
    prefill_s: float
    decode_s: float


def predict(model: ModelFacts, ceilings: Fact[Ceilings], settings: BenchSettings) -> Predicted:
    """From the ceilings where they are known, else from the file's size at 10 GB/s and 100 GFLOP/s."""
    prefill_rate, decode_rate = None, None
    if isinstance(ceilings, Known):
        prefill_rate = ceilings.value.prefill_tokens_per_s.or_none()
        decode_rate = ceilings.value.decode_tokens_per_s.or_none()
    weights = max(model.weights_bytes, 1)
    decode_rate = (decode_rate or 10e9 / weights) * TYPICAL_OF_CEILING
    prefill_rate = (prefill_rate or 100e9 / (2 * max(model.parameters, 1))) * TYPICAL_OF_CEILING
    depth_s = settings.n_depth / prefill_rate
    return Predicted(
        load_s=0.3 + weights / 1e9,
        prefill_s=settings.n_prompt / prefill_rate + depth_s,
        decode_s=settings.n_gen / decode_rate + depth_s,
    )


def fit_budget(settings: BenchSettings, predicted: Predicted) -> BenchSettings:
    """Fewer repetitions, then fewer tokens, until the prediction fits the budget; never below 2 and 16."""
    if settings.budget_s is None:
        return settings
    fitted, seconds = settings, predicted

    def total_s() -> float:
        return seconds.load_s + (fitted.repetitions + 1) * seconds.prefill_s + fitted.repetitions * seconds.decode_s

    while total_s() > settings.budget_s and fitted.repetitions > 2:
        fitted = replace(fitted, repetitions=fitted.repetitions - 1)
    while total_s() > settings.budget_s and max(fitted.n_prompt, fitted.n_gen) > 16:
        fitted = replace(fitted, n_prompt=_halved(fitted.n_prompt), n_gen=_halved(fitted.n_gen))
        seconds = replace(seconds, prefill_s=seconds.prefill_s / 2, decode_s=seconds.decode_s / 2)
    return fitted


def _halved(tokens: int) -> int:
    return max(tokens // 2, 16) if tokens else 0


def phase_limits(predicted: Predicted, settings: BenchSettings) -> Limits:
    """Silence: one prefill can say nothing until it is done, so many times its prediction; at least two minutes."""
    longest = max(predicted.load_s, predicted.prefill_s, predicted.decode_s)
    silence = max(120.0, 20 * longest)
    return Limits(silence_s=silence, total_s=silence * 2 * (settings.repetitions + 2))
