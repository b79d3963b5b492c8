"""One function per command: does the job, shows the result, returns the exit code.

Everything heavy is imported inside, so that ``inspect`` starts without what only ``diagnose`` needs.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from advisor.cli import placing, targets, terminal
from advisor.cli.parser import CHUNK
from advisor.cli.running import (
    bench_settings,
    interruptible,
    machine_and_engine,
    must_decode,
    must_hold,
    stamp_code,
    watch_load,
)
from advisor.core.errors import Cancelled, EngineError
from advisor.core.evidence import Unknown

if TYPE_CHECKING:
    from advisor.cli.progress_line import ProgressLine
    from advisor.core.progress import CancelToken


def machine(arguments: argparse.Namespace) -> int:
    """``machine``."""
    # The load takes its time to watch, whatever the program does: everything else is imported and done meanwhile.
    window = watch_load()
    if arguments.json:
        from advisor.report.exporters import as_json
    if arguments.json != targets.STDOUT:
        from advisor.cli import summaries

    read = placing.facts_reader(arguments)
    with interruptible() as cancel:
        facts, engine = machine_and_engine(lambda: read(cancel), cancel, window)

    def show() -> None:
        terminal.show_pairs("This machine", summaries.machine_pairs(facts))
        terminal.show_pairs("The engine", summaries.engine_pairs(engine) + summaries.waste_pairs(facts, engine))

    terminal.present(arguments.json, lambda: as_json.machine_json(facts, engine), show)
    return 0


def inspect(arguments: argparse.Namespace) -> int:
    """``inspect``."""
    from advisor.gguf.architecture import read_model

    model = read_model(arguments.model)

    def as_json() -> dict[str, Any]:
        from advisor.report.exporters.as_json import inspect_json

        return inspect_json(model)

    def show() -> None:
        from advisor.cli.summaries import model_pairs

        terminal.show_pairs(model.name, model_pairs(model))
        for note in model.notes:
            terminal.show_paragraph(note, "  ")

    terminal.present(arguments.json, as_json, show)
    return 0


def ceilings(arguments: argparse.Namespace) -> int:
    """``ceilings``."""
    window = watch_load()  # as in ``machine``
    from advisor.cli.progress_line import ProgressLine

    pipeline = placing.pipeline_for(arguments)
    model = pipeline.read_model(arguments.model)
    must_decode(model)
    line = ProgressLine()
    with interruptible() as cancel:
        facts = pipeline.read_machine(window)
        found = pipeline.measure_ceilings(
            model, facts, line, cancel, depth=arguments.depth, batch=arguments.batch, fresh=arguments.fresh
        )
    line.close()

    def as_json() -> dict[str, Any]:
        from advisor.report.exporters.as_json import ceilings_json

        return ceilings_json(found, model)

    def show() -> None:
        from advisor.cli.summaries import ceilings_pairs
        from advisor.report.wording import disturbed_sentence

        terminal.show_pairs(f"Ceilings of {model.name} on this machine", ceilings_pairs(found))
        if disturbed := disturbed_sentence(found):
            terminal.show_paragraph(disturbed, "  ")

    terminal.present(arguments.json, as_json, show)
    return 0


def bench(arguments: argparse.Namespace) -> int:
    """``bench``."""
    from advisor.cli.progress_line import ProgressLine
    from advisor.cli.summaries import show_tests
    from advisor.core.errors import UsageError
    from advisor.core.evidence import Missing

    if not arguments.n_prompt and not arguments.n_gen:
        raise UsageError("There is nothing to measure: -p and -n are both 0.", "Give at least one of them.")
    pipeline = placing.pipeline_for(arguments)
    model = pipeline.read_model(arguments.model)
    must_decode(model)
    must_hold(
        model, arguments.n_depth + max(arguments.n_prompt, arguments.n_gen), "The longest of these tests",
        "Make -d, or -p and -n, shorter by {}.",
    )  # fmt: skip
    settings = replace(
        bench_settings(arguments),
        n_prompt=arguments.n_prompt,
        n_gen=arguments.n_gen,
        n_depth=arguments.n_depth,
        n_streams=arguments.streams,
        repetitions=arguments.repetitions,
        placement=placing.placement_from(arguments),
        real_use=False,
    )
    line = ProgressLine()
    with interruptible() as cancel:
        facts, engine = machine_and_engine(lambda: pipeline.read_engine(cancel, settings.placement), cancel)
        engine = pipeline.check_engine(engine, facts, cancel, line, settings.placement)
        cancel.raise_if_cancelled()
        not_probed = Unknown("not asked for", Missing.NOT_YET)
        measured = pipeline.bench(model, facts, engine, not_probed, settings, line, cancel)
    line.close()
    tests, error = measured.tests, measured.error
    if error is not None and not tests:
        raise error
    interrupted = str(error) if error else ""

    def as_json() -> dict[str, Any]:
        from advisor.report.exporters.as_json import bench_json

        return bench_json(tests, facts, engine, model, interrupted)

    terminal.present(arguments.json, as_json, lambda: show_tests(tests))
    if error is not None:
        terminal.show_error(error)
        return error.exit_code
    return stamp_code(tests)


def diagnose(arguments: argparse.Namespace) -> int:
    """``diagnose``."""
    from advisor.benchmarks.planning import PlanKind
    from advisor.cli.progress_line import ProgressLine
    from advisor.cli.reports import write_pdf, write_texts
    from advisor.cli.summaries import show_document
    from advisor.cli.workloads import counted_workload, workload_from
    from advisor.report.wording import answering_tests

    workload_from(arguments, arguments.shared if arguments.prompt_file else None)  # says what is wrong with it first
    settings = replace(
        bench_settings(arguments),
        kind=PlanKind(arguments.plan),
        budget_s=arguments.budget,
        placement=placing.placement_from(arguments),
    )
    pipeline = placing.pipeline_for(arguments)
    line = ProgressLine()
    with interruptible() as cancel:
        workload = counted_workload(arguments, pipeline, cancel)
        document = pipeline.diagnose(arguments.model, workload, settings, line, cancel)
        line.close()
        # What can be read goes out before the PDF is drawn, which takes longest and can fail in most ways.
        written, failed = write_texts(document, arguments)
        printed = targets.printed(arguments)
        if not printed:
            show_document(document)
        sys.stdout.flush()
        if arguments.pdf:
            done, errors = write_pdf(document, arguments.pdf, arguments.paper)
            written, failed = [*written, *done], [*failed, *errors]
        if not printed:
            for path in written:
                print(f"Written: {path}")
    for error in failed:
        terminal.show_error(error)
    if document.interrupted:
        kind = Cancelled if cancel.cancelled else EngineError
        terminal.show_error(kind(document.interrupted))
        return kind.exit_code
    return max((error.exit_code for error in failed), default=0) or stamp_code(answering_tests(document.tests))


def engines(arguments: argparse.Namespace) -> int:
    """``engines``."""
    from advisor.cli.engines import list_engines, show_engines
    from advisor.cli.progress_line import ProgressLine

    line = ProgressLine()
    with interruptible() as cancel:
        listed = list_engines(line, cancel, check=arguments.check)
    line.close()

    def as_json() -> dict[str, Any]:
        from advisor.report.exporters.engines_json import engines_json

        return engines_json(listed)

    terminal.present(arguments.json, as_json, lambda: show_engines(listed))
    return 0


def models(arguments: argparse.Namespace) -> int:
    """``models``."""
    from advisor.session.discovery import find_models

    with interruptible() as cancel:
        found = find_models(arguments.folders, cancel)

    def as_json() -> dict[str, Any]:
        from advisor.report.exporters.models_json import models_json

        return models_json(found)

    def show() -> None:
        from advisor.cli.models import show_models

        show_models(found)

    terminal.present(arguments.json, as_json, show)
    return 0


def history(arguments: argparse.Namespace) -> int:
    """``history``."""
    from advisor.cli.history import chosen_runs, show_history
    from advisor.session.paths import user_paths

    if arguments.action == "export":
        from advisor.cli.exporting import run_export

        return run_export(user_paths().results, arguments)
    chosen = chosen_runs(user_paths().results, arguments)

    def as_json() -> dict[str, Any]:
        from advisor.report.exporters.history_json import history_json

        return history_json(chosen.runs, chosen.more)

    terminal.present(arguments.json, as_json, lambda: show_history(user_paths().results, chosen, arguments))
    return 0


def sample(arguments: argparse.Namespace) -> int:
    """``sample``."""
    from advisor.cli.progress_line import ProgressLine
    from advisor.session.paths import user_paths
    from advisor.session.sample import sample_path

    line = ProgressLine()
    with interruptible() as cancel:
        path = sample_path(arguments.folder or user_paths().sample, line, cancel)
    line.close()
    terminal.present(
        arguments.json,
        lambda: {"schema": "two-machines/sample/1", "path": str(path), "file_bytes": path.stat().st_size},
        lambda: print(path),
    )
    return 0


def selftest(arguments: argparse.Namespace) -> int:
    """``selftest``."""
    from advisor.cli.progress_line import ProgressLine
    from advisor.cli.selftest import run_checks

    with interruptible() as cancel:
        checks = run_checks(ProgressLine(), cancel, placing.engine_for(arguments), forget=arguments.forget)
    worst = max((check.exit_code for check in checks), default=0)
    terminal.present(
        arguments.json,
        lambda: {
            "schema": "two-machines/selftest/1",
            "ok": worst == 0,
            "checks": [{"name": c.name, "state": c.state, "detail": c.detail} for c in checks],
        },
        lambda: terminal.show_pairs("What works here", [(c.name, f"{c.state}: {c.detail}") for c in checks]),
    )
    return worst


def sweep(arguments: argparse.Namespace) -> int:
    """``sweep``."""
    if arguments.curve == CHUNK:
        from advisor.cli.chunk import run_chunk

        return _with_progress(run_chunk, arguments)
    from advisor.cli.sweep import run_sweep

    return _with_progress(run_sweep, arguments)


def try_advice(arguments: argparse.Namespace) -> int:
    """``try``."""
    from advisor.cli.trying import run_try

    return _with_progress(run_try, arguments)


def rehearse(arguments: argparse.Namespace) -> int:
    """``rehearse``."""
    from advisor.cli.rehearse import run_rehearse

    return _with_progress(run_rehearse, arguments)


def compare(arguments: argparse.Namespace) -> int:
    """``compare``."""
    from advisor.cli.compare import run_compare

    return run_compare(arguments)


def import_file(arguments: argparse.Namespace) -> int:
    """``import``."""
    from advisor.cli.importing import run_import

    return run_import(arguments)


def desktop(arguments: argparse.Namespace) -> int:
    """``desktop``."""
    from advisor.cli.desktop import desktop

    return desktop(arguments)


def about(arguments: argparse.Namespace) -> int:
    """``about``."""
    from advisor.cli.about import about

    return about(arguments)


def server(arguments: argparse.Namespace) -> int:
    """``server``."""
    from advisor.cli.server import run_server

    return _with_progress(run_server, arguments)


def server_log(arguments: argparse.Namespace) -> int:
    """``server-log``."""
    from advisor.cli.server_log import run_server_log

    return _with_progress(run_server_log, arguments)


def choose(arguments: argparse.Namespace) -> int:
    """``choose``."""
    from advisor.cli.choose import run_choose

    return _with_progress(run_choose, arguments)


def what_if(arguments: argparse.Namespace) -> int:
    """``what-if``."""
    from advisor.cli.what_if import run_what_if

    return _with_progress(run_what_if, arguments)


def _with_progress(
    run: "Callable[[argparse.Namespace, ProgressLine, CancelToken], int]", arguments: argparse.Namespace
) -> int:
    """A command that shows its progress and that Ctrl+C stops."""
    from advisor.cli.progress_line import ProgressLine

    with interruptible() as cancel:
        return run(arguments, ProgressLine(), cancel)


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "machine": machine,
    "inspect": inspect,
    "ceilings": ceilings,
    "bench": bench,
    "sweep": sweep,
    "diagnose": diagnose,
    "try": try_advice,
    "rehearse": rehearse,
    "server": server,
    "server-log": server_log,
    "engines": engines,
    "models": models,
    "history": history,
    "compare": compare,
    "import": import_file,
    "choose": choose,
    "what-if": what_if,
    "sample": sample,
    "selftest": selftest,
    "desktop": desktop,
    "about": about,
}
