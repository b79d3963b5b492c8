"""Task ``phases``: prefill and decode as llama-bench does them.

Random token ids, a fresh context per test, warm-ups that are thrown away until they agree, the clock read after
``llama_synchronize``; logits only for the last token of a prompt batch and for each decoded token. Every repetition
goes to the parent at once, so that nothing measured is lost.
"""

from __future__ import annotations

import ctypes
import gc
import random
import statistics
import time
from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.pacing import FILL, Cost, Pace
from advisor.benchmarks.steadiness import Repeat, is_enough, is_warm
from advisor.benchmarks.worker import generate, llama
from advisor.benchmarks.worker.talk import Failure, Talk, counted

_WARM_UP_STEPS = 8
"""Decode steps of one warm-up: page faults and caches settle within a few."""
_WARM_UP_LIMIT_S = 3.0
"""No further warm-up is begun after this long: on a slow machine the repetitions themselves must do."""
_TOKEN_COUNT = 512
"""Distinct random ids to draw from; drawing inside the clock would cost more than indexing."""


def run(request: dict[str, Any], talk: Talk) -> None:
    """Load once, then run each test of the request.

    Request fields: those of ``llama.load_model``, and ``tests``, a list of objects with the fields of ``TestSpec``,
    ``repeat`` (those of ``Repeat``), ``cost`` (those of ``Cost``), ``repetition_s`` and ``essential``. With
    ``budget_s`` a test that is not essential is left out, with the reason, when it would pass that many seconds from
    here; so is one that cannot be run. ``real_use``, where text is to be written after them (``generate.measure``).
    """
    start = time.perf_counter()
    lib, ggml = llama.open_engine()
    lib.llama_backend_init()
    loading = time.perf_counter()
    model, placed = llama.load_model(lib, ggml, request, talk)
    talk.say(protocol.ROW, load_s=time.perf_counter() - loading, **placed)
    vocab = lib.llama_model_get_vocab(model)
    tests = request["tests"]
    pace = Pace([Cost(*test["cost"]) for test in tests], [not test["essential"] for test in tests], request["budget_s"])
    bench = _Bench(lib, model, talk, lib.llama_vocab_n_tokens(vocab), pace)
    for index, test in enumerate(tests):
        if not pace.fits(index, time.perf_counter() - start, bench.filled_key):
            talk.say(protocol.ROW, test=index, left_out=protocol.NO_TIME)
            continue
        try:
            elapsed = bench.run_test(index, test)
        except Failure as failure:
            if test["essential"]:
                raise
            talk.say(protocol.ROW, test=index, left_out=failure.sentence)
        else:
            if test["essential"]:
                pace.correct("prefill" if test["n_prompt"] else "decode", test["repetition_s"], elapsed)
    if request.get("real_use"):
        generate.measure(lib, model, request["real_use"], talk)
    talk.say(protocol.RESULT, stopped=False)


class _Bench:
    def __init__(self, lib: Any, model: Any, talk: Talk, n_vocab: int, pace: Pace) -> None:
        self.lib = lib
        self.pace = pace
        self.model = model
        self.talk = talk
        self.n_batch = 0
        self.repetitions = 0
        self.filled_key = ""
        self.filled_state: Any = None
        if n_vocab < 1:
            raise Failure("no_vocabulary", "The model has no vocabulary to draw tokens from.")
        source = random.Random(0)
        self.tokens = [source.randrange(n_vocab) for _ in range(_TOKEN_COUNT)]

    def run_test(self, index: int, test: dict[str, Any]) -> float:
        """Warm up, then repeat until the test's ``repeat`` is satisfied; one row per warm-up and repetition.

        Returns:
            The median seconds of a repetition.
        """
        n_prompt, n_gen = int(test["n_prompt"]), int(test["n_gen"])
        repeat = Repeat(**test["repeat"])
        self.n_batch, self.repetitions = int(test["n_batch"]), repeat.maximum
        context = llama.new_context(self.lib, self.model, test, at_least=_WARM_UP_STEPS)
        name = "Prefill" if n_prompt else "Decode"
        start = time.perf_counter()
        try:
            self.talk.say(protocol.ROW, test=index, stage="warm-up")  # first: it tells whose words follow
            self.talk.progress(f"{name}, warming up")
            self._warm_up(context, index, test, min(repeat.budget_s, _WARM_UP_LIMIT_S))
            samples: list[float] = []
            filling_s = 0.0
            while not is_enough(samples, time.perf_counter() - start - filling_s, repeat):
                self.talk.raise_if_stopped()
                filling = time.perf_counter()
                self._reset(context, index, test)
                filling_s += time.perf_counter() - filling
                repetition = len(samples) + 1
                self.talk.progress(f"{name}, repetition {repetition} of {repeat.maximum}")
                self.talk.say(protocol.ROW, test=index, stage="running")
                elapsed = (
                    self._prefill(context, n_prompt)
                    if n_prompt
                    else self._decode(context, n_gen, int(test["n_streams"]), int(test["n_depth"]), repetition)
                )
                samples.append(elapsed)
                self.talk.say(protocol.ROW, test=index, seconds=elapsed)
                tokens = int(test["n_streams"]) * (n_prompt or n_gen)
                self.talk.reading(name.lower(), repetition, repeat.maximum, tokens / elapsed, final=True)
            self.talk.say(protocol.ROW, test=index, done=True)
            return statistics.median(samples)
        finally:
            self.lib.llama_free(context)

    def _warm_up(self, context: Any, index: int, test: dict[str, Any], limit_s: float) -> None:
        """Throw away runs until two agree; short ones, since a long context would only be filled twice for it."""
        warm_ups: list[float] = []
        memory = self.lib.llama_get_memory(context)
        while not is_warm(warm_ups) and sum(warm_ups) < limit_s:
            self.lib.llama_memory_clear(memory, False)
            if test["n_prompt"]:
                elapsed = self._prefill(context, min(int(test["n_prompt"]), int(test["n_ubatch"])))
            else:
                elapsed = self._decode(context, _WARM_UP_STEPS, int(test["n_streams"]), 0, 0)
            warm_ups.append(elapsed)
            self.talk.say(protocol.ROW, test=index, warm_up_s=elapsed)

    def _reset(self, context: Any, index: int, test: dict[str, Any]) -> None:
        """Empty the cache, then bring every stream to ``n_depth`` tokens: computed once, restored from then on."""
        lib, n_depth, memory = self.lib, int(test["n_depth"]), self.lib.llama_get_memory(context)
        lib.llama_memory_clear(memory, False)
        if not n_depth:
            return
        cost = Cost(*test["cost"])
        restored = False
        if self.filled_key == cost.fill_key:
            state = self.filled_state
            restored = bool(lib.llama_state_seq_set_data(context, state, len(state), 0))
        if not restored:
            self.talk.progress(f"Filling the cache with {counted(n_depth, 'token')}")
            self.filled_key, self.filled_state = "", None
            elapsed = self._prefill(context, n_depth)
            self.pace.correct(FILL, cost.fill_s, elapsed)
            self.talk.say(protocol.ROW, test=index, filled_s=elapsed)
            size = lib.llama_state_seq_get_size(context, 0)
            state = (ctypes.c_uint8 * size)()
            if lib.llama_state_seq_get_data(context, state, size, 0):
                self.filled_key, self.filled_state = cost.fill_key, state
        for stream in range(1, int(test["n_streams"])):
            lib.llama_memory_seq_cp(memory, 0, stream, -1, -1)

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
            llama.check(self.lib.llama_decode(context, batch))
            if self.talk.stop_requested:
                break
        self.lib.llama_synchronize(context)
        elapsed = time.perf_counter() - start
        self.talk.raise_if_stopped()
        return elapsed

    def _decode(self, context: Any, n_gen: int, n_streams: int, n_depth: int, repetition: int) -> float:
        """Seconds to write ``n_gen`` tokens in every stream, one step at a time; ``repetition`` 0 is a warm-up."""
        lib, talk = self.lib, self.talk
        steps = llama.Steps(lib, self.tokens, n_streams, n_depth)
        llama_decode, synchronize, clock = lib.llama_decode, lib.llama_synchronize, time.perf_counter
        gc.disable()
        try:
            start = clock()
            for index in range(n_gen):
                if llama_decode(context, steps.batch(index)) != 0:
                    llama.check(1)
                synchronize(context)
                if repetition and talk.due():
                    speed = n_streams * (index + 1) / (clock() - start)
                    talk.reading("decode", repetition, self.repetitions, speed, final=False)
                if talk.stop_requested:
                    break
            elapsed = clock() - start
        finally:
            gc.enable()
            steps.close()
        talk.raise_if_stopped()
        return elapsed
