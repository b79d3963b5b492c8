"""What the ceiling probes measure for this model on this machine."""

from dataclasses import replace
from typing import Any, Final

from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.benchmarks.model import EngineFacts
from advisor.core.evidence import Fact, Known
from advisor.core.units import GIB, MIB
from advisor.gguf.model import MatmulShape, ModelFacts
from advisor.gguf.quant_types import TYPES
from advisor.hardware.model import Machine

PROBE_COLUMNS: Final = 512
"""Columns of the arithmetic probe: one ubatch, which is what the engine multiplies at once."""
PROBE_SIDE: Final = 2048
"""Side of the square matrix that is tried beside the model's own shapes: small ones start too often."""
PROBE_MAX_FLOP: Final = 10e9
"""Largest single product of a probe; a slow machine (20 GFLOP/s) needs half a second for it."""
PROBE_MAX_TYPES: Final = 4
MAX_READ_BYTES: Final = GIB
MIN_READ_BYTES: Final = 16 * MIB


def weights_device(engine: Fact[EngineFacts], placement: Placement = OWN_CHOICE, layers: int | None = None) -> str:
    """Ggml names of the devices that will hold the weights, joined by "+": the engine's own choice or the user's.

    llama.cpp takes devices of other machines first, then every graphics card, and a graphics processor inside the CPU
    only where there is no card.

    Args:
        engine: its devices.
        placement: what the user asked for.
        layers: of the model; None where unknown. Fewer layers than this off the CPU leave a part on it.
    """
    chosen = [name for name in placement.devices if name != "CPU"]
    if not placement.devices and isinstance(engine, Known):
        devices = engine.value.devices
        cards = [device.name for device in devices if device.kind == "gpu"]
        chosen = cards or [device.name for device in devices if device.kind == "igpu"][:1]
        chosen.sort(key=lambda name: not name.startswith("RPC"))
    if not chosen or placement.gpu_layers == 0:
        return "CPU"
    partly = 0 < placement.gpu_layers <= (layers or 0)  # the output layer counts as one more
    sent = any(buffer.startswith("CPU") for _, buffer in placement.tensor_overrides)
    return "+".join([*chosen, "CPU"] if partly or sent else chosen)


def ceilings_request(
    model: ModelFacts,
    machine: Machine,
    engine: Fact[EngineFacts],
    *,
    depth: int = 0,
    safe_mode: bool = False,
    placement: Placement = OWN_CHOICE,
) -> dict[str, Any]:
    """The request of the task ``ceilings``: a working set like the model's bytes per token, its types and shapes.

    Where several devices hold the weights, the ceilings are those of the first.
    """
    usable = machine.cpu.usable_threads
    logical = machine.cpu.affinity.or_none() or machine.cpu.logical
    counts = sorted({1, max(usable // 2, 1), usable, min(logical, 2 * usable)})
    return {
        "task": "ceilings",
        "device": weights_device(engine, placement).split("+")[0],
        "rpc_servers": list(placement.rpc_servers),
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
