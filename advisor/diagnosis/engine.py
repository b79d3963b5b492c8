"""From timeline, measurements and ceilings to the verdict: which phase is the user's problem, and why."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from advisor.benchmarks.model import Phase, Stamp, TestResult, merged_reasons
from advisor.benchmarks.phrases import phase_name, phase_word
from advisor.ceilings.model import Ceilings
from advisor.core.numbers import capital
from advisor.core.translation import tr
from advisor.diagnosis.context import context_words
from advisor.diagnosis.model import Finding, Limit, Problem, Timeline, Verdict, Workload
from advisor.diagnosis.phase_evidence import PhaseEvidence, gather
from advisor.diagnosis.problem import losses, problem_of
from advisor.diagnosis.rules import compute, fault, measured, memory, off_card, overhead, saturation, unknown, unpacking
from advisor.diagnosis.verdict_words import chat_words, depth_words, disturbed_words, headline_and_sentence
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine

RULES: Final[tuple[Callable[[PhaseEvidence], Finding | None], ...]] = (
    fault.apply, off_card.apply, measured.apply, memory.apply, compute.apply, overhead.apply, unpacking.apply,
    saturation.apply,
)
"""In order of authority: a fault spoils every other reading, layers in a slower memory outweigh the card's roof,
parts of the step that were measured alone outweigh what can only be read from its speed, a roof that is reached
explains itself, the rest is read from how far below it the phase stays. The first finding counts."""


def diagnose(
    workload: Workload, timeline: Timeline, tests: Sequence[TestResult], ceilings: Ceilings | None,
    model: ModelFacts, machine: Machine,
) -> Verdict:
    """The verdict on one request.

    Which phase is the problem follows from the rule in ``problem.py``: the one that loses most seconds, not the one
    with the lower utilisation. Both comfortable is a verdict of its own; so is a fault, which outranks both.
    """
    prefill, prefill_seen = _finding(Phase.PREFILL, workload, tests, ceilings, model, machine)
    decode, decode_seen = _finding(Phase.DECODE, workload, tests, ceilings, model, machine)
    lost = losses(workload, timeline, prefill, decode)
    problem = problem_of(*lost, prefill.limit, decode.limit)
    depth = depth_words(workload, timeline, None if decode_seen is None else decode_seen.row)
    # beside a speed at depth the share of a ceiling at none would be praise for another speed
    told = replace(decode, of_ceiling=None) if depth else decode
    headline, sentence = headline_and_sentence(problem, workload, timeline, prefill, told)
    if problem is not Problem.FAULT:
        sentence = f"{sentence} {depth}".rstrip()
    if problem is not Problem.FAULT:
        sentence = f"{sentence} {chat_words(workload, timeline)}".rstrip()
    seen = [evidence for evidence in (prefill_seen, decode_seen) if evidence is not None]
    too_long = context_words(workload, model)
    whole = " ".join(capital(part) for part in (too_long, sentence) if part)
    if problem is not Problem.FAULT:
        if any(evidence.invalid for evidence in seen):
            headline, whole = disturbed_words(headline, whole, _reasons(seen, Stamp.INVALID))
        elif suspect := _reasons(seen, Stamp.SUSPECT):
            whole = tr("{verdict} The run is suspect: {why}.", verdict=whole, why="; ".join(suspect))
    return Verdict(problem, headline, whole, prefill, decode, lost)


def _finding(
    phase: Phase, workload: Workload, tests: Sequence[TestResult], ceilings: Ceilings | None, model: ModelFacts,
    machine: Machine,
) -> tuple[Finding, PhaseEvidence | None]:
    evidence = gather(phase, workload, tests, ceilings, model, machine)
    if evidence is None:
        why = tr("{phase} is not measured.", phase=phase_name(phase))
        return Finding(phase, Limit.UNKNOWN, None, why), None
    if evidence.invalid and not evidence.conditions.fault:
        why = tr(
            "The run of {test} is not valid, so it does not tell what limits {phase}.",
            test=evidence.row.test, phase=phase_word(phase),
        )  # fmt: skip
        return Finding(phase, Limit.UNKNOWN, evidence.of_ceiling, why), evidence
    for rule in RULES:
        finding = rule(evidence)
        if finding is not None:
            return finding, evidence
    return unknown.apply(evidence), evidence


def _reasons(seen: Sequence[PhaseEvidence], stamp: Stamp) -> list[str]:
    """Why the runs carry that stamp, each reason once; of two that differ in their figures only, the first."""
    return merged_reasons(evidence.conditions for evidence in seen if evidence.conditions.stamp is stamp)
