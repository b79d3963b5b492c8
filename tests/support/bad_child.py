"""A child that answers the worker's protocol as it is told to: well, badly, or not at all.

Run as ``python bad_child.py MODE``; needs nothing but the standard library.
"""

import json
import mmap
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ONCE = {"minimum": 1}
TWO_PHASES = [{"n_prompt": n_prompt, "kv_type": "f16", "repeat": ONCE} for n_prompt in (512, 0)]


def say(kind: str, **fields: object) -> None:
    os.write(1, json.dumps({"v": 1, "kind": kind, **fields}).encode() + b"\n")


def phase_rows(index: int, seconds: float, repetitions: int) -> None:
    say("row", test=index, stage="warm-up")
    say("row", test=index, warm_up_s=seconds)
    say("row", test=index, stage="running")
    for _ in range(repetitions):
        say("row", test=index, seconds=seconds)
    say("row", test=index, done=True)


TEXT = {
    "prompt_tokens": 130, "tokens": 64, "tokenise_s": 0.001, "prefill_s": 0.4, "decode_s": 0.5, "sample_s": 0.01,
    "detokenise_s": 0.002, "parts_s": [0.128, 0.128, 0.127, 0.129],
}  # fmt: skip


def every_test(tests: list[dict[str, Any]], crashing: str = "", text: bool = False) -> None:
    """Prompts take 0.5 s, answers 1 s; a test whose cache is of the type ``crashing`` kills the child."""
    say("row", load_s=0.1)
    for index, test in enumerate(tests):
        if crashing and test["kv_type"] == crashing:
            say("row", test=index, stage="warm-up")
            os.kill(os.getpid(), signal.SIGSEGV)
        phase_rows(index, 0.5 if test["n_prompt"] else 1.0, test["repeat"]["minimum"])
    if text:
        say("row", stage="generating")
        say("row", real_use=TEXT)
    say("result", stopped=False)


def work(seconds: float) -> float:
    """Use a CPU for so many of its own seconds; the wall-clock seconds that it took."""
    start, began = time.perf_counter(), time.process_time()
    while time.process_time() - began < seconds:
        pass
    return time.perf_counter() - start


def real_work(repetitions: int, between: str) -> None:
    """Repetitions that really compute; in the middle of the third something happens."""
    say("row", load_s=0.1)
    for index in range(len(REQUEST["tests"])):
        say("row", test=index, stage="warm-up")
        say("row", test=index, warm_up_s=work(0.02))
        say("row", test=index, stage="running")
        for repetition in range(repetitions):
            start = time.perf_counter()
            work(0.1)
            if between == "page" or (repetition == 2 and index == 0):
                happen(between)
            work(0.1)
            say("row", test=index, seconds=time.perf_counter() - start)
        say("row", test=index, done=True)
    say("result", stopped=False)


def happen(what: str) -> None:
    """``pause``: stopped from outside and continued after 0.8 s. ``page``: 32 MB that have to come from disk again."""
    if what == "pause":
        subprocess.Popen(
            [sys.executable, "-c", f"import os, time; time.sleep(0.8); os.kill({os.getpid()}, {int(signal.SIGCONT)})"],
            stdout=subprocess.DEVNULL,
        )
        os.kill(os.getpid(), signal.SIGSTOP)
    elif what == "page":
        with Path(sys.argv[3]).open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as view:
            view.madvise(mmap.MADV_RANDOM)
            view.madvise(MADV_PAGEOUT)
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            for page in range(0, len(view), 4096):
                view[page]


def stutter(crashes: int, when: str) -> None:
    """Three rounds of every size; the one of ``crashes`` tokens kills the child, "warming" or in round "1"."""
    request: dict[str, Any] = REQUEST
    say("row", load_s=0.1)
    for chunk in request["chunks"]:
        say("row", begun=chunk)
        if chunk == crashes and when == "warming":
            os.kill(os.getpid(), signal.SIGSEGV)
        say("row", warm_up_s=0.1)
    for number in range(3):
        say("row", round=number)
        for chunk in request["chunks"]:
            say("row", begun=chunk)
            if chunk == crashes and when == str(number):
                os.kill(os.getpid(), signal.SIGSEGV)
            pieces = -(-request["prompt_tokens"] // chunk)
            say("row", round=number, chunk=chunk, before_s=[0.03], during_s=[chunk / 1000] * pieces, after_s=[0.03])
    say("result", stopped=False)


MADV_PAGEOUT = 21
"""madvise(2), since Linux 5.4; Python 3.11 has no name for it."""

REQUEST: dict[str, list[object]] = {}


def main(mode: str) -> None:
    if mode == "never-listens":
        time.sleep(60)
    request = json.loads(sys.stdin.readline())
    REQUEST.update(request)
    tests = request.get("tests", TWO_PHASES)
    repetitions = tests[0]["repeat"]["minimum"]
    say("hello", pid=os.getpid(), python="x", task=request.get("task"))
    if mode == "good":
        every_test(tests, text=bool(request.get("real_use")))
    elif mode == "stutter":
        stutter(int(sys.argv[2]), sys.argv[3])
    elif mode == "crash-with-kv":
        every_test(tests, sys.argv[2])
    elif mode == "leaves-out":
        say("row", load_s=0.1)
        for index, test in enumerate(tests):
            if test["essential"]:
                phase_rows(index, 0.5, repetitions)
            else:
                say("row", test=index, left_out="there was no time left")
        say("result", stopped=False)
    elif mode == "works":
        real_work(repetitions, sys.argv[2])
    elif mode == "text":
        say("row", load_s=0.1)
        phase_rows(0, 0.5, repetitions)
        phase_rows(1, 1.0, repetitions)
        say("row", stage="generating")
        if sys.argv[2] == "crashes":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif sys.argv[2] == "hangs":
            time.sleep(60)
        elif sys.argv[2] == "fails":
            say("failure", code="no_vocabulary", sentence="The model has no tokenizer.", hint="")
            sys.exit(1)
        elif sys.argv[2] == "leaves":
            sys.exit(0)
        elif sys.argv[2] == "is-missing":
            say("result", stopped=False)
        else:
            say("row", real_use={**TEXT, **json.loads(sys.argv[2])})
            time.sleep(60)
    elif mode == "dies-of":
        phase_rows(0, 0.5, repetitions)
        os.kill(os.getpid(), getattr(signal, sys.argv[2]))
        time.sleep(60)
    elif mode == "crash-unless-safe":
        if request.get("use_extra_bufts"):
            print("ggml: about to multiply", file=sys.stderr, flush=True)
            say("row", load_s=0.1)
            say("row", test=0, stage="warm-up")
            os.kill(os.getpid(), signal.SIGSEGV)
        every_test(tests)
    elif mode == "crash-on-real-models":
        if request.get("use_extra_bufts") and "self-test" not in request.get("model", ""):
            say("row", test=0, stage="warm-up")
            os.kill(os.getpid(), signal.SIGSEGV)
        every_test(tests)
    elif mode == "needs-one-thread":
        with Path(sys.argv[2]).open("a") as calls:
            calls.write(f"{request['use_extra_bufts']:d} {tests[0]['flash_attention']} {tests[0]['n_threads']}\n")
        if tests[0]["n_threads"] > 1:
            phase_rows(0, 0.5, repetitions)
            say("row", test=1, stage="running")
            os.kill(os.getpid(), signal.SIGABRT)
        every_test(tests)
    elif mode == "crash-once":
        try:
            os.close(os.open(sys.argv[2], os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            every_test(tests)
        else:
            say("row", test=0, stage="warm-up")
            os.kill(os.getpid(), signal.SIGSEGV)
    elif mode == "out-of-memory":
        print("ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGABRT)
    elif mode == "crash-always":
        say("row", test=0, stage="warm-up")
        os.kill(os.getpid(), signal.SIGSEGV)
    elif mode == "crash-in-decode":
        phase_rows(0, 0.5, repetitions)
        say("row", test=1, stage="running")
        say("row", test=1, seconds=1.0)
        os.kill(os.getpid(), signal.SIGSEGV)
    elif mode == "exit":
        sys.exit(int(sys.argv[2]))
    elif mode == "silent":
        time.sleep(60)
    elif mode == "stops-itself":
        phase_rows(0, 0.5, repetitions)
        os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(60)
    elif mode == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            say("reading", phase="prefill", repetition=1, repetitions=1, tokens_per_s=1.0, final=False)
            time.sleep(0.05)
    elif mode == "polite":
        for line in sys.stdin:
            if line == "stop\n":
                say("row", test=0, seconds=0.5)
                say("result", stopped=True)
                return
    elif mode == "chatter":
        for number in range(10):
            os.write(1, f"a library greets you, {number}\n".encode())
        every_test(tests)
    elif mode == "junk":
        os.write(1, b"\x00\xff no message\n" * 1000)
        time.sleep(60)
    elif mode == "long-line":
        os.write(1, b"{" + b"x" * (3 << 20) + b"\n")
        time.sleep(60)
    elif mode == "raw":
        os.write(1, sys.argv[2].encode() + b"\n")
        time.sleep(60)
    elif mode == "says":
        os.write(1, sys.argv[2].encode() + b"\n")
    elif mode == "log-flood":
        for _ in range(20_000):
            sys.stderr.write("warning " * 20 + "\n")
        every_test(tests)
    elif mode == "closes-pipe":
        os.close(1)
        time.sleep(60)
    elif mode == "result-then-hang":
        every_test(tests)
        time.sleep(60)
    elif mode == "grandchild":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.DEVNULL)
        every_test(tests)
    elif mode == "leaves-its-pipe":
        # a process of its own holds the pipes when the child is gone; argument 3 takes it out of the group
        apart = sys.argv[3] == "apart"
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=apart)
        os.kill(os.getpid(), getattr(signal, sys.argv[2]))
        time.sleep(60)
    elif mode == "failure":
        say("failure", code="out_of_memory", sentence="The model does not fit into the free memory.", hint="Close.")
        sys.exit(1)
    elif mode == "echo-environment":
        say("result", environment=dict(os.environ))


if __name__ == "__main__":
    main(sys.argv[1])
