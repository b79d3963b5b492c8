"""The one style sheet, generated from a palette. Plot widgets are left out: padding clips their axes."""

from ui.theme.icons import icon_path
from ui.theme.metrics import (
    BRAND_PX,
    HEADING_PX,
    RADIUS,
    SMALL_PX,
    SMALL_RADIUS,
    TEXT_PX,
    TINY_PX,
    TITLE_PX,
)
from ui.theme.palette import Palette


def stylesheet(p: Palette) -> str:
    """Rules for everything below the main window; properties such as ``role`` choose among them."""
    return "".join((_base(p), _text(p), _frames(p), _buttons(p), _fields(p), _bars(p), _tables(p)))


def _scheme(p: Palette) -> str:
    return "dark" if p.dark else "light"


def _base(p: Palette) -> str:
    return f"""
    QWidget {{ color: {p.text}; font-size: {TEXT_PX}px; }}
    QMainWindow, QDialog, QWidget#ground {{ background: {p.ground}; }}
    QToolTip {{ color: {p.text}; background: {p.surface}; border: 1px solid {p.strong_line}; padding: 4px; }}
    QScrollArea, QScrollArea > QWidget > QWidget#column, QScrollArea > QWidget > QWidget#page {{
        background: transparent; border: none;
    }}
    QScrollArea#scrolled {{ border: 1px solid transparent; }}
    QScrollArea#scrolled:focus {{ border-color: {p.decode}; }}
    """


def _text(p: Palette) -> str:
    return f"""
    QLabel {{ background: transparent; }}
    QLabel[role="heading"] {{ color: {p.muted}; font-size: {HEADING_PX}px; font-weight: 700; }}
    QLabel[role="brand"] {{ font-size: {BRAND_PX}px; font-weight: 700; }}
    QLabel[role="title"] {{ font-size: {TITLE_PX}px; font-weight: 700; }}
    QLabel[role="strong"] {{ font-weight: 700; }}
    QLabel[role="muted"] {{ color: {p.muted}; }}
    QLabel[role="small"] {{ color: {p.muted}; font-size: {SMALL_PX}px; }}
    QLabel[role="small-strong"] {{ color: {p.muted}; font-size: {SMALL_PX}px; font-weight: 700; }}
    QLabel[tone="good"] {{ color: {p.good}; }}
    QLabel[tone="warning"] {{ color: {p.warning}; }}
    QLabel[tone="bad"] {{ color: {p.bad}; }}
    QLabel[tone="muted"] {{ color: {p.muted}; font-weight: 400; }}
    QLabel[tone="prefill"] {{ color: {p.prefill}; }}
    QLabel[tone="decode"] {{ color: {p.decode}; }}
    QLabel[role="badge"] {{ color: {p.muted}; font-size: {TINY_PX - 1}px; font-weight: 700;
        border: 1px solid {p.edge}; border-radius: {SMALL_RADIUS}px; padding: 0px 3px; }}
    QLabel[role="pill"] {{ font-size: {TINY_PX}px; font-weight: 700; border-radius: 8px; padding: 2px 6px; }}
    QLabel[role="pill"][tone="prefill"] {{ background: {p.prefill_soft}; }}
    QLabel[role="pill"][tone="decode"] {{ background: {p.decode_soft}; }}
    QLabel[role="code"] {{ font-family: monospace; font-size: {TINY_PX}px; background: {p.ground};
        border: 1px solid {p.line}; border-radius: {SMALL_RADIUS}px; padding: 3px 5px; }}
    """


def _frames(p: Palette) -> str:
    return f"""
    QFrame#card, QFrame#subcard {{ background: {p.surface}; border: 1px solid {p.edge}; }}
    QFrame#card {{ border-radius: {RADIUS}px; }}
    QFrame#subcard {{ border-radius: {RADIUS - 2}px; }}
    QFrame#card[edge="prefill"] {{ border-left: 4px solid {p.prefill}; }}
    QFrame#card[edge="decode"] {{ border-left: 4px solid {p.decode}; }}
    QFrame#card[edge="good"] {{ border-left: 4px solid {p.good}; }}
    QFrame#card[edge="bad"] {{ border-left: 4px solid {p.bad}; }}
    QFrame#rule {{ background: {p.line}; border: none; max-height: 1px; min-height: 1px; }}
    QWidget#toolbar {{ background: {p.surface}; border-bottom: 1px solid {p.edge}; }}
    QWidget#statusbar {{ background: {p.surface}; border-top: 1px solid {p.edge}; }}
    QWidget#statusbar QLabel {{ color: {p.muted}; font-size: {SMALL_PX}px; }}
    QWidget#statusbar QLabel[tone="warning"] {{ color: {p.warning}; }}
    QFrame#notice {{ background: {p.surface}; border: 1px solid {p.strong_line};
        border-left: 4px solid {p.decode}; border-radius: {RADIUS}px; }}
    QFrame#notice[severity="warning"] {{ border-left-color: {p.warning}; }}
    QFrame#notice[severity="error"] {{ border-left-color: {p.bad}; }}
    QFrame#drop {{ background: {p.decode_soft}; border: 2px dashed {p.decode}; border-radius: {RADIUS}px; }}
    """


def _buttons(p: Palette) -> str:
    return f"""
    QPushButton, QToolButton {{ background: {p.surface}; border: 1px solid {p.edge};
        border-radius: 6px; padding: 7px 11px; }}
    QPushButton:hover, QToolButton:hover {{ background: {p.ground}; border-color: {p.strong_line}; }}
    QPushButton:pressed, QToolButton:pressed {{ background: {p.line}; }}
    QPushButton:focus, QToolButton:focus {{ border: 2px solid {p.decode}; padding: 6px 10px; }}
    QPushButton:disabled, QToolButton:disabled {{ color: {p.disabled}; background: {p.surface};
        border-color: {p.line}; }}
    QPushButton[role="main"] {{ background: {p.decode}; color: {p.on_accent}; border-color: {p.decode};
        font-weight: 700; }}
    QPushButton[role="main"]:focus {{ border-color: {p.text}; }}
    QPushButton[role="main"]:disabled {{ background: {p.line}; color: {p.muted}; border-color: {p.line}; }}
    QPushButton[role="small"] {{ padding: 2px 6px; font-size: {SMALL_PX}px; }}
    QPushButton[role="small"]:focus {{ padding: 1px 5px; }}
    QPushButton[role="link"], QToolButton[role="link"] {{ background: transparent; border: 1px solid transparent;
        color: {p.muted}; font-size: {SMALL_PX}px; padding: 1px 0px; text-decoration: underline; text-align: left; }}
    QPushButton[role="link"]:hover {{ color: {p.text}; }}
    QPushButton[role="link"]:focus, QToolButton[role="link"]:focus {{ border: 1px solid {p.decode};
        padding: 1px 0px; }}
    QPushButton[role="tab"] {{ background: transparent; border: none; border-bottom: 2px solid transparent;
        border-radius: 0px; color: {p.muted}; padding: 8px 2px 10px 2px; }}
    QPushButton[role="tab"]:checked {{ color: {p.text}; font-weight: 700; border-bottom-color: {p.decode}; }}
    QPushButton[role="tab"]:focus {{ border: 1px solid {p.decode}; border-bottom-width: 2px;
        padding: 7px 1px 10px 1px; }}
    QToolButton[role="arrow"] {{ border: none; color: {p.text}; font-weight: 700; padding: 4px 6px; }}
    QToolButton[role="arrow"]:hover {{ background: {p.ground}; }}
    QToolButton[role="arrow"]:disabled {{ color: {p.strong_line}; }}
    QFileDialog QToolButton {{ padding: 4px; }}
    QFileDialog QToolButton:focus {{ padding: 3px; }}
    QMenu {{ background: {p.surface}; border: 1px solid {p.strong_line}; padding: 4px; }}
    QMenu::item {{ padding: 6px 18px; border-radius: {SMALL_RADIUS}px; }}
    QMenu::item:selected {{ background: {p.decode_soft}; }}
    """


def _fields(p: Palette) -> str:
    return f"""
    QComboBox, QSpinBox, QDoubleSpinBox, QLineEdit[role="field"], QPlainTextEdit {{ background: {p.surface};
        border: 1px solid {p.edge}; border-radius: 6px;
        selection-background-color: {p.decode}; selection-color: {p.on_accent}; }}
    QComboBox {{ padding: 7px 2px 7px 8px; combobox-popup: 0; }}
    QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus, QLineEdit[role="field"]:focus, QPlainTextEdit:focus {{
        border: 2px solid {p.decode}; }}
    QLineEdit[role="field"] {{ padding: 6px 8px; }}
    QLineEdit[role="field"]:focus {{ padding: 5px 7px; }}
    QSpinBox[role="field"], QDoubleSpinBox[role="field"] {{ padding: 3px 2px 3px 6px; }}
    QSpinBox[role="field"]::up-button, QSpinBox[role="field"]::down-button,
    QDoubleSpinBox[role="field"]::up-button, QDoubleSpinBox[role="field"]::down-button {{ width: 0px; border: none; }}
    QSpinBox[role="field"]:focus, QDoubleSpinBox[role="field"]:focus {{ padding: 2px 1px 2px 5px; }}
    QComboBox:focus {{ padding: 6px 1px 6px 7px; }}
    QComboBox::drop-down {{ border: none; width: 18px; }}
    QComboBox::down-arrow {{ image: url("{icon_path(f'chevron-down-{_scheme(p)}').as_posix()}");
        width: 12px; height: 12px; }}
    QComboBox QAbstractItemView {{ background: {p.surface}; border: 1px solid {p.strong_line};
        selection-background-color: {p.decode_soft}; selection-color: {p.text}; outline: none; }}
    QComboBox QAbstractItemView::item {{ min-height: 24px; padding-left: 5px; }}
    QCheckBox::indicator {{ width: 13px; height: 13px; border: 1px solid {p.strong_line};
        border-radius: {SMALL_RADIUS - 1}px; background: {p.surface}; }}
    QCheckBox::indicator:checked {{ background: {p.decode}; border-color: {p.decode};
        image: url("{icon_path(f'check-{_scheme(p)}').as_posix()}"); }}
    QCheckBox::indicator:focus {{ border: 2px solid {p.decode}; }}
    QCheckBox::indicator:checked:focus {{ border-color: {p.text}; }}
    QSpinBox[role="quiet"] {{ background: transparent; border: 1px solid transparent; font-weight: 700;
        padding: 0px; }}
    QSpinBox[role="quiet"]::up-button, QSpinBox[role="quiet"]::down-button {{ width: 0px; border: none; }}
    QSpinBox[role="quiet"]:hover {{ border-color: {p.line}; }}
    QSpinBox[role="quiet"]:focus {{ border: 1px solid {p.decode}; }}
    """


def _bars(p: Palette) -> str:
    return f"""
    QSlider::groove:horizontal {{ height: 4px; border-radius: 2px; background: {p.line}; }}
    QSlider::sub-page:horizontal {{ height: 4px; border-radius: 2px; background: {p.decode}; }}
    QSlider::handle:horizontal {{ width: 10px; height: 10px; margin: -5px 0px; border-radius: 7px;
        background: {p.surface}; border: 2px solid {p.decode}; }}
    QSlider::handle:horizontal:focus {{ background: {p.decode}; border-color: {p.text}; }}
    QSlider::sub-page:horizontal:disabled {{ background: {p.strong_line}; }}
    QSlider::handle:horizontal:disabled {{ border-color: {p.strong_line}; }}
    QWidget#statusbar QProgressBar {{ background: {p.line}; border: none; border-radius: 3px;
        max-height: 6px; min-height: 6px; }}
    QWidget#statusbar QProgressBar::chunk {{ background: {p.decode}; border-radius: 3px; }}
    QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0px; }}
    QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0px; }}
    QScrollBar::handle {{ background: {p.scroll}; border-radius: 3px; margin: 2px; }}
    QScrollBar::handle:vertical {{ min-height: 28px; }}
    QScrollBar::handle:horizontal {{ min-width: 28px; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0px; height: 0px; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    """


def _tables(p: Palette) -> str:
    return f"""
    QTableView {{ background: {p.surface}; alternate-background-color: {p.ground}; border: none;
        gridline-color: {p.line}; selection-background-color: {p.decode_soft}; selection-color: {p.text}; }}
    QTableView::item {{ padding: 4px 6px; }}
    QTableView:focus {{ border: 1px solid {p.decode}; }}
    QListView#found {{ background: {p.surface}; border: 1px solid {p.edge}; border-radius: {SMALL_RADIUS}px;
        outline: none; }}
    QListView#guide {{ background: {p.surface}; border: 1px solid {p.edge}; border-radius: {RADIUS}px; padding: 6px;
        outline: none; }}
    QListView#guide::item {{ padding: 7px 8px; border-radius: {SMALL_RADIUS}px; }}
    QListView#guide::item:selected {{ background: {p.decode_soft}; color: {p.text}; }}
    QListView#guide:focus {{ border-color: {p.decode}; }}
    QListView#found:focus {{ border-color: {p.strong_line}; }}
    QFrame#popup {{ background: {p.surface}; border: 1px solid {p.strong_line}; }}
    QTableView, QHeaderView {{ font-size: {SMALL_PX}px; }}
    QHeaderView {{ background: {p.surface}; border: none; }}
    QHeaderView::section {{ background: {p.surface}; color: {p.muted}; border: none; padding: 2px 9px; }}
    QHeaderView::section {{ border-bottom: 1px solid {p.line}; }}
    QTableView#runs QHeaderView::section {{ padding-right: 16px; }}
    """
