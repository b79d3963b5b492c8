"""Where a model is put: devices, layers, tensors and other machines, as ``llama_model_params`` takes them."""

from __future__ import annotations

import ctypes
import re
from typing import Any, Iterable, Sequence  # noqa: UP035 (older Pythons run this file)

from advisor.benchmarks.worker import rpc
from advisor.benchmarks.worker.ggml import Device, Ggml
from advisor.benchmarks.worker.talk import Failure, counted

UPDATE_HINT = "Update the engine: python -m pip install --upgrade llama-cpp-python"


class _Override(ctypes.Structure):
    """``struct llama_model_tensor_buft_override``."""

    _fields_ = [("pattern", ctypes.c_char_p), ("buffer_type", ctypes.c_void_p)]


def apply(lib: Any, params: Any, request: dict[str, Any], ggml: Ggml) -> list[object]:
    """Set the request's ``devices``, ``tensor_overrides``, ``tensor_split`` and ``rpc_servers``.

    Returns what must be kept alive until the model is loaded.

    Raises:
        Failure: ``no_device``, ``no_buffer_type``, ``device_not_used``, ``too_many_shares``, ``too_old``, or
            what ``rpc.register`` raises.
    """
    rpc.register(ggml, request.get("rpc_servers") or ())
    kept: list[object] = []
    wanted = request.get("devices") or ()
    if wanted:
        known = ggml.devices()
        handles = [device_named(known, name).handle for name in wanted if name != "CPU"]
        kept.append(_set(params, "devices", (ctypes.c_void_p * (len(handles) + 1))(*handles, None)))
    overrides = request.get("tensor_overrides") or ()
    if overrides:
        kept.append(_set(params, "tensor_buft_overrides", _overrides(overrides, ggml, wanted)))
    shares = request.get("tensor_split") or ()
    if shares:
        most = int(lib.llama_max_devices())
        if len(shares) > most:
            raise Failure("too_many_shares", f"This engine splits a model over {counted(most, 'device')} at most.")
        kept.append(_set(params, "tensor_split", (ctypes.c_float * most)(*[float(share) for share in shares])))
    return kept


def device_named(devices: Sequence[Device], name: str) -> Device:
    """The device of that name; raises Failure ``no_device`` that lists those there are."""
    for device in devices:
        if device.name == name:
            return device
    there = ", ".join(device.name for device in devices) or "none"
    raise Failure("no_device", f"The engine has no device {name}.", f"It has: {there}.")


def _overrides(pairs: Sequence[Sequence[str]], ggml: Ggml, wanted: Sequence[str]) -> Any:
    """Buffer types by their own name, or by that of their device (the same but for "RPC0[host:port]").

    llama.cpp aborts on a tensor whose device it does not use, so that is refused first.
    """
    types = {}
    for device in ggml.devices():
        held = ggml.default_buffer_type(device)
        types[device.name] = types[held.name] = (held.handle, device)
    array = (_Override * (len(pairs) + 1))()
    for index, (pattern, name) in enumerate(pairs):
        if name not in types:
            raise Failure("no_buffer_type", f"The engine has no buffer type {name}.", f"It has: {', '.join(types)}.")
        handle, device = types[name]
        if wanted and device.kind != "cpu" and device.name not in wanted:
            raise Failure(
                "device_not_used",
                f"Tensors were sent to {device.name}, which is not among the chosen devices ({', '.join(wanted)}).",
                f"Choose it, too: --device {','.join([*(each for each in wanted if each != 'CPU'), device.name])}",
            )
        array[index] = _Override(pattern.encode(), handle)
    return array  # the last entry stays empty and ends it


def _set(params: Any, name: str, array: Any) -> Any:
    """Point a field at an array, whatever kind of pointer this binding declares it as."""
    declared = dict(params._fields_).get(name)
    if declared is None:
        raise Failure("too_old", f"This llama-cpp-python has no setting {name}.", UPDATE_HINT)
    setattr(params, name, ctypes.cast(array, declared))
    return array


_OFFLOADED = re.compile(r"offloaded (\d+)/(\d+) layers to GPU")
_BUFFER = re.compile(r"(\S+) (?:model )?buffer size\s*=\s*([\d.]+) MiB")
_OVERRIDDEN = re.compile(r"buffer type overridden to (\S+)")


def tells_of_placement(line: str) -> bool:
    """Whether a native log line says where weights went."""
    return "load_tensors" in line or "buffer type overridden" in line


def told(lines: Iterable[str], names: Sequence[str]) -> dict[str, Any]:
    """What the engine's log of loading says, for the parent; empty values where it does not.

    ``devices``: see ``devices_used``; ``buffers``: bytes of weights by buffer type; ``offloaded``: layers on a GPU, and
    layers that could be.
    """
    lines = list(lines)
    text = "\n".join(lines)
    buffers: dict[str, int] = {}
    for buffer, mebibytes in _BUFFER.findall(text):
        buffers[buffer] = buffers.get(buffer, 0) + round(float(mebibytes) * 2**20)
    layers = _OFFLOADED.findall(text)
    return {
        "devices": devices_used(lines, names),
        "buffers": buffers,
        "offloaded": [int(layers[-1][0]), int(layers[-1][1])] if layers else [],
    }


def devices_used(lines: Iterable[str], names: Sequence[str]) -> list[str]:
    """The devices that hold weights, from llama.cpp's own log of loading; empty where it does not tell.

    The table of token embeddings always stays on the CPU, so the CPU counts only when layers do, or tensors that were
    sent there.

    Args:
        lines: native log lines.
        names: ggml's names of the devices there are, "CPU" among them.
    """
    lines = list(lines)
    text = "\n".join(lines)
    found: list[str] = []
    for buffer, _ in _BUFFER.findall(text):
        device = _device_of(buffer, names)
        if device and device not in found:
            found.append(device)
    others = [device for device in found if device != "CPU"]
    if not others:
        return found
    layers = _OFFLOADED.findall(text)
    partly = any(int(done) < int(total) for done, total in layers)
    sent = any(_device_of(buffer, names) == "CPU" for buffer in _OVERRIDDEN.findall(text))
    return [*others, "CPU"] if partly or sent else others


def _device_of(buffer: str, names: Sequence[str]) -> str:
    """The device behind a buffer's name ("CUDA0", "CPU_REPACK", "MTL0_Mapped", "RPC0[host:port]"); "" if unknown."""
    if buffer.startswith(("CPU", "AMX")) or buffer.endswith("_Host"):
        return "CPU"
    fitting = [name for name in names if buffer == name or buffer.startswith((name + "_", name + "["))]
    return max(fitting, key=len, default="")
