"""A file that the desktop hands to the running program is opened."""

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QUrl
from PySide6.QtGui import QFileOpenEvent
from pytestqt.qtbot import QtBot

from ui.shell.file_open import FileOpener


def test_the_file_is_handed_on_and_nothing_else(qtbot: QtBot, tmp_path: Path) -> None:
    opened: list[Path] = []
    watched = QObject()
    watched.installEventFilter(FileOpener(watched, opened.append))
    model = tmp_path / "model.gguf"
    QCoreApplication.sendEvent(watched, QFileOpenEvent(QUrl.fromLocalFile(str(model))))
    QCoreApplication.sendEvent(watched, QFileOpenEvent(QUrl("https://example.org/model.gguf")))
    QCoreApplication.sendEvent(watched, QEvent(QEvent.Type.User))
    assert opened == [model]
