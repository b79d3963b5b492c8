import pytest

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.hardware.matching import EngineDeviceKey, match, normalise_pci
from advisor.hardware.model import Gpu

NOTHING = Unknown("not stated", Missing.NOT_SUPPORTED)


def text(value: str) -> Fact[str]:
    return Known(value, Basis.READ, "test") if value else NOTHING


def gpu(name: str, pci: str = "", uuid: str = "") -> Gpu:
    return Gpu(text(name), text(uuid), text(pci), NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING)


TWO_EQUAL = (
    gpu("NVIDIA GeForce RTX 3090", "0000:01:00.0", "GPU-aa"),
    gpu("NVIDIA GeForce RTX 3090", "0000:0a:00.0", "GPU-bb"),
)


def test_pci_address_in_any_spelling_and_order() -> None:
    devices = [EngineDeviceKey("x", "00000000:0A:00.0"), EngineDeviceKey("y", "01:00.0")]
    assert match(TWO_EQUAL, devices) == (1, 0)


def test_uuid() -> None:
    assert match(TWO_EQUAL, [EngineDeviceKey("x", "gpu-BB"), EngineDeviceKey("y", "GPU-cc")]) == (1, None)


def test_equal_names_are_not_guessed() -> None:
    assert match(TWO_EQUAL, [EngineDeviceKey("NVIDIA GeForce RTX 3090")] * 2) == (None, None)
    assert match(TWO_EQUAL, [EngineDeviceKey("NVIDIA GeForce RTX 3090")]) == (None,)


@pytest.mark.parametrize(
    ("name", "description", "found"),
    [
        ("NVIDIA GeForce RTX 4090", "GeForce RTX 4090", 0),
        ("AMD Radeon RX 7900 XTX", "AMD Radeon RX 7900 XTX (RADV NAVI31)", 0),
        ("Intel(R) Arc(TM) A770 Graphics", "Intel Arc A770", 0),
        ("NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090 Laptop GPU", None),
        ("NVIDIA GeForce RTX 4080", "NVIDIA GeForce RTX 4080 SUPER", None),
        ("", "", None),
    ],
)
def test_names(name: str, description: str, found: int | None) -> None:
    assert match([gpu(name)], [EngineDeviceKey(description)]) == (found,)


def test_an_identity_that_is_not_here_does_not_fall_back_to_the_name() -> None:
    assert match([gpu("RTX 4090", "0000:01:00.0")], [EngineDeviceKey("RTX 4090", "0000:02:00.0")]) == (None,)


def test_a_gpu_is_given_away_once() -> None:
    gpus = [gpu("RTX 4090", "0000:01:00.0")]
    assert match(gpus, [EngineDeviceKey("a", "0000:01:00.0"), EngineDeviceKey("RTX 4090")]) == (0, None)
    assert match([], [EngineDeviceKey("RTX 4090")]) == (None,)
    assert match(gpus, []) == ()


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("01:00.0", "0000:01:00.0"),
        ("00010000:3B:00.0", "10000:3b:00.0"),
        ("GPU-aa", None),
        ("8086:a7a0", None),
        ("", None),
    ],
)
def test_addresses(given: str, normal: str | None) -> None:
    assert normalise_pci(given) == normal


def test_an_address_that_nothing_here_states_leaves_the_name() -> None:
    """Windows shows AMD's and Intel's adapters without their addresses."""
    key = EngineDeviceKey("AMD Radeon RX 7900 XTX", "0000:03:00.0")
    assert match([gpu("AMD Radeon RX 7900 XTX")], [key]) == (0,)
    assert match([gpu("AMD Radeon RX 7900 XTX", "0000:04:00.0")], [key]) == (None,)
