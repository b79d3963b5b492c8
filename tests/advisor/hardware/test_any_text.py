"""Every parser takes every text: facts or unknowns, never an exception, never an impossible figure."""

import json

from hypothesis import example, given
from hypothesis import strategies as st

from advisor.core.evidence import Known
from advisor.hardware import channels, counters
from advisor.hardware.catalog import find
from advisor.hardware.matching import normalise_pci
from advisor.hardware.probes import (
    device_tree,
    display_adapters,
    frequency,
    memory_modules,
    microarchitecture,
    numa,
    pci_gpus,
)

TEXT = st.text(max_size=200)
SCRAP = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=20), inner, max_size=3),
    max_leaves=8,
)
CIM_KEYS = ("Capacity", "Speed", "ConfiguredClockSpeed", "DeviceLocator", "BankLabel", "DataWidth", "SMBIOSMemoryType")
MAC_KEYS = ("_name", "dimm_size", "dimm_speed", "dimm_type", "sppci_model", "sppci_cores", "spdisplays_vram")


def sane(found: memory_modules.Modules) -> None:
    assert all(module.size_bytes > 0 for module in found.modules)
    summary = channels.summarise(found.modules)
    rate = summary.bytes_per_s
    assert not isinstance(rate, Known) or rate.value > 0
    channels.notes(found.modules)


@given(st.lists(st.tuples(st.sampled_from(["SIZE", "SPEED_MTS", "DATA_WIDTH", "TYPE", "LOCATOR", "PRESENT"]), TEXT)))
def test_udev(rows: list[tuple[str, str]]) -> None:
    sane(memory_modules.parse_udev("\n".join(f"E:MEMORY_DEVICE_0_{key}={value}" for key, value in rows)))


@given(TEXT)
@example("0\x1f")
@example("--5")
def test_texts(text: str) -> None:
    sane(memory_modules.parse_udev(text))
    sane(memory_modules.parse_cim(text))
    sane(memory_modules.parse_system_profiler(text))
    display_adapters.parse_system_profiler(text)
    microarchitecture.name(microarchitecture.parse_cpuinfo(text))
    microarchitecture.name(microarchitecture.parse_windows_identifier(text, text))
    numa.parse_nodes(text)
    frequency.parse_khz(text)
    pci_gpus.parse_name(text, 0x1002, 0x744C)
    pci_gpus.parse_link_speed(text)
    device_tree.parse(text, text)
    counters.parse_major_faults(text)
    counters.parse_throttling([text], [text])
    counters.parse_temperatures([("k10temp", text)], [(text, text)])
    counters.parse_clocks([text])
    channels.channel_of(text)
    normalise_pci(text)
    find(text)


@given(st.lists(st.dictionaries(st.sampled_from(CIM_KEYS), SCRAP) | SCRAP, max_size=3))
def test_cim(rows: list[object]) -> None:
    sane(memory_modules.parse_cim(json.dumps(rows)))


@given(st.lists(st.dictionaries(st.sampled_from(MAC_KEYS), SCRAP) | SCRAP, max_size=3))
def test_system_profiler(rows: list[object]) -> None:
    sane(memory_modules.parse_system_profiler(json.dumps({"SPMemoryDataType": [{"_items": rows}]})))
    sane(memory_modules.parse_system_profiler(json.dumps({"SPMemoryDataType": rows})))
    display_adapters.parse_system_profiler(json.dumps({"SPDisplaysDataType": rows}))


@given(st.lists(st.dictionaries(st.sampled_from(display_adapters.VALUES), SCRAP | st.binary(max_size=9)), max_size=2))
def test_registry(adapters: list[dict[str, object]]) -> None:
    for gpu in display_adapters.parse_registry(adapters):
        size = gpu.memory_total_bytes
        assert not isinstance(size, Known) or 0 < size.value <= 2**50


@given(st.dictionaries(st.sampled_from((*pci_gpus.FILES, *pci_gpus.WAKING_FILES)), TEXT), st.integers(-1, 255))
def test_pci(files: dict[str, str], revision: int) -> None:
    files |= {"vendor": "0x1002", "class": "0x030000", "device": files.get("device") or "0x1586"}
    gpu = pci_gpus.parse(pci_gpus.DeviceFiles("0000:03:00.0", files, revision))
    assert gpu is None or isinstance(gpu.name, Known)
