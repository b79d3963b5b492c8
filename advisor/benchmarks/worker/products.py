"""The kernel table's matrix products: a model's own types and shapes, in the layout that the engine gives them.

All weights lie in memory together, as many copies of each shape as the model reads per step, and are multiplied in
turn: so a product finds as little of its weights in the caches as it would inside the model.
"""

from __future__ import annotations

import struct
import time
from dataclasses import dataclass, field
from random import Random
from typing import Any, Iterator  # noqa: UP035 (older Pythons run this file)

from advisor.benchmarks import protocol
from advisor.benchmarks.worker.ggml import TYPE_F32, TYPE_I32, BufferType, Device, Ggml
from advisor.benchmarks.worker.graphs import Arena, Graph, arena, engines_layouts, fill, repeat, set_bytes
from advisor.benchmarks.worker.talk import Talk

MEASURING = "Measuring how fast this machine reads and computes"
_STEP_SHARE = 0.35
"""Part of the time budget for products with one column, which come first and matter most."""
_MIN_ROUNDS = 3
_BATCH_BUDGET_S = 0.02
"""Seconds of repeated products at each larger number of columns, after one that is thrown away."""
_MAX_FLOP = 2e9
"""Largest single product; beyond it the matrix is cut to fewer outputs, which cost in proportion."""
_MAX_BATCH_BYTES = 64 << 20
"""Weights that products of many columns go through; arithmetic hides where they come from."""
_FEW = (2, 4, 8)
"""Steps of a few tokens, measured as those of one are: in rounds over the weights of a whole step. Shape after shape
each found its own weights in the cache, and a step of two tokens was predicted at 0.9 of one that took 1.3; left out
where time was over, four tokens were reckoned from 2 and 512 (1.3 steps in place of 0.85)."""
_FEW_BUDGET_S = 0.1
_FEW_GRACE_S = 0.6
"""Seconds that they may begin after the others' time is over: guessing ahead and several streams rest on them."""
_MANY_COLUMNS = 64
_MAX_NODES = 1024
_LEAST_OUTPUTS = 64


@dataclass
class _Group:
    """One shape with its weights; for experts one stack of ``experts`` matrices of which a token uses ``used``."""

    type_id: int
    type_name: str
    inputs: int
    outputs: int
    columns: list[int]
    experts: int
    used: int
    stacked: int
    layout: BufferType
    weights: list[int] = field(default_factory=list)


def kernel_rows(
    ggml: Ggml, device: Device, backend: int, request: dict[str, Any], extra: bool, skip: set[str], talk: Talk
) -> Iterator[dict[str, Any]]:
    """Rows of seconds per product: ``type_name``, ``inputs``, ``outputs``, ``columns``, ``layout``, ``samples_s``.

    Request fields: ``budget_s``, ``groups`` (list of ``type_id``, ``type_name``, ``inputs``, ``outputs``, ``copies``,
    ``columns``, for stacked experts also ``experts``, ``used``, ``stacked`` and ``inputs_shared``).
    """
    end = time.perf_counter() + float(request["budget_s"])
    usable = [found for found in engines_layouts(ggml, device, extra) if layout_attempt(found) not in skip]
    with arena(ggml) as place:
        groups = []
        for entry in request["groups"]:
            talk.raise_if_stopped()
            talk.progress(MEASURING)
            made = _set_up(ggml, device, place, usable, entry, talk)
            groups += [made] if made else []
        now = time.perf_counter()
        yield from _rounds(ggml, device, backend, groups, 1, now + _STEP_SHARE * (end - now), talk)
        full = max((columns for group in groups for columns in group.columns), default=1)
        for group in groups:
            if full > 1 and full in group.columns:
                yield from _batch(ggml, device, backend, group, full, talk)
        for columns in _FEW:
            wanting = [group for group in groups if columns in group.columns and columns < full]
            if time.perf_counter() < end + _FEW_GRACE_S:
                now = time.perf_counter()
                yield from _rounds(ggml, device, backend, wanting, columns, now + _FEW_BUDGET_S, talk)
        for group, columns in _batches(groups, full):
            if time.perf_counter() > end:
                break
            yield from _batch(ggml, device, backend, group, columns, talk)
    talk.say(protocol.ROW, trying="")


def layout_attempt(layout: BufferType) -> str:
    """How a crash in this layout is named; the layout is then left alone."""
    return f"products in the {layout.name} layout"


def _set_up(
    ggml: Ggml, device: Device, place: Arena, layouts: list[BufferType], entry: dict[str, Any], talk: Talk
) -> _Group | None:
    """The weights, in the first layout that can multiply them; None where there is none."""
    type_id, inputs, outputs = int(entry["type_id"]), int(entry["inputs"]), int(entry["outputs"])
    if not ggml.type_name(type_id) or inputs % max(ggml.ggml_blck_size(type_id), 1):
        return None
    for layout in layouts:
        talk.say(protocol.ROW, trying=layout_attempt(layout))
        group = _Group(
            type_id, str(entry["type_name"]), inputs, outputs, list(entry["columns"]), int(entry.get("experts", 0)),
            int(entry.get("used", 0)), int(entry.get("stacked", 0)), layout,
        )  # fmt: skip
        context = place.context()
        group.weights = [_weights(ggml, context, group) for _ in range(int(entry["copies"]))]
        if not place.place(context, layout.handle):
            continue
        tried = ggml.context()
        try:
            # Asked only after the weights have their place: the answer depends on it, and an extra layout that does
            # not know the type would crash later.
            result = _result(ggml, tried, group, group.weights[0], 1)[0]
            fits = ggml.ggml_backend_dev_supports_op(device.handle, result)
        finally:
            ggml.ggml_free(tried)
        if fits:
            for weights in group.weights:
                fill(ggml, weights, type_id, inputs, outputs * max(group.stacked, 1), whole=layout.extra)
            return group
    return None


def _weights(ggml: Ggml, context: int, group: _Group) -> int:
    if group.experts:
        return int(ggml.ggml_new_tensor_3d(context, group.type_id, group.inputs, group.outputs, group.stacked))
    return int(ggml.ggml_new_tensor_2d(context, group.type_id, group.inputs, group.outputs))


def _result(ggml: Ggml, context: int, group: _Group, weights: int, columns: int) -> tuple[int, int, int]:
    """(result, activations, chosen experts or 0) of one product."""
    if not group.experts:
        activations = ggml.ggml_new_tensor_2d(context, TYPE_F32, group.inputs, columns)
        return ggml.ggml_mul_mat(context, weights, activations), activations, 0
    activations = ggml.ggml_new_tensor_3d(context, TYPE_F32, group.inputs, 1, columns)
    chosen = ggml.ggml_new_tensor_2d(context, TYPE_I32, group.used, columns)
    return ggml.ggml_mul_mat_id(context, weights, activations, chosen), activations, chosen


@dataclass(frozen=True)
class _Ready:
    graph: Graph
    products: int


def _ready(
    ggml: Ggml, device: Device, backend: int, place: Arena, group: _Group, weights: list[int], columns: int
) -> _Ready | None:
    """A graph of one product with each of the weights; None where there is no memory for it."""
    context = place.context()
    rounds = max(1, group.stacked // group.used) if group.experts and columns == 1 else 1
    made = [_result(ggml, context, group, each, columns) for each in weights for _ in range(rounds)][:_MAX_NODES]
    if not place.place(context, ggml.ggml_backend_dev_buffer_type(device.handle)):
        return None
    random = Random(columns)
    for index, (_, activations, chosen) in enumerate(made):
        fill(ggml, activations, TYPE_F32, group.inputs, columns)
        if chosen:
            set_bytes(ggml, chosen, _routes(group, columns, index, random))
    return _Ready(Graph(ggml, device, backend, context, [result for result, _, _ in made]), len(made))


def _routes(group: _Group, columns: int, index: int, random: Random) -> bytes:
    """Experts of each column: one after the other for a single token, drawn for several."""
    if columns == 1:
        chosen = [(index * group.used + k) % group.stacked for k in range(group.used)]
    else:
        among = range(min(group.stacked, group.experts))
        chosen = [expert for _ in range(columns) for expert in random.sample(among, min(group.used, len(among)))]
    return struct.pack(f"={len(chosen)}i", *chosen)


def _rounds(
    ggml: Ggml, device: Device, backend: int, groups: list[_Group], columns: int, stop: float, talk: Talk
) -> Iterator[dict[str, Any]]:
    """Matrix times few vectors: every group once a round, so that each finds the caches full of the others' weights."""
    with arena(ggml) as place:
        ready: list[tuple[_Group, _Ready, list[float]]] = []
        for group in groups:
            talk.raise_if_stopped()
            talk.progress(MEASURING)
            talk.say(protocol.ROW, trying=layout_attempt(group.layout))
            made = _ready(ggml, device, backend, place, group, group.weights, columns)
            if made is not None:
                made.graph.run_s()
                ready.append((group, made, []))
        rounds = 0
        while ready and (rounds < _MIN_ROUNDS or time.perf_counter() < stop):
            talk.raise_if_stopped()
            for _, made, samples in ready:
                samples.append(made.graph.run_s() / made.products)
            rounds += 1
        for group, _, samples in ready:
            yield _row(group, device, group.outputs, columns, samples)


def _batches(groups: list[_Group], full: int) -> Iterator[tuple[_Group, int]]:
    """What to measure beyond few columns and full batches: each shape's first wish, its second, ..."""
    wishes = [[columns for columns in group.columns if _FEW[-1] < columns < full] for group in groups]
    for rank in range(max(map(len, wishes), default=0)):
        for group, wanted in zip(groups, wishes):  # noqa: B905 (Python 3.8 has no strict)
            if rank < len(wanted):
                yield group, wanted[rank]


def _batch(
    ggml: Ggml, device: Device, backend: int, group: _Group, columns: int, talk: Talk
) -> Iterator[dict[str, Any]]:
    """Matrix times several columns, cut to fewer outputs where a whole one would take too long."""
    talk.raise_if_stopped()
    talk.progress(MEASURING)
    talk.say(protocol.ROW, trying=layout_attempt(group.layout))
    each_flop = 2.0 * group.inputs * columns * max(group.used, 1)
    outputs = min(group.outputs, max(int(_MAX_FLOP / each_flop) // _LEAST_OUTPUTS, 1) * _LEAST_OUTPUTS)
    with arena(ggml) as place:
        weights = group.weights
        if outputs < group.outputs and not group.experts:
            context = place.context()
            weights = [ggml.ggml_new_tensor_2d(context, group.type_id, group.inputs, outputs)]
            if not place.place(context, group.layout.handle):
                return
            fill(ggml, weights[0], group.type_id, group.inputs, outputs, whole=group.layout.extra)
        else:
            outputs = group.outputs
        bytes_each = ggml.ggml_row_size(group.type_id, group.inputs) * outputs * max(group.stacked, 1)
        most = max(1, min(int(_MAX_FLOP / (each_flop * outputs)), _MAX_BATCH_BYTES // bytes_each))
        if columns >= _MANY_COLUMNS:  # the results of several would lie further apart than the engine's do
            most = 1
        made = _ready(ggml, device, backend, place, group, weights[:most], columns)
        if made is not None:
            samples = [elapsed / made.products for elapsed in repeat(made.graph.run_s, _BATCH_BUDGET_S)]
            yield _row(group, device, outputs, columns, samples)


def _row(group: _Group, device: Device, outputs: int, columns: int, samples: list[float]) -> dict[str, Any]:
    return {
        "probe": "kernel",
        "type_name": group.type_name,
        "inputs": group.inputs,
        "outputs": outputs,
        "columns": columns,
        "layout": group.layout.name if group.layout.extra else "",
        "device": device.name,
        "experts": group.experts,
        "used": group.used,
        "samples_s": samples,
    }
