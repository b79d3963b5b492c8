import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.core.evidence import Unknown
from advisor.hardware import counters
from advisor.hardware.counters import Throttling, parse_clocks, parse_major_faults, parse_temperatures, parse_throttling
from advisor.hardware.probes.load import LoadWindow, faults_between, throttling_between


@pytest.mark.parametrize(
    ("stat", "faults"),
    [
        ("1234 (python) S 1 1234 1234 0 -1 4194304 2500 0 17 3 100 20 0 0 20 0 1 0 500 0 0", 20),
        ("1 (a (b) 9 9 9 9 9 9) R 1 1 1 0 -1 0 2500 0 5 0 1 1 0 0", 5),
        ("", None),
        ("1 (x) S 1", None),
        ("1 (x) S 1 1 1 0 -1 0 2500 0 many 0", None),
    ],
)
def test_major_faults(stat: str, faults: int | None) -> None:
    assert parse_major_faults(stat) == faults


def test_throttling_counters() -> None:
    assert parse_throttling(["3", "4", ""], ["1500", "250"]) == Throttling(7, 1.5)
    assert parse_throttling(["0"], []) == Throttling(0, None)
    assert parse_throttling(["", "x"], ["5"]) is None


def test_a_packages_counter_counts_once(plant: Callable[[dict[str, str]], Path]) -> None:
    files: dict[str, str] = {}
    for cpu, core in ((0, 0), (1, 0), (2, 1), (3, 1)):
        base = f"/sys/devices/system/cpu/cpu{cpu}"
        files[f"{base}/topology/physical_package_id"] = "0"
        files[f"{base}/topology/core_id"] = str(core)
        files[f"{base}/thermal_throttle/core_throttle_count"] = "5"
        files[f"{base}/thermal_throttle/package_throttle_count"] = "100"
        files[f"{base}/thermal_throttle/package_throttle_total_time_ms"] = "2500"
    assert counters.read_throttling(plant(files)) == Throttling(110, 2.5)


def test_no_counters(tmp_path: Path) -> None:
    assert counters.read_throttling(tmp_path) is None
    assert counters.read_major_faults([1, 2], tmp_path) == {}
    assert isinstance(counters.read_temperature(tmp_path), Unknown)
    assert isinstance(counters.read_clock(tmp_path), Unknown)


@pytest.mark.parametrize(
    ("sensors", "zones", "degrees"),
    [
        ([("coretemp", "71000"), ("coretemp", "85000"), ("nvme", "99000")], [("acpitz", "27800")], 85.0),
        ([("nvme", "60000")], [("acpitz", "27800"), ("x86_pkg_temp", "64000")], 64.0),
        ([], [("cpu-thermal", "48312")], 48.312),
        ([("k10temp", "0")], [], None),
        ([("k10temp", "-273150"), ("k10temp", "255000"), ("k10temp", "")], [], None),
        ([], [("iwlwifi_1", "50000")], None),
    ],
)
def test_temperatures(sensors: list[tuple[str, str]], zones: list[tuple[str, str]], degrees: float | None) -> None:
    assert parse_temperatures(sensors, zones).or_none() == degrees


@pytest.mark.parametrize(
    ("texts", "hz"), [(["3000000", "4000000"], 3.5e9), ([], None), (["0", "3000000"], None), (["x"], None)]
)
def test_clocks(texts: list[str], hz: float | None) -> None:
    assert parse_clocks(texts).or_none() == hz


def test_faults_of_newborn_and_ended_processes() -> None:
    assert faults_between({1: 10, 2: 5}, {1: 14, 3: 7, 4: 99}, frozenset({3})).or_none() == 11
    assert faults_between({1: 10}, {1: 3}, frozenset({1})).or_none() == 3
    assert isinstance(faults_between({1: 1}, {}, frozenset()), Unknown)


def test_throttling_in_a_window() -> None:
    events, held_s = throttling_between(Throttling(5, 1.0), Throttling(8, 3.5))
    assert (events.or_none(), held_s.or_none()) == (3, 2.5)
    assert all(isinstance(fact, Unknown) for fact in throttling_between(None, Throttling(8, 3.5)))
    events, held_s = throttling_between(Throttling(5, None), Throttling(5, None))
    assert events.or_none() == 0 and isinstance(held_s, Unknown)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not count these")
def test_a_window_here_counts_our_faults() -> None:
    seen = LoadWindow(lambda: (os.getpid(),)).close()
    assert (seen.own_major_faults.or_none() or 0) >= 0 and seen.own_major_faults.or_none() is not None
    assert (seen.duration_s.or_none() or -1) >= 0
