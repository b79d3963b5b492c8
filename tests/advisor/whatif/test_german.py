"""What-if in German: every answer with the same figures, in whole sentences, and the same order."""

from dataclasses import replace

import pytest

from advisor.core.evidence import Known, Unknown
from advisor.core.translation import tr
from advisor.diagnosis.workload import preset
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.saving import Factors
from advisor.whatif.base import from_evidence
from advisor.whatif.consider import consider
from advisor.whatif.judging import WORDS, bought, buys, buys_cell, fit_words, seconds_words
from advisor.whatif.model import Bought, Gain, Kind, Processor, Question, WhatIf
from advisor.whatif.money import Money, money_words
from tests.support.evidence import GIB, ceilings, evidence, gpu, machine, pp, tg
from tests.support.in_german import assert_same, in_german

EVERYTHING = Question(
    cards=("RTX 4090", "RTX 3060 12GB"), unified=("GB10",), second_module=True, memory_bytes_per_s=90e9,
    processor=Processor(16, 4e9, 2.0), network="thunderbolt", other_machine="RTX 4090",
)  # fmt: skip


def held(on_card: bool = False) -> Evidence:
    on, computer = ("CUDA0", machine(gpus=[gpu(memory_bytes=8 * GIB)])) if on_card else ("CPU", machine())
    return evidence(preset("chat"), (pp(41.3, on=on), tg(11.6, on=on)), bounds=ceilings(), computer=computer)


def answers(question: Question, on_card: bool) -> tuple[WhatIf, ...]:
    base = from_evidence(held(on_card), "test")
    assert isinstance(base, Known)
    return consider(base.value, question).answers


def said(question: Question, on_card: bool) -> list[str]:
    base = from_evidence(held(on_card), "test")
    assert isinstance(base, Known)
    found = consider(base.value, question)
    texts = list(found.notes)
    for answer in found.answers:
        change = answer.change
        texts += [change.name, tr(change.kind), change.where, answer.words, answer.buys, buys_cell(answer),
                  seconds_words(base.value, answer), fit_words(change.fit), *change.limits]  # fmt: skip
        for fact in (change.prefill, change.decode):
            texts.append(fact.reason if isinstance(fact, Unknown) else "")
        for one in change.assumptions:
            texts += [one.name, one.value]
    return texts


@pytest.mark.parametrize("on_card", [False, True])
@pytest.mark.parametrize("question", [Question(), EVERYTHING, Question(cards=("RTX 3060 12GB",), gpu_layers=7)])
def test_every_answer_is_german_with_the_same_figures(question, on_card) -> None:
    assert_same(said(question, on_card), in_german(lambda: said(question, on_card)), ("Wi-Fi",))


def test_the_order_does_not_hang_on_the_words() -> None:
    def order() -> list[object]:
        return [(answer.change.kind, answer.saved.or_none()) for answer in answers(EVERYTHING, on_card=False)]

    assert order() == in_german(order)


@pytest.mark.parametrize(("read", "write", "kind", "wanted"), [
    ((1.5, 2, 3), (1.5, 2, 3), Kind.CARD, Bought.BOTH), ((0.9, 2, 3), (1.5, 2, 3), Kind.CARD, Bought.PERHAPS_BOTH),
    ((1.5, 2, 3), (0.9, 1, 1), Kind.CARD, Bought.FIRST_WORD), ((0.9, 2, 3), (1, 1, 1), Kind.CARD,
                                                               Bought.PERHAPS_FIRST_WORD),
    ((1, 1, 1), (1.5, 2, 3), Kind.CARD, Bought.STREAM), ((1, 1, 1), (0.9, 2, 3), Kind.CARD, Bought.PERHAPS_STREAM),
    ((1, 1, 1), (1, 1, 1), Kind.SECOND_MACHINE, Bought.ROOM), ((1, 1, 1), (1, 1, 1), Kind.CARD, Bought.NOTHING),
])  # fmt: skip
def test_what_is_bought_is_a_key_with_words_in_both_languages(read, write, kind, wanted) -> None:
    answer = answers(EVERYTHING, on_card=False)[0]
    prefill, decode = (
        replace(fact, value=Factors(*ends))
        for fact, ends in ((answer.change.prefill, read), (answer.change.decode, write))
    )
    change = replace(answer.change, kind=kind, prefill=prefill, decode=decode)
    assert bought(change) is wanted
    assert buys(change) == WORDS[wanted][0]
    assert buys_cell(replace(answer, change=change)) == WORDS[wanted][1] == str(wanted)
    assert in_german(lambda: buys(change)) != buys(change)


def test_a_loss_is_named(german: None) -> None:
    answer = answers(EVERYTHING, on_card=False)[0]
    slower = replace(answer.change.decode, value=Factors(0.4, 0.5, 0.6))
    assert buys(replace(answer.change, decode=slower)).endswith("und kostet Tempo des Antwortstroms")


@pytest.mark.parametrize(("per_day", "years", "words"), [(100, 3, "With 100 requests"), (2.5, 1.5, "With 2.5 requests"),
                                                         (20, 10, "over 10 years")])  # fmt: skip
def test_money_in_both_languages(per_day, years, words) -> None:
    money = Money(1600, Gain(75, 60, 90), per_day, years)
    assert words in money_words(money)
    assert_same([money_words(money)], [in_german(lambda: money_words(money))])
    lost = Money(10, Gain(-1, -2, 0))
    assert_same([money_words(lost)], [in_german(lambda: money_words(lost))])
