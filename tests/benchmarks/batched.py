"""``sweep batch``'s measurement against llama-batched-bench's, interleaved A B A B in one run.

    python tests/benchmarks/batched.py --batched-bench PATH/TO/llama-batched-bench [--safe] [MODEL]

Build llama-batched-bench from the source that the installed llama-cpp-python vendors and link it with the native
libraries of that package, so that only the loops differ. What it does otherwise is made equal: no prompt (``-npp 0``,
an empty cache), a context of 256 cells a stream (the least that llama.cpp allocates, and what ours comes to), a cache
for each stream, windows not in full, flash attention ``auto``. Its warm-up is one batch of 16 tokens; ours goes on
until two runs agree, so that its first run of a process is thrown away. It draws tokens inside its clock.
``--safe`` runs both without the engine's extra buffers, for machines where those crash.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Listening
from advisor.benchmarks.job import Job, Placement
from advisor.benchmarks.model import EngineMode, Sweep
from advisor.benchmarks.planning import BenchSettings, sweep_plan
from advisor.benchmarks.supervisor import Limits
from advisor.core.evidence import Unknown
from advisor.core.progress import CancelToken
from advisor.core.stats import median, median_interval
from advisor.gguf.architecture import read_model
from advisor.gguf.model import ModelFacts
from advisor.hardware.detect import read_machine
from advisor.hardware.model import Machine
from tests.support.sample import sample_path

CELLS = 256


def ours(model: ModelFacts, machine: Machine, settings: BenchSettings, safe: bool, streams: int) -> list[float]:
    plan = sweep_plan(model, machine, Unknown("not asked"), settings, Sweep.BATCH, streams=(streams,))
    tests = tuple(test for test in plan.tests if test.spec.n_gen and test.spec.n_streams == streams)
    mode = EngineMode.NO_EXTRA_BUFFERS if safe else EngineMode.DEFAULT
    job = Job(model.engine_file, tests, mode, Placement(), "CPU", "ours")
    silent = Listening(lambda _: None, lambda _: None, lambda _p, _s: None, lambda _: None)
    measured = EmbeddedEngine().measure(job, Limits(300, 900), machine.power, silent, CancelToken())
    if measured.error is not None:
        raise SystemExit(f"{streams} streams: {measured.error}")
    return list(measured.tests[0].samples_tokens_per_s)


def theirs(program: Path, model: Path, settings: BenchSettings, safe: bool, n_gen: int, streams: int) -> list[float]:
    runs = ",".join([str(streams)] * (settings.repetitions + 1))
    command = [
        str(program), "-m", str(model), "-c", str(CELLS * streams), "-npp", "0", "-ntg", str(n_gen), "-npl", runs,
        "-t", str(settings.n_threads), "--output-format", "jsonl", *(["--no-repack"] if safe else []),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # Without a prompt its speed of reading is 0 / 0, which C writes as "-nan".
    lines = [re.sub(r"-?\bnan\b", "NaN", line) for line in done.stdout.splitlines() if '{"n_kv_max"' in line]
    rows = [json.loads(line[line.index("{"):]) for line in lines]
    if done.returncode or len(rows) < 2:
        raise SystemExit(f"llama-batched-bench failed ({done.returncode}): {done.stderr[-500:]}")
    return [row["pl"] * row["tg"] / row["t_tg"] for row in rows[1:]]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", type=Path, help="a GGUF file (the sample)")
    parser.add_argument("--batched-bench", type=Path, required=True, metavar="PATH")
    parser.add_argument("--safe", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--streams", type=int, nargs="+", default=[1, 2, 4, 8])
    arguments = parser.parse_args(argv)
    machine, model = read_machine(), read_model(arguments.model or sample_path())
    settings = BenchSettings(repetitions=arguments.repetitions, n_threads=machine.cpu.usable_threads)
    plan = sweep_plan(model, machine, Unknown("not asked"), settings, Sweep.BATCH, streams=(2,))
    n_gen = plan.tests[-1].spec.n_gen
    for streams in arguments.streams:
        mine = partial(ours, model, machine, settings, arguments.safe, streams)
        other = partial(theirs, arguments.batched_bench, model.path, settings, arguments.safe, n_gen, streams)
        a: list[float] = []
        b: list[float] = []
        ratios: list[float] = []
        for index in range(arguments.rounds):
            if index % 2:
                there, here = other(), mine()
            else:
                here, there = mine(), other()
            a, b = a + here, b + there
            ratios.append(median(here) / median(there))
        low, high = median_interval(ratios) or (min(ratios), max(ratios))
        print(
            f"{streams:3} streams: ours {median(a):7.2f}, llama-batched-bench {median(b):7.2f} tokens/s; fastest "
            f"{max(a):7.2f} and {max(b):7.2f}; bias {100 * (median(ratios) - 1):+5.1f} % "
            f"({100 * (low - 1):+.1f} to {100 * (high - 1):+.1f})",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
