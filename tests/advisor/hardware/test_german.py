"""What is not known of a machine, and what stands out about it, in German; what is stored stays as it is."""

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.core.translation import ENGLISH, use
from advisor.hardware.asking import ask, unknown
from advisor.hardware.files import read_text
from advisor.hardware.findings import notes
from advisor.hardware.model import Gpu, MemoryModule
from advisor.hardware.probes import gpu_activity, nvml, virtualization
from advisor.hardware.probes.frequency import believable_max
from advisor.hardware.probes.virtualization import Traces
from advisor.hardware.usable import usable_threads
from tests.support.evidence import gpu, machine

NO_QUOTA = Unknown("none", Missing.NOT_APPLICABLE)


def known(value: object) -> Known:
    return Known(value, Basis.READ, "test")


CARD: Gpu = gpu("RTX 4090")


def test_reasons_of_unknown_facts(tmp_path: Path, german: None) -> None:
    missing = tmp_path / "none"
    assert read_text(missing) == Unknown(f"auf diesem System gibt es kein {missing}", Missing.NOT_SUPPORTED)
    assert believable_max(9.1e9, None, None, "test") == Unknown(
        "ein höchster Takt von 9,1 GHz ist unmöglich", Missing.FAILED
    )
    assert nvml.no_library().reason == "keine NVIDIA-Treiberbibliothek auf diesem Rechner"
    use(ENGLISH)
    assert nvml.no_library().reason == "no NVIDIA driver library on this machine"


def test_a_broken_probe_is_told_in_german_and_logged_in_english(
    german: None, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> Unknown:
        raise OSError("no such luck")

    assert ask("the graphics driver", broken, unknown).reason == (
        "Abfrage fehlgeschlagen: der Grafiktreiber (OSError: no such luck)"
    )
    assert "The probe for the graphics driver failed" in caplog.text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((2, 2, 2, 2, None, NO_QUOTA), "2 Kerne"),
        ((1, 1, 1, 1, None, NO_QUOTA), "1 Kern"),
        ((16, 8, 8, 4, None, NO_QUOTA), "Affinitätsmaske: 4 Kerne von 8"),
        ((20, 20, 20, 20, 8, NO_QUOTA), "8 Performance-Kerne, insgesamt 20 Kerne"),
        ((96, 96, None, None, None, known(7.65)), "cgroup-Quote von 7,65 CPUs"),
        ((192, 192, 192, 192, None, NO_QUOTA), "64 (192 Kerne): Mehr brachten die Engine schon zum Hängen"),
    ],
)
def test_which_limit_decided(arguments: tuple[object, ...], words: str, german: None) -> None:
    assert usable_threads(*arguments).because == words  # type: ignore[arg-type]


def test_what_stands_out(german: None) -> None:
    slow = replace(CARD, pcie_lanes=known(4), pcie_lanes_max=known(16), throttle_reasons=known(("power limit", "heat")))
    lanes, held = notes(machine(gpus=(slow,)))
    assert lanes.startswith("RTX 4090 ist nur über 4 der 16 PCI-Express-Lanes angebunden")
    assert held == "RTX 4090 drosselt gerade den Takt: Hitze."


def test_memory_below_its_rating(german: None) -> None:
    module = MemoryModule("P0 CHANNEL A", 2**34, known("DDR5"), known(5.6e9), known(4.8e9), known(64))
    other = replace(module, slot="P0 CHANNEL B")
    here = machine()
    (note,) = notes(replace(here, memory=replace(here.memory, modules=(module, other))))
    assert note.startswith("Der Speicher läuft mit 4800 MT/s und ist für 5600 MT/s ausgelegt")


def test_reasons_of_throttling_are_kept_in_english(german: None) -> None:
    """They are stored with results and looked through for faults; only who shows them translates."""
    assert "heat" in {words for _, words in nvml.THROTTLE_REASONS}
    assert {words for _, words in gpu_activity.HELD_DOWN} == {"hardware slowdown", "heat", "power brake"}


def test_containers_are_recognised_without_words(tmp_path: Path, german: None) -> None:
    assert virtualization.parse(Traces(docker_file=True), True).or_none() == (
        "Docker-Container in einer virtuellen Maschine"
    )
    (tmp_path / ".dockerenv").touch()
    assert virtualization.in_container(tmp_path)
    assert not virtualization.in_container(tmp_path / "elsewhere")
