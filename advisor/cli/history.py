"""Earlier runs in a terminal: the list, one run, and what a user may say about a run."""

import argparse
from pathlib import Path

from advisor.benchmarks.model import Sweep, TestResult
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.benchmarks.store.model import RunEnd, StoredRun, StoredTest
from advisor.benchmarks.store.overview import RunLine
from advisor.benchmarks.store.store import Store
from advisor.cli import terminal
from advisor.cli.parser import PROGRAM
from advisor.cli.progress_line import ProgressLine
from advisor.cli.stored import show_experiment, show_subject
from advisor.cli.summaries import show_tests
from advisor.gguf.readable import readable
from advisor.report import formatting as f
from advisor.report import import_words, stored
from advisor.session.events import Remark

NOTE_CHARACTERS = 2000
SERIES_ROWS = 8
NO_END = "not ended: it still runs, or the program or the computer stopped in the middle"


def chosen_runs(path: Path, arguments: argparse.Namespace) -> tuple[tuple[StoredRun, ...], bool]:
    """Do what was asked for; the runs that it is about, and whether there are more. Raises StoreError."""
    store = Store(path, lambda sentence, hint: ProgressLine()(Remark(sentence, hint)))
    if arguments.action is None:
        wanted = [line.number for line in store.overview(arguments.deleted) if _asked_for(line, arguments)]
        return store.listed(wanted[: arguments.limit]), len(wanted) > arguments.limit
    if arguments.action == "label":
        store.set_label(arguments.run, " ".join(arguments.text))
    elif arguments.action == "note":
        store.set_note(arguments.run, " ".join(arguments.text))
    elif arguments.action == "delete":
        store.delete_run(arguments.run)
    elif arguments.action == "restore":
        store.restore_run(arguments.run)
    return (store.run(arguments.run),), False


def _asked_for(line: RunLine, arguments: argparse.Namespace) -> bool:
    """Whether the texts stand in it, and the run began on that day (ISO 8601) or later."""
    model, text, since = arguments.model.casefold(), arguments.text.casefold(), arguments.since or ""
    words = (line.model, line.machine, line.engine, line.workload, line.label, line.note, line.source)
    return (
        line.started_at[: len(since)] >= since
        and model in f"{line.model}\n{line.file}".casefold()
        and text in "\n".join(words).casefold()
    )


def show_history(path: Path, runs: tuple[StoredRun, ...], more: bool, arguments: argparse.Namespace) -> None:
    """The list or the one run as text; what was changed as one line."""
    match arguments.action:
        case None:
            if not runs and (arguments.model or arguments.since or arguments.text):
                print("No run fits.")
            else:
                _show_list(runs, more, arguments.deleted)
        case "show":
            _show_run(runs[0])
            _show_past(runs[0], path)
        case "delete":
            print(f"Run {arguments.run} is deleted.")
            print(f"  To have it back: {PROGRAM} history restore {arguments.run}")
        case "restore":
            print(f"Run {arguments.run} is back.")
        case word:
            print(f"Run {arguments.run} has {'a new' if arguments.text else 'no'} {word}.")


def _show_list(runs: tuple[StoredRun, ...], more: bool, deleted: bool) -> None:
    if not runs:
        print("No run is deleted." if deleted else "Nothing was measured here yet.")
        if not deleted:
            print(f"  Measure a model: {PROGRAM} bench MODEL")
        return
    for run in runs:
        print(f"Run {run.number}, {f.date_time(run.started_at)}: {_subject(run)}")
        if run.workload:
            terminal.show_paragraph(readable(run.workload, NOTE_CHARACTERS), "  ")
        if run.label or run.note:
            terminal.show_paragraph(readable(": ".join(filter(None, (run.label, run.note))), NOTE_CHARACTERS), "  ")
        if run.tests:
            terminal.columns([_row(test) for test in run.tests])
        if run.imported:
            terminal.columns([_imported_row(test) for test in run.imported.tests])
        if run.document and run.document.figures:
            terminal.columns(stored.rows(run.document))
        for line in _what_happened(run):
            terminal.show_paragraph(line, "  ")
    if more:
        print(f"There are older ones: {PROGRAM} history --limit N")


def _row(test: StoredTest) -> tuple[str, ...]:
    result = test.result
    marks = [str(result.conditions.stamp)]
    if result.safe_mode:
        marks.append("safe mode")
    if not result.complete:
        marks.append("not complete")
    return (_name(result), f.tokens_per_s_spread(result.tokens_per_s, result.mad_tokens_per_s), ", ".join(marks))


def _name(result: TestResult) -> str:
    """The test's name, with what sets it apart from the other points of its curve where the name does not say it."""
    match result.sweep:
        case Sweep.THREADS:
            return f"{result.test}, {f.plural(result.n_threads, 'thread')}"
        case Sweep.UBATCH:
            return f"{result.test}, ubatch {result.n_ubatch}"
        case Sweep.FLASH_ATTENTION:
            return f"{result.test}, flash attention {result.flash_attention}"
        case Sweep.KV_TYPE:
            return f"{result.test}, KV cache {result.kv_type}"
    return result.test


def _imported_row(test: ReportedTest) -> tuple[str, ...]:
    return test.test, f.tokens_per_s_spread(test.tokens_per_s, test.spread_tokens_per_s), "imported"


def _subject(run: StoredRun) -> str:
    if run.document is not None and (words := stored.subject(run, run.document)):
        return readable(words, NOTE_CHARACTERS)
    if run.imported is None:
        return f"{_model(run)} on {run.setup.machine.words}"
    words = f"{import_words.model_words(run.imported)} on {import_words.machine_words(run.imported)}"
    return readable(f"{words}, imported from {run.imported.source} ({run.imported.tool})", NOTE_CHARACTERS)


def _show_imported(run: StoredRun, report: ReportedRun) -> None:
    pairs = [*import_words.facts(report, run.started_at), *_marks(run)]
    terminal.show_pairs(f"Run {run.number}", [(name, readable(text, NOTE_CHARACTERS)) for name, text in pairs])
    terminal.columns([import_words.HEAD, *import_words.rows(report)])
    for sentence in report.unread_words:
        terminal.show_paragraph(readable(sentence, NOTE_CHARACTERS), "  ")


def _marks(run: StoredRun) -> list[tuple[str, str]]:
    """What the user said about the run."""
    return [
        *[(name, readable(text, NOTE_CHARACTERS)) for name, text in (("Label", run.label), ("Note", run.note)) if text],
        *([("Deleted", f.date_time(run.deleted_at))] if run.deleted_at else []),
    ]


def _show_run(run: StoredRun) -> None:
    if run.imported is not None:
        _show_imported(run, run.imported)
        return
    if run.document is not None and stored.subject(run, run.document):
        show_subject(run, _marks(run))
        show_experiment(run)
        _show_what_happened(run)
        return
    setup, model, engine = run.setup, run.setup.model, run.setup.engine
    pairs = [
        ("Started", f.date_time(run.started_at)),
        ("Ended", f.date_time(run.end.ended_at) if run.end else NO_END),
        ("Machine", run.setup.machine.words),
        ("Model", f"{_model(run)}, {f.size(model.size_bytes)}, {readable(model.architecture)}"),
        ("File", readable(model.file)),
        ("Header (SHA-256)", model.header_sha256 or "unknown: the file could not be read"),
        *([("Work", readable(run.workload, NOTE_CHARACTERS))] if run.workload else []),
        ("Engine", f"{engine.kind} {engine.version} (build {engine.build})" if engine else "none answered"),
        *([("Python", engine.python)] if engine else []),
        ("Two Machines", setup.app_version),
        *_marks(run),
    ]
    terminal.show_pairs(f"Run {run.number}", pairs)
    if run.tests:
        show_tests([test.result for test in run.tests])
    if run.document is not None:
        show_experiment(run)
    _show_what_happened(run)


def _show_what_happened(run: StoredRun) -> None:
    for line in _what_happened(run):
        terminal.show_paragraph(line, "  ")


def _show_past(run: StoredRun, path: Path) -> None:
    """What changed since the run before, and the runs with the same settings."""
    from advisor.report import trend_words
    from advisor.session.past import past_of

    if run.imported is not None or not run.tests:
        return
    past = past_of(run, Store(path))
    if not past.changes:
        return
    print(trend_words.TITLE)
    for words in trend_words.change_sentences(past.changes):
        terminal.show_paragraph(readable(words, NOTE_CHARACTERS), "  ")
    repeated = [line for line in past.lines if len(line) > 1]
    if repeated:
        print("With the same settings")
        rows = [row for line in repeated for row in trend_words.series_rows(line[:SERIES_ROWS])]
        terminal.columns([trend_words.SERIES_HEAD, *rows])


def _what_happened(run: StoredRun) -> list[str]:
    lines = []
    if run.end is None:
        lines.append(f"{NO_END[:1].upper()}{NO_END[1:]}.")
    elif run.end.error_code:
        lines.append(_error(run.end))
    elif not run.tests and not run.unreadable and run.imported is None and run.document is None:
        lines.append("Nothing was measured.")
    if run.unreadable:
        lines.append(f"{f.plural(run.unreadable, 'measurement')} cannot be read by this version.")
    return lines


def _error(end: RunEnd) -> str:
    return readable(f"{end.sentence} {end.hint}".strip(), NOTE_CHARACTERS)


def _model(run: StoredRun) -> str:
    model = run.setup.model
    shown = readable(model.name)
    return shown if not model.label or model.label.lower() in shown.lower() else f"{shown} {model.label}"
