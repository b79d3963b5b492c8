"""What a running server is and what was measured of it.

All times are seconds on one monotonic clock whose 0 is the start of the run. ``recognise.py`` makes ``Recognised`` of
``Answer``s by pure functions; ``client.py`` records ``Exchange``s; ``measuring.py`` makes a ``ServerResult`` of them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Final

from advisor.core import stats
from advisor.core.evidence import Fact, Missing, Unknown

SEVERAL_PER_CHUNK: Final = 1.1
"""Tokens per chunk above which a chunk is said to carry several; below it are pieces of characters held back."""


NOT_SAID: Final = Unknown("the server does not say", Missing.NOT_SUPPORTED)
NO_TIMINGS: Final = Unknown("the server sends no timings", Missing.NOT_SUPPORTED)
NO_COUNTERS: Final = Unknown("the server shows no counters", Missing.NOT_SUPPORTED)
NOT_MEASURED: Final = Unknown("not measured", Missing.NOT_YET)


class ServerKind(StrEnum):
    """The program behind the address; the text is what the user reads."""

    VLLM = "vLLM"
    LLAMA_SERVER = "llama-server"
    SGLANG = "SGLang"
    OLLAMA = "Ollama"
    LM_STUDIO = "LM Studio"
    LLAMA_CPP_PYTHON = "llama-cpp-python"
    UNKNOWN = "unknown"


class CountOrigin(StrEnum):
    """Who counted tokens; the text is what the user reads."""

    USAGE = "the server's usage figures"
    CHUNKS = "counted chunks"
    ESTIMATED = "estimated from a prompt that the server counted"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one probing GET came back with; nothing in it is trusted.

    Attributes:
        path: below the server's root, ``/version``, ``/v1/models``.
        status: HTTP status; 0 where no answer came.
        content_type: as sent, "" where absent.
        server: the header ``Server``, "" where absent.
        text: the body, cut at 256 KiB.
    """

    path: str
    status: int
    content_type: str = ""
    server: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What the probing answers say.

    Attributes:
        kind: the engine, UNKNOWN where nothing fits.
        because: which answer says so, in words a user can check ("/props has build_info").
        version: as the server says it.
        models: ids that requests may name, in the server's order.
        context_tokens: of one request, by model id; models that do not tell are absent.
        slots: requests that are computed together; more of them wait.
        settings: what the server says of its own settings, by its own name for them ("n_batch": "2048").
    """

    kind: ServerKind
    because: str
    version: Fact[str]
    models: tuple[str, ...] = ()
    context_tokens: Mapping[str, int] = field(default_factory=dict)
    slots: Fact[int] = NOT_SAID
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """The server and the model that is measured.

    Attributes:
        base_url: up to and with ``/v1``, without user, password and query.
        model: the id that requests name, "" where the server has no list and none was given.
        round_trip_s: the fastest answer to a request that computes nothing, on an open connection.
    """

    base_url: str
    kind: ServerKind
    because: str
    version: Fact[str]
    models: tuple[str, ...]
    model: str
    context_tokens: Fact[int]
    slots: Fact[int]
    settings: Mapping[str, str]
    round_trip_s: Fact[float]


@dataclass(frozen=True, slots=True)
class EngineTimings:
    """What the engine itself says of a request, or of several added up; ``None`` where it does not.

    Attributes:
        source: field and place, "timings of the last chunk".
        prompt_tokens: that were computed, cached ones not among them.
        cached_tokens: of the prompt, found in the prefix cache.
        decode_s: of ``decode_tokens`` tokens, those behind the first where the engine's clock starts there.
        queue_s: waited before it was begun.
        load_s: loading the model for this request.
        requests: over which all figures are sums.
    """

    source: str
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    prefill_s: float | None = None
    decode_tokens: int | None = None
    decode_s: float | None = None
    queue_s: float | None = None
    load_s: float | None = None
    requests: int = 1

    @property
    def prefill_tokens_per_s(self) -> float | None:
        """Speed of the prompt by the engine's clock."""
        return self.prompt_tokens / self.prefill_s if self.prompt_tokens and self.prefill_s else None

    @property
    def decode_tokens_per_s(self) -> float | None:
        """Speed of the answer by the engine's clock."""
        return self.decode_tokens / self.decode_s if self.decode_tokens and self.decode_s else None


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that failed, as it is told: a sentence with its full stop, a hint, and the exit code it stands for."""

    sentence: str
    hint: str = ""
    exit_code: int = 4


@dataclass(frozen=True, slots=True)
class Exchange:
    """One streamed request.

    Attributes:
        sent_at_s: when the request was sent.
        arrivals_s: when each chunk with text came (answer and reasoning alike), rising.
        ended_at_s: when the stream ended or was given up.
        prompt_tokens: of the whole prompt, cached ones too; None where the server does not count them.
        completion_tokens: written; of the usage figures, else one per chunk.
        counted: who counted ``completion_tokens``.
        prompt_counted: who counted ``prompt_tokens``.
        cached_tokens: of the prompt, by the usage figures.
        engine: the engine's own timings of this request.
        failure: why it ended early; None where it ended well or was stopped by us.
        stopped: we ended it before the server did.
    """

    sent_at_s: float
    arrivals_s: tuple[float, ...]
    ended_at_s: float
    prompt_tokens: int | None
    completion_tokens: int
    counted: CountOrigin
    prompt_counted: CountOrigin = CountOrigin.USAGE
    cached_tokens: int | None = None
    engine: Fact[EngineTimings] = NO_TIMINGS
    failure: Failure | None = None
    stopped: bool = False

    @property
    def first_token_s(self) -> float | None:
        """Time to first token, from sending on."""
        return self.arrivals_s[0] - self.sent_at_s if self.arrivals_s else None

    @property
    def tokens_per_chunk(self) -> float:
        """Tokens that a chunk carries; 1 where they were counted by chunks, or only the end token came without text."""
        chunks = len(self.arrivals_s)
        return self.completion_tokens / chunks if chunks and self.completion_tokens > chunks + 1 else 1.0

    @property
    def gaps_s(self) -> tuple[float, ...]:
        """Seconds between chunks."""
        return tuple(later - earlier for earlier, later in pairwise(self.arrivals_s))

    @property
    def decode_tokens_per_s(self) -> float | None:
        """Tokens after the first chunk over the seconds since it; None for fewer than two chunks."""
        if len(self.arrivals_s) < 2 or self.arrivals_s[-1] <= self.arrivals_s[0]:
            return None
        written = (len(self.arrivals_s) - 1) * self.tokens_per_chunk
        return written / (self.arrivals_s[-1] - self.arrivals_s[0])


@dataclass(frozen=True, slots=True)
class Samples:
    """Raw figures of one kind, in the unit that the holder's field name states; empty where nothing was measured."""

    values: tuple[float, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.values)

    @property
    def median(self) -> float:
        """Raises ValueError where nothing was measured."""
        return stats.median(self.values)

    @property
    def mad(self) -> float | None:
        """Median absolute deviation; None for fewer than two values."""
        return stats.mad(self.values)

    @property
    def p95(self) -> float:
        """The value that 95 % do not pass (nearest rank; the worst for fewer than 20). Raises ValueError on nothing."""
        return stats.percentile(self.values, 0.95)

    @property
    def worst(self) -> float:
        """The largest. Raises ValueError where nothing was measured."""
        return max(self.values)


@dataclass(frozen=True, slots=True)
class PromptPoint:
    """Unique prompts of one length, one request at a time.

    Attributes:
        prompt_tokens: as the server counts them, the median of the requests.
        first_token_s: time to first token of each request.
    """

    prompt_tokens: int
    first_token_s: Samples


@dataclass(frozen=True, slots=True)
class Prefill:
    """Reading a prompt, from the slope of the time to first token over its length.

    Attributes:
        points: rising in length.
        tokens_per_s: between the shortest and the longest prompt; network, queue and the first token's step fall out.
        overhead_s: where the line meets 0 tokens: all that a request waits for beside its prompt.
    """

    points: tuple[PromptPoint, ...]
    tokens_per_s: Fact[float]
    overhead_s: Fact[float]


@dataclass(frozen=True, slots=True)
class PrefixReuse:
    """One prompt sent again and again, beside unique ones of the same length.

    Attributes:
        prompt_tokens: of either.
        unique_s: time to first token of unique prompts.
        repeated_s: of the repeated prompt, its first time left out.
        cached_tokens: of the repeated prompt, as the server says.
    """

    prompt_tokens: int
    unique_s: Samples
    repeated_s: Samples
    cached_tokens: Fact[int]


@dataclass(frozen=True, slots=True)
class UsersPoint:
    """So many streams at once, each with a prompt of its own.

    Attributes:
        users: streams that were begun together.
        exchanges: one per stream, failed ones among them.
        together_tokens_per_s: of all streams, over the time in which all of them wrote.
        each_tokens_per_s: of each stream that wrote, from its first token to its last.
        output_tokens_per_s: all tokens over the whole time from the first request to the last token, prompts included.
        first_token_s: of each stream.
        gaps_s: between chunks, of all streams.
    """

    users: int
    exchanges: tuple[Exchange, ...]
    together_tokens_per_s: Fact[float]
    each_tokens_per_s: Samples
    output_tokens_per_s: Fact[float]
    first_token_s: Samples
    gaps_s: Samples


@dataclass(frozen=True, slots=True)
class StutterRun:
    """Steady streams, into which one long prompt comes.

    Attributes:
        streams: steady streams.
        long: the request with the long prompt.
        steady: one exchange per stream.
        before_s: gaps between chunks of the steady streams that ended before the long prompt was sent.
        during_s: gaps that overlap the time between its sending and its first token.
    """

    streams: int
    long: Exchange
    steady: tuple[Exchange, ...]
    before_s: Samples
    during_s: Samples

    @property
    def prompt_tokens(self) -> int | None:
        """Of the long prompt, as the server counts."""
        return self.long.prompt_tokens


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What is asked of a server and how much of it.

    Attributes:
        url: as the user typed it.
        model: id to measure, "" for the server's only or first one.
        key: sent as ``Authorization: Bearer``; kept out of ``repr`` and of every result.
        insecure: take any certificate.
        prompts_tokens: lengths of the single requests' prompts, rising.
        answer_tokens: written by each of them.
        repetitions: single requests per length.
        users: streams of each point of the users' sweep; empty for none.
        users_prompt_tokens: of each stream's prompt.
        streams: steady streams of the stutter experiment; 0 for none.
        stutter_prompt_tokens: of the prompt that comes in between.
        budget_s: no request is begun after it.
        connect_s: limit of a connection.
        silence_s: limit between two bytes, and until the first one.
    """

    url: str
    model: str = ""
    key: str = field(default="", repr=False)
    insecure: bool = False
    prompts_tokens: tuple[int, ...] = (64, 512, 1024)
    answer_tokens: int = 64
    repetitions: int = 3
    users: tuple[int, ...] = (1, 2, 4, 8)
    users_prompt_tokens: int = 64
    streams: int = 3
    stutter_prompt_tokens: int = 2048
    budget_s: float = 60.0
    connect_s: float = 5.0
    silence_s: float = 60.0


@dataclass(frozen=True, slots=True)
class ServerResult:
    """All that was found out; parts that are not there say why.

    Attributes:
        singles: every single request, in order.
        decode_tokens_per_s: of each single request.
        gaps_s: between chunks of all single requests.
        counters: what the server's ``/metrics`` counted of all single requests together; of Ollama and LM Studio, what
            their own APIs say of one more request.
        tokens_per_chunk: of the single requests; above ``SEVERAL_PER_CHUNK`` gaps are between chunks, not tokens.
        failures: what failed, by part, in order.
        left_out: what was not tried, sentences with their reason.
        interrupted: why the run ended early, a sentence; "" where it did not.
        requests: that were sent, probing not among them.
        spent_s: of the whole run.
    """

    facts: ServerFacts
    singles: tuple[Exchange, ...] = ()
    prefill: Fact[Prefill] = NOT_MEASURED
    decode_tokens_per_s: Samples = Samples()
    gaps_s: Samples = Samples()
    counters: Fact[EngineTimings] = NO_COUNTERS
    prefix: Fact[PrefixReuse] = NOT_MEASURED
    users: tuple[UsersPoint, ...] = ()
    stutter: Fact[StutterRun] = NOT_MEASURED
    failures: Mapping[str, Failure] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    interrupted: str = ""
    requests: int = 0
    spent_s: float = 0.0

    @property
    def tokens_per_chunk(self) -> float:
        """Median over the single requests; 1 where there is none."""
        return stats.median([each.tokens_per_chunk for each in self.singles]) if self.singles else 1.0

    @property
    def several_per_chunk(self) -> bool:
        """Whether gaps are between chunks of several tokens."""
        return self.tokens_per_chunk > SEVERAL_PER_CHUNK and math.isfinite(self.tokens_per_chunk)
