"""A child that answers the tasks ``quantise`` and ``quality`` as it is told to, without an engine.

Run as ``python quantise_child.py MODE``; needs nothing but the standard library.
"""

import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

WEIGHTS_BYTES = 1_000_000
SUMS = {"kld": 5.1, "kld_squared": 0.2, "nll_before": 510.0, "nll_after": 561.0, "same_top": 230}


def say(kind: str, **fields: object) -> None:
    os.write(1, json.dumps({"v": 1, "kind": kind, **fields}).encode() + b"\n")


def quantise(mode: str, request: dict[str, Any]) -> None:
    """Copies the source, so that the target is a model; other modes leave half of it."""
    if request["dry_run"]:
        if mode == "old":
            say("failure", code="engine_old", sentence="It cannot tell.", hint="Update it.")
            return
        say("result", stopped=False, bytes=WEIGHTS_BYTES)
        return
    target = Path(request["target"])
    target.write_bytes(b"GGUF half of a file")
    say("row", tensor=1, tensors=4)
    say("row", tensor=3, tensors=4)
    if mode == "hang":
        time.sleep(60)
    if mode == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if mode == "full":
        say("failure", code="no_space", sentence="The quantised file could not be written.", hint="Make room.")
        return
    if mode == "requantise":
        assert request["requantise"] is True
    shutil.copyfile(request["model"], target)
    say("result", stopped=False, bytes=target.stat().st_size)


def quality(mode: str, request: dict[str, Any]) -> None:
    Path(request["store"]).write_bytes(b"what the first one said")
    if mode == "no-text":
        say("failure", code="no_vocabulary", sentence="The model has no tokenizer.", hint="")
        return
    say("row", kept=2, chunks=2)
    sums = SUMS | ({"same_top": 300} if mode == "lie" else {})
    say("row", chunk=1, chunks=2, tokens=255, **sums)
    if mode == "slow-text":
        time.sleep(60)
    say("row", chunk=2, chunks=2, tokens=510, **{name: 2 * value for name, value in sums.items()})
    say("result", stopped=False)


def main() -> None:
    mode = sys.argv[1]
    request = json.loads(sys.stdin.readline())
    say("hello", pid=os.getpid())
    {"quantise": quantise, "quality": quality}[request["task"]](mode, request)


if __name__ == "__main__":
    main()
