import pytest

from advisor.benchmarks.known_faults import Crash, recognise
from advisor.benchmarks.model import EngineMode

SAPPHIRE_RAPIDS = ("amx_bf16", "amx_int8", "amx_tile", "avx2", "avx512f")
BUILT_WITH_AMX = "CPU : AVX2 = 1 | AVX512 = 1 | AMX_INT8 = 1 | REPACK = 1 |"


def crash(
    signal: str = "SIGILL",
    stage: str = "warming up for prefill",
    mode: EngineMode = EngineMode.DEFAULT,
    extensions: tuple[str, ...] = SAPPHIRE_RAPIDS,
    architecture: str = "x86_64",
    system_info: str = BUILT_WITH_AMX,
) -> Crash:
    return Crash(signal, stage, mode, extensions, architecture, system_info)


@pytest.mark.parametrize("signal", ["SIGILL", "SIGSEGV"])
def test_the_amx_fault_is_named_with_its_report_and_its_mending(signal: str) -> None:
    fault = recognise(crash(signal))
    assert fault is not None
    assert "ggml-org/llama.cpp#26954" in fault.sentence
    assert "GCC 12" in fault.sentence
    for flag in ("-mno-amx-tile", "-mno-amx-int8", "-mno-amx-bf16"):
        assert flag in fault.remedy


@pytest.mark.parametrize(
    "other",
    [
        crash("SIGABRT"),
        crash(stage="running decode"),
        crash(mode=EngineMode.NO_EXTRA_BUFFERS),
        crash(extensions=("avx2",)),
        crash(system_info="CPU : AVX2 = 1 | REPACK = 1 |"),
    ],
)
def test_a_crash_that_only_resembles_it_is_not_called_so(other: Crash) -> None:
    assert recognise(other) is None


def test_a_cpu_without_avx2_is_told_what_it_lacks() -> None:
    """F02: a Xeon E5-2690 v2 and a wheel for newer processors; the engine dies before it can be asked anything."""
    fault = recognise(crash(stage="starting", extensions=("avx", "f16c", "sse4_2"), system_info=""))
    assert fault is not None
    assert "this CPU lacks AVX2" in fault.sentence
    assert "--no-binary llama-cpp-python" in fault.remedy


@pytest.mark.parametrize(
    "other",
    [
        crash("SIGSEGV", extensions=("avx",)),
        crash(extensions=("neon",), architecture="arm64"),
        crash(extensions=()),
    ],
)
def test_what_is_not_known_of_the_cpu_is_not_held_against_it(other: Crash) -> None:
    assert recognise(other) is None
