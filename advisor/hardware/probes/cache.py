"""Last-level cache from Linux's sysfs. By hand: ``lscpu --caches``."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
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


def parse(caches: Iterable[CacheFiles]) -> Fact[int]:
    """Bytes of all level-3 caches together, each counted once however many CPUs share it."""
    sizes: dict[str, int] = {}
    for cache in caches:
        size = parse_size(cache.size)
        if cache.level.strip() == "3" and size is not None:
            sizes[cache.shared_cpu_list.strip()] = size
    if not sizes:
        return Unknown("the kernel shows no level-3 cache", Missing.NOT_SUPPORTED)
    return Known(sum(sizes.values()), Basis.READ, SOURCE)


def read(root: Path = Path("/")) -> Fact[int]:
    """Bytes of this system's level-3 caches."""
    folders = sorted((root / "sys/devices/system/cpu").glob("cpu[0-9]*/cache/index3"))
    return parse(
        CacheFiles(
            text_or_empty(folder / "level"),
            text_or_empty(folder / "size"),
            text_or_empty(folder / "shared_cpu_list"),
        )
        for folder in folders
    )
