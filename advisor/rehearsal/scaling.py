"""From two stand-ins' speeds to the whole model's; pure functions.

What both have in common (head, embeddings, starting a step) falls out of the difference of their times, which is what
the further layers of the larger one cost. The whole model costs as much more as it has more work of the same kind:
bytes of a decode step, operations of a prompt.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from advisor.benchmarks.model import Phase, TestResult
from advisor.core.stats import median
from advisor.gguf.traffic import Traffic

METHOD: Final = 0.10
"""How far a scaled speed may be off beyond the spread of its samples: the aim that docs/accuracy.md is held to."""
LEAST_SHARE: Final = 0.25
"""The further layers of the larger stand-in cost at least so much of their share of its work. Less is noise."""


@dataclass(frozen=True, slots=True)
class Flows:
    """Traffic of the three models; ``small`` is the large one's where there is no smaller stand-in."""

    small: Traffic
    large: Traffic
    whole: Traffic


@dataclass(frozen=True, slots=True)
class Scaled:
    """One test of the whole model, as its stand-ins tell.

    Attributes:
        test: as if the whole model had been measured; one sample per round.
        small_s, large_s: median seconds of a repetition of each stand-in; ``small_s`` is None where the larger one is
            the whole model.
        factor: the whole's time is the larger one's and so many times the difference of both.
        margin: share by which its speed may be off, its samples' spread and the method's error together.
    """

    test: TestResult
    small_s: float | None
    large_s: float
    factor: float
    margin: float

    @property
    def low_tokens_per_s(self) -> float:
        """Low end of the range in which the whole model's speed is expected."""
        return self.test.tokens_per_s / (1 + self.margin)

    @property
    def high_tokens_per_s(self) -> float:
        """Its high end."""
        return self.test.tokens_per_s * (1 + self.margin)


def work(test: TestResult, traffic: Traffic) -> float:
    """What a repetition's time grows with: bytes of its steps, or operations of its prompt."""
    if test.phase is Phase.DECODE:
        return test.n_gen * traffic.step_bytes(test.n_streams, test.n_depth + test.n_gen // 2)
    return traffic.prefill_flop(test.n_prompt, test.n_depth)


def scaled(large: Sequence[TestResult], small: Sequence[TestResult], flows: Flows) -> Scaled:
    """The whole model's test from the same test of both stand-ins, one result per round.

    Args:
        large: of the larger stand-in, at least one.
        small: of the smaller one, as many; empty where the larger one is the whole model.
        flows: of the three models.
    """
    test, large_s = large[0], [median(result.samples_s) for result in large]
    if not small:
        samples_s = tuple(sample for result in large for sample in result.samples_s)
        return Scaled(replace(test, samples_s=samples_s), None, median(large_s), 0.0, METHOD + _spread(samples_s))
    works = [work(test, flow) for flow in (flows.small, flows.large, flows.whole)]
    factor = (works[2] - works[1]) / (works[1] - works[0])
    small_s = [median(result.samples_s) for result in small]
    least = LEAST_SHARE * (works[1] - works[0]) / works[1]
    rounds_s = tuple(
        more + factor * max(more - less, least * more) for more, less in zip(large_s, small_s, strict=True)
    )
    seen = rounds_s
    if len(rounds_s) < 2:  # one round: what its repetitions differ by
        firsts = [one.samples_s for one in (*large, *small)]
        seen = tuple(
            more + factor * max(more - less, least * more)
            for more, less in ((min(firsts[0]), max(firsts[1])), (max(firsts[0]), min(firsts[1])))
        )
    return Scaled(replace(test, samples_s=rounds_s), median(small_s), median(large_s), factor, METHOD + _spread(seen))


def blended(on_device: Scaled, on_cpu: Scaled, share: float) -> Scaled:
    """A test whose model lies on a device with ``share`` of its layers, and on the processor with the rest."""
    seconds = share / on_device.test.tokens_per_s + (1 - share) / on_cpu.test.tokens_per_s
    test = replace(on_device.test, samples_s=(on_device.test.tokens * seconds,), device=f"{on_device.test.device}+CPU")
    return replace(on_device, test=test, margin=max(on_device.margin, on_cpu.margin))


def _spread(samples_s: Sequence[float]) -> float:
    """Half the range as a share of the middle, for a median of so many."""
    middle = median(samples_s)
    return (max(samples_s) - min(samples_s)) / 2 / middle / math.sqrt(len(samples_s))
