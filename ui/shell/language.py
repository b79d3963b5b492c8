"""Which language the window speaks: the system's or the user's choice; Qt's own words and numbers follow."""

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator, Signal

from advisor.core.translation import ENGLISH, LANGUAGES, language, use

SYSTEM: Final = "system"
QT_WORDS: Final = "Qt's words"
NAMES: Final = {ENGLISH: "English", "de": "Deutsch"}
"""Each in its own language, so that the way back is found from any other."""


def meant(choice: str, wanted: Iterable[str] | None = None) -> str:
    """The language that a choice means: itself, or the first that the user wants of those that there are.

    Args:
        choice: one of ``LANGUAGES`` or ``SYSTEM``.
        wanted: the user's languages, the dearest first ("de-AT"); None asks the system.
    """
    if choice in LANGUAGES:
        return choice
    for name in QLocale.system().uiLanguages() if wanted is None else wanted:
        code = name.partition("-")[0]
        if code in LANGUAGES:
            return code
    return ENGLISH


class Language(QObject):
    """Speaks the language of its ``choice`` from the moment it is made; ``changed`` when words are others than before.

    Needs a QCoreApplication. Made before the first widget, since a widget keeps the words that it was made with.
    """

    changed = Signal()

    def __init__(self, choice: str = SYSTEM, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.choice = choice if choice in LANGUAGES else SYSTEM
        self._speak(meant(self.choice))

    def choose(self, choice: str) -> None:
        """Take the user's wish, one of ``LANGUAGES`` or ``SYSTEM``."""
        self.choice = choice
        code = meant(choice)
        if code != language():
            self._speak(code)
            self.changed.emit()

    def _speak(self, code: str) -> None:
        use(code)
        # Numbers in fields are written as those in sentences are.
        QLocale.setDefault(QLocale("en_US" if code == ENGLISH else code))
        program = QCoreApplication.instance()
        if program is None:
            return
        for before in program.findChildren(QTranslator, QT_WORDS):
            program.removeTranslator(before)
            before.deleteLater()
        if code != ENGLISH:  # Qt's words are English by themselves
            words = QTranslator(program)
            words.setObjectName(QT_WORDS)
            if words.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
                program.installTranslator(words)
