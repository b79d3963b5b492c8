"""What a step does beside its weights' products: attention over a cache, and the small operations of every layer."""

from __future__ import annotations

import struct
from typing import Any, Callable, Iterator, List, NamedTuple  # noqa: UP035 (older Pythons run this file)

from advisor.benchmarks.worker.ggml import TYPE_F16, TYPE_F32, TYPE_I32, Device, Ggml
from advisor.benchmarks.worker.graphs import Arena, Graph, arena, fill, repeat, set_bytes
from advisor.benchmarks.worker.talk import Talk

_BUDGET_S = 0.01
_CHAIN = 16
"""Operations one after another in one graph, so that starting the graph weighs little."""
_LONG_CHAIN_COLUMNS = 64
_SHORT_CHAIN = 4
"""From so many columns on a single operation takes far longer than starting the graph."""
_EPSILON = 1e-6
_MASK_ROWS = 64
"""Older versions want the mask's rows in multiples of this."""
_HIDDEN = struct.pack("=e", float("-inf"))
_SHOWN = struct.pack("=e", 0.0)


def operation_rows(
    ggml: Ggml, device: Device, backend: int, wanted: list[dict[str, Any]], talk: Talk
) -> Iterator[dict[str, Any]]:
    """Seconds per operation: ``operation``, ``elements``, ``columns``, ``samples_s``.

    ``wanted`` are objects with ``operation`` ("norm", "add", "gate", "rope", "copy"), ``elements`` of one column and
    ``columns``; for "rope" also ``head``, its elements per head, and for "gate" ``function`` ("silu", "gelu").
    """
    for wish in wanted:
        talk.raise_if_stopped()
        elements, columns = int(wish["elements"]), int(wish["columns"])
        with arena(ggml) as place:
            graph = _chain(ggml, device, backend, place, wish, elements, columns)
            if graph is None:
                continue
            samples = [elapsed / _length(columns) for elapsed in repeat(graph.run_s, _BUDGET_S)]
        yield {
            "probe": "operation",
            "operation": wish["operation"],
            "elements": elements,
            "columns": columns,
            "device": device.name,
            "samples_s": samples,
        }


def _chain(
    ggml: Ggml, device: Device, backend: int, place: Arena, wish: dict[str, Any], elements: int, columns: int
) -> Graph | None:
    given = place.context()
    head, length = int(wish.get("head", elements)), _length(columns)
    inputs = _Inputs(
        ggml.ggml_new_tensor_3d(given, TYPE_F32, head, elements // head, columns),
        ggml.ggml_new_tensor_3d(given, TYPE_F32, head, elements // head, columns),
        ggml.ggml_new_tensor_2d(given, TYPE_I32, columns, 1),
        [ggml.ggml_new_tensor_3d(given, TYPE_F16, head, elements // head, columns) for _ in range(length)],
        str(wish.get("function", "")),
    )
    context = place.context()
    results = _LINKS[wish["operation"]](ggml, context, inputs, head)
    own = ggml.ggml_backend_dev_buffer_type(device.handle)
    if not results or not ggml.ggml_backend_dev_supports_op(device.handle, results[0]) or not place.place(given, own):
        return None
    graph = Graph(ggml, device, backend, context, results)
    if not place.place_results(graph, own):
        return None
    for tensor in (inputs.first, inputs.other):
        fill(ggml, tensor, TYPE_F32, head, elements // head * columns)
    set_bytes(ggml, inputs.positions, struct.pack(f"={columns}i", *range(columns)))
    return graph


def _length(columns: int) -> int:
    return _CHAIN if columns < _LONG_CHAIN_COLUMNS else _SHORT_CHAIN


class _Inputs(NamedTuple):
    """What the links of a chain share; there are as many links as ``caches``."""

    first: int
    other: int
    positions: int
    caches: list[int]
    function: str


_Link = Callable[[Ggml, int, _Inputs, int], List[int]]  # noqa: UP006 (evaluated in older Pythons, too)


def _norm(ggml: Ggml, context: int, inputs: _Inputs, _head: int) -> list[int]:
    """Normalise and scale, which the engine can do in one go."""
    current = inputs.first
    for _ in inputs.caches:
        current = ggml.ggml_mul(context, ggml.ggml_rms_norm(context, current, _EPSILON), inputs.other)
    return [current]


def _add(ggml: Ggml, context: int, inputs: _Inputs, _head: int) -> list[int]:
    current = inputs.first
    for _ in inputs.caches:
        current = ggml.ggml_add(context, current, inputs.other)
    return [current]


def _gate(ggml: Ggml, context: int, inputs: _Inputs, _head: int) -> list[int]:
    function: Any = ggml.ggml_geglu_split if inputs.function == "gelu" else ggml.ggml_swiglu_split
    if function is None:
        return []
    current = inputs.first
    for _ in inputs.caches:
        current = function(context, current, inputs.other)
    return [current]


def _rope(ggml: Ggml, context: int, inputs: _Inputs, head: int) -> list[int]:
    current = inputs.first
    for _ in inputs.caches:
        current = ggml.ggml_rope_ext(
            context, current, inputs.positions, None, head, 2, 4096, 10000.0, 1.0, 0.0, 1.0, 32.0, 1.0
        )
    return [current]


def _copy(ggml: Ggml, context: int, inputs: _Inputs, _head: int) -> list[int]:
    """New keys or values into caches of F16."""
    return [ggml.ggml_cpy(context, inputs.first, cache) for cache in inputs.caches]


_LINKS: dict[str, _Link] = {"norm": _norm, "add": _add, "gate": _gate, "rope": _rope, "copy": _copy}


def attention_rows(
    ggml: Ggml, device: Device, backend: int, wanted: list[dict[str, Any]], talk: Talk
) -> Iterator[dict[str, Any]]:
    """Seconds of one layer's attention: ``heads``, ``kv_heads``, ``key_length``, ``value_length``, ``columns``,
    ``cells``, ``samples_s``; the columns are the last ones of the cells, each seeing all before it.

    ``wanted`` are objects with these fields but the samples, and ``caches``: so many are gone through in turn, so that
    each comes from memory as after a step of the model.
    """  # noqa: D205
    for wish in wanted:
        talk.raise_if_stopped()
        with arena(ggml) as place:
            graph = _attention(ggml, device, backend, place, wish)
            if graph is None:
                continue
            samples = [elapsed / int(wish["caches"]) for elapsed in repeat(graph.run_s, _BUDGET_S)]
        yield {"probe": "attention", "device": device.name, "samples_s": samples, **wish}


def _attention(ggml: Ggml, device: Device, backend: int, place: Arena, wish: dict[str, Any]) -> Graph | None:
    heads, kv_heads = int(wish["heads"]), int(wish["kv_heads"])
    key_length, value_length = int(wish["key_length"]), int(wish["value_length"])
    columns, cells = int(wish["columns"]), int(wish["cells"])
    context, own = place.context(), ggml.ggml_backend_dev_buffer_type(device.handle)
    mask_rows = -(-columns // _MASK_ROWS) * _MASK_ROWS
    query = ggml.ggml_new_tensor_3d(context, TYPE_F32, key_length, heads, columns)
    mask = ggml.ggml_new_tensor_2d(context, TYPE_F16, cells, mask_rows)
    caches, results = [], []
    made = place.context()
    for _ in range(int(wish["caches"])):
        keys = ggml.ggml_new_tensor_3d(context, TYPE_F16, key_length, kv_heads, cells)
        values = ggml.ggml_new_tensor_3d(context, TYPE_F16, value_length, kv_heads, cells)
        caches += [(keys, key_length), (values, value_length)]
        turned = [ggml.ggml_permute(made, tensor, 0, 2, 1, 3) for tensor in (query, keys, values)]
        results.append(ggml.ggml_flash_attn_ext(made, *turned, mask, key_length**-0.5, 0.0, 0.0))
    if not ggml.ggml_backend_dev_supports_op(device.handle, results[0]) or not place.place(context, own):
        return None
    graph = Graph(ggml, device, backend, made, results)
    if not place.place_results(graph, own):
        return None
    fill(ggml, query, TYPE_F32, key_length, heads * columns)
    for tensor, length in caches:
        fill(ggml, tensor, TYPE_F16, length, kv_heads * cells)
    rows = [cells - columns + 1 + min(row, columns - 1) for row in range(mask_rows)]
    set_bytes(ggml, mask, b"".join(_SHOWN * shown + _HIDDEN * (cells - shown) for shown in rows))
    return graph
