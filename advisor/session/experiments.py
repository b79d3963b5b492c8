"""Keeps experiments that are no tests, and finds them again; a store that cannot be used is a loss of memory only."""

import logging
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from advisor import __version__
from advisor.benchmarks.model import EngineFacts, Phase, Stamp, Sweep, TestResult
from advisor.benchmarks.store.codec import decode, encode
from advisor.benchmarks.store.model import (
    DocumentKind,
    EngineIdentity,
    Figure,
    MachineIdentity,
    ModelIdentity,
    RunEnd,
    Setup,
    StoredDocument,
    StoreError,
    identity_of,
)
from advisor.benchmarks.store.store import Store
from advisor.benchmarks.stutter.model import NOT_MEASURED, Stutter
from advisor.core.evidence import Basis, Fact, Known
from advisor.core.translation import marked, tr, trn
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report import formatting as f
from advisor.report.privacy import without_personal_paths
from advisor.report.server_document import ServerDocument, document_values
from advisor.session.events import Listener, Remark
from advisor.session.recording import BUSY_S, HINT, setup_of

log = logging.getLogger(__name__)

LOOKED_AT: Final = 10
"""Newest experiments of a kind that are looked through."""

PIECES: Final = marked("worst gap, pieces of {tokens}")


class Experiments:
    """The experiments of one store.

    Args:
        path: the store's file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def keep_stutter(
        self,
        model: ModelFacts,
        machine: Machine,
        engine: Fact[EngineFacts],
        stutter: Stutter,
        started_at: str,
        code: str,
        listener: Listener,
    ) -> None:
        """Keep the experiment; ``code`` is that of the error which ended it early, "" where none did."""
        clean = without_personal_paths(stutter, model_path=model.path)
        setup = without_personal_paths(setup_of(model, machine, engine), model_path=model.path)
        end = RunEnd(clean.created_at, code, clean.interrupted) if clean.interrupted else RunEnd(clean.created_at)
        figures = tuple(
            Figure(tr(PIECES, tokens=f.tokens(each.chunk_tokens)), each.worst_s, "s") for each in clean.pauses()
        )
        stored = StoredDocument(DocumentKind.STUTTER.value, "", str(clean.conditions.stamp), figures, encode(clean))
        streams = clean.spec.n_streams
        work = trn(
            "Stutter: {tokens} arrive among {n}\u00a0stream", "Stutter: {tokens} arrive among {n}\u00a0streams",
            streams, tokens=f.tokens(clean.spec.n_prompt), n=f.count(streams),
        )  # fmt: skip
        self._add(started_at, setup, work, stored, end, listener)

    def newest_stutter(
        self, model: ModelFacts, machine: Machine, engine: Fact[EngineFacts], tests: Sequence[TestResult]
    ) -> Fact[Stutter]:
        """The newest one to be believed of this machine, model, engine build and of the settings of ``tests``."""
        settings = {_setting(row) for row in tests if row.sweep is Sweep.PHASES}
        setup = without_personal_paths(setup_of(model, machine, engine), model_path=model.path)
        try:
            runs = Store(self._path, busy_s=BUSY_S).documents(DocumentKind.STUTTER, setup, LOOKED_AT)
        except StoreError as error:
            log.warning("earlier experiments cannot be read: %s", error)
            return NOT_MEASURED
        for run in runs:
            assert run.document is not None
            try:
                found: Stutter = decode(Stutter, run.document.body)
            except ValueError as error:
                log.warning("the experiment of run %s cannot be understood: %s", run.number, error)
                continue
            spec = found.spec
            same = (spec.n_threads, spec.n_ubatch, spec.flash_attention, spec.kv_type, found.device, found.mode)
            if same in settings and found.conditions.stamp is not Stamp.INVALID:
                return Known(found, Basis.MEASURED, tr("the stutter experiment of run {n}", n=run.number))
        return NOT_MEASURED

    def keep_server(self, document: ServerDocument, machine: Machine | None, listener: Listener) -> None:
        """Keep what was measured of a server; ``machine`` is this one where the server runs on it."""
        result, facts = document.result, document.result.facts
        setup = Setup(
            app_version=__version__,
            machine=identity_of(machine) if machine is not None else MachineIdentity("", 0),
            model=ModelIdentity(facts.model, facts.model, 0, "", "", ""),
            engine=EngineIdentity(str(facts.kind), facts.version.or_none() or "", "", ""),
        )
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        first = next(iter(result.failures.values()), None)
        said = result.interrupted or (first.sentence if first is not None else "")
        end = RunEnd(now, "server", said) if said else RunEnd(now)
        stamp = Stamp.SUSPECT if result.doubts else Stamp.VALID
        stored = StoredDocument(
            DocumentKind.SERVER.value, facts.base_url, str(stamp), server_figures(document), document_values(document)
        )
        self._add(document.created_at, setup, "", stored, end, listener)

    def _add(
        self, started_at: str, setup: Setup, workload: str, document: StoredDocument, end: RunEnd, listener: Listener
    ) -> None:
        from uuid import uuid4

        store = Store(self._path, lambda sentence, hint: listener(Remark(sentence, hint)), busy_s=BUSY_S)
        try:
            store.add_document(uuid4().hex, started_at, setup, workload, document, end)
        except StoreError as error:
            log.warning("the experiment was not saved: %s", error)
            listener(Remark(error.sentence, f"{tr(HINT)} {error.hint}".rstrip()))


def server_figures(document: ServerDocument) -> tuple[Figure, ...]:
    """Both phases and the worst gap, as far as they were measured; the names are keys, which the list of runs knows."""
    result, figures = document.result, []
    prefill, stutter = result.prefill.or_none(), result.stutter.or_none()
    speed = None if prefill is None else prefill.tokens_per_s.or_none()
    if prefill is not None and speed is not None:
        figures.append(Figure(Phase.PREFILL.value, speed, "tokens_per_s", prefill.spread_tokens_per_s))
    if decode := result.decode_tokens_per_s:
        figures.append(Figure(Phase.DECODE.value, decode.median, "tokens_per_s", decode.mad))
    if stutter is not None:
        figures.append(Figure(marked("worst gap"), stutter.during_s.worst, "s"))
    return tuple(figures)


def _setting(row: TestResult) -> tuple[object, ...]:
    return (row.n_threads, row.n_ubatch, row.flash_attention, row.kv_type, row.device, row.mode)
