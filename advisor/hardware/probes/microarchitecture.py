"""The design behind a processor's name, from vendor, family and model number.

The numbers are tried first because they stay true in a virtual machine that hides some of its processor's
extensions, where a list of extensions only says "x86-64-v4". What is newer than the list below is left to archspec, a
library that its own maintainers keep up. By hand: ``lscpu`` (CPU family, Model).
Source: arch/x86/include/asm/intel-family.h and arch/x86/kernel/cpu/amd.c of the Linux kernel.
"""

import re
from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import marked, tr

INTEL: Final = {
    0x25: "Westmere", 0x2C: "Westmere", 0x1A: "Nehalem", 0x1E: "Nehalem", 0x2E: "Nehalem",
    0x2A: "Sandy Bridge", 0x2D: "Sandy Bridge", 0x3A: "Ivy Bridge", 0x3E: "Ivy Bridge",
    0x3C: "Haswell", 0x3F: "Haswell", 0x45: "Haswell", 0x46: "Haswell",
    0x3D: "Broadwell", 0x47: "Broadwell", 0x4F: "Broadwell", 0x56: "Broadwell",
    0x4E: "Skylake", 0x5E: "Skylake", 0x55: marked("Skylake-SP or a successor"),
    0x8E: marked("Kaby Lake or a successor"), 0x9E: marked("Kaby Lake or a successor"),
    0xA5: "Comet Lake", 0xA6: "Comet Lake", 0x66: "Cannon Lake",
    0x6A: "Ice Lake-SP", 0x6C: "Ice Lake-D", 0x7D: "Ice Lake", 0x7E: "Ice Lake", 0xA7: "Rocket Lake",
    0x8C: "Tiger Lake", 0x8D: "Tiger Lake", 0x8F: "Sapphire Rapids", 0xCF: "Emerald Rapids",
    0xAD: "Granite Rapids", 0xAE: "Granite Rapids", 0xAF: "Sierra Forest",
    0x8A: "Lakefield", 0x97: "Alder Lake", 0x9A: "Alder Lake", 0xBE: "Alder Lake-N",
    0xB7: "Raptor Lake", 0xBA: "Raptor Lake", 0xBF: "Raptor Lake",
    0xAA: "Meteor Lake", 0xAC: "Meteor Lake", 0xC5: "Arrow Lake", 0xC6: "Arrow Lake", 0xB5: "Arrow Lake",
    0xBD: "Lunar Lake", 0xCC: "Panther Lake",
    0x37: "Silvermont", 0x4C: "Airmont", 0x5C: "Goldmont", 0x7A: "Goldmont Plus",
    0x96: "Tremont", 0x9C: "Tremont",
}  # fmt: skip
"""Model of family 6 -> design."""

AMD: Final = (
    (0x15, 0x00, 0x01, "Bulldozer"),
    (0x15, 0x02, 0x02, "Piledriver"),
    (0x15, 0x10, 0x1F, "Piledriver"),
    (0x15, 0x30, 0x3F, "Steamroller"),
    (0x15, 0x60, 0x7F, "Excavator"),
    (0x16, 0x00, 0x0F, "Jaguar"),
    (0x17, 0x00, 0x07, "Zen"),
    (0x17, 0x08, 0x08, "Zen+"),
    (0x17, 0x10, 0x17, "Zen"),
    (0x17, 0x18, 0x18, "Zen+"),
    (0x17, 0x20, 0x2F, "Zen"),
    (0x17, 0x30, 0x4F, "Zen 2"),
    (0x17, 0x60, 0x7F, "Zen 2"),
    (0x17, 0x90, 0x91, "Zen 2"),
    (0x17, 0xA0, 0xAF, "Zen 2"),
    (0x19, 0x00, 0x0F, "Zen 3"),
    (0x19, 0x10, 0x1F, "Zen 4"),
    (0x19, 0x20, 0x3F, "Zen 3"),
    (0x19, 0x40, 0x4F, "Zen 3+"),
    (0x19, 0x50, 0x5F, "Zen 3"),
    (0x19, 0x60, 0xAF, "Zen 4"),
    (0x1A, 0x00, 0x4F, "Zen 5"),
    (0x1A, 0x60, 0x7F, "Zen 5"),
)
"""(family, first model, last model, design), models inclusive."""

_IDENTIFIER: Final = re.compile(r"Family (\d+) Model (\d+)")


@dataclass(frozen=True, slots=True)
class Identity:
    """What identifies a processor's design.

    Attributes:
        vendor: "GenuineIntel", "AuthenticAMD", ...; "" where unknown.
        family: display family, the extended part added; −1 where unknown.
        model: display model; −1 where unknown.
        flags: extensions in the kernel's spelling, for the library.
        source: where these were read.
    """

    vendor: str
    family: int
    model: int
    flags: frozenset[str] = frozenset()
    source: str = "/proc/cpuinfo, cpu family and model"


def parse_cpuinfo(text: str) -> Identity:
    """The identity of the first processor in the text of /proc/cpuinfo."""
    fields: dict[str, str] = {}
    for line in text.split("\n\n", 1)[0].splitlines():
        key, colon, value = line.partition(":")
        if colon:
            fields.setdefault(key.strip(), value.strip())
    return Identity(
        fields.get("vendor_id", ""),
        _number(fields.get("cpu family", "")),
        _number(fields.get("model", "")),
        frozenset(fields.get("flags", "").split()),
    )


def parse_windows_identifier(vendor: object, identifier: object) -> Identity:
    """The identity in the registry's values ("AuthenticAMD", "AMD64 Family 25 Model 97 Stepping 2")."""
    match = _IDENTIFIER.search(identifier) if isinstance(identifier, str) else None
    numbers = (int(match[1]), int(match[2])) if match else (-1, -1)
    return Identity(vendor if isinstance(vendor, str) else "", *numbers, source="registry, Identifier")


def name(identity: Identity) -> Fact[str]:
    """The design's name; unknown for processors that neither the list nor the library knows."""
    if identity.vendor == "GenuineIntel" and identity.family == 6 and identity.model in INTEL:
        return Known(tr(INTEL[identity.model]), Basis.READ, identity.source)
    if identity.vendor in ("AuthenticAMD", "HygonGenuine"):
        for family, first, last, design in AMD:
            if identity.family == family and first <= identity.model <= last:
                return Known(design, Basis.READ, identity.source)
    if identity.vendor and identity.flags:
        return _by_library(identity)
    return Unknown(tr("the processor's family and model are not stated"), Missing.NOT_SUPPORTED)


def _by_library(identity: Identity) -> Fact[str]:
    """The most specific design in archspec's list whose vendor is right and whose extensions are all there."""
    numbers = tr(
        "family {family}, model {model} of {vendor}",
        family=identity.family,
        model=identity.model,
        vendor=identity.vendor,
    )
    unknown = Unknown(tr("{numbers} is not in the list", numbers=numbers), Missing.NOT_SUPPORTED)
    try:
        from archspec.cpu import TARGETS  # 15 ms, only for processors newer than the list
    except ImportError:
        return unknown
    fitting = [
        target
        for target in TARGETS.values()
        if target.vendor == identity.vendor and target.features and set(target.features) <= identity.flags
    ]
    if not fitting:
        return unknown
    best = max(fitting, key=lambda target: (len(target.ancestors), len(target.features)))
    return Known(
        tr("{design} or newer", design=str(best.name).replace("_", " ")),
        Basis.ESTIMATED,
        tr("archspec, from the extensions"),
    )


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else -1
