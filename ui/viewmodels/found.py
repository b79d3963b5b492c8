"""Models on this machine as a list: pure states, and the item model that both lists share."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal, Slot

from advisor.core.numbers import count, plural, size
from advisor.core.translation import tr, trn
from advisor.gguf.discover.model import Discovery, FoundModel
from advisor.gguf.readable import readable

DETAIL_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 1
"""Who keeps the file, and how many files it has: str."""
SIZE_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 4
"""All its files, as text."""
PATH_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 2
"""What to open: Path."""
WARNING_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 3
"""Whether files of the model are missing: bool."""

LONGEST_TIP: Final = 1000


@dataclass(frozen=True, slots=True)
class FoundRow:
    """One model; ``spoken`` is what a screen reader says."""

    name: str
    size: str
    detail: str
    tip: str
    spoken: str
    path: Path
    warning: bool = False


@dataclass(frozen=True, slots=True)
class FoundState:
    """What stands above and below the list; an empty text is not shown, nor a list without ``rows``."""

    heading: str
    rows: int = 0
    note: str = ""
    note_tip: str = ""


def present_found(discovery: Discovery | None) -> FoundState:
    """What stands around the list; None while nothing is known yet."""
    if discovery is None:
        return FoundState("", note=tr("Looking for models on this computer…"))
    rows = len(discovery.models)
    notes = [tr(note) for note in discovery.notes]
    many = tr("{remarks} about what is not listed", remarks=plural(len(notes), "remark", "remarks"))
    note = f"⚠ {notes[0] if len(notes) == 1 else many}" if notes else ""
    tip = "\n".join(notes)
    if not rows:
        return FoundState("", 0, note or tr("No models of other programs were found on this computer."), tip)
    total = size(sum(model.size_bytes for model in discovery.models))
    models = plural(rows, "MODEL", "MODELS")
    return FoundState(tr("ON THIS COMPUTER: {models}, {total}", models=models, total=total), rows, note, tip)


def present_row(model: FoundModel) -> FoundRow:
    """One model; made when its row is painted, since thousands at once would be felt."""
    if model.missing_shards:
        files = trn(
            "⚠ {missing} of {n}\u00a0file missing", "⚠ {missing} of {n}\u00a0files missing", model.shards,
            missing=model.missing_shards, n=count(model.shards),
        )  # fmt: skip
    else:
        files = plural(model.shards, "file", "files") if model.shards > 1 else ""
    parts = [tr(model.source), *([files] if files else [])]
    return FoundRow(
        name=model.name,
        size=size(model.size_bytes),
        detail=" · ".join(parts),
        tip=readable(str(model.path), LONGEST_TIP),
        spoken=", ".join((model.name, size(model.size_bytes), *parts)),
        path=model.path,
        warning=bool(model.missing_shards),
    )


class FoundModels(QAbstractListModel):
    """The rows of both lists; keeps them, and with them the place in the list, while a new search finds the same."""

    state_changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._discovery: Discovery | None = None
        self._models: tuple[FoundModel, ...] = ()

    @property
    def state(self) -> FoundState:
        """What is shown now."""
        return present_found(self._discovery)

    @Slot(object)
    def show_discovery(self, discovery: Discovery | None) -> None:
        """Show what a search found."""
        models = discovery.models if discovery is not None else ()
        if models != self._models:
            self.beginResetModel()
            self._models = models
            self.endResetModel()
        self._discovery = discovery
        self.state_changed.emit(self.state)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008, D102
        return 0 if parent.isValid() else len(self._models)

    def data(  # noqa: D102
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if not index.isValid() or index.row() >= len(self._models):
            return None
        row = present_row(self._models[index.row()])
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.name
            case Qt.ItemDataRole.ToolTipRole:
                return row.tip
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken
        if role == DETAIL_ROLE:
            return row.detail
        if role == SIZE_ROLE:
            return row.size
        if role == WARNING_ROLE:
            return row.warning
        return row.path if role == PATH_ROLE else None
