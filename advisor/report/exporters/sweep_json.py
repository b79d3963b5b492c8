"""The JSON of the command ``sweep``."""

from typing import Any, Final

from advisor.benchmarks.curves import Knee, fit_depth, thread_knee
from advisor.benchmarks.model import EngineFacts, Phase, Sweep, TestResult
from advisor.benchmarks.sharing import BatchReading, Terms, read_batch
from advisor.core.evidence import Fact, Unknown
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report.codec import Json, fact_fields, plain_fields
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
    terms: Terms | None = None,
) -> Json:
    """``two-machines sweep --json``: what ``bench`` gives, with the curve and what it means.

    ``terms`` are what a batch curve is read against.
    """
    body = bench_json(tests, machine, engine, model, interrupted)
    sentences = [said for table in sweep_tables(tests, model.traffic.or_none(), terms) for said in table.sentences]
    return {
        **body,
        "schema": SWEEP_SCHEMA,
        "sweep": sweep.value,
        "sentences": sentences,
        "left_out": list(left_out),
        "curve": _curve(sweep, tests, terms),
    }


def _curve(sweep: Sweep, tests: tuple[TestResult, ...], terms: Terms | None) -> Json:
    if sweep is Sweep.BATCH:
        reading = None if terms is None else read_batch(tests, terms)
        if reading is None:
            return {"points": [], "points_reason": "fewer than two numbers of streams were measured"}
        return _batch(reading)
    result: Json = {}
    for phase in Phase:
        result[phase.value] = _of_phase(sweep, curve_rows(tests, sweep, phase))
        if result[phase.value] is None:
            result[f"{phase}_reason"] = "fewer than two of its points were measured, or they make no line"
    return result


def _batch(reading: BatchReading) -> Json:
    result: Json = {
        "depth": reading.depth,
        "points": [
            {
                "streams": point.streams,
                "tokens_per_s": point.tokens_per_s,
                "spread_tokens_per_s": point.spread_tokens_per_s,
                "each_tokens_per_s": point.each_tokens_per_s,
                "step_s": point.step_s,
            }
            for point in reading.points
        ],
        "ceiling": [{"streams": streams, "tokens_per_s": speed} for streams, speed in reading.ceiling],
        "jumps": [
            {
                "from_streams": stair.low.streams, "to_streams": stair.high.streams,
                "from_s": stair.low.step_s, "to_s": stair.high.step_s,
            }
            for stair in reading.jumps
        ],
        "served": None if reading.served is None else plain_fields(reading.served),
        "nearly_free_streams": reading.free,
        "flattens_at_streams": reading.flattens,
        **fact_fields("balance_streams", reading.balance),
        **fact_fields("balance_by_speeds_streams", reading.balance_by_speeds),
    }  # fmt: skip
    if reading.served is None:
        result["served_reason"] = "fewer streams would have to be measured"
    if reading.free is None:
        result["nearly_free_streams_reason"] = "one stream alone was not measured"
    if reading.flattens is None:
        result["flattens_at_streams_reason"] = "the most streams that were measured write most"
    if isinstance(reading.seats, Unknown):
        return {**result, "memory": None, "memory_reason": reading.seats.reason}
    held = reading.seats.value
    memory = {"tokens": held.tokens, "each_bytes": held.each_bytes, **fact_fields("fit", held.fit)}
    return {**result, "memory": memory}


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
