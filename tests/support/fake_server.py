"""A small server of streamed answers on loopback, in a thread of its own: plays formats, speeds and faults.

It speaks HTTP/1.1 by hand, since faults are what no framework sends.
"""

import asyncio
import json
import ssl
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

MODEL = "tiny"
PER_WORD = 2
"""Tokens of a word by this server's count; 5 more stand for the template."""


@dataclass
class Script:
    """How the server behaves.

    Attributes:
        pages: further GETs, path to (status, content type, body).
        fault: what goes wrong with a streamed request; "" for nothing. It meets those after
            number ``fault_from`` up to ``fault_until``.
        refusal: body of the 400 for a field that it ``refuses``, with ``%s`` for its name.
        replay: a recorded stream, sent event by event in place of one made here, whatever is asked.
        posts: answers in one piece to POSTs, path to (status, content type, body).
    """

    models: tuple[str, ...] = (MODEL,)
    pages: Mapping[str, tuple[int, str, str]] = field(default_factory=dict)
    prompt_token_s: float = 0.0
    token_s: float = 0.0
    key: str = ""
    usage: bool = True
    per_chunk: int = 1
    field_name: str = "text"
    fault: str = ""
    fault_from: int = 0
    fault_until: int = 10**9
    refuses: tuple[str, ...] = ()
    refusal: str = '{"error": {"message": "Unknown field: %s", "code": 400}}'
    replay: str = ""
    posts: Mapping[str, tuple[int, str, str]] = field(default_factory=dict)
    completions: bool = True
    chat: bool = True
    caches: bool = False
    stalls: bool = False
    """Reading a prompt stops the writing of all others, as without chunked prefill."""
    extra_last: Mapping[str, Any] = field(default_factory=dict)
    wrong_usage: Mapping[str, Any] = field(default_factory=dict)
    """Counts that stand in place of the true ones."""


class FakeServer:
    """Use as a context; ``url`` is its address.

    Attributes:
        bodies: of all POSTs; ``headers``: of all requests.
        connections: that were accepted; ``open``: streams that are being written.
    """

    def __init__(self, script: Script, tls: ssl.SSLContext | None = None) -> None:
        self.script = script
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[str] = []
        self.written = 0
        self.open = 0
        self.connections = 0
        self._seen: set[str] = set()
        self._tls = tls
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "FakeServer":
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(10)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._end, self._reading = asyncio.get_running_loop(), asyncio.Event(), asyncio.Lock()
        tasks: set[asyncio.Task[None]] = set()

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            self.connections += 1
            try:
                while await self._one(reader, writer):
                    pass
            except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass
            finally:
                writer.close()
                tasks.discard(task)

        server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=self._tls)
        port = server.sockets[0].getsockname()[1]
        self.url = f"{'https' if self._tls else 'http'}://127.0.0.1:{port}"
        self._ready.set()
        await self._end.wait()
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        first = await reader.readexactly(1)
        if first == b"\x16":  # a TLS handshake
            await _raw(writer, 400, "text/plain", b"")
            return False
        head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        self.headers.append(head)
        method, path, _ = head.split(" ", 2)
        length = next((int(line[15:]) for line in head.splitlines() if line.lower().startswith("content-length:")), 0)
        body = json.loads(await reader.readexactly(length)) if length else {}
        script = self.script
        if script.key and f"authorization: bearer {script.key}".lower() not in head.lower():
            return await _plain(writer, 401, {"error": {"message": f"Incorrect API key provided: {_sent(head)}"}})
        if method == "GET":
            if path in script.pages:
                status, kind, text = script.pages[path]
                return await _raw(writer, status, kind, text.encode())
            if path == "/v1/models":
                return await _plain(writer, 200, {"object": "list", "data": [{"id": each} for each in script.models]})
            return await _plain(writer, 404, {"detail": "Not Found"})
        self.bodies.append(body)
        return await self._post(path, body, reader, writer)

    async def _post(
        self, path: str, body: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        script = self.script
        if path in script.posts:
            status, kind, text = script.posts[path]
            return await _raw(writer, status, kind, text.encode())
        chat = path.endswith("/chat/completions")
        if not (script.chat if chat else script.completions and path.endswith("/completions")):
            return await _plain(writer, 404, {"detail": "Not Found"})
        for name in script.refuses:
            if name in body:
                return await _raw(writer, 400, "application/json", (script.refusal % name).encode())
        prompt = body["messages"][0]["content"] if chat else body["prompt"]
        tokens = 5 + PER_WORD * len(prompt.split())
        usage = {"prompt_tokens": tokens, "completion_tokens": body["max_tokens"], **script.wrong_usage}
        if not body["stream"]:
            return await _plain(writer, 200, {"choices": [{"text": "a"}], "usage": usage})
        if script.replay:
            return await _replayed(writer, script)
        fault = script.fault if script.fault_from < len(self.bodies) <= script.fault_until else ""
        if fault in FAULTS_BEFORE:
            return await FAULTS_BEFORE[fault](writer)
        cached = script.caches and prompt in self._seen
        self._seen.add(prompt)
        self.open += 1
        try:
            await self._read(0 if cached else tokens)
            return await self._write(writer, chat, body["max_tokens"], usage, fault, reader)
        finally:
            self.open -= 1

    async def _read(self, tokens: int) -> None:
        if self.script.stalls:
            async with self._reading:
                await asyncio.sleep(tokens * self.script.prompt_token_s)
        else:
            await asyncio.sleep(tokens * self.script.prompt_token_s)

    async def _write(
        self, writer: asyncio.StreamWriter, chat: bool, count: int, usage: dict[str, int], fault: str,
        reader: asyncio.StreamReader,
    ) -> bool:  # fmt: skip
        script = self.script
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        if chat:
            await _event(writer, {"choices": [{"delta": {"role": "assistant", "content": ""}}]})
        chunks = -(-count // script.per_chunk)
        for number in range(chunks):
            if reader.at_eof():
                raise ConnectionError
            if number == FAULT_AT and fault in FAULTS_WITHIN:
                return await FAULTS_WITHIN[fault](writer)
            if number:
                await asyncio.sleep(script.token_s)
            if script.stalls:
                async with self._reading:
                    pass
            await _event(writer, {"choices": [_piece(chat, script.field_name, "word ")]})
            self.written += 1
        await _event(writer, {"choices": [{**_piece(chat, script.field_name, ""), "finish_reason": "length"}]})
        if script.usage:
            await _event(writer, {"choices": [], "usage": usage, **script.extra_last})
        await _data(writer, b"data: [DONE]\n\n")
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


async def _replayed(writer: asyncio.StreamWriter, script: Script) -> bool:
    """A recorded stream; it ends as the server's own framework ends one, whether the engine was done or not."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    for event in script.replay.strip().split("\n\n"):
        await _data(writer, event.encode() + b"\n\n")
        await asyncio.sleep(script.token_s)
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


def _piece(chat: bool, name: str, text: str) -> dict[str, Any]:
    return {"delta": {"content" if name == "text" else name: text}} if chat else {"text": text}


def _sent(head: str) -> str:
    return next((line for line in head.splitlines() if line.lower().startswith("authorization")), "none")


async def _event(writer: asyncio.StreamWriter, value: object) -> None:
    await _data(writer, b"data: " + json.dumps(value).encode() + b"\n\n")


async def _data(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    await writer.drain()


async def _plain(writer: asyncio.StreamWriter, status: int, value: object) -> bool:
    return await _raw(writer, status, "application/json", json.dumps(value).encode())


async def _raw(writer: asyncio.StreamWriter, status: int, kind: str, body: bytes, more: str = "") -> bool:
    head = f"HTTP/1.1 {status} Some\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    writer.write(head.encode() + body)
    await writer.drain()
    return True


FAULT_AT = 3
"""Tokens that come before a fault within the stream."""

Fault = Callable[[asyncio.StreamWriter], Awaitable[bool]]


async def _hang(writer: asyncio.StreamWriter) -> bool:
    await asyncio.sleep(3600)
    return False


async def _pings(writer: asyncio.StreamWriter) -> bool:
    while True:
        await _data(writer, b": ping\n\n")
        await asyncio.sleep(0.05)


async def _headers_only(writer: asyncio.StreamWriter) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    await writer.drain()
    return await _hang(writer)


async def _close(writer: asyncio.StreamWriter) -> bool:
    return False


async def _broken(writer: asyncio.StreamWriter) -> bool:
    await _data(writer, b'data: {"choices": [{"text": "cut of\n\n')
    return await _hang(writer)


async def _error_event(writer: asyncio.StreamWriter) -> bool:
    await _event(writer, {"error": {"message": "CUDA out of memory", "code": 500}})
    return await _hang(writer)


async def _huge(writer: asyncio.StreamWriter) -> bool:
    for _ in range(200):
        await _data(writer, b"x" * 16384)
    return await _hang(writer)


async def _done_early(writer: asyncio.StreamWriter) -> bool:
    await _data(writer, b"data: [DONE]\n\n")
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


async def _split_utf8(writer: asyncio.StreamWriter) -> bool:
    """A character cut between two writes, a byte that is none, and then a good end."""
    whole = 'data: {"choices": [{"text": "é"}]}\r\n\r\n'.encode()
    cut = whole.index(b"\xc3") + 1
    await _data(writer, whole[:cut])
    await asyncio.sleep(0.02)
    await _data(writer, whole[cut:])
    await _data(writer, b'data: {"choices": [{"text": "\xff\xfe"}]}\n\n')
    await _event(writer, {"choices": [{"text": "", "finish_reason": "stop"}]})
    return await _done_early(writer)


def _status(status: int, kind: str, body: str, more: str = "") -> Fault:
    async def answer(writer: asyncio.StreamWriter) -> bool:
        return await _raw(writer, status, kind, body.encode(), more)

    return answer


FAULTS_BEFORE: Mapping[str, Fault] = {
    "hangs before headers": _hang,
    "hangs after headers": _headers_only,
    "closes at once": _close,
    "page": _status(200, "text/html", "<!DOCTYPE html><html>Welcome to nginx</html>"),
    "json instead of a stream": _status(200, "application/json", '{"error": "no streaming here"}'),
    "not allowed": _status(403, "application/json", '{"error": "no"}'),
    "no such model": _status(404, "application/json", '{"error": {"message": "The model `tiny` does not exist."}}'),
    "busy, later": _status(429, "application/json", '{"error": "slow down"}', "Retry-After: 3600\r\n"),
    "busy, soon": _status(429, "application/json", '{"error": "slow down"}', "Retry-After: 0\r\n"),
    "failed": _status(500, "application/json", '{"error": {"message": "worker died"}}'),
    "loading": _status(503, "application/json", '{"error": {"message": "Loading model", "code": 503}}'),
    "redirect": _status(307, "text/plain", "", "Location: http://elsewhere.example/v1\r\n"),
    "lines of JSON": _status(200, "application/x-ndjson", '{"response": "a"}\n{"response": "b"}\n'),
}
FAULTS_WITHIN: Mapping[str, Fault] = {
    "hangs within": _hang,
    "pings only": _pings,
    "closes within": _close,
    "broken event": _broken,
    "error event": _error_event,
    "huge line": _huge,
    "done early": _done_early,
    "split character": _split_utf8,
}
