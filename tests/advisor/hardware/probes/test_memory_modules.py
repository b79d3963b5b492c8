import json
from pathlib import Path

import pytest

from advisor.core.evidence import Known, Missing, Unknown
from advisor.hardware.probes import memory_modules
from advisor.hardware.probes.memory_modules import parse_cim, parse_system_profiler, parse_udev, read

GIB = 2**30

UDEVADM = """
P: /devices/virtual/dmi/id
E: DEVPATH=/devices/virtual/dmi/id
E: MEMORY_ARRAY_NUM_DEVICES=4
E: MEMORY_DEVICE_0_PRESENT=0
E: MEMORY_DEVICE_0_LOCATOR=DIMM_A1
E: MEMORY_DEVICE_1_SIZE=17179869184
E: MEMORY_DEVICE_1_DATA_WIDTH=64
E: MEMORY_DEVICE_1_TOTAL_WIDTH=72
E: MEMORY_DEVICE_1_LOCATOR=DIMM_A2
E: MEMORY_DEVICE_1_BANK_LOCATOR=BANK 1
E: MEMORY_DEVICE_1_TYPE=DDR4
E: MEMORY_DEVICE_1_SPEED_MTS=3600
E: MEMORY_DEVICE_1_CONFIGURED_SPEED_MTS=2133
E: MEMORY_DEVICE_1_SERIAL_NUMBER=12345678
E: MEMORY_DEVICE_10_SIZE=17179869184
E: MEMORY_DEVICE_10_TYPE=<OUT OF SPEC>
E: MEMORY_DEVICE_10_SPEED_MTS=65535
"""


def test_udevadm_output() -> None:
    found = parse_udev(UDEVADM)
    assert found.slots.or_none() == 3
    first, second = found.modules
    assert (first.slot, first.size_bytes, first.kind.or_none()) == ("BANK 1 DIMM_A2", 16 * GIB, "DDR4")
    assert first.rated_transfers_per_s.or_none() == 3.6e9
    assert first.running_transfers_per_s.or_none() == 2.133e9
    assert first.width_bits.or_none() == 64
    assert "12345678" not in repr(found)
    for fact in (second.kind, second.rated_transfers_per_s, second.running_transfers_per_s, second.width_bits):
        assert isinstance(fact, Unknown)


def test_the_database_file_has_no_space_after_the_mark() -> None:
    assert parse_udev(UDEVADM.replace("E: ", "E:")) == parse_udev(UDEVADM)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "E:ID_VENDOR=x",
        "E:MEMORY_DEVICE_0_SIZE=0",
        "E:MEMORY_DEVICE_0_SIZE=many",
        "E:MEMORY_DEVICE_0_PRESENT=0\nE:MEMORY_DEVICE_0_SIZE=17179869184",
        "\0\0\0MEMORY_DEVICE_=",
    ],
)
def test_udev_without_modules_is_unknown(text: str) -> None:
    found = parse_udev(text)
    assert found.modules == () and isinstance(found.note, Unknown) and isinstance(found.slots, Unknown)


def test_a_virtual_machines_module_has_a_size_only() -> None:
    found = parse_udev(
        "E:MEMORY_DEVICE_0_SIZE=8589934592\nE:MEMORY_DEVICE_0_TYPE=RAM\nE:MEMORY_DEVICE_0_LOCATOR=DIMM 0"
    )
    assert found.modules[0].size_bytes == 8 * GIB
    assert isinstance(found.modules[0].kind, Unknown)


CIM_ROW = {
    "Capacity": 17179869184, "Speed": 6400, "ConfiguredClockSpeed": 6000, "DeviceLocator": "DIMM 1",
    "BankLabel": "P0 CHANNEL A", "DataWidth": 64, "SMBIOSMemoryType": 34,
}  # fmt: skip


def test_cim_states_rating_and_running_speed_apart() -> None:
    """Case B23: Speed is the rating, ConfiguredClockSpeed what runs."""
    (module,) = parse_cim(json.dumps(CIM_ROW)).modules
    assert module.rated_transfers_per_s.or_none() == 6.4e9
    assert module.running_transfers_per_s.or_none() == 6.0e9
    assert (module.slot, module.kind.or_none(), module.width_bits.or_none()) == ("P0 CHANNEL A DIMM 1", "DDR5", 64)


def test_cim_list_and_strings() -> None:
    rows = [
        CIM_ROW,
        {**CIM_ROW, "Capacity": "17179869184", "ConfiguredClockSpeed": None, "SMBIOSMemoryType": None},
        7,
        {},
    ]
    first, second = parse_cim(json.dumps(rows)).modules
    assert first.size_bytes == second.size_bytes == 16 * GIB
    assert isinstance(second.running_transfers_per_s, Unknown) and isinstance(second.kind, Unknown)


@pytest.mark.parametrize("text", ["", "null", "7", "[]", "Get-CimInstance : Access denied", '{"Capacity": null}'])
def test_cim_that_says_nothing(text: str) -> None:
    found = parse_cim(text)
    assert found.modules == () and isinstance(found.note, Unknown)


def test_an_intel_macs_slots() -> None:
    rows = [
        {"_name": "BANK 0/ChannelA-DIMM0", "dimm_size": "8 GB", "dimm_speed": "2667 MHz", "dimm_type": "DDR4"},
        {"_name": "BANK 2/ChannelB-DIMM0", "dimm_size": "empty", "dimm_speed": "empty"},
    ]
    found = parse_system_profiler(json.dumps({"SPMemoryDataType": [{"_items": rows}]}))
    (module,) = found.modules
    assert (module.size_bytes, module.running_transfers_per_s.or_none()) == (8 * GIB, 2.667e9)
    assert found.slots.or_none() == 2


@pytest.mark.parametrize(
    "text",
    [
        '{"SPMemoryDataType": [{"SPMemoryDataType": "16 GB", "dimm_type": "LPDDR5"}]}',
        "{}",
        "",
        "[]",
        '{"SPMemoryDataType": 5}',
    ],
)
def test_apple_silicon_states_no_modules(text: str) -> None:
    found = parse_system_profiler(text)
    assert found.modules == () and isinstance(found.note, Unknown)


def test_read_here_never_needs_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(memory_modules.platform, "system", lambda: "Linux")
    note = memory_modules.read(tmp_path).note
    assert isinstance(note, Unknown) and note.kind is Missing.NOT_SUPPORTED


def test_other_systems_ask_their_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    def output(command: tuple[str, ...]) -> str:
        asked.append(command)
        return json.dumps(CIM_ROW)

    monkeypatch.setattr(memory_modules, "_output", output)
    monkeypatch.setattr(memory_modules.platform, "system", lambda: "Windows")
    assert isinstance(memory_modules.read().note, Known)
    monkeypatch.setattr(memory_modules.platform, "system", lambda: "Darwin")
    memory_modules.read()
    assert [command[0] for command in asked] == ["powershell.exe", "/usr/sbin/system_profiler"]


def test_a_system_that_does_not_tell_says_so_in_plain_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.system", lambda: "Linux")
    found = read(tmp_path)
    assert isinstance(found.note, Unknown)
    assert found.note.reason == "this system does not tell which memory modules it has"
