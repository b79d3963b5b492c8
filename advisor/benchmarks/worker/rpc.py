"""Devices of other machines (llama.cpp's RPC): making them known, and what the way to them costs."""

from __future__ import annotations

import ctypes
import socket
import time
from typing import Any, Sequence  # noqa: UP035 (older Pythons run this file)

from advisor.benchmarks.worker.ggml import TYPE_F32, Device, Ggml
from advisor.benchmarks.worker.talk import Failure

CONNECT_S = 3.0
_ROUND_TRIPS = 21
_FIRST_BYTES = 64 << 10
_MOST_BYTES = 8 << 20
"""llama.cpp sends only a hash of tensors above 10 MiB that the server has kept, so a larger one measures nothing."""
_LONG_ENOUGH_S = 0.05
_ADD = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)


def register(ggml: Ggml, servers: Sequence[str]) -> list[Device]:
    """Make the devices of the servers ("host:port") known to the engine; those that are new.

    Raises:
        Failure: ``rpc_address``, ``rpc_unreachable``, ``no_rpc``, ``rpc_refused``.
    """
    if not servers:
        return []
    for server in servers:
        _check(server)
    registry = ggml.registry("RPC")
    if not registry:
        raise Failure(
            "no_rpc",
            "This engine was built without RPC, so it cannot use other machines.",
            "Build it with it: CMAKE_ARGS=-DGGML_RPC=on python -m pip install --force-reinstall --no-cache-dir "
            "--no-binary llama-cpp-python llama-cpp-python",
        )
    before = {device.handle for device in ggml.devices()}
    add_server = ggml.ggml_backend_reg_get_proc_address(registry, b"ggml_backend_rpc_add_server")
    add_device = ggml.ggml_backend_reg_get_proc_address(registry, b"ggml_backend_rpc_add_device")
    for server in servers:
        if add_server:
            handle, enter = _ADD(add_server)(server.encode()), ggml.entry("ggml_backend_register")
        elif add_device:  # before llama.cpp b6600 a server had one device
            handle, enter = _ADD(add_device)(server.encode()), ggml.entry("ggml_backend_device_register")
        else:
            raise Failure("no_rpc", "This engine's RPC offers no way to add a server.", "Update the engine.")
        if not handle:
            raise Failure("rpc_refused", f"The RPC server {server} offers no device.", "Look at what it prints.")
        enter(handle)
    return [device for device in ggml.devices() if device.handle not in before]


def _check(server: str) -> None:
    """The engine aborts when it cannot connect, so that is tried first."""
    host, _, port = server.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise Failure("rpc_address", f"{server!r} is no address of an RPC server.", "Write it as HOST:PORT.")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_S).close()
    except OSError as error:
        raise Failure(
            "rpc_unreachable",
            f"No RPC server answers at {server} ({error.strerror or error}).",
            "Start rpc-server on that machine with -H 0.0.0.0, and check address, port and firewall.",
        ) from error


def link(ggml: Ggml, device: Device) -> tuple[float, float] | None:
    """Seconds of a round trip with one byte, and bytes per second of the slower direction; None without memory."""
    context = ggml.context()
    buffer = None
    try:
        tensor = ggml.ggml_new_tensor_2d(context, TYPE_F32, _MOST_BYTES // 4, 1)
        buffer = ggml.ggml_backend_alloc_ctx_tensors_from_buft(context, ggml.default_buffer_type(device).handle)
        if not buffer:
            return None
        data = ctypes.create_string_buffer(_MOST_BYTES)

        def get(count: int) -> float:
            start = time.perf_counter()
            ggml.ggml_backend_tensor_get(tensor, data, 0, count)
            return time.perf_counter() - start

        def put(count: int) -> float:
            # Sending needs no answer; the byte that is read back comes when all of it has arrived.
            start = time.perf_counter()
            ggml.ggml_backend_tensor_set(tensor, data, 0, count)
            return time.perf_counter() - start + get(1)

        put(1)
        round_trip_s = sorted(get(1) for _ in range(_ROUND_TRIPS))[_ROUND_TRIPS // 2]
        return round_trip_s, min(_rate(put, round_trip_s), _rate(get, round_trip_s))
    finally:
        if buffer:
            ggml.ggml_backend_buffer_free(buffer)
        ggml.ggml_free(context)


def _rate(move: Any, round_trip_s: float) -> float:
    """Bytes per second: larger pieces until one takes long enough to be timed, then the median of three."""
    count = _FIRST_BYTES
    while move(count) < _LONG_ENOUGH_S and count < _MOST_BYTES:
        count *= 2
    elapsed = sorted(move(count) for _ in range(3))[1]
    return count / float(max(elapsed - round_trip_s, 1e-9))
