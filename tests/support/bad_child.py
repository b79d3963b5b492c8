"""A child that answers the worker's protocol as it is told to: well, badly, or not at all.

Run as ``python bad_child.py MODE``; needs nothing but the standard library.
"""

import json
import os
import signal
import subprocess
import sys
import time


def say(kind: str, **fields: object) -> None:
    os.write(1, json.dumps({"v": 1, "kind": kind, **fields}).encode() + b"\n")


def phase_rows(index: int, seconds: float, repetitions: int) -> None:
    say("row", test=index, stage="warm-up")
    say("row", test=index, warm_up_s=seconds)
    say("row", test=index, stage="running")
    for _ in range(repetitions):
        say("row", test=index, seconds=seconds)
    say("row", test=index, done=True)


def both_phases(repetitions: int) -> None:
    say("row", load_s=0.1)
    phase_rows(0, 0.5, repetitions)
    phase_rows(1, 1.0, repetitions)
    say("result", stopped=False)


def main(mode: str) -> None:
    request = json.loads(sys.stdin.readline())
    tests = request.get("tests", [{}])
    repetitions = tests[0].get("repeat", {}).get("minimum", 1)
    say("hello", pid=os.getpid(), python="x", task=request.get("task"))
    if mode == "good":
        both_phases(repetitions)
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
        both_phases(repetitions)
    elif mode == "crash-on-real-models":
        if request.get("use_extra_bufts") and "self-test" not in request.get("model", ""):
            say("row", test=0, stage="warm-up")
            os.kill(os.getpid(), signal.SIGSEGV)
        both_phases(repetitions)
    elif mode == "needs-one-thread":
        with open(sys.argv[2], "a") as calls:
            calls.write(f"{request['use_extra_bufts']:d} {tests[0]['flash_attention']} {tests[0]['n_threads']}\n")
        if tests[0]["n_threads"] > 1:
            phase_rows(0, 0.5, repetitions)
            say("row", test=1, stage="running")
            os.kill(os.getpid(), signal.SIGABRT)
        both_phases(repetitions)
    elif mode == "crash-once":
        try:
            os.close(os.open(sys.argv[2], os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            both_phases(repetitions)
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
        both_phases(repetitions)
    elif mode == "junk":
        os.write(1, b"\x00\xff no message\n" * 1000)
        time.sleep(60)
    elif mode == "long-line":
        os.write(1, b"{" + b"x" * (3 << 20) + b"\n")
        time.sleep(60)
    elif mode == "raw":
        os.write(1, sys.argv[2].encode() + b"\n")
        time.sleep(60)
    elif mode == "log-flood":
        for _ in range(20_000):
            sys.stderr.write("warning " * 20 + "\n")
        both_phases(repetitions)
    elif mode == "closes-pipe":
        os.close(1)
        time.sleep(60)
    elif mode == "result-then-hang":
        both_phases(repetitions)
        time.sleep(60)
    elif mode == "grandchild":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.DEVNULL)
        both_phases(repetitions)
    elif mode == "failure":
        say("failure", code="out_of_memory", sentence="The model does not fit into the free memory.", hint="Close.")
        sys.exit(1)
    elif mode == "echo-environment":
        say("result", environment=dict(os.environ))


if __name__ == "__main__":
    main(sys.argv[1])
