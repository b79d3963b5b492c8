"""Imported figures on a device of the accelerator table, in sentences: as fast as it should be, and what would help."""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.core.evidence import Known
from advisor.core.numbers import speed_range
from advisor.diagnosis.model import Problem, Workload
from advisor.diagnosis.on_device import PhaseOn, Place, fits, on_device
from advisor.hardware.catalog import Accelerator
from advisor.report import formatting as f
from advisor.report.import_words import problem_in

NAMES: Final = {Phase.PREFILL: "Prefill", Phase.DECODE: "Decode"}
HOLDS_BACK: Final = (
    "something holds it back, such as layers left on the CPU (-ngl 99), another program on the card, or a build "
    "without its backend"
)
HELPS: Final = {
    Problem.PREFILL: "Reading is bound by arithmetic: fewer prompt tokens, a prompt whose beginning is kept, or a "
    "device with more arithmetic shorten the wait; faster memory alone does not.",
    Problem.DECODE: "Writing is bound by memory: a smaller quantisation, guessing ahead (speculative decoding) or "
    "faster memory speed it up; more arithmetic alone does not.",
    Problem.NONE: "Nothing needs to be bought for this work.",
}


def device_sentences(run: ReportedRun, workload: Workload, device: Accelerator) -> list[str]:
    """What the device allows, what such devices reach, and what would help; one sentence where nothing is known."""
    said = [_device(run, device)]
    phases = [on_device(run, test, device) for phase in Phase if (test := _bare(run, phase)) is not None]
    said += [_phase(phase) for phase in phases]
    problem = problem_in(run, workload)
    if any(phase.place is Place.SLOWER for phase in phases):
        said.append("First find out what holds it back; then buy, if at all.")
    elif problem is not None and all(phase.place is not Place.IMPOSSIBLE for phase in phases):
        said.append(HELPS.get(problem, ""))
    return [words for words in said if words]


def _bare(run: ReportedRun, phase: Phase) -> ReportedTest | None:
    """The phase in the least depth, since what is said of devices leaves the cache out."""
    tests = [test for test in run.tests if test.phase is phase and (test.n_streams or 1) == 1]
    return min(tests, key=lambda test: test.n_depth or 0, default=None)


def _device(run: ReportedRun, device: Accelerator) -> str:
    figures = [f.size(device.memory_bytes)] if device.memory_bytes else []
    figures += [f.bandwidth(device.bandwidth_bytes_per_s)] if device.bandwidth_bytes_per_s else []
    words = f"Taken as measured on {device.name} ({', '.join(figures)}; {device.source.partition(';')[0]})."
    if fits(run, device) is False:
        words += " The model is larger than its memory, so that a part lay elsewhere."
    return words


def _phase(found: PhaseOn) -> str:
    name, test = NAMES[found.test.phase], found.test
    speed = f.tokens_per_s(test.tokens_per_s, test.spread_tokens_per_s)
    beginning = f"{name} ({test.test}): {speed}"
    if not isinstance(found.ceiling_tokens_per_s, Known):
        return f"{beginning}; what the device allows is unknown, {found.ceiling_tokens_per_s.reason}."
    allows = f"the {f.tokens_per_s(found.ceiling_tokens_per_s.value)} that {_bound(found)} allows"
    if found.place is Place.IMPOSSIBLE:
        return f"{beginning} is more than {allows}: it was another device or model, or several devices together."
    return f"{beginning} is {f.of_ceiling(found.of_ceiling or 0.0)} of {allows}; {_usual(found)}."


def _bound(found: PhaseOn) -> str:
    rated, per_token = found.rated.or_none() or 0.0, found.per_token.or_none() or 0.0
    if found.test.phase is Phase.DECODE:
        return f"its memory ({f.bandwidth(rated)} ÷ {f.size(per_token)} per token)"
    return f"its {found.numbers} arithmetic ({f.flop_rate(rated)} ÷ {f.flop(per_token)} per token)"


def _usual(found: PhaseOn) -> str:
    usual = found.expected.or_none()
    if usual is None:
        return "what such devices usually reach is unknown"
    reach = f"such devices usually reach {speed_range(usual.low, usual.high)}"
    if found.place is Place.SLOWER:
        return f"{reach}, so {HOLDS_BACK}"
    return f"{reach}, so it is {'faster than most' if found.place is Place.FASTER else 'as fast as it should be'}"
