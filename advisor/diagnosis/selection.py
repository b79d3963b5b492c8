"""Which measured rows speak for this workload.

The two phases do; points of curves (threads, streams, batch sizes, flash attention, KV types) are there to be compared
with them, and stand in only where nothing else was measured. The depth curve joins through ``same_setting``.

The rule: one thread setting for both phases, since that is what a user has unless told otherwise; among several,
the one under which this request takes least time. Within it, rows nearest in depth to the workload, then nearest in
size, then the fastest. The choice never depends on the order of the rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from advisor.benchmarks.model import Phase, Stamp, Sweep, TestResult
from advisor.diagnosis.model import Workload


@dataclass(frozen=True, slots=True)
class Chosen:
    """The rows that a timeline and a verdict rest on; at least one of both is there when tests were."""

    prefill: TestResult | None
    decode: TestResult | None


def choose(tests: Sequence[TestResult], workload: Workload) -> Chosen:
    """The rows for this workload; None for a phase that was not measured."""
    tests = _of(tests, Sweep.PHASES) or [row for row in tests if row.n_streams == 1]
    groups = [_nearest(rows, workload) for rows in _by_setting(tests)]
    whole = [group for group in groups if group.prefill and group.decode]
    if whole:
        return min(whole, key=lambda group: _order(group, workload))
    everything = list(tests)
    return Chosen(
        best_row(everything, Phase.PREFILL, 0, workload.prompt_tokens),
        best_row(everything, Phase.DECODE, workload.prompt_tokens, workload.answer_tokens),
    )


def best_row(tests: Sequence[TestResult], phase: Phase, depth: int, tokens: int) -> TestResult | None:
    """The row of a phase nearest in depth, then nearest in size (by ratio), then fastest; None without any."""
    rows = [row for row in tests if row.phase is phase and row.n_streams == 1]
    if not rows:
        return None

    def distance(row: TestResult) -> tuple[float, float, float, str, int]:
        apart = max(row.tokens, tokens) / max(1, min(row.tokens, tokens))
        return abs(row.n_depth - depth), apart, -row.tokens_per_s, row.device, row.n_threads

    return min(rows, key=distance)


def same_setting(tests: Sequence[TestResult], row: TestResult) -> tuple[TestResult, ...]:
    """All rows of the row's phase under its setting (threads, device, engine, mode and the like): its depth curve."""
    alike = [other for other in tests if other.phase is row.phase and _setting(other) == _setting(row)]
    return tuple(_of(alike, Sweep.PHASES, Sweep.DEPTH) or alike)


def at_depth(tests: Sequence[TestResult], row: TestResult, depth: int) -> TestResult:
    """The believable row under the row's setting that stands nearest to ``depth``; itself where none is nearer."""
    curve = (other for other in same_setting(tests, row) if other.conditions.stamp is not Stamp.INVALID)
    return min((row, *curve), key=lambda other: abs(other.n_depth - depth))


def thread_sweep(tests: Sequence[TestResult], row: TestResult) -> tuple[TestResult, ...]:
    """Rows that differ from ``row`` in their thread count only, by threads; one per count (the fastest).

    A decode row of the sweep may write fewer tokens: each takes as long, and the points stay short.
    """
    best: dict[int, TestResult] = {}
    for other in tests:
        shorter = other.sweep is Sweep.THREADS and other.phase is Phase.DECODE
        other_key = _but_threads(replace(other, n_gen=row.n_gen) if shorter else other)
        if other_key != _but_threads(row):
            continue
        known = best.get(other.n_threads)
        if known is None or other.tokens_per_s > known.tokens_per_s:
            best[other.n_threads] = other
    return tuple(best[threads] for threads in sorted(best))


def beside(tests: Sequence[TestResult], point: TestResult) -> TestResult | None:
    """The row that a point of a settings' curve is held against: the same test under the present setting.

    Of several the one repeated most often; None where none was measured.
    """
    alike = [
        row for row in _of(tests, Sweep.PHASES, Sweep.DEPTH)
        if (row.phase, row.test, row.engine, row.device, row.mode, row.n_threads)
        == (point.phase, point.test, point.engine, point.device, point.mode, point.n_threads)
    ]  # fmt: skip
    return max(alike, key=lambda row: (len(row.samples_s), row.tokens_per_s), default=None)


def _of(tests: Sequence[TestResult], *sweeps: Sweep) -> list[TestResult]:
    return [row for row in tests if row.sweep in sweeps and row.n_streams == 1]


def _setting(row: TestResult) -> tuple[object, ...]:
    return (
        row.engine,
        row.device,
        row.mode,
        row.n_threads,
        row.n_streams,
        row.n_batch,
        row.n_ubatch,
        row.flash_attention,
        row.kv_type,
    )


def _but_threads(row: TestResult) -> tuple[object, ...]:
    return (
        row.phase,
        row.n_prompt,
        row.n_gen,
        row.n_depth,
        row.engine,
        row.device,
        row.mode,
        row.n_streams,
        row.n_batch,
        row.n_ubatch,
        row.flash_attention,
        row.kv_type,
    )


def _by_setting(tests: Sequence[TestResult]) -> list[list[TestResult]]:
    groups: dict[tuple[object, ...], list[TestResult]] = {}
    for row in tests:
        groups.setdefault(_setting(row), []).append(row)
    return list(groups.values())


def _nearest(rows: Sequence[TestResult], workload: Workload) -> Chosen:
    return Chosen(
        best_row(rows, Phase.PREFILL, 0, workload.prompt_tokens),
        best_row(rows, Phase.DECODE, workload.prompt_tokens, workload.answer_tokens),
    )


def _order(group: Chosen, workload: Workload) -> tuple[float, int, str]:
    assert group.prefill is not None
    assert group.decode is not None
    total_s = workload.prompt_tokens / group.prefill.tokens_per_s + workload.answer_tokens / group.decode.tokens_per_s
    return total_s, group.prefill.n_threads, group.prefill.device
