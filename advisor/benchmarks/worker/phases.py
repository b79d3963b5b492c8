"""Task ``phases``: prefill and decode as llama-bench does them.

Random token ids, a fresh context per test, one warm-up that is thrown away, the clock read after
``llama_synchronize``; logits only for the last token of a prompt batch and for each decoded token. Every repetition
goes to the parent at once, so that nothing measured is lost.
"""

import ctypes
import gc
import random
import time
from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.worker import llama
from advisor.benchmarks.worker.talk import Failure, Talk

_WARM_UP_TOKENS = 8
"""Decode steps thrown away before the first repetition: page faults and caches settle within a few."""
_TOKEN_COUNT = 512
"""Distinct random ids to draw from; drawing inside the clock would cost more than indexing."""


def run(request: dict[str, Any], talk: Talk) -> None:
    """Load once, then run each test of the request.

    Request fields: ``model``, ``tests`` (list of ``n_prompt``, ``n_gen``, ``n_depth``), ``repetitions``,
    ``n_threads``, ``n_batch``, ``n_ubatch``, ``use_extra_bufts``, ``n_gpu_layers``.
    """
    lib = llama.bind()
    lib.llama_backend_init()
    start = time.perf_counter()
    model = llama.load_model(lib, request, talk)
    talk.say(protocol.ROW, load_s=time.perf_counter() - start)
    vocab = lib.llama_model_get_vocab(model)
    bench = _Bench(lib, model, request, talk, lib.llama_vocab_n_tokens(vocab))
    for index, test in enumerate(request["tests"]):
        bench.run_test(index, int(test["n_prompt"]), int(test["n_gen"]), int(test["n_depth"]))
    talk.say(protocol.RESULT, stopped=False)


class _Bench:
    def __init__(self, lib: Any, model: Any, request: dict[str, Any], talk: Talk, n_vocab: int) -> None:
        self.lib = lib
        self.model = model
        self.request = request
        self.talk = talk
        self.n_batch = int(request["n_batch"])
        self.repetitions = int(request["repetitions"])
        self.filled: dict[int, Any] = {}
        if n_vocab < 1:
            raise Failure("no_vocabulary", "The model has no vocabulary to draw tokens from.")
        source = random.Random(0)
        self.tokens = [source.randrange(n_vocab) for _ in range(_TOKEN_COUNT)]

    def run_test(self, index: int, n_prompt: int, n_gen: int, n_depth: int) -> None:
        n_ctx = max(n_prompt + n_gen + n_depth, _WARM_UP_TOKENS)
        context = llama.new_context(self.lib, self.model, n_ctx, self.request)
        name = "Prefill" if n_prompt else "Decode"
        memory = self.lib.llama_get_memory(context)
        try:
            self.talk.progress(f"{name}, warming up")
            self.talk.say(protocol.ROW, test=index, stage="warm-up")
            if n_prompt:
                self._prefill(context, n_prompt)
            else:
                self._decode(context, _WARM_UP_TOKENS, 0)
            for repetition in range(1, self.repetitions + 1):
                self.talk.raise_if_stopped()
                self._reset(context, memory, n_depth)
                self.talk.progress(f"{name}, repetition {repetition} of {self.repetitions}")
                self.talk.say(protocol.ROW, test=index, stage="running")
                elapsed = self._prefill(context, n_prompt) if n_prompt else self._decode(context, n_gen, repetition)
                self.talk.say(protocol.ROW, test=index, seconds=elapsed)
                self.talk.reading(name.lower(), repetition, self.repetitions, (n_prompt or n_gen) / elapsed, final=True)
        finally:
            self.lib.llama_free(context)

    def _reset(self, context: Any, memory: Any, n_depth: int) -> None:
        """Empty the cache, then bring it to ``n_depth`` tokens: computed once, restored from then on."""
        self.lib.llama_memory_clear(memory, False)
        if not n_depth:
            return
        held = self.filled.get(n_depth)
        if held is not None and self.lib.llama_state_seq_set_data(context, held, len(held), 0):
            return
        self.talk.progress(f"Filling the cache with {n_depth} tokens")
        self._prefill(context, n_depth)
        size = self.lib.llama_state_seq_get_size(context, 0)
        state = (ctypes.c_uint8 * size)()
        if self.lib.llama_state_seq_get_data(context, state, size, 0):
            self.filled = {n_depth: state}

    def _prefill(self, context: Any, n_prompt: int) -> float:
        """Seconds to read ``n_prompt`` tokens in batches of ``n_batch``."""
        batches = []
        left = n_prompt
        while left > 0:
            size = min(left, self.n_batch)
            tokens = llama.token_array([self.tokens[i % _TOKEN_COUNT] for i in range(size)])
            batches.append((tokens, self.lib.llama_batch_get_one(tokens, size)))
            left -= size
        start = time.perf_counter()
        for _, batch in batches:
            self._check(self.lib.llama_decode(context, batch))
            if self.talk.stop_requested:
                break
        self.lib.llama_synchronize(context)
        elapsed = time.perf_counter() - start
        self.talk.raise_if_stopped()
        return elapsed

    def _decode(self, context: Any, n_gen: int, repetition: int) -> float:
        """Seconds to write ``n_gen`` tokens one at a time; ``repetition`` 0 is the warm-up."""
        lib, talk = self.lib, self.talk
        arrays = [llama.token_array([token]) for token in self.tokens]
        batches = [lib.llama_batch_get_one(array, 1) for array in arrays]
        llama_decode, synchronize, clock = lib.llama_decode, lib.llama_synchronize, time.perf_counter
        gc.disable()
        try:
            start = clock()
            for index in range(n_gen):
                if llama_decode(context, batches[index % _TOKEN_COUNT]) != 0:
                    self._check(1)
                synchronize(context)
                if repetition and talk.due():
                    speed = (index + 1) / (clock() - start)
                    talk.reading("decode", repetition, self.repetitions, speed, final=False)
                if talk.stop_requested:
                    break
            elapsed = clock() - start
        finally:
            gc.enable()
        talk.raise_if_stopped()
        return elapsed

    def _check(self, status: int) -> None:
        if status != 0:
            raise Failure(
                "decode_failed",
                f"The engine could not process a batch (llama_decode returned {status}).",
                "There may be too little free memory for this context.",
            )
