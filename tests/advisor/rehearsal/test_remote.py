"""A GGUF file's header over HTTP, from an invented server."""

import re
from collections.abc import Callable

import httpx
import pytest

from advisor.core.errors import BadFile, Cancelled, UsageError
from advisor.core.evidence import Known
from advisor.core.progress import CancelToken
from advisor.rehearsal import remote
from advisor.rehearsal.candidates import of_plan
from advisor.rehearsal.remote import Unreachable, read
from tests.support.gguf_builder import Gguf, decoder, vocabulary

URL = "https://models.example/some/model.gguf"


def model(**more: object) -> Gguf:
    words = vocabulary(f"word{number}" for number in range(3000))
    return decoder(layers=2, embed=256, vocab=3000, keys={"tokenizer.ggml.tokens": words, **more})


class Server:
    """Gives parts of a file; ``asked`` are the ranges."""

    def __init__(self, file: Gguf, answer: Callable[[httpx.Request], httpx.Response] | None = None) -> None:
        self.start = file.header()
        self.size = file.file_bytes
        self.asked: list[tuple[str, int, int]] = []
        self.answer = answer

    def __call__(self, request: httpx.Request) -> httpx.Response:
        other = self.answer(request) if self.answer else None
        if other is not None:
            return other
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", request.headers["range"])
        assert found is not None
        first, last = int(found[1]), min(int(found[2]), self.size - 1)
        self.asked.append((str(request.url), first, last))
        body = (self.start + bytes(max(0, last + 1 - len(self.start))))[first : last + 1]
        headers = {"content-range": f"bytes {first}-{last}/{self.size}"}
        return httpx.Response(206, headers=headers, content=body)


def ask(server: Server, url: str = URL, insecure: bool = False):  # type: ignore[no-untyped-def]
    return read(url, insecure, httpx.MockTransport(server))


def test_the_header_alone_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "PIECE_BYTES", 8192)
    file = model()
    server = Server(file)
    plan, extra_bytes = ask(server)
    assert len(plan.tensors) == len(file.tensors)
    assert extra_bytes == file.file_bytes - sum(tensor.stored_bytes for tensor in plan.tensors)
    # the reader looks at 256 KiB at once
    assert max(last for _, _, last in server.asked) < 256 * 1024 + 8192
    candidate = of_plan("far", plan, "", URL, extra_bytes)
    assert isinstance(candidate.facts.traffic, Known)
    assert candidate.facts.file_bytes == pytest.approx(file.file_bytes, rel=0.02)
    assert of_plan("far", plan, "Q8_0", URL).facts.weights_bytes < candidate.facts.weights_bytes


def test_a_page_of_hugging_face_leads_to_the_file() -> None:
    server = Server(model())
    ask(server, "https://huggingface.co/maker/model/blob/main/model.gguf")
    assert server.asked[0][0] == "https://huggingface.co/maker/model/resolve/main/model.gguf"


def test_redirects_are_followed_to_https_only() -> None:
    def to(place: str) -> Callable[[httpx.Request], httpx.Response | None]:
        def answer(request: httpx.Request) -> httpx.Response | None:
            return httpx.Response(302, headers={"location": place}) if request.url.host == "models.example" else None

        return answer

    ask(Server(model(), to("https://store.example/blob")))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="without encryption"):
        ask(Server(model(), to("http://store.example/blob")))  # type: ignore[arg-type]
    with pytest.raises(Unreachable, match="without end"):
        ask(Server(model(), lambda _request: httpx.Response(302, headers={"location": URL})))


def test_plain_http_only_when_asked() -> None:
    with pytest.raises(UsageError, match="without encryption"):
        ask(Server(model()), URL.replace("https", "http"))
    assert ask(Server(model()), URL.replace("https", "http"), insecure=True)
    with pytest.raises(UsageError, match="no web address"):
        ask(Server(model()), "ftp://models.example/model.gguf")


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (200, "cannot give a part"), (401, "does not give this file to everybody"), (403, "to everybody"),
        (404, "has no such file"), (500, "status 500"),
    ],
)  # fmt: skip
def test_refusals_are_one_sentence(status: int, says: str) -> None:
    with pytest.raises(Unreachable, match=says):
        ask(Server(model(), lambda _request: httpx.Response(status)))


def trickle(request: httpx.Request) -> httpx.Response:
    def bytes_for_ever():  # type: ignore[no-untyped-def]
        while True:
            yield b"G"

    headers = {"content-range": "bytes 0-2097151/9000000000"}
    return httpx.Response(206, headers=headers, content=bytes_for_ever())


def test_a_server_that_trickles_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "PIECE_S", 0.05)
    with pytest.raises(Unreachable, match="too slowly"):
        ask(Server(model(), trickle))


def test_stop_is_heard_while_a_server_trickles() -> None:
    cancel = CancelToken()

    def answer(request: httpx.Request) -> httpx.Response:
        cancel.cancel()
        return trickle(request)

    with pytest.raises(Cancelled):
        read(URL, False, httpx.MockTransport(answer), cancel)


def test_another_part_than_was_asked_for_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "PIECE_BYTES", 8192)
    server = Server(model())

    def first_part(request: httpx.Request) -> httpx.Response:
        headers = {"content-range": f"bytes 0-8191/{server.size}"}
        return httpx.Response(206, headers=headers, content=server.start[:8192])

    server.answer = first_part
    with pytest.raises(Unreachable, match="another part"):
        ask(server)


def test_a_proxy_that_is_none_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://somewhere")
    with pytest.raises(Unreachable, match="proxy"):
        read(URL)


def test_no_network_is_one_sentence() -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route", request=request)

    with pytest.raises(Unreachable, match=r"models\.example cannot be reached"):
        ask(Server(model(), fail))


def test_what_is_no_model_is_refused() -> None:
    page = Server(model())
    page.start = b"<!DOCTYPE html>" + bytes(5000)
    with pytest.raises(BadFile):
        ask(page)
    silent = Server(model(), lambda _request: httpx.Response(206, content=b"GGUF"))
    with pytest.raises(Unreachable, match="does not say how long"):
        ask(silent)


def test_a_header_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "PIECE_BYTES", 4096)
    monkeypatch.setattr(remote, "MOST_BYTES", 8192)
    with pytest.raises(BadFile, match="goes on for more than"):
        ask(Server(model()))


def test_all_files_of_a_split_model_are_asked() -> None:
    whole = decoder(layers=2)
    parts = {
        1: Gguf({**whole.keys, "split.count": 2}, whole.tensors[:5]),  # type: ignore[dict-item]
        2: Gguf({"split.count": 2}, whole.tensors[5:]),
    }
    servers = {number: Server(part) for number, part in parts.items()}

    def answer(request: httpx.Request) -> httpx.Response:
        return servers[1 if "00001" in request.url.path else 2](request)

    plan, _ = read(
        "https://models.example/m-00002-of-00002.gguf", False, httpx.MockTransport(answer)
    )
    assert [tensor.name for tensor in plan.tensors] == [tensor.name for tensor in whole.tensors]
    with pytest.raises(BadFile, match="one of 2"):
        read("https://models.example/m.gguf", False, httpx.MockTransport(servers[1]))
