"""The one place that talks to a server: HTTP/1.1 over kept connections, streamed answers, nothing trusted."""

import asyncio
import json
import ssl
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Final

import httpx

from advisor.core.errors import AdvisorError, UsageError
from advisor.core.evidence import Fact, Unknown
from advisor.core.translation import tr
from advisor.servers import failures
from advisor.servers.address import Address
from advisor.servers.believing import believed_timings, prompt_is_wrong
from advisor.servers.chunks import NoChunk, read_chunk, read_usage
from advisor.servers.dialect import TIMED_PATHS, Dialect, Refused
from advisor.servers.engine_timings import of_answer
from advisor.servers.exchange import EngineTimings, Exchange
from advisor.servers.facts import Answer
from advisor.servers.model import ServerSettings, no_counters
from advisor.servers.recording import Recording
from advisor.servers.sse import EventReader, LineTooLong

BODY_BYTES: Final = 256 * 1024
"""Of an answer that is no stream; no list of models comes near."""

LONGEST_WAIT_S: Final = 10.0
"""A Retry-After up to this is honoured, once; a longer one is told."""

AFTER_DONE_S: Final = 0.5
"""A server that said that it is done ends its stream within this, or its connection is closed."""

CONNECTIONS: Final = 512


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
        self.dialect = Dialect(settings.model)
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
        answer = await self._answer(self._url(), self.dialect.whole_body(prompt, 1))
        usage = None if answer is None else read_usage(answer.get("usage"))
        if usage is None or prompt_is_wrong(usage.prompt_tokens, len(prompt.encode())):
            return None
        return usage.prompt_tokens

    async def own_timings(self, prompt: str, answer_tokens: int) -> Fact[EngineTimings]:
        """Times of one request to the engine's own API, answered in one piece; Unknown where it has none that tells."""
        path = TIMED_PATHS.get(self.dialect.kind)
        if path is None:
            return no_counters()
        answer = await self._answer(f"{self._address.root}{path}", self.dialect.timed_body(prompt, answer_tokens))
        if answer is None:
            return Unknown(tr("{path} gave no answer that can be read", path=path))
        return believed_timings(of_answer([answer]), answer_tokens, len(prompt.encode()), 0)

    async def _answer(self, url: str, body: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """What a POST is answered in one piece; None where no JSON object comes."""
        self.requests += 1
        try:
            async with asyncio.timeout(self._settings.silence_s), self._http.stream("POST", url, json=body) as response:
                answer = json.loads(await _body(response))
        except (TimeoutError, httpx.HTTPError, ValueError, RecursionError):
            return None
        return answer if isinstance(answer, dict) else None

    async def exchange(self, prompt: str, answer_tokens: int, recording: Recording | None = None) -> Exchange:
        """One streamed request; what goes wrong stands in the exchange.

        Args:
            prompt: the text.
            answer_tokens: as many are asked for.
            recording: holds what came when this is cancelled; given by who wants to cancel it.
        """
        record = recording or Recording(self.now_s())
        record.asked, record.prompt_bytes = answer_tokens, len(prompt.encode())
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
            if self.dialect.mend(refused):
                continue
            if refused.status == 429 and not waited and 0 <= refused.retry_after_s <= LONGEST_WAIT_S:
                waited = True
                await asyncio.sleep(refused.retry_after_s)
                continue
            raise refused.error
        raise refused.error if refused else failures.closed_early()

    async def _stream(self, prompt: str, answer_tokens: int, record: Recording) -> Refused | None:
        silence_s = self._settings.silence_s
        loop = asyncio.get_running_loop()
        answered = False
        self.requests += 1
        try:
            async with asyncio.timeout(silence_s) as limit:
                body = self.dialect.body(prompt, answer_tokens)
                async with self._http.stream("POST", self._url(), json=body) as response:
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
        record.check_end(answer_tokens, reader.stray, self._address.root)
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

    def _url(self) -> str:
        return f"{self._address.api}/{self.dialect.path}"

    def _refusal(self, response: httpx.Response, body: str) -> Refused:
        try:
            retry_after_s = float(response.headers.get("retry-after", "-1"))
        except ValueError:
            retry_after_s = -1.0
        kind = response.headers.get("content-type", "")
        error = failures.of_status(
            response.status_code, body, kind, self._address.root, self.dialect.model, self._settings.key
        )
        return Refused(response.status_code, body, retry_after_s, error)


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
        raise UsageError(tr("The key holds characters that no key has."), tr("Look at what the variable holds."))
    headers = {"Accept-Encoding": "identity", "User-Agent": "two-machines"}
    return headers | ({"Authorization": f"Bearer {key}"} if key else {})


def _certificates(insecure: bool) -> ssl.SSLContext:
    """The system's own authorities; none at all for a server of one's own."""
    context = ssl.create_default_context()
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
