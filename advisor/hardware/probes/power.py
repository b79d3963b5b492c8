"""Power source and profile.

By hand: ``grep . /sys/class/power_supply/*/{type,online,status}``, ``powerprofilesctl``.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.hardware.files import text_or_empty
from advisor.hardware.model import Power

SOURCE: Final = "/sys/class/power_supply"

CHARGER_TYPES: Final = ("Mains", "USB", "Wireless")
"""Beginnings of the kernel's words for what feeds a computer ("USB_PD", "USB_C", ...)."""

PROFILE_FILES: Final = (
    "sys/firmware/acpi/platform_profile",
    "sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
)
"""Where a profile is written, most telling first: a governor called "powersave" is Intel's normal state."""


@dataclass(frozen=True, slots=True)
class Supply:
    """The texts of one folder of /sys/class/power_supply, "" where missing.

    Source: Documentation/ABI/testing/sysfs-class-power of the Linux kernel.
    """

    type: str
    online: str = ""
    status: str = ""
    scope: str = ""
    present: str = ""


def parse(supplies: Sequence[Supply]) -> Fact[bool]:
    """Whether the computer runs on its battery.

    Batteries and chargers of mice, pens and keyboards (scope "Device") do not count, nor does an empty bay; a computer
    without a battery is on mains.
    """
    own = [s for s in supplies if s.scope != "Device"]
    batteries = [s for s in own if s.type == "Battery" and s.present != "0"]
    chargers = [s for s in own if s.type.startswith(CHARGER_TYPES) and s.online in ("0", "1")]
    if not batteries:
        return Known(False, Basis.READ, tr("no battery in {source}", source=SOURCE))
    if any(charger.online == "1" for charger in chargers):
        return Known(False, Basis.READ, tr("{source}, a charger is online", source=SOURCE))
    states = {battery.status for battery in batteries}
    if "Discharging" in states:
        return Known(True, Basis.READ, tr("{source}, battery status", source=SOURCE))
    if "Charging" in states:
        return Known(False, Basis.READ, tr("{source}, battery status", source=SOURCE))
    if chargers:
        return Known(True, Basis.READ, tr("{source}, no charger is online", source=SOURCE))
    if states & {"Full", "Not charging"}:
        return Known(False, Basis.READ, tr("{source}, battery status", source=SOURCE))
    return Unknown(tr("the battery does not say whether it is in use"), Missing.NOT_SUPPORTED)


def read(root: Path = Path("/")) -> Power:
    """Power source and profile of this system; nothing is executed."""
    if sys.platform != "linux":
        return Power(
            _battery_by_psutil(), Unknown(tr("the power profile is not read on this system"), Missing.NOT_SUPPORTED)
        )
    base = root / "sys/class/power_supply"
    folders = sorted(base.iterdir()) if base.is_dir() else []
    names = ("type", "online", "status", "scope", "present")
    supplies = [Supply(*(text_or_empty(folder / name) for name in names)) for folder in folders]
    return Power(parse(supplies), _profile(root))


def _profile(root: Path) -> Fact[str]:
    for name in PROFILE_FILES:
        text = text_or_empty(root / name)
        if text:
            return Known(text, Basis.READ, f"/{name}")
    return Unknown(tr("the kernel shows no power profile"), Missing.NOT_SUPPORTED)


def _battery_by_psutil() -> Fact[bool]:
    import psutil

    battery = psutil.sensors_battery() if hasattr(psutil, "sensors_battery") else None
    if battery is None:
        return Known(False, Basis.READ, tr("psutil.sensors_battery finds no battery"))
    if battery.power_plugged is None:
        return Unknown(tr("the system does not say whether the charger is in"), Missing.NOT_SUPPORTED)
    return Known(not battery.power_plugged, Basis.READ, "psutil.sensors_battery")
