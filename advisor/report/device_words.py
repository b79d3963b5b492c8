"""Imported figures on a device of the accelerator table, in sentences: as fast as it should be, and what would help."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.core.evidence import Known, Unknown
from advisor.core.numbers import speed_range
from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Problem, Workload
from advisor.diagnosis.on_device import PhaseOn, Place, fits, on_device
from advisor.hardware.catalog import DEVICE_KINDS, Accelerator, accelerators, find
from advisor.report import formatting as f
from advisor.report.import_words import problem_in

NAMES: Final = {Phase.PREFILL: "Prefill", Phase.DECODE: "Decode"}
OWN: Final = "the device that you describe"
"""Name of a device whose figures the user has given instead of one of the table."""
HOLDS_BACK: Final = marked(
    "something holds it back, such as layers left on the CPU (-ngl 99), another program on the card, or a build "
    "without its backend"
)
HELPS: Final = {
    Problem.PREFILL: marked(
        "Reading is bound by arithmetic: fewer prompt tokens, a prompt whose beginning is kept, or a device with more "
        "arithmetic shorten the wait; faster memory alone does not."
    ),
    Problem.DECODE: marked(
        "Writing is bound by memory: a smaller quantisation, guessing ahead (speculative decoding) or faster memory "
        "speed it up; more arithmetic alone does not."
    ),
    Problem.NONE: marked("Nothing needs to be bought for this work."),
}
_NUMBERS: Final = {"8-bit": marked("8-bit"), "16-bit": marked("16-bit")}


def device_names() -> tuple[str, ...]:
    """The devices of the table that a model can lie on, by name."""
    return tuple(sorted(row.name for row in accelerators() if row.kind in DEVICE_KINDS))


def placed(runs: Sequence[ReportedRun], device: Accelerator | None) -> tuple[ReportedRun, ...]:
    """The runs with a named device where their source names none."""
    if device is None or device.name == OWN:
        return tuple(runs)
    return tuple(run if run.gpus else replace(run, gpus=(device.name,)) for run in runs)


def device_of(run: ReportedRun, given: Accelerator | None) -> Accelerator | None:
    """The device to judge a run by: the given one, else its only card where the table knows it and it was used."""
    if given is not None:
        return given
    on_cpu = any(test.device == "CPU" for test in run.tests)
    names = set(run.gpus)
    return find(names.pop()) if len(names) == 1 and not on_cpu else None


def device_words(run: ReportedRun, workload: Workload, given: Accelerator | None = None) -> list[str]:
    """What is said of the device that it was measured on; nothing where that is not known."""
    device = device_of(run, given)
    return device_sentences(run, workload, device) if device else []


def device_sentences(run: ReportedRun, workload: Workload, device: Accelerator) -> list[str]:
    """What the device allows, what such devices reach, and what would help; one sentence where nothing is known."""
    said = [_device(run, device)]
    phases = [on_device(run, test, device) for phase in Phase if (test := _bare(run, phase)) is not None]
    larger = fits(run, device) is False
    said += [_phase(phase, larger) for phase in phases]
    problem = problem_in(run, workload)
    slower = any(phase.place is Place.SLOWER for phase in phases)
    if slower and larger:
        said.append(tr("A smaller file that fits, or more memory of the same kind (a second card), helps most."))
    elif slower:
        said.append(tr("First find out what holds it back; then buy, if at all."))
    elif problem is not None and all(phase.place is not Place.IMPOSSIBLE for phase in phases):
        said.append(tr(HELPS.get(problem, "")))
    return [words for words in said if words]


def _bare(run: ReportedRun, phase: Phase) -> ReportedTest | None:
    """The phase in the least depth, since what is said of devices leaves the cache out."""
    tests = [test for test in run.tests if test.phase is phase and (test.n_streams or 1) == 1]
    return min(tests, key=lambda test: test.n_depth or 0, default=None)


def _device(run: ReportedRun, device: Accelerator) -> str:
    figures = [f.size(device.memory_bytes)] if device.memory_bytes else []
    figures += [f.bandwidth(device.bandwidth_bytes_per_s)] if device.bandwidth_bytes_per_s else []
    words = tr(
        "Taken as measured on {device} ({figures}; {source}).",
        device=device.name, figures=", ".join(figures), source=device.source.partition(";")[0],
    )  # fmt: skip
    if fits(run, device) is False:
        words += " " + tr("The model is larger than its memory, so that a part lay elsewhere.")
    return words


def _phase(found: PhaseOn, larger: bool) -> str:
    name, test = NAMES[found.test.phase], found.test
    speed = f.tokens_per_s(test.tokens_per_s, test.spread_tokens_per_s)
    beginning = f"{name} ({test.test}): {speed}"
    if not isinstance(found.ceiling_tokens_per_s, Known):
        reason = f.why(found.ceiling_tokens_per_s)
        return tr("{speed}; what the device allows is unknown, {reason}.", speed=beginning, reason=reason)
    ceiling, bound = f.tokens_per_s(found.ceiling_tokens_per_s.value), _bound(found)
    if found.place is Place.IMPOSSIBLE:
        return tr(
            "{speed} is more than the {ceiling} that {bound} allows: it was another device or model, or several "
            "devices together.",
            speed=beginning, ceiling=ceiling, bound=bound,
        )  # fmt: skip
    return tr(
        "{speed} is {share} of the {ceiling} that {bound} allows; {usual}.",
        speed=beginning, share=f.of_ceiling(found.of_ceiling or 0.0), ceiling=ceiling, bound=bound,
        usual=_usual(found, larger),
    )  # fmt: skip


def _bound(found: PhaseOn) -> str:
    rated, per_token = found.rated.or_none() or 0.0, found.per_token.or_none() or 0.0
    if found.test.phase is Phase.DECODE:
        if found.experts:
            return tr(
                "its memory ({rated} ÷ {size} per token, {used} of {all}\u00a0experts)",
                rated=f.bandwidth(rated), size=f.size(per_token), used=f.count(found.experts_used),
                all=f.count(found.experts),
            )  # fmt: skip
        return tr("its memory ({rated} ÷ {size} per token)", rated=f.bandwidth(rated), size=f.size(per_token))
    return tr(
        "its {numbers} arithmetic ({rated} ÷ {work} per token)",
        numbers=tr(_NUMBERS.get(found.numbers, found.numbers)), rated=f.flop_rate(rated), work=f.flop(per_token),
    )  # fmt: skip


def _usual(found: PhaseOn, larger: bool) -> str:
    usual = found.expected.or_none()
    if usual is None:
        if isinstance(found.expected, Unknown) and found.expected.reason:
            return tr("what such devices usually reach is unknown, {reason}", reason=f.why(found.expected))
        return tr("what such devices usually reach is unknown")
    reach = speed_range(usual.low, usual.high)
    if larger and found.place is Place.SLOWER:
        return tr("such devices usually reach {speed} with the whole model on them, so the part that lies elsewhere "
                  "sets the pace", speed=reach)
    if found.place is Place.SLOWER:
        return tr("such devices usually reach {speed}, so {why}", speed=reach, why=tr(HOLDS_BACK))
    if found.place is Place.FASTER:
        return tr("such devices usually reach {speed}, so it is faster than most", speed=reach)
    return tr("such devices usually reach {speed}, so it is as fast as it should be", speed=reach)
