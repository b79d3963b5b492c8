"""How long a child may take before it counts as hung."""

from typing import Final

from advisor.benchmarks.planning.plan import Plan
from advisor.benchmarks.supervisor import Limits

SHORTEST_SILENCE_S: Final = 120.0
TIMES_PREDICTED: Final = 20.0
"""One prefill can say nothing until it is done, and its prediction may be far off."""


def plan_limits(plan: Plan) -> Limits:
    """Silence: many times the longest single piece; altogether: as often as there are pieces."""
    longest = max([plan.load_s, *(max(test.repetition_s, test.fill_s) for test in plan.tests)])
    silence = max(SHORTEST_SILENCE_S, TIMES_PREDICTED * longest)
    repetitions = sum(test.repeat.maximum + 1 for test in plan.tests)
    return Limits(silence_s=silence, total_s=silence * (repetitions + 2))
