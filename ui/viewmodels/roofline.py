"""The roofline chart as numbers and words: both roofs, the balance point, and where the two phases lie."""

import math
from dataclasses import dataclass, field, replace
from typing import Final

from advisor.benchmarks.model import Phase, Stamp, Sweep, TestResult
from advisor.benchmarks.store.model import StoredRun
from advisor.ceilings.model import Ceilings
from advisor.ceilings.roofline import decode_point, prefill_point, roof_flop_per_s
from advisor.core.evidence import Known
from advisor.core.retelling import retold
from advisor.core.translation import tr, trn
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
    empty: str = field(
        default_factory=lambda: tr("Both roofs appear here a few seconds after a model is opened.")
    )
    spoken: str = ""

    @property
    def figures(self) -> tuple[tuple[str, ...], tuple[tuple[str | float, ...], ...]]:
        """Every point as numbers; the head is English whatever the language, as in every file."""
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
            return RooflineChart(empty=tr("Both roofs are unknown. {why}", why=no_engine))
        if model is not None and not isinstance(model.traffic, Known):
            return RooflineChart(empty=tr("Both roofs are unknown: {reason}.", reason=retold(model.traffic.reason)))
        return RooflineChart()
    read, compute = ceilings.read_bytes_per_s, ceilings.compute_flop_per_s
    if not isinstance(read, Known) or not isinstance(compute, Known):
        missing = read if not isinstance(read, Known) else compute
        reason = "" if isinstance(missing, Known) else retold(missing.reason)
        return RooflineChart(empty=tr("A roof is unknown: {reason}.", reason=reason))
    balance = compute.value / read.value
    points = _points(model, ceilings, tests)
    ghosts = _earlier(model, tests, earlier)
    xs = [p.flop_per_byte for p in (*points, *ghosts)] + [balance]
    x_low = 10 ** math.floor(math.log10(min([*xs, 1.0])))
    x_high = 10 ** math.ceil(math.log10(max(xs) * 2.5))
    low = roof_flop_per_s(ceilings, x_low) or compute.value
    y_low = min([low, *(p.flop_per_s for p in (*points, *ghosts))])
    y_range = (10 ** math.floor(math.log10(y_low) - ROOM_BELOW_DECADES), compute.value * 3.0)
    roofs = fmt.bandwidth(read.value), fmt.flop_rate(compute.value)
    if ceilings.disturbed:
        memory = tr("at least {bandwidth} memory", bandwidth=roofs[0])
        arithmetic = tr("at least {rate} compute", rate=roofs[1])
    else:
        memory, arithmetic = tr("{bandwidth} memory", bandwidth=roofs[0]), tr("{rate} compute", rate=roofs[1])
    return RooflineChart(
        roof=((x_low, low), (balance, compute.value), (x_high, compute.value)),
        memory_label=memory,
        compute_label=arithmetic,
        balance_flop_per_byte=balance,
        balance_label=_balance_label(balance, ceilings.balance_batch.or_none()),
        points=points,
        earlier=ghosts,
        x_range=(x_low, x_high),
        y_range=y_range,
        empty="",
        spoken="; ".join([
            tr("memory roof {bandwidth}", bandwidth=roofs[0]), tr("compute roof {rate}", rate=roofs[1]),
            *(p.tip for p in points),
            *([_earlier_words(len({p.earlier for p in ghosts}))] if ghosts else []),
        ]),
    )


def _balance_label(flop_per_byte: float, batch: float | None) -> str:
    point = tr("balance point: {number} operations per byte", number=fmt.number(flop_per_byte))
    if batch is None or batch > 9999:
        return point
    people = max(1.0, batch)
    return ", ".join((point, trn("{n} person", "{n} people at once", people, n=fmt.count(people))))


def _earlier_words(runs: int) -> str:
    return trn("and {n}\u00a0earlier run", "and {n}\u00a0earlier runs", runs, n=fmt.count(runs))


def _earlier(
    model: ModelFacts, tests: tuple[TestResult, ...], runs: tuple[StoredRun, ...]
) -> tuple[RoofPoint, ...]:
    """The points of earlier runs of this model; the run that is shown is among what was kept, and is left out."""
    if not isinstance(model.traffic, Known):
        return ()
    shown = {test.samples_s for test in tests}
    points = []
    for run in runs:
        name = tr("run {number}, {time}", number=run.number, time=fmt.date_time(run.started_at))
        name += f", {run.label}" if run.label else ""
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
        tip = _tip(tr("prefill ceiling"), prefill, x, y)
        points.append(RoofPoint(Phase.PREFILL, tr("prefill, at most"), x, y, tip, False))
    if Phase.DECODE not in seen and decode:
        x, y = decode_point(traffic, decode, ceilings.batch, ceilings.depth)
        tip = _tip(tr("decode ceiling"), decode, x, y)
        points.append(RoofPoint(Phase.DECODE, tr("decode, at most"), x, y, tip, False))
    return tuple(points)


def _point(traffic: Traffic, test: TestResult) -> RoofPoint:
    if test.phase is Phase.PREFILL:
        x, y = prefill_point(traffic, test.tokens_per_s, test.n_prompt)
        label = tr("prefill {tokens}", tokens=test.n_prompt)
    else:
        x, y = decode_point(traffic, test.tokens_per_s, test.n_streams, test.n_depth)
        label = tr("decode ×1") if test.n_streams == 1 else f"×{test.n_streams}"
    valid = test.conditions.stamp is Stamp.VALID
    clauses = (tr(clause) for clause in test.conditions.because)
    stamp = "" if valid else f" ({'; '.join((tr(test.conditions.stamp), *clauses))})"
    tip = f"{_tip(label, test.tokens_per_s, x, y)}{stamp}"
    return RoofPoint(test.phase, label, x, y, tip, measured=True, valid=valid)


def _tip(label: str, tokens_per_s: float, flop_per_byte: float, flop_per_s: float) -> str:
    return tr(
        "{point}: {speed}, {rate} at {intensity} operations per byte",
        point=label,
        speed=fmt.tokens_per_s(tokens_per_s),
        rate=fmt.flop_rate(flop_per_s),
        intensity=fmt.number(flop_per_byte),
    )
