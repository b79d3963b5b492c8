"""A thin bar of parts of a whole; the parts' names stand in words beside it."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from advisor.core.translation import tr
from ui.theme import Theme
from ui.viewmodels.model_card import Share

HEIGHT = 8


class ShareBar(QWidget):
    """Paints up to four parts, largest first, from strong to faint."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shares: tuple[Share, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def show_shares(self, shares: tuple[Share, ...], spoken: str) -> None:
        """Show these parts; ``spoken`` names them."""
        self._shares = shares
        self.setToolTip(spoken)
        self.setAccessibleName(tr("Tensor types by bytes: {types}", types=spoken))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: D102
        return QSize(120, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: D102
        palette = self._theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(0, 0, self.width(), HEIGHT), HEIGHT / 2, HEIGHT / 2)
        painter.setClipPath(shape)
        painter.fillRect(self.rect(), QColor(palette.line))
        inks = (palette.decode, palette.decode_second, palette.strong_line, palette.line)
        x = 0.0
        for share, ink in zip(self._shares, inks, strict=False):
            wide = share.fraction * self.width()
            painter.fillRect(QRectF(x, 0, max(wide - 1, 0.5), HEIGHT), QColor(ink))
            x += wide
        painter.setPen(Qt.PenStyle.NoPen)

    def _restyle(self) -> None:
        self.update()
