import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.diagnosis.workload import CUSTOM_ID, PRESETS, preset
from ui.viewmodels.workload import SLIDER_STEPS, Range, present_workload, with_preset, with_quantity

RAG = preset("rag")


def test_the_menu_holds_every_preset_and_own_numbers() -> None:
    card = present_workload(RAG)
    assert [key for key, _ in card.presets] == [*PRESETS, CUSTOM_ID]
    assert card.preset == "rag"
    assert [quantity.value for quantity in card.quantities] == [4000, 600, 300, 1]


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
