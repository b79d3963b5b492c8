"""Whether a rehearsal says what the model then does: stand-ins of a few layers against the whole files, by turns.

    python -m tests.benchmarks.rehearsal [--only NAME] [--rounds 3] [--folder FOLDER] [--mixtures]

Each case is rehearsed from its shape and recipe alone, then the whole file is measured with the same tests, in every
round; medians over the rounds are compared. The files have random weights (about 14 GB in FOLDER, and 16 GB more for
gpt-oss-20b, which is run when named), but for the sample, which is the real one. Every round is kept in FOLDER as soon
as it is done: begun again, it goes on where it was stopped. Then the large mixtures of the catalogue are rehearsed once
each for the time that it takes; ``--mixtures`` does only that. Aims: 5 % in the median, 10 % at worst, 20 s for a
rehearsal. Prints the tables of docs/accuracy.md.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.engines.engine import Listening
from advisor.benchmarks.job import Job, Placement, PlannedTest
from advisor.benchmarks.model import TestSpec
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
from tests.support.engine_mode import engine_mode
from tests.support.sample import sample_path

AIM_MEDIAN, AIM_WORST, AIM_S = 0.05, 0.10, 20.0
DENSE = Shape("llama", 16, 2048, 16, 4, 128, 4096, 32000, 8192)
MIXTURE = Shape(
    "qwen3moe", 32, 1024, 16, 4, 64, 0, 32000, 8192, experts=32, experts_used=4, expert_feed_forward=768
)
WORK = custom(prompt=1024, answer=200, shared=0, users=1, comfort=preset("chat").comfort)


ROUND_S = 75.0
"""Of one case, about: a rehearsal, and the whole file with the same tests."""
WRITING_BYTES_PER_S = 0.5e9
MIXTURES = (
    ("LFM2-8B-A1B", "Q4_K_M"), ("DeepSeek-V2-Lite", "Q4_K_M"), ("ERNIE-4.5-21B-A3B", "Q4_K_M"),
    ("gpt-oss-20b", "MXFP4"), ("Qwen3-30B-A3B", "Q4_K_M"), ("GLM-4.7-Flash", "Q4_K_M"),
    ("Gemma-4-26B-A4B", "Q4_K_M"), ("Granite-4.0-H-Small", "Q4_K_M"), ("Qwen3.5-35B-A3B", "Q4_K_M"),
)  # fmt: skip
"""Those of the catalogue whose files fit 24 GB."""
ONLY_WHEN_NAMED = frozenset({"gpt-oss-20b MXFP4"})


@dataclass(frozen=True)
class Case:
    """A shape and a recipe, and the file that they are held against."""

    name: str
    candidate: Candidate
    real: Path | None = None


@dataclass(frozen=True)
class Round:
    """One rehearsal of a case beside the whole file: kind of test -> tokens per second."""

    name: str
    layers: str
    took_s: float
    predicted: dict[str, float]
    measured: dict[str, float]


def cases() -> list[Case]:
    sample = find("Gemma-3-270M")
    small, usual, hybrid = find("Llama-3.2-3B"), find("Llama-3.1-8B"), find("Granite-4.0-H-Tiny")
    large = find("gpt-oss-20b")
    return [
        Case("sample", of_shape(sample.name, sample.shape, "Q4_K_M", ""), sample_path()),
        Case("dense F16", of_shape("dense", DENSE, "F16", "")),
        Case("dense Q4_K_M", of_shape(small.name, small.shape, "Q4_K_M", "")),
        Case("experts Q4_K_M", of_shape("mixture", MIXTURE, "Q4_K_M", "")),
        Case("8B Q4_K_M", of_shape(usual.name, usual.shape, "Q4_K_M", "")),
        Case("hybrid Q4_K_M", of_shape(hybrid.name, hybrid.shape, "Q4_K_M", "")),
        Case("gpt-oss-20b MXFP4", of_shape(large.name, large.shape, "MXFP4", "")),
    ]


def file_of(case: Case, folder: Path) -> Path:
    return case.real or folder / f"{case.name.replace(' ', '-').lower()}.gguf"


def whole(case: Case, folder: Path) -> ModelFacts:
    """The whole file, written when it is not there."""
    path = file_of(case, folder)
    if not path.exists():
        begun = path.with_suffix(".part")
        stand_in.write(case.candidate.plan, begun, CancelToken()).rename(path)
    return read_model(path)


def measure(facts: ModelFacts, specs: Sequence[TestSpec], pipeline: Pipeline) -> dict[str, float]:
    """The whole file's speeds, in the mode that the product runs the engine in."""
    tests = tuple(PlannedTest(spec, planning.REPEAT, 5.0, 5.0) for spec in specs)
    job = Job(facts.engine_file, tests, engine_mode(), Placement(), "CPU", "")
    silent = Listening(lambda _: None, lambda _: None, lambda _p, _s: None, lambda _: None)
    power = pipeline.read_machine().power
    done = EmbeddedEngine().measure(job, Limits(300, 900), power, silent, CancelToken())
    if done.error is not None:
        raise SystemExit(f"{facts.name}: {done.error}")
    return {test.test: planning.settled(test).tokens_per_s for test in done.tests}


def run_round(case: Case, facts: ModelFacts, pipeline: Pipeline) -> Round:
    cancel = CancelToken()
    engine = pipeline.read_engine(cancel)
    assert isinstance(engine, Known), engine
    done = pipeline.rehearse(case.candidate, WORK, pipeline.read_machine(), engine, lambda _: None, cancel)
    real = measure(facts, [each.test.spec for each in done.tests], pipeline)
    layers = f"{done.small_layers}, {done.large_layers} of {done.layers}" if done.small_layers else "all"
    found = Round(case.name, layers, done.took_s, {}, {})
    for each in done.tests:
        kind = f"{each.test.phase}{' in depth' if each.test.n_depth else ''}"
        found.predicted[kind], found.measured[kind] = each.test.tokens_per_s, real[each.test.test]
        print(
            f"  {case.name:15} {each.test.test:16} {each.test.tokens_per_s:9.2f} {real[each.test.test]:9.2f} "
            f"{each.test.tokens_per_s / real[each.test.test] - 1:+7.1%}  factor {each.factor:5.2f}  "
            f"{done.rounds} rounds, {done.took_s:.1f} s",
            flush=True,
        )
    return found


def conclude(rounds: Sequence[Round]) -> int:
    print("\n| model | layers measured | test | rehearsed | measured | difference | takes |")
    print("|---|---|---|---|---|---|---|")
    errors: dict[str, list[float]] = {"decode": [], "prefill": []}
    names = list(dict.fromkeys(each.name for each in rounds))
    longest = {name: max(each.took_s for each in rounds if each.name == name) for name in names}
    for name in names:
        held = [each for each in rounds if each.name == name]
        for kind in dict.fromkeys(kind for each in held for kind in each.predicted):
            there = [each for each in held if kind in each.predicted]
            said = median([each.predicted[kind] for each in there])
            real = median([each.measured[kind] for each in there])
            errors[kind.split()[0]].append(abs(said / real - 1))
            print(
                f"| {name} | {held[-1].layers} | {kind} | {said:.1f} | {real:.1f} tokens/s | {said / real - 1:+.1%} | "
                f"{median([each.took_s for each in held]):.1f} s |"
            )
    missed = [
        f"{phase}: median {median(found):.1%}, worst {max(found):.1%}"
        for phase, found in errors.items()
        if found and (median(found) > AIM_MEDIAN or max(found) > AIM_WORST)
    ]
    missed += [f"{name} took {seconds:.1f} s" for name, seconds in longest.items() if seconds > AIM_S]
    for phase, found in errors.items():
        if found:
            print(f"\n{phase}: median {median(found):.1%}, worst {max(found):.1%}")
    for line in missed:
        print(f"MISSED {line}")
    return 1 if missed else 0


def large_mixtures(pipeline: Pipeline) -> int:
    """How long the rehearsals of large mixtures take."""
    cancel, late = CancelToken(), 0
    print("\n| mixture | file | layers measured | scratch | rounds | takes |\n|---|---|---|---|---|---|")
    engine = pipeline.read_engine(cancel)
    for name, recipe in MIXTURES:
        model = find(name)
        candidate = of_shape(name, model.shape, recipe, "")
        done = pipeline.rehearse(candidate, WORK, pipeline.read_machine(), engine, lambda _: None, cancel)
        late += done.took_s > AIM_S
        print(
            f"| {name} {recipe} | {candidate.facts.file_bytes / 1e9:.1f} GB | {done.small_layers}, {done.large_layers} "
            f"of {done.layers} | {done.scratch_bytes / 1e9:.1f} GB | {done.rounds} | {done.took_s:.1f} s |",
            flush=True,
        )
    return 1 if late else 0


def expected_s(held: Sequence[Case], rounds: int, done: Sequence[Round], folder: Path) -> float:
    """Seconds of what is left, about."""
    left = sum(max(0, rounds - sum(each.name == case.name for each in done)) for case in held)
    missing = [case for case in held if not file_of(case, folder).exists()]
    written = sum(case.candidate.facts.file_bytes for case in missing)
    return left * ROUND_S + written / WRITING_BYTES_PER_S + len(MIXTURES) * AIM_S


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "two-machines-rehearsals")
    parser.add_argument("--mixtures", action="store_true", help="only the times of large mixtures")
    asked = parser.parse_args(argv)
    pipeline = Pipeline()
    if asked.mixtures:
        return large_mixtures(pipeline)
    named = asked.only or [case.name for case in cases() if case.name not in ONLY_WHEN_NAMED]
    held = [case for case in cases() if case.name in named]
    asked.folder.mkdir(parents=True, exist_ok=True)
    record = asked.folder / "rounds.jsonl"
    lines = record.read_text().splitlines() if record.exists() else []
    done = [each for each in (Round(**json.loads(line)) for line in lines) if each.name in named]
    minutes = expected_s(held, asked.rounds, done, asked.folder) / 60
    print(f"About {minutes:.0f} minutes; {len(done)} rounds are there already ({record}).", flush=True)
    begun_s = time.monotonic()
    for number in range(asked.rounds):
        for case in held:
            if sum(each.name == case.name for each in done) > number:
                continue
            done.append(run_round(case, whole(case, asked.folder), pipeline))
            with record.open("a") as out:
                out.write(json.dumps(vars(done[-1])) + "\n")
    print(f"The rounds took {(time.monotonic() - begun_s) / 60:.0f} minutes; {asked.folder} may be removed.")
    late = large_mixtures(pipeline) if not asked.only else 0
    return conclude(done) or late


if __name__ == "__main__":
    sys.exit(main())
