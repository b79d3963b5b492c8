"""The roofline chart as numbers and words: both roofs, the balance point, and where the two phases lie."""

import math
from dataclasses import dataclass, replace
from typing import Final

from advisor.benchmarks.model import Phase, Stamp, Sweep, TestResult
from advisor.benchmarks.store.model import StoredRun
from advisor.ceilings.model import Ceilings
from advisor.ceilings.roofline import decode_point, prefill_point, roof_flop_per_s
from advisor.core.evidence import Known
from advisor.gguf.model import ModelFacts
from advisor.gguf.traffic import Traffic
from advisor.report import formatting as fmt

ROOM_BELOW_DECADES: Final = 0.3
"""At least so much of the vertical axis stays free below the lowest point, for its label."""


@dataclass(frozen=True, slots=True)
class RoofPoint:
    """One dot; ``flop_per_byte`` and ``flop_per_s`` above 0; filled only where it is of a ``valid`` run.

    ``earlier`` is the name of the run that it is of, empty for the present one.
    """

    phase: Phase
    label: str
    flop_per_byte: float
    flop_per_s: float
    tip: str
    measured: bool
    valid: bool = True
    earlier: str = ""


@dataclass(frozen=True, slots=True)
class RooflineChart:
    """State of the chart; ``roof`` holds (FLOP/byte, FLOP/s) corners, empty while a roof is unknown.

    ``earlier`` holds points of earlier runs of the same model on this machine.
    """

    roof: tuple[tuple[float, float], ...] = ()
    memory_label: str = ""
    compute_label: str = ""
    balance_flop_per_byte: float = 0.0
    balance_label: str = ""
    points: tuple[RoofPoint, ...] = ()
    earlier: tuple[RoofPoint, ...] = ()
    x_range: tuple[float, float] = (1.0, 10_000.0)
    y_range: tuple[float, float] = (1e9, 1e12)
    empty: str = "Both roofs appear here a few seconds after a model is opened."
    spoken: str = ""

    @property
    def figures(self) -> tuple[tuple[str, ...], tuple[tuple[str | float, ...], ...]]:
        """Every point as numbers."""
        head = "phase", "point", "operations per byte", "FLOP/s", "measured", "run"
        return head, tuple(
            (str(p.phase), p.label, p.flop_per_byte, p.flop_per_s, "yes" if p.measured else "no",
             p.earlier or "this one")
            for p in (*self.points, *self.earlier)
        )


def present_roofline(
    model: ModelFacts | None, ceilings: Ceilings | None, tests: tuple[TestResult, ...], no_engine: str = "",
    earlier: tuple[StoredRun, ...] = (),
) -> RooflineChart:
    """The chart's state; points where measured, rings at the ceilings where not yet."""
    if model is None or ceilings is None:
        if model is not None and no_engine:
            return RooflineChart(empty=f"Both roofs are unknown. {no_engine}")
        if model is not None and not isinstance(model.traffic, Known):
            return RooflineChart(empty=f"Both roofs are unknown: {model.traffic.reason}.")
        return RooflineChart()
    read, compute = ceilings.read_bytes_per_s, ceilings.compute_flop_per_s
    if not isinstance(read, Known) or not isinstance(compute, Known):
        missing = read if not isinstance(read, Known) else compute
        return RooflineChart(empty=f"A roof is unknown: {missing.reason}." if not isinstance(missing, Known) else "")
    balance = compute.value / read.value
    points = _points(model, ceilings, tests)
    ghosts = _earlier(model, tests, earlier)
    xs = [p.flop_per_byte for p in (*points, *ghosts)] + [balance]
    x_low = 10 ** math.floor(math.log10(min([*xs, 1.0])))
    x_high = 10 ** math.ceil(math.log10(max(xs) * 2.5))
    low = roof_flop_per_s(ceilings, x_low) or compute.value
    y_low = min([low, *(p.flop_per_s for p in (*points, *ghosts))])
    y_range = (10 ** math.floor(math.log10(y_low) - ROOM_BELOW_DECADES), compute.value * 3.0)
    least = "at least " if ceilings.disturbed else ""
    batch = ceilings.balance_batch.or_none()
    number = fmt.count(max(1.0, batch or 0.0))
    people = "" if batch is None or batch > 9999 else f", {number} {'person' if number == '1' else 'people at once'}"
    return RooflineChart(
        roof=((x_low, low), (balance, compute.value), (x_high, compute.value)),
        memory_label=f"{least}{fmt.bandwidth(read.value)} memory",
        compute_label=f"{least}{fmt.flop_rate(compute.value)} compute",
        balance_flop_per_byte=balance,
        balance_label=f"balance point: {fmt.number(balance)} operations per byte{people}",
        points=points,
        earlier=ghosts,
        x_range=(x_low, x_high),
        y_range=y_range,
        empty="",
        spoken="; ".join([
            f"memory roof {fmt.bandwidth(read.value)}", f"compute roof {fmt.flop_rate(compute.value)}",
            *(p.tip for p in points),
            *([f"and {fmt.plural(len({p.earlier for p in ghosts}), 'earlier run')}"] if ghosts else []),
        ]),
    )


def _earlier(
    model: ModelFacts, tests: tuple[TestResult, ...], runs: tuple[StoredRun, ...]
) -> tuple[RoofPoint, ...]:
    """The points of earlier runs of this model; the run that is shown is among what was kept, and is left out."""
    if not isinstance(model.traffic, Known):
        return ()
    shown = {test.samples_s for test in tests}
    points = []
    for run in runs:
        name = f"run {run.number}, {fmt.date_time(run.started_at)}" + (f", {run.label}" if run.label else "")
        for stored in run.tests:
            test = stored.result
            if test.sweep in (Sweep.PHASES, Sweep.BATCH) and test.samples_s not in shown:
                point = _point(model.traffic.value, test)
                points.append(replace(point, tip=f"{name}: {point.tip}", earlier=name))
    return tuple(points)


def _points(model: ModelFacts, ceilings: Ceilings, tests: tuple[TestResult, ...]) -> tuple[RoofPoint, ...]:
    if not isinstance(model.traffic, Known):
        return ()
    traffic = model.traffic.value
    points = []
    seen: set[Phase] = set()
    for test in tests:
        if test.sweep not in (Sweep.PHASES, Sweep.BATCH):
            continue
        if test.sweep is Sweep.BATCH and test.n_streams == 1 and Phase.DECODE in seen:
            continue  # the curve's first point is the phase once more
        seen.add(test.phase)
        points.append(_point(traffic, test))
    prefill, decode = ceilings.prefill_tokens_per_s.or_none(), ceilings.decode_tokens_per_s.or_none()
    if Phase.PREFILL not in seen and prefill:
        x, y = prefill_point(traffic, prefill, ceilings.prompt)
        # The ceiling reckons attention at the best rate of all, the roof is that of the model's matrices.
        y = min(y, ceilings.compute_flop_per_s.or_none() or y)
        points.append(RoofPoint(Phase.PREFILL, "prefill, at most", x, y, _tip("prefill ceiling", prefill, x, y), False))
    if Phase.DECODE not in seen and decode:
        x, y = decode_point(traffic, decode, ceilings.batch, ceilings.depth)
        points.append(RoofPoint(Phase.DECODE, "decode, at most", x, y, _tip("decode ceiling", decode, x, y), False))
    return tuple(points)


def _point(traffic: Traffic, test: TestResult) -> RoofPoint:
    if test.phase is Phase.PREFILL:
        x, y = prefill_point(traffic, test.tokens_per_s, test.n_prompt)
        label = f"prefill {test.n_prompt}"
    else:
        x, y = decode_point(traffic, test.tokens_per_s, test.n_streams, test.n_depth)
        label = "decode ×1" if test.n_streams == 1 else f"×{test.n_streams}"
    valid = test.conditions.stamp is Stamp.VALID
    stamp = "" if valid else f" ({'; '.join((str(test.conditions.stamp), *test.conditions.because))})"
    tip = f"{_tip(label, test.tokens_per_s, x, y)}{stamp}"
    return RoofPoint(test.phase, label, x, y, tip, measured=True, valid=valid)


def _tip(label: str, tokens_per_s: float, flop_per_byte: float, flop_per_s: float) -> str:
    return (
        f"{label}: {fmt.tokens_per_s(tokens_per_s)}, {fmt.flop_rate(flop_per_s)} at "
        f"{fmt.number(flop_per_byte)} operations per byte"
    )
