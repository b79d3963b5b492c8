"""Order and bounds of all advice together."""

import random
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.benchmarks.model import Conditions, EngineCheck, EngineMode, FlashAttention, Phase, Stamp, Sweep
from advisor.benchmarks.trials.model import SettingTrial
from advisor.cli.parser import parse
from advisor.core.evidence import Basis, Known
from advisor.diagnosis.model import Problem
from advisor.diagnosis.workload import PRESETS, custom, preset
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice
from advisor.recommendations.ranking import ADVICE, FIRST, rank
from advisor.recommendations.saving import from_factors, from_share, within
from advisor.recommendations.wont_help import wont_help
from tests.advisor.recommendations.known_flags import unknown_words
from tests.support.evidence import (
    VALID,
    ceilings,
    device,
    engine,
    evidence,
    gpu,
    machine,
    model,
    pp,
    recommend,
    tg,
    traffic,
)


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
    assert len(ADVICE) == 19


workloads = st.builds(
    custom, prompt=st.integers(1_000, 50_000), answer=st.integers(1, 5_000), shared=st.integers(0, 1_000),
    users=st.sampled_from((1, 1, 1, 4, 32)),
) | st.sampled_from(list(PRESETS.values()))
models = st.builds(
    lambda weights, bits, window, mixture: model(
        traffic(weights, weights * 8 / bits, window=window, experts=64 if mixture else 0,
                experts_used=4 if mixture else 0, expert_bytes=weights * 5 if mixture else 0),
        bits=bits, label="Q4_K_M" if bits < 5.5 else "Q8_0"),
    st.floats(1e8, 80e9), st.floats(2, 16), st.sampled_from((None, 512)), st.booleans(),
)
computers = st.builds(
    lambda cards, battery, guest: machine(gpus=cards, on_battery=battery, virtual=guest),
    st.sampled_from(((), (gpu(),), (gpu(bytes_per_s=None),), (gpu(shares=True),))), st.booleans(), st.booleans(),
)


reasons = st.sampled_from((
    VALID,
    Conditions(Stamp.INVALID, ("other programs used 64\u00a0% of the CPU, most of all backup",)),
    Conditions(Stamp.SUSPECT, ("the processor was throttled 3\u00a0times",)),
    Conditions(Stamp.INVALID, ("the computer was swapping",), fault=True),
))


@st.composite
def situations(draw) -> Evidence:  # type: ignore[no-untyped-def]
    """Any machine, model, work and figures, with any points of any curves."""
    facts, where = draw(models), draw(st.sampled_from(("CPU", "CUDA0", "CUDA0+CPU")))
    read, write = draw(st.floats(0.5, 1e4)), draw(st.floats(0.5, 300))
    more = {"on": where, "conditions": draw(reasons), "safe": draw(st.booleans())}
    rows = [pp([read, read * 1.1], **more), tg([write, write * 0.97], **more)]
    factor = st.floats(0.3, 3)
    for ubatch in draw(st.sets(st.sampled_from((128, 256, 512, 1024, 2048)))):
        rows.append(replace(pp([read * draw(factor)] * 3, tokens=2048, **more), n_ubatch=ubatch, sweep=Sweep.UBATCH))
    for streams in draw(st.sets(st.integers(2, 32), max_size=4)):
        rows.append(replace(tg([write * draw(factor)] * 3, tokens=16 * streams, **more), n_streams=streams, n_gen=16,
                            sweep=Sweep.BATCH))
    for make, speed in ((pp, read), (tg, write)):
        for setting in ({"sweep": Sweep.DEPTH}, {"sweep": Sweep.KV_TYPE, "kv_type": "q8_0"},
                        {"sweep": Sweep.FLASH_ATTENTION, "flash_attention": FlashAttention.OFF}):
            if draw(st.booleans()):
                point = make([speed * draw(factor)] * 3, tokens=512 if make is pp else 32, depth=4000, **more)
                rows.append(replace(point, **setting))
    bounds = ceilings(facts.traffic.value, draw(st.floats(5e9, 2e12)), draw(st.floats(1e10, 1e14)))
    check = EngineCheck(EngineMode.NO_EXTRA_BUFFERS, "it crashed")
    found = [device(), replace(device("CPU", "cpu"), self_test=Known(check, Basis.MEASURED, "test"))]
    runtime = engine(gpu_offload=draw(st.booleans()), devices=draw(st.sampled_from(((), found))))
    return evidence(draw(workloads), rows, facts=facts, bounds=bounds, computer=draw(computers), runtime=runtime)


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
    for saving in (from_factors(cost, one, two, three), within(cost, one, two, three), from_share(cost, 0.5, one)):
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
