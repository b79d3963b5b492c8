"""Palette, fonts, spacing and chart colours."""
