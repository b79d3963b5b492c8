"""The JSON of the command ``sweep``."""

from typing import Any, Final

from advisor.benchmarks.curves import Knee, batch_curve, fit_depth, thread_knee
from advisor.benchmarks.model import EngineFacts, Phase, Sweep, TestResult
from advisor.core.evidence import Fact
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report.codec import Json, plain_fields
from advisor.report.exporters.as_json import bench_json
from advisor.report.sweeps import curve_rows, sweep_tables

SWEEP_SCHEMA: Final = "two-machines/sweep/1"


def sweep_json(
    sweep: Sweep,
    tests: tuple[TestResult, ...],
    left_out: tuple[str, ...],
    machine: Machine,
    engine: Fact[EngineFacts],
    model: ModelFacts,
    interrupted: str = "",
) -> Json:
    """``two-machines sweep --json``: what ``bench`` gives, with the curve and what it means."""
    body = bench_json(tests, machine, engine, model, interrupted)
    sentences = [said for table in sweep_tables(tests, model.traffic.or_none()) for said in table.sentences]
    return {
        **body,
        "schema": SWEEP_SCHEMA,
        "sweep": sweep.value,
        "sentences": sentences,
        "left_out": list(left_out),
        "curve": _curve(sweep, tests),
    }


def _curve(sweep: Sweep, tests: tuple[TestResult, ...]) -> Json:
    if sweep is Sweep.BATCH:
        points = batch_curve(curve_rows(tests, sweep, Phase.DECODE))
        return {"points": [plain_fields(point, frozenset({"row"})) for point in points]}
    result: Json = {}
    for phase in Phase:
        result[phase.value] = _of_phase(sweep, curve_rows(tests, sweep, phase))
        if result[phase.value] is None:
            result[f"{phase}_reason"] = "fewer than two of its points were measured, or they make no line"
    return result


def _of_phase(sweep: Sweep, rows: list[TestResult]) -> dict[str, Any] | None:
    """The knee or the fit; null for fewer than two points."""
    if sweep is Sweep.THREADS:
        knee = thread_knee(rows)
        return None if knee is None else _knee(knee)
    fit = fit_depth(rows)
    return None if fit is None else plain_fields(fit, frozenset({"phase"}))


def _knee(knee: Knee) -> Json:
    result: Json = {"best_threads": knee.best.n_threads, "knee_threads": knee.knee.n_threads}
    if knee.loses_at is None:
        reason = "no larger count that was tried is clearly slower than the best"
        return {**result, "loses_at_threads": None, "loses_at_threads_reason": reason}
    return {**result, "loses_at_threads": knee.loses_at.n_threads}
