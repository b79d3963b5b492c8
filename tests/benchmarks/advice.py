"""Whether advice keeps what it promises: each that can be tried here, predicted against measured.

    python -m tests.benchmarks.advice [--models sample dense mixture small ...] [--workloads rag chat ...]
        [--advice quantise ...] [--rounds 5] [--record FILE] [--folder FOLDER]

A diagnosis per model and workload (a standard plan, so that sweeps are there), then every trial that it offers, with no
record of earlier predictions. Each trial is written to the record as soon as it is made, one JSON object a line; what
stands there is not tried again, so that a run that was cut off goes on with the same command. At the end: how many
measured savings lay inside the stated range, and how far the middle was off, as a share of what the phase costs.
Meant for a quiet machine: trials whose stamp is invalid are shown and not counted, and made again by the next run.

The record holds figures of one version of the rules on one machine: take a fresh one for another.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from advisor.benchmarks.model import PlanKind
from advisor.core.errors import AdvisorError
from advisor.core.progress import CancelToken
from advisor.core.stats import median
from advisor.diagnosis.workload import PRESETS
from advisor.recommendations.model import Advice
from advisor.recommendations.tried import cost_s
from advisor.report.document import Document
from advisor.report.evidence_of import evidence_of
from advisor.session.paths import Paths
from advisor.session.pipeline import Asked, BenchSettings, Pipeline
from advisor.session.trials import Candidate
from tests.benchmarks.random_models import Recipe, write
from tests.support.sample import sample_path

RECIPES = {
    "small": Recipe("dense-0.4gb-q8_0", "Q8_0", layers=8, embed=1536, heads=12, kv_heads=4, ff=4096),
    "dense": Recipe("dense-f16", "F16", layers=16, embed=2048, heads=16, kv_heads=4, ff=4096),
    "mixture": Recipe(
        "mixture-q4_0", "Q4_0", layers=12, embed=1024, heads=16, kv_heads=4, ff=1024, experts=16, used=4
    ),
}
DEFAULT_MODELS = ("sample", "dense", "mixture")
DEFAULT_WORKLOADS = ("rag", "chat")
RECORD = Path("build") / "advice.jsonl"


@dataclass(frozen=True)
class Row:
    """One trial, predicted and measured; seconds of the advice's phase.

    Attributes:
        cost_s: what the phase costs as it is; 0 for a trial that failed.
        low_s, middle_s, high_s: predicted saving.
        worst_s, measured_s, best_s: measured saving, the median of the rounds' ratios and their interval.
        before_s, after_s: each round.
        stamp: of the trial's conditions; "failed" with the reason in ``why``.
        counts: whether its figures may be believed.
        took_s: of the whole trial.
        evidence: what the prediction rested on, as the user reads it.
    """

    model: str
    workload: str
    advice: str
    phase: str
    cost_s: float
    low_s: float
    middle_s: float
    high_s: float
    worst_s: float
    measured_s: float
    best_s: float
    before_s: tuple[float, ...]
    after_s: tuple[float, ...]
    stamp: str
    why: str
    counts: bool
    took_s: float
    evidence: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.model, self.workload, self.advice

    @property
    def held(self) -> bool:
        return self.low_s <= self.measured_s <= self.high_s

    @property
    def error(self) -> float:
        """Share of what the phase costs."""
        return abs(self.measured_s - self.middle_s) / self.cost_s

    def line(self) -> str:
        name = f"{self.model + ', ' + self.workload:20} {self.advice:16}"
        if not self.cost_s:
            return f"{name} {self.stamp}: {self.why}"
        held = "inside" if self.held else "OUTSIDE"
        return (
            f"{name} {self.phase:8} predicted {self.middle_s:7.2f} s ({self.low_s:.2f} to {self.high_s:.2f}), "
            f"measured {self.measured_s:7.2f} s ({self.worst_s:.2f} to {self.best_s:.2f}) of {self.cost_s:.2f} s, "
            f"{len(self.before_s)} rounds: {held}, {self.stamp}{', ' + self.why if self.why else ''}"
        )


@dataclass(frozen=True)
class Record:
    """The file of rows, and of the diagnoses that were made."""

    path: Path

    def rows(self) -> dict[tuple[str, str, str], Row]:
        """The newest row of each trial."""
        found = [Row(**{**held, "before_s": tuple(held["before_s"]), "after_s": tuple(held["after_s"])})
                 for held in self._lines() if "advice" in held]  # fmt: skip
        return {row.key: row for row in found}

    def offered(self, model: str, workload: str) -> list[str] | None:
        """Ids of what could be tried there; None where it was not diagnosed yet."""
        found = [held for held in self._lines() if "offered" in held]
        mine = [held["offered"] for held in found if (held["model"], held["workload"]) == (model, workload)]
        return list(mine[-1]) if mine else None

    def keep(self, held: dict[str, Any]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(held) + "\n")

    def _lines(self) -> list[dict[str, Any]]:
        if not self.path.exists():
            return []
        return [_whole(line) for line in self.path.read_text(encoding="utf-8").splitlines()]


def _whole(line: str) -> dict[str, Any]:
    """A line that was cut off while it was written counts as none."""
    try:
        return dict(json.loads(line))
    except ValueError:
        return {}


def row_of(advice: Advice, document: Document, names: tuple[str, str], took_s: float) -> Row:
    """The newest trial of the document, which answers this prediction."""
    trial, evidence = document.trials[-1], evidence_of(document)
    pair = trial.pair(advice.phase)
    if pair is None or evidence is None:
        return failed(advice, names, "; ".join(trial.notes), took_s)
    whole_s = cost_s(advice, evidence)
    low, high = pair.interval
    return Row(
        *names, advice.id, advice.phase.value, whole_s, advice.saved_s_low, advice.saved_s, advice.saved_s_high,
        whole_s * (1 - high), whole_s * (1 - pair.ratio), whole_s * (1 - low), pair.before_s, pair.after_s,
        trial.conditions.stamp.value, "; ".join(trial.conditions.because), trial.believed, took_s, advice.evidence,
    )  # fmt: skip


def failed(advice: Advice, names: tuple[str, str], why: str, took_s: float) -> Row:
    """A trial that gave nothing to compare."""
    nothing = [0.0] * 7
    return Row(*names, advice.id, advice.phase.value, *nothing, (), (), "failed", why, False, took_s, advice.evidence)


def summary(rows: Sequence[Row]) -> int:
    """Prints whether the aims were met; 0 if so."""
    counted = [row for row in rows if row.counts]
    for row in rows:
        print(row.line())
    if not counted:
        print("Nothing was compared.")
        return 1
    share, error = sum(row.held for row in counted) / len(counted), median([row.error for row in counted])
    print(
        f"{sum(row.held for row in counted)} of {len(counted)} inside ({share:.0%}); middle off by {error:.1%} of the "
        f"phase (median); {sum(row.took_s for row in rows):.0f} s of trials"
    )
    return 0 if share >= 0.8 and error <= 0.1 else 1


@dataclass(frozen=True)
class Runner:
    """Diagnoses and trials that the record lacks."""

    record: Record
    asked: Asked
    settings: BenchSettings
    wanted: Callable[[str], bool]
    folder: Path

    def run(self, model: str, workload: str) -> None:
        known = self.record.rows()
        offered = self.record.offered(model, workload)
        if offered is not None and not [one for one in offered if self._open((model, workload, one), known)]:
            return
        path = sample_path() if model == "sample" else write(RECIPES[model], self.folder)
        with tempfile.TemporaryDirectory() as temporary:  # a store of its own: no record widens the next ranges
            home = Path(temporary)
            pipeline = Pipeline(paths=Paths(home / "config", home / "data", home / "cache", home / "logs"))
            started_s = time.monotonic()
            document = pipeline.diagnose(path, PRESETS[workload], self.settings, lambda _event: None, CancelToken())
            candidates = pipeline.can_be_tried(document, self.asked)
            open_ = [one for one in candidates if self._open((model, workload, one.advice.id), known)]
            names = ", ".join(f"{one.advice.id} ({one.takes_s:.0f} s)" for one in open_)
            print(
                f"{model}, {workload}: {document.interrupted or 'measured'} in {time.monotonic() - started_s:.0f} s; "
                f"to be tried: {names or 'nothing'}",
                flush=True,
            )
            if not document.interrupted:
                offered = [one.advice.id for one in candidates]
                self.record.keep({"model": model, "workload": workload, "offered": offered})
            for one in open_:
                row = self._try(pipeline, document, one, (model, workload))
                self.record.keep(asdict(row))
                print(row.line(), flush=True)

    def _open(self, key: tuple[str, str, str], known: dict[tuple[str, str, str], Row]) -> bool:
        return self.wanted(key[2]) and not (key in known and known[key].counts)

    def _try(self, pipeline: Pipeline, document: Document, one: Candidate, names: tuple[str, str]) -> Row:
        started_s = time.monotonic()
        try:
            done = pipeline.try_advice(document, one.advice.id, lambda _event: None, CancelToken(), self.asked)
        except AdvisorError as error:
            return failed(one.advice, names, str(error), time.monotonic() - started_s)
        return row_of(one.advice, done, names, time.monotonic() - started_s)


def main(argv: Sequence[str] | None = None) -> int:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", choices=("sample", *RECIPES), default=list(DEFAULT_MODELS))
    parser.add_argument("--workloads", nargs="+", choices=tuple(PRESETS), default=list(DEFAULT_WORKLOADS))
    parser.add_argument("--advice", nargs="+", help="only these")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=80.0, help="seconds per trial, after three rounds")
    parser.add_argument("--plan", type=PlanKind, choices=list(PlanKind), default=PlanKind.STANDARD)
    parser.add_argument("--record", type=Path, default=RECORD, help="figures of each trial; gone on with where it is")
    parser.add_argument("--folder", type=Path, help="where the models are written and kept (a temporary one)")
    arguments = parser.parse_args(argv)

    def wanted(advice: str) -> bool:
        return not arguments.advice or advice in arguments.advice

    record = Record(arguments.record)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        asked, settings = Asked(arguments.rounds, arguments.budget), BenchSettings(kind=arguments.plan, real_use=False)
        runner = Runner(record, asked, settings, wanted, folder)
        for workload in arguments.workloads:
            for model in arguments.models:
                runner.run(model, workload)
    chosen = [
        row for row in record.rows().values()
        if row.model in arguments.models and row.workload in arguments.workloads and wanted(row.advice)
    ]  # fmt: skip
    return summary(chosen)


if __name__ == "__main__":
    sys.exit(main())
