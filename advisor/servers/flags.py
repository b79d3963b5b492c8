"""The settings of each engine that decide waiting, stalling and sharing: their names, their defaults, what they trade.

One row per engine and aim. Sources: llama.cpp ``common/arg.cpp`` and ``tools/server`` of ggml 0.25.3 (in
llama-cpp-python 0.3.36); vLLM 0.32.0 ``engine/arg_utils.py``; SGLang's server arguments; Ollama's FAQ,
``envconfig/config.go`` and ``llm/llama_server.go`` of 2026-08; LM Studio's documents of 2026-04.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from advisor.core.translation import marked, tr
from advisor.servers.facts import ServerKind

READ_ON: Final = "2026-11-30"
NGRAM: Final = 3
"""Tokens that must agree before a repetition is guessed."""
CACHE_REUSE: Final = "--cache-reuse 256"
"""Of llama-server: pieces of so many tokens are taken from an earlier prompt wherever they stood in it."""


class Aim(StrEnum):
    """What a setting is for."""

    STALL = "shorter pauses of running streams"
    TOGETHER = "more requests computed together"
    PREFIX = "prompts read once"
    SPECULATE = "several tokens per step"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of one engine.

    Attributes:
        name: the option, variable, parameter or label as it is spelled.
        default: in words, as of ``READ_ON``; like all words of the table in English, see ``translated``.
        trades: what it costs, one clause.
        command: with ``{value}`` where its value stands; "" where it is set in a window.
        source: where the name and the default stand.
        usual: the default as a number, in the setting's own unit, where it is the same for everybody; None otherwise.
        words: how it is set, or what must be known beside the command.
    """

    name: str
    default: str
    trades: str
    command: str
    source: str
    usual: int | None = None
    words: str = ""

    def with_value(self, value: int | str, agree: int = NGRAM) -> str:
        """The exact command; "" where there is none. ``agree`` are the tokens that must repeat before it is guessed."""
        return self.command.replace("{value}", str(value)).replace("{agree}", str(agree))


_ARG: Final = "llama.cpp common/arg.cpp, ggml 0.25.3"
_VLLM: Final = "vLLM 0.32.0 engine/arg_utils.py"
_SGLANG: Final = "docs.sglang.io, server arguments"
_OLLAMA: Final = "Ollama envconfig/config.go and llm/llama_server.go"
_LM: Final = "lmstudio.ai/docs"

_SPEC_NGRAM: Final = (
    "vllm serve MODEL --speculative-config "
    '\'{"method": "ngram", "prompt_lookup_max": {agree}, "num_speculative_tokens": {value}}\''
)

SETTINGS: Final[Mapping[tuple[ServerKind, Aim], Setting]] = {
    (ServerKind.LLAMA_SERVER, Aim.STALL): Setting(
        "-b", marked("2,048 (-ub 512)"), marked("prompts are read in smaller steps, so the first word comes later"),
        "llama-server -b {value} -ub {value}", _ARG, 2048,
        marked("A step takes one token of every running stream and fills up to -b with prompts; -ub only splits it "
               "further."),
    ),
    (ServerKind.LLAMA_SERVER, Aim.TOGETHER): Setting(
        "-np", marked("auto: 4 slots over one unified cache (-cb is on)"),
        marked("slots share the context of -c, and each stream gets slower"), "llama-server -np {value} -c CONTEXT",
        _ARG, 4, marked("Give -c the context of one request times the slots."),
    ),
    (ServerKind.LLAMA_SERVER, Aim.PREFIX): Setting(
        "--cache-ram", marked("8,192 MiB of earlier prompts; --cache-reuse 0, cache_prompt on"),
        marked("it takes memory of the computer"),
        f"llama-server --cache-prompt {CACHE_REUSE} --cache-ram {{value}}", _ARG, 8192,
        marked("--cache-reuse also takes pieces that moved, where the cache can shift; models with sliding windows or "
        "recurrent layers resume at checkpoints only (--ctx-checkpoints, 32)."),
    ),
    (ServerKind.LLAMA_SERVER, Aim.SPECULATE): Setting(
        "--spec-type", "none", marked("slower where guesses fail"),
        "llama-server --spec-type ngram-simple --spec-ngram-simple-size-n {agree} "
        "--spec-ngram-simple-size-m {value}", _ARG,
    ),
    (ServerKind.VLLM, Aim.STALL): Setting(
        "--max-num-batched-tokens",
        marked("2,048 on most GPUs, 8,192 from 70 GiB on (not A100), 16,384 from 160 GiB on, 2,048 per processor on a "
               "CPU"),
        marked("prompts are read in smaller steps, so the first word comes later"),
        "vllm serve MODEL --max-num-batched-tokens {value}", _VLLM, None,
        marked("It must be at least --max-num-seqs."),
    ),
    (ServerKind.VLLM, Aim.TOGETHER): Setting(
        "--max-num-seqs", marked("256, 1,024 from 70 GiB on (not A100), 128 per processor on a CPU"),
        marked("each stream gets slower, and a full cache makes requests start again"),
        "vllm serve MODEL --max-num-seqs {value}", _VLLM,
    ),
    (ServerKind.VLLM, Aim.PREFIX): Setting(
        "--enable-prefix-caching", marked("on, in whole blocks of 16 tokens"), marked("it costs nothing worth naming"),
        "vllm serve MODEL --enable-prefix-caching", _VLLM, None, marked("Look whether it was switched off."),
    ),
    (ServerKind.VLLM, Aim.SPECULATE): Setting(
        "--speculative-config", marked("off"), marked("slower where guesses fail and with many users at once"),
        _SPEC_NGRAM, _VLLM,
    ),
    (ServerKind.SGLANG, Aim.STALL): Setting(
        "--chunked-prefill-size", marked("2,048 below 35 GiB, 8,192 below 160 GiB, else 16,384"),
        marked("prompts are read in smaller steps, so the first word comes later"),
        "python -m sglang.launch_server --model-path MODEL --chunked-prefill-size {value} --enable-mixed-chunk",
        _SGLANG, None, marked("--enable-mixed-chunk lets running streams share the step; it is off by default."),
    ),
    (ServerKind.SGLANG, Aim.TOGETHER): Setting(
        "--max-running-requests", marked("as many as the memory holds"), marked("each stream gets slower"),
        "python -m sglang.launch_server --model-path MODEL --max-running-requests {value}", _SGLANG,
    ),
    (ServerKind.SGLANG, Aim.PREFIX): Setting(
        "--disable-radix-cache", marked("the cache is on"), marked("it costs nothing worth naming"),
        "", _SGLANG, None, marked("Start it without --disable-radix-cache."),
    ),
    (ServerKind.OLLAMA, Aim.STALL): Setting(
        "num_batch", "512", marked("prompts are read in smaller steps, so the first word comes later"),
        "PARAMETER num_batch {value}", _OLLAMA, 512,
        marked("In the model's Modelfile. It counts only with OLLAMA_NUM_PARALLEL above 1; else requests wait for each "
               "other."),
    ),
    (ServerKind.OLLAMA, Aim.TOGETHER): Setting(
        "OLLAMA_NUM_PARALLEL", marked("1: one request after the other"),
        marked("it takes memory for so many contexts, and each stream gets slower"),
        "OLLAMA_NUM_PARALLEL={value} ollama serve",
        _OLLAMA, 1,
    ),
    (ServerKind.OLLAMA, Aim.PREFIX): Setting(
        "OLLAMA_KEEP_ALIVE", marked("5 minutes"), marked("the model's memory stays taken"),
        "OLLAMA_KEEP_ALIVE=30m ollama serve",
        _OLLAMA, None, marked("It reuses what one slot read last, while the model stays loaded."),
    ),
    (ServerKind.LM_STUDIO, Aim.STALL): Setting(
        "Evaluation Batch Size", "512", marked("prompts are read in smaller steps, so the first word comes later"), "",
        _LM, 512, marked("Set it to {value} in the model's load settings (eval_batch_size); llama.cpp's engine only."),
    ),
    (ServerKind.LM_STUDIO, Aim.TOGETHER): Setting(
        "Max Concurrent Predictions", "4", marked("each stream gets slower"), "", _LM, 4,
        marked("Set it to {value} in the model's load settings."),
    ),
}  # fmt: skip


SEATS: Final = 16
"""Engines keep room for every running stream in a step; fewer tokens than this many would be refused by some."""

VLLM_SEATS: Final = 256
SPLIT: Final = 512
"""Defaults of vLLM's seats and of llama-server's ``-ub``."""


def stall_command(kind: ServerKind, chosen: Setting, tokens: int, streams: int) -> str:
    """The exact command for pieces of so many tokens beside so many streams; "" where there is none.

    A step of vLLM may not be smaller than its number of seats; ``-ub`` need not be named where its default is smaller.
    """
    command = chosen.with_value(tokens)
    if kind is ServerKind.VLLM and tokens < VLLM_SEATS:
        return f"{command} --max-num-seqs {max(SEATS, min(tokens, 4 * streams))}"
    if kind is ServerKind.LLAMA_SERVER and tokens > SPLIT:
        return f"llama-server -b {tokens}"
    return command


def setting(kind: ServerKind, aim: Aim) -> Setting | None:
    """The engine's setting for an aim, its words translated.

    None where it has none (llama-cpp-python's server, unknown engines).
    """
    known = SETTINGS.get((kind, aim))
    return None if known is None else translated(known)


def command(kind: ServerKind, aim: Aim, value: int | str = "", agree: int = NGRAM) -> str:
    """The exact command of an engine's setting for an aim; "" where it has none, or none that is typed."""
    chosen = setting(kind, aim)
    return "" if chosen is None else chosen.with_value(value, agree)


def translated(known: Setting) -> Setting:
    """A row of ``SETTINGS`` with its words in the user's language."""
    return replace(
        known, default=tr(known.default), trades=tr(known.trades), words=tr(known.words) if known.words else ""
    )
