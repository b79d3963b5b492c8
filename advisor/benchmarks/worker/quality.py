"""Task ``quality``: how far one model strays from another on a text, reckoned as ``llama-perplexity --kl-divergence``.

The text is cut into chunks of ``CONTEXT`` tokens, each begun with the token that begins a text; the second half of
each is scored. The models are loaded one after the other, so that memory must hold only one: what the first says about
every position is kept in a file, 16 bits per token of the vocabulary, and the second is compared with that.
"""

from __future__ import annotations

import time
from typing import IO, Any, Iterator  # noqa: UP035 (older Pythons run this file)

import numpy as np

from advisor.benchmarks import protocol
from advisor.benchmarks.worker import llama
from advisor.benchmarks.worker.talk import Failure, Talk, counted

CONTEXT = 512
"""Tokens of a chunk, llama-perplexity's default."""
SCORED = CONTEXT // 2 - 1
"""Positions of a chunk that are scored: its second half, less the last, whose next token is not known."""
LEAST_CHUNKS = 4
"""So many are done however slow the machine is: 1,020 positions tell the divergence to about 10 %."""
LOGITS_BYTES = 128 << 20
"""Logits that the engine computes in one go; it holds them twice."""
SLICE_BYTES = 32 << 20
"""Logits that are worked on at once; each step makes a few copies of a slice."""
RANGE = 16.0
"""Natural logarithms below the top that are kept; llama-perplexity leaves out what is less probable, too."""
_STEPS = 65535
_NO_SPACE = "There is too little room to keep what the first model says of the text."

Array = Any


def run(request: dict[str, Any], talk: Talk) -> None:
    """Compare ``models[1]`` with ``models[0]``, and send a row of sums after each chunk.

    Request fields: ``models`` (two files), ``text`` (a file, UTF-8), ``store`` (the file to keep what the first says;
    the parent removes it), ``store_bytes`` (most that it may hold), ``budget_s`` (half of it goes to the first model;
    fewer chunks are compared then), ``n_threads``, ``flash_attention``, and those of
    ``llama.load_model``.

    A row holds ``tokens`` scored so far, and over them the sums of the divergence, of its square and of both negative
    log-likelihoods, and how often both have the same most probable token.

    Raises:
        Failure: ``no_vocabulary``, ``other_vocabulary``, ``text_short``, ``no_space``, ``decode_failed``, and what
            loading raises.
    """
    lib, ggml = llama.open_engine()
    lib.llama_backend_init()
    with open(request["text"], encoding="utf-8") as file:  # noqa: PTH123
        text = file.read().rstrip("\n")
    with open(request["store"], "w+b") as store:  # noqa: PTH123
        first = _Scorer(lib, ggml, request, 0, text, talk)
        if len(first.tokens) < CONTEXT:
            raise Failure(
                "text_short",
                f"The text has only {counted(len(first.tokens), 'token')} in this model's vocabulary.",
            )
        chunks = min(len(first.tokens) // CONTEXT, int(request["store_bytes"]) // (SCORED * first.row_bytes))
        if chunks < 1:
            raise Failure("no_space", _NO_SPACE)
        try:
            kept = _keep(first, chunks, store, float(request["budget_s"]) / 2, talk)
            store.flush()  # a full disk shows here, not later
        except OSError as error:
            raise Failure("no_space", _NO_SPACE) from error
        first.close()
        second = _Scorer(lib, ggml, request, 1, text, talk)
        if second.tokens != first.tokens or second.n_vocab != first.n_vocab:
            raise Failure("other_vocabulary", "The two files have different vocabularies and cannot be compared.")
        store.seek(0)
        _compare(second, kept, store, talk)
        second.close()
    talk.say(protocol.RESULT, stopped=False)


class _Scorer:
    """One loaded model with its context, and the text in its tokens."""

    def __init__(self, lib: Any, ggml: Any, request: dict[str, Any], which: int, text: str, talk: Talk) -> None:
        self.lib = lib
        talk.say(protocol.ROW, loading=which)
        path = request["models"][which]
        self.model, _ = llama.load_model(lib, ggml, {**request, "model": path}, talk)
        vocab = llama.vocabulary(lib, self.model)
        self.n_vocab = int(lib.llama_vocab_n_tokens(vocab))
        self.begin = lib.llama_vocab_bos(vocab) if lib.llama_vocab_get_add_bos(vocab) else None
        self.tokens = llama.tokenise(lib, vocab, text)
        self.n_batch = _batch(self.n_vocab)
        settings = {
            "n_prompt": CONTEXT, "n_gen": 0, "n_depth": 0, "n_streams": 1, "n_batch": self.n_batch,
            "n_ubatch": self.n_batch, "n_threads": request["n_threads"], "kv_type": "f16",
            "flash_attention": request["flash_attention"],
        }  # fmt: skip
        self.context = llama.new_context(lib, self.model, settings)

    @property
    def row_bytes(self) -> int:
        """Bytes kept of one position: scale and lowest value, then a whole number for every token."""
        return 8 + 2 * self.n_vocab

    def logits(self, chunk: int) -> Iterator[tuple[Array, Array]]:
        """Slices of the logits of a chunk's scored positions, with the token that really follows each."""
        start = chunk * CONTEXT
        tokens = self.tokens[start : start + CONTEXT]
        following = np.array([*tokens[1:], 0])
        if self.begin is not None:
            tokens = [self.begin, *tokens[1:]]
        self.lib.llama_memory_clear(self.lib.llama_get_memory(self.context), True)
        slice_rows = max(1, SLICE_BYTES // (4 * self.n_vocab))
        for at in range(0, CONTEXT, self.n_batch):
            wanted = [position >= CONTEXT // 2 for position in range(at, at + self.n_batch)]
            llama.decode_at(self.lib, self.context, tokens[at : at + self.n_batch], at, wanted)
            rows = sum(wanted) - (at + self.n_batch == CONTEXT)  # the last position of a chunk is not scored
            if rows < 1:
                continue
            first = at + self.n_batch - sum(wanted)
            pointer = self.lib.llama_get_logits(self.context)
            found = np.ctypeslib.as_array(pointer, shape=(sum(wanted), self.n_vocab))
            for row in range(0, rows, slice_rows):
                end = min(rows, row + slice_rows)
                yield found[row:end], following[first + row : first + end]

    def close(self) -> None:
        """Free the model, so that the next one has the room."""
        self.lib.llama_free(self.context)
        self.lib.llama_model_free(self.model)


def _batch(n_vocab: int) -> int:
    """Tokens per batch, a power of two that divides ``CONTEXT``, so that their logits stay below ``LOGITS_BYTES``."""
    size = CONTEXT
    while size > 32 and size * n_vocab * 4 > LOGITS_BYTES:
        size //= 2
    return size


def _keep(scorer: _Scorer, chunks: int, store: IO[bytes], budget_s: float, talk: Talk) -> int:
    """Write down what the first model says; returns for how many chunks there was time."""
    begun = time.perf_counter()
    for chunk in range(chunks):
        for logits, _ in scorer.logits(chunk):
            for part in _compressed(logits):
                store.write(part)
            talk.raise_if_stopped()
        talk.say(protocol.ROW, kept=chunk + 1, chunks=chunks)
        spent_s = time.perf_counter() - begun
        if chunk + 1 >= LEAST_CHUNKS and spent_s * (chunk + 2) / (chunk + 1) > budget_s:
            return chunk + 1
    return chunks


def _compare(scorer: _Scorer, chunks: int, store: IO[bytes], talk: Talk) -> None:
    sums = np.zeros(5)
    tokens = 0
    for chunk in range(chunks):
        for logits, following in scorer.logits(chunk):
            rows, n_vocab = logits.shape
            base = _restored(store.read(rows * scorer.row_bytes), rows, n_vocab)
            sums += _sums(base, logits, following)
            tokens += rows
            talk.raise_if_stopped()
        kld, kld_squared, nll_before, nll_after, same = (float(value) for value in sums)
        talk.say(
            protocol.ROW, chunk=chunk + 1, chunks=chunks, tokens=tokens, kld=kld, kld_squared=kld_squared,
            nll_before=nll_before, nll_after=nll_after, same_top=round(same),
        )  # fmt: skip


def _log_softmax(logits: Array) -> Array:
    """Natural logarithms of the probabilities, rows of float32."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    shifted -= np.log(np.exp(shifted).sum(axis=1, keepdims=True, dtype=np.float64)).astype(np.float32)
    return shifted


def _compressed(logits: Array) -> Iterator[bytes]:
    """Rows for the store: step and lowest value as float32, then each log-probability in steps above the lowest."""
    logs = _log_softmax(logits)
    top = logs.max(axis=1, keepdims=True)
    low = np.maximum(logs.min(axis=1, keepdims=True), top - np.float32(RANGE))
    step = np.maximum((top - low) / np.float32(_STEPS), np.float32(1e-30))
    np.maximum(logs, low, out=logs)
    logs -= low
    logs /= step
    np.rint(logs, out=logs)
    steps = logs.astype(np.uint16)
    for row in range(len(steps)):
        yield np.array([step[row, 0], low[row, 0]], dtype=np.float32).tobytes()
        yield steps[row].tobytes()


def _restored(data: bytes, rows: int, n_vocab: int) -> Array:
    """The log-probabilities of ``_compressed``."""
    raw = np.frombuffer(data, dtype=np.uint8).reshape(rows, 8 + 2 * n_vocab)
    head = np.ascontiguousarray(raw[:, :8]).view(np.float32)
    logs = np.ascontiguousarray(raw[:, 8:]).view(np.uint16).astype(np.float32)
    logs *= head[:, :1]
    logs += head[:, 1:]
    return logs


def _sums(base: Array, logits: Array, following: Array) -> Array:
    """Divergence, its square, both negative log-likelihoods and equal top tokens, summed over the rows."""
    logs = _log_softmax(logits)
    each = np.arange(len(following))
    nll_before, nll_after = -base[each, following], -logs[each, following]
    same = base.argmax(axis=1) == logs.argmax(axis=1)
    logs *= -1
    logs += base  # log p - log q
    base[base <= -RANGE] = -np.inf  # so improbable that its rounding would weigh more than it does
    np.exp(base, out=base)
    logs *= base
    kld = logs.sum(axis=1, dtype=np.float64)
    return np.array([kld.sum(), (kld * kld).sum(), nll_before.sum(dtype=np.float64), nll_after.sum(dtype=np.float64),
                     same.sum()])  # fmt: skip
