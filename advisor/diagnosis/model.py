"""Workload, timeline and verdict as frozen values."""

from dataclasses import dataclass
from enum import StrEnum

from advisor.benchmarks.model import Phase
from advisor.core.numbers import speed


@dataclass(frozen=True, slots=True)
class Comfort:
    """The user's comfort line: longest wait for the first word, slowest stream that is still fine."""

    longest_wait_s: float
    slowest_tokens_per_s: float


@dataclass(frozen=True, slots=True)
class Workload:
    """One typical request.

    Attributes:
        id: preset id ("rag", "chat", "summarise", "coding", "long-writing", "many-users") or "custom".
        title: preset's name as shown.
        prompt_tokens: all tokens of the prompt, at least 1.
        shared_tokens: those that are the same every time, at most ``prompt_tokens``.
        answer_tokens: at least 1.
        users: people at once, at least 1.
    """

    id: str
    title: str
    prompt_tokens: int
    shared_tokens: int
    answer_tokens: int
    users: int
    comfort: Comfort

    def __post_init__(self) -> None:
        if self.prompt_tokens < 1 or self.answer_tokens < 1 or self.users < 1:
            raise ValueError("prompt, answer and users must be at least 1")
        if not 0 <= self.shared_tokens <= self.prompt_tokens:
            raise ValueError("shared tokens must lie between 0 and the prompt")


@dataclass(frozen=True, slots=True)
class Timeline:
    """Where one request's seconds go; ``wait_s + stream_s == total_s``.

    Attributes:
        wait_s: blank screen until the first token.
        stream_s: from the first token to the last.
        prefill_tokens_per_s, decode_tokens_per_s: the speeds the seconds were computed with, per user.
        basis: how, in words ("pp512 and tg128 measured here, the same speed assumed at this depth").
        prefill_spread_tokens_per_s, decode_spread_tokens_per_s: deviation of these speeds, as repetitions differed;
            None where one repetition has none.
        prefill_test, decode_test: llama-bench's names of the rows it rests on ("pp512", "tg128").
    """

    wait_s: float
    stream_s: float
    total_s: float
    prefill_tokens_per_s: float
    decode_tokens_per_s: float
    basis: str
    prefill_test: str = ""
    decode_test: str = ""
    prefill_spread_tokens_per_s: float | None = None
    decode_spread_tokens_per_s: float | None = None

    @property
    def prefill_speed(self) -> str:
        """In words, as fine as its spread allows."""
        return speed(self.prefill_tokens_per_s, self.prefill_spread_tokens_per_s)

    @property
    def decode_speed(self) -> str:
        """In words, as fine as its spread allows."""
        return speed(self.decode_tokens_per_s, self.decode_spread_tokens_per_s)


class Limit(StrEnum):
    """What limits a phase."""

    MEMORY = "memory"
    COMPUTE = "compute"
    UNPACKING = "unpacking"
    OVERHEAD = "overhead"
    FAULT = "something is wrong"
    UNKNOWN = "unknown"


class Problem(StrEnum):
    """Which phase is the user's problem."""

    PREFILL = "prefill"
    DECODE = "decode"
    NONE = "none"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Finding:
    """What limits one phase.

    Attributes:
        of_ceiling: measured / ceiling, 0 to 1; None where the ceiling is unknown.
        because: one sentence with the numbers used.
    """

    phase: Phase
    limit: Limit
    of_ceiling: float | None
    because: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer.

    Attributes:
        headline: "Prefill is your problem."
        sentence: the numbers behind it, one or two sentences anyone understands.
        prefill, decode: what limits each phase.
    """

    problem: Problem
    headline: str
    sentence: str
    prefill: Finding
    decode: Finding
