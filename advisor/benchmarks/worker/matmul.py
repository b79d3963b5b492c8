"""One weight matrix on one device, multiplied with as many columns as asked for."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from advisor.benchmarks.worker.ggml import TYPE_F32, BufferType, Device, Ggml

_PATTERN_ROWS = 8
"""Distinct rows of random weights; the matrix repeats them, since the time of a product does not depend on them."""


class Product:
    """``weights (outputs x inputs) times activations (inputs x columns)`` ready to run; see ``product``."""

    def __init__(self, ggml: Ggml, backend: int, graph: int, weight_bytes: int, fetched: int | None) -> None:
        self._ggml = ggml
        self._backend = backend
        self._graph = graph
        self._fetched = fetched
        self._byte = ctypes.create_string_buffer(1)
        self.weight_bytes = weight_bytes

    def run_s(self) -> float:
        """Seconds of one product; on a device of another machine with the round trip that tells that it is done."""
        start = time.perf_counter()
        status = self._ggml.ggml_backend_graph_compute(self._backend, self._graph)
        self._ggml.ggml_backend_synchronize(self._backend)
        if self._fetched is not None:
            # llama.cpp's RPC only sends the graph, and its synchronize waits for nothing; a byte of the result does.
            self._ggml.ggml_backend_tensor_get(self._fetched, self._byte, 0, 1)
        elapsed = time.perf_counter() - start
        if status != 0:
            raise RuntimeError(f"ggml_backend_graph_compute returned {status}")
        return elapsed


@contextmanager
def product(
    ggml: Ggml,
    device: Device,
    backend: int,
    buffer_type: BufferType,
    type_id: int,
    inputs: int,
    outputs: int,
    columns: int,
) -> Iterator[Product | None]:
    """Set up a product with random weights; yields None where the device cannot do it at this type and layout.

    ``inputs`` must be a multiple of the type's block size.
    """
    weights_context, other_context = ggml.context(), ggml.context()
    buffers: list[int] = []
    try:
        weights = ggml.ggml_new_tensor_2d(weights_context, type_id, inputs, outputs)
        activations = ggml.ggml_new_tensor_2d(other_context, TYPE_F32, inputs, columns)
        result = ggml.ggml_mul_mat(other_context, weights, activations)
        buffer = ggml.ggml_backend_alloc_ctx_tensors_from_buft(weights_context, buffer_type.handle)
        if not buffer:
            yield None
            return
        buffers.append(buffer)
        # Asked only after the weights have their place: the answer depends on it, and an extra layout that does not
        # know the type would crash later.
        if not ggml.ggml_backend_dev_supports_op(device.handle, result):
            yield None
            return
        default = ggml.ggml_backend_dev_buffer_type(device.handle)
        rest = ggml.ggml_backend_alloc_ctx_tensors_from_buft(other_context, default)
        if not rest:
            yield None
            return
        buffers.append(rest)
        _fill(ggml, weights, type_id, inputs, outputs)
        _fill(ggml, activations, TYPE_F32, inputs, columns)
        graph = ggml.ggml_new_graph(other_context)
        ggml.ggml_build_forward_expand(graph, result)
        fetched = result if device.name.startswith("RPC") else None
        yield Product(ggml, backend, graph, ggml.ggml_nbytes(weights), fetched)
    finally:
        for handle in buffers:
            ggml.ggml_backend_buffer_free(handle)
        ggml.ggml_free(weights_context)
        ggml.ggml_free(other_context)


def _fill(ggml: Ggml, tensor: int, type_id: int, inputs: int, rows: int) -> None:
    """Valid random values of the type: a few rows are quantised by ggml and repeated."""
    pattern_rows = min(_PATTERN_ROWS, rows)
    source = _random_floats(inputs * pattern_rows)
    row_bytes = ggml.ggml_row_size(type_id, inputs)
    if type_id == TYPE_F32:
        pattern = bytes(source)
    else:
        target = ctypes.create_string_buffer(row_bytes * pattern_rows)
        importance = (ctypes.c_float * inputs)(*([1.0] * inputs))
        ggml.ggml_quantize_chunk(type_id, source, target, 0, pattern_rows, inputs, importance)
        pattern = target.raw
    data = (pattern * (rows // pattern_rows + 1))[: row_bytes * rows]
    # In one piece: a repacked layout can only be made from the whole tensor.
    ggml.ggml_backend_tensor_set(tensor, data, 0, len(data))


def _random_floats(count: int) -> Any:
    """Floats between -1 and 1 from a small linear congruential generator; no numpy, so that it runs anywhere."""
    values = (ctypes.c_float * count)()
    state = 12345
    for index in range(count):
        state = (1103515245 * state + 12345) & 0x7FFFFFFF
        values[index] = state / 0x40000000 - 1.0
    return values
