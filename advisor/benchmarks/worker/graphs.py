"""Small ggml graphs to be timed: tensors with their place in memory, filled with plausible numbers."""

from __future__ import annotations

import ctypes
import time
from array import array
from contextlib import contextmanager
from random import Random
from typing import Any, Callable, Iterator, Sequence  # noqa: UP035 (older Pythons run this file)

from advisor.benchmarks.worker.ggml import TYPE_F32, BufferType, Device, Ggml

_PATTERN_ROWS = 8
"""Distinct rows of random weights; a matrix repeats them, since the time of a product does not depend on them."""
_CHUNK_BYTES = 4 << 20
_PATIENCE = 5
"""Budgets that a single run may take before it is repeated less often."""
_random = Random(12345)
_NUMBERS = array("f", (_random.uniform(-1.0, 1.0) for _ in range(4096)))
_patterns: dict[tuple[int, int], bytes] = {}


class Graph:
    """A graph ready to run on one backend."""

    def __init__(self, ggml: Ggml, device: Device, backend: int, context: int, results: Sequence[int]) -> None:
        self._fetched = results[-1] if device.name.startswith("RPC") else None
        self._byte = ctypes.create_string_buffer(1)
        self._ggml = ggml
        self._backend = backend
        self.handle = ggml.ggml_new_graph(context)
        for result in results:
            ggml.ggml_build_forward_expand(self.handle, result)

    def run_s(self) -> float:
        """Seconds of one run; on a device of another machine with the round trip that tells that it is done."""
        start = time.perf_counter()
        status = self._ggml.ggml_backend_graph_compute(self._backend, self.handle)
        self._ggml.ggml_backend_synchronize(self._backend)
        if self._fetched is not None:
            # llama.cpp's RPC only sends the graph, and its synchronize waits for nothing; a byte of the result does.
            self._ggml.ggml_backend_tensor_get(self._fetched, self._byte, 0, 1)
        elapsed = time.perf_counter() - start
        if status != 0:
            raise RuntimeError(f"ggml_backend_graph_compute returned {status}")
        return elapsed


def repeat(run_s: Callable[[], float], budget_s: float, minimum: int = 3) -> list[float]:
    """Seconds of each run after one that is thrown away: at least ``minimum``, more while the budget lasts.

    Where a single run takes several budgets (a slow or busy machine), one more must do.
    """
    if run_s() > _PATIENCE * budget_s:
        minimum = 1
    samples: list[float] = []
    end = time.perf_counter() + budget_s
    while len(samples) < minimum or time.perf_counter() < end:
        samples.append(run_s())
    return samples


class Arena:
    """Contexts and buffers that are freed together; see ``arena``."""

    def __init__(self, ggml: Ggml) -> None:
        self._ggml = ggml
        self._contexts: list[int] = []
        self._buffers: list[int] = []
        self._allocators: list[int] = []

    def context(self) -> int:
        """A context for tensor headers."""
        self._contexts.append(self._ggml.context())
        return self._contexts[-1]

    def place(self, context: int, buffer_type: int) -> bool:
        """Memory for all tensors of a context; False where there is none."""
        buffer = self._ggml.ggml_backend_alloc_ctx_tensors_from_buft(context, buffer_type)
        if buffer:
            self._buffers.append(buffer)
        return bool(buffer)

    def place_results(self, graph: Graph, buffer_type: int) -> bool:
        """Memory for what a graph makes, used again and again as inside the engine; False where there is none."""
        allocator = self._ggml.ggml_gallocr_new(buffer_type)
        self._allocators.append(allocator)
        return bool(self._ggml.ggml_gallocr_alloc_graph(allocator, graph.handle))

    def close(self) -> None:
        """Free everything."""
        for allocator in self._allocators:
            self._ggml.ggml_gallocr_free(allocator)
        for buffer in self._buffers:
            self._ggml.ggml_backend_buffer_free(buffer)
        for context in self._contexts:
            self._ggml.ggml_free(context)


@contextmanager
def arena(ggml: Ggml) -> Iterator[Arena]:
    """An arena that is emptied at the end."""
    made = Arena(ggml)
    try:
        yield made
    finally:
        made.close()


def engines_layouts(ggml: Ggml, device: Device, extra: bool) -> Iterator[BufferType]:
    """Buffer types in the order in which the engine tries them for a weight: extra ones first, then its own."""
    yield from sorted(ggml.buffer_types(device, extra), key=lambda found: not found.extra)


def fill(ggml: Ggml, tensor: int, type_id: int, inputs: int, rows: int, *, whole: bool = False) -> None:
    """Valid random values of the type.

    Args:
        ggml: the library.
        tensor: contiguous, ``rows`` rows of ``inputs`` elements.
        type_id: its type.
        inputs: elements of a row.
        rows: of all dimensions above the first together.
        whole: give it in one piece, without which a repacked layout cannot be made.
    """
    pattern = _pattern(ggml, type_id, inputs)
    total = ggml.ggml_row_size(type_id, inputs) * rows
    if whole:
        data = (pattern * (total // len(pattern) + 1))[:total]
        ggml.ggml_backend_tensor_set(tensor, data, 0, total)
        return
    chunk = pattern * max(1, min(_CHUNK_BYTES, total) // len(pattern))
    for offset in range(0, total, len(chunk)):
        ggml.ggml_backend_tensor_set(tensor, chunk, offset, min(len(chunk), total - offset))


def set_bytes(ggml: Ggml, tensor: int, data: bytes) -> None:
    """The tensor's content as it lies in memory."""
    ggml.ggml_backend_tensor_set(tensor, data, 0, len(data))


def _pattern(ggml: Ggml, type_id: int, inputs: int) -> bytes:
    """A few rows of the type, quantised by ggml itself."""
    made = _patterns.get((type_id, inputs))
    if made is None:
        count = inputs * _PATTERN_ROWS
        numbers = (_NUMBERS * (count // len(_NUMBERS) + 1))[:count]
        made = numbers.tobytes() if type_id == TYPE_F32 else _quantised(ggml, type_id, inputs, numbers)
        _patterns[type_id, inputs] = made
    return made


def _quantised(ggml: Ggml, type_id: int, inputs: int, numbers: array[float]) -> bytes:
    source: Any = (ctypes.c_float * len(numbers)).from_buffer(numbers)
    target = ctypes.create_string_buffer(ggml.ggml_row_size(type_id, inputs) * _PATTERN_ROWS)
    importance = (ctypes.c_float * inputs)(*([1.0] * inputs))
    ggml.ggml_quantize_chunk(type_id, source, target, 0, _PATTERN_ROWS, inputs, importance)
    return target.raw


