"""The problem phase from two bare speeds, as another tool reports them: the rule of ``problem.py`` without limits."""

from dataclasses import dataclass

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Missing, Unknown
from advisor.core.translation import tr
from advisor.diagnosis.model import Limit, Loss, Problem, Workload
from advisor.diagnosis.problem import problem_of


@dataclass(frozen=True, slots=True)
class BareAnswer:
    """What two speeds mean for a request, each taken as the same at every length and depth.

    Attributes:
        wait_s: until the first word, the whole prompt read anew.
        stream_s: of the answer.
        problem: never a fault, which speeds alone do not show.
    """

    problem: Problem
    wait_s: float
    stream_s: float


def from_speeds(workload: Workload, prefill_tokens_per_s: float, decode_tokens_per_s: float) -> BareAnswer:
    """One request of the workload at these speeds, both above 0; of several people, for the last in line."""
    wait_s = workload.users * workload.prompt_tokens / prefill_tokens_per_s
    stream_s = workload.users * workload.answer_tokens / decode_tokens_per_s
    comfort = workload.comfort
    no_ceiling = Unknown(tr("an imported speed has no ceiling beside it"), Missing.NOT_SUPPORTED)
    reading = Loss(Phase.PREFILL, wait_s, max(0.0, wait_s - comfort.longest_wait_s), no_ceiling)
    comfortable_s = workload.answer_tokens / comfort.slowest_tokens_per_s
    writing = Loss(Phase.DECODE, stream_s, max(0.0, stream_s - comfortable_s), no_ceiling)
    return BareAnswer(problem_of(reading, writing, Limit.UNKNOWN, Limit.UNKNOWN), wait_s, stream_s)
