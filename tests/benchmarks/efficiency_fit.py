"""Learns ``resources/efficiency.csv`` from published rows: medians and 80 % ranges by class, few parameters.

A class's middle is the median over its devices, drawn to the broader class's by one device's worth. Its range is how
far devices lay from the middle of the others of their class, drawn to what is usual in its kind of device (a class of
three knows little about its spread). What short steps lose is one figure per kind of device, learnt from llama.cpp's
dense rows: for decode a fixed time per layer, for prefill a slope.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from advisor.ceilings.device_class import class_path, matrix_flop_per_s
from advisor.ceilings.efficiency import Efficiency, EfficiencyTable, Share, narrowest, table_of
from advisor.ceilings.other_hardware import (
    ENGINE,
    EXPERTS,
    SIXTEEN_BITS,
    SIXTEEN_BITS_FROM,
    few_bits_loss,
    fixed_times_loss,
    layers_of,
    weight_bits,
)
from advisor.core.stats import median
from tests.support.published import Measured

REFERENCE_S = {Share.DECODE: 1.0, Share.PREFILL: 0.05, Share.PREFILL_BY_BANDWIDTH: 1.0}
"""For prefill an ideal step that lies amid the data, 7 TFLOP at 140 TFLOP/s; the others have no slope."""

PULL_CENTRE = 1.0
"""Devices: of one architecture they differ by some 10 %, architectures by 25 %, so that few devices say much."""

PULL_SPREAD = 1.0
COVERED = 0.8
AIMED = 0.78
"""Quantile of the distances from the others of a class; not 0.8, since ``_unsure`` and the pull widen some classes.

With 0.76 the rows of three devices in ten left out at once, which is harder, are covered at 76 % in place of 78 %; with
0.8 the ranges of first-hand rows grow wider than ±24 %. What is chosen by looking at left-out rows makes them no longer
new to the fit, so that less coverage is to be expected of others.
"""

LEAST_SPREAD = 0.1
"""Machines and builds with one and the same device differ by about so much (RX 7900 XTX, rows S0527 and
S0758: 13 %), so that a narrower agreement of a few devices is chance."""

DEFAULT_SLOPE = 0.15
DEFAULT_LAYER_S = 60e-6
"""Kinds of fewer than five devices: between NVIDIA's and AMD's, and what a GB10 shows (55 to 70 µs)."""

SLOPE_DEVICES = 5
LEAST_APART = 0.2
"""Logarithm of the ratio of two ideal steps that say something about a slope."""


@dataclass(frozen=True)
class Point:
    """One row as a logarithm of its share."""

    path: tuple[str, ...]
    identity: str
    ideal: float
    log_share: float
    experts: bool
    sixteen_bits: bool
    layers: int

    @property
    def plain(self) -> bool:
        return not self.experts and not self.sixteen_bits

    @property
    def lengthened(self) -> float:
        """Times the ideal step."""
        return math.exp(-self.log_share)

    @property
    def layers_per_s(self) -> float:
        return self.layers / self.ideal

    @property
    def kind(self) -> str:
        return self.path[1].split("/")[1] if len(self.path) > 1 else ""


Points = Mapping[Share, Sequence[Point]]
Level = Callable[[Point], float]


def points_of(rows: Iterable[Measured]) -> Points:
    """What can be learnt from: rows with speed, sizes and the device's figure."""
    held = list(rows)
    return {share: [point for point in (_point(row, share) for row in held) if point] for share in Share}


def without(points: Points, identity: str) -> Points:
    """The same, one device left out."""
    return {share: [point for point in known if point.identity != identity] for share, known in points.items()}


def fit(points: Points) -> EfficiencyTable:
    """The whole table. What kinds of models do to prefill is learnt from the bandwidth's points, which are more."""
    table: list[Efficiency] = []
    for share, known in points.items():
        shorts = _layer_times(known) if share is Share.DECODE else _slopes(known, share)
        level = _level(shorts, share)
        classes = _classes([point for point in known if point.plain], level, shorts, share)
        models = _models(known, table_of(classes), level, share)
        if share is Share.PREFILL_BY_BANDWIDTH:
            models += [replace(model, share=Share.PREFILL) for model in models]
        table += classes if share is Share.PREFILL else [*classes, *models]
    return table_of(table)


def _point(row: Measured, share: Share) -> Point | None:
    if row.traffic is None or not row.fits:
        return None
    if share is Share.DECODE:
        speed, rated, work = row.decode, row.device.bandwidth_bytes_per_s, row.traffic.step_bytes(1, 0)
    else:
        speed, work = row.prefill, row.traffic.prefill_flop(row.prompt) / row.prompt
        rated = matrix_flop_per_s(row.device) if share is Share.PREFILL else row.device.bandwidth_bytes_per_s
    if speed is None or rated is None:
        return None
    ideal = work / rated * (1 if share is Share.DECODE else row.prompt)
    bits = weight_bits(row.traffic)
    loss = few_bits_loss(bits) if share is Share.DECODE else 1.0
    return Point(
        class_path(row.device, row.engine), row.identity, ideal / loss, math.log(speed * work / rated / loss),
        row.traffic.experts > 0 or not row.shape_known, bits >= SIXTEEN_BITS_FROM, layers_of(row.traffic),
    )  # fmt: skip


def _slopes(known: Sequence[Point], share: Share) -> Mapping[str, float]:
    """By kind of device: the middle of the slopes between pairs of rows of one narrowest class (Theil-Sen)."""
    if share is Share.PREFILL_BY_BANDWIDTH:
        return defaultdict(float)
    slopes: dict[str, float] = defaultdict(lambda: DEFAULT_SLOPE)
    for kind in {point.kind for point in known}:
        members = [p for p in known if p.kind == kind and p.path[0] == ENGINE and not p.experts]
        pairs = [
            ((b.log_share - a.log_share) / math.log(b.ideal / a.ideal), abs(math.log(b.ideal / a.ideal)))
            for i, a in enumerate(members) for b in members[i + 1:]
            if a.path == b.path and abs(math.log(b.ideal / a.ideal)) > LEAST_APART
        ]  # fmt: skip
        if len(_devices(members)) >= SLOPE_DEVICES and pairs:
            slopes[kind] = max(0.0, _quantile(pairs, 0.5))
    return slopes


def _layer_times(known: Sequence[Point]) -> Mapping[str, float]:
    """By kind of device: the middle of the slopes of (step ÷ ideal) over (layers ÷ ideal) between rows of one class.

    As a share of the reading's: what ``fixed_times_loss`` adds to the ideal step.
    """
    times: dict[str, float] = defaultdict(lambda: DEFAULT_LAYER_S)
    for kind in {point.kind for point in known}:
        members = [p for p in known if p.kind == kind and p.path[0] == ENGINE and p.plain and p.layers]
        pairs = [
            ((b.lengthened - a.lengthened) / (b.layers_per_s - a.layers_per_s), abs(b.layers_per_s - a.layers_per_s))
            for i, a in enumerate(members) for b in members[i + 1:]
            if a.path == b.path and abs(math.log(b.layers_per_s / a.layers_per_s)) > LEAST_APART
        ]  # fmt: skip
        if len(_devices(members)) >= SLOPE_DEVICES and pairs:
            each = max(0.0, _quantile(pairs, 0.5))
            reading = median([point.lengthened - each * point.layers_per_s for point in members])
            times[kind] = each / max(1.0, reading)
    return times


def _level(shorts: Mapping[str, float], share: Share) -> Level:
    """The logarithm of a point's share, moved to the reference step, or to a step without layers' fixed times."""
    if share is Share.DECODE:
        return lambda point: point.log_share - math.log(
            fixed_times_loss(shorts[point.kind], point.layers, point.ideal)
        )
    return lambda point: point.log_share - shorts[point.kind] * math.log(point.ideal / REFERENCE_S[share])


def _classes(plain: Sequence[Point], level: Level, shorts: Mapping[str, float], share: Share) -> list[Efficiency]:
    names = sorted({name for point in plain for name in point.path}, key=lambda name: (name.count("/"), name))
    members = {name: [point for point in plain if name in point.path] for name in names}
    centres: dict[str, float] = {}
    off: dict[str, list[tuple[Point, float]]] = {}
    """How far each device is from its class's centre without it."""
    for name in names:
        above = centres.get(_above(name))
        centres[name] = _centre(members[name], level, above)
        off[name] = _distances(members[name], level, above)
    rows = []
    for name in names:
        among = [other for other in names if _above(other) == _above(name) and len(_devices(members[other])) > 1]
        pool = [pair for other in among for pair in off[other]]
        if name.count("/") < 2 or not pool:  # of an architecture never seen, all architectures of the kind tell
            pool = off[_above(name) or name]
        spread = _spread(pool)
        devices = len(_devices(members[name]))
        if devices > 1:
            own = max(_spread(off[name]), LEAST_SPREAD)
            spread = math.exp((devices * math.log(own) + PULL_SPREAD * math.log(spread)) / (devices + PULL_SPREAD))
        wide = spread * _unsure(devices)
        kind = name.split("/")[1] if "/" in name else ""
        short = shorts[kind] if kind else DEFAULT_LAYER_S if share is Share.DECODE else DEFAULT_SLOPE
        slope, layer_s = (0.0, short) if share is Share.DECODE else (short, 0.0)
        ends = (math.exp(centres[name] + off_by) for off_by in (0.0, -wide, wide))
        rows.append(Efficiency(name, share, *ends, slope, REFERENCE_S[share], layer_s, len(members[name]), devices))
    return rows


def _above(name: str) -> str:
    return name.rpartition("/")[0]


def _devices(members: Iterable[Point]) -> set[str]:
    return {point.identity for point in members}


def _centre(members: Sequence[Point], level: Level, above: float | None) -> float:
    devices = len(_devices(members))
    if not devices:
        return above if above is not None else 0.0
    own = _weighted(members, level, 0.5)
    return own if above is None else (devices * own + PULL_CENTRE * above) / (devices + PULL_CENTRE)


def _distances(members: Sequence[Point], level: Level, above: float | None) -> list[tuple[Point, float]]:
    """Of each point from the centre of the other devices."""
    found = []
    for identity in _devices(members):
        centre = _centre([point for point in members if point.identity != identity], level, above)
        found += [(point, abs(level(point) - centre)) for point in members if point.identity == identity]
    return found


def _spread(distances: Sequence[tuple[Point, float]]) -> float:
    times = Counter(point.identity for point, _ in distances)
    return _quantile([(value, 1 / times[point.identity]) for point, value in distances], AIMED)


def _unsure(devices: int) -> float:
    """Wider where the middle itself rests on one or two devices: 1.41, 1.12, 1.05 …"""
    return math.sqrt(1 + 1 / devices**2)


def _models(known: Sequence[Point], classes: EfficiencyTable, level: Level, share: Share) -> list[Efficiency]:
    """What experts and 16-bit weights do, beside the same device's other rows or else its class's middle."""
    own: dict[tuple[str, str], list[float]] = defaultdict(list)
    for point in known:
        if point.plain:
            own[point.path[0], point.identity].append(level(point))

    def expected(point: Point) -> float:
        """Logarithm of the share of a dense quantised model on the same device at the same ideal step."""
        row = narrowest(classes, point.path, share)
        assert row is not None
        same_device = own.get((point.path[0], point.identity))
        middle = median(same_device) if same_device else math.log(row.middle)
        return middle + point.log_share - level(point)

    def ratio(point: Point) -> float:
        return point.log_share - expected(point)

    def extra_s(point: Point) -> float:
        took, dense = point.ideal / math.exp(point.log_share), point.ideal / math.exp(expected(point))
        return (took - dense) / point.layers

    from_engine = [point for point in known if point.path[0] == ENGINE]
    experts = [point for point in from_engine if point.experts and not point.sixteen_bits]
    sixteen = [point for point in from_engine if point.sixteen_bits and not point.experts]
    rows = [_around(SIXTEEN_BITS, share, sixteen, ratio, math.exp)]
    if share is Share.DECODE:
        routed = [point for point in experts if point.layers]
        rows.append(_around(EXPERTS, share, routed, extra_s, lambda value: max(0.0, value)))
    else:
        rows.append(_around(EXPERTS, share, experts, ratio, math.exp))
    return [row for row in rows if row is not None]


def _around(
    name: str, share: Share, members: Sequence[Point], value: Level, back: Callable[[float], float]
) -> Efficiency | None:
    """Median and the quantiles between which 80 % of the devices lie."""
    if not members:
        return None
    tail = (1 - COVERED) / 2
    low, centre, high = (_weighted(members, value, share_of) for share_of in (tail, 0.5, 1 - tail))
    return Efficiency(
        name, share, back(centre), back(low), back(high), 0.0, 1.0, 0.0, len(members), len(_devices(members))
    )


def _weighted(members: Sequence[Point], value: Level, share: float) -> float:
    """Quantile in which every device counts once, however many rows it has."""
    times = Counter(point.identity for point in members)
    return _quantile([(value(point), 1 / times[point.identity]) for point in members], share)


def _quantile(weighted: list[tuple[float, float]], share: float) -> float:
    """Of (value, weight) pairs, interpolated between the middles of their weights."""
    ordered = sorted(weighted)
    total = sum(weight for _, weight in ordered)
    middles, passed = [], 0.0
    for value, weight in ordered:
        middles.append(((passed + weight / 2) / total, value))
        passed += weight
    for (left, low), (right, high) in pairwise(middles):
        if left <= share <= right:
            return low + (high - low) * (share - left) / (right - left)
    return middles[0][1] if share < middles[0][0] else middles[-1][1]
