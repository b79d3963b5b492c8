"""An experiment out of the history in a terminal."""

from advisor.benchmarks.store.model import StoredRun
from advisor.benchmarks.stutter.model import STALL_S, Stutter
from advisor.cli import terminal
from advisor.gguf.readable import readable
from advisor.report import formatting as f
from advisor.report.server_document import ServerDocument
from advisor.report.stored import experiment_of, rows, subject

CANNOT = "This version cannot read the whole of the experiment, which another one has kept, or which is damaged."


def show_subject(run: StoredRun, marks: list[tuple[str, str]]) -> None:
    """Of a server, what an own engine's run says in another way: when, which, by which version."""
    assert run.document is not None
    what = subject(run, run.document)
    if what:
        pairs = [
            ("Started", f.date_time(run.started_at)),
            ("Ended", f.date_time(run.end.ended_at) if run.end else "not known"),
            ("Server", what),
            ("Machine", run.setup.machine.words or "another one: unknown"),
            ("Two Machines", run.setup.app_version),
            *marks,
        ]
        terminal.show_pairs(f"Run {run.number}", [(name, readable(text)) for name, text in pairs])


def show_experiment(run: StoredRun) -> None:
    """All of it as it was shown when it was measured; its figures alone where it cannot be understood."""
    assert run.document is not None
    found = experiment_of(run.document)
    if isinstance(found, Stutter):
        from advisor.cli.chunk import show_stutter  # with what measures, which a list does without

        show_stutter(found, STALL_S)
    elif isinstance(found, ServerDocument):
        from advisor.cli.server import show_result

        show_result(found.result, found.verdict)
    else:
        terminal.columns(rows(run.document) or [("nothing measured", "", "")])
        terminal.show_paragraph(CANNOT, "  ")
