"""A request and a chat as parts in seconds: first and afterwards, read again or kept (physics.md 6)."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import RealUse, Stamp
from advisor.benchmarks.planning.predicting import RESTORE_BYTES_PER_S
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import seconds
from advisor.core.translation import marked, tr, trn
from advisor.diagnosis.model import Workload
from advisor.diagnosis.pace import RUNS_DIFFER, Pace
from advisor.diagnosis.parts import Course, Part, PartId, Seconds, Turn, add_up
from advisor.gguf.traffic import Traffic

KEPT: Final = marked("as llama-server, Ollama and LM Studio do with the last conversation")

WINDOW_LIMIT: Final = marked(
    "but this model's sliding-window layers can resume only where the server kept a checkpoint, and otherwise "
    "everything is read again"
)
STATE_LIMIT: Final = marked(
    "but this model's recurrent layers can resume only where the server kept a checkpoint, and otherwise everything is "
    "read again"
)


@dataclass(frozen=True, slots=True)
class Chat:
    """All turns of a chat, read again each time and kept."""

    again: Course
    kept: Course
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class _Request:
    """One request of all people at once: tokens of the prompt, how many of them were kept, and its seconds."""

    prompt: int
    kept: int
    restored: Seconds
    read: Seconds
    written: Seconds


@dataclass(frozen=True, slots=True)
class Courses:
    """Makes every course of one workload.

    Attributes:
        basis: what the speeds rest on, in words.
    """

    workload: Workload
    prefill: Pace
    decode: Pace
    traffic: Traffic | None
    load_s: Fact[float]
    real_use: Fact[RealUse]
    basis: str

    def first_time(self) -> Course:
        """One request with nothing loaded and nothing read before."""
        return _course((self._load(), *self._parts(self._request(self.workload.prompt_tokens, 0))))

    def afterwards(self) -> Course:
        """The next request: the model is loaded, and the part that is the same every time was kept."""
        return _course(self._parts(self._request(self.workload.prompt_tokens, self._kept(1))))

    def chat(self) -> Chat:
        """All turns after loading; the first is read whole in any case."""
        numbers = range(1, self.workload.turns + 1)
        again = [self._request(self.workload.turn_prompt(number), 0) for number in numbers]
        # What is written takes as long either way.
        kept = [again[0], *(
            self._request(one.prompt, self._kept(number), one.written)
            for number, one in zip(numbers[1:], again[1:], strict=True)
        )]
        turns = (
            Turn(number, one.prompt, one.prompt - held.kept, one.read, held.restored + held.read, one.written)
            for number, one, held in zip(numbers, again, kept, strict=True)
        )
        load = self._load()
        return Chat(_course((load, *self._parts(*again))), _course((load, *self._parts(*kept))), tuple(turns))

    def kept_basis(self) -> str:
        """What keeping rests on, and what the model's own layers set against it."""
        limit = ""
        if self.traffic is not None and self.traffic.recurrent:
            limit = STATE_LIMIT
        elif self.traffic is not None and any(layer.window is not None for layer in self.traffic.attention):
            limit = WINDOW_LIMIT
        return f"{tr(KEPT)}; {tr(limit)}" if limit else tr(KEPT)

    def _kept(self, number: int) -> int:
        """Tokens of that turn's prompt that are not new."""
        return self.workload.turn_prompt(number) - self.workload.new_tokens

    def _request(self, prompt: int, kept: int, written: Seconds | None = None) -> _Request:
        work = self.workload
        return _Request(
            prompt,
            kept,
            self._restored(kept),
            self.prefill.takes(prompt - kept, kept).times(work.users),
            written or self.decode.takes(work.answer_tokens, prompt).times(work.users),
        )

    def _parts(self, *requests: _Request) -> tuple[Part, ...]:
        """The parts of requests one after the other."""
        users = self.workload.users
        parts = [self._tokenise(sum(one.prompt for one in requests))]
        held = sum(one.kept for one in requests)
        if held:
            source = tr("nothing while the cache is in place; brought back at about 2 GB/s where it was moved away")
            restored = add_up(one.restored for one in requests)
            parts.append(Part(PartId.CACHED_PREFILL, held * users, Known(restored, Basis.ESTIMATED, source)))
        cold, stream = add_up(one.read for one in requests), add_up(one.written for one in requests)
        read = sum(one.prompt - one.kept for one in requests)
        written = self.workload.answer_tokens * len(requests)
        return (
            *parts,
            Part(PartId.COLD_PREFILL, read * users, Known(cold, Basis.COMPUTED, self.basis)),
            Part(PartId.DECODE, written * users, Known(stream, Basis.COMPUTED, self.basis)),
            self._sampling(written),
        )

    def _restored(self, kept: int) -> Seconds:
        """Between nothing, the cache being in place, and all of it coming back from where it was moved to."""
        if self.traffic is None:
            return Seconds(0.0, 0.0, 0.0)
        moved_bytes = kept * self.traffic.kv_bytes_per_token() * self.workload.users
        return Seconds(0.0, 0.0, moved_bytes / RESTORE_BYTES_PER_S)

    def _load(self) -> Part:
        if isinstance(self.load_s, Unknown):
            return Part(PartId.LOAD, 0, self.load_s)
        took = _once(self.load_s.value)
        return Part(PartId.LOAD, 0, Known(took, self.load_s.basis, self.load_s.source))

    def _tokenise(self, tokens: int) -> Part:
        use, tokens = self._text(), tokens * self.workload.users
        if isinstance(use, Unknown):
            return Part(PartId.TOKENISE, tokens, use)
        took = _once(use.value.tokenise_s / use.value.prompt_tokens * tokens)
        source = trn(
            "a prompt of {n} token took {time}", "a prompt of {n} tokens took {time}", use.value.prompt_tokens,
            n=use.value.prompt_tokens, time=seconds(use.value.tokenise_s),
        )  # fmt: skip
        return Part(PartId.TOKENISE, tokens, Known(took, Basis.COMPUTED, source))

    def _sampling(self, tokens: int) -> Part:
        """What choosing tokens takes; up to the whole gap between real use and the benchmark where that is more."""
        use, number = self._text(), tokens * self.workload.users
        if isinstance(use, Unknown):
            return Part(PartId.SAMPLING, number, use)
        text = use.value
        took = _once((text.sample_s + text.detokenise_s) / text.tokens * number)
        gap_s = 0.0
        if text.benchmark_tokens_per_s:
            gap_s = (1 / text.tokens_per_s - 1 / text.benchmark_tokens_per_s) * number
        source = trn(
            "{n} token written with llama.cpp's default samplers",
            "{n} tokens written with llama.cpp's default samplers", text.tokens, n=text.tokens,
        )  # fmt: skip
        widened = Seconds(took.middle_s, took.low_s, max(took.high_s, gap_s))
        return Part(PartId.SAMPLING, number, Known(widened, Basis.COMPUTED, source))

    def _text(self) -> Fact[RealUse]:
        if isinstance(self.real_use, Known) and self.real_use.value.conditions.stamp is Stamp.INVALID:
            return Unknown(tr("the text was written while the computer was disturbed"), Missing.FAILED)
        return self.real_use


def _once(measured_s: float) -> Seconds:
    """A figure that was measured a single time."""
    return Seconds(measured_s, measured_s / (1 + RUNS_DIFFER), measured_s / (1 - RUNS_DIFFER))


def _course(parts: tuple[Part, ...]) -> Course:
    return Course(parts, add_up(part.took.value for part in parts if isinstance(part.took, Known)))
