"""The keys that work everywhere in the window, and what each does in the words of the list of keys."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from advisor.core.translation import tr
from ui.shell.places import CHOOSE, COMPUTER, HISTORY, SERVER, UPGRADES
from ui.views.keys import KEYS_OF_PAGES

if TYPE_CHECKING:
    from ui.shell.main_window import MainWindow

Key = tuple[tuple[str, ...], Callable[[], object], str]


def bind_keys(window: "MainWindow", content: QWidget) -> None:
    """Let the window listen to its keys for as long as this content lives, and list them."""
    for keys, do, words in _keys(window):
        window.keys.add(keys, words)
        for key in keys:
            QShortcut(QKeySequence(key), content).activated.connect(do)
    for keys, words in KEYS_OF_PAGES:
        window.keys.add(keys, tr(words))


def _keys(window: "MainWindow") -> tuple[Key, ...]:
    return (
        (("Ctrl+O",), window.choose_model, tr("Open a model file")),
        (("Ctrl+Shift+O",), window.show_models, tr("Models on this computer")),
        (("Ctrl+B", "F5"), window.benchmark_by_key, tr("Benchmark; at a server: measure it")),
        (("Esc",), window.stop_by_key, tr("Stop what is measured; else close the notice")),
        (("Ctrl+E",), window.choose_report, tr("Export the report")),
        (("Ctrl+Shift+E",), window.engines.open_beside, tr("Engines")),
        (("Ctrl+Shift+V",), window.paste_figures, tr("Paste figures of another tool")),
        (("Ctrl+Q",), window.close, tr("Quit")),
        (("Ctrl+1",), lambda: window.show_place(COMPUTER), tr("This computer")),
        (("Ctrl+2",), lambda: window.show_place(SERVER), tr("A server")),
        (("Ctrl+3",), lambda: window.show_place(UPGRADES), tr("Upgrades")),
        (("Ctrl+4",), lambda: window.show_place(CHOOSE), tr("Choose a model")),
        (("Ctrl+5",), lambda: window.show_place(HISTORY), tr("History")),
        (("F1",), window.show_guide, tr("User guide")),
        (("Ctrl+?", "Shift+F1"), window.keys.open_beside, tr("This list")),
    )
