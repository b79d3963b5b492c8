"""Logging, configured once: a rotating file in the log folder, and Qt's own messages in it."""

import faulthandler
import logging
import logging.handlers
from pathlib import Path
from typing import IO, Final

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

LOG_BYTES: Final = 1_000_000
LOG_FILES: Final = 3
LOG_NAME: Final = "two-machines.log"
FAULTS_NAME: Final = "faults.log"

LEVELS: Final = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}

qt_log = logging.getLogger("qt")


def configure(folder: Path) -> IO[str] | None:
    """Send the log into this folder; returns the open file of the fault handler, which must stay open.

    Where the folder cannot be written the program goes on without a log file.
    """
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    qInstallMessageHandler(_from_qt)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            folder / LOG_NAME, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8", delay=True
        )
        faults = (folder / FAULTS_NAME).open("w", encoding="utf-8")
    except OSError as error:
        faulthandler.enable()
        logging.getLogger(__name__).warning("no log file: %s", error)
        return None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(process)d %(name)s: %(message)s"))
    root.addHandler(handler)
    faulthandler.enable(faults)
    return faults


def _from_qt(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    qt_log.log(LEVELS.get(kind, logging.WARNING), "%s", text)
