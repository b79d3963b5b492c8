"""Where the weights went, from llama.cpp's own words; and where they are asked to go, with an invented ggml."""

import ctypes
import socket
from typing import Any

import pytest

from advisor.benchmarks.worker import placement, rpc
from advisor.benchmarks.worker.ggml import BufferType, Device
from advisor.benchmarks.worker.talk import Failure

USE_IT = "Choose it, too: --device CUDA0"
NAMES = ["CUDA0", "CUDA1", "RPC0", "RPC1", "MTL0", "Vulkan0", "CPU"]


@pytest.mark.parametrize(
    ("lines", "devices"),
    [
        (["load_tensors:   CPU_Mapped model buffer size =   235.16 MiB"], ["CPU"]),
        (
            ["load_tensors:   CPU_REPACK model buffer size = 1.0 MiB", "load_tensors: CPU model buffer size = 1.0 MiB"],
            ["CPU"],
        ),
        (["load_tensors:          AMX model buffer size =   100.00 MiB"], ["CPU"]),
        (
            [
                "load_tensors: offloaded 19/19 layers to GPU",
                "load_tensors:   CPU_Mapped model buffer size =   170.00 MiB",
                "load_tensors:        CUDA0 model buffer size =   235.16 MiB",
            ],
            ["CUDA0"],
        ),
        (
            [
                "load_tensors: offloaded 10/19 layers to GPU",
                "load_tensors:   CPU_Mapped model buffer size =   170.00 MiB",
                "load_tensors:        CUDA0 model buffer size =   135.16 MiB",
                "load_tensors:        CUDA1 model buffer size =   135.16 MiB",
            ],
            ["CUDA0", "CUDA1", "CPU"],
        ),
        (
            [
                "tensor blk.0.ffn_up_exps.weight (100 MiB q4_K) buffer type overridden to CPU",
                "load_tensors: offloaded 49/49 layers to GPU",
                "load_tensors:   CPU_Mapped model buffer size = 17000.00 MiB",
                "load_tensors:        CUDA0 model buffer size =   135.16 MiB",
            ],
            ["CUDA0", "CPU"],
        ),
        (
            [
                "load_tensors: offloaded 19/19 layers to GPU",
                "load_tensors: RPC0[127.0.0.1:50052] model buffer size =   111.11 MiB",
                "load_tensors:      Vulkan0 model buffer size =   111.11 MiB",
            ],
            ["RPC0", "Vulkan0"],
        ),
        (
            ["load_tensors: offloaded 1/1 layers to GPU", "load_tensors:  MTL0_Mapped model buffer size = 1.11 MiB"],
            ["MTL0"],
        ),
        (["llm_load_tensors:        CPU buffer size =  3442.89 MiB"], ["CPU"]),
        (["load_tensors: XPU7 model buffer size = 1.0 MiB"], []),
        ([], []),
    ],
)
def test_the_devices_that_hold_weights(lines: list[str], devices: list[str]) -> None:
    assert all(placement.tells_of_placement(line) for line in lines)
    assert placement.devices_used(lines, NAMES) == devices


class Params(ctypes.Structure):
    _fields_ = [
        ("devices", ctypes.c_void_p),
        ("tensor_buft_overrides", ctypes.c_void_p),
        ("tensor_split", ctypes.POINTER(ctypes.c_float)),
    ]


class OldParams(ctypes.Structure):
    _fields_ = [("tensor_split", ctypes.POINTER(ctypes.c_float))]


class FakeLib:
    @staticmethod
    def llama_max_devices() -> int:
        return 4


class FakeGgml:
    """Two devices and no RPC."""

    def devices(self) -> list[Device]:
        return [Device(11, "CUDA0", "a card", "gpu", 0, 0, ""), Device(22, "CPU", "a processor", "cpu", 0, 0, "")]

    def default_buffer_type(self, device: Device) -> BufferType:
        return BufferType(device.handle + 100, device.name, False)

    def registry(self, _name: str) -> None:
        return None


def apply(params: Any = None, **request: Any) -> tuple[Any, list[object]]:
    params = params or Params()
    kept = placement.apply(FakeLib, params, request, FakeGgml())  # type: ignore[arg-type]
    return params, kept


def test_devices_become_an_array_that_ends_with_nothing() -> None:
    params, kept = apply(devices=["CUDA0"])
    assert list(ctypes.cast(params.devices, ctypes.POINTER(ctypes.c_void_p))[0:2]) == [11, None]
    assert len(kept) == 1
    params, kept = apply(devices=["CPU"])
    assert list(ctypes.cast(params.devices, ctypes.POINTER(ctypes.c_void_p))[0:1]) == [None]


def test_overrides_and_shares_become_arrays() -> None:
    params, kept = apply(tensor_overrides=[["exps", "CPU"], ["attn", "CUDA0"]], tensor_split=[3, 1])
    array = ctypes.cast(params.tensor_buft_overrides, ctypes.POINTER(placement._Override))
    assert [(array[i].pattern, array[i].buffer_type) for i in range(3)] == [
        (b"exps", 122), (b"attn", 111), (None, None)
    ]  # fmt: skip
    assert params.tensor_split[0:4] == [3.0, 1.0, 0.0, 0.0]
    assert len(kept) == 2


@pytest.mark.parametrize(
    ("request_fields", "code", "hint"),
    [
        ({"devices": ["CUDA7"]}, "no_device", "It has: CUDA0, CPU."),
        ({"tensor_overrides": [["exps", "HBM"]]}, "no_buffer_type", "It has: CUDA0, CPU."),
        ({"devices": ["CPU"], "tensor_overrides": [["a", "CUDA0"]]}, "device_not_used", USE_IT),
        ({"tensor_split": [1, 1, 1, 1, 1]}, "too_many_shares", ""),
        ({"rpc_servers": ["nowhere"]}, "rpc_address", "Write it as HOST:PORT."),
    ],
)
def test_each_wish_fails_with_its_own_reason(request_fields: dict[str, Any], code: str, hint: str) -> None:
    with pytest.raises(Failure) as caught:
        apply(**request_fields)
    assert (caught.value.code, caught.value.hint) == (code, hint)


def test_a_binding_too_old_for_a_wish_says_so() -> None:
    with pytest.raises(Failure) as caught:
        apply(OldParams(), devices=["CUDA0"])
    assert caught.value.code == "too_old"


def test_a_server_that_does_not_answer_is_named_before_the_engine_aborts() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Failure) as caught:
        rpc.register(FakeGgml(), [f"127.0.0.1:{port}"])  # type: ignore[arg-type]
    assert caught.value.code == "rpc_unreachable"
    assert f"127.0.0.1:{port}" in caught.value.sentence


def test_a_build_without_rpc_says_how_to_get_one() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(Failure) as caught:
        rpc.register(FakeGgml(), [f"127.0.0.1:{server.getsockname()[1]}"])  # type: ignore[arg-type]
    assert caught.value.code == "no_rpc"
    assert "GGML_RPC" in caught.value.hint
