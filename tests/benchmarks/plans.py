"""Predicted and real seconds of the plans on a model: python -m tests.benchmarks.plans [MODEL] [--plans quick ...].

Both ceilings are measured first, as a diagnosis does, and counted on their own. On a quiet machine a prediction should
lie within 25 % of the real time; a quick plan ends within 25 s and a standard one within 90 s, ceilings included.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from advisor.benchmarks.engines.embedded import EmbeddedEngine
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.planning import BenchSettings, PlanKind, make_plan
from advisor.benchmarks.probing import weights_device
from advisor.core.evidence import Basis, Known
from advisor.core.progress import CancelToken
from advisor.diagnosis.workload import preset
from advisor.report.left_out import left_out_words
from advisor.session.events import Event, Remark, TestFinished, TestLeftOut
from advisor.session.pipeline import Pipeline, purpose_of
from tests.support.sample import sample_path


def run(
    pipeline: Pipeline, path: Path, kind: PlanKind, workload: str, verbose: bool, threads: int | None = None
) -> None:
    cancel = CancelToken()
    model, machine, engine = pipeline.read_model(path), pipeline.read_machine(), pipeline.read_engine(cancel)
    start = time.monotonic()
    found = pipeline.measure_ceilings(model, machine, lambda _event: None, cancel, engine)
    probing_s = time.monotonic() - start
    ceilings = Known(found, Basis.COMPUTED, "probes")
    settings, work = BenchSettings(kind=kind, n_threads=threads), preset(workload)
    plan = make_plan(model, machine, ceilings, settings, purpose_of(work), weights_device(engine) == "CPU")
    left_out: list[TestLeftOut] = []
    started = time.monotonic()

    def hear(event: Event) -> None:
        if isinstance(event, TestLeftOut):
            left_out.append(event)
        elif isinstance(event, Remark):
            print(event.sentence)
        elif isinstance(event, TestFinished) and verbose:
            test = event.result
            print(
                f"  {time.monotonic() - started:6.1f} s  {test.test:18} {test.setting:22} "
                f"{test.tokens_per_s:9.2f} tokens/s  {len(test.samples_s)} runs",
                flush=True,
            )

    measured = pipeline.bench(model, machine, engine, ceilings, settings, hear, cancel, work)
    tests, error = measured.tests, measured.error
    real_s = time.monotonic() - started
    print(
        f"{kind:9} predicted {plan.predicted_s:6.1f} s  real {real_s:6.1f} s  ({plan.predicted_s / real_s - 1:+.0%})  "
        f"with ceilings {real_s + probing_s:6.1f} s  {len(tests)} of {len(plan.tests)} tests"
        + (f"  {error}" if error else "")
    )
    for sentence in left_out_words((event.spec, event.reason) for event in left_out) if verbose else ():
        print(f"  {sentence}")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", type=Path, help="a GGUF file (the sample)")
    parser.add_argument("--plans", nargs="+", choices=list(PlanKind), default=[PlanKind.QUICK, PlanKind.STANDARD])
    parser.add_argument("--workload", default="rag")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--threads", type=int, help="threads of both phases")
    parser.add_argument("--python", help="interpreter whose llama-cpp-python is to measure (this one)")
    parser.add_argument("--verbose", action="store_true", help="every test with the second at which it was done")
    arguments = parser.parse_args(argv)
    launch = Launch()
    if arguments.python:
        launch = Launch((arguments.python, *launch.command[1:]), launch.environment)
    pipeline = Pipeline(EmbeddedEngine(launch))
    for _ in range(arguments.rounds):
        for kind in arguments.plans:
            path = arguments.model or sample_path()
            run(pipeline, path, PlanKind(kind), arguments.workload, arguments.verbose, arguments.threads)
    return 0


if __name__ == "__main__":
    sys.exit(main())
