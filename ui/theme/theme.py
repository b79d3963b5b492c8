"""Which palette holds now: the system's scheme, live, or the user's choice."""

from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QGuiApplication, QPalette

from ui.theme.palette import CONTRAST_DARK, CONTRAST_LIGHT, DARK, LIGHT, Palette


class Mode(StrEnum):
    """What the user asked for."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"
    CONTRAST = "contrast"


class Theme(QObject):
    """The palette for everyone who paints; ``changed`` carries the new ``Palette``.

    Needs a QGuiApplication. ``reduced_motion`` is read from the system where Qt knows it; ``still`` is the user's own
    wish for it.
    """

    changed = Signal(object)

    def __init__(self, mode: Mode = Mode.SYSTEM, parent: QObject | None = None, still: bool = False) -> None:
        super().__init__(parent)
        self.still = still
        self._mode = mode
        self._hints = QGuiApplication.styleHints()
        # Once a scheme is forced, Qt reports that one: what the system had is remembered from before.
        self._system_dark = self._hints.colorScheme() == Qt.ColorScheme.Dark
        self._palette = self._wanted()
        self._hints.colorSchemeChanged.connect(self._follow)
        if (asks := self._accessibility()) is not None and hasattr(asks, "contrastPreferenceChanged"):
            asks.contrastPreferenceChanged.connect(self._follow)
        if mode is not Mode.SYSTEM:
            self._force(mode)

    @property
    def mode(self) -> Mode:
        """What the user asked for."""
        return self._mode

    @property
    def palette(self) -> Palette:
        """The colours now."""
        return self._palette

    @property
    def reduced_motion(self) -> bool:
        """Whether the user or the system asks for as little movement as possible."""
        return self.still or self._prefers("motionPreference", "Reduce")

    def set_mode(self, mode: Mode) -> None:
        """Choose a scheme; dialogs of the system follow where the platform lets them."""
        if mode is self._mode:
            return
        self._mode = mode
        self._force(mode)
        self._follow()

    def _accessibility(self) -> Any:
        """What the system asks for; None where this Qt does not know (before 6.10)."""
        ask = getattr(self._hints, "accessibility", None)
        return None if ask is None else ask()

    def _prefers(self, question: str, answer: str) -> bool:
        preference = getattr(self._accessibility(), question, None)
        return preference is not None and answer in preference().name

    def _force(self, mode: Mode) -> None:
        if not hasattr(self._hints, "setColorScheme"):
            return
        schemes = {Mode.LIGHT: Qt.ColorScheme.Light, Mode.DARK: Qt.ColorScheme.Dark}
        self._hints.setColorScheme(schemes.get(mode, Qt.ColorScheme.Unknown))

    def _system_is_dark(self) -> bool:
        if self._mode is Mode.SYSTEM:
            self._system_dark = self._hints.colorScheme() == Qt.ColorScheme.Dark
        return self._system_dark

    def _wanted(self) -> Palette:
        if self._mode is Mode.CONTRAST or (self._mode is Mode.SYSTEM and self._prefers("contrastPreference", "High")):
            return CONTRAST_DARK if self._system_is_dark() else CONTRAST_LIGHT
        if self._mode is Mode.SYSTEM:
            return DARK if self._system_is_dark() else LIGHT
        return DARK if self._mode is Mode.DARK else LIGHT

    @Slot()
    def _follow(self) -> None:
        wanted = self._wanted()
        if wanted is not self._palette:
            self._palette = wanted
            self.changed.emit(wanted)


def qt_palette(palette: Palette) -> QPalette:
    """The colours for controls that no style sheet rule reaches (menus, native-looking parts, link text)."""
    result = QPalette()
    role = QPalette.ColorRole
    for roles, colour in (
        ((role.Window,), palette.ground),
        ((role.Base, role.Button, role.ToolTipBase), palette.surface),
        ((role.AlternateBase,), palette.ground),
        ((role.WindowText, role.Text, role.ButtonText, role.ToolTipText), palette.text),
        ((role.PlaceholderText,), palette.muted),
        ((role.Highlight, role.Link), palette.decode),
        ((role.HighlightedText,), palette.on_accent),
        ((role.Mid, role.Dark), palette.strong_line),
        ((role.Light, role.Midlight), palette.line),
    ):
        for one in roles:
            result.setColor(one, QColor(colour))
    for one in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, one, QColor(palette.disabled))
    return result
