"""Files that macOS asks a running program to open: it sends an event instead of an argument."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFileOpenEvent


class FileOpener(QObject):
    """An event filter of the application that hands such files on."""

    def __init__(self, parent: QObject, opened: Callable[[Path], None]) -> None:
        super().__init__(parent)
        self._opened = opened

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the event where it names a file of this machine."""
        if isinstance(event, QFileOpenEvent) and event.file():
            self._opened(Path(event.file()))
            return True
        return super().eventFilter(watched, event)
