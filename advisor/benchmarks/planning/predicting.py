"""How long a test will take, from the ceilings; rough until the phases are measured, then corrected by them."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.job import PlannedTest
from advisor.benchmarks.model import Phase, TestSpec
from advisor.benchmarks.steadiness import Repeat
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Fact, Known
from advisor.gguf.layers import KV_TYPES
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine

TYPICAL_OF_CEILING: Final = 0.5
"""Share of its ceiling that a phase usually reaches; for predicting time only."""
UNKNOWN_BYTES_PER_S: Final = 10e9
UNKNOWN_FLOP_PER_S: Final = 100e9
"""A slow computer, where no ceiling is known."""
LOAD_BYTES_PER_S: Final = 1e9
START_S: Final = 0.5
"""Starting the child and its libraries."""
ONE_THREAD_GAIN: Final = 0.6
"""A decode thread fewer costs less than its share: threads wait for the same memory (measuring cases C01, C16)."""
CROWDED: Final = 3.0
"""Times as long when more threads run than there are logical CPUs, and wait for each other (C18: 2 to 80 times)."""
RESTORE_BYTES_PER_S: Final = 2e9
"""Copying a filled cache back: before each repetition, or where a kept beginning was moved away (physics.md E28)."""


@dataclass(frozen=True, slots=True)
class Predictor:
    """Predicted seconds of tests of one model on one machine.

    Attributes:
        prefill_tokens_per_s, decode_tokens_per_s: speeds to expect of the two phases at depth 0.
        prefill_threads, decode_threads: the settings that these are for.
    """

    model: ModelFacts
    logical: int
    prefill_tokens_per_s: float
    decode_tokens_per_s: float
    prefill_threads: int
    decode_threads: int

    @property
    def load_s(self) -> float:
        """Starting the child and loading the weights."""
        return START_S + self.model.weights_bytes / LOAD_BYTES_PER_S

    def planned(self, spec: TestSpec, repeat: Repeat, essential: bool) -> PlannedTest:
        """The test with what it will cost."""
        restoring_s = spec.n_streams * self._cache_bytes(spec.n_depth, spec.kv_type) / RESTORE_BYTES_PER_S
        return PlannedTest(spec, repeat, self.repetition_s(spec) + restoring_s, self.fill_s(spec), essential)

    def repetition_s(self, spec: TestSpec) -> float:
        """Seconds of one repetition, the cache already filled."""
        if spec.phase is Phase.PREFILL:
            return self._prefill_s(spec.n_prompt, spec.n_depth) * self._slower(spec.n_threads, self.prefill_threads, 1)
        return spec.n_gen * self._step_s(spec) * self._slower(spec.n_threads, self.decode_threads, ONE_THREAD_GAIN)

    def fill_s(self, spec: TestSpec) -> float:
        """Seconds of bringing one stream's cache to the test's depth."""
        if not spec.n_depth:
            return 0.0
        return self._prefill_s(spec.n_depth, 0) * self._slower(spec.n_threads, self.prefill_threads, 1)

    def _prefill_s(self, tokens: int, depth: int) -> float:
        """The work grows with depth by the attention over what is cached."""
        growth = 1.0
        if isinstance(self.model.traffic, Known):
            traffic = self.model.traffic.value
            flat = traffic.flop_per_prompt_token() * tokens
            growth = max(1.0, traffic.prefill_flop(tokens, depth) / flat) if flat > 0 else 1.0
        return growth * tokens / self.prefill_tokens_per_s

    def _step_s(self, spec: TestSpec) -> float:
        """A step reads the weights and every stream's cache; each further stream also computes like a prompt token."""
        growth = 1.0
        if isinstance(self.model.traffic, Known):
            traffic, element_bytes = self.model.traffic.value, KV_TYPES.get(spec.kv_type, 2.0)
            alone = traffic.step_bytes()
            growth = traffic.step_bytes(spec.n_streams, spec.n_depth, element_bytes) / alone if alone > 0 else 1.0
        return growth / self.decode_tokens_per_s + (spec.n_streams - 1) / self.prefill_tokens_per_s

    def _slower(self, threads: int, usual: int, gain: float) -> float:
        if threads > self.logical:
            return CROWDED
        return max(1.0, gain * usual / threads)

    def _cache_bytes(self, depth: int, kv_type: str) -> float:
        if not depth or not isinstance(self.model.traffic, Known):
            return 0.0
        return self.model.traffic.value.kv_bytes_per_token(KV_TYPES.get(kv_type, 2.0)) * depth


def predictor(
    model: ModelFacts, machine: Machine, ceilings: Fact[Ceilings], prefill_threads: int, decode_threads: int
) -> Predictor:
    """From the ceilings where they are known, else from the file's size and a slow computer's figures."""
    prefill_rate, decode_rate = None, None
    if isinstance(ceilings, Known):
        prefill_rate = ceilings.value.prefill_tokens_per_s.or_none()
        decode_rate = ceilings.value.decode_tokens_per_s.or_none()
    decode_rate = decode_rate or UNKNOWN_BYTES_PER_S / max(model.weights_bytes, 1)
    prefill_rate = prefill_rate or UNKNOWN_FLOP_PER_S / (2 * max(model.parameters, 1))
    return Predictor(
        model,
        machine.cpu.logical,
        prefill_rate * TYPICAL_OF_CEILING,
        decode_rate * TYPICAL_OF_CEILING,
        prefill_threads,
        decode_threads,
    )
