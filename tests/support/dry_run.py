"""What the engine's own quantiser would make of files: asked in a child, without writing anything.

Run as a program it reads ``[[path, file type], ...]`` as JSON and prints, for each, tensor name -> type.
"""

import ctypes
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_LINE = re.compile(r"\[ *\d+/ *\d+\] (\S+) +- \[.*?\], type = +(\w+), size = +[\d.]+ MiB(?: -> +[\d.]+ MiB \((\w+)\))?")


def dry_run(asked: Sequence[tuple[Path, int]]) -> list[dict[str, str]]:
    """For each file and llama.cpp's number of a file type, the types that its tensors would get, upper case."""
    request = json.dumps([[str(path), number] for path, number in asked])
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.dry_run"], input=request, capture_output=True, text=True, timeout=170
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [dict(made) for made in json.loads(done.stdout)]


def _main() -> None:
    import llama_cpp

    lib = llama_cpp.llama_cpp
    words: list[str] = []

    @lib.llama_log_callback
    def hear(_level: int, text: bytes, _data: object) -> None:
        words.append(text.decode(errors="replace"))

    lib.llama_log_set(hear, ctypes.c_void_p(0))
    lib.llama_backend_init()
    answers = []
    for path, number in json.load(sys.stdin):
        words.clear()
        params = lib.llama_model_quantize_default_params()
        params.nthread, params.ftype, params.dry_run = 1, number, True
        status = lib.llama_model_quantize(path.encode(), b"/nowhere", ctypes.byref(params))
        lines = _LINE.findall("".join(words))
        if status != 0 or not lines:
            raise SystemExit(f"{path} as {number}: {''.join(words)[-1500:]}")
        answers.append({name: (new or old).upper() for name, old, new in lines})
    print(json.dumps(answers))


if __name__ == "__main__":
    _main()
