"""Which tests a rehearsal makes of its stand-ins, and in how much of its time; pure functions."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.job import PlannedTest
from advisor.benchmarks.model import Phase, TestSpec
from advisor.benchmarks.planning import BenchSettings, Plan, threads
from advisor.benchmarks.steadiness import Repeat
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine

PROMPTS: Final = (512, 256, 128, 64)
"""Tokens of a prompt; the first whose time is there is taken. Below 512, matrices are multiplied less well."""
GEN: Final = 24
LEAST_GEN: Final = 8
PILOT_PROMPT, PILOT_GEN = 64, 4
DEEP_PROMPT: Final = 128
LEAST_DEPTH: Final = 256
MOST_DEPTH: Final = 8192
REPEAT: Final = Repeat(2, 3, 0.02)
TIMES: Final = 4.5
"""A test's warm-ups and repetitions may take so many times one repetition: two of each, on a machine that is steady."""
PREFILL_SHARE, DEPTH_SHARE, DECODE_SHARE = 0.16, 0.10, 0.14
"""Shares of the time that is left after the pilot, of one round; loading and further rounds need the rest."""
LOAD_BYTES_PER_S: Final = 1e9


@dataclass(frozen=True, slots=True)
class Sizes:
    """What one round measures.

    Attributes:
        depth: tokens in the cache for the second pair of tests; 0 for none.
    """

    n_prompt: int
    n_gen: int
    depth: int
    streams: int = 1


def pilot(machine: Machine, facts: ModelFacts) -> Plan:
    """A few tokens of each phase on the smaller stand-in: they tell how fast this machine is."""
    specs = (
        _spec(machine, Phase.DECODE, 0, PILOT_GEN, 0, 1),
        _spec(machine, Phase.PREFILL, PILOT_PROMPT, 0, 0, 1),
    )
    return Plan(tuple(PlannedTest(spec, Repeat(2, 2, 0.05, 0.0), 1.0) for spec in specs), _load_s(facts))


def sizes(prefill_s: float, decode_s: float, left_s: float, deepest: int, streams: int) -> Sizes:
    """What fits the time.

    Args:
        prefill_s: seconds per prompt token of both stand-ins together.
        decode_s: seconds per step likewise.
        left_s: of the time that was given.
        deepest: tokens of the workload's context; the depth that would be best.
        streams: people at once.
    """
    # a test is warmed up twice and repeated at least twice
    n_prompt = next((n for n in PROMPTS if 4 * n * prefill_s <= PREFILL_SHARE * left_s), PROMPTS[-1])
    steps = (DECODE_SHARE * left_s / max(decode_s, 1e-9) - 16) / 2
    n_gen = max(LEAST_GEN, min(GEN, int(steps)))
    depth = min(deepest, MOST_DEPTH, int(DEPTH_SHARE * left_s / prefill_s) - 4 * DEEP_PROMPT)
    return Sizes(n_prompt, n_gen, depth if depth >= LEAST_DEPTH else 0, streams)


def round_plan(machine: Machine, facts: ModelFacts, what: Sizes, prefill_s: float, decode_s: float) -> Plan:
    """One round's tests of one stand-in, with what they will cost by these seconds per token of its own."""
    tests = [
        _planned(_spec(machine, Phase.PREFILL, what.n_prompt, 0, 0, 1), what.n_prompt * prefill_s, 0.0),
        _planned(_spec(machine, Phase.DECODE, 0, what.n_gen, 0, 1), what.n_gen * decode_s, 0.0),
    ]
    if what.depth:
        fill_s = what.depth * prefill_s
        deep = _spec(machine, Phase.PREFILL, DEEP_PROMPT, 0, what.depth, 1)
        tests.append(_planned(deep, DEEP_PROMPT * prefill_s, fill_s, essential=False))
        deep = _spec(machine, Phase.DECODE, 0, what.n_gen, what.depth, 1)
        tests.append(_planned(deep, what.n_gen * decode_s, fill_s, essential=False))
    if what.streams > 1:
        together = _spec(machine, Phase.DECODE, 0, LEAST_GEN, 0, what.streams)
        tests.append(_planned(together, LEAST_GEN * decode_s * what.streams, 0.0, essential=False))
    return Plan(tuple(tests), _load_s(facts))


def _planned(spec: TestSpec, repetition_s: float, fill_s: float, essential: bool = True) -> PlannedTest:
    return PlannedTest(spec, REPEAT._replace(budget_s=TIMES * repetition_s), repetition_s, fill_s, essential)


def _load_s(facts: ModelFacts) -> float:
    return 1.0 + facts.weights_bytes / LOAD_BYTES_PER_S


def _spec(machine: Machine, phase: Phase, n_prompt: int, n_gen: int, depth: int, streams: int) -> TestSpec:
    settings = BenchSettings()
    return TestSpec(
        phase=phase, n_prompt=n_prompt, n_gen=n_gen, n_depth=depth, n_streams=streams,
        n_threads=threads(machine, settings, phase), n_batch=settings.n_batch, n_ubatch=settings.n_ubatch,
    )  # fmt: skip
