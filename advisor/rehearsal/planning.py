"""Which tests a rehearsal makes of its stand-ins, and in how much of its time; pure functions."""

from dataclasses import dataclass, replace
from typing import Final

from advisor.benchmarks.job import PlannedTest
from advisor.benchmarks.model import Phase, TestResult, TestSpec
from advisor.benchmarks.planning import BenchSettings, Plan, threads
from advisor.benchmarks.steadiness import Repeat
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine

PROMPTS: Final = (512, 256, 128, 64)
"""Tokens of a prompt; the first whose time is there is taken. Below 512, matrices are multiplied less well."""
GEN: Final = 24
LEAST_GEN: Final = 4
PILOT_PROMPT, PILOT_GEN = 64, 4
PILOT_LONG_PROMPT: Final = 256
"""Read once more where it takes no longer than ``PILOT_S`` in all. Of a mixture a short prompt sends few tokens to each
expert, so that its tokens cost several times those of a long one, and prompts to come would be planned too short."""
PILOT_S: Final = 2.5
DEEP_PROMPT: Final = 128
LEAST_DEPTH: Final = 256
MOST_DEPTH: Final = 8192
TIMES: Final = 3
"""Repetitions of a test. The first is its warm-up and is not counted: a warm-up of the engine's usual kind would run
more steps than are measured, which on heavy models took most of the time."""
REPEAT: Final = Repeat(TIMES, TIMES, 0.02, 0.0)
PREFILL_SHARE, DEPTH_SHARE, DECODE_SHARE = 0.22, 0.10, 0.12
"""Shares of the time that is left after the pilot, of one round; loading and further rounds need the rest."""
_PILOT_REPEAT: Final = Repeat(2, 2, 0.05, 0.0)
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
    load_s = _load_s(facts)
    decode = _spec(machine, Phase.DECODE, 0, PILOT_GEN, 0, 1)
    short, longer = (_spec(machine, Phase.PREFILL, n, 0, 0, 1) for n in (PILOT_PROMPT, PILOT_LONG_PROMPT))
    tests = (
        PlannedTest(decode, _PILOT_REPEAT, 0.5),
        PlannedTest(short, _PILOT_REPEAT, 0.5),
        PlannedTest(longer, Repeat(1, 1, 0.05, 0.0), 0.5 * PILOT_LONG_PROMPT / PILOT_PROMPT, essential=False),
    )
    return Plan(tests, load_s, budget_s=load_s + PILOT_S)


def sizes(prefill_s: float, decode_s: float, left_s: float, deepest: int, streams: int) -> Sizes:
    """What fits the time.

    Args:
        prefill_s: seconds per prompt token of both stand-ins together.
        decode_s: seconds per step likewise.
        left_s: of the time that was given.
        deepest: tokens of the workload's context; the depth that would be best.
        streams: people at once.
    """
    n_prompt = next((n for n in PROMPTS if TIMES * n * prefill_s <= PREFILL_SHARE * left_s), PROMPTS[-1])
    n_gen = max(LEAST_GEN, min(GEN, int(DECODE_SHARE * left_s / max(decode_s, 1e-9) / TIMES)))
    depth = min(deepest, MOST_DEPTH, int(DEPTH_SHARE * left_s / prefill_s) - TIMES * DEEP_PROMPT)
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
    return PlannedTest(spec, REPEAT, repetition_s, fill_s, essential)


def settled(test: TestResult) -> TestResult:
    """Without its first repetition, which was its warm-up."""
    return replace(test, samples_s=test.samples_s[1:]) if len(test.samples_s) > 1 else test


def _load_s(facts: ModelFacts) -> float:
    return 1.0 + facts.weights_bytes / LOAD_BYTES_PER_S


def _spec(machine: Machine, phase: Phase, n_prompt: int, n_gen: int, depth: int, streams: int) -> TestSpec:
    settings = BenchSettings()
    return TestSpec(
        phase=phase, n_prompt=n_prompt, n_gen=n_gen, n_depth=depth, n_streams=streams,
        n_threads=threads(machine, settings, phase), n_batch=settings.n_batch, n_ubatch=settings.n_ubatch,
    )  # fmt: skip
