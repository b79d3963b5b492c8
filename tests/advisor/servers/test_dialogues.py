"""Dialogues of engines that cannot run here, replayed to the real client (tests/data/servers/README.md)."""

import pytest

from advisor.core.errors import AdvisorError
from advisor.core.evidence import Known, Unknown
from advisor.core.progress import CancelToken
from advisor.servers.exchange import CountOrigin, EngineTimings
from advisor.servers.facts import ServerKind
from advisor.servers.measuring import measure_server
from advisor.servers.model import ServerResult, ServerSettings
from tests.support.fake_server import FakeServer, Script
from tests.support.server_dialogues import answers, text

JSON = "application/json"
NAMES = {"sglang": ServerKind.SGLANG, "ollama": ServerKind.OLLAMA, "lm_studio": ServerKind.LM_STUDIO}
SETTINGS = {"prompts_tokens": (32,), "answer_tokens": 8, "repetitions": 1, "users": (), "streams": 0, "silence_s": 5.0}


def script(name: str, stream: str = "stream", **more: object) -> Script:
    """The server's own pages, and one of its streams for every request."""
    pages = {each.path: (each.status, each.content_type, each.text) for each in answers(name)}
    fields = {"replay": text(f"{name}_{stream}.sse"), "token_s": 2e-3, **more}
    return Script(pages=pages, **fields)  # type: ignore[arg-type]


def measured(server: FakeServer) -> ServerResult:
    settings = ServerSettings(server.url, **SETTINGS)  # type: ignore[arg-type]
    return measure_server(settings, lambda _: None, CancelToken())


def failed(played: Script) -> AdvisorError:
    with FakeServer(played) as server, pytest.raises(AdvisorError) as caught:
        measured(server)
    return caught.value


@pytest.mark.parametrize(("name", "tokens"), [("sglang", 8), ("ollama", 9), ("lm_studio", 8)])
def test_every_token_of_a_dialogue_is_counted_reasoning_too(name: str, tokens: int) -> None:
    with FakeServer(script(name)) as server:
        result = measured(server)
    (single,) = result.singles
    assert result.facts.kind is NAMES[name] and result.failures == {}
    assert len(single.arrivals_s) == 8, "the chunk that ends it has no text"
    assert (single.prompt_tokens, single.completion_tokens, single.counted) == (34, tokens, CountOrigin.USAGE)
    assert single.tokens_per_chunk == 1.0 and result.decode_tokens_per_s
    assert single.cached_tokens == (4 if name == "sglang" else None)


@pytest.mark.parametrize(
    ("name", "stream", "words"),
    [
        ("sglang", "aborted", "Request waiting timeout reached"),
        ("ollama", "failed", "closed the connection before its answer ended"),
        ("lm_studio", "crashed", "The model has crashed"),
    ],
)
def test_a_fault_in_mid_stream_keeps_what_came(name: str, stream: str, words: str) -> None:
    with FakeServer(script(name, stream)) as server:
        result = measured(server)
    failure = result.failures["single requests"]
    assert words in failure.sentence and failure.exit_code == 4
    assert len(result.singles[0].arrivals_s) == 3


def test_sglang_names_the_field_that_it_refuses() -> None:
    refusal = (
        '{"object": "error", "message": "[{\'type\': \'extra_forbidden\', \'loc\': (\'body\', \'%s\'), \'msg\': '
        '\'Extra inputs are not permitted\', \'input\': True}]", "type": "BadRequestError", "param": null, "code": 400}'
    )
    with FakeServer(script("sglang", refuses=("ignore_eos",), refusal=refusal)) as server:
        assert measured(server).failures == {}
        assert "ignore_eos" in server.bodies[0] and "ignore_eos" not in server.bodies[-1]


@pytest.mark.parametrize("status", [404, 400])
def test_lm_studio_without_a_loaded_model_says_so(status: int) -> None:
    said = (
        '{"error": {"message": "No models loaded. Please load a model in the developer page or use the \'lms load\' '
        'command.", "type": "invalid_request_error", "param": "model", "code": "model_not_found"}}'
    )
    posts = {f"/v1/{path}": (status, JSON, said) for path in ("chat/completions", "completions")}
    error = failed(script("lm_studio", posts=posts))
    assert "No models loaded" in error.sentence and "--model" in error.hint


def test_lm_studio_answers_unknown_paths_with_success_and_an_error() -> None:
    said = '{"error": "Unexpected endpoint or method. (POST /v1/chat/completions)"}'
    error = failed(script("lm_studio", posts={"/v1/chat/completions": (200, JSON, said)}))
    assert "Unexpected endpoint" in error.sentence


def test_ollama_without_the_model_names_it() -> None:
    said = (
        '{"error": {"message": "model \'gemma4:latest\' not found", "type": "not_found_error", "param": null, '
        '"code": null}}'
    )
    posts = {f"/v1/{path}": (404, JSON, said) for path in ("chat/completions", "completions")}
    error = failed(script("ollama", posts=posts))
    assert error.exit_code == 2 and "no model gemma4:latest" in error.sentence


@pytest.mark.parametrize(("name", "path"), [("ollama", "/api/chat"), ("lm_studio", "/api/v0/chat/completions")])
def test_times_that_only_the_engines_own_api_tells_stand_beside(name: str, path: str) -> None:
    with FakeServer(script(name, posts={path: (200, JSON, text(f"{name}_chat.json"))})) as server:
        result = measured(server)
        (asked,) = [body for body in server.bodies if not body["stream"]]
    assert isinstance(result.counters, Known) and isinstance(result.counters.value, EngineTimings)
    assert result.counters.value.prefill_tokens_per_s == pytest.approx(100.0)
    assert result.counters.value.decode_tokens_per_s == pytest.approx(20.0)
    assert asked["messages"][0]["content"] not in [body["messages"][0]["content"] for body in server.bodies[:-4]]


def test_an_engine_without_an_api_of_its_own_that_answers_loses_nothing() -> None:
    with FakeServer(script("ollama")) as server:
        result = measured(server)
    assert not isinstance(result.counters, Known) and result.failures == {}


@pytest.mark.parametrize("said", ["[]", "not JSON", '{"eval_duration": 1' + " " * 300_000 + "}"])
def test_an_own_api_whose_answer_is_none_or_too_long_says_so(said: str) -> None:
    with FakeServer(script("ollama", posts={"/api/chat": (200, JSON, said)})) as server:
        result = measured(server)
    assert isinstance(result.counters, Unknown) and "/api/chat" in result.counters.reason
