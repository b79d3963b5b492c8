"""Whether quantising, its quality and its speed are what llama.cpp's own tools say.

    python -m tests.benchmarks.quantise --llama-tools FOLDER [--folder FOLDER] [--chunks 8] [--only NAME]

FOLDER holds ``llama-quantize`` and ``llama-perplexity`` of the engine's llama.cpp. On a model with random weights and
on the sample's own requantisation it makes each file twice and compares them byte by byte, compares what both programs
say of the divergence, and holds the speed that the kernel table predicts against the measured one, files by turns.
All of it runs in the mode that the engine's self-test chooses.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Listening
from advisor.benchmarks.job import Job, Placement
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import EngineMode, Phase
from advisor.benchmarks.planning import BenchSettings, two_phases
from advisor.benchmarks.probing import ceilings_request
from advisor.benchmarks.quantising import TEXT, Comparing, Quantising, compare, quantise
from advisor.benchmarks.supervisor import Limits
from advisor.ceilings.kernels import KernelTable
from advisor.ceilings.predict import decode_step, prefill
from advisor.ceilings.quantised import is_original, quantised
from advisor.core.evidence import Known, Unknown
from advisor.core.progress import CancelToken
from advisor.core.stats import median
from advisor.gguf.architecture import read_model
from advisor.gguf.model import ModelFacts
from advisor.gguf.quant_types import BY_NAME
from advisor.hardware.detect import read_machine
from tests.benchmarks.random_models import Recipe, write
from tests.support.engine_mode import engine_mode
from tests.support.sample import sample_path

MODEL = Recipe("random-f16", "F16", layers=8, embed=1024, heads=16, kv_heads=4, ff=4096, vocab=8000, reads_text=True)
ROUNDS = 5
TABLE_TYPES = ("Q8_0", "Q4_K", "Q6_K", "Q5_0", "F16")
TIMES = Limits(900, 3600)


@dataclass(frozen=True)
class Said:
    """What one program says of two files: divergence with its error, same top token, both perplexities."""

    kld: float
    error: float
    top: float
    before: float
    after: float

    def __str__(self) -> str:
        return f"{self.kld:.6f} ± {self.error:.6f} | {self.top:.2%} | {self.before:.3f}, {self.after:.3f}"


@dataclass(frozen=True)
class Tools:
    """llama.cpp's programs, and how much text they read."""

    folder: Path
    chunks: int
    threads: int
    mode: EngineMode

    def make(self, source: Path, target: Path, label: str) -> None:
        self._run("llama-quantize", "--allow-requantize", str(source), str(target), label, str(self.threads))

    def compare(self, source: Path, made: Path, folder: Path) -> Said:
        base = folder / "base"
        with as_file(files("resources").joinpath("texts").joinpath(TEXT)) as text:
            common = ["-t", str(self.threads), "--kl-divergence-base", str(base)]
            if self.mode is not EngineMode.DEFAULT:
                common.append("--no-repack")
            self._run("llama-perplexity", "-m", str(source), "-f", str(text), "--chunks", str(self.chunks), *common)
            told = self._run("llama-perplexity", "-m", str(made), "--kl-divergence", *common)
        base.unlink()
        kld, error = _figures(told, r"Mean +KLD: +([-\d.]+) ± +([\d.]+)")
        after, before = _figures(told, r"Mean PPL\(Q\) +: +([\d.]+).*?Mean PPL\(base\) +: +([\d.]+)")
        (top,) = _figures(told, r"Same top p: +([\d.]+)")
        return Said(kld, error, top / 100, before, after)

    def _run(self, name: str, *words: str) -> str:
        environment = os.environ | {"LD_LIBRARY_PATH": str(self.folder)}
        command = [str(self.folder / name), *words]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        return done.stdout + done.stderr


def _figures(text: str, pattern: str) -> list[float]:
    found = re.search(pattern, text, re.DOTALL)
    if found is None:
        raise SystemExit(f"llama-perplexity did not say {pattern}")
    return [float(figure) for figure in found.groups()]


def _ours(source: ModelFacts, made: Path, folder: Path, tools: Tools) -> Said:
    row_bytes = 255 * (8 + 2 * (source.vocabulary.or_none() or 1))
    job = Comparing(
        (source.engine_file, made), folder / "answers", tools.threads, budget_s=1e6,
        store_bytes=tools.chunks * row_bytes, extra_buffers=tools.mode is EngineMode.DEFAULT,
    )
    found = compare(job, Launch(), lambda _fraction: None, CancelToken())
    if isinstance(found, Unknown):
        raise SystemExit(found.reason)
    held = found.value
    return Said(held.mean_kld, held.kld_error, held.same_top, held.perplexity_before, held.perplexity_after)


def _speeds(engine: EmbeddedEngine, models: Sequence[ModelFacts], tools: Tools) -> list[dict[Phase, float]]:
    """Medians of tokens/s, the files by turns."""
    machine = read_machine()
    silent = Listening(lambda _: None, lambda _: None, lambda _p, _s: None, lambda _: None)
    found: list[dict[Phase, list[float]]] = [{phase: [] for phase in Phase} for _ in models]
    settings = BenchSettings(n_prompt=512, n_gen=48, repetitions=1, n_threads=tools.threads)
    for turn in range(ROUNDS):
        order = range(len(models)) if turn % 2 == 0 else reversed(range(len(models)))
        for index in order:
            plan = two_phases(models[index], machine, Unknown("not asked"), settings)
            job = Job(models[index].engine_file, plan.tests, tools.mode, Placement(), "CPU", "")
            done = engine.measure(job, TIMES, machine.power, silent, CancelToken())
            if done.error is not None:
                raise SystemExit(str(done.error))
            for row in done.tests:
                found[index][row.phase].append(row.tokens_per_s)
    return [{phase: median(values) for phase, values in each.items()} for each in found]


def _predicted(source: ModelFacts, label: str, table: KernelTable, phase: Phase) -> float | None:
    """How many times as fast the made file should be."""
    after = quantised(source, label)
    if after is None:
        return None
    steps = [prefill(m, table) if phase is Phase.PREFILL else decode_step(m, table, 1, 24) for m in (source, after)]
    now, then = steps
    if not isinstance(now, Known) or not isinstance(then, Known):
        return None
    return now.value.total_s / then.value.total_s


def _one(engine: EmbeddedEngine, source: ModelFacts, label: str, folder: Path, tools: Tools, name: str) -> ModelFacts:
    """One step, and its lines of the tables."""
    target, theirs = folder / f"{name}-{label}.gguf", folder / "theirs.gguf"
    target.unlink(missing_ok=True)
    job = Quantising(source.engine_file, target, label, tools.threads, not is_original(source))
    quantise(job, Launch(), lambda _fraction: None, CancelToken())
    tools.make(source.engine_file, theirs, label)
    same = target.read_bytes() == theirs.read_bytes()
    theirs.unlink()
    made = read_model(target)
    forecast = quantised(source, label)
    size = "not predicted" if forecast is None else f"{forecast.weights_bytes / made.weights_bytes:.4f}"
    print(f"{name} {label}: {'the same file' if same else 'ANOTHER FILE'} as llama-quantize's, predicted size {size}")
    print(f"| {name} → {label} | ours | {_ours(source, target, folder, tools)} |")
    print(f"| | llama-perplexity | {tools.compare(source.engine_file, target, folder)} |", flush=True)
    types = [BY_NAME[type_name].id for type_name in TABLE_TYPES if type_name not in source.types]
    safe_mode = tools.mode is not EngineMode.DEFAULT
    request = ceilings_request(source, read_machine(), Unknown(""), safe_mode=safe_mode, more_types=types)
    table = engine.probe(request, lambda _: None, CancelToken()).kernels
    before, after = _speeds(engine, (source, made), tools)
    for phase in Phase:
        ratio = after[phase] / before[phase]
        expected = _predicted(source, label, table, phase)
        told = "not predicted" if expected is None else f"predicted {expected:.2f}× ({expected / ratio - 1:+.0%})"
        print(f"  {phase}: {before[phase]:.1f} → {after[phase]:.1f} tokens/s = {ratio:.2f}×, {told}", flush=True)
    return made


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llama-tools", type=Path, required=True)
    parser.add_argument("--folder", type=Path, help="where the models are written and kept (a temporary one)")
    parser.add_argument("--chunks", type=int, default=8)
    parser.add_argument("--only", default="", choices=("", "random", "sample"))
    arguments = parser.parse_args(argv)
    engine = EmbeddedEngine()
    threads = read_machine().cpu.usable_threads
    tools = Tools(arguments.llama_tools.absolute(), arguments.chunks, threads, engine_mode())
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if arguments.only != "sample":
            source = read_model(write(MODEL, folder))
            finer = _one(engine, source, "Q8_0", folder, tools, "random F16")
            _one(engine, source, "Q4_K_M", folder, tools, "random F16")
            _one(engine, finer, "Q4_K_M", folder, tools, "random Q8_0")
        if arguments.only != "random":
            finer = _one(engine, read_model(sample_path()), "Q8_0", folder, tools, "sample Q4_K_M")
            _one(engine, finer, "Q4_K_M", folder, tools, "sample Q8_0")
            _one(engine, finer, "Q2_K", folder, tools, "sample Q8_0")
    return 0


if __name__ == "__main__":
    sys.exit(main())
