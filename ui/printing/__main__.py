"""``python -m ui.printing RESULT.json OUT.pdf [a4|letter] [en|de]``: the PDF of a result, with or without a display."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from PySide6.QtGui import QGuiApplication

from advisor.core.errors import AdvisorError, UsageError
from advisor.core.translation import LANGUAGES, use
from advisor.report.import_report import read_import_report
from advisor.report.loader import read_document
from advisor.report.server_document import read_server_document
from ui.printing.import_pages import print_import
from ui.printing.paper import PAPERS, Paper
from ui.printing.pdf import print_document
from ui.printing.server_pages import print_server

USE: Final = "Use: python -m ui.printing RESULT.json OUT.pdf [a4|letter] [en|de]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 when the PDF is there, else the error's exit code with a sentence on standard error."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if len(given) < 2 or any(argument.startswith("-") for argument in given):
            raise UsageError("Two files are needed.", USE)
        paper = None
        for wish in given[2:]:
            if wish in LANGUAGES:
                use(wish)
            elif wish in PAPERS:
                paper = PAPERS[wish]
            else:
                raise UsageError(f"There is no paper {wish!r}.", USE)
        draw = _drawing(Path(given[0]))
        application = QGuiApplication.instance() or _application()
        draw(Path(given[1]), paper)
        del application
    except AdvisorError as error:
        sys.stderr.write(f"{error.sentence}\n" + (f"{error.hint}\n" if error.hint else ""))
        return error.exit_code
    return 0


def _drawing(result: Path) -> Callable[[Path, Paper | None], None]:
    """What draws the result, of whichever kind it is. Raises BadFile."""
    server, report = read_server_document(result), read_import_report(result)
    if server is not None:
        return lambda path, paper: print_server(server, path, paper)
    if report is not None:
        return lambda path, paper: print_import(report, path, paper)
    document = read_document(result)
    return lambda path, paper: print_document(document, path, paper)


def _application() -> QGuiApplication:
    """A Qt application; drawing a PDF needs no display, and a missing one would end the process."""
    os.environ["QT_QPA_PLATFORM"] = platform_for(os.environ)
    return QGuiApplication(["two-machines"])


def platform_for(environment: Mapping[str, str]) -> str:
    """The Qt platform plug-in: what the user chose, else the one that draws without a display."""
    return environment.get("QT_QPA_PLATFORM") or "offscreen"


if __name__ == "__main__":
    sys.exit(main())
