"""Options that the programs named in advice have, each list with its source and the day it was read."""

import re
from collections.abc import Mapping
from typing import Final

FLAGS: Final[Mapping[str, frozenset[str]]] = {
    # llama.cpp common/arg.cpp and tools/server/README.md of ggml 0.25 (in llama-cpp-python 0.3.36), read 2026-11-29
    "llama-server": frozenset({
        "-m", "-c", "-b", "-ub", "-fa", "-ctk", "-ctv", "-ngl", "-np", "-md", "-ot", "--n-cpu-moe", "--cpu-moe",
        "--threads", "--threads-batch", "--cache-reuse", "--ctx-checkpoints", "--swa-full", "--spec-type",
        "--spec-draft-n-max", "--spec-draft-n-min", "--spec-draft-p-min", "--spec-draft-model", "--cache-ram",
        "--cache-prompt",
        "--checkpoint-min-step", "--spec-ngram-simple-size-n", "--spec-ngram-simple-size-m", "--spec-default",
    }),
    # llama.cpp tools/llama-bench/llama-bench.cpp, same source and day
    "llama-bench": frozenset({"-m", "-p", "-n", "-d", "-r", "-t", "-b", "-ub", "-fa", "-ctk", "-ctv", "-ngl", "-ot",
                              "-ncmoe", "-ts", "-dev"}),
    # llama.cpp tools/quantize/README.md, same source and day: positional arguments and these
    "llama-quantize": frozenset({"--allow-requantize", "--imatrix", "--pure", "--leave-output-tensor", "--dry-run"}),
    # ollama cmd and docs/modelfile: "ollama serve", "ps", "create"; read 2026-11-29
    "ollama": frozenset({"--quantize", "-q", "-f"}),
    # docs.vllm.ai, engine arguments and "Optimization and Tuning" (stable), read 2026-11-29
    "vllm": frozenset({"--max-num-seqs", "--max-num-batched-tokens", "--kv-cache-dtype", "--enable-prefix-caching",
                       "--speculative-config", "--gpu-memory-utilization", "--max-model-len"}),
    # docs.sglang.io, server arguments, read 2026-11-29
    "sglang.launch_server": frozenset({"--model-path", "--chunked-prefill-size", "--max-prefill-tokens",
                                       "--enable-mixed-chunk", "--max-running-requests"}),
}  # fmt: skip

VARIABLES: Final = frozenset({
    "OLLAMA_NUM_PARALLEL", "OLLAMA_FLASH_ATTENTION", "OLLAMA_KV_CACHE_TYPE", "OLLAMA_KEEP_ALIVE",
    "OLLAMA_CONTEXT_LENGTH",
})  # fmt: skip
"""Ollama's environment variables (its FAQ, read 2026-11-29)."""

PARAMETERS: Final = frozenset({"num_ctx", "num_batch", "num_gpu", "num_thread"})
"""Ollama's options in a Modelfile and in requests (docs/api.md, read 2026-11-29)."""

REMOVED: Final = frozenset({"--draft-max", "--draft-min", "--draft", "--max-num-partial-prefills",
                            "--max-long-partial-prefills", "--num-speculative-tokens"})
"""Names that guides still carry: llama.cpp's and vLLM's former ones (physics.md 4 and 5)."""


CALLS: Final[Mapping[str, frozenset[str]]] = {
    # llama_cpp/llama_speculative.py of llama-cpp-python 0.3.36, read 2026-11-30
    "LlamaPromptLookupDecoding": frozenset({"max_ngram_size", "num_pred_tokens"}),
}
_CALL: Final = re.compile(r"(?P<name>[A-Za-z]+)\((?P<arguments>[^)]*)\)")


def unknown_words(command: str) -> list[str]:
    """Options, variables and parameters of a command that are in none of the lists; empty for a good one."""
    call = _CALL.fullmatch(command)
    if call is not None:
        names = {part.partition("=")[0].strip() for part in call["arguments"].split(",")}
        return sorted(names - CALLS.get(call["name"], frozenset()))
    words = command.split()
    wrong = []
    while words and "=" in words[0] and not words[0].startswith("-"):
        name = words.pop(0).partition("=")[0]
        wrong += [] if name in VARIABLES else [name]
    if not words:
        return wrong
    if words[0] == "PARAMETER":
        return wrong + ([] if words[1] in PARAMETERS else [words[1]])
    if words[:2] == ["python", "-m"]:
        words = words[2:]
    known = FLAGS.get(words[0])
    if known is None:
        return [*wrong, words[0]]
    options = [word.partition("=")[0] for word in words[1:] if word.startswith("-") and not word[1:].isdigit()]
    return wrong + [option for option in options if option not in known or option in REMOVED]
