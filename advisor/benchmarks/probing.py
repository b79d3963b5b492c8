"""What the ceiling probes measure for this model on this machine."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.benchmarks.kernel_plan import kernel_request
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
MAX_SENT_BYTES: Final = 64 * MIB
CURVE_STEP: Final = 4
"""Working sets of the read curve lie this factor apart, from the smallest to the largest."""
BEYOND_CACHES: Final = 4
"""Sets of four times the last cache are read from memory (STREAM's rule, physics.md eq. 28); larger ones show no more,
and their first touch takes most of the time of all probes."""

MOST_CACHE_PER_CPU_BYTES: Final = 16 * MIB
"""Last-level cache per logical CPU beyond which a virtual machine shows its host's (300 MB for two were seen). EPYCs
with stacked cache, which have most, have 12 MiB per core."""


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
    more_types: Sequence[int] = (),
    also: ModelFacts | None = None,
) -> dict[str, Any]:
    """The request of the task ``ceilings``: a working set like the model's bytes per token, its types and shapes.

    Where several devices hold the weights, the ceilings are those of the first. ``more_types`` are ids of weight types
    that the kernel table shall hold beside the model's own, ``also`` is another model that it shall predict.
    """
    device = weights_device(engine, placement).split("+")[0]
    usable = machine.cpu.usable_threads
    logical = machine.cpu.affinity.or_none() or machine.cpu.logical
    working_set = _working_set(model, machine, depth)
    beyond = _beyond_caches_bytes(machine)
    curve = [MIN_READ_BYTES]
    while curve[-1] < max(working_set, beyond) / CURVE_STEP:
        curve.append(curve[-1] * CURVE_STEP)
    if beyond > working_set:
        curve.append(beyond)
    return {
        "task": "ceilings",
        "device": device,
        "rpc_servers": list(placement.rpc_servers),
        "read": {
            "bytes": working_set,
            "threads": sorted({max(usable // 2, 1), usable, min(logical, 2 * usable)}),
            "curve": curve,
        },
        "kernels": kernel_request(model, usable, min(working_set, _most_sent(device)), more_types, also),
        "compute_threads": [usable],
        "columns": PROBE_COLUMNS,
        "use_extra_bufts": not safe_mode,
        "shapes": [
            {"type_id": s.type_id, "type_name": s.type_name, "inputs": s.inputs, "outputs": s.outputs}
            for s in _probe_shapes(model)
        ],
    }


def _working_set(model: ModelFacts, machine: Machine, depth: int) -> int:
    """Bytes one decode step reads, kept within a quarter of the free memory and a GiB."""
    wanted = float(model.weights_bytes)
    if isinstance(model.traffic, Known):
        wanted = model.traffic.value.step_bytes(1, depth)
    return int(max(min(wanted, _most_bytes(machine)), MIN_READ_BYTES))


def _most_sent(device: str) -> int:
    """Weights of the kernel table that a device is given; those of another machine's go through the network."""
    return MAX_SENT_BYTES if device.startswith("RPC") else MAX_READ_BYTES


def _most_bytes(machine: Machine, wanted: int = MAX_READ_BYTES) -> int:
    """A GiB, or a quarter of the free memory. Beyond hardly any cache helps, and reading more only takes longer."""
    available = machine.memory.available_bytes.or_none() or GIB
    return max(min(wanted, available // 4), MIN_READ_BYTES)


def _beyond_caches_bytes(machine: Machine) -> int:
    """The set that is read from memory for certain: more than a GiB only where caches of that size are believable."""
    cache = _last_cache_bytes(machine)
    believable = cache <= MOST_CACHE_PER_CPU_BYTES * machine.cpu.logical
    return min(BEYOND_CACHES * cache, _most_bytes(machine, BEYOND_CACHES * cache if believable else MAX_READ_BYTES))


def _last_cache_bytes(machine: Machine) -> int:
    """The last cache that any core sees; a quarter of a GiB where none is known, more than nearly all have."""
    known = [held for held in (machine.cpu.l3_bytes.or_none(), machine.cpu.l2_bytes.or_none()) if held]
    return max(known, default=GIB // 4)


def _probe_shapes(model: ModelFacts) -> list[MatmulShape]:
    """Per weight type, heaviest first: a square one, else the model's largest matrix of that type.

    They are there for layouts that the engine does not choose and for shapes that suit the kernels better than the
    model's own, which the kernel table holds.
    """
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
        known = TYPES.get(type_id)
        fits = known is not None and PROBE_SIDE % known.block_elements == 0
        shapes.append(replace(best[type_id], inputs=PROBE_SIDE, outputs=PROBE_SIDE) if fits else best[type_id])
    return shapes


def wider(request: dict[str, Any]) -> dict[str, Any]:
    """The same probes over more thread counts, after a run beat its ceiling; the kernel table stays as it is."""
    read = request["read"]
    most = max(read["threads"])
    return {name: value for name, value in request.items() if name != "kernels"} | {
        "read": read | {"threads": sorted({*read["threads"], most + 1, 2 * most}), "curve": []},
        "compute_threads": sorted({*request["compute_threads"], most, 2 * most}),
    }
