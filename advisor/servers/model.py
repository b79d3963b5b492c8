"""What a server is asked for and what was measured of it: ``measuring.py`` makes a ``ServerResult`` of ``Exchange``s.

Times are seconds; those of exchanges are on one monotonic clock whose 0 is the start of the run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from advisor.core import stats
from advisor.core.evidence import Fact, Missing, Unknown
from advisor.core.translation import marked, tr
from advisor.servers.exchange import EngineTimings, Exchange, Failure
from advisor.servers.facts import ServerFacts

SEVERAL_PER_CHUNK: Final = 1.1
"""Tokens per chunk above which a chunk is said to carry several; below it are pieces of characters held back."""

NOT_READ: Final = Unknown(marked("not read yet"), Missing.NOT_YET)
"""Of the engine's own clock, which is read after the single requests."""
NOT_MEASURED: Final = Unknown(marked("not measured"), Missing.NOT_YET)


def no_counters() -> Unknown:
    """The engine's own clock, where nothing shows it."""
    return Unknown(tr("the server shows no counters"), Missing.NOT_SUPPORTED)


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

    @property
    def noise_s(self) -> float | None:
        """By how much waits of one length differ, at worst; None where each length was asked once."""
        return wait_noise_s(self.points)

    @property
    def spread_tokens_per_s(self) -> float | None:
        """What that noise makes of the speed; None where either is not known."""
        rate, noise_s = self.tokens_per_s.or_none(), self.noise_s
        if rate is None or noise_s is None:
            return None
        longer_s = self.points[-1].first_token_s.median - self.points[0].first_token_s.median
        return rate * noise_s / longer_s if longer_s > 0 else None


def wait_noise_s(points: Sequence[PromptPoint]) -> float | None:
    """The largest deviation of the waits of one length; None where no length was asked twice."""
    return max((spread for point in points if (spread := point.first_token_s.mad) is not None), default=None)


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
class Beside:
    """Who used this computer's processors meanwhile, as shares of all logical CPUs.

    Attributes:
        server_fraction: the server's own processes, where it is on this machine.
        others_fraction: programs that are neither the server nor this one; the server too where it is not told apart.
        biggest: name of the program of the others that used most; "" where none used much.
    """

    server_fraction: Fact[float]
    others_fraction: Fact[float]
    biggest: str = ""


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
        beside: what else this computer did.
        doubts: why the figures are only suspect, clauses; empty for a quiet run.
    """

    facts: ServerFacts
    singles: tuple[Exchange, ...] = ()
    prefill: Fact[Prefill] = NOT_MEASURED
    decode_tokens_per_s: Samples = Samples()
    gaps_s: Samples = Samples()
    counters: Fact[EngineTimings] = NOT_READ
    prefix: Fact[PrefixReuse] = NOT_MEASURED
    users: tuple[UsersPoint, ...] = ()
    stutter: Fact[StutterRun] = NOT_MEASURED
    failures: Mapping[str, Failure] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    interrupted: str = ""
    requests: int = 0
    spent_s: float = 0.0
    beside: Fact[Beside] = NOT_MEASURED
    doubts: tuple[str, ...] = ()

    @property
    def tokens_per_chunk(self) -> float:
        """Median over the single requests; 1 where there is none."""
        return stats.median([each.tokens_per_chunk for each in self.singles]) if self.singles else 1.0

    @property
    def several_per_chunk(self) -> bool:
        """Whether gaps are between chunks of several tokens."""
        return self.tokens_per_chunk > SEVERAL_PER_CHUNK
