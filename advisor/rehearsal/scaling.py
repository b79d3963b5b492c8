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


ALIKE: Final = 0.05
"""By how much the head's cost per byte may differ from the layers' in its effect on the whole."""
LEAST_NOISE: Final = 0.002
UNSEEN_NOISE: Final = 0.02
"""Of a stand-in that was timed once."""


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
        margin = METHOD + _spread(samples_s)
        return Scaled(replace(test, samples_s=samples_s), None, median(large_s), 0.0, margin)
    small_s = [median(result.samples_s) for result in small]
    way = _Way(*(work(test, flow) for flow in (flows.small, flows.large, flows.whole)))
    noise = max(_noise(large), _noise(small))
    rounds_s = tuple(way.whole_s(less, more, noise) for less, more in zip(small_s, large_s, strict=True))
    error = _spread(rounds_s) if len(rounds_s) > 1 else way.error(small_s[0], large_s[0], noise)
    return Scaled(replace(test, samples_s=rounds_s), median(small_s), median(large_s), way.factor, METHOD + error)


@dataclass(frozen=True, slots=True)
class _Way:
    """From the times of both stand-ins to the whole's, by the work of the three.

    The difference of both is right whatever they have in common, but noise counts several times over where few layers
    stand for many. The larger one's time by its share of the work hardly minds noise, but takes head and layers to
    cost alike. Each counts by how far it may be off.
    """

    small: float
    large: float
    whole: float

    @property
    def factor(self) -> float:
        """How often the difference is added to the larger one's time."""
        return (self.whole - self.large) / (self.large - self.small)

    def whole_s(self, small_s: float, large_s: float, noise: float) -> float:
        """Seconds of the whole."""
        by_difference, by_share = self._both(small_s, large_s)
        trust = 1 / self._error_of_difference(small_s, large_s, noise) ** 2
        other = 1 / (noise**2 + ALIKE**2)
        return (trust * by_difference + other * by_share) / (trust + other)

    def error(self, small_s: float, large_s: float, noise: float) -> float:
        """Share by which that may be off."""
        one, other = self._error_of_difference(small_s, large_s, noise), math.hypot(noise, ALIKE)
        return one * other / math.hypot(one, other)

    def _both(self, small_s: float, large_s: float) -> tuple[float, float]:
        least_s = LEAST_SHARE * large_s * (self.large - self.small) / self.large
        by_difference = large_s + self.factor * max(large_s - small_s, least_s)
        return by_difference, large_s * self.whole / self.large

    def _error_of_difference(self, small_s: float, large_s: float, noise: float) -> float:
        by_difference, _ = self._both(small_s, large_s)
        return noise * math.hypot((1 + self.factor) * large_s, self.factor * small_s) / by_difference


def blended(on_device: Scaled, on_cpu: Scaled, share: float) -> Scaled:
    """A test whose model lies on a device with ``share`` of its layers, and on the processor with the rest."""
    seconds = share / on_device.test.tokens_per_s + (1 - share) / on_cpu.test.tokens_per_s
    test = replace(on_device.test, samples_s=(on_device.test.tokens * seconds,), device=f"{on_device.test.device}+CPU")
    return replace(on_device, test=test, margin=max(on_device.margin, on_cpu.margin))


def _noise(results: Sequence[TestResult]) -> float:
    """Share by which one stand-in's median may be off, from all that was timed of it."""
    samples_s = [sample for result in results for sample in result.samples_s]
    return max(LEAST_NOISE, _spread(samples_s)) if len(samples_s) > 1 else UNSEEN_NOISE


def _spread(samples_s: Sequence[float]) -> float:
    """Half the range as a share of the middle, for a median of so many."""
    middle = median(samples_s)
    return (max(samples_s) - min(samples_s)) / 2 / middle / math.sqrt(len(samples_s))
