"""Who guesses the next tokens: the text so far (n-grams), or a small model."""

from __future__ import annotations

import time
from typing import Any, Protocol

from advisor.benchmarks.worker import llama, texts
from advisor.benchmarks.worker.talk import Failure

LONGEST_NGRAM = 3
"""Tokens that must agree at most; the published method (prompt look-up) looks for three, then two, then one."""

VOCABULARY_DIFFERENCE = 128
"""Tokens that two vocabularies of one family may differ by at their ends, as llama.cpp allows (some are padded)."""

_PROBED = 4096
"""Tokens whose spelling is compared, spread over the vocabulary."""

_PROBE = "Über 1,234 gauges: naïve “quotes” — def f(x):\n\treturn x**2  # 3.14 東京 привет\n"
"""A text on which tokenizers differ."""


class Guesser(Protocol):
    """Guesses what follows the tokens that it was told; both calls lie inside the clock."""

    def begin(self, tokens: list[int]) -> None:
        """A new text."""

    def told(self, tokens: list[int]) -> None:
        """The text went on."""

    def guess(self, most: int) -> list[int]:
        """Up to ``most`` tokens; none where it has no idea."""


class Nobody:
    """Never guesses: plain decoding."""

    def begin(self, tokens: list[int]) -> None:
        """Nothing to learn."""

    def told(self, tokens: list[int]) -> None:
        """Nothing to learn."""

    def guess(self, most: int) -> list[int]:
        """Nothing."""
        return []


class NGrams:
    """What followed the last time the same few tokens stood in the text: the longest agreement, the latest place."""

    def __init__(self) -> None:
        self._tokens: list[int] = []
        self._follows: dict[tuple[int, ...], int] = {}

    def begin(self, tokens: list[int]) -> None:
        """A new text."""
        self._tokens, self._follows = [], {}
        self.told(tokens)

    def told(self, tokens: list[int]) -> None:
        """Remember where each group of tokens that now has a follower ends."""
        for token in tokens:
            place = len(self._tokens)
            for length in range(1, min(LONGEST_NGRAM, place) + 1):
                self._follows[tuple(self._tokens[place - length :])] = place
            self._tokens.append(token)

    def guess(self, most: int) -> list[int]:
        """What followed then."""
        for length in range(LONGEST_NGRAM, 0, -1):
            place = self._follows.get(tuple(self._tokens[-length:]))
            if place is not None:
                return self._tokens[place : place + most]
        return []


class DraftModel:
    """A small model that writes ahead greedily; keeps its own cache in step with the text."""

    def __init__(self, lib: Any, model: Any, test: dict[str, Any], room: int, n_vocab: int) -> None:
        self._lib = lib
        self._n_vocab = n_vocab
        self._reader = Reader(lib, model, test, room)
        self._tokens: list[int] = []
        self._read: list[int] = []
        self.seconds = 0.0

    def begin(self, tokens: list[int]) -> None:
        """A new text; what the cache holds of it already is kept."""
        self._tokens = list(tokens)
        self._catch_up(len(tokens) - 1)

    def told(self, tokens: list[int]) -> None:
        """The text went on."""
        self._tokens += tokens

    def guess(self, most: int) -> list[int]:
        """The small model's own greedy continuation, as long as the large one knows its tokens."""
        start = time.perf_counter()
        found: list[int] = []
        self._catch_up(len(self._tokens) - 1)
        pending = self._tokens[len(self._read) :]
        while len(found) < most:
            token = self._reader.next_tokens(pending, len(self._read), last_only=True)[-1]
            self._read += pending
            if token >= self._n_vocab:
                break
            found.append(token)
            pending = [token]
        self.seconds += time.perf_counter() - start
        return found

    def close(self) -> None:
        """Free what native code holds."""
        self._reader.close()

    def _catch_up(self, wanted: int) -> None:
        """Make the cache hold the first ``wanted`` tokens of the text, or fewer, and nothing else."""
        same = 0
        while same < min(len(self._read), wanted) and self._read[same] == self._tokens[same]:
            same += 1
        if same < len(self._read):
            self._reader.forget(same)
            del self._read[same:]
        if wanted - same > 1:
            self._reader.read(self._tokens[same:wanted], same)
            self._read += self._tokens[same:wanted]


class Reader:
    """A context that reads tokens at given places, and says which token the model would write after each.

    Args:
        lib: the binding.
        model: loaded.
        test: settings, the fields of a test.
        room: tokens that its cache must hold.

    Raises:
        Failure: ``no_removal`` where tokens cannot be taken out of the model's memory again.
    """

    def __init__(self, lib: Any, model: Any, test: dict[str, Any], room: int) -> None:
        import numpy

        self._numpy = numpy
        self._lib = lib
        for kind in ("llama_model_is_recurrent", "llama_model_is_hybrid"):
            if hasattr(lib, kind) and getattr(lib, kind)(model):
                raise Failure(
                    "no_removal",
                    "This model keeps a state that cannot be cut back, so wrong guesses cannot be taken out of it "
                    "again, and speculation is not tried with it.",
                    "llama-server keeps copies of the state for it; measure it there.",
                )
        vocab = lib.llama_model_get_vocab(model)
        self.n_vocab = lib.llama_vocab_n_tokens(vocab)
        self._ends = [token for token in range(self.n_vocab) if lib.llama_vocab_is_eog(vocab, token)]
        self._n_batch = int(test["n_batch"])
        self._context = llama.new_context(
            lib, model, {**test, "n_streams": 1, "n_depth": 0, "n_prompt": room, "n_gen": 0}, swa_full=True
        )
        self._memory = lib.llama_get_memory(self._context)
        self._batch = lib.llama_batch_init(self._n_batch, 0, 1)
        for index in range(self._n_batch):
            self._batch.n_seq_id[index] = 1
            self._batch.seq_id[index][0] = 0

    def read(self, tokens: list[int], place: int) -> None:
        """Read tokens whose answer is of no interest."""
        for start in range(0, len(tokens), self._n_batch):
            self._decode(tokens[start : start + self._n_batch], place + start, last_only=True)

    def next_tokens(self, tokens: list[int], place: int, last_only: bool = False) -> list[int]:
        """The most probable token after each of ``tokens``, the first of which stands at ``place``; none that ends."""
        self._decode(tokens, place, last_only)
        rows = (len(tokens) - 1,) if last_only else range(len(tokens))
        found = []
        for row in rows:
            logits = self._lib.llama_get_logits_ith(self._context, row)
            values = self._numpy.ctypeslib.as_array(logits, shape=(self.n_vocab,))
            values[self._ends] = -self._numpy.inf
            found.append(int(values.argmax()))
        return found

    def forget(self, place: int) -> None:
        """Take everything from ``place`` on out of the cache."""
        if not self._lib.llama_memory_seq_rm(self._memory, 0, place, -1):
            raise Failure("no_removal", "The engine could not take wrong guesses out of this model's cache again.")

    def close(self) -> None:
        """Free what native code holds."""
        self._lib.llama_batch_free(self._batch)
        self._lib.llama_free(self._context)

    def _decode(self, tokens: list[int], place: int, last_only: bool) -> None:
        batch = self._batch
        batch.n_tokens = len(tokens)
        for index, token in enumerate(tokens):
            batch.token[index] = token
            batch.pos[index] = place + index
            batch.logits[index] = 0 if last_only else 1
        batch.logits[len(tokens) - 1] = 1
        llama.check(self._lib.llama_decode(self._context, batch))
        self._lib.llama_synchronize(self._context)


def why_not_drafting(lib: Any, model: Any, draft: Any) -> str:
    """Why a model's tokens mean nothing to the other, a clause; empty where the vocabularies agree.

    The checks are those of llama.cpp (``common_speculative_are_compatible``), with a text beside them.
    """
    ours, theirs = lib.llama_model_get_vocab(model), lib.llama_model_get_vocab(draft)
    if lib.llama_vocab_type(ours) != lib.llama_vocab_type(theirs):
        return "its tokenizer is of another kind"
    sizes = lib.llama_vocab_n_tokens(ours), lib.llama_vocab_n_tokens(theirs)
    if abs(sizes[0] - sizes[1]) > VOCABULARY_DIFFERENCE:
        return f"its vocabulary has {sizes[1]:,} tokens and the model's {sizes[0]:,}"
    for add, which in ((lib.llama_vocab_get_add_bos, lib.llama_vocab_bos),
                       (lib.llama_vocab_get_add_eos, lib.llama_vocab_eos)):
        if add(ours) != add(theirs) or (add(ours) and which(ours) != which(theirs)):
            return "it begins or ends a text with another token"
    if lib.llama_vocab_type(ours) == llama.NO_VOCABULARY:
        return ""
    shared = min(sizes)
    for token in range(0, shared, max(1, shared // _PROBED)):
        if lib.llama_vocab_get_text(ours, token) != lib.llama_vocab_get_text(theirs, token):
            return "the same numbers stand for other words in it"
    probe = _PROBE + texts.TEXTS[texts.PROSE].continuation
    if llama.tokenise(lib, ours, probe) != llama.tokenise(lib, theirs, probe):
        return "it cuts the same text into other tokens"
    return ""
