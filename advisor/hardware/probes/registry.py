"""CPU facts of Windows from the registry and the kernel. By hand: ``wmic cpu get name``."""

import sys
from collections.abc import Callable
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr

KEY: Final = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"

FEATURES: Final = {19: "neon", 38: "sse4_2", 39: "avx", 40: "avx2", 41: "avx512f", 43: "dotprod"}
"""Argument of IsProcessorFeaturePresent -> name.

Source: https://learn.microsoft.com/windows/win32/api/processthreadsapi/nf-processthreadsapi-isprocessorfeaturepresent
"""


def parse_name(value: object) -> Fact[str]:
    """The processor's name from the registry's value, whose padding is removed."""
    name = " ".join(value.split()) if isinstance(value, str) else ""
    if not name:
        return Unknown(tr("the registry does not name the processor"), Missing.NOT_SUPPORTED)
    return Known(name, Basis.READ, f"registry, {KEY}")


def parse_features(is_present: Callable[[int], bool]) -> tuple[str, ...]:
    """Sorted names of the extensions for which the kernel says yes; it knows only a few of them."""
    return tuple(sorted(name for number, name in FEATURES.items() if is_present(number)))


def read_name() -> Fact[str]:
    """The processor's name; unknown on other systems."""
    if sys.platform == "win32":
        import winreg

        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, KEY) as key:
            return parse_name(winreg.QueryValueEx(key, "ProcessorNameString")[0])
    return Unknown(tr("this is not Windows"), Missing.NOT_APPLICABLE)


def read_identity() -> tuple[object, object]:
    """(vendor, identifier) as Windows writes them ("AMD64 Family 25 Model 97 Stepping 2"); empty texts elsewhere."""
    if sys.platform == "win32":
        import winreg

        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, KEY) as key:
            return winreg.QueryValueEx(key, "VendorIdentifier")[0], winreg.QueryValueEx(key, "Identifier")[0]
    return "", ""


def read_extensions() -> tuple[str, ...]:
    """Extensions that Windows reports; empty on other systems."""
    if sys.platform == "win32":
        import ctypes

        return parse_features(lambda number: bool(ctypes.windll.kernel32.IsProcessorFeaturePresent(number)))
    return ()
