"""Everything that went wrong reaches the user as one kind of value: a notice."""

import logging
import sys
import threading
import traceback
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Final

from PySide6.QtCore import QObject, Signal

from advisor.core.errors import AdvisorError, Cancelled
from advisor.core.home import home_folder
from advisor.core.retelling import retold
from advisor.core.translation import marked, tr

log = logging.getLogger(__name__)

UNEXPECTED: Final = marked("Something unexpected happened.")
UNEXPECTED_HINT: Final = marked("The details are in the log; copy them when you report this.")


class Severity(StrEnum):
    """How loud a notice is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to tell the user.

    Attributes:
        details: for the person who helps: fields or a traceback, paths shortened; empty when there is nothing more.
        count: how often it happened in a row.
    """

    severity: Severity
    sentence: str
    hint: str = ""
    details: str = ""
    count: int = 1

    def same_as(self, other: "Notice") -> bool:
        """Whether both say the same, however often."""
        return (self.severity, self.sentence, self.hint) == (other.severity, other.sentence, other.hint)

    def as_text(self) -> str:
        """What the copy button puts on the clipboard."""
        return "\n".join(part for part in (self.sentence, self.hint, self.details) if part)


def shortened(text: str, home: Path | None = None) -> str:
    """The text with the user's folder written as ``~``, so that a copied report names nobody."""
    folder = str(home if home is not None else home_folder() or "")
    return text if folder in ("", "/") else text.replace(folder, "~")


def notice_from(error: BaseException) -> Notice:
    """The notice of an error: its own sentence and hint, or the one for the unexpected with a traceback."""
    if isinstance(error, AdvisorError):
        severity = Severity.INFO if isinstance(error, Cancelled) else Severity.ERROR
        details = "\n".join(f"{key}: {value}" for key, value in error.fields.items())
        return Notice(severity, error.sentence, error.hint, shortened(details))
    details = "".join(traceback.format_exception(error))
    return Notice(Severity.ERROR, tr(UNEXPECTED), tr(UNEXPECTED_HINT), shortened(details))


class NoticeCentre(QObject):
    """Where notices arrive from any thread, and leave on the thread of this object.

    ``posted`` carries a ``Notice``; the same one again arrives with a higher ``count``.
    """

    posted = Signal(object)
    _arrived = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last: Notice | None = None
        self._arrived.connect(self._take)

    def post(self, notice: Notice) -> None:
        """Tell the user; may be called on any thread."""
        self._arrived.emit(notice)

    def post_error(self, error: BaseException) -> None:
        """Tell the user about an error and log what nobody expected; any thread."""
        notice = notice_from(error)
        if isinstance(error, AdvisorError):
            log.warning("told the user: %s %s", notice.sentence, notice.details.replace("\n", "; "))
        else:
            log.error("unexpected", exc_info=error)
        self.post(notice)

    @property
    def standing(self) -> Notice | None:
        """The notice that the user has not closed yet, in the words it came in."""
        return self._last

    def dismissed(self) -> None:
        """The user closed the notice; the same one would be news again."""
        self._last = None

    def _take(self, notice: Notice) -> None:
        if self._last is not None and retold(self._last).same_as(retold(notice)):
            notice = replace(notice, count=self._last.count + 1)
        self._last = notice
        self.posted.emit(notice)



def install_hooks(centre: NoticeCentre) -> None:
    """Send uncaught exceptions of slots and threads to the notices; call once per process."""

    def of_main(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        centre.post_error(error)

    def of_thread(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and not issubclass(args.exc_type, SystemExit):
            centre.post_error(args.exc_value)

    sys.excepthook = of_main
    threading.excepthook = of_thread
