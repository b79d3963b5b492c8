"""The command ``sweep``: one curve, its table, and the sentence that it comes to."""

import argparse
from typing import Any, Final

from advisor.benchmarks.model import EngineFacts, Sweep, TestSpec
from advisor.benchmarks.planning import BenchSettings, sweep_plan
from advisor.benchmarks.planning.sweeps import STREAMS
from advisor.benchmarks.probing import weights_device
from advisor.benchmarks.sharing import Terms, free_bytes, total_bytes
from advisor.cli import placing, running, terminal
from advisor.cli.progress_line import ProgressLine
from advisor.cli.summaries import show_sweeps, show_tests
from advisor.core.errors import Cancelled, EngineError, UsageError
from advisor.core.evidence import Fact, Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.diagnosis.workload import preset
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report.left_out import left_out_words
from advisor.report.sweeps import sweep_tables
from advisor.session.events import Event, Remark, TestLeftOut
from advisor.session.pipeline import Pipeline

USUAL_DEPTHS: Final = (1024, 2048, 4096)


def run_sweep(arguments: argparse.Namespace, line: ProgressLine, cancel: CancelToken) -> int:
    """Measure and show; returns the exit code. Raises AdvisorError when nothing was measured."""
    from dataclasses import replace

    curve = Sweep(arguments.curve)
    _check(arguments, curve)
    pipeline = placing.pipeline_for(arguments)
    model = pipeline.read_model(arguments.model)
    running.must_decode(model)
    settings = replace(
        running.bench_settings(arguments),
        repetitions=arguments.repetitions,
        placement=placing.placement_from(arguments),
    )
    depths = _depths(arguments, curve, model, settings)
    machine, engine = running.machine_and_engine(lambda: pipeline.read_engine(cancel, settings.placement), cancel)
    device = weights_device(engine, settings.placement, model.layers.or_none())
    on_cpu = device == "CPU"
    if curve is Sweep.THREADS and not on_cpu:
        raise UsageError(
            "Threads of the processor hardly matter here: the weights lie on a graphics processor.",
            "Sweep the batch or the depth instead.",
        )
    not_probed = Unknown("not asked for", Missing.NOT_YET)
    terms = _terms(arguments, pipeline, model, machine, engine, device, line, cancel) if curve is Sweep.BATCH else None
    plan = sweep_plan(
        model, machine, not_probed, settings, curve, depths, on_cpu, arguments.streams or STREAMS,
        free_bytes(machine, engine, device),
    )  # fmt: skip
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

    def as_json() -> dict[str, Any]:
        from advisor.report.exporters.sweep_json import sweep_json

        return sweep_json(curve, tests, missing, machine, engine, model, interrupted, terms)

    def show() -> None:
        tables = sweep_tables(tests, model.traffic.or_none(), terms)
        show_sweeps(tables)
        if not tables:
            show_tests(tests)
        for sentence in missing:
            terminal.show_paragraph(sentence, "  ")

    terminal.present(arguments.json, as_json, show)
    if error is not None:
        terminal.show_error(error)
        return error.exit_code
    return running.stamp_code(tests)


def _depths(arguments: argparse.Namespace, curve: Sweep, model: ModelFacts, settings: BenchSettings) -> tuple[int, ...]:
    """Those asked for, or the usual ones that the model's context holds; raises UsageError for one that it does not."""
    longest = settings.n_gen if curve is Sweep.BATCH else max(settings.n_prompt, settings.n_gen)
    if arguments.depths:
        running.must_hold(
            model, max(arguments.depths) + longest, "The deepest of these tests",
            "Make the largest of -d smaller by {}.",
        )  # fmt: skip
        return tuple(arguments.depths)
    if curve is not Sweep.DEPTH:
        return ()
    held = model.context_length.or_none() or max(USUAL_DEPTHS) + longest
    running.must_hold(
        model, min(USUAL_DEPTHS) + longest, "The shallowest of the usual tests", "Give smaller depths: -d."
    )
    return tuple(depth for depth in USUAL_DEPTHS if depth + longest <= held)


def _check(arguments: argparse.Namespace, curve: Sweep) -> None:
    """Refuse what says nothing about the curve; raises UsageError."""
    if curve is Sweep.BATCH:
        if arguments.depths and len(arguments.depths) > 1:
            raise UsageError("The batch curve is measured at one depth.", "Give one number: --depth 4096")
        return
    for name in ("streams", "comfort"):
        if getattr(arguments, name):
            raise UsageError(f"--{name} belongs to the batch curve.", "See: two-machines sweep batch MODEL")


def _terms(
    arguments: argparse.Namespace, pipeline: Pipeline, model: ModelFacts, machine: Machine,
    engine: Fact[EngineFacts], device: str, line: ProgressLine, cancel: CancelToken,
) -> Terms:
    """What the curve is read against; ceilings that cannot be measured leave their sentences out, with the reason."""
    placement = placing.placement_from(arguments)
    ceilings = None
    try:
        ceilings = pipeline.measure_ceilings(model, machine, line, cancel, engine, placement=placement)
    except Cancelled:
        raise
    except EngineError as error:
        line(Remark(error.sentence, error.hint))
    many = preset("many-users")
    depth = arguments.depths[0] if arguments.depths else 0
    return Terms(
        arguments.comfort or many.comfort.slowest_tokens_per_s, depth or many.deepest_tokens, model, ceilings,
        total_bytes(machine, engine, device),
    )  # fmt: skip
