"""The chooser: what fits, what is comfortable, what a quantisation costs, and the user's order."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.ceilings.kernels import NO_KERNELS
from advisor.core.evidence import Known, Missing, Unknown
from advisor.diagnosis.expected import expected, turns_of
from advisor.diagnosis.workload import PRESETS, custom, preset
from advisor.rehearsal.catalogue import find, load
from advisor.rehearsal.recipes import facts
from advisor.shortlist.choosing import best, choices_of, ordered, recipes_of, shortlist
from advisor.shortlist.model import Comfort, Priority
from advisor.shortlist.quality import MOST_LOSS, doublings, loss_of, loss_sentence, shipped
from tests.support.yardsticks import GIB, READ_BYTES_PER_S, place, table

NAMES = ("Llama-3.2-1B", "Llama-3.1-8B", "Llama-3.3-70B", "Qwen3-30B-A3B")
SMALL, MIDDLE, LARGE, MIXTURE = (find(name) for name in NAMES)
MODELS = (SMALL, MIDDLE, LARGE, MIXTURE)


def test_decode_follows_the_bytes_and_prefill_the_arithmetic() -> None:
    fine, coarse = (
        expected(facts(MIDDLE.shape, recipe, "m"), table(), custom(512, 100)) for recipe in ("Q8_0", "Q4_K_M")
    )
    assert isinstance(fine, Known) and isinstance(coarse, Known)
    assert fine.value.stream.middle_s / coarse.value.stream.middle_s == pytest.approx(8.5 / 4.9, rel=0.1)
    assert fine.value.wait.middle_s == pytest.approx(coarse.value.wait.middle_s, rel=0.05)
    read = facts(MIDDLE.shape, "Q8_0", "m").traffic.value.weight_bytes() / READ_BYTES_PER_S
    assert fine.value.stream.middle_s == pytest.approx(100 * read, rel=0.15)


def test_a_chat_that_is_kept_reads_only_what_is_new() -> None:
    kept, again = (turns_of(custom(1500, 250, 1200, turns=6, prefix_kept=keeps)) for keeps in (True, False))
    assert [turn.read for turn in kept[1:]] == [300] * 5
    assert again[-1].read == 1500 + 5 * (300 + 250)
    assert kept[-1].writing_depth == again[-1].writing_depth
    assert sum(turn.read + turn.kept for turn in kept) == sum(turn.read for turn in again)


def test_what_does_not_fit_or_is_too_short_is_named_and_not_listed() -> None:
    found = shortlist(MODELS, preset("rag"), place(10 * GIB), Priority.QUALITY)
    assert LARGE.name in found.impossible
    assert {choice.name for choice in found.choices} == {SMALL.name, MIDDLE.name}
    long = custom(100_000, 300)
    named = {choice.name for choice in shortlist(MODELS, long, place(256 * GIB), Priority.SIZE).choices}
    assert MIXTURE.name not in named  # made for 40,960 tokens
    assert MIDDLE.name in named


@pytest.mark.parametrize("name", list(PRESETS))
@pytest.mark.parametrize("priority", list(Priority))
def test_every_order_is_what_it_says(name, priority) -> None:
    work = preset(name)
    choices = shortlist(MODELS, work, place(64 * GIB), priority, every=True).choices
    assert choices
    if priority is Priority.SPEED:
        totals = [one.expected.value.wait.middle_s + one.expected.value.stream.middle_s for one in choices]
        assert totals == sorted(totals)
        return
    ranks = [[Comfort.YES, Comfort.PERHAPS, Comfort.NO, Comfort.UNKNOWN].index(one.comfort) for one in choices]
    assert ranks == sorted(ranks)
    for rank in set(ranks):
        same = [one for one, held in zip(choices, ranks, strict=True) if held == rank]
        slow = rank == 2
        figures = [
            one.file_bytes if priority is Priority.SIZE else one.beyond if slow else -one.worth for one in same
        ]
        assert figures == sorted(figures)


def test_of_one_model_the_finest_comfortable_is_taken_and_never_a_ruinous_one_for_speed() -> None:
    choices = choices_of(MIDDLE, preset("long-writing"), place(64 * GIB))
    comfortable = [one for one in choices if one.comfort is Comfort.YES]
    taken = best(choices, Priority.QUALITY)
    if comfortable:
        assert taken.worth == max(one.worth for one in comfortable)
    for priority in (Priority.SPEED, Priority.SIZE):
        one = best(choices, priority)
        assert isinstance(one.loss, Known) and one.loss.value.perplexity <= MOST_LOSS
    smallest = best(choices, Priority.SIZE)
    assert smallest.file_bytes == min(
        one.file_bytes for one in choices if isinstance(one.loss, Known) and one.loss.value.perplexity <= MOST_LOSS
    )


@given(st.permutations(list(range(8))))
def test_the_order_does_not_depend_on_the_order_of_the_catalogue(order) -> None:
    choices = [choice for model in (SMALL, MIDDLE) for choice in choices_of(model, preset("rag"), place())][:8]
    for priority in Priority:
        assert ordered([choices[i] for i in order], priority) == ordered(choices, priority)


def test_without_kernels_speeds_are_unknown_and_the_memory_is_told_all_the_same() -> None:
    found = shortlist(MODELS, preset("rag"), place(32 * GIB, NO_KERNELS), Priority.QUALITY)
    assert found.choices
    assert {choice.comfort for choice in found.choices} == {Comfort.UNKNOWN}
    assert all(choice.fits for choice in found.choices)
    lacking = shortlist([MIDDLE], preset("rag"), place(kernels=table(("Q4_K",))), Priority.QUALITY, every=True)
    reasons = {one.expected.reason for one in lacking.choices if isinstance(one.expected, Unknown)}
    assert any("is measured" in reason for reason in reasons)


def test_mxfp4_is_offered_where_it_is_native_and_nowhere_else() -> None:
    assert recipes_of(find("gpt-oss-20b")) == ("MXFP4_MOE",)
    assert "MXFP4_MOE" not in recipes_of(MIDDLE)
    loss = loss_of("MXFP4_MOE", 20_900_000_000)
    assert isinstance(loss, Unknown) and loss.kind is Missing.NOT_APPLICABLE


def test_the_published_losses_grow_as_the_bits_fall_and_name_their_source() -> None:
    for model in {loss.model.partition(",")[0] for _, loss in shipped()}:
        rows = {recipe: loss for recipe, loss in shipped() if loss.model == model}
        order = [rows[name].perplexity for name in ("Q6_K", "Q5_K_M", "Q4_K_M", "Q3_K_M", "Q2_K") if name in rows]
        assert order == sorted(order), model
    assert all(loss.source and loss.looked_up for _, loss in shipped())
    near = loss_of("Q4_K_M", 1_240_000_000)
    assert isinstance(near, Known) and near.value.model.startswith("Qwen2-1.5B")
    assert "2.8\u00a0%" in loss_sentence("Q4_K_M", loss_of("Q4_K_M", 8_000_000_000))


def test_the_scale_of_quality_gives_what_was_published_of_llama() -> None:
    """13B in Q2_K (5.8545) was a little better than 7B in F16 (5.9066)."""
    from advisor.core.evidence import Basis
    from advisor.shortlist.quality import Loss

    rough = Loss(5.8545 / 5.2543 - 1, None, None, "LLaMA 13B", 13_020_000_000, "pull request 1684", "2026-11-30")
    large = doublings(13_020_000_000, 13_020_000_000, Known(rough, Basis.TABLE, ""))
    small = doublings(6_740_000_000, 6_740_000_000, loss_of("F16", 6_740_000_000))
    assert 0 < large - small < 0.2
    assert doublings(30_500_000_000, 3_300_000_000, loss_of("F16", 1)) == pytest.approx(math.log2(10.03e9), abs=0.01)


def test_every_model_of_the_catalogue_can_be_reckoned() -> None:
    there = place(2048 * GIB)
    for model in load():
        choices = choices_of(model, custom(500, 100), there)
        assert choices, model.name
        known = [choice for choice in choices if isinstance(choice.expected, Known)]
        assert known, (model.name, choices[0].expected)
