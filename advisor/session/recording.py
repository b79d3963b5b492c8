"""Keeps what a pipeline measures: each finished test is saved at once, and the run's end with it.

A store that cannot be used is a loss of memory only: it is said once and measuring goes on.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from advisor import __version__
from advisor.benchmarks.model import EngineFacts, TestResult
from advisor.benchmarks.store.connection import cannot
from advisor.benchmarks.store.model import (
    EngineIdentity,
    ModelIdentity,
    NoSuchRun,
    RunEnd,
    Setup,
    StoreBusy,
    StoreError,
    identity_of,
)
from advisor.benchmarks.store.store import Store
from advisor.benchmarks.store.upkeep import Say
from advisor.core.errors import AdvisorError, UsageError
from advisor.core.evidence import Fact, Known
from advisor.core.translation import marked, tr
from advisor.gguf.identity import header_sha256
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report.codec import json_text
from advisor.report.document import Document
from advisor.report.exporters.as_json import document_json
from advisor.report.privacy import without_personal_paths
from advisor.session.events import Event, Listener, Remark, TestFinished

log = logging.getLogger(__name__)

HINT: Final = marked("Measuring goes on; save the report to keep its figures.")
BUSY_S: Final = 2.0
"""How long a measurement's parent waits for another process's write; what is not written then is tried again."""


@dataclass(frozen=True, slots=True)
class About:
    """What a run is kept with beside its tests.

    Attributes:
        key: unlike any other run's (a UUID), so that the finished document can be added.
        before: the document before the first test: machine, engine, model, ceilings, work.
    """

    key: str
    before: Document


class Recordings:
    """The recorder of every run of one pipeline.

    Args:
        path: the store's file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._complained = False

    def complete(self, key: str, document: Document) -> None:
        """Keep the finished document of a run that was recorded; a failure was said before or costs a report only."""
        try:
            Store(self._path, busy_s=BUSY_S).add_diagnosis(key, json_text(document_json(document)))
        except StoreError as error:
            log.warning("the diagnosis was not saved: %s", error)

    @contextmanager
    def run(
        self, model: ModelFacts, machine: Machine, engine: Fact[EngineFacts], listener: Listener, workload: str = "",
        about: About | None = None,
    ) -> "Iterator[Recorder]":
        """A recorder of one run, to be listened with; a run that was wrong usage leaves nothing.

        ``workload`` says in words what it is made for; empty for nothing in particular. ``about`` is what else is kept.
        """

        def complain(sentence: str, hint: str) -> None:
            if not self._complained:
                self._complained = True
                listener(Remark(sentence, hint))

        store = Store(self._path, lambda sentence, hint: listener(Remark(sentence, hint)), busy_s=BUSY_S)
        recorder = Recorder(store, listener, complain, workload, about)
        recorder.begin(model, machine, engine)
        try:
            yield recorder
        except UsageError:
            raise
        except AdvisorError as error:
            recorder.finish((), error)
            raise
        finally:
            if recorder.saved:
                self._complained = False


class Recorder:
    """A listener that saves tests and passes everything on.

    The run itself is written with its first test or its end. What could not be written is tried again with the next.

    Args:
        store: where to.
        listener: hears every event as before.
        complain: hears sentence and hint of what kept something from being saved.
        workload: what the run is made for, in words.
        about: the run's key and its document before the first test.

    Attributes:
        saved: whether everything is in the store, the run's end included.
    """

    def __init__(
        self, store: Store, listener: Listener, complain: Say, workload: str = "", about: About | None = None
    ) -> None:
        self._workload = workload
        self._about = about
        self._before = ""
        self.saved = False
        self._store = store
        self._listener = listener
        self._complain = complain
        self._key = about.key if about else uuid4().hex
        self._started_at = _now()
        self._setup: Setup | None = None
        self._clean: Callable[[Any], Any] = without_personal_paths
        self._tests: list[tuple[str, TestResult]] = []
        self._end: RunEnd | None = None
        self._begun, self._written = False, 0

    def begin(self, model: ModelFacts, machine: Machine, engine: Fact[EngineFacts]) -> None:
        """Make everything ready now, so that nothing but short writes happens beside the measurements."""
        self._clean = partial(without_personal_paths, model_path=model.path)
        with self._harmless(last=False):
            self._setup = self._clean(setup_of(model, machine, engine))
            self._before = json_text(document_json(self._about.before)) if self._about else ""
            self._store.prepare()

    def __call__(self, event: Event) -> None:
        """Save a finished test, then pass the event on."""
        if isinstance(event, TestFinished):
            self._tests.append((_now(), event.result))
            self._save(last=False)
        self._listener(event)

    def finish(self, tests: Sequence[TestResult], error: AdvisorError | None) -> None:
        """The run is over.

        Args:
            tests: all of its tests; those that ended early were not announced and are saved now.
            error: why it is not complete, None when it is.
        """
        announced = [test for _, test in self._tests]
        self._tests += [(_now(), test) for test in tests if test not in announced]
        self._end = RunEnd(_now(), error.code, error.sentence, error.hint) if error else RunEnd(_now())
        self._save(last=True)

    def _save(self, last: bool) -> None:
        with self._harmless(last):
            try:
                self._write()
            except NoSuchRun:  # the file was replaced by a fresh one in the middle of the run
                self._begun, self._written = False, 0
                self._write()

    def _write(self) -> None:
        if self._setup is None:
            return
        if not self._begun:
            self._store.begin_run(self._key, self._started_at, self._setup, self._workload)
            self._begun = True
            if self._before:
                self._store.add_diagnosis(self._key, self._before)
        for measured_at, test in self._tests[self._written :]:
            self._store.add_test(self._key, measured_at, self._setup, self._clean(test))
            self._written += 1
        if self._end is not None:
            self._store.end_run(self._key, self._clean(self._end))
            self.saved = True

    @contextmanager
    def _harmless(self, last: bool) -> Iterator[None]:
        """Whatever goes wrong is said and ends here; waiting for another process is worth a word only at the end."""
        try:
            yield
        except StoreBusy as error:
            log.info("not saved yet: %s", error)
            if last:
                self._complain(error.sentence, f"{tr(HINT)} {error.hint}".rstrip())
        except StoreError as error:
            log.warning("not saved: %s", error)
            self._complain(error.sentence, f"{tr(HINT)} {error.hint}".rstrip())
        except Exception:
            log.exception("not saved")
            self._complain(cannot(tr("the program made an error, which its log tells")), tr(HINT))


def setup_of(model: ModelFacts, machine: Machine, engine: Fact[EngineFacts]) -> Setup:
    """What is measured with; reads the model's header once more, about 0.1 s."""
    return Setup(
        app_version=__version__,
        machine=identity_of(machine),
        model=ModelIdentity(
            file=model.path.name,
            name=model.name,
            size_bytes=model.file_bytes,
            header_sha256=header_sha256(model.engine_file).or_none() or "",
            architecture=model.architecture,
            label=model.label.or_none() or "",
            types=dict(model.types),
        ),
        engine=EngineIdentity(engine.value.name, engine.value.version, engine.value.build, engine.value.python)
        if isinstance(engine, Known)
        else None,
    )


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
