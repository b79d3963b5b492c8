"""The whole measurement against a server that plays formats and faults."""

import logging
import ssl
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.core.errors import AdvisorError, Cancelled, UsageError
from advisor.core.evidence import Known, Unknown
from advisor.core.progress import CancelToken, Progress
from advisor.servers.exchange import CountOrigin
from advisor.servers.load import load_words
from advisor.servers.measuring import measure_server
from advisor.servers.model import ServerResult, ServerSettings
from advisor.servers.run import Event, Note
from tests.support.fake_server import FAULT_AT, FakeServer, Script

QUICK = ServerSettings(
    url="", prompts_tokens=(32, 256), answer_tokens=16, repetitions=2, users=(1, 2), streams=0, budget_s=30,
    silence_s=5, connect_s=5,
)  # fmt: skip


def measured(server: FakeServer, settings: ServerSettings = QUICK) -> ServerResult:
    return measure_server(replace(settings, url=server.url), lambda _: None, CancelToken())


def failed(script: Script, settings: ServerSettings = QUICK) -> AdvisorError:
    with FakeServer(script) as server, pytest.raises(AdvisorError) as caught:
        measured(server, settings)
    return caught.value


def test_everything_is_measured_of_a_good_server() -> None:
    events: list[Event] = []
    with FakeServer(Script(prompt_token_s=1e-4, token_s=2e-3, caches=True, stalls=True)) as server:
        settings = replace(QUICK, url=server.url, streams=2, stutter_prompt_tokens=4000)
        result = measure_server(settings, events.append, CancelToken())
    assert result.failures == {} and result.interrupted == ""
    assert len(result.singles) == 4 and result.facts.model == "tiny"
    assert isinstance(result.prefill, Known) and isinstance(result.prefix, Known)
    assert result.decode_tokens_per_s and result.gaps_s
    assert all(each.counted is CountOrigin.USAGE and each.completion_tokens in (16, 4) for each in result.singles)
    lengths = [point.prompt_tokens for point in result.prefill.value.points]
    assert abs(lengths[0] - 32) <= 2 and abs(lengths[1] - 256) <= 2
    assert [point.users for point in result.users] == [1, 2]
    assert isinstance(result.stutter, Known)
    assert result.stutter.value.during_s.worst > result.stutter.value.before_s.median
    fractions = [event.fraction for event in events if isinstance(event, Progress)]
    assert fractions == sorted(fractions) and fractions[-1] == 1.0
    assert [event.sentence for event in events if isinstance(event, Note)] == [load_words(settings)]
    assert isinstance(next(event for event in events if isinstance(event, ServerResult)).prefill, Unknown)


def test_every_prompt_is_unique_but_the_repeated_one() -> None:
    with FakeServer(Script()) as server:
        measured(server)
        prompts = [body["messages"][0]["content"] for body in server.bodies]
    assert len(prompts) - len(set(prompts)) == 2
    assert len({prompt.split()[0] for prompt in prompts}) == len(set(prompts))


def test_connections_are_kept() -> None:
    with FakeServer(Script()) as server:
        measured(server, replace(QUICK, users=()))
    assert len(server.headers) > 20 and server.connections < 16  # as many as are probed at once


def test_reasoning_counts_as_tokens() -> None:
    with FakeServer(Script(field_name="reasoning_content", token_s=1e-3)) as server:
        assert measured(server, replace(QUICK, users=())).decode_tokens_per_s


def test_without_usage_chunks_are_counted_and_prompts_estimated() -> None:
    with FakeServer(Script(usage=False)) as server:
        result = measured(server, replace(QUICK, users=()))
    assert {each.counted for each in result.singles} == {CountOrigin.CHUNKS}
    assert {each.prompt_counted for each in result.singles} == {CountOrigin.ESTIMATED}
    assert all(each.prompt_tokens for each in result.singles)


def test_several_tokens_in_a_chunk_are_noticed() -> None:
    with FakeServer(Script(per_chunk=4, token_s=1e-3)) as server:
        result = measured(server, replace(QUICK, users=()))
    assert result.tokens_per_chunk == 4 if len({e.completion_tokens for e in result.singles}) == 1 else True
    assert result.singles[0].tokens_per_chunk == 4 and result.several_per_chunk


@pytest.mark.parametrize("refused", [("ignore_eos",), ("stream_options",), ("ignore_eos", "stream_options")])
def test_a_field_that_the_server_refuses_is_left_out(refused: tuple[str, ...]) -> None:
    with FakeServer(Script(refuses=refused)) as server:
        result = measured(server, replace(QUICK, users=()))
    assert result.failures == {} and len(result.singles) == 4
    assert not set(refused) & set(server.bodies[-1])


@pytest.mark.parametrize(("chat", "completions"), [(True, False), (False, True)])
def test_the_api_that_the_server_has_is_used(chat: bool, completions: bool) -> None:
    with FakeServer(Script(chat=chat, completions=completions)) as server:
        measured(server, replace(QUICK, users=()))
    assert ("messages" in server.bodies[-1]) is chat


def test_a_model_is_chosen_by_a_part_of_its_name() -> None:
    with FakeServer(Script(models=("first", "the-second-7b"))) as server:
        result = measured(server, replace(QUICK, users=(), model="second"))
    assert result.facts.model == "the-second-7b" == server.bodies[-1]["model"]


def test_a_model_that_is_not_there_is_wrong_usage_and_the_others_are_named() -> None:
    error = failed(Script(models=("first", "second")), replace(QUICK, model="third"))
    assert error.exit_code == 2 and "first, second" in error.hint


def test_an_empty_list_of_models_does_not_end_it() -> None:
    with FakeServer(Script(models=())) as server:
        result = measured(server, replace(QUICK, users=()))
    assert result.facts.model == "" and "model" not in server.bodies[-1] and result.singles


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        ("hangs before headers", 4, "did not answer"),
        ("hangs after headers", 4, "wrote no token"),
        ("closes at once", 4, "closed the connection"),
        ("page", 2, "web page"),
        ("json instead of a stream", 4, "no streaming here"),
        ("not allowed", 2, "wants a key"),
        ("no such model", 2, "no model tiny"),
        ("busy, later", 4, "takes no more requests"),
        ("failed", 4, "worker died"),
        ("loading", 4, "not ready"),
        ("redirect", 2, "another address"),
        ("lines of JSON", 4, "no stream of events"),
    ],
)
def test_a_first_request_that_fails_is_one_sentence(fault: str, code: int, words: str) -> None:
    error = failed(Script(fault=fault), replace(QUICK, silence_s=0.3 if "hangs" in fault else 5.0))
    assert error.exit_code == code and words in error.sentence and error.hint
    assert error.sentence.endswith(".") and "\n" not in str(error)


@pytest.mark.parametrize(
    ("fault", "words", "silence_s"),
    [
        ("hangs within", "fell silent in the middle", 0.3),
        ("pings only", "fell silent in the middle", 0.3),
        ("closes within", "closed the connection", 5.0),
        ("broken event", "no JSON", 5.0),
        ("error event", "CUDA out of memory", 5.0),
        ("huge line", "1 MiB", 5.0),
        ("done early", f"after {FAULT_AT} of 16 tokens", 5.0),
    ],
)
def test_a_fault_within_a_stream_keeps_what_came(fault: str, words: str, silence_s: float) -> None:
    with FakeServer(Script(fault=fault, fault_from=4, fault_until=5)) as server:  # two to warm up, one round
        result = measured(server, replace(QUICK, silence_s=silence_s))
    (failure,) = result.failures.values()
    assert words in failure.sentence and failure.hint and failure.exit_code == 4
    assert len(result.singles) == 3 and len(result.singles[-1].arrivals_s) == FAULT_AT
    assert result.decode_tokens_per_s and isinstance(result.prefill, Known)
    assert len(result.users) == 2 and result.interrupted == ""


def test_a_server_that_goes_on_failing_is_left_alone() -> None:
    with FakeServer(Script(fault="failed", fault_from=4)) as server:
        result = measured(server)
    assert list(result.failures) == ["single requests", "the same prompt again"]
    assert result.interrupted and len(server.bodies) == 6 and result.decode_tokens_per_s


def test_users_of_whom_some_fail_keep_the_others() -> None:
    with FakeServer(Script(fault="failed", fault_from=10, fault_until=11, token_s=1e-3)) as server:
        result = measured(server, replace(QUICK, users=(1, 2, 4)))
    assert list(result.failures) == ["2\N{NO-BREAK SPACE}users at once"]
    alone, two = result.users
    assert alone.together_tokens_per_s.or_none() and len(two.first_token_s.values) == 1
    assert isinstance(two.together_tokens_per_s, Unknown) and two.output_tokens_per_s.or_none()


def test_a_character_cut_in_two_and_a_byte_that_is_none_are_no_fault() -> None:
    with FakeServer(Script(fault="split character", fault_from=4, chat=False)) as server:
        result = measured(server, replace(QUICK, users=()))
    assert result.failures == {} and len(result.singles[2].arrivals_s) == FAULT_AT + 2


def test_a_short_retry_after_is_honoured_once() -> None:
    with FakeServer(Script(fault="busy, soon", fault_until=1)) as server:
        assert measured(server, replace(QUICK, users=())).failures == {}
    assert failed(Script(fault="busy, soon")).exit_code == 4


def test_very_slow_tokens_end_with_the_budget_and_what_came_is_kept() -> None:
    with FakeServer(Script(token_s=0.1)) as server:
        result = measured(server, replace(QUICK, budget_s=5.0))
    assert result.singles and result.spent_s < 15
    assert any("time given" in sentence for sentence in result.left_out)


def test_a_server_that_is_slower_than_the_budget_is_said_to_be_so() -> None:
    error = failed(Script(token_s=0.5), replace(QUICK, budget_s=2.0))
    assert error.exit_code == 4 and "--budget" in error.hint






def test_nothing_listens() -> None:
    with FakeServer(Script()) as server:
        pass
    with pytest.raises(AdvisorError) as caught:
        measured(server)
    assert caught.value.exit_code == 4 and "Nothing listens" in caught.value.sentence


def test_no_such_name() -> None:
    with pytest.raises(UsageError) as caught:
        measure_server(replace(QUICK, url="http://no-such-machine.invalid"), lambda _: None, CancelToken())
    assert "name" in caught.value.sentence


def test_a_page_in_place_of_the_list_of_models() -> None:
    error = failed(Script(pages={"/v1/models": (200, "text/html", "<html>hello</html>")}))
    assert error.exit_code == 2 and "web page" in error.sentence


def test_a_server_without_this_api() -> None:
    error = failed(Script(chat=False, completions=False, pages={"/v1/models": (404, "application/json", "{}")}))
    assert error.exit_code == 2 and "/v1" in error.hint


@pytest.mark.parametrize(("given", "words"), [("", "wants a key"), ("sk-wrong", "refuses the key")])
def test_a_key_that_is_missing_or_wrong(given: str, words: str) -> None:
    error = failed(Script(key="sk-right"), replace(QUICK, key=given))
    assert error.exit_code == 2 and words in error.sentence and "sk-" not in str(error)


def test_the_key_is_sent_and_nowhere_kept(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    settings = replace(QUICK, key="sk-right", users=())
    with FakeServer(Script(key="sk-right")) as server:
        result = measured(server, settings)
    assert result.singles and "sk-right" not in caplog.text + repr(result) + repr(settings)


def test_a_key_with_a_line_break_is_refused_without_showing_it() -> None:
    error = failed(Script(), replace(QUICK, key="sk-a\nX: y"))
    assert error.exit_code == 2 and "sk-" not in str(error)


@pytest.fixture
def self_signed(tmp_path: Path) -> ssl.SSLContext:
    pem = tmp_path / "both.pem"
    words = f"req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout {tmp_path}/k -out {tmp_path}/c"
    try:
        subprocess.run(["openssl", *words.split()], check=True, capture_output=True)
    except OSError:
        pytest.skip("openssl is not installed")
    pem.write_text((tmp_path / "k").read_text() + (tmp_path / "c").read_text())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context


def test_a_self_signed_certificate_is_refused_and_taken_on_request(self_signed: ssl.SSLContext) -> None:
    with FakeServer(Script(), self_signed) as server:
        with pytest.raises(AdvisorError) as caught:
            measured(server)
        assert caught.value.exit_code == 4 and "--insecure" in caught.value.hint
        assert measured(server, replace(QUICK, insecure=True, users=())).singles


def test_https_where_the_server_speaks_http() -> None:
    with FakeServer(Script()) as server, pytest.raises(UsageError) as caught:
        measure_server(replace(QUICK, url=server.url.replace("http", "https")), lambda _: None, CancelToken())
    assert "http://" in caught.value.hint


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with FakeServer(Script()) as server:
        assert measured(server, replace(QUICK, users=())).singles


@pytest.mark.parametrize("fault", ["hangs before headers", "hangs within", "pings only", ""])
def test_stop_ends_at_once_keeps_what_came_and_closes_the_stream(fault: str) -> None:
    cancel, partial = CancelToken(), threading.Event()

    def listen(event: Event) -> None:
        if isinstance(event, ServerResult) and len(event.singles) == 2:
            partial.set()

    with FakeServer(Script(token_s=0.02, fault=fault, fault_from=4)) as server:
        found: list[ServerResult] = []
        settings = replace(QUICK, url=server.url, answer_tokens=200)
        worker = threading.Thread(target=lambda: found.append(measure_server(settings, listen, cancel)))
        worker.start()
        assert partial.wait(20)
        time.sleep(0.2)
        stopped_s = time.monotonic()
        cancel.cancel()
        worker.join(10)
        assert time.monotonic() - stopped_s < 5.0  # a fraction of a second on a machine that is not loaded
        for _ in range(100):
            if server.open:
                time.sleep(0.05)
        assert server.open == 0 or fault == "hangs within"  # a server that hangs does not see it
    assert found[0].interrupted and len(found[0].singles) == 2


def test_stop_before_anything_is_known() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with FakeServer(Script()) as server, pytest.raises(Cancelled):
        measure_server(replace(QUICK, url=server.url), lambda _: None, cancel)


def test_the_load_is_said_beforehand() -> None:
    words = load_words(ServerSettings(url=""))
    assert "requests" in words and "8 at once" in words
