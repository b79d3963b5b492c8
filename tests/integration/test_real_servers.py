"""Real servers: the pause that a long prompt makes, the setting that the advice names, and whether it cures.

    VLLM_SERVER    command that starts vLLM's OpenAI-compatible server; the port and further options are appended
    LLAMA_SERVER   command that starts llama-server, likewise

Each is started twice on loopback: as it is, and with what the first run advised.
"""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.advisor.report.schema_check import problems

pytestmark = [pytest.mark.machine, pytest.mark.timeout(900)]

READY_S = 180.0
TURNS = 3
"""The advice goes on from the step in force, so that a line that is missed at first is kept soon."""

KINDS = {"VLLM_SERVER": ("vLLM", 0.4, "7000"), "LLAMA_SERVER": ("llama-server", 0.6, "2048")}


@contextmanager
def started(variable: str, options: str) -> Iterator[str]:
    """The server's address, while it runs."""
    command = os.environ.get(variable, "")
    if not command:
        pytest.skip(f"{variable} names no command")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [*shlex.split(command), str(port), *shlex.split(options)]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        ready_s = time.monotonic() + READY_S
        while not _answers(f"{url}/v1/models"):
            assert server.poll() is None and time.monotonic() < ready_s, f"{variable} did not start"
            time.sleep(0.5)
        _warm(url, int(KINDS[variable][2]))
        yield url
    finally:
        server.terminate()
        server.wait(60)


def _warm(url: str, tokens: int) -> None:
    """One long prompt: a server that was just started makes its kernels at the first (vLLM paused 3.8 s, then 1 s)."""
    with urllib.request.urlopen(f"{url}/v1/models", timeout=10) as answer:
        model = json.load(answer)["data"][0]["id"]
    words = {"model": model, "prompt": "word " * (tokens // 6), "max_tokens": 4}
    for _ in range(2):
        request = urllib.request.Request(
            f"{url}/v1/completions", json.dumps(words).encode(), {"Content-Type": "application/json"}
        )
        urllib.request.urlopen(request, timeout=60).close()
        words["prompt"] = "other " * (tokens // 7)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def measured(url: str, target: Path, stall_s: float, prompt: str) -> dict[str, Any]:
    words = [sys.executable, "-m", "advisor", "server", url, "--stall", str(stall_s), "--stutter-prompt", prompt,
             "--prompts", "64,1024", "--users", "1,8", "--budget", "90", "--json", str(target)]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    body: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    assert problems(body, "server") == []
    return body


def advised(body: dict[str, Any]) -> dict[str, Any]:
    found = [each for each in body["verdict"]["advice"] if each["outlook"] is not None]
    assert len(found) == 1, body["verdict"]["findings"]
    return dict(found[0])


@pytest.mark.parametrize("variable", KINDS)
def test_the_advised_setting_shortens_the_pause_until_the_line_is_kept(variable: str, tmp_path: Path) -> None:
    kind, stall_s, prompt = KINDS[variable]
    with started(variable, "") as url:
        body = measured(url, tmp_path / "0.json", stall_s, prompt)
    assert body["server"]["kind"] == kind
    first_s = worst_s = body["stutter"]["during_s"]["worst"]
    assert worst_s > stall_s, "nothing to cure: give a slower server or a longer prompt"
    for turn in range(1, TURNS + 1):
        options = re.sub(r"^(vllm serve MODEL|llama-server) ", "", advised(body)["command"])
        with started(variable, options) as url:
            body = measured(url, tmp_path / f"{turn}.json", stall_s, prompt)
        worst_s = body["stutter"]["during_s"]["worst"]
        assert worst_s < first_s
        if worst_s <= stall_s:
            return
    pytest.fail(f"after {TURNS} settings still {worst_s:.2f} s, the line is {stall_s} s")
