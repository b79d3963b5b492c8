"""Whether a rehearsal says what the model then does: stand-ins of a few layers against the whole files, by turns.

    python -m tests.benchmarks.rehearsal [--only NAME] [--rounds 3] [--folder FOLDER] [--write-only]

Each case is rehearsed from its shape and recipe alone, then the whole file is measured with the same tests, in every
round; medians over the rounds are compared. The files have random weights (about 10 GB in FOLDER), but for the sample,
which is the real one. Aims: 5 % in the median, 10 % at worst, 20 s for a rehearsal. Prints the table of
docs/accuracy.md.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Listening
from advisor.benchmarks.job import Job, Placement, PlannedTest
from advisor.benchmarks.model import EngineMode, TestSpec
from advisor.benchmarks.supervisor import Limits
from advisor.core.evidence import Known
from advisor.core.progress import CancelToken
from advisor.core.stats import median
from advisor.diagnosis.workload import custom, preset
from advisor.gguf.architecture import read_model
from advisor.gguf.model import ModelFacts
from advisor.rehearsal import planning, stand_in
from advisor.rehearsal.candidates import of_shape
from advisor.rehearsal.catalogue import find
from advisor.rehearsal.model import Candidate
from advisor.rehearsal.shape import Shape
from advisor.session.pipeline import Pipeline
from tests.support.sample import sample_path

AIM_MEDIAN, AIM_WORST, AIM_S = 0.05, 0.10, 20.0
DENSE = Shape("llama", 16, 2048, 16, 4, 128, 4096, 32000, 8192)
MIXTURE = Shape(
    "qwen3moe", 32, 1024, 16, 4, 64, 0, 32000, 8192, experts=32, experts_used=4, expert_feed_forward=768
)
WORK = custom(prompt=1024, answer=200, shared=0, users=1, comfort=preset("chat").comfort)


@dataclass
class Case:
    """A shape and a recipe, and the file that they are held against."""

    name: str
    candidate: Candidate
    real: Path | None = None
    predicted: dict[str, list[float]] = field(default_factory=dict)
    measured: dict[str, list[float]] = field(default_factory=dict)
    took_s: list[float] = field(default_factory=list)
    layers: str = ""


def cases() -> list[Case]:
    sample = find("Gemma-3-270M")
    small, usual = find("Llama-3.2-3B"), find("Llama-3.1-8B")
    return [
        Case("sample", of_shape(sample.name, sample.shape, "Q4_K_M", ""), sample_path()),
        Case("dense F16", of_shape("dense", DENSE, "F16", "")),
        Case("dense Q4_K_M", of_shape(small.name, small.shape, "Q4_K_M", "")),
        Case("experts Q4_K_M", of_shape("mixture", MIXTURE, "Q4_K_M", "")),
        Case("8B Q4_K_M", of_shape(usual.name, usual.shape, "Q4_K_M", "")),
    ]


def whole(case: Case, folder: Path) -> ModelFacts:
    """The whole file, written when it is not there."""
    if case.real is not None:
        return read_model(case.real)
    path = folder / f"{case.name.replace(' ', '-').lower()}.gguf"
    if not path.exists():
        stand_in.write(case.candidate.plan, path, CancelToken())
    return read_model(path)


def measure(facts: ModelFacts, specs: Sequence[TestSpec], pipeline: Pipeline) -> dict[str, float]:
    """The whole file's speeds, in the engine's default mode."""
    tests = tuple(PlannedTest(spec, planning.REPEAT, 5.0, 5.0) for spec in specs)
    job = Job(facts.engine_file, tests, EngineMode.DEFAULT, Placement(), "CPU", "")
    silent = Listening(lambda _: None, lambda _: None, lambda _p, _s: None, lambda _: None)
    power = pipeline.read_machine().power
    done = EmbeddedEngine().measure(job, Limits(300, 900), power, silent, CancelToken())
    if done.error is not None:
        raise SystemExit(f"{facts.name}: {done.error}")
    return {test.test: test.tokens_per_s for test in done.tests}


def run_round(case: Case, facts: ModelFacts, pipeline: Pipeline) -> None:
    cancel = CancelToken()
    engine = pipeline.read_engine(cancel)
    assert isinstance(engine, Known), engine
    done = pipeline.rehearse(case.candidate, WORK, pipeline.read_machine(), engine, lambda _: None, cancel)
    real = measure(facts, [each.test.spec for each in done.tests], pipeline)
    case.took_s.append(done.took_s)
    case.layers = f"{done.small_layers}, {done.large_layers} of {done.layers}"
    for each in done.tests:
        kind = f"{each.test.phase}{' in depth' if each.test.n_depth else ''}"
        case.predicted.setdefault(kind, []).append(each.test.tokens_per_s)
        case.measured.setdefault(kind, []).append(real[each.test.test])
        print(
            f"  {case.name:15} {each.test.test:16} {each.test.tokens_per_s:9.2f} {real[each.test.test]:9.2f} "
            f"{each.test.tokens_per_s / real[each.test.test] - 1:+7.1%}  factor {each.factor:5.2f}  "
            f"{done.rounds} rounds, {done.took_s:.1f} s",
            flush=True,
        )


def conclude(held: Sequence[Case]) -> int:
    print("\n| model | layers measured | test | rehearsed | measured | difference | takes |")
    print("|---|---|---|---|---|---|---|")
    errors: dict[str, list[float]] = {"decode": [], "prefill": []}
    for case in held:
        for kind, values in case.predicted.items():
            said, real = median(values), median(case.measured[kind])
            errors[kind.split()[0]].append(abs(said / real - 1))
            print(
                f"| {case.name} | {case.layers} | {kind} | {said:.1f} | {real:.1f} tokens/s | {said / real - 1:+.1%} | "
                f"{median(case.took_s):.1f} s |"
            )
    missed = [
        f"{phase}: median {median(found):.1%}, worst {max(found):.1%}"
        for phase, found in errors.items()
        if found and (median(found) > AIM_MEDIAN or max(found) > AIM_WORST)
    ]
    missed += [f"{case.name} took {max(case.took_s):.1f} s" for case in held if max(case.took_s) > AIM_S]
    for phase, found in errors.items():
        if found:
            print(f"\n{phase}: median {median(found):.1%}, worst {max(found):.1%}")
    for line in missed:
        print(f"MISSED {line}")
    return 1 if missed else 0


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--write-only", action="store_true")
    asked = parser.parse_args(argv)
    held = [case for case in cases() if not asked.only or case.name in asked.only]
    with tempfile.TemporaryDirectory() as made:
        folder = asked.folder or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        facts = {case.name: whole(case, folder) for case in held}
        if asked.write_only:
            return 0
        pipeline = Pipeline()
        for _ in range(asked.rounds):
            for case in held:
                run_round(case, facts[case.name], pipeline)
    return conclude(held)


if __name__ == "__main__":
    sys.exit(main())
