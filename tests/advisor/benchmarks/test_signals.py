"""Exit codes of all systems, by the names that the ladder of safe mode and the sentences go by."""

import pytest

from advisor.benchmarks.failures import explain, is_engine_fault
from advisor.benchmarks.signals import NATIVE_CRASHES, signal_name
from advisor.benchmarks.supervisor import Ending, Outcome


@pytest.mark.parametrize(
    ("code", "platform", "name"),
    [
        (None, "linux", ""),
        (0, "linux", ""),
        (1, "linux", ""),
        (-11, "linux", "SIGSEGV"),
        (-9, "linux", "SIGKILL"),
        (-250, "linux", "signal 250"),
        (139, "linux", "SIGSEGV"),  # a shell script around the interpreter
        (132, "darwin", "SIGILL"),
        (137, "linux", "SIGKILL"),
        (128, "linux", ""),
        (141, "linux", ""),  # SIGPIPE is nobody's crash
        (255, "linux", ""),
        (0xC0000005, "win32", "access violation"),
        (0xC0000005 - 2**32, "win32", "access violation"),
        (0xC000001D, "win32", "illegal instruction"),
        (0xC0000374, "win32", "heap corruption"),
        (0xC00000FD, "win32", "stack overflow"),
        (0xC000013A, "win32", "Ctrl+C"),
        (3, "win32", "abort"),
        (3, "linux", ""),
        (0x40000015, "win32", "abort"),
        (0xE06D7363, "win32", "C++ exception"),
        (0xC000012D - 2**32, "win32", "no memory left"),
        (139, "win32", ""),
        (1, "win32", ""),
    ],
)
def test_names(code: int | None, platform: str, name: str) -> None:
    assert signal_name(code, platform) == name


def test_whoever_is_ended_from_outside_did_not_crash() -> None:
    for name in ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "Ctrl+C"):
        assert name not in NATIVE_CRASHES
        outcome = Outcome(Ending.CRASHED, signal_name=name)
        assert not is_engine_fault(outcome)
        assert "from outside" in explain(outcome, "decode").sentence


def test_a_file_that_vanishes_under_the_engine_is_named() -> None:
    error = explain(Outcome(Ending.CRASHED, signal_name="SIGBUS"), "decode")
    assert "could suddenly not be read" in error.sentence
    assert "share" in error.hint


@pytest.mark.parametrize(
    "line",
    [
        "ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 123",
        "ggml_vulkan: Device memory allocation of size 4290772992 failed.",
        "ggml_vulkan: vk::Device::allocateMemory: ErrorOutOfDeviceMemory",
        "ggml_backend_cuda_buffer_type_alloc_buffer: cudaMalloc failed: out of memory",
        "ROCm error: hipErrorOutOfMemory",
        "error: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)",
        "UR error: UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY",
        "terminate called after throwing an instance of 'std::bad_alloc'",
    ],
)
def test_memory_that_ran_out_is_no_fault_of_the_engine_on_any_backend(line: str) -> None:
    outcome = Outcome(Ending.CRASHED, signal_name="SIGABRT", log=(line,))
    assert not is_engine_fault(outcome)
    assert explain(outcome, "decode").fields["reason"] == "out_of_memory"
    left = Outcome(Ending.LEFT, exit_code=1, log=(line, "main: error: failed to create context with model"))
    assert explain(left, "decode").fields["reason"] == "out_of_memory"


def test_windows_own_words_for_memory_that_ran_out() -> None:
    outcome = Outcome(Ending.CRASHED, signal_name=signal_name(0xC0000017, "win32"))
    assert not is_engine_fault(outcome)
    assert explain(outcome, "decode").fields["reason"] == "out_of_memory"


def test_a_full_pool_of_the_engines_own_is_a_fault() -> None:
    line = "ggml_new_object: not enough space in the context's memory pool (needed 1, available 0)"
    assert is_engine_fault(Outcome(Ending.CRASHED, signal_name="SIGABRT", log=(line,)))
