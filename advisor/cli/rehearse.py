"""The command ``rehearse``: how fast a model that is not here would be, from a few layers of it."""

import argparse
from collections.abc import Sequence
from typing import Any

from advisor.cli import placing, running, terminal
from advisor.cli.parser import PROGRAM
from advisor.cli.progress_line import ProgressLine
from advisor.cli.workloads import workload_from
from advisor.core.errors import UsageError
from advisor.core.progress import CancelToken
from advisor.rehearsal.candidates import named
from advisor.rehearsal.catalogue import CatalogueModel, load
from advisor.rehearsal.model import Rehearsal
from advisor.report import formatting as f
from advisor.report import rehearsal_words


def run_rehearse(arguments: argparse.Namespace, line: ProgressLine, cancel: CancelToken) -> int:
    """Rehearse and show; returns the exit code. Raises AdvisorError when nothing came of it."""
    if arguments.list:
        return _list(arguments)
    if arguments.shape is None:
        raise UsageError("Which model?", f"Give a name, a config.json or an address; see {PROGRAM} rehearse --list.")
    workload = workload_from(arguments)
    candidate = named(arguments.shape, arguments.quant or "", arguments.insecure, cancel)
    pipeline = placing.pipeline_for(arguments)
    machine, engine = running.machine_and_engine(lambda: pipeline.read_engine(cancel), cancel)
    done = pipeline.rehearse(candidate, workload, machine, engine, line, cancel, arguments.budget)
    line.close()

    def as_json() -> dict[str, Any]:
        from advisor.report.exporters.rehearsal_json import rehearsal_json

        return rehearsal_json(done, machine, engine)

    terminal.present(arguments.json, as_json, lambda: _show(done))
    return running.conditions_code([each.test.conditions for each in done.tests])


def _show(done: Rehearsal) -> None:
    terminal.show_pairs(rehearsal_words.title(done), rehearsal_words.facts(done))
    terminal.columns([rehearsal_words.HEAD, *rehearsal_words.rows(done)])
    for note in done.notes:
        terminal.show_paragraph(note, "  ")


def _list(arguments: argparse.Namespace) -> int:
    models = load()

    def as_json() -> dict[str, Any]:
        from advisor.report.exporters.rehearsal_json import catalogue_json

        return catalogue_json(models)

    terminal.present(arguments.json, as_json, lambda: _show_catalogue(models))
    return 0


def _show_catalogue(models: Sequence[CatalogueModel]) -> None:
    print("Models whose shapes are known")
    terminal.columns([
        ("model", "maker", "parameters", "experts", "context"),
        *(
            (
                model.name, model.maker, f.parameters(model.parameters),
                f"{model.shape.experts_used} of {model.shape.experts}" if model.shape.experts else "-",
                f.count(model.shape.context),
            )
            for model in models
        ),
    ])  # fmt: skip
