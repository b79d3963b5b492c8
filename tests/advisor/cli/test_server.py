"""The command ``server``, from words to exit code."""

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.__main__ import main
from advisor.cli.parser import parse
from advisor.cli.progress_line import ProgressLine
from advisor.cli.server import exit_code, settings_from
from advisor.core.progress import CancelToken
from advisor.servers.advice import Comfort
from advisor.servers.exchange import Failure
from advisor.servers.model import ServerResult, ServerSettings
from tests.advisor.report.schema_check import problems
from tests.support.fake_server import FakeServer, Script
from tests.support.server_results import FACTS

QUICK = ("--prompts", "32,256", "--answer", "16", "-r", "1", "--users", "1,2", "--budget", "30")
PAGES = {
    "/props": (200, "application/json", json.dumps({
        "build_info": "b9999-abc", "total_slots": 4, "default_generation_settings": {"n_ctx": 8192},
        "model_path": "/home/ada/models/tiny.gguf",
    })),
}  # fmt: skip


def run(server: FakeServer, *words: str) -> int:
    return main(["server", server.url, *QUICK, *words])


def result(server: FakeServer, tmp_path: Path, *words: str) -> tuple[int, dict[str, Any]]:
    target = tmp_path / "out.json"
    code = run(server, "--json", str(target), *words)
    return code, json.loads(target.read_text(encoding="utf-8"))


@pytest.mark.parametrize("streams", ["0", "2"])
def test_the_json_keeps_its_schema(tmp_path: Path, streams: str) -> None:
    timings = {"timings": {"prompt_n": 30, "prompt_ms": 3.0, "predicted_n": 16, "predicted_ms": 16.0, "cache_n": 0}}
    script = Script(token_s=2e-3, prompt_token_s=1e-4, stalls=True, pages=PAGES, extra_last=timings)
    with FakeServer(script) as server:
        code, body = result(server, tmp_path, "--streams", streams, "--stutter-prompt", "2000")
    assert code == 0 and problems(body, "server") == []
    assert body["server"]["kind"] == "llama-server" and body["server"]["slots"] == 4
    assert "ada" not in json.dumps(body)
    assert body["requests"][0]["engine"]["prefill_s"] == pytest.approx(0.003)
    assert (body["stutter"] is None) is (streams == "0")
    assert streams == "2" or body["stutter_reason"]


@pytest.mark.parametrize("fault", ["failed", "hangs within", "broken event"])
def test_a_fault_gives_its_code_its_sentence_and_what_was_measured(
    tmp_path: Path, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeServer(Script(fault=fault, fault_from=5, fault_until=6)) as server:
        code, body = result(server, tmp_path, "--streams", "0", "--timeout", "1")
    assert code == 4 and problems(body, "server") == []
    assert body["requests"] and body["failures"]
    said = capsys.readouterr().err
    assert body["failures"][0]["sentence"] in said and "Traceback" not in said


def test_the_summary_says_what_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(Script(token_s=2e-3, prompt_token_s=1e-4, stalls=True, caches=True)) as server:
        assert run(server, "--streams", "2", "--stutter-prompt", "2000") == 0
    out, said = capsys.readouterr()
    for words in ("Prefill", "Decode", "Between tokens", "Same prompt again", "Users at once", "the worst gap was"):
        assert words in out
    assert "Sends at most" in said


def test_the_key_comes_from_a_variable_and_is_never_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-right")
    with FakeServer(Script(key="sk-right")) as server:
        code, body = result(server, tmp_path, "--streams", "0", "--key-env", "MY_KEY")
        assert code == 0 and "sk-right" not in json.dumps(body) + "".join(capsys.readouterr())
        monkeypatch.setenv("MY_KEY", "sk-wrong")
        assert run(server, "--key-env", "MY_KEY") == 2
        assert "sk-" not in "".join(capsys.readouterr())
        monkeypatch.delenv("MY_KEY")
        assert run(server, "--key-env", "MY_KEY") == 2
        assert run(server, "--key-env", "sk-typed-by-mistake") == 2
    assert "sk-typed" not in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    "words",
    [("ftp://box",), ("http://me:secret@box",), ("localhost:1", "--users", "x"), ("localhost:1", "--answer", "1"), ()],
)
def test_wrong_words_are_wrong_usage(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["server", *words]) == 2
    assert "secret" not in capsys.readouterr().err


def test_nothing_there(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(Script()) as server:
        pass
    assert run(server) == 4
    assert "Nothing listens" in capsys.readouterr().err


def test_the_verdict_of_pauses_has_its_setting_and_what_it_should_do(tmp_path: Path) -> None:
    timings = {"timings": {"prompt_n": 30, "prompt_ms": 3.0, "predicted_n": 16, "predicted_ms": 16.0, "cache_n": 0}}
    script = Script(token_s=2e-3, prompt_token_s=2e-4, stalls=True, pages=PAGES, extra_last=timings)
    with FakeServer(script) as server:
        code, body = result(server, tmp_path, "--streams", "2", "--stutter-prompt", "2500", "--stall", "0.15")
    assert code == 0 and problems(body, "server") == []
    (advice,) = [each for each in body["verdict"]["advice"] if each["setting"]["name"] == "-b"]
    assert advice["command"] == f"llama-server -b {advice['outlook']['tokens']} -ub {advice['outlook']['tokens']}"
    assert 0 < advice["outlook"]["gap_low_s"] <= advice["outlook"]["gap_high_s"]


def test_counters_stand_beside_the_clients_own_figures(capsys: pytest.CaptureFixture[str]) -> None:
    """The second reading is that of four requests more."""
    rows = {"request_prefill_time_seconds_count": 1, "request_prefill_time_seconds_sum": 0.25,
            "request_generation_tokens_sum": 16, "request_decode_time_seconds_sum": 0.3,
            "request_queue_time_seconds_sum": 0.001}  # fmt: skip
    readings = iter(range(0, 400, 2))

    class Metrics(dict[str, tuple[int, str, str]]):
        def __getitem__(self, path: str) -> tuple[int, str, str]:
            if path != "/metrics":
                return super().__getitem__(path)
            number = next(readings)
            text = "".join(f'vllm:{name}{{engine="0"}} {number * each}\n' for name, each in rows.items())
            return 200, "text/plain", text

    with FakeServer(Script(token_s=2e-3, pages=Metrics({"/metrics": (200, "text/plain", "")}))) as server:
        assert run(server, "--streams", "0") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "0.25 s to the first token, 1.00 ms in the queue, 20.0 ms from token to token on average (here" in said
    assert "over 2 requests" in said


def test_the_commands_defaults_are_those_of_the_window() -> None:
    arguments = parse(["server", "http://box"])
    assert settings_from(arguments) == ServerSettings("http://box")
    assert Comfort(arguments.stall, arguments.wait, arguments.slowest) == Comfort()


@pytest.mark.parametrize("failures", [{}, {"2 users at once": Failure("The server failed.", "Look at its log.", 4)}])
def test_that_the_time_given_was_up_is_a_note_unless_something_failed(
    failures: dict[str, Failure], capsys: pytest.CaptureFixture[str]
) -> None:
    result = ServerResult(FACTS, failures=failures, interrupted="The time given, 5 s, was up.")
    code = exit_code(result, ProgressLine(), CancelToken())
    said = capsys.readouterr().err
    assert code == (4 if failures else 0)
    assert ("note: The time given, 5 s, was up." in said) is (not failures)
    assert ("two-machines: The time given, 5 s, was up." in said) is bool(failures)


def test_json_in_a_file_leaves_the_text_to_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(Script(token_s=1e-3)) as server:
        result(server, tmp_path, "--streams", "0")
    out = capsys.readouterr().out
    assert "Verdict" in out and out.endswith(f"Written: {tmp_path / 'out.json'}\n")


def test_reports_are_written_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    targets = {kind: tmp_path / f"server.{kind}" for kind in ("md", "html", "pdf")}
    with FakeServer(Script(token_s=1e-3)) as server:
        words = [word for kind, target in targets.items() for word in (f"--{kind}", str(target))]
        assert run(server, "--streams", "0", *words) == 0
    out = capsys.readouterr().out
    for target in targets.values():
        assert target.exists() and f"Written: {target}\n" in out
    assert targets["pdf"].read_bytes().startswith(b"%PDF-")
    assert targets["html"].read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
