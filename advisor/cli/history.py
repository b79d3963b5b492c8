"""Earlier runs in a terminal: the list, one run, and what a user may say about a run."""

import argparse
from dataclasses import dataclass
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
from advisor.core.errors import UsageError
from advisor.gguf.readable import readable
from advisor.report import formatting as f
from advisor.report import import_words, stored
from advisor.session.events import Remark

NOTE_CHARACTERS = 2000
SERIES_ROWS = 8
MARKS = ("label", "note")
NO_END = "not ended: it still runs, or the program or the computer stopped in the middle"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The runs that a command is about, whether there are more, and whether it has changed anything."""

    runs: tuple[StoredRun, ...]
    more: bool = False
    changed: bool = True


def chosen_runs(path: Path, arguments: argparse.Namespace) -> Chosen:
    """Do what was asked for. Raises StoreError, UsageError."""
    store = Store(path, lambda sentence, hint: ProgressLine()(Remark(sentence, hint)))
    action, run = arguments.action, arguments.run if arguments.action else 0
    if action is None:
        wanted = [line.number for line in store.overview(arguments.deleted) if _asked_for(line, arguments)]
        return Chosen(store.listed(wanted[: arguments.limit]), len(wanted) > arguments.limit)
    changed = True
    if action in MARKS:
        words = _said(arguments)
        changed = words is not None
        if words is not None:
            (store.set_label if action == "label" else store.set_note)(run, words)
    elif action == "delete":
        store.delete_run(run)
    elif action == "restore":
        changed = store.restore_run(run)
    return Chosen((store.run(run, deleted=action == "delete"),), changed=changed)


def _said(arguments: argparse.Namespace) -> str | None:
    """The label or note to be set, "" for none; None where the present one is asked for. Raises UsageError."""
    if arguments.clear and arguments.text:
        raise UsageError(
            f"--clear takes the {arguments.action} away, and there is a new one besides.", "Give one of the two."
        )
    return " ".join(arguments.text) if arguments.text or arguments.clear else None


def _asked_for(line: RunLine, arguments: argparse.Namespace) -> bool:
    """Whether every word stands somewhere in it, and the run began on that day (ISO 8601) or later."""
    model, since = arguments.model.casefold(), arguments.since or ""
    said = (line.model, line.machine, line.engine, line.workload, line.label, line.note, line.source)
    text = "\n".join(said).casefold()
    return (
        line.started_at[: len(since)] >= since
        and model in f"{line.model}\n{line.file}".casefold()
        and all(word in text for word in arguments.text.casefold().split())
    )


def show_history(path: Path, chosen: Chosen, arguments: argparse.Namespace) -> None:
    """The list or the one run as text; what was changed as one line."""
    runs = chosen.runs
    match arguments.action:
        case None:
            if not runs and (arguments.model or arguments.since or arguments.text):
                print("No run fits.")
            else:
                _show_list(runs, chosen.more, arguments.deleted)
        case "show":
            _show_run(runs[0])
            _show_past(runs[0], path)
        case "delete":
            print(f"Run {arguments.run} is deleted.")
            print(f"  To have it back: {PROGRAM} history restore {arguments.run}")
        case "restore":
            print(f"Run {arguments.run} is back." if chosen.changed else f"Run {arguments.run} was not deleted.")
        case word:
            _show_mark(runs[0], word, chosen.changed)


def _show_mark(run: StoredRun, word: str, changed: bool) -> None:
    """What a run's label or note is now, and how to change it where it was only asked for."""
    text = run.label if word == "label" else run.note
    if changed:
        print(f"Run {run.number} has {'a new' if text else 'no'} {word}.")
        return
    if text:
        terminal.show_paragraph(readable(f"The {word} of run {run.number}: {text}", NOTE_CHARACTERS))
    else:
        print(f"Run {run.number} has no {word}.")
    print(f"  To write one: {PROGRAM} history {word} {run.number} TEXT"
          + (f"; to take it away: {PROGRAM} history {word} {run.number} --clear" if text else ""))


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
