"""What the report's charts show, before anything draws it: the parts of a request, the roofline's points and axes.

The PDF (``ui/printing``) and the HTML report (``exporters/svg.py``) draw from the same values.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase, Stamp, Sweep
from advisor.ceilings.roofline import decode_point, prefill_point
from advisor.core.evidence import Known
from advisor.core.numbers import written
from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Timeline
from advisor.diagnosis.parts import PartId
from advisor.report import formatting as f
from advisor.report.document import Document
from advisor.report.wait_words import short_name

MAX_POINTS: Final = 24
_WORDS: Final = {PartId.COLD_PREFILL: marked("nothing on screen"), PartId.DECODE: marked("writing")}
_PHASE_OF: Final = {
    PartId.COLD_PREFILL: Phase.PREFILL, PartId.CACHED_PREFILL: Phase.PREFILL, PartId.DECODE: Phase.DECODE,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RequestPart:
    """A part of the first request's time, ``text`` with its seconds; of no phase where it is neither."""

    phase: Phase | None
    text: str
    took_s: float


@dataclass(frozen=True, slots=True)
class Point:
    """One test on the roofline; ``solid`` only when its run is valid."""

    label: str
    phase: Phase
    flop_per_byte: float
    flop_per_s: float
    solid: bool


@dataclass(frozen=True, slots=True)
class Roofs:
    """Both bounds of the machine, above 0."""

    read_bytes_per_s: float
    compute_flop_per_s: float

    @property
    def balance_flop_per_byte(self) -> float:
        """Where the roofs meet."""
        return self.compute_flop_per_s / self.read_bytes_per_s


@dataclass(frozen=True, slots=True)
class Axes:
    """Logarithmic axes, each from one power of ten to another, inside a rectangle given in points."""

    left: float
    top: float
    width: float
    height: float
    x_low: int
    x_high: int
    y_low: int
    y_high: int

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height

    def x(self, value: float) -> float:
        """Where ``value`` operations per byte lie, at most at the edges."""
        share = (math.log10(value) - self.x_low) / (self.x_high - self.x_low)
        return self.left + self.width * min(max(share, 0.0), 1.0)

    def y(self, value: float) -> float:
        """Where ``value`` FLOP/s lie."""
        share = (math.log10(value) - self.y_low) / (self.y_high - self.y_low)
        return self.top + self.height * (1 - min(max(share, 0.0), 1.0))


def request_parts(document: Document) -> tuple[RequestPart, ...]:
    """The known parts of the first request, in order; of an older result reading and writing only. Empty: unknown."""
    line = document.timeline.or_none()
    if line is None or line.total_s <= 0:
        return ()
    parts = [
        _part(part.id, part.took.value.middle_s)
        for part in line.first_time.parts
        if isinstance(part.took, Known) and part.took.value.middle_s > 0
    ]
    return tuple(parts) or _two_parts(line)


def _two_parts(line: Timeline) -> tuple[RequestPart, ...]:
    return _part(PartId.COLD_PREFILL, line.wait_s), _part(PartId.DECODE, line.stream_s)


def _part(name: PartId, took_s: float) -> RequestPart:
    words = tr(_WORDS[name]) if name in _WORDS else short_name(name)
    return RequestPart(_PHASE_OF.get(name), f"{words} {f.seconds(took_s)}", took_s)


def roofs(document: Document) -> Roofs | None:
    """The roofs; None where one is not known."""
    ceilings = document.ceilings.or_none()
    bandwidth = ceilings.read_bytes_per_s.or_none() if ceilings else None
    compute = ceilings.compute_flop_per_s.or_none() if ceilings else None
    if not bandwidth or not compute or bandwidth <= 0 or compute <= 0:
        return None
    return Roofs(bandwidth, compute)


def points(document: Document) -> tuple[Point, ...]:
    """The tests as operations per byte and operations per second; none without the model's traffic."""
    traffic = document.model.traffic.or_none()
    if traffic is None:
        return ()
    found = []
    for test in [test for test in document.tests if test.sweep is Sweep.PHASES][:MAX_POINTS]:
        try:
            at = (
                prefill_point(traffic, test.tokens_per_s, test.n_prompt) if test.phase is Phase.PREFILL
                else decode_point(traffic, test.tokens_per_s, test.n_streams, test.n_depth)
            )  # fmt: skip
        except ZeroDivisionError:  # a model without weights, which only a crafted file has
            continue
        if min(at) > 0:
            solid = test.conditions.stamp is Stamp.VALID
            found.append(Point(f"{tr(test.phase)} {test.test}", test.phase, *at, solid=solid))
    return tuple(found)


def axes(
    bounds: Roofs, marks: Sequence[Point], left: float, top: float, width: float, height: float
) -> Axes:
    """Decades that hold both roofs and every point."""
    across = [bounds.balance_flop_per_byte, *(mark.flop_per_byte for mark in marks)]
    x_low, x_high = min(0, _floor(min(across) / 1.5)), max(3, _ceil(max(across) * 1.5))
    lowest = [bounds.read_bytes_per_s * 10.0**x_low, *(mark.flop_per_s / 1.5 for mark in marks)]
    highest = [bounds.compute_flop_per_s * 1.8, *(mark.flop_per_s for mark in marks)]
    y_low = _floor(min(lowest))
    return Axes(left, top, width, height, x_low, x_high, y_low, max(_ceil(max(highest)), y_low + 1))


def decade(exponent: int) -> str:
    """A power of ten on an axis: "0.1", "1", "1,000"."""
    return f.count(10**exponent) if exponent >= 0 else written(f"{10.0**exponent:g}")


def _floor(value: float) -> int:
    return math.floor(math.log10(value))


def _ceil(value: float) -> int:
    return math.ceil(math.log10(value))
