"""The command ``try``: a diagnosis, then one advice before and after, by turns."""

import argparse
from dataclasses import replace
from typing import Any, Final

from advisor.benchmarks.model import Stamp
from advisor.benchmarks.planning import PlanKind
from advisor.cli import placing, running, terminal
from advisor.cli.parser import PROGRAM
from advisor.cli.progress_line import ProgressLine
from advisor.cli.workloads import counted_workload
from advisor.core.errors import EXIT_INVALID, AdvisorError, EngineError, UsageError
from advisor.core.evidence import Unknown
from advisor.core.progress import CancelToken
from advisor.recommendations import drafting, flash_attention, speculate, threads
from advisor.recommendations.model import Advice
from advisor.recommendations.ranking import IDS
from advisor.report import formatting as f
from advisor.report import trial_words, wording
from advisor.report.document import Document
from advisor.session.pipeline import Asked, Candidate, Pipeline
from advisor.session.recent import RecentRuns

NEED_CURVES: Final = (threads.ID, flash_attention.ID)
"""Advice that rests on curves, which a quick plan has no time for on a slow machine."""

CURVES_S: Final = 150.0
"""Seconds in which they are measured, both phases included."""


def run_try(arguments: argparse.Namespace, line: ProgressLine, cancel: CancelToken) -> int:
    """Try and show; returns the exit code.

    Raises:
        UsageError: no such advice; the hint lists what can be tried.
        AdvisorError: nothing could be measured, or the experiment failed.
        Cancelled: stopped before anything could be compared.
    """
    if arguments.advice is not None and arguments.advice not in IDS:
        raise UsageError(f"There is no advice “{arguments.advice}”.", f"There are: {', '.join(sorted(IDS))}.")
    if arguments.draft is not None and arguments.advice not in (None, speculate.ID):
        raise UsageError("A draft model is for speculate only.", f"Use: {PROGRAM} try MODEL speculate --draft FILE")
    pipeline = placing.pipeline_for(arguments)
    if arguments.draft is not None:  # what is wrong with it is said before anything is measured
        drafting.check(pipeline.read_model(arguments.draft), pipeline.read_model(arguments.model))
    workload = counted_workload(arguments, pipeline, cancel)
    placement = placing.placement_from(arguments)
    settings = replace(
        running.bench_settings(arguments), kind=PlanKind.QUICK, placement=placement, real_use=False
    )
    if arguments.advice in NEED_CURVES:
        settings = replace(settings, kind=PlanKind.STANDARD, budget_s=CURVES_S)
    asked = Asked(arguments.rounds, arguments.budget, placement)
    document, recent = None, RecentRuns(pipeline)
    if not arguments.fresh:
        document = recent.document(arguments.model, workload, settings, line, cancel)
    held: list[Candidate] = []
    if document is not None:
        asked = _with_draft(asked, pipeline, arguments, document, line, cancel)
        held = list(pipeline.can_be_tried(document, asked))
    if document is None or (arguments.advice and arguments.advice not in [one.advice.id for one in held]):
        document = pipeline.diagnose(arguments.model, workload, settings, line, cancel, recent.known)
        asked = _with_draft(asked, pipeline, arguments, document, line, cancel)
        held = list(pipeline.can_be_tried(document, asked))
    line.close()
    if isinstance(document.verdict, Unknown):
        cancel.raise_if_cancelled()
        raise EngineError(document.interrupted or f"There is nothing to try: {document.verdict.reason}.")
    if arguments.advice is None:
        _list(arguments, document, held)
        return _doubted(document)
    predicted = next((one.advice for one in held if one.advice.id == arguments.advice), None)
    done = pipeline.try_advice(document, arguments.advice, line, cancel, asked)
    assert predicted is not None  # anything else was refused
    line.close()
    tried = next(one.advice for one in pipeline.can_be_tried(done, asked) if one.advice.id == arguments.advice)
    shown = predicted

    def as_json() -> dict[str, Any]:
        from advisor.report.exporters.try_json import try_json

        return try_json(done, [(one.advice, one.takes_s) for one in held], shown, tried)

    terminal.present(arguments.json, as_json, lambda: _show(done, shown, tried))
    cancel.raise_if_cancelled()  # what was compared until then is shown and kept
    return _code(tried)


def _with_draft(
    asked: Asked, pipeline: Pipeline, arguments: argparse.Namespace, document: Document, line: ProgressLine,
    cancel: CancelToken,
) -> Asked:
    if arguments.draft is None or asked.drafter is not None or isinstance(document.verdict, Unknown):
        return asked
    drafter = pipeline.drafter(
        document.model, arguments.draft, document.machine, document.engine, line, cancel
    )
    return replace(asked, drafter=drafter)


def _list(arguments: argparse.Namespace, document: Document, held: list[Candidate]) -> None:
    def as_json() -> dict[str, Any]:
        from advisor.report.exporters.try_json import try_json

        return try_json(document, [(one.advice, one.takes_s) for one in held])

    terminal.present(arguments.json, as_json, lambda: _show_list(held))


def _show_list(held: list[Candidate]) -> None:
    print("What can be tried" if held else "Nothing that was found can be tried here")
    if held:
        terminal.columns([
            ("advice", "predicted", "basis", "takes"),
            *((one.advice.id, wording.saves(one.advice), str(one.advice.basis), _takes(one.takes_s)) for one in held),
        ])  # fmt: skip
    for one in held:
        terminal.show_paragraph(f"{one.advice.id}: {one.advice.title}.", "  ")


def _doubted(document: Document) -> int:
    """0, or the code of a diagnosis that must not be believed, since predictions rest on it; the reasons are said."""
    return running.conditions_code(
        [test.conditions for test in wording.answering_tests(document.tests)],
        "These predictions rest on a run that was disturbed", "Measure again: add --fresh.",
    )  # fmt: skip


def _takes(takes_s: float) -> str:
    return f"about {f.about_seconds(takes_s)}"


def _show(document: Document, predicted: Advice, tried: Advice) -> None:
    print(trial_words.tried_words(tried))
    terminal.show_paragraph(f"{tried.title}.", "  ")
    terminal.show_paragraph(f"Predicted: {wording.saves(predicted)} ({predicted.basis}).", "  ")
    rows = [row[1:] for row in trial_words.trial_rows(replace(document, trials=document.trials[-1:]))]
    if rows:
        terminal.columns([trial_words.HEAD[1:], *rows])
    for words in trial_words.trial_sentences(replace(document, trials=document.trials[-1:])):
        terminal.show_paragraph(words, "  ")
    terminal.show_paragraph(trial_words.record_words(document.ledger, tried), "  ")


def _code(tried: Advice) -> int:
    """0, or the code of a trial that must not be believed, with the reasons said."""
    if tried.tried is None or tried.tried.believed:
        return 0
    disturbed = tried.tried.conditions.stamp is Stamp.INVALID
    hint = "Close other programs and try again." if disturbed else "Try again."
    terminal.show_error(AdvisorError(f"The figures are not to be believed: {tried.tried.doubt}.", hint))
    return EXIT_INVALID
