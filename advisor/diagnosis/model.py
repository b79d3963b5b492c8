"""Workload, timeline and verdict as frozen values."""

from dataclasses import dataclass
from enum import StrEnum

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Fact
from advisor.core.numbers import speed
from advisor.diagnosis.parts import NO_COURSE, Course, Turn


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
        turns: of a chat, at least 1; each adds its message and the answer before it to what the model must know.
            The first has ``prompt_tokens``, each message is as long as the part of them that is not shared.
        prefix_kept: whether the program keeps what was read from one turn to the next; of no effect on one turn.
    """

    id: str
    title: str
    prompt_tokens: int
    shared_tokens: int
    answer_tokens: int
    users: int
    comfort: Comfort
    turns: int = 1
    prefix_kept: bool = False

    def __post_init__(self) -> None:
        if self.prompt_tokens < 1 or self.answer_tokens < 1 or self.users < 1 or self.turns < 1:
            raise ValueError("prompt, answer, users and turns must be at least 1")
        if not 0 <= self.shared_tokens <= self.prompt_tokens:
            raise ValueError("shared tokens must lie between 0 and the prompt")

    @property
    def new_tokens(self) -> int:
        """Tokens that each request or turn brings anew; one at least is always evaluated (physics.md eq. 26)."""
        return max(1, self.prompt_tokens - self.shared_tokens)

    @property
    def mean_depth_tokens(self) -> int:
        """Tokens in the cache when the answer begins; of a chat on average over its turns, whatever was kept."""
        turns = range(1, self.turns + 1)
        return round(sum(self.turn_prompt(turn) for turn in turns) / len(turns))

    @property
    def writing_depth_tokens(self) -> int:
        """Tokens in the cache in the middle of the answer."""
        return self.mean_depth_tokens + self.answer_tokens // 2

    def turn_prompt(self, number: int) -> int:
        """Everything the model must know in that turn, counted from 1."""
        return self.prompt_tokens + (number - 1) * (self.new_tokens + self.answer_tokens)

    @property
    def deepest_tokens(self) -> int:
        """What the context holds at the end of the last turn."""
        return self.turn_prompt(self.turns) + self.answer_tokens


@dataclass(frozen=True, slots=True)
class Timeline:
    """Where one request's seconds go; ``wait_s + stream_s == total_s``.

    ``wait_s``, ``stream_s`` and ``total_s`` are of one request (the first turn of a chat) that is read cold, prefill
    and decode only; the courses hold every part that is known.

    Attributes:
        wait_s: blank screen until the first token.
        stream_s: from the first token to the last.
        prefill_tokens_per_s, decode_tokens_per_s: the speeds the seconds were computed with, per user.
        basis: how, in words ("pp512 and tg128 measured here, the same speed assumed at this depth").
        prefill_spread_tokens_per_s, decode_spread_tokens_per_s: deviation of these speeds, as repetitions differed;
            None where one repetition has none.
        prefill_test, decode_test: llama-bench's names of the rows it rests on ("pp512", "tg128").
        first_time: one request with nothing loaded and nothing read before.
        afterwards: the next one, the model loaded and the shared part of the prompt kept.
        chat, chat_kept: all turns of a chat, everything read again in each, and with the context kept between them.
        turns: of a chat; a single request has one.
        kept_basis: what keeping rests on, and what this model sets against it, in words.
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
    first_time: Course = NO_COURSE
    afterwards: Course = NO_COURSE
    chat: Course = NO_COURSE
    chat_kept: Course = NO_COURSE
    turns: tuple[Turn, ...] = ()
    kept_basis: str = ""

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

    def __post_init__(self) -> None:
        if self.of_ceiling is not None and not 0 <= self.of_ceiling <= 1:
            raise ValueError("a share of a ceiling lies between 0 and 1")


@dataclass(frozen=True, slots=True)
class Loss:
    """What a phase costs against what would be comfortable, and against what this machine allows.

    Attributes:
        took_s: seconds of the phase, all turns of a chat together.
        beyond_comfort_s: those of them beyond the comfort line; at least 0.
        above_ceiling_s: those that would go at the phase's ceiling; at least 0.
    """

    phase: Phase
    took_s: float
    beyond_comfort_s: float
    above_ceiling_s: Fact[float]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer.

    Attributes:
        headline: "Prefill is your problem."
        sentence: the numbers behind it, one or two sentences anyone understands.
        prefill, decode: what limits each phase.
        losses: of prefill and of decode, from which the problem follows (``problem.problem_of``).
    """

    problem: Problem
    headline: str
    sentence: str
    prefill: Finding
    decode: Finding
    losses: tuple[Loss, ...] = ()
