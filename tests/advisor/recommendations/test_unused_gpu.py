from dataclasses import replace

import pytest

from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.hardware.model import Gpu, Machine
from advisor.recommendations.unused_gpu import sentence
from tests.support.evidence import GIB, device, engine, gpu, machine

DRIVER = Known("580.95.05", Basis.READ, "NVML")
CARD: Gpu = replace(gpu("NVIDIA GeForce RTX 4090"), vendor="nvidia", driver=DRIVER)
APU: Gpu = replace(gpu("AMD Radeon 780M", shares=True), vendor="amd")


def words(here: Machine, **kinds: object) -> str:
    return sentence(here, engine(**kinds)) or ""  # type: ignore[arg-type]


def test_the_commonest_waste() -> None:
    found = words(machine(gpus=(CARD,)))
    assert found.startswith(
        "This machine has an NVIDIA GeForce RTX 4090, but this engine was built for CPUs only: install"
    )
    assert 'CMAKE_ARGS="-DGGML_CUDA=on" pip install' in found


@pytest.mark.parametrize(
    ("here", "device_list", "offload"),
    [
        (machine(), (), False),
        (machine(gpus=(CARD,)), (device("CUDA0"),), True),
        (machine(gpus=(CARD, APU)), (device("CUDA0"), device("Vulkan1", "igpu")), True),
        (machine(gpus=(APU,)), (device("Vulkan0", "igpu"),), True),
        (machine(gpus=(CARD,)), (device("CUDA0"),), False),
    ],
)
def test_nothing_is_wasted(here: Machine, device_list: tuple[object, ...], offload: bool) -> None:
    assert words(here, gpu_offload=offload, devices=device_list) == ""


def test_a_missing_driver_comes_first() -> None:
    bare = replace(CARD, driver=Unknown("none", Missing.TOOL_MISSING))
    assert "install NVIDIA's driver first, then install a build" in words(machine(gpus=(bare,)))
    nouveau = replace(CARD, driver=Known("nouveau", Basis.READ, "test"))
    assert "in place of nouveau first" in words(machine(gpus=(nouveau,)))


def test_an_engine_that_finds_none() -> None:
    found = words(machine(gpus=(CARD,)), gpu_offload=True, devices=(device("CPU", "cpu"),))
    assert "it finds none: update the driver, then run" in found


def test_an_engine_that_sees_only_the_integrated_one() -> None:
    found = words(machine(gpus=(APU, CARD)), gpu_offload=True, devices=(device("Vulkan0", "igpu"),))
    assert "sees only the integrated Test Vulkan0: install a build for CUDA" in found


def test_a_card_that_the_engine_takes_for_integrated_is_known_by_its_address() -> None:
    """The names differ ("Test Vulkan0" and "NVIDIA GeForce RTX 4090"); the PCI address is the same."""
    address = Known("0000:01:00.0", Basis.READ, "test")
    seen = replace(device("Vulkan0", "igpu"), pci_id=address)
    assert words(machine(gpus=(APU, replace(CARD, pci_id=address))), gpu_offload=True, devices=(seen,)) == ""
    other = replace(seen, pci_id=Known("0000:0a:00.0", Basis.READ, "test"))
    assert "sees only the integrated" in words(
        machine(gpus=(APU, replace(CARD, pci_id=address))), gpu_offload=True, devices=(other,)
    )


def test_the_card_goes_before_the_integrated_one_and_the_larger_before_the_smaller() -> None:
    small = replace(
        CARD, name=Known("RTX 3050", Basis.READ, "test"), memory_total_bytes=Known(8 * GIB, Basis.READ, "t")
    )
    assert "RTX 4090" in words(machine(gpus=(APU, small, CARD)))


def test_an_integrated_one_promises_the_prompt_only() -> None:
    found = words(machine(gpus=(APU,)))
    assert found.startswith("This machine has an AMD Radeon 780M") and "mainly the prompt gains" in found


def test_a_driver_that_was_updated() -> None:
    here = replace(machine(), gpus_note=Unknown("the NVIDIA driver was updated; reboot", Missing.FAILED))
    assert "reboot" in words(here)


def test_a_llama_cpp_build_is_built_anew_and_not_installed() -> None:
    found = sentence(machine(gpus=(CARD,)), replace(engine(), name="llama-bench"))
    assert found is not None
    assert "cmake -B build -DGGML_CUDA=on" in found
    assert "pip" not in found
