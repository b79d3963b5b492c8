"""Level-2 and last-level caches from Linux's sysfs. By hand: ``lscpu --caches``."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.core.units import GIB, KIB, MIB
from advisor.hardware.files import text_or_empty

SOURCE: Final = "/sys/devices/system/cpu/cpu*/cache"

_SIZE: Final = re.compile(r"(\d+)([KMG]?)")
_UNIT: Final = {"": 1, "K": KIB, "M": MIB, "G": GIB}


@dataclass(frozen=True, slots=True)
class CacheFiles:
    """The texts of one ``cache/indexN`` folder."""

    level: str
    size: str
    shared_cpu_list: str


def parse_size(text: str) -> int | None:
    """Bytes of a kernel cache size such as "32768K"; None for anything else and for 0."""
    match = _SIZE.fullmatch(text.strip())
    return int(match[1]) * _UNIT[match[2]] or None if match else None


def parse(caches: Iterable[CacheFiles], level: int = 3) -> Fact[int]:
    """Bytes of all caches of a level together, each counted once however many CPUs share it."""
    sizes: dict[str, int] = {}
    for cache in caches:
        size = parse_size(cache.size)
        if cache.level.strip() == str(level) and size is not None:
            sizes[cache.shared_cpu_list.strip()] = size
    if not sizes:
        return Unknown(tr("the kernel shows no level-{level} cache", level=level), Missing.NOT_SUPPORTED)
    return Known(sum(sizes.values()), Basis.READ, SOURCE)


def read(root: Path = Path("/"), level: int = 3) -> Fact[int]:
    """Bytes of this system's caches of a level, 2 or 3.

    Both have the index of their level: 0 and 1 are the two halves of level 1.
    """
    folders = sorted((root / "sys/devices/system/cpu").glob(f"cpu[0-9]*/cache/index{level}"))
    files = (
        CacheFiles(
            text_or_empty(folder / "level"),
            text_or_empty(folder / "size"),
            text_or_empty(folder / "shared_cpu_list"),
        )
        for folder in folders
    )
    return parse(files, level)
