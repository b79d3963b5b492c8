"""Models on this machine to pick from: the list, its panel on the empty page, and the popup under the button."""

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QListView,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from advisor.core.translation import tr
from ui.theme import Theme
from ui.theme.metrics import GAP, SMALL_GAP, SMALL_PX, SMALL_RADIUS
from ui.viewmodels.found import DETAIL_ROLE, PATH_ROLE, SIZE_ROLE, WARNING_ROLE, FoundModels, FoundState
from ui.widgets.text import ElidedLabel, label

ROW_MARGIN: Final = 10
ROW_EDGE: Final = 5
FEWEST_ROWS: Final = 3
"""That a page shows however small the window is; the list scrolls."""
MOST_ROWS: Final = 7
FRAME_PX: Final = 2
"""Upper and lower line around the list together."""
POPUP_WIDTH: Final = 460
POPUP_BELOW: Final = 4


class FoundDelegate(QStyledItemDelegate):
    """Name and size, and beneath them who keeps the file.

    A long name is cut in its middle, because the quantisation stands at its end.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(  # noqa: D102
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(120, row_height(option.font))

    def paint(  # noqa: D102
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        colours = self._theme.palette
        state, area = option.state, option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        if focused or state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(colours.decode_soft))
            painter.setPen(QColor(colours.decode) if focused else Qt.PenStyle.NoPen)
            painter.drawRoundedRect(area.adjusted(2, 1, -3, -2), SMALL_RADIUS, SMALL_RADIUS)
        inner = area.adjusted(ROW_MARGIN, ROW_EDGE, -ROW_MARGIN, -ROW_EDGE)
        middle = inner.top() + QFontMetrics(option.font).height()
        size = str(index.data(SIZE_ROLE) or "")
        taken = QFontMetrics(option.font).horizontalAdvance(size)
        upper = QRect(inner.left(), inner.top(), inner.width(), middle - inner.top())
        painter.setFont(option.font)
        painter.setPen(QColor(colours.muted))
        _write(painter, upper, size, Qt.TextElideMode.ElideNone, Qt.AlignmentFlag.AlignRight)
        painter.setPen(QColor(colours.text))
        _write(painter, upper.adjusted(0, 0, -taken - GAP, 0), str(index.data()), Qt.TextElideMode.ElideMiddle)
        painter.setFont(small_font(option.font))
        painter.setPen(QColor(colours.warning if index.data(WARNING_ROLE) else colours.muted))
        lower = QRect(inner.left(), middle, inner.width(), inner.bottom() + 1 - middle)
        _write(painter, lower, str(index.data(DETAIL_ROLE) or ""), Qt.TextElideMode.ElideRight)
        painter.restore()


def small_font(font: QFont) -> QFont:
    """The list's font in the size of small text."""
    small = QFont(font)
    small.setPixelSize(SMALL_PX)
    return small


def row_height(font: QFont) -> int:
    """Of one row with its two lines."""
    return QFontMetrics(font).height() + QFontMetrics(small_font(font)).height() + 2 * ROW_EDGE


def _write(
    painter: QPainter, area: QRect, text: str, mode: Qt.TextElideMode,
    side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
) -> None:
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine | side
    painter.drawText(area, int(flags), painter.fontMetrics().elidedText(text, mode, area.width()))


class FoundList(QListView):
    """One click or Enter opens; letters jump to a name. At least ``fewest`` rows are shown, where there are as many."""

    opened = Signal(object)

    def __init__(self, theme: Theme, model: FoundModels, fewest: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fewest = fewest
        self.setObjectName("found")
        self.setAccessibleName(tr("Models on this computer"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.setItemDelegate(FoundDelegate(theme, self))
        self.setModel(model)
        model.modelReset.connect(self.fit)
        theme.changed.connect(self._repaint)
        self.clicked.connect(self._open)
        self.fit()

    @Slot()
    def fit(self) -> None:
        """Take no more height than the rows need."""
        rows, height = self.model().rowCount(), row_height(self.font())
        self.setMinimumHeight(height * min(rows, self._fewest) + FRAME_PX)
        self.setMaximumHeight(height * min(rows, MOST_ROWS) + FRAME_PX)
        self.updateGeometry()

    def sizeHint(self) -> QSize:  # noqa: D102
        return QSize(320, self.minimumHeight())

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: D102
        super().focusInEvent(event)
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self.model().index(0, 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: D102
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._open(self.currentIndex())
        else:
            super().keyPressEvent(event)

    @Slot(QModelIndex)
    def _open(self, index: QModelIndex) -> None:
        path = index.data(PATH_ROLE)
        if path is not None:
            self.opened.emit(path)

    @Slot()
    def _repaint(self) -> None:
        self.viewport().update()


class FoundPanel(QWidget):
    """The list with its heading and a note; ``shown`` tells when it comes and goes, so that the search follows."""

    opened = Signal(object)
    shown = Signal(bool)

    def __init__(
        self, theme: Theme, model: FoundModels, fewest: int = FEWEST_ROWS, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SMALL_GAP)
        self.heading = ElidedLabel("", "heading")
        self.list = FoundList(theme, model, fewest)
        self.note = ElidedLabel("", "small")
        self.alone: QLabel = label(role="small", wrap=True)
        """The note where there is no list: it may take more lines than one."""
        self.alone.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        for widget in (self.heading, self.list, self.note, self.alone):
            layout.addWidget(widget)
        self.list.opened.connect(self.opened)
        model.state_changed.connect(self._show_state)
        self._show_state(model.state)

    @Slot(object)
    def _show_state(self, state: FoundState) -> None:
        self.heading.set_text(state.heading)
        self.heading.setVisible(bool(state.heading))
        self.list.setVisible(bool(state.rows))
        self.note.set_text(state.note, state.note_tip)
        self.note.setAccessibleDescription(state.note_tip)
        self.note.setVisible(bool(state.note and state.rows))
        self.alone.setText(state.note)
        self.alone.setToolTip(state.note_tip)
        self.alone.setAccessibleDescription(state.note_tip)
        self.alone.setVisible(bool(state.note and not state.rows))
        self._leave_room()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: D102
        super().resizeEvent(event)
        if not self.alone.isHidden():
            self._leave_room()

    def _leave_room(self) -> None:
        """A list with few rows, or a note alone, leaves the rest of the page to the others."""
        layout = self.layout()
        if not self.alone.isHidden():
            self.setMaximumHeight(self.alone.heightForWidth(self.width()))
        elif layout is not None:
            layout.invalidate()
            self.setMaximumHeight(layout.totalMaximumSize().height())
        self.updateGeometry()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: D102
        super().showEvent(event)
        self.shown.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: D102
        super().hideEvent(event)
        self.shown.emit(False)


class FoundPopup(QFrame):
    """The same list under a button; Escape or a click elsewhere closes it."""

    opened = Signal(object)
    file_requested = Signal()
    shown = Signal(bool)

    def __init__(self, theme: Theme, model: FoundModels, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("popup")
        self.setAccessibleName(tr("Models on this computer"))
        self.panel = FoundPanel(theme, model, MOST_ROWS)
        self.file_button = QPushButton(tr("Choose a file…"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP, GAP, GAP, GAP)
        layout.setSpacing(GAP)
        layout.addWidget(self.panel)
        layout.addWidget(self.file_button)
        self.panel.opened.connect(self._opened)
        self.panel.shown.connect(self.shown)
        self.file_button.clicked.connect(self._wants_file)
        model.state_changed.connect(self._fit)

    def show_below(self, button: QWidget) -> None:
        """Open it under a button, with the focus in the list where it has rows."""
        self._fit()
        self.move(button.mapToGlobal(button.rect().bottomLeft() + QPoint(0, POPUP_BELOW)))
        self.show()
        (self.panel.list if self.panel.list.model().rowCount() else self.file_button).setFocus()

    @Slot()
    def _fit(self) -> None:
        self.setFixedWidth(POPUP_WIDTH)
        self.panel.resize(POPUP_WIDTH - 2 * GAP, self.panel.height())  # how many lines its note takes rests on it
        self.adjustSize()

    @Slot(object)
    def _opened(self, path: object) -> None:
        self.hide()
        self.opened.emit(path)

    @Slot()
    def _wants_file(self) -> None:
        self.hide()
        self.file_requested.emit()
