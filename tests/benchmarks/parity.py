"""Our prefill and decode against llama-bench's, interleaved A B A B in one run.

    python tests/benchmarks/parity.py --llama-bench PATH/TO/llama-bench [--python OTHER/bin/python] [MODEL]

Build llama-bench from the source that the installed llama-cpp-python vendors. It is run with the native libraries of
the installed llama-cpp-python (``--own-libraries`` leaves it its own), so that only the loops differ: two builds of the
same source were seen 5 % apart. Who goes first changes from round to round. The bias is the median of the rounds'
ratios with its interval (for fewer than six rounds their whole range). Figures wander by 10 to 40 % on shared
machines, so only ratios of neighbours in one run mean anything; the fastest repetitions, which nothing disturbed, are
compared as well.

Between two runs the machine's free memory is stirred (``stirring.py`` says why).

``--hosted`` runs llama-bench's own code inside a Python process (newer builds keep it in ``libllama-bench-impl.so``
beside the program), so that both loops live in the same kind of process.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from advisor.benchmarks.engines.choosing import engine_from
from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Engine, Listening
from advisor.benchmarks.job import Job, Placement
from advisor.benchmarks.model import EngineMode
from advisor.benchmarks.planning import BenchSettings, two_phases
from advisor.benchmarks.supervisor import Limits
from advisor.core.evidence import Unknown
from advisor.core.progress import CancelToken
from advisor.core.stats import mad, median, median_interval
from advisor.gguf.architecture import read_model
from advisor.gguf.model import ModelFacts
from advisor.hardware.detect import read_machine
from advisor.hardware.model import Machine
from tests.benchmarks.stirring import stir
from tests.support.sample import sample_path

TESTS = {"pp512": (512, 0, 0), "pp2048": (2048, 0, 0), "tg128": (0, 128, 0), "tg32@d1024": (0, 32, 1024)}


@dataclass(frozen=True)
class Case:
    settings: BenchSettings
    threads: int
    safe_mode: bool

    @property
    def name(self) -> str:
        s = self.settings
        test = f"pp{s.n_prompt}" if s.n_prompt else f"tg{s.n_gen}"
        depth = f" @ d{s.n_depth}" if s.n_depth else ""
        return f"{test}{depth}, {self.threads} threads, {'safe' if self.safe_mode else 'default'}"


def ours(engine: Engine, model: ModelFacts, case: Case, machine: Machine) -> list[float]:
    settings = replace(case.settings, n_threads=case.threads)
    plan = two_phases(model, machine, Unknown("not asked"), settings)
    mode = EngineMode.NO_EXTRA_BUFFERS if case.safe_mode else EngineMode.DEFAULT
    job = Job(model.engine_file, plan.tests, mode, Placement(), "CPU", "ours")
    silent = Listening(lambda _: None, lambda _: None, lambda _p, _s: None, lambda _: None)
    measured = engine.measure(job, Limits(300, 900), machine.power, silent, CancelToken())
    if measured.error is not None:
        raise SystemExit(f"{case.name}: {measured.error}")
    return list(measured.tests[0].samples_tokens_per_s)


HOST = """
import ctypes, sys
words = [word.encode() for word in sys.argv[1:]]
ctypes.CDLL(sys.argv[1])._Z11llama_benchiPPc(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None))
"""
"""Calls ``int llama_bench(int, char **)`` of the library that its first argument names."""


def theirs(program: Path, libraries: str, model: Path, case: Case) -> list[float]:
    s = case.settings
    host = [sys.executable, "-c", HOST] if program.suffix == ".so" else []
    command = [
        *host, str(program), "-m", str(model), "-p", str(s.n_prompt), "-n", str(s.n_gen), "-d", str(s.n_depth),
        "-r", str(s.repetitions), "-t", str(case.threads), "-o", "jsonl",
        "--repack", "0" if case.safe_mode else "1",
    ]  # fmt: skip
    environment = dict(os.environ)
    if libraries:
        for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
            environment[name] = os.pathsep.join(filter(None, (libraries, environment.get(name))))
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not rows:
        raise SystemExit(f"llama-bench failed ({done.returncode}): {done.stderr[-500:]}")
    return [float(speed) for speed in rows[0]["samples_ts"]]


def compare(case: Case, rounds: int, mine: Callable[[], list[float]], other: Callable[[], list[float]]) -> None:
    a: list[float] = []
    b: list[float] = []
    ratios: list[float] = []
    for index in range(rounds):
        taken: dict[bool, list[float]] = {}
        for first in (index % 2 == 0, index % 2 == 1):
            stir()
            taken[first] = mine() if first else other()
        here, there = taken[True], taken[False]
        a += here
        b += there
        ratios.append(median(here) / median(there))
        print(f"  round {index + 1}: {median(here):.1f} / {median(there):.1f}", file=sys.stderr, flush=True)
    low, high = median_interval(ratios) or (min(ratios), max(ratios))
    print(
        f"{case.name:32} ours {median(a):8.2f} ± {mad(a) or 0:5.2f}   llama-bench {median(b):8.2f} ± {mad(b) or 0:5.2f}"
        f"   ratio of medians {median(a) / median(b):6.4f}, of the fastest {max(a) / max(b):6.4f}"
        f"   bias {100 * (median(ratios) - 1):+5.1f} % "
        f"({100 * (low - 1):+.1f} to {100 * (high - 1):+.1f})",
        flush=True,
    )


def libraries_of(python: str) -> str:
    """The folder of native libraries of the llama_cpp of an interpreter, found without loading it."""
    code = "import importlib.util as u; print(next(iter(u.find_spec('llama_cpp').submodule_search_locations)))"
    return str(Path(subprocess.check_output([python, "-c", code], text=True).strip()) / "lib")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", type=Path, help="a GGUF file (the sample)")
    parser.add_argument("--llama-bench", type=Path, required=True, metavar="PATH")
    parser.add_argument(
        "--own-libraries", action="store_true", help="let llama-bench use the libraries it was built with"
    )
    parser.add_argument("--hosted", action="store_true", help="llama-bench's code in a Python process, as ours is")
    parser.add_argument("--python", help="measure with the llama_cpp of another Python (this one's)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--threads", type=int, nargs="+")
    parser.add_argument("--modes", nargs="+", choices=("default", "safe"), default=["default"])
    parser.add_argument("--tests", nargs="+", choices=TESTS, default=list(TESTS))
    arguments = parser.parse_args(argv)
    machine = read_machine()
    model = read_model(arguments.model or sample_path())
    engine = engine_from(arguments.python) if arguments.python else EmbeddedEngine()
    program = arguments.llama_bench
    if arguments.hosted:
        program = program.with_name("libllama-bench-impl.so")
    libraries = "" if arguments.own_libraries else libraries_of(arguments.python or sys.executable)
    for mode in arguments.modes:
        for threads in arguments.threads or [machine.cpu.usable_threads]:
            for name in arguments.tests:
                n_prompt, n_gen, n_depth = TESTS[name]
                settings = BenchSettings(n_prompt, n_gen, n_depth, repetitions=arguments.repetitions)
                case = Case(settings, threads, mode == "safe")
                compare(
                    case,
                    arguments.rounds,
                    partial(ours, engine, model, case, machine),
                    partial(theirs, program, libraries, model.path, case),
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
