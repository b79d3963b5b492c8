"""What memory modules together amount to: channels, speed, theoretical bandwidth, and what is wrong with them; pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.hardware.model import MemoryModule

CHANNEL_BITS: Final = 64
"""The unit that people count: one DDR4 channel, or both halves of a DDR5 module."""

BELOW_RATED: Final = 0.97
"""Running speed ÷ rated speed below which it is worth a word: firmwares round 5600 to 5588 and the like."""

_NOT_COUNTED: Final = Unknown("the slots were not counted", Missing.NOT_YET)

_PROCESSOR: Final = re.compile(r"\b(?:CPU|PROC|P)\s?_?(\d)(?=\b|_)", re.IGNORECASE)
_CONTROLLER: Final = re.compile(r"CONTROLLER\s?(\d)", re.IGNORECASE)
_CHANNEL: Final = re.compile(r"CHAN(?:NEL)?[ _-]?([A-Z]\b|[A-Z](?=[-_ ])|\d)", re.IGNORECASE)
_LETTER: Final = re.compile(r"DIMM[ _-]?([A-P])\d?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Summary:
    """All modules together.

    Attributes:
        channels: 64-bit channels in use.
        running_transfers_per_s: the slowest module's.
        bytes_per_s: channels × 8 bytes × running speed.
    """

    channels: Fact[int]
    running_transfers_per_s: Fact[float]
    bytes_per_s: Fact[float]


def channel_of(slot: str) -> str | None:
    """What identifies the channel in a slot's name; None where the firmware's words do not say.

    "P0 CHANNEL A DIMM 1" and "P0 CHANNEL A DIMM 0" are the same, "Controller0-ChannelA" and "Controller1-ChannelA"
    are not.
    """
    channel = _CHANNEL.search(slot) or _LETTER.search(slot)
    controller = _CONTROLLER.search(slot)
    if channel is None and controller is None:
        return None
    processor = _PROCESSOR.search(slot)
    parts = (processor, controller, channel)
    return "/".join(match[1].upper() if match else "-" for match in parts)


def summarise(modules: Sequence[MemoryModule]) -> Summary:
    """Channels, speed and theoretical bandwidth; each unknown where the firmware's words do not give it."""
    if not modules:
        why = Unknown(tr("the system does not list its memory modules"), Missing.NOT_SUPPORTED)
        return Summary(why, why, why)
    channels = _channels(modules)
    speeds = [module.running_transfers_per_s for module in modules]
    known = [speed.value for speed in speeds if isinstance(speed, Known)]
    speed: Fact[float] = Unknown(tr("the firmware does not state the running speed"), Missing.NOT_SUPPORTED)
    if len(known) == len(modules):
        speed = Known(min(known), Basis.READ, tr("slowest module's configured speed"))
    if isinstance(channels, Unknown):
        return Summary(channels, speed, channels)
    if isinstance(speed, Unknown):
        return Summary(channels, speed, speed)
    rate = channels.value * CHANNEL_BITS // 8 * speed.value
    source = tr("{n} × 8 bytes × {speed} MT/s", n=channels.value, speed=format(speed.value / 1e6, ".0f"))
    return Summary(channels, speed, Known(rate, Basis.COMPUTED, source))


def may_take_another(modules: Sequence[MemoryModule], slots: Fact[int]) -> bool:
    """Whether a module may be added, or moved to another channel: none is soldered, and not every slot is taken."""
    soldered = any((module.kind.or_none() or "").startswith("LPDDR") for module in modules)
    return not soldered and not (isinstance(slots, Known) and slots.value <= len(modules))


def notes(modules: Sequence[MemoryModule], slots: Fact[int] = _NOT_COUNTED) -> tuple[str, ...]:
    """What is wrong with the modules, as sentences.

    Args:
        modules: populated slots.
        slots: that the board has, empty ones included.
    """
    found: list[str] = []
    soldered = any((module.kind.or_none() or "").startswith("LPDDR") for module in modules)
    room, channels = may_take_another(modules, slots), summarise(modules).channels.or_none()
    if len(modules) == 1 and channels == 1 and room:
        found.append(
            tr(
                "There is one memory module, so one channel works: a second, equal module about doubles the memory's "
                "bandwidth, and with it the speed of writing."
            )
        )
    elif len(modules) > 1 and channels == 1 and room:
        found.append(
            tr("All memory modules are in one channel: move one to the other channel's slot (see the board's manual).")
        )
    slow = [
        (module.running_transfers_per_s.value, module.rated_transfers_per_s.value)
        for module in modules
        if isinstance(module.running_transfers_per_s, Known) and isinstance(module.rated_transfers_per_s, Known)
    ]
    below = [(running, rated) for running, rated in slow if running < BELOW_RATED * rated]
    if below and not soldered:
        running, rated = below[0]
        found.append(
            tr(
                "The memory runs at {running} MT/s and is rated for {rated} MT/s: the profile (XMP or "
                "EXPO) is off in the firmware setup, or the board and processor do not allow more.",
                running=format(running / 1e6, ".0f"),
                rated=format(rated / 1e6, ".0f"),
            )
        )
    return tuple(found)


def _channels(modules: Sequence[MemoryModule]) -> Fact[int]:
    names = [channel_of(module.slot) for module in modules]
    widths = [module.width_bits.or_none() for module in modules]
    if len(modules) == 1 and widths[0] in (None, CHANNEL_BITS):
        return Known(1, Basis.READ, tr("one module"))
    if None not in widths and all(width is not None and width < CHANNEL_BITS for width in widths):
        return _narrow(modules, names)
    if any(name is None for name in names):
        return Unknown(tr("the slots' names do not say which channel they belong to"), Missing.NOT_SUPPORTED)
    if any(width is not None and width != CHANNEL_BITS for width in widths):
        return Unknown(tr("the modules have different widths"), Missing.NOT_SUPPORTED)
    return Known(len(set(names)), Basis.READ, tr("distinct channels in the slots' names"))


def _narrow(modules: Sequence[MemoryModule], names: Sequence[str | None]) -> Fact[int]:
    """Soldered packages of 16 or 32 bits: every distinct channel adds its width, as does every nameless package."""
    bits = 0
    seen: set[str] = set()
    for module, name in zip(modules, names, strict=True):
        place = name or module.slot or str(len(seen))
        if place not in seen:
            seen.add(place)
            bits += module.width_bits.or_none() or 0
    if bits % CHANNEL_BITS:
        return Unknown(
            tr("the packages add up to {bits} bits, which is no number of channels", bits=bits), Missing.NOT_SUPPORTED
        )
    return Known(bits // CHANNEL_BITS, Basis.COMPUTED, tr("{bits} bits of soldered packages", bits=bits))
