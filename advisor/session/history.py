"""What the window asks of the stored results; every call reads or writes the file and belongs on a worker thread."""

from pathlib import Path
from typing import Final

from advisor.benchmarks.store.model import StoredRun, identity_of
from advisor.benchmarks.store.overview import RunLine
from advisor.benchmarks.store.store import Store
from advisor.comparison.model import Comparison
from advisor.comparison.trend import RunPast
from advisor.gguf.identity import header_sha256
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report.document import Document
from advisor.session.comparing import compared
from advisor.session.past import document_of, past_of

EARLIER: Final = 4
"""Runs that stand beside the present one; the newest of them may be that one."""


class History:
    """The runs of one file. Every method raises StoreError.

    Args:
        path: the store's file.
    """

    def __init__(self, path: Path) -> None:
        self._said: list[tuple[str, str]] = []
        self._store = Store(path, lambda sentence, hint: self._said.append((sentence, hint)))

    def remarks(self) -> tuple[tuple[str, str], ...]:
        """Sentence and hint of what became of the file since the last time, as that a damaged one was set aside."""
        said, self._said = self._said, []
        return tuple(said)

    def overview(self, deleted: bool) -> tuple[RunLine, ...]:
        """Every run, newest first; the deleted ones instead of the others where ``deleted``."""
        return self._store.overview(deleted)

    def run(self, number: int) -> StoredRun:
        """One run with all it holds, also one that is deleted, for the list of those. Raises NoSuchRun."""
        return self._store.run(number, deleted=True)

    def past(self, number: int) -> RunPast:
        """One run beside those of the same model and machine before it. Raises NoSuchRun."""
        return past_of(self._store.run(number, deleted=True), self._store)

    def document(self, number: int) -> Document:
        """The whole result of a run, for every exporter. Raises NoSuchRun, DeletedRun, BadFile."""
        return document_of(self._store.run(number), self._store)

    def compare(self, base: int, other: int) -> Comparison:
        """One run against another. Raises NoSuchRun, DeletedRun, and BadFile where there is nothing to compare."""
        return compared([str(base), str(other)], self._store)[0]

    def set_label(self, number: int, text: str) -> None:
        """Give a run a name; "" takes it away. Raises NoSuchRun, DeletedRun."""
        self._store.set_label(number, text)

    def set_note(self, number: int, text: str) -> None:
        """Write a note to a run; "" takes it away. Raises NoSuchRun, DeletedRun."""
        self._store.set_note(number, text)

    def delete(self, number: int) -> None:
        """Hide a run; nothing is removed. Raises NoSuchRun, DeletedRun."""
        self._store.delete_run(number)

    def restore(self, number: int) -> None:
        """Show a deleted run again. Raises NoSuchRun."""
        self._store.restore_run(number)

    def earlier(self, model: ModelFacts, machine: Machine) -> tuple[StoredRun, ...]:
        """The newest runs of that model on that machine."""
        header = header_sha256(model.engine_file).or_none() or ""
        return self._store.alike(identity_of(machine), header, EARLIER)
