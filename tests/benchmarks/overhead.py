"""What measuring itself costs.

    python -m tests.benchmarks.overhead [--rounds 5]

First the share of a decode step of the sample that our loop spends outside ``llama_decode`` and ``llama_synchronize``
(aim: below 0.5 %); then what the open window, at rest with a result in it, takes from a benchmark in another process
(aim: below 2 %), window open and closed by turns, free memory stirred between two runs (``stirring.py``). Beside each
ratio stands the processor time that the window itself took while it was open, which no neighbour disturbs. Ratios, for
people to read; run it on a quiet machine.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Listening
from advisor.benchmarks.job import Job, Placement, PlannedTest
from advisor.benchmarks.model import EngineMode, Phase, TestSpec
from advisor.benchmarks.steadiness import Repeat
from advisor.benchmarks.supervisor import Limits
from advisor.core.progress import CancelToken
from advisor.hardware.detect import read_machine
from tests.benchmarks.stirring import stir
from tests.support.engine_mode import engine_mode
from tests.support.sample import sample_path

STEPS = 64
LOOPS = 5
SETTLE_S = 2.0


def loop(extra_buffers: bool, threads: int) -> None:
    """In a process of its own: our decode loop with a stopwatch around each of its two native calls.

    The stopwatch's own time counts as ours, so that the share is an upper bound. Readings are sent as in a real run.
    """
    from advisor.benchmarks.pacing import Pace
    from advisor.benchmarks.worker import llama, phases
    from advisor.benchmarks.worker.talk import Talk

    lib, ggml = llama.open_engine()
    lib.llama_backend_init()
    inside_s = 0.0

    class Timed:
        def __getattr__(self, name: str) -> Any:
            return getattr(lib, name)

    def timed(function: Any) -> Any:
        clock = time.perf_counter

        def call(*arguments: Any) -> Any:
            nonlocal inside_s
            start = clock()
            result = function(*arguments)
            inside_s += clock() - start
            return result

        return call

    stopwatch = Timed()
    stopwatch.llama_decode, stopwatch.llama_synchronize = timed(lib.llama_decode), timed(lib.llama_synchronize)
    with Path(os.devnull).open("wb", buffering=0) as nowhere:
        talk = Talk(nowhere)
        request = {"model": str(sample_path()), "use_extra_bufts": extra_buffers}
        model, _ = llama.load_model(lib, ggml, request, talk)
        spec = {
            "n_prompt": 0, "n_gen": STEPS, "n_depth": 0, "n_streams": 1, "n_threads": threads,
            "n_batch": 2048, "n_ubatch": 512, "flash_attention": "auto", "kv_type": "f16",
        }  # fmt: skip
        context = llama.new_context(lib, model, spec)
        n_vocab = lib.llama_vocab_n_tokens(lib.llama_model_get_vocab(model))
        bench = phases._Bench(stopwatch, model, talk, n_vocab, Pace([], [], None))
        shares, steps = [], []
        for number in range(LOOPS + 1):
            lib.llama_memory_clear(lib.llama_get_memory(context), False)
            inside_s = 0.0
            elapsed = bench._decode(context, STEPS, 1, 0, 1)
            if number:  # the first one warms up
                shares.append((elapsed - inside_s) / elapsed)
                steps.append(elapsed / STEPS)
    print(json.dumps({"shares": shares, "step_s": statistics.median(steps)}))
    sys.stdout.flush()
    os._exit(0)


def window() -> None:
    """In a process of its own: the window with an invented result in it, at rest until standard input ends."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QSocketNotifier

    from tests.support.fake_pipeline import FakePipeline, answer
    from ui.__main__ import Parts, _application
    from ui.bridge.doors import Doors

    qt = _application()
    pipeline = FakePipeline()
    parts = Parts(Doors(lambda: pipeline, answer, {}))
    parts.window.show()
    parts.begin(Path("sample.gguf"))
    parts.engine.ceilings_measured.connect(lambda _found: parts.engine.benchmark())
    parts.engine.answered.connect(lambda document: document.tests and print("at rest", flush=True))
    end = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
    end.activated.connect(lambda *_: parts.window.close())
    qt.exec()
    parts.end()


def benchmark(mode: EngineMode, threads: int) -> float:
    """Decode speed of the sample in tokens per second, median of a few repetitions in one child."""
    spec = TestSpec(phase=Phase.DECODE, n_prompt=0, n_gen=STEPS, n_threads=threads, n_batch=2048, n_ubatch=512)
    job = Job(sample_path(), (PlannedTest(spec, Repeat(3, 3), 1.0),), mode, Placement(), "CPU", "overhead")
    nobody = Listening(lambda _r: None, lambda _p: None, lambda _i, _s: None, lambda _t: None)
    done = EmbeddedEngine().measure(job, Limits(), read_machine().power, nobody, CancelToken())
    if done.error is not None:
        raise done.error
    return done.tests[0].tokens_per_s


def taken_s(process: "subprocess.Popen[str] | None") -> float:
    """Processor seconds of a process so far; 0 for none."""
    if process is None:
        return 0.0
    times = psutil.Process(process.pid).cpu_times()
    return float(times.user + times.system)


def open_window() -> "subprocess.Popen[str]":
    """The window's process, once its result is shown."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.overhead", "--window"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    while "at rest" not in (line := process.stdout.readline()):
        if not line:
            raise SystemExit("the window ended before it showed a result")
    time.sleep(SETTLE_S)
    return process


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=read_machine().cpu.usable_threads)
    parser.add_argument("--window", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--loop", choices=("0", "1"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.window:
        window()
        return 0
    if arguments.loop:
        loop(arguments.loop == "1", arguments.threads)
    mode = engine_mode()
    words = [sys.executable, "-m", "tests.benchmarks.overhead", "--loop", str(int(mode is EngineMode.DEFAULT))]
    words += ["--threads", str(arguments.threads)]
    said = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    shares = [f"{100 * share:.3f} %" for share in said["shares"]]
    of_step = f"of a step of {1000 * said['step_s']:.1f} ms"
    print(f"our loop outside the engine: {', '.join(shares)} {of_step} (aim: 0.5 %)", flush=True)
    ratios: list[float] = []
    busy: list[float] = []
    for number in range(arguments.rounds):
        speeds: dict[str, float] = {}
        for state in ("closed", "open") if number % 2 == 0 else ("open", "closed"):
            stir()
            process = open_window() if state == "open" else None
            before_s, begun = taken_s(process), time.monotonic()
            try:
                speeds[state] = benchmark(mode, arguments.threads)
                if process is not None:
                    busy.append((taken_s(process) - before_s) / (time.monotonic() - begun))
            finally:
                if process is not None:
                    with suppress(OSError):
                        process.communicate(timeout=10)
        ratios.append(speeds["open"] / speeds["closed"])
        both = f"window closed {speeds['closed']:.2f}, open {speeds['open']:.2f} tokens/s"
        print(f"{both}: ratio {ratios[-1]:.4f}; it took {busy[-1]:.2%} of a core", flush=True)
    if ratios:
        middle = statistics.median(ratios)
        print(f"median ratio {middle:.4f}: the open window takes {100 * (1 - middle):.2f} % (aim: 2 %)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
