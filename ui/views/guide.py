"""The user guide in a window of its own: pages at the left, the page at the right, a field to search it.

Qt draws the Markdown itself, so that it is there without a browser, a network or a build step, in the window's colours.
"""

from typing import Any, Final

from PySide6.QtCore import QSize, Qt, QUrl, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QKeySequence,
    QShortcut,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QPushButton,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from advisor.core.translation import tr
from ui.theme import Theme
from ui.theme.metrics import GAP, SMALL_GAP
from ui.viewmodels.guide import FOLDER, PAGES, page_text, slug, target_of

SIZE: Final = QSize(1000, 720)
LIST_WIDTH: Final = 216
PAGE_MARGIN: Final = 24
PICTURE_WIDTH: Final = 680
LINE_PERCENT: Final = 135
HEADING_PX: Final = (24, 18, 15)
"""By level; text has ``TEXT_PX``."""


class GuidePage(QTextBrowser):
    """One page of Markdown, dressed in the theme's colours; pictures are scaled to the column."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setOpenLinks(False)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setAccessibleName(tr("Page of the guide"))
        self.document().setDocumentMargin(PAGE_MARGIN)

    def show_text(self, text: str) -> None:
        """Show a page of Markdown."""
        self.document().setBaseUrl(QUrl.fromLocalFile(f"{FOLDER}/"))
        self.setMarkdown(text)
        self.dress()

    def dress(self) -> None:
        """Give what Markdown says its look in the palette of now."""
        palette = self._theme.palette
        document = self.document()
        document.setDocumentMargin(PAGE_MARGIN)
        everywhere = QTextCursor(document)
        everywhere.beginEditBlock()
        for table in document.rootFrame().childFrames():
            if isinstance(table, QTextTable):
                self._dress_table(table)
        block = document.begin()
        while block.isValid():
            self._dress_block(block)
            block = block.next()
        everywhere.endEditBlock()
        self.setStyleSheet(
            f"QTextBrowser {{ background: {palette.surface}; color: {palette.text};"
            f" selection-background-color: {palette.decode}; selection-color: {palette.on_accent}; }}"
        )

    def _dress_table(self, table: QTextTable) -> None:
        look = table.format()
        look.setBorder(1)
        look.setBorderCollapse(True)
        look.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        look.setBorderBrush(QColor(self._theme.palette.line))
        look.setCellPadding(5)
        look.setTopMargin(4)
        look.setBottomMargin(10)
        look.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        table.setFormat(look)
        # After lines of code Qt's importer begins the first cell with an empty paragraph.
        first = table.cellAt(0, 0).firstCursorPosition()
        if not first.block().text() and first.block() != table.cellAt(0, 0).lastCursorPosition().block():
            first.deleteChar()

    def _dress_block(self, block: QTextBlock) -> None:
        palette = self._theme.palette
        cursor = QTextCursor(block)
        look = block.blockFormat()
        level = look.headingLevel()
        table: QTextTable | None = cursor.currentTable()  # its stub forgets the None
        if table is not None:
            look = QTextBlockFormat()
            look.setAlignment(block.blockFormat().alignment())
        elif level:
            look.setTopMargin(18 if level > 1 else 0)
            look.setBottomMargin(6)
        elif _is_code(block):
            look.setBackground(QColor(palette.ground))
            look.setBottomMargin(0 if _is_code(block.next()) else 10)
        else:
            look.setLineHeight(LINE_PERCENT, 1)  # QTextBlockFormat.ProportionalHeight
            look.setBottomMargin(3 if block.textList() else 8)
        cursor.setBlockFormat(look)
        is_head = bool(level) or (table is not None and table.cellAt(cursor).row() == 0)
        fragments = block.begin()
        while not fragments.atEnd():
            fragment = fragments.fragment()
            words = fragment.charFormat()
            if not words.isImageFormat():
                cursor.setPosition(fragment.position())
                cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
                cursor.mergeCharFormat(self._ink(words, level, is_head))
            fragments += 1

    def _ink(self, words: QTextCharFormat, level: int, is_head: bool) -> QTextCharFormat:
        palette = self._theme.palette
        ink = QTextCharFormat()
        if words.isAnchor():
            ink.setForeground(QColor(palette.decode))
        elif words.fontFixedPitch():
            ink.setBackground(QColor(palette.ground))
        if level:
            font = QFont(self.font())
            font.setPixelSize(HEADING_PX[min(level, len(HEADING_PX)) - 1])
            ink.setFont(font)
        if is_head:
            ink.setFontWeight(QFont.Weight.Bold)
        return ink

    def go_to(self, heading: str) -> None:
        """Scroll to the heading of this slug; to the top where there is none."""
        block = self.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and slug(block.text()) == heading:
                self.setTextCursor(QTextCursor(block))
                top = self.document().documentLayout().blockBoundingRect(block).top()
                self.verticalScrollBar().setValue(round(top) - GAP)
                return
            block = block.next()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:  # noqa: D102
        url = QUrl(name) if isinstance(name, str) else name
        if kind == QTextDocument.ResourceType.ImageResource.value and (
            picture := _picture(url, self.devicePixelRatioF())
        ):
            return picture
        return super().loadResource(kind, url)


class GuideDialog(QDialog):
    """The guide; Escape closes it, the page that was read stays. ``address_chosen`` asks for a browser."""

    address_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("User guide"))
        self.setModal(False)
        self.resize(SIZE)
        self._been: list[str] = []
        self.shown_page = ""
        self.pages = QListWidget()
        self.pages.setObjectName("guide")
        self.pages.setFixedWidth(LIST_WIDTH)
        self.pages.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.pages.setAccessibleName(tr("Pages of the guide"))
        self.pages.addItems([tr(title) for _name, title in PAGES])
        self.page = GuidePage(theme)
        self.field = QLineEdit()
        self.field.setProperty("role", "field")
        self.field.setPlaceholderText(tr("Search this page (Ctrl+F)"))
        self.field.setAccessibleName(tr("Search this page"))
        self.back_button = QPushButton(tr("← Back"))
        self.close_button = QPushButton(tr("Close"))
        for button in (self.back_button, self.close_button):
            button.setAutoDefault(False)
        below = QHBoxLayout()
        below.setSpacing(SMALL_GAP)
        below.addWidget(self.back_button)
        below.addWidget(self.field, 1)
        below.addWidget(self.close_button)
        middle = QHBoxLayout()
        middle.setSpacing(GAP)
        middle.addWidget(self.pages)
        middle.addWidget(self.page, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP, GAP, GAP, GAP)
        layout.setSpacing(GAP)
        layout.addLayout(middle, 1)
        layout.addLayout(below)
        self.pages.currentRowChanged.connect(self._chosen)
        self.page.anchorClicked.connect(self._follow)
        self.back_button.clicked.connect(self._back)
        self.close_button.clicked.connect(self.close)
        self.field.returnPressed.connect(self._search)
        QShortcut(QKeySequence("Ctrl+F"), self).activated.connect(self.field.setFocus)
        QShortcut(QKeySequence("Alt+Left"), self).activated.connect(self._back)
        theme.changed.connect(self._restyle)

    def open_at(self, name: str, heading: str = "") -> None:
        """Show a page, and the window in front."""
        self.show_page(name, heading)
        self.show()
        self.raise_()
        self.activateWindow()
        self.page.setFocus()

    def show_page(self, name: str, heading: str = "", remember: bool = True) -> None:
        """Show a page at a heading."""
        if name != self.shown_page:
            if self.shown_page and remember:
                self._been.append(self.shown_page)
            self.shown_page = name
            self.page.show_text(page_text(name))
            names = [each for each, _title in PAGES]
            self.pages.blockSignals(True)
            self.pages.setCurrentRow(names.index(name) if name in names else -1)
            self.pages.blockSignals(False)
        self.page.go_to(heading)
        self.back_button.setEnabled(bool(self._been))

    @Slot(int)
    def _chosen(self, row: int) -> None:
        if row >= 0:
            self.show_page(PAGES[row][0])

    @Slot(QUrl)
    def _follow(self, url: QUrl) -> None:
        target = target_of(url.toString())
        if target.address:
            self.address_chosen.emit(target.address)
        else:
            self.show_page(target.page or self.shown_page, target.heading)

    @Slot()
    def _back(self) -> None:
        if self._been:
            self.show_page(self._been.pop(), remember=False)

    @Slot()
    def _search(self) -> None:
        words = self.field.text()
        if words and not self.page.find(words):
            self.page.moveCursor(QTextCursor.MoveOperation.Start)
            self.field.setProperty("missing", not self.page.find(words))

    @Slot()
    def _restyle(self) -> None:
        if self.shown_page:
            self.page.show_text(page_text(self.shown_page))


def _is_code(block: QTextBlock) -> bool:
    """Whether a block is a line of code; Markdown gives these a language, which is mostly empty."""
    return block.isValid() and block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeLanguage)


def _picture(url: QUrl, ratio: float) -> QImage | None:
    """A picture of a page, no wider than the column; None where there is none."""
    image = QImage(str(FOLDER / url.path()) if url.isRelative() else url.toLocalFile())
    if image.isNull():
        return None
    width = round(min(PICTURE_WIDTH * ratio, image.width()))
    scaled = image.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)
    scaled.setDevicePixelRatio(ratio)
    return scaled
