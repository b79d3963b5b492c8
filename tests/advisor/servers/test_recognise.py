from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.servers.facts import Answer, ServerKind
from advisor.servers.recognise import PROBES, recognise
from tests.support.server_dialogues import answers

NAMES = {
    "llama_server": ServerKind.LLAMA_SERVER, "vllm": ServerKind.VLLM, "sglang": ServerKind.SGLANG,
    "ollama": ServerKind.OLLAMA, "lm_studio": ServerKind.LM_STUDIO, "llama_cpp_python": ServerKind.LLAMA_CPP_PYTHON,
}  # fmt: skip


@pytest.mark.parametrize(("name", "kind"), NAMES.items())
def test_each_engine_by_its_own_endpoints(name: str, kind: ServerKind) -> None:
    said = recognise(answers(name))
    assert said.kind is kind
    assert said.models
    assert said.because


@pytest.mark.parametrize(
    ("name", "version"),
    [("llama_server", "b0-vendored"), ("vllm", "0.32.0"), ("sglang", "0.5.9"), ("ollama", "0.12.6"),
     ("lm_studio", None), ("llama_cpp_python", "0.3.36")],
)  # fmt: skip
def test_versions(name: str, version: str | None) -> None:
    assert recognise(answers(name)).version.or_none() == version


@pytest.mark.parametrize(
    ("name", "tokens", "slots"),
    [("llama_server", 8192, 8), ("vllm", 12000, None), ("sglang", 32768, 128), ("ollama", 4096, None),
     ("lm_studio", 4096, 4)],
)  # fmt: skip
def test_context_and_slots(name: str, tokens: int, slots: int | None) -> None:
    said = recognise(answers(name))
    assert said.context_tokens[said.models[0]] == tokens
    assert said.slots.or_none() == slots


def test_settings_that_a_server_says() -> None:
    assert recognise(answers("sglang")).settings["chunked_prefill_size"] == "2048"
    assert recognise(answers("lm_studio")).settings["eval_batch_size"] == "512"
    assert recognise(answers("vllm")).settings["enable_prefix_caching"] == "True"


@pytest.mark.parametrize("path", ["/version", "/api/version"])
def test_one_weak_sign_is_not_enough(path: str) -> None:
    said = recognise([Answer(path, 200, "application/json", "", '{"version": "1.0"}')])
    assert said.kind is ServerKind.UNKNOWN
    assert path in said.because


def test_two_engines_at_once_are_unknown() -> None:
    tied = [Answer(path, 200, "", "", '{"version": "1"}') for path in ("/version", "/api/version")]
    assert recognise(tied).kind is ServerKind.UNKNOWN


def test_an_engine_that_asks_for_a_key_or_is_not_there() -> None:
    assert recognise([replace(each, status=401) for each in answers("vllm")]).kind is ServerKind.UNKNOWN
    assert recognise([]).because == "nothing answered"


def test_llama_server_without_props_by_header_and_owner() -> None:
    held = [each for each in answers("llama_server") if each.path == "/v1/models"]
    assert recognise(held).kind is ServerKind.LLAMA_SERVER


@given(st.lists(st.builds(Answer, st.sampled_from(PROBES), st.just(200), st.just(""), st.just(""), st.one_of(
    st.text(), st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(["data", "models", "info", "version", "id", "config", "loaded_instances"]), inner), max_leaves=9
    ).map(lambda value: __import__("json").dumps(value))))))  # fmt: skip
def test_never_raises(given_answers: list[Answer]) -> None:
    recognise(given_answers)
