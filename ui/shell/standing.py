"""Where the user is in the window's content, so that content made anew can be brought there.

What a view model holds comes back by itself. This is the rest: which tab is chosen, what is unfolded, how far columns
are scrolled, what has the focus. A control is told by the way to it from the top: the number of each child among its
siblings, and its kind.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QAbstractButton, QScrollBar, QWidget

from ui.shell.places import CHOOSE, COMPUTER, HISTORY, SERVER, UPGRADES

if TYPE_CHECKING:
    from ui.shell.main_window import MainWindow

Way = tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """Of one window.

    Attributes:
        place: number of the place that is shown.
        focus: the way to what has the focus.
        chosen: ways to the tabs that are chosen and to the buttons that hold something open.
        scrolled: each scroll bar's value that is not 0.
        searched, run: filter of the history, and number of the chosen run.
        guide: page of the guide that was read last; empty for none.
        beside: the windows that stand open beside the main one, and where.
    """

    place: int
    focus: Way
    chosen: frozenset[Way]
    scrolled: dict[Way, int]
    searched: str
    run: int | None
    guide: str
    beside: dict[str, QRect]


def standing(window: "MainWindow") -> Standing:
    """Where the user is now."""
    focused = window.focusWidget()
    focus: Way = ()
    chosen, scrolled = set(), {}
    for way, widget in _walk(window, ()):
        if widget is focused:
            focus = way
        if isinstance(widget, QAbstractButton) and widget.isCheckable() and widget.isChecked():
            chosen.add(way)
        if isinstance(widget, QScrollBar) and widget.value():
            scrolled[way] = widget.value()
    return Standing(
        window.place_shown, focus, frozenset(chosen), scrolled, window.history.filter.text(), window.history.number,
        window.guide.shown_page,
        {name: dialog.geometry() for name, dialog in window.beside.items() if dialog.isVisible()},
    )  # fmt: skip


def stand(window: "MainWindow", held: Standing) -> None:
    """Bring the user there, but for the focus."""
    window.turn_to(held.place)
    window.history.filter.setText(held.searched)
    if held.run is not None:
        window.history.choose(held.run)
    for way, widget in list(_walk(window, ())):
        # As if pressed, so that those hear of it who listen to a tab.
        if way in held.chosen and isinstance(widget, QAbstractButton) and not widget.isChecked():
            widget.click()
    if held.guide:
        window.guide.show_page(held.guide)
    for name, place in held.beside.items():
        window.beside[name].setGeometry(place)
        window.beside[name].show()


def bring_back(window: "MainWindow", held: Standing) -> None:
    """Scroll to where it was, and give the focus back; to the menu's button where its place is no more.

    To be called when the layouts have been heard, since a column that has no height cannot be scrolled.
    """
    found: QWidget = window.toolbar.menu_button
    for way, widget in _walk(window, ()):
        if way == held.focus and widget.isVisible() and widget.isEnabled():
            found = widget
        if isinstance(widget, QScrollBar) and way in held.scrolled:
            widget.setValue(held.scrolled[way])
    found.setFocus()


def beginning(window: "MainWindow") -> QWidget:
    """What the keyboard begins with at the place that is shown; its tab while the rest is still being found out."""
    firsts: dict[int, QWidget] = {
        COMPUTER: window.toolbar.first_button, SERVER: window.server.form.address, UPGRADES: window.upgrades.first,
        CHOOSE: window.choose.first, HISTORY: window.history.filter,
    }  # fmt: skip
    first = firsts.get(window.place_shown)
    return first if first is not None and first.isVisibleTo(window) else window.toolbar.places.shown


def _walk(widget: QWidget, way: Way) -> Iterator[tuple[Way, QWidget]]:
    children = [child for child in widget.children() if isinstance(child, QWidget) and not child.isWindow()]
    for number, child in enumerate(children):
        here = (*way, (number, type(child).__name__))
        yield here, child
        yield from _walk(child, here)
