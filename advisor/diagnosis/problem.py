"""Which phase is the user's problem: the whole rule, with its thresholds, in one place.

1. Something is wrong (a fault in either phase): nothing else counts until that is cleared up.
2. A phase is a candidate when it loses seconds against the comfort line: prefill by every wait for the first word
   beyond the longest comfortable one, decode by every second of streaming beyond what the answer takes at the slowest
   comfortable speed. In a chat the losses of all turns add up, as they come: read again, or kept where the user says
   that the program keeps the context.
3. Without a candidate neither is the problem. One candidate is it. Of two it is the one that loses more.
4. Where both lose about the same (``ABOUT_THE_SAME``) it is the one that stays further above the time that its ceiling
   allows, since that is what can still be had on this machine; then the one that loses more.

The utilisation of the phases decides nothing: a phase at 20 % of its ceiling that is comfortable is no problem.
"""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.phrases import phase_word
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.diagnosis.model import Finding, Limit, Loss, Problem, Timeline, Workload

ABOUT_THE_SAME: Final = 0.1
"""Share of the larger loss up to which two losses count as the same: speeds of two runs differ by up to 3 %, and each
loss is a difference of two times."""


def waits_s(workload: Workload, timeline: Timeline) -> tuple[float, ...]:
    """Seconds until the first word of each turn, as the user's program makes them; of one request its own."""
    if len(timeline.turns) < 2:
        return (timeline.wait_s,)
    return tuple((turn.wait_kept if workload.prefix_kept else turn.wait).middle_s for turn in timeline.turns)


def streams_s(timeline: Timeline) -> tuple[float, ...]:
    """Seconds of each turn's answer; of one request its own."""
    if len(timeline.turns) < 2:
        return (timeline.stream_s,)
    return tuple(turn.stream.middle_s for turn in timeline.turns)


def lost_s(workload: Workload, timeline: Timeline) -> tuple[float, float]:
    """Seconds beyond comfort: (waiting for the first word, streaming), all turns together. Both at least 0."""
    comfort = workload.comfort
    comfortable_stream_s = workload.answer_tokens / comfort.slowest_tokens_per_s
    return (
        sum(max(0.0, wait_s - comfort.longest_wait_s) for wait_s in waits_s(workload, timeline)),
        sum(max(0.0, stream_s - comfortable_stream_s) for stream_s in streams_s(timeline)),
    )


def losses(workload: Workload, timeline: Timeline, prefill: Finding, decode: Finding) -> tuple[Loss, Loss]:
    """Of prefill and of decode, with the seconds above each phase's ceiling beside those beyond comfort."""
    waiting_s, streaming_s = lost_s(workload, timeline)
    return (
        _loss(prefill, sum(waits_s(workload, timeline)), waiting_s),
        _loss(decode, sum(streams_s(timeline)), streaming_s),
    )


def problem_of(prefill: Loss, decode: Loss, prefill_limit: Limit, decode_limit: Limit) -> Problem:
    """The rule above."""
    if Limit.FAULT in (prefill_limit, decode_limit):
        return Problem.FAULT
    waiting_s, streaming_s = prefill.beyond_comfort_s, decode.beyond_comfort_s
    if waiting_s <= 0 and streaming_s <= 0:
        return Problem.NONE
    more = Problem.PREFILL if waiting_s >= streaming_s else Problem.DECODE
    if not about_the_same(prefill, decode):
        return more
    reading, writing = prefill.above_ceiling_s.or_none(), decode.above_ceiling_s.or_none()
    if reading is None or writing is None or reading == writing:
        return more
    return Problem.PREFILL if reading > writing else Problem.DECODE


def about_the_same(first: Loss, second: Loss) -> bool:
    """Whether both phases lose about as many seconds beyond comfort, and any at all."""
    less_s, more_s = sorted((first.beyond_comfort_s, second.beyond_comfort_s))
    return less_s > 0 and less_s >= more_s * (1 - ABOUT_THE_SAME)


def _loss(finding: Finding, took_s: float, beyond_comfort_s: float) -> Loss:
    phase = Phase(finding.phase)
    unknown = tr("the ceiling of {phase} is not known", phase=phase_word(phase))
    above: Fact[float] = Unknown(unknown, Missing.NOT_YET)
    if finding.of_ceiling is not None:
        source = tr("the phase's seconds less what they would be at its ceiling")
        above = Known(took_s * (1 - min(finding.of_ceiling, 1.0)), Basis.COMPUTED, source)
    return Loss(phase, took_s, beyond_comfort_s, above)
