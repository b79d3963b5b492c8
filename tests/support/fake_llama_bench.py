"""A llama-bench that behaves as it is told to: well, in the ways of old versions, badly, or not at all.

Run as ``python fake_llama_bench.py MODE PROGRAM WORDS...``; needs nothing but the standard library.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "llama_bench"


def value(words: list[str], name: str, default: str) -> str:
    return words[words.index(name) + 1] if name in words else default


def progress(words: list[str], text: str) -> None:
    if "--progress" in words:
        print(f"llama-bench: benchmark {text}", file=sys.stderr, flush=True)


def rows(words: list[str]) -> list[dict[str, object]]:
    """One row per test, in the program's own order: 0.5 s a prompt, 1 s an answer."""
    count = int(value(words, "-r", "5"))
    asked = [(int(n), 0) for n in value(words, "-p", "512").split(",") if int(n)]
    asked += [(0, int(n)) for n in value(words, "-n", "128").split(",") if int(n)]
    return [
        {
            "build_commit": "abc1234",
            "build_number": 9999,
            "backends": "CPU",
            "n_threads": int(value(words, "-t", "1")),
            "n_batch": int(value(words, "-b", "2048")),
            "n_gpu_layers": int(value(words, "-ngl", "-1")),
            "devices": value(words, "-dev", "auto"),
            "n_prompt": n_prompt,
            "n_gen": n_gen,
            "n_depth": int(value(words, "-d", "0")),
            "samples_ns": [int(5e8 if n_prompt else 1e9)] * count,
        }
        for n_prompt, n_gen in asked
    ]


def measure(mode: str, words: list[str]) -> None:
    asked = rows(words)
    as_lines = value(words, "-o", "md") == "jsonl"
    print("load_backend: loaded CPU backend")
    if not as_lines:
        print("[")
    for index, row in enumerate(asked):
        where = f"{index + 1}/{len(asked)}"
        kind = "prompt" if row["n_prompt"] else "generation"
        progress(words, f"{where}: starting")
        progress(words, f"{where}: warmup {kind} run")
        if mode == "silent":
            time.sleep(60)
        if mode == "crash-in-prefill" or (mode == "crash-unless-safe" and "--repack" not in words):
            os.kill(os.getpid(), signal.SIGSEGV)
        progress(words, f"{where}: {kind} run 1/{value(words, '-r', '5')}")
        if mode == "crash-in-decode" and row["n_gen"]:
            os.kill(os.getpid(), signal.SIGSEGV)
        if mode == "lie":
            row["samples_ns"] = [0]
        if mode == "deaf-to-threads":
            row["n_threads"] = 77
        text = json.dumps(row) if as_lines else json.dumps(row, indent=2)
        if mode == "truncated" and index == len(asked) - 1:
            print(text[: len(text) // 2], flush=True)
            sys.exit(1)
        print(text if as_lines or index == len(asked) - 1 else f"{text},", flush=True)
    if not as_lines:
        print("]")


def main(mode: str, words: list[str]) -> None:
    old = mode == "old"
    if "--help" in words:
        print((FIXTURES / ("help-2024-01.txt" if old else "help-2026-11.txt")).read_text(encoding="utf-8"))
    elif mode == "not-it":
        sys.exit(1)
    elif "--version" in words:
        print("version: 9999 (abc1234)", file=sys.stderr)
    elif "--list-devices" in words:
        print((FIXTURES / "list-devices-cuda.txt").read_text(encoding="utf-8"))
    elif mode == "bad-model":
        if "-v" in words:
            model = value(words, "-m", "")
            print(f"llama_model_load: error loading model: unknown model architecture: 'x'\n{model}", file=sys.stderr)
        print("main: error: failed to load model 'x'", file=sys.stderr)
        sys.exit(1)
    else:
        measure(mode, words)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[3:])
