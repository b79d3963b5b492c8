"""Which of the machine's GPUs an engine's device is; pure, on plain data."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Known
from advisor.hardware.model import Gpu

_PCI: Final = re.compile(r"(?:[0-9a-f]{1,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", re.IGNORECASE)
_ASIDE: Final = re.compile(r"\([^)]*\)")
"""What drivers add in parentheses: "(R)", "(TM)", "(RADV NAVI31)"."""

_FILLER: Final = re.compile(r"\b(?:nvidia|geforce|graphics)\b|[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class EngineDeviceKey:
    """What an engine says about one of its devices.

    Attributes:
        description: the device's name in words.
        identity: PCI address ("0000:01:00.0") or UUID ("GPU-6d0e…"), "" where the engine states neither.
    """

    description: str
    identity: str = ""


def match(gpus: Sequence[Gpu], devices: Sequence[EngineDeviceKey]) -> tuple[int | None, ...]:
    """For each engine device the index of its GPU, or None.

    By UUID or PCI address; by name only where both sides have that name exactly once, since two equal cards cannot be
    told apart and a wrong pairing is worse than none. A GPU whose address is known is never given to a device with
    another one, whatever their names. A GPU is given away once.
    """
    found: list[int | None] = [_by_identity(gpus, device.identity) for device in devices]
    taken = {index for index in found if index is not None}
    names = [_plain(gpu.name.or_none() or "") for gpu in gpus]
    descriptions = [_plain(device.description) for device in devices]
    gpu_counts, device_counts = Counter(names), Counter(descriptions)
    for position, (device, description) in enumerate(zip(devices, descriptions, strict=True)):
        if found[position] is not None or not description:
            continue
        if gpu_counts[description] == 1 and device_counts[description] == 1:
            index = names.index(description)
            if index not in taken and not (device.identity and _has_identity(gpus[index])):
                taken.add(index)
                found[position] = index
    return tuple(found)


def normalise_pci(text: str) -> str | None:
    """A PCI address with a four-digit domain, lower case; None for anything else."""
    text = text.strip().lower()
    if not _PCI.fullmatch(text):
        return None
    parts = text.rsplit(":", 2)
    domain = parts[0] if len(parts) == 3 else "0"
    return f"{domain.lstrip('0').zfill(4)}:{parts[-2]}:{parts[-1]}"


def _has_identity(gpu: Gpu) -> bool:
    return isinstance(gpu.pci_id, Known) or isinstance(gpu.uuid, Known)


def _by_identity(gpus: Sequence[Gpu], identity: str) -> int | None:
    address, uuid = normalise_pci(identity), identity.strip().lower().removeprefix("gpu-")
    if not uuid:
        return None
    for index, gpu in enumerate(gpus):
        if address is not None and normalise_pci(gpu.pci_id.or_none() or "") == address:
            return index
        if address is None and (gpu.uuid.or_none() or "").lower().removeprefix("gpu-") == uuid:
            return index
    return None


def _plain(name: str) -> str:
    return " ".join(_FILLER.sub(" ", _ASIDE.sub(" ", name.lower())).split())
