"""What a PCIe slot carries; pure."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

LANE_BYTES_PER_S: Final[Mapping[int, float]] = MappingProxyType(
    {1: 0.25e9, 2: 0.5e9, 3: 0.985e9, 4: 1.969e9, 5: 3.938e9, 6: 7.56e9}
)
"""One lane after its encoding, by generation (PCI-SIG)."""

USABLE: Final = 0.8
"""What copies reach of it, headers and acknowledgements being on top."""

_SLOT: Final = re.compile(r"([1-6])(?:\.0)?\s*[x×]\s*(1|2|4|8|16)")


def slot_bytes_per_s(slot: str) -> float | None:
    """Usable bytes per second of "4x16", generation and lanes; None for anything else."""
    match = _SLOT.fullmatch(slot.strip().lower())
    return None if match is None else LANE_BYTES_PER_S[int(match[1])] * int(match[2]) * USABLE
