import json

import hypothesis
import pytest
from hypothesis import strategies as st

from advisor.servers.chunks import NoChunk, Usage, error_words, read_chunk

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["choices", "delta", "text", "content", "usage", "error", "message", "prompt_tokens"]),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        ({"delta": {"content": "a"}}, True),
        ({"delta": {"reasoning_content": "a"}}, True),
        ({"delta": {"reasoning": "a", "content": None}}, True),
        ({"text": "a"}, True),
        ({"delta": {"role": "assistant", "content": ""}}, False),
        ({"delta": {}, "finish_reason": "stop"}, False),
        ({"text": "", "finish_reason": "length"}, False),
    ],
)
def test_answer_and_reasoning_count_as_text(choice: dict[str, object], text: bool) -> None:
    chunk = read_chunk(json.dumps({"choices": [choice]}))
    assert (chunk.has_text, chunk.finished) == (text, "finish_reason" in choice)


def test_usage_is_read_with_cached_tokens_and_without_nonsense() -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": True, "prompt_tokens_details": {"cached_tokens": 3}}
    assert read_chunk(json.dumps({"choices": [], "usage": usage})).usage == Usage(7, None, 3, impossible=True)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({"error": {"message": "no memory", "code": 500}}, "no memory"),
        ({"error": "no memory"}, "no memory"),
        ({"object": "error", "message": "no memory", "code": 400}, "no memory"),
        ({"detail": "no memory"}, "no memory"),
        ({"choices": [], "message": "fine"}, ""),
        ({"error": None, "choices": []}, ""),
    ],
)
def test_errors_are_found_where_servers_put_them(raw: dict[str, object], words: str) -> None:
    assert error_words(raw) == words


@pytest.mark.parametrize("data", ["", "{", "7", "[]", '"text"', "[" * 100_000])
def test_what_is_no_object_is_no_chunk(data: str) -> None:
    with pytest.raises(NoChunk):
        read_chunk(data)


@hypothesis.given(JSON)
def test_any_json_is_survived(value: object) -> None:
    if isinstance(value, dict):
        read_chunk(json.dumps(value))
    else:
        with pytest.raises(NoChunk):
            read_chunk(json.dumps(value))
