"""Asking for a file to read or to write, beside a window that goes on working; the last folder is remembered."""

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QDir, Qt
from PySide6.QtWidgets import QFileDialog, QWidget


class FileDialogs:
    """The dialogs of one window."""

    def __init__(self, parent: QWidget) -> None:
        self._parent = parent
        self._folder = ""

    def ask_file(self, title: str, filters: str, picked: Callable[[str], None]) -> None:
        """Ask for a file that is there."""
        dialog = QFileDialog(self._parent, title, self._folder, filters)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        self._open(dialog, picked)

    def ask_target(
        self, title: str, filters: Mapping[str, str], name: str, picked: Callable[[str], None], first: str = ""
    ) -> None:
        """Ask where to write; ``filters`` holds the words of each ending, ``first`` the one that is chosen at first."""
        dialog = QFileDialog(self._parent, title, self._folder or QDir.homePath(), ";;".join(filters.values()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        first = first or next(iter(filters))
        dialog.selectNameFilter(filters[first])
        dialog.setDefaultSuffix(first)
        dialog.selectFile(f"{name}.{first}")
        endings = {words: ending for ending, words in filters.items()}
        dialog.filterSelected.connect(lambda words: dialog.setDefaultSuffix(endings.get(words, first)))
        self._open(dialog, picked)

    def remember(self, path: Path) -> None:
        """Begin where that file lies next time."""
        self._folder = str(path.parent)

    def _open(self, dialog: QFileDialog, picked: Callable[[str], None]) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(picked)
        dialog.open()
