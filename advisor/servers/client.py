"""The one place that talks to a server: HTTP/1.1 over kept connections, streamed answers, nothing trusted."""

import asyncio
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final

import httpx

from advisor.core.errors import AdvisorError, UsageError
from advisor.servers import failures
from advisor.servers.address import Address
from advisor.servers.chunks import Chunk, NoChunk, Usage, read_chunk, read_usage
from advisor.servers.engine_timings import of_answer
from advisor.servers.model import Answer, CountOrigin, Exchange, ServerKind, ServerSettings
from advisor.servers.sse import EventReader, LineTooLong

BODY_BYTES: Final = 256 * 1024
"""Of an answer that is no stream; no list of models comes near."""

LONGEST_WAIT_S: Final = 10.0
"""A Retry-After up to this is honoured, once; a longer one is told."""

AFTER_DONE_S: Final = 0.5
"""A server that said that it is done ends its stream within this, or its connection is closed."""

CONNECTIONS: Final = 512

IGNORE_EOS: Final = frozenset({ServerKind.VLLM, ServerKind.SGLANG, ServerKind.LLAMA_SERVER, ServerKind.UNKNOWN})
MIN_TOKENS: Final = frozenset({ServerKind.LLAMA_CPP_PYTHON})
"""Which option makes an engine write as many tokens as asked; Ollama and LM Studio have none."""

CHAT_FIRST: Final = frozenset({ServerKind.OLLAMA, ServerKind.LM_STUDIO, ServerKind.UNKNOWN})
"""The others are asked for plain completions, whose prompt has no template before it."""


@dataclass(slots=True)
class Recording:
    """One exchange while it happens."""

    sent_at_s: float
    arrivals_s: list[float] = field(default_factory=list)
    ended_at_s: float | None = None
    usage: Usage = field(default_factory=Usage)
    finished: bool = False
    done: bool = False
    last: list[Mapping[str, Any]] = field(default_factory=list)
    """The newest two chunks: engines put their timings beside the reason for the end or beside the usage."""
    failure: AdvisorError | None = None
    stopped: bool = False

    def take(self, chunk: Chunk, at_s: float) -> None:
        """One chunk of the stream."""
        if chunk.has_text:
            self.arrivals_s.append(at_s)
        self.finished = self.finished or chunk.finished
        if chunk.usage is not None:
            self.usage = chunk.usage
        self.last = [*self.last[-1:], chunk.raw]

    def exchange(self, now_s: float) -> Exchange:
        """What was recorded until now."""
        written = self.usage.completion_tokens
        ended_s = self.ended_at_s if self.ended_at_s is not None else now_s
        return Exchange(
            sent_at_s=self.sent_at_s,
            arrivals_s=tuple(self.arrivals_s),
            ended_at_s=ended_s,
            prompt_tokens=self.usage.prompt_tokens,
            completion_tokens=len(self.arrivals_s) if written is None or self.stopped else written,
            counted=CountOrigin.CHUNKS if written is None or self.stopped else CountOrigin.USAGE,
            cached_tokens=self.usage.cached_tokens,
            engine=of_answer(self.last),
            failure=None if self.failure is None else failures.as_failure(self.failure),
            stopped=self.stopped,
        )


class ServerClient:
    """Asks one server.

    Args:
        address: where it is.
        settings: key, limits, certificate.
        on_token: told of each chunk with text, with its time.
    """

    def __init__(
        self, address: Address, settings: ServerSettings, on_token: Callable[[float], None] = lambda _: None
    ) -> None:
        self._address = address
        self._settings = settings
        self._on_token = on_token
        self._began = time.monotonic()
        self._refused: set[str] = set()
        self.kind = ServerKind.UNKNOWN
        self.model = settings.model
        self.chat: bool | None = None
        """Whether chat or plain completions are asked for; None until the first request has shown which works."""
        self.requests = 0
        self._http = httpx.AsyncClient(
            headers=_headers(settings.key),
            timeout=httpx.Timeout(None, connect=settings.connect_s, write=settings.silence_s),
            limits=httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS),
            verify=_certificates(settings.insecure),
            # a proxy could not reach this machine's own loopback, and would only be in the way
            trust_env=not address.loopback,
            follow_redirects=False,
        )

    async def __aenter__(self) -> "ServerClient":
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.__aexit__(kind, error, trace)

    def now_s(self) -> float:
        """Seconds since the start of the run."""
        return time.monotonic() - self._began

    async def get(self, path: str) -> Answer:
        """One GET below the root. Raises AdvisorError where no answer came."""
        return (await self._timed_get(path))[0]

    async def round_trip_s(self, path: str) -> float:
        """Seconds until the headers of a GET came. Raises AdvisorError."""
        return (await self._timed_get(path))[1]

    async def _timed_get(self, path: str) -> tuple[Answer, float]:
        sent_s = self.now_s()
        try:
            async with (
                asyncio.timeout(self._settings.silence_s),
                self._http.stream("GET", f"{self._address.root}{path}") as response,
            ):
                took_s = self.now_s() - sent_s
                text = await _body(response)
        except TimeoutError:
            raise failures.silent(self._settings.silence_s, answered=False, written=False) from None
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise failures.of_transport(error, self._address.root) from error
        headers = response.headers
        answer = Answer(
            path, response.status_code, headers.get("content-type", ""), headers.get("server", ""), text
        )
        return answer, took_s

    async def open_connections(self, count: int, path: str) -> None:
        """Have so many connections open, so that no measured request waits for its own."""
        await asyncio.gather(*(self.get(path) for _ in range(count)), return_exceptions=True)

    async def count_prompt(self, prompt: str) -> int | None:
        """Tokens of a prompt by an answer of one token that is not streamed; None where the server does not count."""
        body = self._body(prompt, 1)
        body.pop("stream_options", None)
        try:
            async with asyncio.timeout(self._settings.silence_s):
                self.requests += 1
                response = await self._http.post(self._url(), json={**body, "stream": False})
            usage = read_usage(response.json().get("usage"))
        except (TimeoutError, httpx.HTTPError, ValueError, AttributeError):
            return None
        return None if usage is None else usage.prompt_tokens

    async def exchange(self, prompt: str, answer_tokens: int, recording: Recording | None = None) -> Exchange:
        """One streamed request; what goes wrong stands in the exchange.

        Args:
            prompt: the text.
            answer_tokens: as many are asked for.
            recording: holds what came when this is cancelled; given by who wants to cancel it.
        """
        record = recording or Recording(self.now_s())
        try:
            await self._with_second_try(prompt, answer_tokens, record)
        except AdvisorError as error:
            record.failure = error
        except asyncio.CancelledError:
            record.stopped = True
            raise
        finally:
            record.ended_at_s = self.now_s()
        return record.exchange(self.now_s())

    async def _with_second_try(self, prompt: str, answer_tokens: int, record: Recording) -> None:
        """Stream; again for each thing that a second request can mend: a field refused, the other API, a short wait."""
        waited = False
        for _ in range(6):
            record.sent_at_s = self.now_s()
            try:
                refused = await self._stream(prompt, answer_tokens, record)
            except httpx.RemoteProtocolError as error:
                if "sending a response" in str(error) and not waited:  # a kept connection that the server had closed
                    waited = True
                    continue
                raise failures.of_transport(error, self._address.root) from error
            except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
                raise failures.of_transport(error, self._address.root) from error
            if refused is None:
                return
            if self._mend(refused):
                continue
            if refused.status == 429 and not waited and 0 <= refused.retry_after_s <= LONGEST_WAIT_S:
                waited = True
                await asyncio.sleep(refused.retry_after_s)
                continue
            raise refused.error
        raise refused.error if refused else failures.closed_early()

    async def _stream(self, prompt: str, answer_tokens: int, record: Recording) -> "_Refused | None":
        silence_s = self._settings.silence_s
        loop = asyncio.get_running_loop()
        answered = False
        self.requests += 1
        try:
            async with asyncio.timeout(silence_s) as limit:
                async with self._http.stream("POST", self._url(), json=self._body(prompt, answer_tokens)) as response:
                    answered = True
                    kind = response.headers.get("content-type", "")
                    if response.status_code != 200:
                        return self._refusal(response, await _body(response))
                    if "event-stream" not in kind and ("json" in kind or "html" in kind):
                        raise failures.no_stream(await _body(response), kind, self._address.root, self._settings.key)
                    reader = EventReader()
                    async for some in response.aiter_bytes():
                        at_s = self.now_s()
                        for data in reader.feed(some):
                            limit.reschedule(loop.time() + silence_s)
                            self._take(data, at_s, record)
                        if record.done:  # read on to the very end, or the connection could not be kept
                            limit.reschedule(loop.time() + AFTER_DONE_S)
                    for data in [] if record.done else reader.end():
                        self._take(data, self.now_s(), record)
        except TimeoutError:
            if not record.done:
                raise failures.silent(silence_s, answered, bool(record.arrivals_s)) from None
        except LineTooLong:
            raise failures.too_long() from None
        self._check_end(record, answer_tokens, reader)
        return None

    def _take(self, data: str, at_s: float, record: Recording) -> None:
        if data.strip() == "[DONE]":
            record.done = True
            return
        try:
            chunk = read_chunk(data)
        except NoChunk:
            raise failures.broken_stream() from None
        if chunk.error:
            raise failures.in_stream(chunk.error, self._settings.key)
        record.take(chunk, at_s)
        if chunk.has_text:
            self._on_token(at_s)

    def _check_end(self, record: Recording, asked: int, reader: EventReader) -> None:
        """Raise for a stream that ended without saying that it was done."""
        if record.finished:
            return
        if not record.arrivals_s and not record.last:
            if reader.stray:
                raise failures.no_stream(reader.stray.decode("utf-8", "replace"), "", self._address.root)
            raise failures.closed_early()
        written = record.usage.completion_tokens or len(record.arrivals_s)
        if not record.done:
            raise failures.closed_early()
        if written < asked:
            raise failures.cut_short(written, asked)

    def _refusal(self, response: httpx.Response, body: str) -> "_Refused":
        try:
            retry_after_s = float(response.headers.get("retry-after", "-1"))
        except ValueError:
            retry_after_s = -1.0
        kind = response.headers.get("content-type", "")
        error = failures.of_status(
            response.status_code, body, kind, self._address.root, self.model, self._settings.key
        )
        return _Refused(response.status_code, body, retry_after_s, error)

    def _mend(self, refused: "_Refused") -> bool:
        """Leave out what the server refuses, or turn to its other API; False where nothing is left to change."""
        if self.chat is None and (
            refused.status in (404, 405, 501) or (refused.status == 400 and "template" in refused.body)
        ):
            self.chat = self.kind not in CHAT_FIRST  # the other one than the first
            return True
        if refused.status not in (400, 422):
            return False
        body = self._body("", 1)
        optional = [name for name in ("ignore_eos", "min_tokens", "stream_options", "temperature") if name in body]
        if "max_completion_tokens" in refused.body and "max_completion_tokens" not in body:
            self._refused.add("max_tokens")
            return True
        named = [name for name in optional if name in refused.body]
        if not named:
            return False
        self._refused.update(named)
        return True

    def _url(self) -> str:
        chat = self.kind in CHAT_FIRST if self.chat is None else self.chat
        return f"{self._address.api}/{'chat/completions' if chat else 'completions'}"

    def _body(self, prompt: str, answer_tokens: int) -> dict[str, object]:
        chat = self.kind in CHAT_FIRST if self.chat is None else self.chat
        length = "max_completion_tokens" if "max_tokens" in self._refused else "max_tokens"
        body: dict[str, object] = {"model": self.model} if self.model else {}
        body |= {"messages": [{"role": "user", "content": prompt}]} if chat else {"prompt": prompt}
        body |= {"stream": True, length: answer_tokens, "temperature": 0, "stream_options": {"include_usage": True}}
        body |= {"ignore_eos": True} if self.kind in IGNORE_EOS else {}
        body |= {"min_tokens": answer_tokens} if self.kind in MIN_TOKENS else {}
        return {name: value for name, value in body.items() if name not in self._refused}


@dataclass(frozen=True, slots=True)
class _Refused:
    """An answer that is no success; ``retry_after_s`` is −1 where the server names no wait."""

    status: int
    body: str
    retry_after_s: float
    error: AdvisorError


async def _body(response: httpx.Response) -> str:
    """The text of an answer that is no stream, cut."""
    body = b""
    async for some in response.aiter_bytes():
        body += some
        if len(body) >= BODY_BYTES:
            break
    return body[:BODY_BYTES].decode("utf-8", "replace")


def _headers(key: str) -> dict[str, str]:
    if key and not (key.isascii() and key.isprintable()):
        raise UsageError("The key holds characters that no key has.", "Look at what the variable holds.")
    headers = {"Accept-Encoding": "identity", "User-Agent": "two-machines"}
    return headers | ({"Authorization": f"Bearer {key}"} if key else {})


def _certificates(insecure: bool) -> ssl.SSLContext:
    """The system's own authorities; none at all for a server of one's own."""
    context = ssl.create_default_context()
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
