"""Named fields of a form, one below the other."""

from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from ui.widgets.text import label


def named(words: str, one: QWidget) -> QLabel:
    """The field's name, tied to it for the keyboard and for screen readers."""
    made: QLabel = label(words, "muted")
    made.setBuddy(one)
    one.setAccessibleName(words)
    if isinstance(one, QComboBox) and (typed := one.lineEdit()) is not None:
        typed.setAccessibleName(words)  # which has the focus in its stead
    return made


def add_rows(body: QVBoxLayout, title: str, fields: tuple[tuple[str, QWidget], ...]) -> None:
    """A heading, where there is one, and each field at the right of its name."""
    if title:
        body.addWidget(label(title, "heading"))
    grid = QGridLayout()
    grid.setVerticalSpacing(4)
    for number, (words, one) in enumerate(fields):
        grid.addWidget(named(words, one), number, 0)
        grid.addWidget(one, number, 1)
    grid.setColumnStretch(0, 1)
    body.addLayout(grid)
