"""Every test as a table: the twin of the charts for screen readers and for copying."""

from dataclasses import dataclass
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from advisor.benchmarks.model import Phase, Stamp, Sweep, TestResult
from advisor.ceilings.model import Ceilings
from advisor.core.translation import marked, tr
from advisor.report import formatting as fmt
from advisor.report import wording
from advisor.report.left_out import named_point

SORT_ROLE: Final = int(Qt.ItemDataRole.UserRole)
"""Role that holds the number behind a cell's text."""

_Index = QModelIndex | QPersistentModelIndex

HEADERS: Final = (
    marked("Test"), marked("Curve"), marked("Speed"), marked("Of ceiling"), marked("Runs"), marked("Threads"),
    marked("Device"), marked("Stamp"),
)  # fmt: skip
CURVES: Final = {
    Sweep.PHASES: marked("phases"), Sweep.DEPTH: marked("depth"), Sweep.THREADS: marked("threads"),
    Sweep.BATCH: marked("batch"), Sweep.UBATCH: marked("ubatch"), Sweep.FLASH_ATTENTION: marked("flash-attention"),
    Sweep.KV_TYPE: marked("kv-type"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """Text, the value to sort by, and a tool tip."""

    text: str
    sort: str | float
    tip: str = ""


def present_measurements(tests: tuple[TestResult, ...], ceilings: Ceilings | None) -> tuple[tuple[Cell, ...], ...]:
    """One row per test, cells in the order of ``HEADERS``."""
    return tuple(_row(test, ceilings) for test in tests)


def _row(test: TestResult, ceilings: Ceilings | None) -> tuple[Cell, ...]:
    ceiling = None
    comparable = test.sweep is Sweep.PHASES and test.n_streams == 1
    if ceilings is not None and comparable and test.n_depth == ceilings.depth:
        fact = ceilings.prefill_tokens_per_s if test.phase is Phase.PREFILL else ceilings.decode_tokens_per_s
        ceiling = fact.or_none()
    share = test.tokens_per_s / ceiling if ceiling else None
    runs = fmt.count(len(test.samples_s)) + ("" if test.complete else ", " + tr("stopped early"))
    stamp = tr(test.conditions.stamp)
    because = "; ".join(tr(clause) for clause in test.conditions.because)
    return (
        Cell(named_point(test), named_point(test)),
        Cell(tr(CURVES[test.sweep]), str(test.sweep)),
        Cell(fmt.tokens_per_s_spread(test.tokens_per_s, test.mad_tokens_per_s), test.tokens_per_s,
             "; ".join(filter(None, (
                 ", ".join(fmt.tokens_per_s(speed) for speed in test.samples_tokens_per_s), wording.cold_words(test),
             )))),
        Cell(fmt.of_ceiling(share), share) if share is not None else Cell(tr("unknown") if comparable else "", -1.0),
        Cell(runs, len(test.samples_s)),
        Cell(str(test.n_threads), test.n_threads),
        Cell(test.device + (", " + tr("safe mode") if test.safe_mode else ""), test.device, test.engine),
        Cell(stamp if test.conditions.stamp is Stamp.VALID else f"⚠ {stamp}: {because}", str(test.conditions.stamp),
             because),
    )


class MeasurementsModel(QAbstractTableModel):
    """The table for a view; ``set_rows`` replaces everything."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[tuple[Cell, ...], ...] = ()

    def set_rows(self, rows: tuple[tuple[Cell, ...], ...]) -> None:
        """Show these rows."""
        if rows != self._rows:
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, D102
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008, D102
        return 0 if parent.isValid() else len(HEADERS)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: D102
        if not index.isValid():
            return None
        cell = self._rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        if role == SORT_ROLE:
            return cell.sort
        if role == Qt.ItemDataRole.ToolTipRole:
            return cell.tip or None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{tr(HEADERS[index.column()])}: {cell.text}"
        return None

    def headerData(  # noqa: D102
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return tr(HEADERS[section])
        return None

    def figures(self) -> tuple[tuple[str, ...], tuple[tuple[str | float, ...], ...]]:
        """The table with numbers where a cell stands for one; the head is English whatever the language."""
        head = tuple({"Speed": "Speed, tokens/s", "Of ceiling": "Share of ceiling"}.get(name, name) for name in HEADERS)
        return head, tuple(
            tuple(cell.sort if isinstance(cell.sort, float) and cell.sort >= 0 else cell.text for cell in row)
            for row in self._rows
        )

    def as_text(self) -> str:
        """The table with tabs between cells, for the clipboard."""
        head = "\t".join(tr(name) for name in HEADERS)
        lines = [head, *("\t".join(cell.text for cell in row) for row in self._rows)]
        return "\n".join(lines)
