"""Threads for each phase: prefill wants every core, decode often fewer. Only from a measured sweep."""

from dataclasses import replace
from typing import Final

from advisor.benchmarks.curves import KNEE_WITHIN, thread_knee
from advisor.benchmarks.model import Phase, Sweep, TestResult
from advisor.benchmarks.phrases import phase_name
from advisor.benchmarks.phrases import threads as of_threads
from advisor.benchmarks.trials.model import Arm, SettingTrial
from advisor.core.evidence import Basis
from advisor.core.numbers import count
from advisor.core.translation import tr, trc
from advisor.diagnosis.selection import thread_sweep
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import Saving, from_factors, measured_factors

ID: Final = "threads"

TRIED_TOKENS: Final = 64
"""Tokens written in one repetition of the experiment; each takes as long."""


def predict(evidence: Evidence) -> Advice | None:
    """The best setting of each phase in place of those that were measured; nothing without a sweep of both phases.

    Of settings that are as fast as the best the one with fewest threads is advised: the others only make heat.
    """
    rows = (evidence.prefill_row, evidence.decode_row)
    best: list[TestResult] = []
    for row in rows:
        knee = thread_knee(thread_sweep(evidence.tests, row)) if row is not None else None
        if knee is None:
            return None
        best.append(knee.knee)
    prefill, decode = best
    savings = [
        (phase, _saving(evidence, phase, row, fastest), row, fastest)
        for phase, row, fastest in zip((Phase.PREFILL, Phase.DECODE), rows, best, strict=True)
        if row is not None and fastest.tokens_per_s > (1 + _chance(row, fastest)) * row.tokens_per_s
    ]
    if not savings:
        return None
    read_row, write_row = rows
    assert read_row is not None
    assert write_row is not None
    phase, saving, row, fastest = max(savings, key=lambda held: held[1].middle_s)
    other_s = sum(held[1].middle_s for held in savings if held[0] is not phase)
    return Advice(
        id=ID,
        phase=phase,
        title=tr("Use {threads}", threads=_setting(prefill, decode)),
        detail=tr(
            "{phase} {before} → {after} against {threads}.",
            phase=phase_name(phase), before=row.speed_words, after=fastest.speed_words,
            threads=_setting(read_row, write_row),
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.MEASURED,
        how=(
            HowTo("llama-server", tr("One number for writing, one for reading."),
                  f"llama-server --threads {decode.n_threads} --threads-batch {prefill.n_threads}"),
            HowTo("Ollama", tr("One number for both phases; take that of the phase that hurts."),
                  f"PARAMETER num_thread {fastest.n_threads}"),
            HowTo("LM Studio", tr("Set “CPU Thread Pool Size” to {n}.", n=fastest.n_threads)),
            HowTo(tr("this app"), tr("Measure with both settings."),
                  f"two-machines bench MODEL -t {decode.n_threads} -tb {prefill.n_threads}"),
        ),
        cost=trc("cost", "none"),
        undo=tr("leave the options out"),
        evidence=tr(
            "Swept here: prefill is as fast as it gets with {read} ({read_speed}), decode with {write} "
            "({write_speed}).",
            read=of_threads(prefill.n_threads), read_speed=prefill.speed_words, write=count(decode.n_threads),
            write_speed=decode.speed_words,
        ),
        other_saved_s=other_s,
        trial=SettingTrial(
            _arm(read_row, write_row, (prefill, decode)), _arm(prefill, decode, (read_row, write_row))
        ),
    )


def _setting(prefill: TestResult, decode: TestResult) -> str:
    """In words: "2 threads", or "4 threads to read and 2 to write"."""
    if prefill.n_threads == decode.n_threads:
        return of_threads(prefill.n_threads)
    return tr(
        "{read} to read and {write} to write", read=of_threads(prefill.n_threads), write=count(decode.n_threads)
    )


def _arm(prefill: TestResult, decode: TestResult, others: tuple[TestResult, TestResult]) -> Arm:
    """One way of the experiment: the phases whose setting differs from the other way, with the same work."""
    tests = []
    for row, other in zip((prefill, decode), others, strict=True):
        if row.n_threads != other.n_threads:
            tokens = min(row.n_gen, other.n_gen, TRIED_TOKENS)
            tests.append(replace(row.spec, n_gen=tokens, sweep=Sweep.PHASES))
    return Arm(_setting(prefill, decode), tuple(tests))


def _chance(row: TestResult, fastest: TestResult) -> float:
    """Gain, as a share, below which two settings are the same setting."""
    return max(KNEE_WITHIN, row.relative_spread or 0.0, fastest.relative_spread or 0.0)


def _saving(evidence: Evidence, phase: Phase, row: TestResult, fastest: TestResult) -> Saving:
    return from_factors(evidence.cost_s(phase), *measured_factors(row, fastest, evidence.runs_differ))
