"""Presets and the user's own numbers."""

import pytest

from advisor.core.errors import UsageError
from advisor.diagnosis.model import Comfort
from advisor.diagnosis.workload import PRESETS, READING_TOKENS_PER_S, custom, preset


def test_the_presets_are_in_the_order_of_the_menu() -> None:
    assert list(PRESETS) == ["chat", "rag", "summarise", "coding", "long-writing", "many-users"]
    assert all(name == held.id for name, held in PRESETS.items())


def test_documents_preset_is_the_one_of_the_design() -> None:
    rag = preset("rag")
    assert (rag.title, rag.prompt_tokens, rag.shared_tokens, rag.answer_tokens, rag.users) == (
        "Answer from documents (RAG)", 4_000, 600, 300, 1)


def test_long_writing_is_a_short_prompt_with_a_long_answer() -> None:
    held = preset("long-writing")
    assert held.answer_tokens >= 10 * held.prompt_tokens


def test_only_many_users_has_many() -> None:
    assert [held.id for held in PRESETS.values() if held.users > 1] == ["many-users"]


def test_reading_speed_is_the_published_one() -> None:
    assert READING_TOKENS_PER_S == 5.3


def test_unknown_preset_lists_the_valid_ones() -> None:
    with pytest.raises(UsageError) as caught:
        preset("poetry")
    assert "poetry" in caught.value.sentence
    assert all(name in caught.value.hint for name in PRESETS)


def test_custom_keeps_the_numbers() -> None:
    held = custom(2_000, 500, shared=100, users=2, comfort=Comfort(3, 8))
    assert (held.id, held.prompt_tokens, held.answer_tokens, held.shared_tokens, held.users) == (
        "custom", 2_000, 500, 100, 2)
    assert held.title == "2,000\u00a0tokens in, 500 out"
    assert held.comfort.longest_wait_s == 3


@pytest.mark.parametrize(("wrong", "word"), [
    ({"prompt": 0, "answer": 1}, "prompt"), ({"prompt": 1, "answer": 0}, "answer"),
    ({"prompt": 1, "answer": 1, "users": 0}, "people"), ({"prompt": 5, "answer": 1, "shared": 6}, "same every time"),
    ({"prompt": 5, "answer": 1, "shared": -1}, "same every time"),
])
def test_impossible_numbers_are_named(wrong, word) -> None:
    with pytest.raises(UsageError, match=word):
        custom(**wrong)
