"""Earlier runs as a list that filters as one types, and one of them whole."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal, Slot

from advisor.benchmarks.store.model import StoredRun
from advisor.benchmarks.store.overview import RunLine
from advisor.core.dates import sortable
from advisor.core.translation import marked, tr, trc, trn
from advisor.gguf.readable import readable
from advisor.report import formatting as fmt
from advisor.report import import_words
from advisor.report.left_out import named_point
from ui.bridge.history import RunList

_Index = QModelIndex | QPersistentModelIndex

HEADERS: Final = (
    marked("Run"), marked("When"), marked("Model"), marked("Prefill, tokens/s"), marked("Decode, tokens/s"),
    marked("Label"), marked("Machine"),
)  # fmt: skip
NUMBERS: Final = frozenset({3, 4})
"""Columns whose figures stand at the right."""
NUMBER_ROLE: Final = int(Qt.ItemDataRole.UserRole)
"""Role that holds a row's number of the run."""

READING: Final = marked("Reading what was measured…")
NOTHING: Final = marked("Nothing is kept here yet. Every benchmark is kept by itself and appears here.")
NOTHING_DELETED: Final = marked("No run is deleted.")
NO_FIT: Final = marked("No run has “{words}” in its model, machine, label, note or work.")
UNENDED: Final = marked("Not ended: it still runs, or the program or the computer stopped in the middle.")
LONGEST: Final = 2000
DOUBTFUL: Final = "⚠ "
WIDEST: Final = ("88888", "8888-88-88 88:88", "", f"{DOUBTFUL}88,888", f"{DOUBTFUL}88,888", "", "")
"""The widest text of each column that must never be cut; "" for those whose texts have any length."""


@dataclass(frozen=True, slots=True)
class HistoryState:
    """What stands around the list; ``empty`` in its place while there are no rows."""

    count: str = ""
    empty: str = field(default_factory=lambda: tr(READING))


@dataclass(frozen=True, slots=True)
class RunDetail:
    """One run whole.

    Attributes:
        pairs: name and value of each fact.
        head, rows: the table of what was measured.
        sentences: what went wrong, and what cannot be read.
    """

    number: int
    title: str
    pairs: tuple[tuple[str, str], ...]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sentences: tuple[str, ...]
    label: str
    note: str
    deleted: bool


def present_run(run: StoredRun) -> RunDetail:
    """Everything that is kept of a run."""
    setup, report = run.setup, run.imported
    head: tuple[str, ...]
    title = tr("Run {number}, {time}", number=run.number, time=fmt.date_time(run.started_at))
    if report is not None:
        pairs = [
            (tr("Imported from"), f"{report.source} ({tr(report.form)})"),
            (tr("Measured by"), f"{report.tool} {report.build}".strip()),
            (tr("Machine"), import_words.machine_words(report)),
            (tr("Model"), import_words.model_words(report)),
        ]
        head, rows = tuple(tr(name) for name in import_words.HEAD), tuple(import_words.rows(report))
    else:
        engine = setup.engine
        pairs = [
            (tr("Model"), f"{setup.model.name}, {fmt.size(setup.model.size_bytes)}"),
            (tr("File"), setup.model.file),
            (tr("Machine"), setup.machine.words),
            (tr("Engine"), tr("none answered") if engine is None else tr(
                "{engine} {version} (build {build})",
                engine=engine.kind, version=engine.version, build=engine.build,
            )),
            *([(tr("Work"), tr(run.workload))] if run.workload else []),
            ("Two Machines", setup.app_version),
        ]
        head = tr("Test"), tr("Speed"), tr("Stamp")
        rows = tuple(
            (named_point(test.result), fmt.tokens_per_s_spread(test.result.tokens_per_s, test.result.mad_tokens_per_s),
             ", ".join([tr(test.result.conditions.stamp),
                        *([tr("safe mode")] if test.result.safe_mode else [])]))
            for test in run.tests
        )
    return RunDetail(
        run.number, title, tuple((name, readable(text, LONGEST)) for name, text in pairs), head,
        tuple(tuple(readable(cell, LONGEST) for cell in row) for row in rows), tuple(_happened(run)), run.label,
        run.note, run.deleted_at is not None,
    )


def _happened(run: StoredRun) -> list[str]:
    lines = []
    if run.end is None:
        lines.append(tr(UNENDED))
    elif run.end.error_code:
        lines.append(readable(f"{run.end.sentence} {run.end.hint}".strip(), LONGEST))
    elif not run.tests and not run.unreadable and run.imported is None:
        lines.append(tr("Nothing was measured."))
    if run.unreadable:
        lines.append(trn(
            "{n}\u00a0measurement cannot be read by this version.",
            "{n}\u00a0measurements cannot be read by this version.",
            run.unreadable, n=fmt.count(run.unreadable),
        ))  # fmt: skip
    return lines


class HistoryModel(QAbstractTableModel):
    """The list for a view; filtering ten thousand runs takes a few milliseconds, texts are made when they are seen.

    ``state_changed`` carries a ``HistoryState``.
    """

    state_changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._held = RunList()
        self._texts: list[str] = []
        self._shown: list[RunLine] = []
        self._filter = ""
        self._order = 0, Qt.SortOrder.DescendingOrder

    @Slot(object)
    def show_runs(self, held: RunList) -> None:
        """Show these runs."""
        self._held = held
        self.say_anew()

    def say_anew(self) -> None:
        """Show the same runs once more, since the language was changed."""
        _day_words.cache_clear()  # it may be another language's
        self._texts = [_searched(line) for line in self._held.lines]
        self._show()

    @Slot(str)
    def set_filter(self, text: str) -> None:
        """Show those in which every word of the text stands."""
        self._filter = text
        self._show()

    @property
    def state(self) -> HistoryState:
        """What stands around the list now."""
        held, shown = len(self._held.lines), len(self._shown)
        if self._held.reading:
            return HistoryState()
        if not held:
            return HistoryState(empty=tr(NOTHING_DELETED if self._held.deleted else NOTHING))
        if not shown:
            return HistoryState(empty=tr(NO_FIT, words=self._filter.strip()))
        if shown == held:
            return HistoryState(fmt.plural(held, "run", "runs"), "")
        return HistoryState(trn("{shown} of {n}\u00a0run", "{shown} of {n}\u00a0runs", held,
                                shown=fmt.count(shown), n=fmt.count(held)), "")

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:  # noqa: D102
        self._order = column, order
        self._show()

    def row_of(self, number: int) -> int | None:
        """Where a run stands in the list."""
        return next((row for row, line in enumerate(self._shown) if line.number == number), None)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, D102
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, D102
        return 0 if parent.isValid() else len(HEADERS)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: D102
        if not index.isValid():
            return None
        line, column = self._shown[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _cell(line, column)
        if role == NUMBER_ROLE:
            return line.number
        if role == Qt.ItemDataRole.TextAlignmentRole and column in NUMBERS:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole:
            return _tip(line)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ": ".join((tr(HEADERS[column]), _cell(line, column) or trc("cell", "none")))
        return None

    def headerData(  # noqa: D102
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            unit = tr("tokens/s")
            return tr(HEADERS[section]).replace(f", {unit}", f"\n{unit}")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section in NUMBERS else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def _show(self) -> None:
        words = self._filter.casefold().split()
        self.beginResetModel()
        self._shown = [line for line, text in zip(self._held.lines, self._texts, strict=True)
                       if all(word in text for word in words)]
        column, order = self._order
        if column >= 0:
            self._shown.sort(key=lambda line: _sorted_by(line, column), reverse=order == Qt.SortOrder.DescendingOrder)
        self.endResetModel()
        self.state_changed.emit(self.state)


def _searched(line: RunLine) -> str:
    return "\n".join((
        str(line.number), _when(line), _day_words(line.started_at[:10]), line.model, line.machine, line.engine,
        line.workload, tr(line.workload), line.label, line.note, line.source,
    )).casefold()  # fmt: skip


def _cell(line: RunLine, column: int) -> str:
    match column:
        case 0:
            return str(line.number)
        case 1:
            return _when(line)
        case 2:
            return readable(line.model) or tr(import_words.UNKNOWN)
        case 3:
            return _speed(line.prefill_tokens_per_s, line.doubtful)
        case 4:
            return _speed(line.decode_tokens_per_s, line.doubtful)
        case 5:
            return readable(line.label)
    return readable(line.machine) or tr(import_words.UNKNOWN)


def _when(line: RunLine) -> str:
    """Date and time as they sort and as one can type them into the filter."""
    return sortable(line.started_at)


@lru_cache(maxsize=4096)
def _day_words(day: str) -> str:
    """The day as the run's own title says it, since that can be typed, too."""
    return fmt.day(day)


def _speed(tokens_per_s: float | None, doubtful: bool) -> str:
    if tokens_per_s is None:
        return "–"
    return f"{DOUBTFUL if doubtful else ''}{fmt.number(tokens_per_s)}"


def _tip(line: RunLine) -> str:
    parts = [
        line.label, line.note, line.machine, line.engine, tr(line.workload),
        tr("imported from {source}", source=line.source) if line.source else "",
        tr("measured while disturbed") if line.doubtful else "",
        "" if line.ended or line.source else tr(UNENDED),
    ]
    return "\n".join(readable(part, LONGEST) for part in parts if part)


def _sorted_by(line: RunLine, column: int) -> Any:
    match column:
        case 0:
            return line.number
        case 1:
            return line.started_at
        case 2:
            return line.model.casefold(), line.number
        case 3:
            return line.prefill_tokens_per_s or -1.0
        case 4:
            return line.decode_tokens_per_s or -1.0
        case 5:
            return line.label.casefold(), line.number
    return line.machine.casefold(), line.number
