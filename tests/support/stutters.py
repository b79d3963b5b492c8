"""Stutter experiments with invented clocks, and a document that holds one."""

from collections.abc import Mapping
from dataclasses import replace

from advisor.benchmarks.model import Conditions, EngineMode, Phase, Stamp, TestSpec
from advisor.benchmarks.stutter.model import NOT_MEASURED, ChunkSize, Stutter, TokenClock
from advisor.ceilings.mixed import PredictedPauses
from advisor.core.evidence import Basis, Known
from advisor.report.document import Document
from tests.support import documents

VALID = Conditions(Stamp.VALID, ())
INVALID = Conditions(Stamp.INVALID, ("the computer was swapping (5.00\u00a0MB read back from disk)",))
PROMPT = 2048
WORST = {64: 0.1, 128: 0.16, 256: 0.28, 512: 0.52, 2048: 1.9}
"""Worst gap by size, as of a machine that reads about 1,070 tokens/s."""


def clock(chunk: int, worst_s: float, number: int, prompt: int = PROMPT) -> TokenClock:
    """Gaps that grow evenly to the worst one while the prompt is read."""
    pieces = -(-prompt // chunk)
    during = tuple(worst_s * (0.8 + 0.2 * (index + 1) / pieces) for index in range(pieces))
    return TokenClock(number, (0.03,) * 8, during, (0.035,) * 8)


def stutter(
    worst: Mapping[int, float] = WORST, stamps: tuple[Conditions, ...] = (VALID,) * 3, predicted: bool = True,
    prompt: int = PROMPT, **more: object,
) -> Stutter:
    """Three rounds that differ by two per cent; predictions are a tenth too low."""
    sizes = tuple(
        ChunkSize(
            chunk,
            tuple(clock(chunk, worst_s * (1 + 0.02 * (number - 1)), number, prompt) for number in range(len(stamps))),
            Known(PredictedPauses(0.9 * worst_s, worst_s * prompt / chunk), Basis.ESTIMATED, "kernel table")
            if predicted else NOT_MEASURED,
        )
        for chunk, worst_s in sorted(worst.items())
    )
    spec = TestSpec(
        phase=Phase.PREFILL, n_prompt=prompt, n_gen=8, n_depth=256, n_streams=4, n_threads=6, n_batch=2048,
        n_ubatch=512,
    )
    values: dict[str, object] = {
        "spec": spec, "sizes": sizes, "round_conditions": stamps, "conditions": VALID, "engine": "llama-cpp-python 0",
        "device": "CPU", "mode": EngineMode.DEFAULT, "created_at": "2026-11-30T06:00:00+01:00",
    }  # fmt: skip
    return Stutter(**(values | more))  # type: ignore[arg-type]


def stuttering_document() -> Document:
    """The document of the pictures with a stutter experiment."""
    found = Known(stutter(), Basis.MEASURED, "streams and a prompt that arrived")
    return replace(documents.complete_document(), stutter=found)
