"""Task ``prefix``: a prompt read whole, and again after its beginning was kept, by turns.

Three ways of keeping it, as models allow: cutting the cache back; the same with a cache that holds windows in full; a
copy of the state, taken where the shared part ends, for layers that cannot be cut back. Who goes first changes from
reading to reading, so that a machine that gets faster or slower favours neither. Whether the kept beginning is worth
what a fresh one is shows in the answers: each prompt that is read on a kept beginning is read whole the next time, and
both must come to the same end.
"""

from __future__ import annotations

import ctypes
import random
import time
from collections import deque
from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.worker import llama
from advisor.benchmarks.worker.talk import Failure, Talk

CUT, FULL_WINDOW, COPY = "cut", "full-window", "copy"
COLD, SHARED, IDENTICAL, EARLY = "cold", "shared", "identical", "early"

_SAME_WITHIN = 0.5
"""How far an answer may be from that of the whole prompt, as a share of how far another prompt's answer is from it.
Batches of other sizes add up in another order, which moved answers by a few per cent to a third of that."""


def cold_first(turn: int) -> bool:
    """Whether the whole prompt is read before the one on a kept beginning in that turn (from 0)."""
    return turn % 2 == 0


def run(request: dict[str, Any], talk: Talk) -> None:
    """Load the model and read prompts in rounds.

    Request fields: those of ``llama.load_model``; ``prompt_tokens`` and ``shared_tokens``, fewer; ``rounds``,
    ``least_rounds`` and ``budget_s``, after which no further round is begun; ``turns``, readings of each kind in a
    round; ``test``, fields of a prefill test.
    """
    start = time.perf_counter()
    lib, ggml = llama.open_engine()
    lib.llama_backend_init()
    model, placed = llama.load_model(lib, ggml, request, talk)
    talk.say(protocol.ROW, load_s=time.perf_counter() - start, **placed)
    prompts = _Prompts(lib, model, request, talk)
    try:
        prompts.find_a_way()
        prompts.measure_early()
        rounds, turns = int(request["rounds"]), int(request["turns"])
        for round_ in range(rounds):
            if round_ >= int(request["least_rounds"]) and time.perf_counter() - start > float(request["budget_s"]):
                break
            for turn in range(round_ * turns, (round_ + 1) * turns):
                prompts.measure(turn, round_ + 1, rounds)
    finally:
        prompts.close()
    talk.say(protocol.RESULT, stopped=False)


class _Prompts:
    def __init__(self, lib: Any, model: Any, request: dict[str, Any], talk: Talk) -> None:
        import numpy

        self._numpy = numpy
        self._lib, self._model, self._talk = lib, model, talk
        self._test = {**request["test"], "n_streams": 1, "n_depth": 0, "n_gen": 1}
        self._test["n_prompt"] = int(request["prompt_tokens"])
        self._total, self._shared = int(request["prompt_tokens"]), int(request["shared_tokens"])
        self._n_batch = int(self._test["n_batch"])
        self._n_vocab = lib.llama_vocab_n_tokens(lib.llama_model_get_vocab(model))
        if self._n_vocab < 1:
            raise Failure("no_vocabulary", "The model has no vocabulary to draw tokens from.")
        self._source = random.Random(0)
        self._beginning = self._random(self._shared)
        first = self._random(self._total - self._shared)
        # rests that are to be read whole, with the answer on the kept beginning where there was one
        self._rests: deque[tuple[list[int], Any]] = deque([(first, None)])
        self._way = ""
        self._copy: Any = None
        self._whole_answer: Any = None
        self._context: Any = None
        self._open(full_window=False)

    def close(self) -> None:
        """Free what native code holds."""
        if self._context is not None:
            self._lib.llama_free(self._context)

    def find_a_way(self) -> None:
        """Warm up, and find how the beginning can be kept; one row says it.

        Raises:
            Failure: ``no_reuse`` where the engine allows none of the three ways.
        """
        lib, talk = self._lib, self._talk
        talk.progress("Warming up")
        self._fill(self._first)
        window = int(lib.llama_model_n_swa(self._model)) if hasattr(lib, "llama_model_n_swa") else 0
        if self._can_cut(window):
            self._way = CUT
        elif window and self._reopened_with_full_window():
            self._way = FULL_WINDOW
        elif self._copied():
            self._way = COPY
        else:
            raise Failure(
                "no_reuse",
                "The engine can neither cut this model's cache back nor copy its state, so no beginning can be kept.",
            )
        talk.say(protocol.ROW, kept=self._way, window=window, copy_bytes=len(self._copy) if self._copy else 0)

    def measure_early(self) -> None:
        """A prompt that was changed in its first token: nothing of it can be kept."""
        self._talk.progress("Reading a prompt that was changed at its beginning")
        first = (self._beginning[0] + 1) % self._n_vocab
        self._say(0, EARLY, self._cold([first, *self._first[1:]]))

    def measure(self, turn: int, number: int, most: int) -> None:
        """The whole prompt, the identical one, and the shared beginning with another rest."""
        ways = [self._measure_cold, self._measure_shared]
        for measure in ways if cold_first(turn) else reversed(ways):
            measure(turn, number, most)

    def _measure_cold(self, turn: int, number: int, most: int) -> None:
        """The rest that was read longest ago on the kept beginning, now with it, and the same prompt once more."""
        talk = self._talk
        rest, kept_answer = self._rests.popleft()
        talk.progress(f"Reading the whole prompt, round {number} of {most}")
        self._say(turn, COLD, self._cold(self._beginning + rest))
        whole = self._logits()
        if kept_answer is not None:
            talk.say(protocol.ROW, round=turn, agrees=self._agrees(kept_answer, whole, self._whole_answer))
        self._whole_answer = whole
        if self._way != COPY:
            talk.progress(f"Reading the same prompt again, round {number} of {most}")
            self._say(turn, IDENTICAL, self._identical(rest[-1]))

    def _measure_shared(self, turn: int, number: int, most: int) -> None:
        self._talk.progress(f"Reading what changed, round {number} of {most}")
        rest = self._random(self._total - self._shared)
        self._say(turn, SHARED, self._kept(rest))
        self._rests.append((rest, self._logits()))

    @property
    def _first(self) -> list[int]:
        """The prompt that is read whole next."""
        return self._beginning + self._rests[0][0]

    def _say(self, round_: int, case: str, seconds: float) -> None:
        self._talk.say(protocol.ROW, round=round_, case=case, seconds=seconds)

    def _cold(self, tokens: list[int]) -> float:
        self._lib.llama_memory_clear(self._memory, False)
        return self._read(tokens)

    def _identical(self, last: int) -> float:
        """At least the last token is read again, for its answer."""
        start = time.perf_counter()
        self._cut_to(self._total - 1)
        return time.perf_counter() - start + self._read([last])

    def _kept(self, rest: list[int]) -> float:
        start = time.perf_counter()
        if self._way == COPY:
            self._lib.llama_memory_clear(self._memory, False)
            if not self._lib.llama_state_seq_set_data(self._context, self._copy, len(self._copy), 0):
                raise Failure("no_reuse", "The engine did not take a copy of the model's state back.")
        else:
            self._cut_to(self._shared)
        return time.perf_counter() - start + self._read(rest)

    def _read(self, tokens: list[int]) -> float:
        """Seconds to read tokens behind what the cache holds; the engine counts the places itself."""
        lib = self._lib
        arrays = [llama.token_array(tokens[i : i + self._n_batch]) for i in range(0, len(tokens), self._n_batch)]
        batches = [lib.llama_batch_get_one(array, len(array)) for array in arrays]
        start = time.perf_counter()
        for batch in batches:
            llama.check(lib.llama_decode(self._context, batch))
            self._talk.raise_if_stopped()
        lib.llama_synchronize(self._context)
        return time.perf_counter() - start

    def _fill(self, tokens: list[int]) -> None:
        self._lib.llama_memory_clear(self._memory, False)
        self._read(tokens)

    def _cut_to(self, place: int) -> None:
        if not self._lib.llama_memory_seq_rm(self._memory, 0, place, -1):
            raise Failure("no_reuse", "The engine could not cut this model's cache back.")

    def _can_cut(self, window: int) -> bool:
        """Whether the cache that now holds the whole prompt can be cut back to the shared part and still be used.

        A cache of windows drops old tokens; the engine would cut it back and then answer from what is missing.
        """
        if not self._lib.llama_memory_seq_rm(self._memory, 0, self._shared, -1):
            return False
        if not window:
            return True
        oldest = self._lib.llama_memory_seq_pos_min(self._memory, 0)
        return bool(0 <= oldest <= max(0, self._shared - window))

    def _reopened_with_full_window(self) -> bool:
        self._open(full_window=True)
        self._fill(self._first)
        return bool(self._lib.llama_memory_seq_rm(self._memory, 0, self._shared, -1))

    def _copied(self) -> bool:
        """Copy the state behind the shared part, as a server's checkpoint does."""
        lib = self._lib
        self._fill(self._beginning)
        size = lib.llama_state_seq_get_size(self._context, 0)
        state = (ctypes.c_uint8 * size)()
        if not size or not lib.llama_state_seq_get_data(self._context, state, size, 0):
            return False
        self._copy = state
        return True

    def _open(self, full_window: bool) -> None:
        self.close()
        self._context = None
        self._context = llama.new_context(self._lib, self._model, self._test, swa_full=full_window)
        self._memory = self._lib.llama_get_memory(self._context)

    def _logits(self) -> Any:
        logits = self._lib.llama_get_logits_ith(self._context, -1)
        return self._numpy.ctypeslib.as_array(logits, shape=(self._n_vocab,)).copy()

    def _agrees(self, kept: Any, whole: Any, other: Any) -> bool:
        """Whether an answer is that of the whole prompt, rather than that of one with another rest."""
        return bool((kept - whole).std() <= _SAME_WITHIN * (other - whole).std())

    def _random(self, count: int) -> list[int]:
        return [self._source.randrange(self._n_vocab) for _ in range(count)]
