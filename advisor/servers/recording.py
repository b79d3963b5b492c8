"""One streamed answer while it comes: what its chunks said, and whether its end is one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from advisor.core.errors import AdvisorError
from advisor.servers import failures
from advisor.servers.believing import believed_timings, usage_is_wrong
from advisor.servers.chunks import Chunk, Usage
from advisor.servers.engine_timings import of_answer
from advisor.servers.exchange import CountOrigin, Exchange


@dataclass(slots=True)
class Recording:
    """One exchange while it happens.

    Attributes:
        asked: tokens of the answer that were asked for.
        prompt_bytes: of the prompt, as UTF-8.
    """

    sent_at_s: float
    asked: int = 0
    prompt_bytes: int = 0
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

    def check_end(self, asked: int, stray: bytes, root: str) -> None:
        """Raise AdvisorError for a stream that ended without saying that it was done.

        Args:
            asked: tokens of the answer.
            stray: the first line that was no field of an event.
            root: the server's address.
        """
        if self.finished:
            return
        if not self.arrivals_s and not self.last:
            if stray:
                raise failures.no_stream(stray.decode("utf-8", "replace"), "", root)
            raise failures.closed_early()
        chunks = len(self.arrivals_s)
        wrong = usage_is_wrong(self.usage, self.asked, self.prompt_bytes, chunks)
        written = chunks if wrong else self.usage.completion_tokens or chunks
        if not self.done:
            raise failures.closed_early()
        if written < asked:
            raise failures.cut_short(written, asked)

    def exchange(self, now_s: float) -> Exchange:
        """What was recorded until now."""
        ended_s = self.ended_at_s if self.ended_at_s is not None else now_s
        chunks = len(self.arrivals_s)
        sent = replace(self.usage, completion_tokens=None) if self.stopped else self.usage  # was not yet the last word
        wrong = usage_is_wrong(sent, self.asked, self.prompt_bytes, chunks)
        usage = Usage() if wrong else sent
        written = usage.completion_tokens
        counted = CountOrigin.USAGE if written is not None else CountOrigin.CHUNKS
        engine = believed_timings(of_answer(self.last), self.asked, self.prompt_bytes, chunks)
        return Exchange(
            sent_at_s=self.sent_at_s,
            arrivals_s=tuple(self.arrivals_s),
            ended_at_s=ended_s,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=chunks if written is None else written,
            counted=CountOrigin.DISBELIEVED if wrong else counted,
            cached_tokens=usage.cached_tokens,
            engine=engine,
            failure=None if self.failure is None else failures.as_failure(self.failure),
            stopped=self.stopped,
        )
