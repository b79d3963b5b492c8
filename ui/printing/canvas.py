"""Drawing in points on a PDF: text that is measured before it is drawn, and a few shapes."""

from dataclasses import dataclass
from typing import Final, Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QGuiApplication,
    QPainter,
    QPdfWriter,
    QPen,
    QPolygonF,
    QTextLayout,
    QTextOption,
)

from ui.printing.glyphs import typeable, with_words
from ui.printing.paper import A4, Paper
from ui.printing.style import Type

ELLIPSIS: Final = "…"
Shape = Literal["circle", "square", "diamond"]
DIAMOND: Final = 1.3
"""How much further the corners of a diamond reach than the radius of a circle that looks as large."""
LEFT: Final = Qt.AlignmentFlag.AlignLeft
RIGHT: Final = Qt.AlignmentFlag.AlignRight
CENTRE: Final = Qt.AlignmentFlag.AlignHCenter
MAX_CHARACTERS: Final = 4000
"""Longest text that is set at all; no sentence of ours is near it, a hostile model name may be."""


@dataclass(frozen=True, slots=True)
class TextBox:
    """A text broken into lines; sizes in points.

    Attributes:
        width: of the widest line.
        ascent: from the top to the first baseline.
    """

    layout: QTextLayout
    ink: str
    width: float
    height: float
    ascent: float


class Canvas:
    """A PDF page as the blocks see it: origin at the top left, lengths in points.

    Args:
        writer: has the paper's page layout already.
        paper: how high a page is.
    """

    def __init__(self, writer: QPdfWriter, paper: Paper = A4) -> None:
        self.paper = paper
        self._writer = writer
        self._scale = writer.resolution() / 72
        self._fonts: dict[Type, QFont] = {}
        self._painter = QPainter()

    def begin(self) -> bool:
        """Open the first page; measuring works before."""
        started = self._painter.begin(self._writer)
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        return started

    def next_page(self) -> bool:
        """Open another page."""
        return self._writer.newPage()

    def end(self) -> bool:
        """Close the document; True when all of it was written."""
        return self._painter.end()

    def typeable(self, command: str, style: Type) -> str:
        """A command line that can be copied, whatever signs its file name has."""
        return typeable(command, self._font(style))

    def text(
        self,
        text: str,
        style: Type,
        width: float,
        max_lines: int = 40,
        align: Qt.AlignmentFlag = LEFT,
    ) -> TextBox:
        """Break a text into lines of ``width``; what does not fit into ``max_lines`` ends in an ellipsis."""
        flat = with_words(" ".join(text[:MAX_CHARACTERS].splitlines()), self._font(style))
        box, last_start = self._broken(flat, style, width, max_lines, align)
        if last_start is not None:
            metrics = QFontMetricsF(self._font(style), self._writer)
            tail = metrics.elidedText(flat[last_start:], Qt.TextElideMode.ElideRight, width * self._scale)
            tail = tail if tail.endswith(ELLIPSIS) else tail[:-1] + ELLIPSIS
            box, _ = self._broken(flat[:last_start] + tail, style, width, max_lines, align)
        return box

    def _broken(
        self, text: str, style: Type, width: float, max_lines: int, align: Qt.AlignmentFlag
    ) -> tuple[TextBox, int | None]:
        """The box, and where its last line starts if there was more text than lines."""
        layout = QTextLayout(text, self._font(style), self._writer)
        option = QTextOption(align)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.setCacheEnabled(True)
        y, widest, ascent, start, lines, more = 0.0, 0.0, 0.0, 0, 0, False
        layout.beginLayout()
        while True:
            line = layout.createLine()
            if not line.isValid():
                break
            if lines == max_lines:
                more = True
                line.setPosition(QPointF(0, -1e6))
                break
            start = line.textStart()
            line.setLineWidth(max(width, 1.0) * self._scale)
            height = max(line.height(), style.size * style.leading * self._scale)
            inset = (height - line.height()) / 2
            line.setPosition(QPointF(0, y + inset))
            if lines == 0:
                ascent = inset + line.ascent()
            y += height
            widest = max(widest, line.naturalTextWidth())
            lines += 1
        layout.endLayout()
        s = self._scale
        return TextBox(layout, style.ink, widest / s, y / s, ascent / s), start if more else None

    def text_width(self, text: str, style: Type) -> float:
        """Width of a text on one line."""
        return QFontMetricsF(self._font(style), self._writer).horizontalAdvance(text) / self._scale

    def draw(self, box: TextBox, x: float, y: float) -> None:
        """Draw a text with its top left corner here."""
        self._painter.setPen(QColor(box.ink))
        box.layout.draw(self._painter, QPointF(x * self._scale, y * self._scale))

    def write(self, text: str, style: Type, x: float, baseline: float, align: Qt.AlignmentFlag = LEFT) -> float:
        """One line with its baseline here, ``x`` being its left, right or middle; its width comes back."""
        text = with_words(text, self._font(style))
        width = self.text_width(text, style)
        left = x - width if align == RIGHT else x - width / 2 if align == CENTRE else x
        self._painter.setPen(QColor(style.ink))
        self._painter.setFont(self._font(style))
        self._painter.drawText(QPointF(left * self._scale, baseline * self._scale), text)
        return width

    def write_turned(self, text: str, style: Type, x: float, baseline: float, degrees: float) -> None:
        """One line that starts here and rises by ``degrees``."""
        self._painter.save()
        self._painter.translate(x * self._scale, baseline * self._scale)
        self._painter.rotate(-degrees)
        self.write(text, style, 0, 0)
        self._painter.restore()

    def box(self, x: float, y: float, width: float, height: float, ink: str, radius: float = 0.0) -> None:
        """A filled rectangle."""
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QBrush(QColor(ink)))
        s = self._scale
        rectangle = QRectF(x * s, y * s, width * s, height * s)
        if radius:
            self._painter.drawRoundedRect(rectangle, radius * s, radius * s)
        else:
            self._painter.drawRect(rectangle)

    def line(
        self,
        points: list[tuple[float, float]],
        ink: str,
        width: float = 0.6,
        dashed: bool = False,
    ) -> None:
        """A line through the points."""
        pen = QPen(QColor(ink), width * self._scale)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if dashed:
            pen.setDashPattern([3.0, 2.5])
        self._painter.setPen(pen)
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.drawPolyline(QPolygonF([QPointF(x * self._scale, y * self._scale) for x, y in points]))

    def dot(self, x: float, y: float, radius: float, ink: str, filled: bool = True, shape: Shape = "circle") -> None:
        """A marker, filled or hollow."""
        s = self._scale
        self._painter.setPen(QPen(QColor(ink), 1.2 * s))
        self._painter.setBrush(QBrush(QColor(ink if filled else "#ffffff")))
        around = QRectF((x - radius) * s, (y - radius) * s, 2 * radius * s, 2 * radius * s)
        match shape:
            case "circle":
                self._painter.drawEllipse(around)
            case "square":
                self._painter.drawRect(around)
            case "diamond":
                reach = radius * DIAMOND
                corners = ((x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y))
                self._painter.drawPolygon(QPolygonF([QPointF(a * s, b * s) for a, b in corners]))

    def _font(self, style: Type) -> QFont:
        font = self._fonts.get(style)
        if font is None:
            font = QFont(
                QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont) if style.mono else QGuiApplication.font()
            )
            font.setPixelSize(max(1, round(style.size * self._scale)))
            font.setBold(style.bold)
            font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
            # As one glyph "fi" is not found by a viewer's search for "prefill", and copied text would keep it.
            font.setFeature(QFont.Tag("liga"), 0)
            self._fonts[style] = font
        return font
