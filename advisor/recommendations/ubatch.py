"""Batch size: how many prompt tokens the engine multiplies at once, from its sweep or from the measured kernels."""

import math
from typing import Final

from advisor.benchmarks.curves import compare
from advisor.benchmarks.model import Phase, Sweep, TestResult
from advisor.benchmarks.phrases import tokens as of_tokens
from advisor.benchmarks.trials.model import TrialPlan
from advisor.ceilings.predict import prefill
from advisor.core.evidence import Basis, Known
from advisor.core.numbers import count, size, times
from advisor.core.translation import tr, trc
from advisor.recommendations import trying
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import Saving, from_factors, measured_factors

ID: Final = "ubatch"

SIZES: Final = (128, 256, 512, 1024, 2048)

KERNELS_REACH: Final = 512
"""Columns of the widest product in the kernel table; beyond it nothing is known without a sweep."""

KERNELS_WITHIN: Final = 0.10
"""How far the table's prefill may be off; `tests.benchmarks.ceilings` prints it for models of several types."""

N_BATCH: Final = 2048
"""llama-server's default of ``-b``; a ubatch is never larger than it."""


def predict(evidence: Evidence) -> Advice | None:
    """The size that reads the prompt fastest, where it beats the present one by more than chance."""
    row = evidence.prefill_row
    if row is None or evidence.faulty:
        return None
    if evidence.points(Sweep.UBATCH, Phase.PREFILL):
        return _from_sweep(evidence, row)
    return _from_kernels(evidence, row)


def base_of(evidence: Evidence, row: TestResult) -> TestResult | None:
    """The sweep's point at the present sizes."""
    points = evidence.points(Sweep.UBATCH, Phase.PREFILL)
    same = (point for point in points if (point.n_ubatch, point.n_batch) == (row.n_ubatch, row.n_batch))
    return next(same, None)


def candidates(evidence: Evidence, row: TestResult) -> tuple[TestResult, ...]:
    """The sweep's other points that change anything for this prompt: it must not fit both sizes whole."""
    prompt = evidence.workload.prompt_tokens
    return tuple(
        point for point in evidence.points(Sweep.UBATCH, Phase.PREFILL)
        if min(point.n_ubatch, prompt) != min(row.n_ubatch, prompt)
    )  # fmt: skip


def _from_sweep(evidence: Evidence, row: TestResult) -> Advice | None:
    base, others = base_of(evidence, row), candidates(evidence, row)
    if base is None or not others:
        return None
    best = max(others, key=lambda point: point.tokens_per_s)
    difference = compare(base, best)
    if difference.ratio <= 1 or not difference.distinct:
        return None
    saving = from_factors(evidence.timeline.wait_s, *measured_factors(base, best, evidence.runs_differ))
    seen = tr(
        "Swept here: {test} at {speed} with ubatch {n}, at {other_speed} with {other}.",
        test=base.test, speed=base.speed_words, n=count(base.n_ubatch), other_speed=best.speed_words,
        other=count(best.n_ubatch),
    )  # fmt: skip
    return _advice(evidence, row, best.n_ubatch, saving, difference.ratio, Basis.MEASURED, seen, base.n_prompt)


def _from_kernels(evidence: Evidence, row: TestResult) -> Advice | None:
    """Only down from the present size or up to what the table holds; only where the gain exceeds its error."""
    table = evidence.kernels(Phase.PREFILL)
    if table is None:
        return None
    prompt = min(evidence.workload.prompt_tokens, N_BATCH)
    seconds_at = {}
    for ubatch in {*SIZES, row.n_ubatch}:
        if ubatch <= KERNELS_REACH:
            step = prefill(evidence.model, table, prompt, 0, ubatch)
            if isinstance(step, Known):
                seconds_at[ubatch] = step.value.total_s
    if row.n_ubatch not in seconds_at:
        return None
    best = min(seconds_at, key=lambda ubatch: (seconds_at[ubatch], ubatch))
    factor = seconds_at[row.n_ubatch] / seconds_at[best]
    if factor <= 1 + KERNELS_WITHIN:
        return None
    within = math.hypot(KERNELS_WITHIN, evidence.runs_differ)
    saving = from_factors(evidence.timeline.wait_s, factor * (1 - within), factor, factor * (1 + within))
    seen = tr(
        "Reckoned from the products measured here: {tokens} are {times} as fast in pieces of {n} as in pieces of "
        "{other}.",
        tokens=of_tokens(prompt), times=times(factor), n=count(best), other=count(row.n_ubatch),
    )  # fmt: skip
    return _advice(evidence, row, best, saving, factor, Basis.ESTIMATED, seen, prompt)


def _advice(
    evidence: Evidence, row: TestResult, ubatch: int, saving: Saving, factor: float, basis: Basis, seen: str,
    prompt: int,
) -> Advice:
    batch = max(row.n_batch, ubatch)
    return Advice(
        id=ID,
        phase=Phase.PREFILL,
        title=tr("Read the prompt in pieces of {tokens}", tokens=of_tokens(ubatch)),
        detail=tr(
            "Now it is read {now} at a time; {then} at a time is {times} as fast.",
            now=count(row.n_ubatch), then=count(ubatch), times=times(factor),
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=basis,
        how=(
            HowTo("llama-server", tr("The batch must be at least as large."), f"llama-server -ub {ubatch} -b {batch}"),
            HowTo("Ollama", tr("In a Modelfile."), f"PARAMETER num_batch {ubatch}"),
            HowTo("LM Studio", tr("Set “Evaluation Batch Size” to {n} in the model's load settings.", n=ubatch)),
            HowTo(tr("this app"), tr("Measure with it."),
                  f"two-machines bench MODEL -p {prompt} -ub {ubatch} -b {batch}"),
        ),
        cost=_cost(evidence, row.n_ubatch, ubatch),
        undo=tr("set it back to {value}", value=count(row.n_ubatch)),
        evidence=seen,
        trial=_trial(row, prompt, ubatch, batch),
    )


def _trial(row: TestResult, prompt: int, ubatch: int, batch: int) -> TrialPlan | None:
    before = trying.spec_of(row, n_prompt=prompt, n_depth=0)
    return trying.against(
        (before,), (trying.spec_of(before, n_ubatch=ubatch, n_batch=batch),), f"ubatch {row.n_ubatch}",
        f"ubatch {ubatch}",
    )


def _cost(evidence: Evidence, present: int, ubatch: int) -> str:
    """What the scratch space changes by, estimated."""
    depth = evidence.asked.deepest_tokens
    before, after = (evidence.buffers_bytes(tokens, depth) for tokens in (present, ubatch))
    if before is None or after is None:
        return tr("more memory for the engine's work buffers") if ubatch > present else trc("cost", "none")
    if after == before:
        return trc("cost", "none")
    if after < before:
        return tr("none; it frees about {size} of memory", size=size(before - after))
    return tr("about {size} of memory for the engine's work buffers", size=size(after - before))
