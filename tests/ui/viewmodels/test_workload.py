import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.diagnosis.workload import CUSTOM_ID, PRESETS, preset
from ui.viewmodels.workload import SLIDER_STEPS, Range, present_workload, reach, with_kept, with_preset, with_quantity

RAG = preset("rag")


def test_the_menu_holds_every_preset_and_own_numbers() -> None:
    card = present_workload(RAG)
    assert [key for key, _ in card.presets] == [*PRESETS, CUSTOM_ID]
    assert card.preset == "rag"
    assert [quantity.value for quantity in card.quantities] == [4000, 600, 300, 1, 1]


def test_a_changed_number_makes_it_ones_own() -> None:
    changed = with_quantity(RAG, "prompt", 5000)
    assert (changed.id, changed.prompt_tokens, changed.shared_tokens) == (CUSTOM_ID, 5000, 600)
    assert changed.comfort == RAG.comfort
    assert with_quantity(RAG, "prompt", 4000) is RAG


def test_the_shared_part_never_exceeds_the_prompt() -> None:
    assert with_quantity(RAG, "prompt", 100).shared_tokens == 100


def test_choosing_own_numbers_keeps_the_present_ones() -> None:
    assert with_preset(RAG, CUSTOM_ID).prompt_tokens == 4000
    assert with_preset(RAG, "chat") == preset("chat")


@pytest.mark.parametrize("bounds", [Range(1, 131_072), Range(0, 4000), Range(1, 64), Range(0, 1)])
def test_both_ends_of_a_slider_are_exact(bounds: Range) -> None:
    assert bounds.value(0) == bounds.low
    assert bounds.value(SLIDER_STEPS) == bounds.high
    assert bounds.position(bounds.low) == 0
    assert bounds.position(bounds.high) == SLIDER_STEPS


@given(st.integers(0, SLIDER_STEPS), st.integers(0, SLIDER_STEPS))
def test_further_right_is_never_less(first: int, second: int) -> None:
    bounds = Range(1, 131_072)
    low, high = sorted((first, second))
    assert bounds.low <= bounds.value(low) <= bounds.value(high) <= bounds.high


def test_a_range_of_one_number_stands_still() -> None:
    assert Range(0, 0).position(0) == 0
    assert Range(0, 0).value(500) == 0


def test_a_comfort_line_of_ones_own_leaves_the_work_as_it_is() -> None:
    changed = with_quantity(with_quantity(RAG, "wait", 4), "slowest", 75)
    assert (changed.id, changed.comfort.longest_wait_s, changed.comfort.slowest_tokens_per_s) == ("rag", 4.0, 7.5)
    card = present_workload(changed)
    assert card.comfort == "Comfort line: first word within 4\u00a0s, then at least 7.5\u00a0tokens/s."
    assert [quantity.value for quantity in card.comfort_quantities] == [4, 75]


def test_turns_make_it_ones_own_and_may_be_kept() -> None:
    changed = with_quantity(RAG, "turns", 5)
    assert (changed.id, changed.turns, changed.prefix_kept) == (CUSTOM_ID, 5, False)
    kept = with_kept(changed, True)
    assert kept.prefix_kept
    assert with_quantity(kept, "users", 2).prefix_kept
    assert present_workload(kept).kept_matters
    assert not present_workload(RAG).kept_matters


def test_a_prompt_file_longer_than_the_slider_is_not_cut() -> None:
    prompt = present_workload(with_quantity(RAG, "prompt", 400_000)).quantities[0]
    assert prompt.value == 400_000 <= prompt.range.high


@pytest.mark.parametrize(("model", "at_rest", "can", "word"), [
    ("", True, False, "Open a model"), ("a", False, False, "Not while"), ("a", True, True, "tokenizer"),
])
def test_when_a_prompt_file_can_be_counted(model, at_rest, can, word) -> None:
    card = present_workload(RAG, model, at_rest)
    assert card.can_count is can
    assert word in card.count_tip


def test_a_scale_holds_numbers_from_elsewhere_and_does_not_shrink_with_every_step() -> None:
    assert reach(131_072, 131_072) == 131_072
    assert reach(131_072, 131_073) == reach(131_072, 1_000_000) == 1_048_576
    far = with_quantity(RAG, "prompt", 900_000)
    prompt = present_workload(far).quantities[0]
    assert prompt.range.low <= prompt.value <= prompt.range.high
    lower = with_quantity(far, "prompt", prompt.range.value(prompt.range.position(prompt.value) - 50))
    assert lower.prompt_tokens < far.prompt_tokens
    assert present_workload(lower).quantities[0].range == prompt.range
