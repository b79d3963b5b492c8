"""Names from files, made fit to be shown: a header or a file name may hold anything."""

import unicodedata

SHOWN_CHARACTERS = 120
"""Longer names are cut; no real key, tensor or model comes near."""


def readable(text: str, limit: int = SHOWN_CHARACTERS) -> str:
    """The text on one line, without control characters or broken code points, cut to ``limit`` characters."""
    cut = text[:limit]
    # spaces other than the usual one count as unprintable, and Japanese names have them
    shown = "".join(char if char.isprintable() or unicodedata.category(char) == "Zs" else "\ufffd" for char in cut)
    return f"{shown}…" if len(text) > limit else shown
