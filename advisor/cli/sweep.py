"""The command ``sweep``: one curve, its table, and the sentence that it comes to."""

import argparse
from typing import Final

from advisor.benchmarks.model import Sweep, TestSpec
from advisor.benchmarks.planning import sweep_plan
from advisor.benchmarks.probing import weights_device
from advisor.cli import placing, running, terminal
from advisor.cli.progress_line import ProgressLine
from advisor.cli.summaries import show_sweeps, show_tests
from advisor.core.errors import UsageError
from advisor.core.evidence import Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.report.left_out import left_out_words
from advisor.report.sweeps import sweep_tables
from advisor.session.events import Event, TestLeftOut
from advisor.session.pipeline import Pipeline

USUAL_DEPTHS: Final = (1024, 2048, 4096)


def run_sweep(arguments: argparse.Namespace, line: ProgressLine, cancel: CancelToken) -> int:
    """Measure and show; returns the exit code. Raises AdvisorError when nothing was measured."""
    from dataclasses import replace

    curve = Sweep(arguments.curve)
    pipeline = Pipeline(placing.engine_for(arguments))
    model = pipeline.read_model(arguments.model)
    running.must_decode(model)
    settings = replace(
        running.bench_settings(arguments),
        repetitions=arguments.repetitions,
        placement=placing.placement_from(arguments),
    )
    machine, engine = running.machine_and_engine(lambda: pipeline.read_engine(cancel, settings.placement), cancel)
    on_cpu = weights_device(engine, settings.placement, model.layers.or_none()) == "CPU"
    if curve is Sweep.THREADS and not on_cpu:
        raise UsageError(
            "Threads of the processor hardly matter here: the weights lie on a graphics processor.",
            "Sweep the batch or the depth instead.",
        )
    depths = arguments.depths or USUAL_DEPTHS
    not_probed = Unknown("not asked for", Missing.NOT_YET)
    plan = sweep_plan(model, machine, not_probed, settings, curve, depths, on_cpu)
    left_out: list[tuple[TestSpec, str]] = []

    def listen(event: Event) -> None:
        if isinstance(event, TestLeftOut):
            left_out.append((event.spec, event.reason))
        line(event)

    measured = pipeline.run_plan(plan, model, machine, engine, settings, listen, cancel)
    tests, error = measured.tests, measured.error
    line.close()
    if error is not None and not tests:
        raise error
    missing = left_out_words(left_out)
    interrupted = str(error) if error else ""
    if arguments.json:
        from advisor.report.exporters.sweep_json import sweep_json

        terminal.emit_json(arguments.json, sweep_json(curve, tests, missing, machine, engine, model, interrupted))
    else:
        tables = sweep_tables(tests, model.traffic.or_none())
        show_sweeps(tables)
        if not tables:
            show_tests(tests)
        for sentence in missing:
            terminal.show_paragraph(sentence, "  ")
    if error is not None:
        terminal.show_error(error)
        return error.exit_code
    return running.stamp_code(tests)
