"""Our prefill and decode against llama-bench's, interleaved A B A B in one run.

    python tests/benchmarks/parity.py --llama-bench PATH/TO/llama-bench [MODEL]

Build llama-bench from the source that the installed llama-cpp-python vendors. It is run with the native libraries of
the installed llama-cpp-python (``--own-libraries`` leaves it its own), so that only the loops differ: two builds of the
same source were seen 5 % apart. Figures wander by 10 to 40 % on shared machines, so only ratios of neighbours in one
run mean anything.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Listening
from advisor.benchmarks.job import Job, Placement
from advisor.benchmarks.model import EngineMode
from advisor.benchmarks.planning import BenchSettings, two_phases
from advisor.benchmarks.supervisor import Limits
from advisor.core.evidence import Unknown
from advisor.core.progress import CancelToken
from advisor.core.stats import mad, median
from advisor.gguf.architecture import read_model
from advisor.gguf.model import ModelFacts
from advisor.hardware.detect import read_machine
from advisor.hardware.model import Machine
from tests.support.sample import sample_path


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


def ours(model: ModelFacts, case: Case, machine: Machine) -> list[float]:
    settings = replace(case.settings, n_threads=case.threads)
    plan = two_phases(model, machine, Unknown("not asked"), settings)
    mode = EngineMode.NO_EXTRA_BUFFERS if case.safe_mode else EngineMode.DEFAULT
    job = Job(model.engine_file, plan.tests, mode, Placement(), "CPU", "ours")
    silent = Listening(lambda _: None, lambda _: None, lambda _p, _s: None, lambda _: None)
    measured = EmbeddedEngine().measure(job, Limits(300, 900), machine.power, silent, CancelToken())
    if measured.error is not None:
        raise SystemExit(f"{case.name}: {measured.error}")
    return list(measured.tests[0].samples_tokens_per_s)


def theirs(program: Path, model: Path, case: Case, own_libraries: bool) -> list[float]:
    s = case.settings
    command = [
        str(program), "-m", str(model), "-p", str(s.n_prompt), "-n", str(s.n_gen), "-d", str(s.n_depth),
        "-r", str(s.repetitions), "-t", str(case.threads), "-o", "jsonl",
        "--repack", "0" if case.safe_mode else "1",
    ]  # fmt: skip
    environment = dict(os.environ)
    if not own_libraries:
        spec = importlib.util.find_spec("llama_cpp")
        assert spec is not None and spec.submodule_search_locations
        folder = str(Path(next(iter(spec.submodule_search_locations))) / "lib")
        for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
            environment[name] = os.pathsep.join(filter(None, (folder, environment.get(name))))
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not rows:
        raise SystemExit(f"llama-bench failed ({done.returncode}): {done.stderr[-500:]}")
    return [float(speed) for speed in rows[0]["samples_ts"]]


def compare(model: ModelFacts, program: Path, case: Case, rounds: int, machine: Machine, own_libraries: bool) -> None:
    a: list[float] = []
    b: list[float] = []
    ratios: list[float] = []
    for _ in range(rounds):
        mine, other = ours(model, case, machine), theirs(program, model.path, case, own_libraries)
        a += mine
        b += other
        ratios.append(median(mine) / median(other))
    rounds_text = f"{min(ratios):.3f} .. {median(ratios):.3f} .. {max(ratios):.3f}"
    print(
        f"{case.name:32} ours {median(a):8.2f} ± {mad(a) or 0:5.2f}   llama-bench {median(b):8.2f} ± {mad(b) or 0:5.2f}"
        f"   ratio {median(a) / median(b):6.4f}   by round {rounds_text}",
        flush=True,
    )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", type=Path, help="a GGUF file (the sample)")
    parser.add_argument("--llama-bench", type=Path, required=True, metavar="PATH")
    parser.add_argument(
        "--own-libraries", action="store_true", help="let llama-bench use the libraries it was built with"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+")
    parser.add_argument("--modes", nargs="+", choices=("default", "safe"), default=["default"])
    arguments = parser.parse_args(argv)
    machine = read_machine()
    model = read_model(arguments.model or sample_path())
    for mode in arguments.modes:
        for threads in arguments.threads or [machine.cpu.usable_threads]:
            for n_prompt, n_gen in ((512, 0), (0, 128)):
                settings = BenchSettings(n_prompt=n_prompt, n_gen=n_gen, repetitions=arguments.repetitions)
                case = Case(settings, threads, mode == "safe")
                compare(model, arguments.llama_bench, case, arguments.rounds, machine, arguments.own_libraries)
    return 0


if __name__ == "__main__":
    sys.exit(main())
