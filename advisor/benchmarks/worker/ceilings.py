"""Task ``ceilings``: how fast this machine reads and multiplies, whatever a model does with it.

Read-only kernels over thread counts at the working set asked for, then matrix products in the types asked for.
Every kernel is a row of its own and goes to the parent at once: a crash in one loses only that one.
"""

from __future__ import annotations

import time
from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.worker import llama, rpc
from advisor.benchmarks.worker.ggml import TYPE_F16, BufferType, Device, Ggml
from advisor.benchmarks.worker.matmul import product
from advisor.benchmarks.worker.placement import device_named
from advisor.benchmarks.worker.reading import read_rows
from advisor.benchmarks.worker.sgemm import sgemm_rows
from advisor.benchmarks.worker.talk import Failure, Talk

_MIN_PASSES = 3
_GGML_BUDGET_S = 0.08
"""Seconds of repeated products per kernel, after one that is thrown away."""


def run(request: dict[str, Any], talk: Talk) -> None:
    """Run the probes.

    Request fields: ``read_bytes`` (working set), ``read_threads`` and ``compute_threads`` (lists), ``shapes`` (list of
    ``type_id``, ``type_name``, ``inputs``, ``outputs``), ``columns``, ``use_extra_bufts``, ``device`` (ggml's name of
    the one that holds the weights), ``rpc_servers``, ``skip`` (kernels that are done or crashed before),
    ``read_kernels`` (False when numpy's kernels are done).
    """
    skip = set(request.get("skip", ()))
    on_cpu = request.get("device", "CPU") == "CPU"
    talk.progress("Measuring how fast this machine reads and computes")
    if on_cpu and request.get("read_kernels", True):
        for row in read_rows(int(request["read_bytes"]), request["read_threads"], talk):
            talk.say(protocol.ROW, **row)
        for row in sgemm_rows(int(request["columns"]), max(request["compute_threads"]), talk):
            talk.say(protocol.ROW, **row)
    try:
        lib, ggml = llama.open_engine()
        lib.llama_backend_init()
    except Failure as failure:
        if not on_cpu:
            raise
        talk.say(protocol.RESULT, stopped=False, engine=failure.sentence)
        return
    rpc.register(ggml, request.get("rpc_servers") or ())
    device = device_named(ggml.devices(), request.get("device", "CPU"))
    _ggml_rows(ggml, device, request, skip, talk)
    talk.say(protocol.RESULT, stopped=False, engine="")


def _ggml_rows(ggml: Ggml, device: Device, request: dict[str, Any], skip: set[str], talk: Talk) -> None:
    backend = ggml.ggml_backend_dev_init(device.handle, None)
    if not backend:
        raise Failure("no_device", f"The engine could not start its device {device.name}.")
    for threads in request["compute_threads"] if device.kind == "cpu" else [1]:
        if device.kind == "cpu":
            ggml.ggml_backend_cpu_set_n_threads(backend, int(threads))
        for buffer_type in ggml.buffer_types(device, extra=bool(request.get("use_extra_bufts", True))):
            for shape in request["shapes"]:
                _compute_row(
                    ggml, device, backend, buffer_type, shape, int(request["columns"]), int(threads), skip, talk
                )
    if device.kind == "cpu":
        ggml.ggml_backend_cpu_set_n_threads(backend, int(max(request["read_threads"])))
    _read_row(ggml, device, backend, int(request["read_bytes"]), int(max(request["read_threads"])), skip, talk)


def _compute_row(
    ggml: Ggml,
    device: Device,
    backend: int,
    buffer_type: BufferType,
    shape: dict[str, Any],
    columns: int,
    threads: int,
    skip: set[str],
    talk: Talk,
) -> None:
    talk.raise_if_stopped()
    layout = f", {buffer_type.name} layout" if buffer_type.extra else ""
    kernel = f"ggml {shape['type_name']}{layout}"
    inputs, outputs, type_id = int(shape["inputs"]), int(shape["outputs"]), int(shape["type_id"])
    attempt = f"{kernel}, {outputs} × {inputs}, {threads} threads"
    if attempt in skip or not ggml.type_name(type_id) or inputs % max(ggml.ggml_blck_size(type_id), 1):
        return
    talk.say(protocol.ROW, trying=attempt)
    with product(ggml, device, backend, buffer_type, type_id, inputs, outputs, columns) as ready:
        if ready is None:
            return
        samples = _repeat(ready.run_s)
    talk.say(
        protocol.ROW,
        probe="arithmetic",
        kernel=kernel,
        device=device.name,
        threads=threads,
        inputs=inputs,
        outputs=outputs,
        columns=columns,
        flop=2 * inputs * outputs * columns,
        samples_s=samples,
    )


def _read_row(
    ggml: Ggml, device: Device, backend: int, read_bytes: int, threads: int, skip: set[str], talk: Talk
) -> None:
    """A matrix times one vector in F16: what decode does, in the type that costs least to unpack."""
    kernel = "ggml F16 matrix times vector"
    talk.raise_if_stopped()
    if kernel in skip:
        return
    inputs = 4096
    outputs = max(read_bytes // (2 * inputs), 1)
    default = next(ggml.buffer_types(device, extra=False))
    talk.say(protocol.ROW, trying=kernel)
    with product(ggml, device, backend, default, TYPE_F16, inputs, outputs, 1) as ready:
        if ready is None:
            return
        samples = _repeat(ready.run_s)
        weight_bytes = ready.weight_bytes
    talk.say(
        protocol.ROW,
        probe="read",
        kernel=kernel,
        device=device.name,
        threads=threads,
        bytes_per_pass=weight_bytes,
        samples_s=samples,
    )


def _repeat(run_s: Any) -> list[float]:
    run_s()
    samples: list[float] = []
    end = time.perf_counter() + _GGML_BUDGET_S
    while len(samples) < _MIN_PASSES or time.perf_counter() < end:
        samples.append(run_s())
    return samples
