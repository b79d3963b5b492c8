"""What-if: each kind of change on both phases, room, words, money, and what is refused."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.ceilings.other_hardware import decode_on, prefill_on
from advisor.core.errors import UsageError
from advisor.core.evidence import Known, Unknown
from advisor.diagnosis.workload import custom, preset
from advisor.hardware.catalog import find
from advisor.recommendations.saving import Factors
from advisor.report.whatif_words import answer_sentences
from advisor.whatif.base import from_evidence
from advisor.whatif.consider import USUAL_CARDS, USUAL_UNIFIED, consider, names
from advisor.whatif.judging import buys, judge
from advisor.whatif.memory import arriving, faster_memory, other_processor, second_module, speed_up
from advisor.whatif.model import Base, Gain, Kind, Processor, Question, WhatIf
from advisor.whatif.money import Money, money_words
from advisor.whatif.second_machine import NETWORKS, step_s
from tests.support.evidence import GIB, ceilings, evidence, gpu, laptop, machine, model, pp, read, tg, traffic


def base(name: str = "rag", **more: object) -> Base:
    held = from_evidence(laptop(name, **more), "measured here")
    assert isinstance(held, Known)
    return held.value


def only(question: Question, here: Base | None = None) -> WhatIf:
    found = consider(here or base(), question)
    assert len(found.answers) == 1
    return found.answers[0]


def middles(answer: WhatIf) -> tuple[float, float]:
    prefill, decode = answer.change.prefill, answer.change.decode
    assert isinstance(prefill, Known) and isinstance(decode, Known)
    return prefill.value.middle, decode.value.middle


def test_a_card_that_holds_the_model_gives_the_table_s_speeds_over_those_here() -> None:
    here = base()
    answer = only(Question(cards=("RTX 4090",)), here)
    card = find("rtx 4090")
    assert card is not None
    there = prefill_on(card, traffic(), prompt=512), decode_on(card, traffic())
    assert all(isinstance(fact, Known) for fact in there)
    assert middles(answer) == pytest.approx((there[0].value.middle / 41.3, there[1].value.middle / 11.6))
    assert answer.change.where == "all layers on the card"
    assert answer.change.fit.fits is True
    assert answer.buys == "buys you both, first-word time and a faster stream"
    assert answer.wait.value.middle_s == pytest.approx(here.wait_s / middles(answer)[0])
    assert answer.comfortable is True


def test_a_card_without_room_for_a_layer_is_not_sold() -> None:
    """What llama.cpp puts there first is the output matrix: -ngl 1."""
    here = base()
    none = only(Question(cards=("RTX 4090",), device_memory_bytes=10**8), here)
    assert isinstance(none.change.prefill, Unknown) and none.buys == "the model does not fit"
    assert none.change.where == "no layer fits the card" and none.comfortable is None
    for asked, where in ((0, "nothing of the model on the card (-ngl 0)"), (1, "the output matrix alone on the card"),
                         (9, "8 of 32")):  # fmt: skip
        answer = only(Question(cards=("RTX 4090",), gpu_layers=asked), here)
        assert answer.change.where.replace("\u00a0", " ").startswith(where)
        assert f"-ngl {asked})" in answer.change.where
    assert only(Question(cards=("RTX 4090",), gpu_layers=33), here).change.where == "all layers on the card"


@pytest.mark.parametrize(
    ("now", "then", "words"),
    [
        (True, True, "as it is now"), (False, True, "Comfortable then"), (True, False, "No longer"),
        (False, False, "Not comfortable even then"),
    ],
)  # fmt: skip
def test_comfort_is_told_against_the_present(now: bool, then: bool, words: str) -> None:
    here = base()
    comfort = here.work.comfort
    seconds = (0.5 if now else 2.0) * comfort.longest_wait_s, 0.1
    here = replace(here, wait_s=seconds[0], stream_s=seconds[1])
    answer = replace(only(Question(cards=("RTX 4090",)), here), comfortable=then)
    assert any(words in sentence for sentence in answer_sentences(here, answer))


@pytest.mark.parametrize(
    "question",
    [
        Question(second_module=True, cards=("rtx 4090", "RTX 3090")), Question(memory_bytes_per_s=96e9),
        Question(processor=Processor(16, 4.5e9), memory_bytes_per_s=96e9), Question(network="10gbe"),
        Question(network="10gbe", other_machine="GB10", unified=("GB10",)), Question(),
    ],
)  # fmt: skip
def test_names_are_known_before_anything_is_measured(question: Question) -> None:
    found = {answer.change.name for answer in consider(base(), question).answers}
    assert set(names(question)) == (set() if question.empty else found)


def test_a_second_module_is_for_the_stream_only() -> None:
    answer = only(Question(second_module=True))
    prefill, decode = middles(answer)
    assert prefill == pytest.approx(1.0, abs=0.1)
    assert 1.5 < decode < 1.85
    assert answer.words.endswith("buys you a faster stream only")
    assert answer.change.fit.room_bytes == 2 * base().room_bytes


def test_more_cores_are_for_the_first_word_only() -> None:
    here = base()
    twice = Processor(2 * here.machine.cpu.usable_threads, 3.5e9)
    answer = judge(here, other_processor(here, twice, Question()))
    prefill, decode = middles(answer)
    assert prefill > 1.6
    assert decode < 1.15
    assert answer.buys == "buys you first-word time only"


def test_faster_memory_beside_more_cores_gives_both() -> None:
    here = base()
    here = replace(here, machine=replace(here.machine, memory=replace(here.machine.memory, bytes_per_s=read(51.2e9))))
    answer = only(Question(processor=Processor(16, 3.5e9), memory_bytes_per_s=102.4e9), here)
    assert answer.buys == "buys you both, first-word time and a faster stream"


def test_memory_is_compared_with_what_was_read_where_its_rating_is_hidden() -> None:
    here = base()
    assert isinstance(here.machine.memory.bytes_per_s, Unknown)
    known = faster_memory(here, 200e9).decode
    assert isinstance(known, Known)
    assert known.value.low < known.value.middle < known.value.high
    hidden = faster_memory(replace(here, read_bytes_per_s=None), 200e9).decode
    assert isinstance(hidden, Unknown)
    assert "neither listed nor measured" in hidden.reason


def test_memory_and_processor_change_nothing_for_a_model_on_a_card() -> None:
    tests = (pp(900, on="CUDA0"), tg(60, on="CUDA0"))
    held = evidence(preset("rag"), tests, bounds=ceilings(), computer=machine(gpus=[gpu()]))
    found = from_evidence(held, "measured here")
    assert isinstance(found, Known) and found.value.on_card
    for change in (second_module(found.value), other_processor(found.value, Processor(64, 5e9), Question())):
        assert middles(judge(found.value, change)) == (1.0, 1.0)
    part = only(Question(cards=("RTX 3060 8GB",), gpu_layers=4), found.value)
    assert isinstance(part.change.decode, Unknown)
    assert "processor" in part.change.decode.reason


def test_layers_may_be_chosen_and_a_part_gains_less_than_all() -> None:
    few, many, whole = (only(Question(cards=("RTX 4090",), gpu_layers=layers)) for layers in (8, 24, None))
    assert middles(few)[1] < middles(many)[1] < middles(whole)[1]
    assert "7 of 32\u00a0layers on the card (-ngl 8)" in few.change.where
    assert few.change.limits != whole.change.limits


def test_a_faster_slot_helps_a_prompt_whose_weights_stay_behind() -> None:
    slow, fast = (only(Question(cards=("RTX 4090",), gpu_layers=8, link_bytes_per_s=rate)) for rate in (1e9, 25e9))
    assert middles(slow)[0] < middles(fast)[0]
    assert middles(slow)[1] == middles(fast)[1]


def test_a_model_that_no_unified_memory_holds_is_not_promised_anything() -> None:
    big = evidence(
        custom(1000, 300), (pp(4), tg(1)), facts=model(traffic(70e9, 120e9)), computer=machine(memory_bytes=256 * GIB)
    )
    found = from_evidence(big, "measured here")
    assert isinstance(found, Known)
    small, large = (only(Question(unified=(name,)), found.value) for name in ("Apple M4 (10-core GPU)", "GB10"))
    assert isinstance(small.change.prefill, Unknown)
    assert small.buys == "the model does not fit"
    assert isinstance(large.change.prefill, Known)
    larger = only(Question(unified=("Apple M4 (10-core GPU)",), device_memory_bytes=128 * 10**9), found.value)
    assert isinstance(larger.change.prefill, Known)


def test_a_second_machine_like_this_one_brings_room_and_no_speed() -> None:
    for name in NETWORKS:
        answer = only(Question(network=name))
        prefill, decode = middles(answer)
        assert prefill <= 1.0 and decode <= 1.0, name
        assert "room for larger models, no speed" in answer.buys
        assert answer.change.fit.room_bytes == 2 * base().room_bytes


def test_a_faster_second_machine_brings_speed_by_its_share() -> None:
    little, much = (
        only(Question(network="10gbe", other_machine="RTX 4090", there_share=share)) for share in (0.2, 0.9)
    )
    assert 1 < middles(little)[1] < middles(much)[1]
    assert "90\u00a0% of the layers there" in much.change.where


@given(st.floats(0, 1), st.floats(1e-4, 1), st.floats(1e-4, 1), st.sampled_from(list(NETWORKS.values())))
def test_a_step_over_a_network_never_beats_the_faster_machine(share, here_s, there_s, network) -> None:
    taken = step_s(here_s, there_s, share, network, 4, 16384)
    assert taken >= min(here_s, there_s) * (1 - 1e-9)


@given(st.floats(0, 1), st.floats(1, 20), st.floats(1, 20))
def test_a_step_never_gains_more_than_its_parts(reading, memory, compute) -> None:
    assert 1 - 1e-9 <= speed_up(reading, memory, compute) <= max(memory, compute) * (1 + 1e-9)


@pytest.mark.parametrize(("ratio", "ends"), [(2.0, (1.7, 1.85, 2.0)), (1.0, (1.0, 1.0, 1.0)), (0.5, (0.5, 0.5, 0.5))])
def test_of_a_rated_gain_most_arrives(ratio, ends) -> None:
    found = arriving(ratio)
    assert (found.low, found.middle, found.high) == pytest.approx(ends)


CASES = [
    ((9, 12, 15), (0.9, 1.0, 1.1), "buys you first-word time only"),
    ((0.9, 1.0, 1.1), (1.5, 1.8, 2.0), "buys you a faster stream only"),
    ((8, 12, 18), (3, 4, 5), "buys you both, first-word time and a faster stream"),
    ((0.8, 1.3, 2.0), (1.0, 1.0, 1.0), "buys you perhaps first-word time only"),
    ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0), "buys you nothing for this model"),
    ((8, 12, 18), (0.3, 0.4, 0.5), "buys you first-word time only, and costs you stream speed"),
]


@pytest.mark.parametrize(("prefill", "decode", "words"), CASES)
def test_the_words_follow_from_the_factors(prefill, decode, words) -> None:
    here = base()
    card = only(Question(cards=("RTX 4090",)), here).change
    made = replace(
        card,
        prefill=Known(Factors(*map(float, prefill)), card.prefill.basis, ""),
        decode=Known(Factors(*map(float, decode)), card.decode.basis, ""),
    )
    assert buys(made) == words


def test_the_usual_question_has_a_row_of_each_kind_in_order_of_seconds() -> None:
    found = consider(base(), Question())
    kinds = {answer.change.kind for answer in found.answers}
    assert kinds == set(Kind) - {Kind.FASTER_MEMORY}  # this machine hides the rating of its memory
    saved = [answer.saved.value.middle_s for answer in found.answers if isinstance(answer.saved, Known)]
    assert saved == sorted(saved, reverse=True)
    assert all(find(name) is not None for name in (*USUAL_CARDS, *USUAL_UNIFIED))
    for answer in found.answers:
        assert answer.change.limits and answer.change.assumptions


def test_nothing_is_sold_where_something_is_wrong() -> None:
    here = replace(base(), doubt="Something is wrong on this machine.")
    assert consider(here, Question()).notes[0] == "Something is wrong on this machine."


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        consider(base(), Question(cards=("RTX 409",)))
    assert "RTX 4090" in caught.value.hint
    with pytest.raises(UsageError, match="No network"):
        consider(base(), Question(network="carrier pigeon"))
    own = Question(cards=("My card",), device_bytes_per_s=800e9, device_memory_bytes=16 * 10**9)
    assert isinstance(only(own).change.decode, Known)


def test_money_divides_seconds_by_the_price() -> None:
    money = Money(1600.0, Gain(80.0, 60.0, 90.0), requests_per_day=50)
    assert money.saved_s_per_unit == pytest.approx(0.05)
    assert money.price_per_saved_s == pytest.approx(20.0)
    assert money.saved_s_per_day == 4000
    assert money.price_per_hour == pytest.approx(1600 / (4000 * 365 * 3 / 3600))
    assert "1,600 buys 60–90\u00a0s of every request" in money_words(money)
    assert "buys no second" in money_words(Money(10.0, Gain(-1.0, -2.0, 0.0)))
    assert Money(10.0, Gain(0.0, 0.0, 0.0)).price_per_saved_s is None
    for price in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError):
            Money(price, Gain(1.0, 1.0, 1.0))


@given(st.sampled_from(USUAL_CARDS), st.floats(1.0, 30.0))
def test_a_slower_present_never_gains_less(name, times) -> None:
    slow = from_evidence(evidence(preset("rag"), (pp(41.3), tg(11.6)), bounds=ceilings()), "")
    fast = from_evidence(evidence(preset("rag"), (pp(41.3 * times), tg(11.6 * times)), bounds=ceilings()), "")
    assert isinstance(slow, Known) and isinstance(fast, Known)
    first, second = (only(Question(cards=(name,)), held.value) for held in (slow, fast))
    assert all(a >= b * (1 - 1e-9) for a, b in zip(middles(first), middles(second), strict=True))
