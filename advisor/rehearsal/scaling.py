"""From two stand-ins' speeds to the whole model's; pure functions.

What both have in common (head, embeddings, starting a step) falls out of the difference of their times, which is what
the further layers of the larger one cost. The whole model costs as much more as it has more work of the same kind:
bytes of a decode step, operations of a prompt.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from advisor.benchmarks.model import Phase, TestResult
from advisor.core.stats import median
from advisor.gguf.traffic import Traffic

METHOD: Final = 0.10
"""How far a scaled speed may be off beyond the spread of its samples (docs/accuracy.md, rehearsal: the worst seen)."""


@dataclass(frozen=True, slots=True)
class Scaled:
    """One test of the whole model, as its stand-ins tell.

    Attributes:
        test: as if the whole model had been measured; its samples are the scaled ones.
        small_s, large_s: median seconds of a repetition of each stand-in; ``small_s`` is None where the larger one is
            the whole model.
        factor: the whole's time is the larger one's and so many times the difference of both.
        low_tokens_per_s, high_tokens_per_s: where the whole model's speed is expected.
    """

    test: TestResult
    small_s: float | None
    large_s: float
    factor: float
    low_tokens_per_s: float
    high_tokens_per_s: float


def work(test: TestResult, traffic: Traffic) -> float:
    """What a repetition's time grows with: bytes of its steps, or operations of its prompt."""
    if test.phase is Phase.DECODE:
        return test.n_gen * traffic.step_bytes(test.n_streams, test.n_depth + test.n_gen // 2)
    return traffic.prefill_flop(test.n_prompt, test.n_depth)


def scaled(
    large: Sequence[TestResult],
    small: Sequence[TestResult],
    flows: tuple[Traffic, Traffic, Traffic],
) -> Scaled:
    """The whole model's test from the same test of both stand-ins, one result per round.

    Args:
        large: of the larger stand-in, at least one.
        small: of the smaller one, as many; empty where the larger one is the whole model.
        flows: traffic of the smaller, the larger and the whole model.
    """
    test = large[0]
    large_s = [median(result.samples_s) for result in large]
    if not small:
        return _around(large, [s for result in large for s in result.samples_s], None, median(large_s), 0.0, 0.0)
    small_s = [median(result.samples_s) for result in small]
    works = [work(test, flow) for flow in flows]
    factor = (works[2] - works[1]) / (works[1] - works[0])
    rounds = [_whole(one, other, factor, works) for one, other in zip(large_s, small_s, strict=True)]
    middle_s = _whole(median(large_s), median(small_s), factor, works)
    error_s = ((1 + factor) ** 2 * _error(large, large_s) ** 2 + factor**2 * _error(small, small_s) ** 2) ** 0.5
    return _around(large, [*rounds, middle_s], median(small_s), median(large_s), factor, error_s / middle_s)


def _whole(large_s: float, small_s: float, factor: float, works: Sequence[float]) -> float:
    """Seconds of the whole model; at least its share of work, whatever noise says of the difference."""
    more_s = max(large_s - small_s, 0.25 * large_s * (works[1] - works[0]) / works[1])
    return large_s + factor * more_s


def _error(results: Sequence[TestResult], medians: Sequence[float]) -> float:
    """Seconds by which a stand-in's median may be off: half the range of what was seen."""
    seen = [s for result in results for s in result.samples_s] if len(medians) < 2 else medians
    return (max(seen) - min(seen)) / 2 / max(1, len(seen)) ** 0.5


def _around(
    results: Sequence[TestResult],
    samples_s: Sequence[float],
    small_s: float | None,
    large_s: float,
    factor: float,
    error: float,
) -> Scaled:
    middle_s = samples_s[-1] if small_s is not None else median(samples_s)
    kept = tuple(samples_s[:-1]) if small_s is not None and len(samples_s) > 3 else (middle_s,)
    if small_s is None:
        kept = tuple(samples_s)
    test = replace(results[0], samples_s=kept, warm_up_s=())
    speed, margin = test.tokens / middle_s, METHOD + error
    return Scaled(test, small_s, large_s, factor, speed / (1 + margin), speed * (1 + margin))
