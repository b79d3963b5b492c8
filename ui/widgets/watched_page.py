"""A page that tells when it comes and goes, so that nothing is read for what nobody sees."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget


class WatchedPage(QWidget):
    """``shown`` with whether the page is in sight."""

    shown = Signal(bool)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: D102
        super().showEvent(event)
        self.shown.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: D102
        super().hideEvent(event)
        self.shown.emit(False)
