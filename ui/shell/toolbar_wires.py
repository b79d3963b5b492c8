"""Ties the toolbar's buttons and menus to what the window does."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from ui.shell.toolbar import Toolbar

if TYPE_CHECKING:
    from ui.shell.main_window import MainWindow


def connect_toolbar(bar: Toolbar, window: "MainWindow") -> None:
    """All but the choices that the window itself keeps: theme, motion and language."""
    bar.open_requested.connect(window.choose_model)
    bar.models_requested.connect(window.show_models)
    bar.benchmark_requested.connect(window.benchmark_requested)
    bar.stop_requested.connect(window.stop_requested)
    bar.export_requested.connect(window.choose_report_as)
    bar.result_requested.connect(window.choose_result)
    bar.paste_requested.connect(window.paste_figures)
    bar.window_requested.connect(window.window_requested)
    bar.quit_requested.connect(window.close)
    bar.engines_requested.connect(window.engines.open_beside)
    bar.place_chosen.connect(window.show_place)
    bar.guide_requested.connect(window.show_guide)
    bar.keys_requested.connect(window.keys.open_beside)
    bar.about_requested.connect(window.about.open_beside)
    # Queued, since the toolbar has yet to hear what can be used now.
    window.page.middle.left.connect(bar.take_focus, Qt.ConnectionType.QueuedConnection)
