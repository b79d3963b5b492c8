"""How this system and language write keys: "Ctrl+O", "Strg+O", "⌘O"."""

from PySide6.QtGui import QKeySequence


def key_words(keys: str) -> str:
    """Keys in Qt's portable form as the user knows them."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
