"""Verdict and advice in German: the same figures, the same hedges, nothing left in English."""

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.benchmarks.model import EngineCheck, EngineMode, Phase
from advisor.benchmarks.trials.model import SettingTrial
from advisor.core.evidence import Basis, Known
from advisor.core.translation import language, tr
from advisor.diagnosis.workload import preset
from advisor.recommendations import chunk_prefill, unused_gpu
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, WontHelp
from advisor.recommendations.ranking import advise
from advisor.recommendations.wont_help import wont_help
from tests.support.evidence import (
    C01_SWEEP,
    VALID,
    ceilings,
    device,
    engine,
    evidence,
    gpu,
    machine,
    pp,
    recommend,
    tg,
)
from tests.support.in_german import assert_same, in_german
from tests.support.situations import situations

OWN = ("it crashed", "It crashed", "not asked in this test", "max of float32", "float32 BLAS")
"""Texts that the evidence of these tests brings along."""


def brought(held: Evidence) -> tuple[str, ...]:
    """Those, and the sources of ceilings, which are said when they are measured."""
    ceiling = None if held.ceilings is None else held.ceilings.decode_tokens_per_s
    return (*OWN, ceiling.source) if isinstance(ceiling, Known) else OWN


def said_of(held: Evidence) -> list[str]:
    """Everything that a user reads of a diagnosis, in the present language."""
    verdict, timeline = held.verdict, held.timeline
    said = [verdict.headline, verdict.sentence, verdict.prefill.because, verdict.decode.because, timeline.basis,
            timeline.kept_basis]  # fmt: skip
    for loss in verdict.losses:
        said.append(loss.above_ceiling_s.source if isinstance(loss.above_ceiling_s, Known) else "")
    for one in recommend(held):
        said += of_advice(one)
    for other in wont_help(held):
        said += [other.sentence, other.evidence]
    return said


def of_advice(one: Advice) -> list[str]:
    said = [one.title, one.detail, one.cost, one.undo, one.evidence, tr(one.saves_what)]
    if one.id != chunk_prefill.ID:  # its ways are the servers' settings, which servers/flags.py says
        said += [text for how in one.how for text in (how.where, how.words)]
    if isinstance(one.trial, SettingTrial):
        said += [one.trial.before.words, one.trial.after.words]
    return said


def anew(held: Evidence) -> Evidence:
    """The same evidence with timeline and verdict made again, in the present language."""
    return evidence(
        held.asked, held.tests, facts=held.model, bounds=held.ceilings, computer=held.machine, runtime=held.engine
    )


@settings(max_examples=200, deadline=None)
@given(situations(conditions=st.just(VALID)))
def test_whatever_was_measured_german_says_the_same_figures(held: Evidence) -> None:
    def all_of_it() -> list[str]:
        return said_of(anew(held))

    assert_same(all_of_it(), in_german(all_of_it), brought(held))
    assert language() == "en"


def test_commands_and_keys_are_the_same_in_every_language() -> None:
    held = evidence(preset("many-users"), (pp(900), tg(9)), bounds=ceilings(), computer=machine(on_battery=True))

    def keys() -> list[object]:
        return [(one.id, one.phase, one.saved_s, one.saves_what, [how.command for how in one.how])
                for one in recommend(anew(held))]  # fmt: skip

    assert keys() == in_german(keys)


@pytest.mark.parametrize(("work", "tests"), [
    ("rag", (pp(41.3), tg(11.6))), ("rag", C01_SWEEP), ("long-writing", (pp(300), tg(6))),
    ("long-writing", (pp(900), tg(33))), ("chat", (pp(900), tg(33))), ("chat", (pp(20), tg(3))),
    ("chat", (pp(30, safe=True), tg(4, safe=True))), ("many-users", (pp(900), tg(9))), ("coding", (pp(41.3), tg(11.6))),
    ("rag", (pp(5), tg(40))),
])  # fmt: skip
def test_the_verdict_cases(work, tests) -> None:
    bounds = ceilings()

    def all_of_it() -> list[str]:
        return said_of(evidence(preset(work), tests, bounds=bounds))

    assert_same(all_of_it(), in_german(all_of_it), brought(evidence(preset(work), tests, bounds=bounds)))


def test_the_design_picture(german: None) -> None:
    verdict = evidence(preset("rag"), (pp(41.3), tg(11.6)), bounds=ceilings()).verdict
    assert verdict.headline == "Das Problem ist Prefill."
    assert verdict.sentence.replace("\u00a0", " ") == (
        "79 % jeder Anfrage vergehen vor dem ersten Wort: 1 min 37 s, um 4.000 Tokens zu lesen. Decode läuft schon mit "
        "87 % der Obergrenze und hält mit dem Lesen Schritt."
    )
    assert "4,62 GB pro Token" in verdict.decode.because.replace("\u00a0", " ")


def test_hedges_are_kept(german: None) -> None:
    held = evidence(preset("rag"), (pp(41.3), tg(11.6)), bounds=ceilings())
    card = next(one for one in recommend(held) if one.id == "add-gpu")
    assert "Geschätzt aus veröffentlichten Messungen" in card.evidence
    assert "vier von fünf solchen Karten liegen darin" in card.evidence
    shared = evidence(preset("rag"), (pp(41.3), tg(11.6)), bounds=ceilings(),
                      computer=machine(gpus=[gpu("Iris Xe", shares=True)]))
    integrated = next(one for one in recommend(shared) if one.id == "use-gpu")
    assert "vielleicht" in integrated.detail
    assert "jede Phase kann also gewinnen oder verlieren" in integrated.detail


@pytest.mark.parametrize("offload", [False, True])
@pytest.mark.parametrize("vendor", ["nvidia", "amd", ""])
def test_a_card_that_lies_idle(vendor, offload) -> None:
    held = machine(gpus=[replace(gpu("RTX 3090"), vendor=vendor)])

    def sentence() -> list[str]:
        return [unused_gpu.sentence(held, engine(gpu_offload=offload)) or ""]

    assert_same(sentence(), in_german(sentence), OWN)
    assert "then then" not in sentence()[0]


def test_safe_mode_is_mended_in_german_words() -> None:
    check = EngineCheck(EngineMode.ONE_THREAD, "it crashed")
    runtime = engine(devices=[replace(device("CPU", "cpu"), self_test=Known(check, Basis.MEASURED, "test"))])
    rows = (pp(41.3, safe=True), tg(11.6, safe=True))

    def mended() -> list[str]:
        held = evidence(preset("rag"), rows, bounds=ceilings(), runtime=runtime)
        advice = next(one for one in advise(held).advice if one.id == "engine-build")
        return of_advice(advice)

    assert_same(mended(), in_german(mended), OWN)


def test_every_ruled_out_thing_has_a_sentence_in_german() -> None:
    held = evidence(preset("rag"), (pp(41.3), tg(11.6)), bounds=ceilings())
    english = wont_help(held)
    german = in_german(partial(wont_help, held))
    assert [item.id for item in english] == [item.id for item in german]
    assert all(_differs(one, other) for one, other in zip(english, german, strict=True))
    assert {phase.value for phase in Phase} == {"prefill", "decode"}


def _differs(one: WontHelp, other: WontHelp) -> bool:
    return one.sentence != other.sentence
