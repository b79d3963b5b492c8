"""Task ``stutter``: steady streams decode, then a prompt arrives and is read in pieces between their tokens.

As servers do it: each step is one call of the engine whose batch holds the next token of every running stream first,
then up to ``chunk`` tokens of the prompt. A stream's token is out when the call is, so that a step's seconds are the
gap between two tokens of every stream. Sizes of the pieces by turns, every time a prompt that was never read before.
"""

from __future__ import annotations

import ctypes
import gc
import random
import time
from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.worker import llama
from advisor.benchmarks.worker.talk import Failure, Talk, counted

_SETTLING_STEPS = 2
"""Steps after a cache was filled that are thrown away: the first one also builds the engine's graph."""
_PADDING = 256
"""Cells that the engine rounds its caches up to."""


def run(request: dict[str, Any], talk: Talk) -> None:
    """Load the model, warm up, then one prompt for each size in every round.

    Request fields: those of ``llama.load_model``; ``prompt_tokens``; ``streams`` that decode before it arrives;
    ``chunks``, sizes of the pieces, none above ``prompt_tokens``; ``steady``, steps before the prompt and after it;
    ``rounds``, ``least_rounds`` and ``budget_s``, after which no further round is begun; ``test``, fields of a test
    whose ``n_depth`` tokens every stream starts with.
    """
    start = time.perf_counter()
    lib, ggml = llama.open_engine()
    lib.llama_backend_init()
    model, placed = llama.load_model(lib, ggml, request, talk)
    talk.say(protocol.ROW, load_s=time.perf_counter() - start, **placed)
    server = _Server(lib, model, request, talk)
    try:
        chunks = server.warm_up([int(chunk) for chunk in request["chunks"]])
        rounds, begun = int(request["rounds"]), time.perf_counter()
        for round_ in range(rounds):
            if round_ >= int(request["least_rounds"]) and time.perf_counter() - begun > float(request["budget_s"]):
                break
            talk.say(protocol.ROW, round=round_)
            for chunk in list(chunks if round_ % 2 == 0 else reversed(chunks)):
                words = f"Round {round_ + 1} of {rounds}, a prompt in pieces of {counted(chunk, 'token')}"
                if not server.measure(chunk, round_, words):
                    chunks.remove(chunk)
    finally:
        server.close()
    talk.say(protocol.RESULT, stopped=False)


class _Server:
    def __init__(self, lib: Any, model: Any, request: dict[str, Any], talk: Talk) -> None:
        self._lib, self._talk = lib, talk
        self._streams, self._prompt = int(request["streams"]), int(request["prompt_tokens"])
        self._steady, self._depth = int(request["steady"]), int(request["test"]["n_depth"])
        chunks = [int(chunk) for chunk in request["chunks"]]
        self._n_ubatch = int(request["test"]["n_ubatch"])
        self._n_batch = max(chunks) + self._streams
        self._n_vocab = lib.llama_vocab_n_tokens(lib.llama_model_get_vocab(model))
        if self._n_vocab < 1:
            raise Failure("no_vocabulary", "The model has no vocabulary to draw tokens from.")
        self._source = random.Random(0)
        most_steps = _SETTLING_STEPS + 2 * self._steady + -(-self._prompt // min(chunks))
        cells = self._streams * (self._depth + most_steps) + self._prompt + self._steady
        test = {
            **request["test"], "n_streams": self._streams + 1, "n_batch": self._n_batch,
            "n_ubatch": min(self._n_ubatch, self._n_batch),
        }
        cells = -(-cells // _PADDING) * _PADDING + _PADDING
        self._context = llama.new_context(lib, model, test, shared_cells=cells)
        self._memory = lib.llama_get_memory(self._context)
        self._state: Any = None

    def close(self) -> None:
        """Free what native code holds."""
        self._lib.llama_free(self._context)

    def warm_up(self, chunks: list[int]) -> list[int]:
        """One short prompt for each size, thrown away; returns the sizes that the engine can run."""
        able = []
        for chunk in chunks:
            words = f"Warming up, pieces of {counted(chunk, 'token')}"
            self._talk.progress(words)
            steps_s = self._try(chunk, min(self._prompt, chunk, self._n_ubatch), words)
            if steps_s:
                self._talk.say(protocol.ROW, warm_up_s=sum(steps_s))
                able.append(chunk)
        return able

    def measure(self, chunk: int, round_: int, words: str) -> bool:
        """One prompt in pieces of ``chunk``, one row; False where the engine cannot do it, which a row says."""
        self._talk.progress(words)
        steps_s = self._try(chunk, self._prompt, words)
        if not steps_s:
            return False
        pieces = -(-self._prompt // chunk)
        before, after = _SETTLING_STEPS + self._steady, len(steps_s) - self._steady
        assert after - before == pieces
        self._talk.say(
            protocol.ROW, round=round_, chunk=chunk, before_s=steps_s[_SETTLING_STEPS:before],
            during_s=steps_s[before:after], after_s=steps_s[after:],
        )
        return True

    def _try(self, chunk: int, prompt: int, words: str) -> list[float]:
        """Seconds of all steps; none where the engine refused a step, which a row says."""
        self._talk.say(protocol.ROW, begun=chunk)  # so that a crash is known to be this size's
        try:
            self._reset()
            return self._run(chunk, prompt, words)
        except Failure as failure:
            self._talk.say(protocol.ROW, chunk=chunk, left_out=failure.sentence)
            return []

    def _run(self, chunk: int, prompt: int, words: str) -> list[float]:
        """Decode, read the prompt in between, decode again with its stream among the others."""
        lib, talk, context = self._lib, self._talk, self._context
        batches = self._batches(chunk, prompt)
        llama_decode, synchronize, clock = lib.llama_decode, lib.llama_synchronize, time.perf_counter
        ends: list[float] = []
        gc.disable()
        try:
            start = clock()
            for batch in batches:
                status = llama_decode(context, batch)
                if status != 0:
                    llama.check(status)
                synchronize(context)
                ends.append(clock())
                if talk.stop_requested:
                    break
                if talk.due():
                    talk.progress(words)  # a sign of life
        finally:
            gc.enable()
            for batch in batches:
                lib.llama_batch_free(batch)
        talk.raise_if_stopped()
        return [end - begin for begin, end in zip([start, *ends], ends)]  # noqa: B905 (Python 3.8)

    def _batches(self, chunk: int, prompt: int) -> list[Any]:
        """All batches of one arrival, made before the clock runs."""
        streams, newcomer = self._streams, self._streams
        batches, place = [], self._depth
        for _ in range(_SETTLING_STEPS + self._steady):
            batches.append(self._batch([(stream, place, True) for stream in range(streams)]))
            place += 1
        for begin in range(0, prompt, chunk):
            end = min(begin + chunk, prompt)
            batches.append(self._batch(
                [(stream, place, True) for stream in range(streams)]
                + [(newcomer, position, position == prompt - 1) for position in range(begin, end)]
            ))
            place += 1
        for step in range(self._steady):
            batches.append(self._batch(
                [(stream, place, True) for stream in range(streams)] + [(newcomer, prompt + step, True)]
            ))
            place += 1
        return batches

    def _batch(self, tokens: list[tuple[int, int, bool]]) -> Any:
        """Random tokens, each for a (stream, position, whether its logits are wanted)."""
        batch = self._lib.llama_batch_init(len(tokens), 0, 1)
        batch.n_tokens = len(tokens)
        for index, (stream, position, wanted) in enumerate(tokens):
            batch.token[index] = self._source.randrange(self._n_vocab)
            batch.pos[index] = position
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = stream
            batch.logits[index] = wanted
        return batch

    def _reset(self) -> None:
        """Empty the cache, then bring every stream to its depth, each in cells of its own."""
        self._lib.llama_memory_clear(self._memory, False)
        for stream in range(self._streams if self._depth else 0):
            if not self._restored(stream):
                self._fill(stream)
            if self._state is None:
                self._keep(stream)

    def _restored(self, stream: int) -> bool:
        state = self._state
        return bool(state and self._lib.llama_state_seq_set_data(self._context, state, len(state), stream))

    def _keep(self, stream: int) -> None:
        size = self._lib.llama_state_seq_get_size(self._context, stream)
        state = (ctypes.c_uint8 * size)()
        if size and self._lib.llama_state_seq_get_data(self._context, state, size, stream):
            self._state = state

    def _fill(self, stream: int) -> None:
        """Compute a stream's first tokens."""
        for begin in range(0, self._depth, self._n_batch):
            self._talk.raise_if_stopped()
            self._talk.progress(f"Filling the cache with {counted(self._depth, 'token')}")
            end = min(begin + self._n_batch, self._depth)
            batch = self._batch([(stream, place, place == self._depth - 1) for place in range(begin, end)])
            try:
                llama.check(self._lib.llama_decode(self._context, batch))
            finally:
                self._lib.llama_batch_free(batch)
        self._lib.llama_synchronize(self._context)
