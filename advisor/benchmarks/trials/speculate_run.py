"""Follows a child that writes texts plainly and with guessing (task ``speculate``)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from advisor.benchmarks import protocol
from advisor.benchmarks.child_words import translated
from advisor.benchmarks.trials.model import Speculated
from advisor.benchmarks.trials.watching import Watch
from advisor.core.stats import median
from advisor.core.translation import marked

PLAIN: Final = "plain"
GUESSING: Final = "guessing"


@dataclass(slots=True)
class TextRun:
    """One text, both ways.

    Attributes:
        words: what it is.
        tokens: written in each round.
        led: the model was led along the text, since its own words mean nothing.
        seconds: of each round, by way.
        differs_at: token at which the two ways parted in the first round; None where they wrote the same.
        prompt_tokens: in the cache when the writing began; 0 where the child did not say.
        repeated: share of the written four-token groups that stood there before, 0 to 1.
    """

    words: str
    tokens: int
    led: bool
    seconds: dict[str, dict[int, float]] = field(default_factory=lambda: {PLAIN: {}, GUESSING: {}})
    differs_at: int | None = None
    repeated: float = 0.0
    steps: int = 0
    drafts: int = 0
    guessed: int = 0
    accepted: int = 0
    drafting_s: float = 0.0
    written: int = 0
    prompt_tokens: int = 0

    def both(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Seconds of the whole rounds, plain and guessing."""
        plain, guessing = self.seconds[PLAIN], self.seconds[GUESSING]
        rounds = sorted(plain.keys() & guessing.keys())
        return tuple(plain[one] for one in rounds), tuple(guessing[one] for one in rounds)

    @property
    def tokens_per_step(self) -> float:
        """Tokens that a step gave with guessing, at least 1."""
        return max(1.0, self.written / self.steps) if self.steps else 1.0


@dataclass(slots=True)
class SpeculateRun:
    """Takes the messages of one child.

    Attributes:
        watch: of what else went on.
        texts: by name, in the order they were begun.
        steps: seconds of steps by their tokens.
    """

    watch: Watch
    texts: dict[str, TextRun] = field(default_factory=dict)
    steps: dict[int, list[float]] = field(default_factory=dict)

    @property
    def stage(self) -> str:
        """What it was doing, for the words of an error."""
        return marked("writing text with guesses") if self.watch.loaded else marked("loading the models")

    def take(self, message: Mapping[str, Any]) -> None:
        """One message of the child; raises ProtocolError for what cannot be."""
        if self.watch.take(message):
            return
        if "step" in message:
            self.steps.setdefault(protocol.count(message, "step", 1), []).append(protocol.seconds(message, "seconds"))
        elif "words" in message:
            self.texts[str(message["text"])] = TextRun(
                translated(str(message["words"])), protocol.count(message, "tokens", 1), bool(message.get("led")),
                prompt_tokens=protocol.count(message, "prompt_tokens", 0),
            )
        elif "text" in message:
            self._take_row(message)

    def step_s(self) -> tuple[tuple[int, float], ...]:
        """Median seconds of a step by its tokens."""
        return tuple((tokens, median(samples)) for tokens, samples in sorted(self.steps.items()))

    def speculated(self, text: TextRun) -> Speculated:
        """What guessing did on a text, all rounds together."""
        steps = self.step_s()
        step_s = next((seconds for tokens, seconds in steps if tokens == 1), 0.0)
        drafting = text.drafting_s / text.guessed / step_s if text.guessed and step_s else 0.0
        return Speculated(text.accepted / text.guessed if text.guessed else 0.0, text.tokens_per_step, steps, drafting)

    def _take_row(self, message: Mapping[str, Any]) -> None:
        text = self.texts.get(str(message["text"]))
        if text is None:
            raise protocol.ProtocolError("a row of a text that was not begun")
        if "repeated" in message:
            text.repeated = min(1.0, max(0.0, float(message["repeated"])))
            text.differs_at = None if message.get("differs_at") is None else protocol.count(message, "differs_at", 0)
        if "round" not in message:
            return
        way = str(message["way"])
        if way not in text.seconds:
            raise protocol.ProtocolError(f"a way called {way!r}")
        text.seconds[way][protocol.count(message, "round", 0)] = protocol.seconds(message, "seconds")
        if way == GUESSING:
            text.written += text.tokens
            for name in ("steps", "drafts", "guessed", "accepted"):
                setattr(text, name, getattr(text, name) + protocol.count(message, name, 0))
            text.drafting_s += max(0.0, float(message.get("drafting_s", 0.0)))
            if text.accepted > text.guessed or text.steps < 1:
                raise protocol.ProtocolError("more guesses were right than were made")
