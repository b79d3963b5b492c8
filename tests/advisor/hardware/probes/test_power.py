import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.core.evidence import Unknown
from advisor.hardware.probes.power import Supply, parse, read

BATTERY_OUT, BATTERY_IN = Supply("Battery", status="Discharging"), Supply("Battery", status="Charging")
MAINS_IN, MAINS_OUT = Supply("Mains", online="1"), Supply("Mains", online="0")
USB_IN, USB_OUT = Supply("USB", online="1"), Supply("USB", online="0")
MOUSE = Supply("Battery", status="Discharging", scope="Device")


@pytest.mark.parametrize(
    ("supplies", "on_battery"),
    [
        pytest.param((), False, id="desktop"),
        pytest.param((MOUSE,), False, id="desktop with a mouse"),
        pytest.param((USB_OUT,), False, id="desktop with a USB-C port"),
        pytest.param((MAINS_OUT, BATTERY_OUT), True, id="unplugged"),
        pytest.param((MAINS_IN, BATTERY_IN), False, id="charging"),
        pytest.param((MAINS_IN, BATTERY_OUT), False, id="charger too weak"),
        pytest.param((MAINS_OUT, USB_IN, Supply("Battery", status="Full")), False, id="USB-C charger"),
        pytest.param((MAINS_OUT, BATTERY_OUT, Supply("Battery", status="Not charging")), True, id="two batteries"),
        pytest.param((MAINS_OUT, Supply("Battery", status="Unknown")), True, id="silent battery, unplugged"),
        pytest.param((BATTERY_OUT,), True, id="no charger shown"),
        pytest.param((Supply("Mains", online="1", scope="Device"), MAINS_OUT, BATTERY_OUT), True, id="a tablet's plug"),
        pytest.param((Supply("USB", online="1", scope="Device"), BATTERY_OUT), True, id="a mouse that charges"),
        pytest.param((MAINS_OUT, Supply("Battery", status="Unknown", present="0")), False, id="an empty bay"),
        pytest.param((Supply("Battery", status="Unknown", present="0"), BATTERY_OUT), True, id="one of two bays"),
        pytest.param((BATTERY_IN, USB_OUT), False, id="charging by a way that is not shown"),
        pytest.param((Supply("Battery", status="Full"),), False, id="full, no charger shown"),
        pytest.param((Supply("Battery", status="Unknown"),), None, id="silent battery"),
        pytest.param((Supply(""), Supply("Battery", status="")), None, id="unreadable"),
    ],
)
def test_on_battery(supplies: tuple[Supply, ...], on_battery: bool | None) -> None:
    assert parse(supplies).or_none() is on_battery


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's files")
def test_the_firmware_profile_says_more_than_the_governor(plant: Callable[[dict[str, str]], Path]) -> None:
    governor = {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n"}
    assert read(plant(governor)).profile.or_none() == "powersave"
    assert read(plant({"/sys/firmware/acpi/platform_profile": "performance\n"})).profile.or_none() == "performance"


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's files")
def test_no_profile(plant: Callable[[dict[str, str]], Path]) -> None:
    assert isinstance(read(plant({})).profile, Unknown)
