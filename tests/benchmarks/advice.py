"""Whether advice keeps what it promises: each that can be tried here, predicted against measured.

    python -m tests.benchmarks.advice [--models small|dense|mixture|sample ...] [--workloads chat rag ...] [--rounds 5]

A diagnosis per model and workload (a standard plan, so that sweeps are there), then every trial that it offers, with no
record of earlier predictions. Prints one line per phase of each trial and, at the end, how many measured ratios lay
inside the stated range and how far the middle was off, as a share of what the phase costs. Meant for a quiet machine:
trials whose stamp is invalid are shown and not counted.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from advisor.benchmarks.model import PlanKind
from advisor.core.errors import AdvisorError
from advisor.core.progress import CancelToken
from advisor.core.stats import median
from advisor.diagnosis.workload import PRESETS
from advisor.recommendations.model import Advice
from advisor.report.document import Document
from advisor.report.evidence_of import evidence_of
from advisor.session.paths import Paths
from advisor.session.pipeline import Asked, BenchSettings, Pipeline
from tests.benchmarks.random_models import Recipe, write
from tests.support.sample import sample_path

RECIPES = {
    "small": Recipe("dense-0.4gb-q8_0", "Q8_0", layers=8, embed=1536, heads=12, kv_heads=4, ff=4096),
    "dense": Recipe("dense-f16", "F16", layers=16, embed=2048, heads=16, kv_heads=4, ff=4096),
    "mixture": Recipe(
        "mixture-q4_0", "Q4_0", layers=12, embed=1024, heads=16, kv_heads=4, ff=1024, experts=16, used=4
    ),
}


@dataclass
class Score:
    """What was inside its range, and how far each middle was off (share of the phase's seconds)."""

    inside: list[bool] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)

    def add(self, advice: Advice, document: Document, name: str) -> None:
        """The newest trial of the document, which answers this prediction."""
        trial = document.trials[-1]
        pair = trial.pair(advice.phase)
        evidence = evidence_of(document)
        if pair is None or evidence is None:
            print(f"{name:28} {advice.id:16} nothing to compare: {'; '.join(trial.notes)}")
            return
        cost_s = evidence.cost_s(advice.phase)
        low, high = advice.saved_s_low, advice.saved_s_high
        measured_s = cost_s * (1 - pair.ratio)
        best_s, worst_s = (cost_s * (1 - end) for end in pair.interval)
        held = low <= measured_s <= high
        print(
            f"{name:28} {advice.id:16} {advice.phase:8} predicted {advice.saved_s:7.2f} s ({low:.2f} to {high:.2f}), "
            f"measured {measured_s:7.2f} s ({worst_s:.2f} to {best_s:.2f}) of {cost_s:.2f} s, "
            f"{len(pair.ratios)} rounds: {'inside' if held else 'OUTSIDE'}, {trial.conditions.stamp}",
            flush=True,
        )
        if trial.believed:
            self.inside.append(held)
            self.errors.append(abs(measured_s - advice.saved_s) / cost_s)

    def summary(self) -> int:
        """Prints whether the aims were met; 0 if so."""
        if not self.inside:
            print("Nothing was compared.")
            return 1
        share, error = sum(self.inside) / len(self.inside), median(self.errors)
        print(f"{sum(self.inside)} of {len(self.inside)} inside ({share:.0%}); middle off by {error:.1%} (median)")
        return 0 if share >= 0.8 and error <= 0.1 else 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", choices=("sample", *RECIPES), default=["sample", *RECIPES])
    parser.add_argument("--workloads", nargs="+", choices=tuple(PRESETS), default=["rag", "many-users"])
    parser.add_argument("--advice", nargs="+", help="only these")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds per trial")
    parser.add_argument("--folder", type=Path, help="where the models are written and kept (a temporary one)")
    arguments = parser.parse_args(argv)
    score, asked = Score(), Asked(arguments.rounds, arguments.budget)
    settings = BenchSettings(kind=PlanKind.STANDARD, real_use=False)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for model in arguments.models:
            path = sample_path() if model == "sample" else write(RECIPES[model], folder)
            for workload in arguments.workloads:
                home = Path(temporary) / f"{model}-{workload}"  # a store of its own: no record widens the next ranges
                pipeline = Pipeline(paths=Paths(home / "config", home / "data", home / "cache", home / "logs"))
                document = pipeline.diagnose(path, PRESETS[workload], settings, lambda _event: None, CancelToken())
                print(f"{model}, {workload}: {document.interrupted or 'measured'}", flush=True)
                for one in pipeline.can_be_tried(document, asked):
                    if arguments.advice and one.advice.id not in arguments.advice:
                        continue
                    try:
                        done = pipeline.try_advice(
                            document, one.advice.id, lambda _event: None, CancelToken(), asked
                        )
                    except AdvisorError as error:
                        print(f"{model}, {workload}: {one.advice.id}: {error}")
                        continue
                    score.add(one.advice, done, f"{model}, {workload}")
    return score.summary()


if __name__ == "__main__":
    sys.exit(main())
