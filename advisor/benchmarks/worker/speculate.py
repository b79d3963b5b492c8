"""Task ``speculate``: the same text written plainly and with guessing, by turns, and what a step of k tokens costs.

Greedy in both ways, so that both write the same. Normally a model follows its own most probable tokens. One with
invented weights has nothing to say; it is led along the text (``follow`` "text"): each step is computed as ever, but
what counts as its answer is the text's own next token. That shows what the text and the machine give, whatever the
model knows. A model without a tokenizer is always led.
"""

from __future__ import annotations

import gc
import time
from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.worker import llama, texts
from advisor.benchmarks.worker.guessing import DraftModel, Guesser, NGrams, Nobody, Reader, why_not_drafting
from advisor.benchmarks.worker.talk import Failure, Talk

PLAIN, GUESSING = "plain", "guessing"

_RAMP = (1, 2, 3, 4, 6, 8, 12, 16)
"""Tokens per step whose cost is measured, beside the step of the trial itself."""
_RAMP_ROUNDS = 5
_WARM_UP_TOKENS = 8
_REPEATED = 4
"""Tokens in a row that count as a repetition of the answer by itself."""


def run(request: dict[str, Any], talk: Talk) -> None:
    """Load one model or two, then write each text in rounds.

    Request fields: those of ``llama.load_model``; ``draft``, another model's path, or none for n-grams; ``n_draft``;
    ``n_gen``; ``texts``, names in order of worth; ``before`` (a text file) and ``n_before``, how many of its tokens
    stand in front of each prompt, so that steps are as deep as the work's; ``follow`` ("model" or "text");
    ``rounds``, ``least_rounds`` and ``budget_s``, after which no further round is begun and no further text; ``test``,
    fields of a decode test.
    """
    start = time.perf_counter()
    lib, ggml = llama.open_engine()
    lib.llama_backend_init()
    model, placed = llama.load_model(lib, ggml, request, talk)
    talk.say(protocol.ROW, load_s=time.perf_counter() - start, **placed)
    draft = _load_draft(lib, ggml, request, talk, model) if request.get("draft") else None
    trial = _Trial(lib, model, draft, request, talk)
    try:
        trial.measure_steps()
        begun = time.perf_counter()  # reading what stands before the texts is no part of the budget
        for index, name in enumerate(request["texts"]):
            if index and time.perf_counter() - begun > float(request["budget_s"]) / 2:
                break
            trial.measure_text(name, begun)
    finally:
        trial.close()
    talk.say(protocol.RESULT, stopped=False)


def _load_draft(lib: Any, ggml: Any, request: dict[str, Any], talk: Talk, model: Any) -> Any:
    """The small model, where its vocabulary is the model's; it goes where the engine likes it."""
    kept = ("use_extra_bufts", "devices", "rpc_servers")
    wanted = {name: request[name] for name in kept if name in request}
    wanted["model"] = request["draft"]
    if request.get("n_gpu_layers") == 0:
        wanted["n_gpu_layers"] = 0
    try:
        draft, _ = llama.load_model(lib, ggml, wanted, talk)
    except Failure as failure:
        raise Failure(failure.code, f"The draft model cannot be used: {failure.sentence}", failure.hint) from None
    why_not = why_not_drafting(lib, model, draft)
    if why_not:
        sentence = f"This model cannot guess for the other: {why_not}."
        raise Failure("other_vocabulary", sentence, "Choose a small model of the same family and generation.")
    return draft


class _Trial:
    def __init__(self, lib: Any, model: Any, draft: Any, request: dict[str, Any], talk: Talk) -> None:
        self._talk = talk
        self._request = request
        self._n_draft, self._n_gen = int(request["n_draft"]), int(request["n_gen"])
        vocab = lib.llama_model_get_vocab(model)
        before, most = "", int(request.get("n_before", 0))
        if most:
            with open(request["before"], encoding="utf-8") as file:  # noqa: PTH123
                before = file.read()
        self._texts = {name: texts.tokens_of(lib, vocab, name, before, most) for name in request["texts"]}
        led = request.get("follow") == "text" or lib.llama_vocab_type(vocab) == llama.NO_VOCABULARY
        self._led = led
        longest = max(len(prompt) for prompt, _ in self._texts.values())
        room = longest + self._n_gen + max(self._n_draft + 1, *_RAMP)
        test = {**request["test"], "n_batch": max(int(request["test"]["n_batch"]), self._n_draft + 1, *_RAMP)}
        self._reader = Reader(lib, model, test, room)
        self._draft = DraftModel(lib, draft, test, room, self._reader.n_vocab) if draft is not None else None
        self._read: list[int] = []

    def close(self) -> None:
        """Free what native code holds."""
        self._reader.close()
        if self._draft is not None:
            self._draft.close()

    def measure_steps(self) -> None:
        """Rows ``step`` (tokens) and ``seconds``: all logits, behind the first text's prompt."""
        prompt, _ = self._texts[self._request["texts"][0]]
        self._talk.progress("Measuring what several tokens per step cost")
        self._at_end_of(prompt)
        sizes = sorted({*_RAMP, self._n_draft + 1})
        place = len(prompt) - 1
        for round_ in range(_RAMP_ROUNDS + 1):
            for size in sizes:
                self._talk.raise_if_stopped()
                start = time.perf_counter()
                self._reader.next_tokens([prompt[i % len(prompt)] for i in range(size)], place)
                elapsed = time.perf_counter() - start
                self._reader.forget(place)
                if round_:  # the first one warms up
                    self._talk.say(protocol.ROW, step=size, seconds=elapsed)

    def measure_text(self, name: str, begun: float) -> None:
        """Rows of both ways by turns, as many rounds as the time allows."""
        request, talk = self._request, self._talk
        prompt, continuation = self._texts[name]
        n_gen = min(self._n_gen, len(continuation)) if self._led else self._n_gen
        talk.say(protocol.ROW, text=name, words=texts.TEXTS[name].words, prompt_tokens=len(prompt), tokens=n_gen,
                 led=self._led)
        guesser: Guesser = self._draft if self._draft is not None else NGrams()
        ways: dict[str, Guesser] = {PLAIN: Nobody(), GUESSING: guesser}
        written: dict[str, list[int]] = {}
        for way, who in ways.items():
            talk.progress(f"Warming up, {way}")
            self._write(prompt, continuation, _WARM_UP_TOKENS, who)
        rounds, least = int(request["rounds"]), int(request["least_rounds"])
        share = float(request["budget_s"]) * (0.5 if name == request["texts"][0] and len(request["texts"]) > 1 else 1.0)
        for round_ in range(rounds):
            if round_ >= least and time.perf_counter() - begun > share:
                break
            order = (PLAIN, GUESSING) if round_ % 2 == 0 else (GUESSING, PLAIN)
            for way in order:
                talk.progress(f"Writing {texts.TEXTS[name].words}, {way}, round {round_ + 1} of {rounds}")
                written[way], counted = self._write(prompt, continuation, n_gen, ways[way])
                talk.say(protocol.ROW, text=name, round=round_, way=way, **counted)
            if round_ == 0:
                talk.say(protocol.ROW, text=name, differs_at=_first_difference(written[PLAIN], written[GUESSING]),
                         repeated=_repeated(written[PLAIN]))
        talk.say(protocol.ROW, text=name, done=True)

    def _write(
        self, prompt: list[int], continuation: list[int], n_gen: int, guesser: Guesser
    ) -> tuple[list[int], dict[str, Any]]:
        """Write ``n_gen`` tokens after the prompt; what was written, and the counters of the row."""
        self._at_end_of(prompt)
        guesser.begin(prompt)
        drafting_s = self._draft.seconds if self._draft is not None else 0.0
        reader, n_draft = self._reader, self._n_draft
        written: list[int] = []
        pending, place = prompt[-1], len(prompt) - 1
        steps = drafts = guessed = accepted = 0
        clock = time.perf_counter
        gc.disable()
        try:
            start = clock()
            while len(written) < n_gen:
                guesses = guesser.guess(min(n_draft, n_gen - len(written) - 1))
                answers = reader.next_tokens([pending, *guesses], place)
                if self._led:
                    answers = continuation[len(written) : len(written) + len(answers)]
                right = _agreeing(guesses, answers)
                new = answers[: right + 1]
                written += new
                guesser.told(new)
                pending = new[-1]
                place += right + 1
                if right < len(guesses):
                    reader.forget(place)
                steps += 1
                drafts += bool(guesses)
                guessed += len(guesses)
                accepted += right
                if self._talk.due():
                    self._talk.progress("Writing")  # a sign of life
                if self._talk.stop_requested:
                    break
            elapsed = clock() - start
        finally:
            gc.enable()
        self._talk.raise_if_stopped()
        self._read = prompt[:-1]
        reader.forget(len(prompt) - 1)
        counted = {"seconds": elapsed, "steps": steps, "drafts": drafts, "guessed": guessed, "accepted": accepted}
        if self._draft is not None:
            counted["drafting_s"] = self._draft.seconds - drafting_s
        return written, counted

    def _at_end_of(self, prompt: list[int]) -> None:
        """Make the cache hold the prompt without its last token, which the first step reads."""
        wanted = prompt[:-1]
        if self._read != wanted:
            same = _agreeing(self._read[: len(wanted)], wanted)
            self._reader.forget(same)
            self._reader.read(wanted[same:], same)
            self._read = wanted


def _agreeing(guesses: list[int], answers: list[int]) -> int:
    """How many guesses from the first on are right; of two texts, where they part."""
    right = 0
    while right < len(guesses) and guesses[right] == answers[right]:
        right += 1
    return right


def _first_difference(plain: list[int], guessing: list[int]) -> int | None:
    """Where two texts part, from 0; None where they are the same."""
    for index, (one, other) in enumerate(zip(plain, guessing)):  # noqa: B905 (Python 3.8)
        if one != other:
            return index
    return None


def _repeated(tokens: list[int]) -> float:
    """Share of the groups of ``_REPEATED`` tokens that stood in the text before: near 0 for prose, 1 for a loop."""
    seen: set[tuple[int, ...]] = set()
    again = 0
    groups = [tuple(tokens[i : i + _REPEATED]) for i in range(len(tokens) - _REPEATED + 1)]
    for group in groups:
        again += group in seen
        seen.add(group)
    return again / len(groups) if groups else 0.0
