"""Which kernels the table of a model needs, and how much of each."""

from collections.abc import Sequence
from typing import Any, Final

from advisor.ceilings.predict import UBATCH, is_head
from advisor.core.evidence import Known
from advisor.core.units import MIB
from advisor.gguf.model import MatmulShape, ModelFacts
from advisor.gguf.quant_types import TYPES

BUDGET_S: Final = 1.1
"""Seconds for all matrix products; the most important come first."""
TYPE_BUDGET_S: Final = 0.5
"""Seconds more for each further type, of which fewer products are measured."""
MAX_GROUPS: Final = 16
MAX_COPIES: Final = 256
MAX_STACK: Final = 512
MAX_WEIGHTS_BYTES: Final = 512 * MIB
"""Weights that are laid out for the table. Beyond half a GiB no cache of today helps, and filling takes longer."""
RAMP: Final = (1, UBATCH, 2, 4, 8, 64, 16, 32, 128, 256)
"""Columns in order of worth: decode, prefill, then the cost of a few tokens per step: two and four run other kernels
than one and eight on many processors, so that nothing stands in for them."""
COARSE_RAMP: Final = (1, UBATCH, 2, 4, 8, 64)
HEAD_RAMP: Final = (1, 8, 2, 4, 32)
"""The output matrix is multiplied for tokens that want logits, one per stream."""
TELLING_LENGTHS: Final = 3
"""Lengths of rows at which further types are measured; per weight, other shapes of a type cost what these do. Two
lengths in place of all shapes moved predicted streams of the catalogue by 0.2 % in the median, 5 % at most
(2026-11-30). Of routed products, whose stacks are large, the heaviest must do."""
LEAST_COPIES: Final = 2
"""Of a further type's weights where its model has as many: starting a graph for one product alone would show."""
FULL_RAMPS: Final = 4
"""Heaviest shapes that get the whole ramp."""
DECODE_CELLS: Final = (256, 4096)
PREFILL_CELLS: Final = (512, 1024)
MAX_CACHES: Final = 128
MAX_CACHE_BYTES: Final = 128 * MIB


def kernel_request(
    model: ModelFacts,
    threads: int,
    working_set_bytes: int,
    more_types: Sequence[int] = (),
    also: ModelFacts | None = None,
) -> dict[str, Any]:
    """The part ``kernels`` of the request ``ceilings``.

    Args:
        model: whose types and shapes.
        threads: of the processor.
        working_set_bytes: most bytes of weights to lay out, and never more than one step reads.
        more_types: ids of further weight types, to predict other quantisations. They are measured at the heaviest
            shapes only, and all together take about as much memory as the models' own.
        also: another model that is to be predicted: attention of its shape and its routed experts are measured too,
            since nothing of this model tells what they cost (attention with half as long heads was predicted 61 % too
            slow, 2026-11-30), and types that this model lacks.
    """
    shapes = list(model.matmuls[:MAX_GROUPS])
    streamed = sum(_streamed_bytes(model, shape) for shape in shapes)
    share = min(1.0, min(working_set_bytes, MAX_WEIGHTS_BYTES) / max(streamed, 1.0))
    groups = [_group(model, shape, share, rank) for rank, shape in enumerate(shapes)]
    if also is not None and also.experts and not model.experts:
        known = {shape.type_id for shape in shapes}
        others = [shape for shape in also.matmuls[:MAX_GROUPS] if shape.expert or shape.type_id not in known]
        groups += [_group(also, shape, share, FULL_RAMPS) for shape in others]
    telling = _telling(groups)
    for type_id in more_types:
        groups += _in_type(telling, type_id, len(more_types))
    budget_s = BUDGET_S * (1 + (also is not None)) + TYPE_BUDGET_S * len(more_types)
    return {
        "threads": threads,
        "products": {"budget_s": budget_s, "groups": groups},
        "operations": _operations(model),
        "attention": _attention([model] if also is None else [model, also], working_set_bytes),
    }


def _streamed_bytes(model: ModelFacts, shape: MatmulShape) -> float:
    return shape.bytes * (model.experts_used / model.experts if shape.expert and model.experts else 1.0)


def _group(model: ModelFacts, shape: MatmulShape, share: float, rank: int) -> dict[str, Any]:
    ramp = HEAD_RAMP if is_head(model, shape) else RAMP if rank < FULL_RAMPS else COARSE_RAMP
    group: dict[str, Any] = {
        "type_id": shape.type_id,
        "type_name": shape.type_name,
        "inputs": shape.inputs,
        "outputs": shape.outputs,
        "copies": 1,
        "columns": list(ramp),
    }
    if shape.expert and model.experts:
        layers = shape.count / model.experts
        stacked = round(share * layers * model.experts_used)
        stacked = max(min(stacked, MAX_STACK), min(2 * model.experts_used, model.experts))
        return group | {"experts": model.experts, "used": model.experts_used, "stacked": stacked}
    one = shape.bytes / shape.count
    if one > share * shape.bytes:  # a single matrix is more than its share: it is cut, and costs in proportion
        group["outputs"] = max(64, int(shape.outputs * share * shape.count) // 64 * 64)
    group["copies"] = max(1, min(MAX_COPIES, round(shape.count * share)))
    return group


def _telling(groups: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The heaviest shape of each of a few row lengths, of ordinary products and of routed ones; never a head."""
    found: dict[tuple[bool, int], dict[str, Any]] = {}
    for group in groups:
        if UBATCH in group["columns"]:
            found.setdefault(("used" in group, group["inputs"]), group)
    ordinary = [group for (routed, _), group in found.items() if not routed]
    routed = [group for (routed, _), group in found.items() if routed]
    return ordinary[:TELLING_LENGTHS] + routed[:1]


def _in_type(groups: Sequence[dict[str, Any]], type_id: int, types: int) -> list[dict[str, Any]]:
    """The same shapes in another type, where its blocks fill their rows.

    One of so many types has its part of the copies: each round goes through the weights of all, so that none finds its
    own in a cache. A stack keeps all experts, which a prompt is spread over.
    """
    known = TYPES[type_id]
    found = []
    for group in groups:
        if group["inputs"] % known.block_elements == 0:
            other = group | {"type_id": type_id, "type_name": known.name, "columns": [1, UBATCH]}
            if "stacked" in group:
                other["stacked"] = min(group["stacked"], max(group["experts"], group["stacked"] // types))
            other["copies"] = max(min(group["copies"], LEAST_COPIES), group["copies"] // types)
            found.append(other)
    return found


def _operations(model: ModelFacts) -> list[dict[str, Any]]:
    """Each small operation at one token and at a full batch."""
    embedding = model.embedding_length.or_none() or 0
    small = model.small
    wanted: list[dict[str, Any]] = []
    if embedding:
        wanted += [{"operation": "norm", "elements": embedding}, {"operation": "add", "elements": embedding}]
    if small.gates:
        function = "gelu" if model.architecture.startswith("gemma") else "silu"
        wanted.append({"operation": "gate", "elements": small.gate_elements // small.gates, "function": function})
    if isinstance(model.traffic, Known) and model.traffic.value.attention:
        layer = model.traffic.value.attention[0]
        if layer.key_length % 2 == 0:
            wanted.append(
                {"operation": "rope", "elements": layer.heads * layer.key_length, "head": layer.key_length}
            )
        wanted.append({"operation": "copy", "elements": layer.kv_heads * layer.key_length})
    return [wish | {"columns": columns} for columns in (1, UBATCH) for wish in wanted]


def _attention(models: Sequence[ModelFacts], working_set_bytes: int) -> list[dict[str, Any]]:
    """Every kind of attention layer at two depths, for one token and for a full batch."""
    kinds: dict[tuple[int, int, int, int], None] = {}
    for model in models:
        layers = model.traffic.value.attention if isinstance(model.traffic, Known) else ()
        own = dict.fromkeys((one.heads, one.kv_heads, one.key_length, one.value_length) for one in layers)
        kinds |= dict.fromkeys(list(own)[:2])
    names = ("heads", "kv_heads", "key_length", "value_length")
    points = [(1, cells) for cells in DECODE_CELLS] + [(UBATCH, cells) for cells in PREFILL_CELLS]
    return [
        dict(zip(names, kind, strict=True))
        | {"columns": columns, "cells": cells, "caches": _caches(kind, columns, cells, working_set_bytes)}
        for kind in kinds
        for columns, cells in points
    ]


def _caches(kind: tuple[int, int, int, int], columns: int, cells: int, working_set_bytes: int) -> int:
    """Caches that attention goes through in turn, so that they are as cold as after a step's weights.

    From one cache again and again, 4,096 cells took about half as long as inside a model (2026-11-30). A prompt's
    tokens share what they read, so that it matters little there.
    """
    if columns > 1:
        return 1
    _, kv_heads, key_length, value_length = kind
    each = 2 * cells * kv_heads * (key_length + value_length)
    return max(1, min(MAX_CACHES, min(working_set_bytes, MAX_CACHE_BYTES) // each))
