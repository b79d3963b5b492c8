import datetime
import re
from collections import Counter
from collections.abc import Callable

import pytest

from advisor.hardware.catalog import Accelerator, Kind, accelerators, find, normalise, parse

GIB = 2**30
BANDWIDTH_RANGE = {
    Kind.CARD: (90e9, 9e12),
    Kind.LAPTOP: (90e9, 1.5e12),
    Kind.UNIFIED: (30e9, 1.2e12),
    Kind.KIT: (10e9, 0.7e12),
}
HOSTS = {"www.techpowerup.com", "github.com", "locara.dev", "glennklockwood.com", "hmc-tech.com"}
"""Where the table's links go; a new one is looked at before it is added here."""


def test_the_table_is_there() -> None:
    kinds = Counter(row.kind for row in accelerators())
    assert len(accelerators()) >= 120
    assert all(kinds[kind] >= 10 for kind in Kind)


def faults(check: Callable[[Accelerator], bool]) -> list[str]:
    """Names of rows that do not pass."""
    return [row.name for row in accelerators() if not check(row)]


def within(value: float | None, low: float, high: float) -> bool:
    return value is None or low <= value <= high


def test_every_row_has_a_source_and_a_date() -> None:
    assert faults(lambda row: bool(row.source) and set(re.findall(r"https?://([^/\s]+)", row.source)) <= HOSTS) == []
    assert faults(lambda row: datetime.date.fromisoformat(row.looked_up) >= datetime.date(2026, 11, 1)) == []


def test_figures_are_in_plausible_ranges() -> None:
    assert faults(lambda row: 2010 <= row.launch_year <= 2026) == []
    assert (
        faults(lambda row: within(row.memory_bytes, 2 * GIB, 1024 * GIB) and (row.memory_bytes or 0) % GIB == 0) == []
    )
    assert faults(lambda row: within(row.bandwidth_bytes_per_s, *BANDWIDTH_RANGE[row.kind])) == []
    assert faults(lambda row: within(row.fp32_flop_per_s, 1e12, 2e14)) == []
    assert faults(lambda row: within(row.fp16_flop_per_s, 5e12, 3e15)) == []


def test_kinds_and_vendors() -> None:
    assert faults(lambda row: row.vendor in ("nvidia", "amd", "intel", "apple", "")) == []
    assert faults(lambda row: (row.vendor == "") is (row.kind is Kind.KIT)) == []
    laptop = re.compile(r"Laptop GPU$|\d{4}M$")
    assert faults(lambda row: (laptop.search(row.name) is not None) is (row.kind is Kind.LAPTOP)) == []
    computing = (Kind.CARD, Kind.UNIFIED)
    assert faults(lambda row: row.kind in computing or row.fp16_flop_per_s is row.fp32_flop_per_s is None) == []


ROUNDED_BY_THE_VENDOR = re.compile(r"Apple |H100 PCIe$|H200 SXM$|Instinct MI300X$")
"""Apple's 200 GB/s are 256 bits at 6.4 Gbit/s, 204.8; NVIDIA's 2 TB/s are 2.04."""


def test_bandwidth_is_width_times_rate() -> None:
    def agrees(row: Accelerator) -> bool:
        width, rate, total = row.bus_bits, row.pin_rate_bits_per_s, row.bandwidth_bytes_per_s
        close = 0.025 if ROUNDED_BY_THE_VENDOR.match(row.name) else 0.003
        return bool(width and rate and total) and abs((width or 0) * (rate or 0) / 8 / (total or 1) - 1) < close

    assert faults(agrees) == []


RATIOS = (
    (r"RTX (30|40|50)\d\d( Ti| SUPER| D)*( \d+GB)?$", 2.0),
    (r"RTX A\d|A40$|A10$|RTX \d000 Ada|RTX 4500 Ada|RTX PRO 6000|L40S$|L4$", 4.0),
    (r"L40$", 2.0),
    (r"RTX 20\d\d(?! Ada)", 4.0),
    (r"Quadro RTX|Tesla T4|Tesla V100|Instinct (MI100|MI2\d\d|MI300)", 8.0),
    (r"A100|A30$", 16.0),
    (r"H[12]00", 14.8),
    (r"Radeon (RX 6|RX 7|VII|PRO W7)|Instinct MI[56]0|Ryzen AI Max", 2.0),
    (r"Radeon (RX 9|AI PRO R9)", 4.0),
)
"""Dense half-precision arithmetic over single precision, by family. GeForce cards accumulate in 32 bits at half of the
rate of professional cards with the same chip; NVIDIA's data sheet of the L40 states half of the L40S."""


def test_half_precision_goes_with_the_family() -> None:
    """A figure with sparsity, with 16-bit accumulation or of another family is off by a factor of two and more."""

    def agrees(row: Accelerator) -> bool:
        if row.fp16_flop_per_s is None:
            return True
        ratios = [ratio for pattern, ratio in RATIOS if re.match(pattern, row.name)]
        return len(ratios) == 1 and within(row.fp16_flop_per_s / ratios[0] / (row.fp32_flop_per_s or 1), 0.98, 1.02)

    assert faults(agrees) == []
    assert sum(row.fp16_flop_per_s is not None for row in accelerators()) >= 90


def test_every_half_precision_figure_says_where_it_is_from() -> None:
    """A page that the whole row is from is not enough: it has the packed figure of a card with matrix units."""
    needs = (row for row in accelerators() if row.fp16_flop_per_s is not None)
    assert [row.name for row in needs if "fp16:" not in row.source] == []


def test_names_are_unique() -> None:
    names = [normalise(name) for row in accelerators() for name in (row.name, *row.aliases)]
    assert [name for name, times in Counter(names).items() if times > 1] == []


@pytest.mark.parametrize(
    ("driver_name", "row"),
    [
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "RTX 4090 Laptop GPU"),
        ("NVIDIA GeForce GTX 1060 6GB", "GTX 1060 6GB"),
        ("AMD Radeon RX 7900 XTX", "Radeon RX 7900 XTX"),
        ("Intel(R) Arc(TM) B580 Graphics", "Arc B580"),
        ("NVIDIA A100-SXM4-80GB", "A100 SXM4 80GB"),
        ("NVIDIA A100 80GB PCIe", "A100 80GB PCIe"),
        ("NVIDIA H100 80GB HBM3", "H100 SXM5 80GB"),
        ("NVIDIA GB10", "GB10"),
        ("AMD Radeon(TM) 8060S Graphics", "Ryzen AI Max+ 395"),
        ("Apple M4 Max (40-core GPU)", "Apple M4 Max (40-core GPU)"),
        ("Apple M1 (7-core GPU)", "Apple M1 (8-core GPU)"),
        ("Tesla V100-PCIE-16GB", "Tesla V100 PCIe 16GB"),
        ("rtx 3090 ti", "RTX 3090 Ti"),
    ],
)
def test_whole_names_are_found(driver_name: str, row: str) -> None:
    found = find(driver_name)
    assert found is not None and found.name == row


@pytest.mark.parametrize(
    "name",
    [
        "", "AMD Radeon(TM) Graphics", "Intel HD Graphics 4000|2158112768", "RTX 4090 Max-Q", "RTX 409", "RTX 40900",
        "NVIDIA GeForce RTX 3060", "NVIDIA GeForce RTX 4060 Ti", "Radeon AI PRO R9700 Laptop", "Apple M3 Max",
        "NVIDIA GeForce RTX 6090", "AMD Radeon 780M Graphics", "DDR5",
    ],
)  # fmt: skip
def test_nothing_is_guessed(name: str) -> None:
    """Case B13."""
    assert find(name) is None


def test_a_laptop_part_is_slower_than_its_desktop_namesake() -> None:
    laptop, desktop = find("RTX 4090 Laptop GPU"), find("RTX 4090")
    assert laptop is not None and desktop is not None
    assert (laptop.bandwidth_bytes_per_s, desktop.bandwidth_bytes_per_s) == (576e9, 1008e9)


HEADER = (
    "name,kind,vendor,memory_bytes,bandwidth_bytes_per_s,bus_bits,pin_rate_bits_per_s,fp32_flop_per_s,"
    "fp16_flop_per_s,launch_year,aliases,source,looked_up"
)


def test_blanks_are_none_and_faults_of_the_table_are_errors() -> None:
    (row,) = parse([HEADER, "X,dgpu,nvidia,,,,,,,2024,Y;Z,a page,2026-11-29"])
    assert (row.memory_bytes, row.bandwidth_bytes_per_s, row.aliases) == (None, None, ("Y", "Z"))
    for line in (
        "X,dgpu,nvidia,,,,,,,2024,,,2026-11-29",
        "X,spaceship,nvidia,,,,,,,2024,,a page,2026-11-29",
        "X,dgpu,nvidia,lots,,,,,,2024,,a page,2026-11-29",
    ):
        with pytest.raises(ValueError, match=r".+"):
            parse([HEADER, line])
