import json

import pytest

from advisor.core.evidence import Unknown
from advisor.hardware.probes.display_adapters import SIZE_32, SIZE_64, parse_memory_size, parse_registry
from advisor.hardware.probes.display_adapters import parse_system_profiler as parse_mac

GIB = 2**30


@pytest.mark.parametrize(
    ("wide", "narrow", "size"),
    [
        (24 * GIB, 0xFFF00000, 24 * GIB),
        ((16 * GIB).to_bytes(8, "little"), None, 16 * GIB),
        (None, (2 * GIB).to_bytes(4, "little"), 2 * GIB),
        (None, 512 * 2**20, 512 * 2**20),
        (0, 3 * GIB, 3 * GIB),
    ],
)
def test_the_wide_figure_wins(wide: object, narrow: object, size: int) -> None:
    assert parse_memory_size(wide, narrow).or_none() == size


@pytest.mark.parametrize("narrow", [0xFFF00000, 0xFFFFFFFF, b"\x00\x00\xf0\xff", 0xFFFF0000])
def test_a_reading_at_the_end_of_32_bits_is_capped(narrow: object) -> None:
    """Case B12: an 8 GB card's 32-bit figure is near 4 GB."""
    fact = parse_memory_size(None, narrow)
    assert isinstance(fact, Unknown) and "ends at 4 GB" in fact.reason


@pytest.mark.parametrize(("wide", "narrow"), [(None, None), (b"abc", "text"), (-1, 0), (2**60, None), (True, None)])
def test_nonsense_sizes_are_unknown(wide: object, narrow: object) -> None:
    assert isinstance(parse_memory_size(wide, narrow), Unknown)


def test_registry() -> None:
    adapters = [
        {"DriverDesc": "AMD Radeon RX 7900 XTX", "MatchingDeviceId": "PCI\\VEN_1002&DEV_744C", SIZE_64: 24 * GIB,
         "DriverVersion": "32.0.21013.1000"},
        {"DriverDesc": "Intel(R) UHD Graphics 770", "MatchingDeviceId": "pci\\ven_8086&dev_a780", SIZE_32: 128 * 2**20},
        {"DriverDesc": "Microsoft Basic Display Adapter", "MatchingDeviceId": "PCI\\CC_0300"},
        {"DriverDesc": "Remote", "MatchingDeviceId": 5},
        {},
    ]  # fmt: skip
    card, inside = parse_registry(adapters)
    assert (card.name.or_none(), card.vendor) == ("AMD Radeon RX 7900 XTX", "amd")
    assert (card.memory_total_bytes.or_none(), card.driver.or_none()) == (24 * GIB, "32.0.21013.1000")
    assert isinstance(card.shares_memory, Unknown)
    assert (inside.vendor, inside.memory_total_bytes.or_none()) == ("intel", 128 * 2**20)
    assert isinstance(inside.driver, Unknown)


@pytest.mark.parametrize("device", ["ACPI\\VEN_QCOM&DEV_0C36", "pci\\ven_5143&dev_0c36"])
def test_a_snapdragon_s_graphics_hang_on_no_bus(device: str) -> None:
    (gpu,) = parse_registry([{"DriverDesc": "Qualcomm(R) Adreno(TM) X1-85 GPU", "MatchingDeviceId": device}])
    assert (gpu.vendor, gpu.name.or_none()) == ("qualcomm", "Qualcomm(R) Adreno(TM) X1-85 GPU")


def test_an_apple_gpu_shares_the_memory() -> None:
    row = {"_name": "kHW_AppleM4MaxItem", "sppci_model": "Apple M4 Max", "sppci_cores": "40", "spdisplays_vendor":
           "sppci_vendor_Apple"}  # fmt: skip
    (gpu,) = parse_mac(json.dumps({"SPDisplaysDataType": [row]}))
    assert (gpu.name.or_none(), gpu.vendor) == ("Apple M4 Max (40-core GPU)", "apple")
    assert gpu.shares_memory.or_none() is True and isinstance(gpu.memory_total_bytes, Unknown)


def test_an_intel_mac_with_a_card() -> None:
    rows = [
        {"sppci_model": "Intel UHD Graphics 630", "spdisplays_vendor": "Intel", "spdisplays_vram_shared": "1536 MB"},
        {"sppci_model": "AMD Radeon Pro 5500M", "spdisplays_vendor": "sppci_vendor_amd", "spdisplays_vram": "8 GB"},
    ]
    inside, card = parse_mac(json.dumps({"SPDisplaysDataType": rows}))
    assert inside.shares_memory.or_none() is True
    assert (card.shares_memory.or_none(), card.memory_total_bytes.or_none()) == (False, 8 * GIB)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"SPDisplaysDataType": 3}', '{"SPDisplaysDataType": ["x"]}'])
def test_a_profiler_that_says_nothing(text: str) -> None:
    assert parse_mac(text) == ()
