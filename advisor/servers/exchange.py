"""One streamed request as ``client.py`` records it: when its chunks came, who counted, what the engine's clock says.

All times are seconds on one monotonic clock whose 0 is the start of the run.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from advisor.core.evidence import Fact, Missing, Unknown
from advisor.core.translation import marked, tr


def no_timings() -> Unknown:
    """The engine's own times of a request, where it tells none."""
    return Unknown(tr("the server sends no timings"), Missing.NOT_SUPPORTED)


class CountOrigin(StrEnum):
    """Who counted tokens; the user reads ``tr`` of the text."""

    USAGE = marked("the server's usage figures")
    CHUNKS = marked("counted chunks")
    DISBELIEVED = marked("counted chunks, since the server's usage figures cannot be right")
    ESTIMATED = marked("estimated from a prompt that the server counted")


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
    engine: Fact[EngineTimings] = field(default_factory=no_timings)
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
