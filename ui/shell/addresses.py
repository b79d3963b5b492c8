"""Opens an address in the user's browser."""

import os
import sys

from PySide6.QtCore import QProcess, QProcessEnvironment, QUrl
from PySide6.QtGui import QDesktopServices

from advisor.core.processes import foreign_variables, is_bundle


def open_address(address: str) -> bool:
    """Ask the desktop to show it; False where it will not.

    In the bundle the browser gets the variables as they were before the bundle's starter changed them, since it would
    otherwise load our libraries in place of its own.
    """
    if not (is_bundle() and sys.platform.startswith("linux")):
        return QDesktopServices.openUrl(QUrl(address))
    process = QProcess()
    process.setProgram("xdg-open")
    process.setArguments([address])
    variables = QProcessEnvironment()
    for name, value in foreign_variables(os.environ).items():
        variables.insert(name, value)
    process.setProcessEnvironment(variables)
    return bool(process.startDetached()[0])
