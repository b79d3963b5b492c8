import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.errors import BadFile
from advisor.core.progress import CancelToken
from advisor.servers.log_file import read_log
from advisor.servers.logs import LogReader, LogRecord, Request, verdict
from tests.support.server_dialogues import FOLDER, text

OLD = """\
slot print_timing: id  0 | task 5 |
prompt eval time =     412.41 ms /   128 tokens (    3.22 ms per token,   310.37 tokens per second)
       eval time =    1240.00 ms /    62 tokens (   20.00 ms per token,    50.00 tokens per second)
      total time =    1652.41 ms /   190 tokens
"""
OLDEST = """\
llama_print_timings: prompt eval time =    1000.00 ms /    50 tokens (   20.00 ms per token,    50.00 tokens per second)
llama_print_timings:        eval time =    3000.00 ms /    30 runs   (  100.00 ms per token,    10.00 tokens per second)
"""


def read(lines: str) -> LogRecord:
    return LogReader().feed_all(lines.splitlines()).record()


def test_llama_server_recorded() -> None:
    (request,) = read(text("llama_server.log")).requests
    assert (request.prompt_tokens, request.decode_tokens) == (34, 8)
    assert request.prefill_s == pytest.approx(2.97144)


@pytest.mark.parametrize(("lines", "prompt"), [(OLD, 128), (OLDEST, 50)])
def test_older_formats(lines: str, prompt: int) -> None:
    (request,) = read(lines).requests
    assert request.prompt_tokens == prompt
    assert request.decode_s > request.prefill_s


def test_slots_that_end_between_each_other_keep_their_own_figures() -> None:
    def line(slot: int, task: int, kind: str, ms: float, tokens: int) -> str:
        return f"1.0 I slot print_timing: id  {slot} | task {task} | {kind}eval time = {ms} ms / {tokens} tokens (1)"

    record = read("\n".join([
        line(0, 1, "prompt ", 100, 10), line(1, 2, "prompt ", 900, 90), line(0, 1, "", 500, 5), line(1, 2, "", 700, 7),
        line(2, 3, "prompt ", 100, 10),
    ]))  # fmt: skip
    assert record.requests == (Request(10, 0.1, 5, 0.5), Request(90, 0.9, 7, 0.7))
    assert record.unfinished == 1


def test_ollama_with_gin() -> None:
    record = read(text("ollama.log"))
    assert len(record.requests) == 1
    assert record.answered_s == pytest.approx((2.412345678, 91.0))
    assert record.refused == 1
    assert record.damaged == 0


def test_vllm_periodic_lines() -> None:
    line = ("INFO 11-30 09:00:00 [loggers.py:259] Engine 000: Avg prompt throughput: 512.0 tokens/s, Avg generation "
            "throughput: 30.5 tokens/s, Running: 3 reqs, Waiting: {} reqs, GPU KV cache usage: 1.0%")  # fmt: skip
    record = read("\n".join([line.format(0), line.format(2)]))
    assert record.loads[0].prompt_tokens_per_s == 512
    said = " ".join(verdict(record).sentences)
    assert "50\u00a0%" in said
    assert "3\u00a0requests" in said
    assert verdict(record).prefill_share is None


def test_verdict_and_a_workload_of_real_use() -> None:
    requests = tuple(Request(1000 + number, 7.1, 100, 2.9) for number in range(37))
    said = verdict(LogRecord(requests=requests, lines=400))
    assert said.prefill_share == pytest.approx(0.71)
    assert "In 37\u00a0real requests 71\u00a0% of the time went into prefill." in said.sentences
    assert (said.prompt_tokens, said.answer_tokens) == (1018, 100)
    assert said.longest_wait_s == 7.1


def test_few_requests_are_said_to_be_few_and_none_says_what_writes_them() -> None:
    assert "few" in " ".join(verdict(LogRecord(requests=(Request(1, 1.0, 1, 1.0),))).sentences)
    assert "llama-server" in " ".join(verdict(LogRecord(lines=3)).sentences)


@given(st.lists(st.one_of(st.text(), st.sampled_from([*OLD.splitlines(), *text("ollama.log").splitlines()]).flatmap(
    lambda line: st.integers(0, len(line)).map(lambda end: line[:end])))))  # fmt: skip
def test_never_raises_and_counts_every_line(lines: list[str]) -> None:
    record = LogReader().feed_all(lines).record()
    assert record.lines == len(lines)
    verdict(record)


def test_invalid_bytes_endless_lines_and_a_last_line_without_end(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    recorded = (FOLDER / "llama_server.log").read_bytes().rstrip(b"\n")
    path.write_bytes(b"\xff\xfe prompt eval time = x\n" + b"a" * 300_000 + b"\n" + recorded + b"\n"
                     + OLD.encode().rstrip(b"\n"))  # fmt: skip
    record = read_log(path, 0.0, CancelToken())
    assert len(record.requests) == 2
    assert record.damaged == 1


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir()])
def test_what_is_no_file_is_one_sentence(tmp_path: Path, make: object) -> None:
    make(tmp_path / "x.log")  # type: ignore[operator]
    with pytest.raises(BadFile):
        read_log(tmp_path / "x.log", 0.0, CancelToken())


def test_watching_takes_what_is_added_even_in_pieces_and_in_a_new_file_and_stop_ends_it(tmp_path: Path) -> None:
    path, cancel = tmp_path / "server.log", CancelToken()
    path.write_text(OLD, encoding="utf-8")
    heard: list[int] = []

    def add() -> None:
        with path.open("a", encoding="utf-8") as handle:
            handle.write(OLDEST[:200])
            handle.flush()
            time.sleep(0.3)
            handle.write(OLDEST[200:])
        time.sleep(0.4)
        (tmp_path / "new.log").write_text(OLD, encoding="utf-8")
        (tmp_path / "new.log").replace(path)
        ended = time.monotonic() + 30
        while not (heard and heard[-1] == 3) and time.monotonic() < ended:
            time.sleep(0.02)
        cancel.cancel()

    adding = threading.Thread(target=add)
    adding.start()
    record = read_log(path, 60.0, cancel, lambda record, _left_s: heard.append(len(record.requests)))
    adding.join()
    assert len(record.requests) == 3


def test_of_a_log_without_end_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.servers.logs.MOST_REQUESTS", 3)
    gin = '[GIN] 2026/11/30 - 09:00:00 | 200 |  {}.0s | 127.0.0.1 | POST     "/api/chat"\n'
    load = ("Avg prompt throughput: {}.0 tokens/s, Avg generation throughput: 1.0 tokens/s, Running: 1 reqs, "
            "Waiting: 0 reqs\n")  # fmt: skip
    record = read("".join(gin.format(n) + load.format(n) + OLD.replace("128 tokens", f"{n} tokens") for n in range(9)))
    assert record.answered_s == (6.0, 7.0, 8.0)
    assert [each.prompt_tokens_per_s for each in record.loads] == [6.0, 7.0, 8.0]
    assert [each.prompt_tokens for each in record.requests] == [6, 7, 8]
