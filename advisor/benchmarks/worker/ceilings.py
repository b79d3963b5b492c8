"""Task ``ceilings``: how fast this machine reads and multiplies, whatever a model does with it.

Read-only kernels over thread counts and working sets, matrix products of the model's own types and shapes, the small
operations around them, and products of other sizes and layouts, in which the arithmetic may be faster still. Every
kernel is a row of its own and goes to the parent at once: a crash in one loses only that one.
"""

from __future__ import annotations

from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.worker import llama, rpc
from advisor.benchmarks.worker.ggml import TYPE_F16, TYPE_F32, BufferType, Device, Ggml
from advisor.benchmarks.worker.graphs import Graph, arena, fill, repeat
from advisor.benchmarks.worker.operations import attention_rows, operation_rows
from advisor.benchmarks.worker.placement import device_named
from advisor.benchmarks.worker.products import MEASURING, kernel_rows, layout_attempt
from advisor.benchmarks.worker.reading import read_rows
from advisor.benchmarks.worker.sgemm import sgemm_rows
from advisor.benchmarks.worker.talk import Failure, Talk

_BUDGET_S = 0.03
"""Seconds of repeated products per kernel, after one that is thrown away."""
_READ_INPUTS = 4096


def run(request: dict[str, Any], talk: Talk) -> None:
    """Run the probes.

    Request fields: ``read`` (see ``reading.read_rows``; left out when those are done), ``kernels`` (``threads`` and
    what ``products``, ``operations`` and ``attention`` ask for), ``compute_threads`` (list), ``shapes`` (list of
    ``type_id``, ``type_name``, ``inputs``, ``outputs``), ``columns``, ``use_extra_bufts``, ``device`` (ggml's name of
    the one that holds the weights), ``rpc_servers``, ``skip`` (kernels that are done or crashed before).
    """
    skip = set(request.get("skip", ()))
    on_cpu = request.get("device", "CPU") == "CPU"
    talk.progress(MEASURING)
    if on_cpu and request.get("read"):
        for row in read_rows(request["read"], talk):
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

    def use(threads: int) -> int:
        if device.kind == "cpu":
            ggml.set_threads(device, backend, threads)
            return threads
        return 1

    extra = bool(request.get("use_extra_bufts", True))
    read = request.get("read")
    if read:
        for threads in read["threads"][-1:] if device.kind == "cpu" else [1]:
            _read_row(ggml, device, backend, int(read["bytes"]), use(int(threads)), skip, talk)
    kernels = request.get("kernels")
    if kernels:
        threads = use(int(kernels["threads"]))
        for row in kernel_rows(ggml, device, backend, kernels["products"], extra, skip, talk):
            talk.say(protocol.ROW, threads=threads, **row)
        for row in operation_rows(ggml, device, backend, kernels["operations"], talk):
            talk.say(protocol.ROW, threads=threads, **row)
        for row in attention_rows(ggml, device, backend, kernels["attention"], talk):
            talk.say(protocol.ROW, threads=threads, **row)
    for wanted in request["compute_threads"] if device.kind == "cpu" else [1]:
        threads = use(int(wanted))
        for layout in ggml.buffer_types(device, extra):
            if layout_attempt(layout) in skip:
                continue
            for shape in request["shapes"]:
                _compute_row(ggml, device, backend, layout, shape, int(request["columns"]), threads, skip, talk)


def _compute_row(
    ggml: Ggml,
    device: Device,
    backend: int,
    layout: BufferType,
    shape: dict[str, Any],
    columns: int,
    threads: int,
    skip: set[str],
    talk: Talk,
) -> None:
    talk.raise_if_stopped()
    kernel = f"ggml {shape['type_name']}" + (f", {layout.name} layout" if layout.extra else "")
    inputs, outputs, type_id = int(shape["inputs"]), int(shape["outputs"]), int(shape["type_id"])
    attempt = f"{kernel}, {outputs} × {inputs}, {threads} threads"
    if attempt in skip or not ggml.type_name(type_id) or inputs % max(ggml.ggml_blck_size(type_id), 1):
        return
    talk.say(protocol.ROW, trying=attempt)
    samples = product_samples(ggml, device, backend, layout, type_id, inputs, outputs, columns)
    if samples is None:
        return
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
    row_bytes = 2 * _READ_INPUTS
    outputs = max(read_bytes // row_bytes, 1)
    own = next(ggml.buffer_types(device, extra=False))
    talk.say(protocol.ROW, trying=kernel)
    samples = product_samples(ggml, device, backend, own, TYPE_F16, _READ_INPUTS, outputs, 1)
    if samples is not None:
        talk.say(
            protocol.ROW,
            probe="read",
            kernel=kernel,
            device=device.name,
            threads=threads,
            bytes_per_pass=row_bytes * outputs,
            samples_s=samples,
        )


def product_samples(
    ggml: Ggml, device: Device, backend: int, layout: BufferType, type_id: int, inputs: int, outputs: int, columns: int
) -> list[float] | None:
    """Seconds of ``weights (outputs x inputs) times activations (inputs x columns)``; None where it cannot be done.

    ``inputs`` must be a multiple of the type's block size.
    """
    with arena(ggml) as place:
        weights_context, context = place.context(), place.context()
        weights = ggml.ggml_new_tensor_2d(weights_context, type_id, inputs, outputs)
        activations = ggml.ggml_new_tensor_2d(context, TYPE_F32, inputs, columns)
        result = ggml.ggml_mul_mat(context, weights, activations)
        if not place.place(weights_context, layout.handle):
            return None
        # Asked only after the weights have their place: the answer depends on it, and an extra layout that does not
        # know the type would crash later.
        if not ggml.ggml_backend_dev_supports_op(device.handle, result):
            return None
        if not place.place(context, ggml.ggml_backend_dev_buffer_type(device.handle)):
            return None
        fill(ggml, weights, type_id, inputs, outputs, whole=layout.extra)
        fill(ggml, activations, TYPE_F32, inputs, columns)
        return repeat(Graph(ggml, device, backend, context, [result]).run_s, _BUDGET_S, minimum=2)
