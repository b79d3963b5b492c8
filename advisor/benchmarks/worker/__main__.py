"""Entry of the child: take the request, do one task, answer on a pipe of its own.

The pipe is what was standard output at the start; descriptor 1 is then pointed at standard error, so that native
code which prints cannot write into the conversation.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
import traceback
from typing import IO, Any

from advisor.benchmarks import protocol
from advisor.benchmarks.worker.talk import Failure, Stopped, Talk

TASKS = {
    "engine": "engine_info",
    "ceilings": "ceilings",
    "phases": "phases",
    "generate": "generate",
    "quantise": "quantise",
    "quality": "quality",
    "speculate": "speculate",
    "prefix": "prefix",
    "stutter": "stutter",
    "tokenise": "tokenise",
}


def main() -> None:
    """Run one task and leave without running native destructors (they crash and hide the result)."""
    channel = _take_over_stdout()
    line = sys.stdin.buffer.readline()
    if not line:
        os._exit(0)
    request = json.loads(line)
    talk = Talk(channel)
    threading.Thread(target=_watch_parent, args=(sys.stdin.buffer, talk), daemon=True).start()
    talk.say(protocol.HELLO, pid=os.getpid(), python=sys.version.split()[0], task=request.get("task"))
    code = _work(request, talk)
    channel.flush()
    sys.stderr.flush()
    os._exit(code)


def _work(request: dict[str, Any], talk: Talk) -> int:
    try:
        module = importlib.import_module(f"advisor.benchmarks.worker.{TASKS[request['task']]}")
        module.run(request, talk)
    except Stopped:
        talk.say(protocol.RESULT, stopped=True)
    except Failure as failure:
        talk.say(protocol.FAILURE, code=failure.code, sentence=failure.sentence, hint=failure.hint)
        return 1
    except MemoryError:
        talk.say(
            protocol.FAILURE,
            code="out_of_memory",
            sentence="There is not enough free memory for this measurement.",
            hint="Close other programs or choose a smaller model.",
        )
        return 1
    except Exception as error:
        traceback.print_exc()
        talk.say(
            protocol.FAILURE,
            code="unexpected",
            sentence=f"The measuring process failed: {type(error).__name__}: {error}",
            hint="",
        )
        return 1
    return 0


def _take_over_stdout() -> IO[bytes]:
    sys.stdout.flush()
    channel = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return channel


def _watch_parent(stdin: IO[bytes], talk: Talk) -> None:
    """A stop line asks for a polite end; end of file means that the parent is gone and nobody listens."""
    for line in iter(stdin.readline, b""):
        if line == protocol.STOP_LINE:
            talk.stop_requested = True
    os._exit(0)


if __name__ == "__main__":
    main()
