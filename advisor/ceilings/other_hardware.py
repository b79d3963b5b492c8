"""Decode and prefill of this model on a device of the accelerator table, as 80 % ranges from published measurements.

    decode   share = middle · ideal / (ideal / few bits + layers · time per layer) · factors   ideal = bytes / bandwidth
    prefill  share = middle · (ideal / reference)^slope · factors                           ideal = FLOP / arithmetic
    speed = tokens · share / ideal,   never above the vendor's own roofline

The shares are learnt by class of device (``efficiency.py``); the factors are what kinds of models lose or win against
a dense model in about 4 bits. ``docs/accuracy.md`` says how often the ranges held.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from advisor.ceilings.device_class import ceiling_flop_per_s, class_path, matrix_flop_per_s
from advisor.ceilings.efficiency import Efficiency, EfficiencyTable, Share, narrowest, shipped
from advisor.ceilings.roofline import DEFAULT_PROMPT, decode_ceiling, prefill_ceiling
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import bandwidth, count, percent
from advisor.core.translation import language, tr, trn
from advisor.gguf.traffic import Traffic
from advisor.hardware.catalog import Accelerator, Kind

ENGINE: Final = "llama.cpp"
"""The engine whose efficiencies are used unless another is named."""

EXPERTS: Final = "model/mixture of experts"
"""For decode seconds that every layer takes more, for prefill a factor."""

SIXTEEN_BITS: Final = "model/16-bit weights"
"""A factor."""

SIXTEEN_BITS_FROM: Final = 15.0

FEW_BITS: Final = 4.5
FEW_BITS_POWER: Final = 0.7
"""Below 4.5 bits decode's share falls as bits^0.7, so that speed hardly rises: fitted to llama.cpp's
tools/quantize/README.md, one 8B model on one GPU (Q4_K_S 76.7, Q3_K_M 71.7, Q2_K 79.9, IQ2_XXS 79.9 tokens/s),
read 2026-11-29."""

LAPTOP_LOW: Final = 0.5
"""A laptop's low end: one and the same laptop ran at 45 % (prefill) and 50 % (decode) of its best in its lowest power
profile (232.5 and 4.63 of 519.7 and 9.21 tokens/s), and notebook makers choose the power limit."""

REMEMBERED: Final = 512
"""Speeds kept: they follow from device and model alone, and the window asks for some thirty cards again whenever the
workload changes."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """What this machine's own history says: measured ÷ predicted on the same device, 1 where it has none.

    Attributes:
        decode, prefill: factors on the middle, above 0.
        spread: relative half-width to use in place of the class's; None keeps the class's.
    """

    decode: float = 1.0
    prefill: float = 1.0
    spread: float | None = None


@dataclass(frozen=True, slots=True)
class SpeedRange:
    """A speed between whose ends 80 of 100 such devices lie; ``0 < low <= middle <= high``, tokens/s."""

    low: float
    middle: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the range as a share of its middle."""
        return (self.high - self.low) / 2 / self.middle


NOTHING_LEARNT: Final = Learnt()


def decode_on(
    device: Accelerator, traffic: Traffic, *, depth: int = 0, engine: str = ENGINE, learnt: Learnt = NOTHING_LEARNT,
    table: EfficiencyTable | None = None,
) -> Fact[SpeedRange]:
    """Decode of one stream with the whole model on the device.

    Args:
        device: with its rated bandwidth.
        traffic: of the model.
        depth: tokens in the cache.
        engine: "llama.cpp" or another first part of the table's classes.
        learnt: this machine's own history.
        table: the shipped one unless given.
    """
    if table is None:
        return _decode_shipped(device, traffic, depth, engine, learnt, language())
    return _decode(device, traffic, depth, engine, learnt, table)


@lru_cache(maxsize=REMEMBERED)
def _decode_shipped(
    device: Accelerator, traffic: Traffic, depth: int, engine: str, learnt: Learnt, _spoken: str
) -> Fact[SpeedRange]:
    """Remembered for each language: sources and reasons are words."""
    return _decode(device, traffic, depth, engine, learnt, shipped())


def _decode(
    device: Accelerator, traffic: Traffic, depth: int, engine: str, learnt: Learnt, rows: EfficiencyTable
) -> Fact[SpeedRange]:
    rated = device.bandwidth_bytes_per_s
    if rated is None:
        return Unknown(tr("the table has no bandwidth for {device}", device=device.name), Missing.NOT_APPLICABLE)
    row = narrowest(rows, class_path(device, engine), Share.DECODE)
    step_bytes = traffic.step_bytes(1, depth)
    if row is None or step_bytes <= 0:
        return Unknown(tr("no published measurement of such a device"), Missing.NOT_APPLICABLE)
    bits, ideal_s = weight_bits(traffic), step_bytes / rated
    few = few_bits_loss(bits)
    more = few * fixed_times_loss(row.layer_s, layers_of(traffic), ideal_s / few) * learnt.decode
    low, middle, high = _shares(row, ideal_s, _factors(rows, traffic, Share.DECODE), more, learnt.spread)
    top = decode_ceiling(traffic, _known(rated), _ceiling_arithmetic(device, bits), 1, depth).or_none()
    step_s = ideal_s / low, ideal_s / middle, ideal_s / high
    routing = rows.get((EXPERTS, Share.DECODE)) if traffic.experts > 0 else None
    speeds = _range([1 / seconds for seconds in _with_experts(step_s, routing, layers_of(traffic))], device, top)
    source = tr(
        "{share} of {bandwidth}, {evidence}",
        share=percent(speeds.middle * step_bytes / rated), bandwidth=bandwidth(rated), evidence=_evidence(row),
    )  # fmt: skip
    return Known(speeds, Basis.ESTIMATED, source)


def prefill_on(
    device: Accelerator, traffic: Traffic, *, prompt: int = DEFAULT_PROMPT, depth: int = 0, engine: str = ENGINE,
    learnt: Learnt = NOTHING_LEARNT, table: EfficiencyTable | None = None,
) -> Fact[SpeedRange]:
    """Prefill of ``prompt`` tokens with the whole model on the device; the arguments are those of ``decode_on``.

    From the vendor's arithmetic or an Apple GPU's cores; where neither is known from the FLOP per byte of bandwidth
    that devices of its class reach, which is wider.
    """
    if table is None:
        return _prefill_shipped(device, traffic, prompt, depth, engine, learnt, language())
    return _prefill(device, traffic, prompt, depth, engine, learnt, table)


@lru_cache(maxsize=REMEMBERED)
def _prefill_shipped(
    device: Accelerator, traffic: Traffic, prompt: int, depth: int, engine: str, learnt: Learnt, _spoken: str
) -> Fact[SpeedRange]:
    return _prefill(device, traffic, prompt, depth, engine, learnt, shipped())


def _prefill(
    device: Accelerator, traffic: Traffic, prompt: int, depth: int, engine: str, learnt: Learnt, rows: EfficiencyTable
) -> Fact[SpeedRange]:
    path = class_path(device, engine)
    rated, share = matrix_flop_per_s(device), Share.PREFILL
    row = narrowest(rows, path, share) if rated is not None else None
    if row is None:
        rated, share = device.bandwidth_bytes_per_s, Share.PREFILL_BY_BANDWIDTH
        row = narrowest(rows, path, share)
    work = traffic.prefill_flop(prompt, depth)
    if rated is None or row is None or work <= 0:
        why = tr("neither arithmetic nor a published measurement is known for {device}", device=device.name)
        return Unknown(why, Missing.NOT_APPLICABLE)
    shares = _shares(row, work / rated, _factors(rows, traffic, Share.PREFILL), learnt.prefill, learnt.spread)
    bandwidth_fact: Fact[float] = Unknown(tr("not known"))
    if device.bandwidth_bytes_per_s is not None:
        bandwidth_fact = _known(device.bandwidth_bytes_per_s)
    arithmetic = _ceiling_arithmetic(device, weight_bits(traffic))
    top = prefill_ceiling(traffic, bandwidth_fact, arithmetic, prompt, depth).or_none()
    return Known(_range([share * prompt * rated / work for share in shares], device, top), Basis.ESTIMATED,
                 _evidence(row))


def weight_bits(traffic: Traffic) -> float:
    """Bits per weight of what one token uses."""
    return 8 * traffic.weight_bytes() / max(1, traffic.block_elements + traffic.head_elements)


def few_bits_loss(bits: float) -> float:
    """Factor on decode's share for weights of few bits; at most 1."""
    return math.pow(min(bits, FEW_BITS) / FEW_BITS, FEW_BITS_POWER)


def fixed_times_loss(layer_s: float, layers: int, reading_s: float) -> float:
    """Factor on decode's share for what every layer takes besides reading, which short steps cannot hide; at most 1."""
    return reading_s / (reading_s + layer_s * layers)


def layers_of(traffic: Traffic) -> int:
    """Layers that mix tokens, by attention or by a state."""
    return len(traffic.attention) + len(traffic.recurrent)


def _known(value: float) -> Known[float]:
    return Known(value, Basis.TABLE, tr("accelerator table"))


def _ceiling_arithmetic(device: Accelerator, bits: float) -> Fact[float]:
    flop_per_s = ceiling_flop_per_s(device, bits)
    return Unknown(tr("no vendor's figure"), Missing.NOT_APPLICABLE) if flop_per_s is None else _known(flop_per_s)


def _factors(table: EfficiencyTable, traffic: Traffic, share: Share) -> list[Efficiency]:
    names = [EXPERTS] if traffic.experts > 0 and share is not Share.DECODE else []
    if weight_bits(traffic) >= SIXTEEN_BITS_FROM:
        names.append(SIXTEEN_BITS)
    found = (table.get((name, share)) for name in names)
    return [row for row in found if row is not None]


def _shares(
    row: Efficiency, ideal_s: float, factors: list[Efficiency], more: float, spread: float | None
) -> tuple[float, float, float]:
    """Low, middle and high share; independent spreads add as squares of their logarithms."""
    middle = row.middle * (ideal_s / row.reference_s) ** row.slope * more
    for factor in factors:
        middle *= factor.middle
    if spread is not None:
        return middle * (1 - spread), middle, middle * (1 + spread)
    down = math.hypot(*(math.log(part.middle / part.low) for part in (row, *factors)))
    up = math.hypot(*(math.log(part.high / part.middle) for part in (row, *factors)))
    return middle * math.exp(-down), middle, middle * math.exp(up)


def _with_experts(step_s: tuple[float, float, float], row: Efficiency | None, layers: int) -> tuple[float, ...]:
    """Longest, middle and shortest step with the time that choosing and gathering experts takes in every layer."""
    if row is None:
        return step_s
    longest, middle, shortest = step_s
    extra = row.middle * layers
    whole = middle + extra
    up = math.hypot(longest - middle, (row.high - row.middle) * layers)
    down = math.hypot(middle - shortest, extra - row.low * layers)
    return whole + up, whole, max(whole - down, shortest)


def _range(speeds: list[float], device: Accelerator, top: float | None) -> SpeedRange:
    """The three speeds, kept under the vendor's roofline; a laptop's low end is that of its lowest power limit."""
    low, middle, high = speeds if top is None else (min(speed, top) for speed in speeds)
    return SpeedRange(low * LAPTOP_LOW if device.kind is Kind.LAPTOP else low, middle, high)


def _evidence(row: Efficiency) -> str:
    kind = row.name.split("/", 1)[-1]
    devices = trn("{n}\u00a0device", "{n}\u00a0devices", row.devices, n=count(row.devices))
    return trn(
        "from {n}\u00a0published measurement on {devices} ({kind})",
        "from {n}\u00a0published measurements on {devices} ({kind})",
        row.rows, n=count(row.rows), devices=devices, kind=kind,
    )  # fmt: skip
