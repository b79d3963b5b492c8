"""Palette, fonts, spacing and chart colours."""

from ui.theme.palette import DARK, LIGHT, Palette
from ui.theme.theme import Mode, Theme

__all__ = ["DARK", "LIGHT", "Mode", "Palette", "Theme"]
