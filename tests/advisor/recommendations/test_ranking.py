"""Order and bounds of all advice together."""

import random
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.benchmarks.model import Phase
from advisor.benchmarks.trials.model import SettingTrial
from advisor.cli.parser import parse
from advisor.core.evidence import Basis
from advisor.diagnosis.model import Problem
from advisor.diagnosis.workload import custom, preset
from advisor.recommendations.model import Advice
from advisor.recommendations.ranking import ADVICE, FIRST, rank
from advisor.recommendations.saving import from_factors, within
from advisor.recommendations.wont_help import wont_help
from tests.advisor.recommendations.known_flags import unknown_words
from tests.support.evidence import ceilings, evidence, machine, pp, recommend, tg
from tests.support.situations import situations


def advice(name: str, saved_s: float) -> Advice:
    return Advice(name, Phase.DECODE, "t", "d", saved_s, saved_s, saved_s, Basis.COMPUTED, (), "c", "u", "e")


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(0, 100)), unique_by=lambda pair: pair[0]),
       st.randoms(use_true_random=False))
def test_ranking_does_not_depend_on_input_order(pairs, shuffler: random.Random) -> None:
    items = [advice(name, saved) for name, saved in pairs]
    shuffled = list(items)
    shuffler.shuffle(shuffled)
    ranked = rank(items)
    assert rank(shuffled) == ranked
    assert [one.saved_s for one in ranked] == sorted((one.saved_s for one in items), reverse=True)


def test_the_design_laptop_saves_most_by_the_prompt() -> None:
    found = recommend(evidence(preset("rag"), (pp(41.3), tg(11.6)), bounds=ceilings()))
    assert [one.id for one in found] == ["add-gpu", "shorten-prompt", "reuse-prefix"]


def test_every_advice_has_another_name() -> None:
    held = evidence(preset("many-users"), (pp(900), tg(9)), bounds=ceilings(), computer=machine(on_battery=True))
    names = [one.id for one in recommend(held)]
    assert len(set(names)) == len(names)
    assert len(ADVICE) == 20


@settings(max_examples=150, deadline=None)
@given(situations())
def test_no_advice_saves_more_than_its_phase_costs(held) -> None:
    found = recommend(held)
    for one in found:
        other = Phase.DECODE if one.phase is Phase.PREFILL else Phase.PREFILL
        assert one.saved_s_low <= one.saved_s <= one.saved_s_high <= held.cost_s(one.phase)
        assert one.saved_s > 0
        assert one.other_saved_s <= held.cost_s(other)
        assert one.title and one.detail and one.cost and one.undo and one.evidence and one.how
        if held.verdict.problem is Problem.FAULT:
            assert not one.costs_money
    ordered = [one.saved_s for one in found if one.id not in FIRST]
    assert ordered == sorted(ordered, reverse=True)
    for ruled_out in wont_help(held):
        assert ruled_out.sentence.endswith(".")
        assert ruled_out.evidence
    assert not {one.id for one in found} & {one.id for one in wont_help(held)}


@settings(max_examples=60, deadline=None)
@given(situations(), st.randoms(use_true_random=False))
def test_advice_does_not_depend_on_the_order_of_the_rows(held, shuffler: random.Random) -> None:
    rows = list(held.tests)
    shuffler.shuffle(rows)
    assert recommend(replace(held, tests=tuple(rows))) == recommend(held)


@settings(max_examples=100, deadline=None)
@given(situations())
def test_a_trial_compares_a_phase_with_itself(held) -> None:
    for one in recommend(held):
        if isinstance(one.trial, SettingTrial):
            before, after = one.trial.before, one.trial.after
            assert [test.phase for test in before.tests] == [test.phase for test in after.tests]
            assert before != after
            assert len({test.phase for test in before.tests}) == len(before.tests)
            assert one.phase in {test.phase for test in before.tests}


@settings(max_examples=150, deadline=None)
@given(situations())
def test_every_command_has_only_options_that_its_program_has_today(held) -> None:
    for one in recommend(held):
        for how in one.how:
            if how.command.startswith("two-machines"):
                parse(how.command.split()[1:])
            elif how.command and "pip install" not in how.command and not how.command.startswith("cmake"):
                assert not unknown_words(how.command), how.command


@given(st.floats(0.001, 1e6), st.floats(0.01, 1e3), st.floats(0.01, 1e3), st.floats(0.01, 1e3))
def test_savings_are_in_order_and_bounded(cost, one, two, three) -> None:
    for saving in (from_factors(cost, one, two, three), within(cost, one, two, three)):
        assert saving.low_s <= saving.middle_s <= saving.high_s <= cost


@pytest.mark.parametrize("prompt", [1, 2, 3, 300, 100_000, 1_000_000])
@pytest.mark.parametrize("answer", [1, 2, 300, 30_000])
@pytest.mark.parametrize("shared", [0, 1, 2])
@pytest.mark.parametrize("speeds", [(41.3, 11.6), (2250, 29.4), (0.01, 0.004), (5000, 400)])
def test_every_sentence_begins_with_a_capital_and_agrees_with_its_counts(prompt, answer, shared, speeds) -> None:
    held = evidence(custom(prompt, answer, min(shared, prompt)), (pp(speeds[0]), tg(speeds[1])), bounds=ceilings())
    verdict = held.verdict
    texts = [verdict.headline, verdict.sentence, verdict.prefill.because, verdict.decode.because]
    for advice in recommend(held):
        texts += [advice.title, advice.detail, advice.evidence]
    for item in wont_help(held):
        texts += [item.sentence, item.evidence]
    for text in texts:
        assert not re.search(r"(^|[.!?] )[a-z]", text), text
        assert not re.search(r"(?<![\d,.])1\s(tokens|threads|experts|people|passages|repetitions)\b(?!/)", text), text
        assert not re.search(r"(?<![\d,.])0\.00\s", text), text
    assert not re.search(r"(?<![\d,.])1\stokens\b(?!/)", held.timeline.basis)


def test_many_times_the_bytes_is_not_said_in_per_cent() -> None:
    held = evidence(custom(2_000_000, 300), (pp(2250), tg(29.4)))
    assert "reads up to 58× as many bytes" in held.timeline.basis
