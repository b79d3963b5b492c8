"""Task ``generate``: write text as a chat program does, with tokenizer and sampler, and time each part.

The benchmark leaves tokenising, sampling and turning tokens into text out of its clock, as llama-bench does; here they
are in, one by one. The chain of samplers is llama.cpp's default one; tokens that would end the text are banned, so that
its length does not depend on what the model has to say.
"""

from __future__ import annotations

import codecs
import ctypes
import gc
import time
from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.worker import llama
from advisor.benchmarks.worker.talk import Failure, Talk

PROMPT = (
    "You help the keeper of a small museum of clocks. A visitor has asked why the pendulum clock in the hall loses "
    "four minutes every week in summer and gains one in winter, although nobody has touched it since the repair. The "
    "keeper knows that the rod of the pendulum is made of brass, that the hall faces south and is not heated, and that "
    "the weights were cleaned last year. Explain to the visitor in plain words what heat does to the rod, how much a "
    "change of ten degrees can matter over a week, what clockmakers did about it in former centuries, and what the "
    "keeper could do now without spending much money. Write three short paragraphs and avoid formulas."
)
"""Ordinary prose, some 130 tokens in most vocabularies; the answer is thrown away."""

TOP_K, TOP_P, MIN_P, TEMPERATURE = 40, 0.95, 0.05, 0.8
"""Defaults of common_params_sampling in llama.cpp's common/common.h (2025); its other samplers rest by default."""
SEED = 1
PARTS = 4
"""Into how many parts the text is cut, so that its speed has a spread."""
_DOING = "Writing text as in real use"
_PIECE_BYTES = 256


def run(request: dict[str, Any], talk: Talk) -> None:
    """Load the model and write text; request fields: those of ``llama.load_model``, and ``real_use``."""
    lib, ggml = llama.open_engine()
    lib.llama_backend_init()
    start = time.perf_counter()
    model, placed = llama.load_model(lib, ggml, request, talk)
    talk.say(protocol.ROW, load_s=time.perf_counter() - start, **placed)
    measure(lib, model, request["real_use"], talk)
    talk.say(protocol.RESULT, stopped=False)


def measure(lib: Any, model: Any, wanted: dict[str, Any], talk: Talk) -> None:
    """Write ``n_gen`` tokens after the prompt and send one row; ``wanted`` has the fields of a decode test.

    Raises:
        Failure: ``no_vocabulary`` for a model without a tokenizer, ``engine_old`` for a binding without samplers, and
            what making a context raises.
    """
    talk.progress(_DOING)
    talk.say(protocol.ROW, stage="generating")
    vocab = llama.vocabulary(lib, model)
    n_gen = int(wanted["n_gen"])
    start = time.perf_counter()
    tokens = llama.tokenise(lib, vocab, PROMPT, special=True)
    tokenise_s = time.perf_counter() - start
    sampler = _sampler(lib, vocab)
    context = llama.new_context(lib, model, {**wanted, "n_prompt": len(tokens), "n_gen": n_gen + 1})
    try:
        prefill_s = _prefill(lib, context, tokens, int(wanted["n_batch"]))
        parts = _write(lib, context, vocab, sampler, n_gen, talk)
    finally:
        lib.llama_free(context)
        lib.llama_sampler_free(sampler)
    decode, sample, detokenise = parts
    sums = [decode_s + sample_s + text_s for decode_s, sample_s, text_s in zip(decode, sample, detokenise)]  # noqa: B905
    size = max(1, n_gen // PARTS)
    talk.say(
        protocol.ROW,
        real_use={
            "prompt_tokens": len(tokens),
            "tokens": n_gen,
            "tokenise_s": tokenise_s,
            "prefill_s": prefill_s,
            "decode_s": sum(decode),
            "sample_s": sum(sample),
            "detokenise_s": sum(detokenise),
            "parts_s": [sum(sums[i : i + size]) for i in range(0, size * min(PARTS, n_gen), size)],
        },
    )


def _sampler(lib: Any, vocab: Any) -> Any:
    """Default chain behind a ban of every token that ends a text."""
    try:
        chain = lib.llama_sampler_chain_init(lib.llama_sampler_chain_default_params())
        n_vocab = lib.llama_vocab_n_tokens(vocab)
        ends = [token for token in range(n_vocab) if lib.llama_vocab_is_eog(vocab, token)]
        banned = (lib.llama_logit_bias * len(ends))(*[(token, float("-inf")) for token in ends])
        for sampler in (
            lib.llama_sampler_init_logit_bias(n_vocab, len(ends), banned),
            lib.llama_sampler_init_top_k(TOP_K),
            lib.llama_sampler_init_top_p(TOP_P, 1),
            lib.llama_sampler_init_min_p(MIN_P, 1),
            lib.llama_sampler_init_temp(TEMPERATURE),
            lib.llama_sampler_init_dist(SEED),
        ):
            lib.llama_sampler_chain_add(chain, sampler)
    except AttributeError as error:
        raise Failure("engine_old", f"This llama-cpp-python has no samplers ({error}).", "Update it.") from error
    return chain


def _prefill(lib: Any, context: Any, tokens: list[int], n_batch: int) -> float:
    arrays = [llama.token_array(tokens[i : i + n_batch]) for i in range(0, len(tokens), n_batch)]
    start = time.perf_counter()
    for array in arrays:
        llama.check(lib.llama_decode(context, lib.llama_batch_get_one(array, len(array))))
    lib.llama_synchronize(context)
    return time.perf_counter() - start


def _write(
    lib: Any, context: Any, vocab: Any, sampler: Any, n_gen: int, talk: Talk
) -> tuple[list[float], list[float], list[float]]:
    """Seconds of decoding, sampling and turning into text, token by token; the first token warms up and is left out."""
    decode: list[float] = []
    sample: list[float] = []
    detokenise: list[float] = []
    token_holder = llama.token_array([0])
    batch = lib.llama_batch_get_one(token_holder, 1)
    piece = ctypes.create_string_buffer(_PIECE_BYTES)
    text = codecs.getincrementaldecoder("utf-8")("replace")
    clock = time.perf_counter
    gc.disable()
    try:
        for _ in range(n_gen + 1):
            start = clock()
            token = lib.llama_sampler_sample(sampler, context, -1)
            sampled = clock()
            length = lib.llama_token_to_piece(vocab, token, piece, _PIECE_BYTES, 0, False)
            text.decode(piece.raw[: max(length, 0)])
            shown = clock()
            token_holder[0] = token
            llama.check(lib.llama_decode(context, batch))
            lib.llama_synchronize(context)
            decoded = clock()
            sample.append(sampled - start)
            detokenise.append(shown - sampled)
            decode.append(decoded - shown)
            if talk.due():
                talk.progress(_DOING)  # a sign of life
            talk.raise_if_stopped()
    finally:
        gc.enable()
    return decode[1:], sample[1:], detokenise[1:]
