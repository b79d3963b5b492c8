"""Task ``tokenise``: how many tokens a text file is to a model, by the model's own tokenizer.

Only the vocabulary is loaded, so that it takes a second and little memory however large the model is.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.worker import llama
from advisor.benchmarks.worker.talk import Failure, Talk


def run(request: dict[str, Any], talk: Talk) -> None:
    """Count; request fields: ``model``, and ``text``, the path of a file in UTF-8."""
    lib, ggml = llama.open_engine()
    lib.llama_backend_init()
    talk.progress("Reading the model's vocabulary")
    model, _ = llama.load_model(lib, ggml, {**request, "vocab_only": True, "n_gpu_layers": 0}, talk)
    vocab = llama.vocabulary(lib, model)
    try:
        text = Path(request["text"]).read_bytes().decode("utf-8-sig")  # its own line ends, no byte-order mark
    except OSError as error:
        raise Failure("unreadable", f"The prompt file cannot be read ({error.strerror or error}).",
                      "Check its path, and that you may read it.") from error
    talk.raise_if_stopped()
    talk.progress("Counting tokens")
    start = time.perf_counter()
    tokens = llama.tokenise(lib, vocab, text, special=True)
    elapsed = time.perf_counter() - start
    talk.say(protocol.RESULT, stopped=False, tokens=len(tokens), tokenise_s=elapsed, characters=len(text))
