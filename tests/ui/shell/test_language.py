"""Another language: chosen in the menu, also during a measurement; said everywhere, and nothing is left behind."""

import gc
import threading
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import SIGNAL, QCoreApplication, QEvent, QLocale, QMetaMethod, QObject, Qt, QTimer, QTranslator
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from advisor.core.translation import language, tr
from advisor.session.window_settings import WindowSettings, read_settings, write_settings
from tests.support.fake_engines import FakeEngines
from tests.support.fake_history import FakeHistory
from tests.support.fake_pipeline import FakePipeline
from tests.support.fake_shopping import FakeShopping
from tests.ui.conftest import MakeWindow, at_rest
from ui.__main__ import Parts
from ui.bridge.activity import Activity
from ui.bridge.engine import NO_ENGINE
from ui.bridge.notices import Notice, Severity
from ui.shell.language import SYSTEM, Language, meant
from ui.shell.places import HISTORY, SERVER, UPGRADES
from ui.theme import DARK, LIGHT


def say(parts: Parts, qtbot: QtBot, choice: str) -> None:
    """Choose a language as the user does, and wait until the window is whole again."""
    menu = parts.window.toolbar.language_menu
    next(action for action in menu.actions() if action.data() == choice).trigger()
    qtbot.waitUntil(lambda: language() == meant(choice))
    settle(parts, qtbot)


def settle(parts: Parts, qtbot: QtBot) -> None:
    """Charts are made in turns, and layouts hear of new heights over a few."""
    qtbot.waitUntil(lambda: parts.window.loader.is_ready and not parts.window.loader.waiting)
    qtbot.wait(100)


def words(window: QWidget) -> list[str]:
    """Everything that is shown or spoken in a window."""
    found = []
    for widget in window.findChildren(QWidget):
        said = (widget.accessibleName(), widget.accessibleDescription(), widget.toolTip())
        shown = widget.text() if isinstance(widget, (QLabel, QPushButton, QLineEdit)) else ""
        found += [f"{type(widget).__name__}: {each}" for each in (*said, shown) if each]
    return sorted(found)


def held(parts: Parts) -> dict[str, int]:
    """What grows where something is left behind."""
    for _ in range(3):
        gc.collect()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
    window = parts.window
    senders = (
        parts.screen, parts.servers, parts.upgrades, parts.choices, parts.engine_screen, parts.opened, parts.runs,
        parts.screen.found, parts.screen.measurements, parts.theme, parts.history, parts.about, parts.engines, window,
    )
    return {
        "widgets": len(QApplication.allWidgets()),
        "timers": len(window.findChildren(QTimer)),
        "objects": len(window.findChildren(QObject)),
        "threads": threading.active_count(),
        "processes": len(psutil.Process().children(recursive=True)),
        "wires": sum(receivers(sender) for sender in senders),
    }


def receivers(sender: QObject) -> int:
    """How many slots hear an object's signals."""
    meta = sender.metaObject()
    methods = [meta.method(index) for index in range(meta.methodCount())]
    return sum(
        sender.receivers(SIGNAL(bytes(method.methodSignature().data()).decode()))
        for method in methods
        if method.methodType() == QMetaMethod.MethodType.Signal
    )


@pytest.fixture
def pipeline() -> FakePipeline:
    return FakePipeline(step_s=0.01, hold=("decode",))


@pytest.fixture
def measuring(make_window: MakeWindow, qtbot: QtBot, pipeline: FakePipeline) -> Parts:
    """A window in the midst of a benchmark that waits for ``release``."""
    parts = make_window(
        pipeline, engines=FakeEngines().doors(), history=FakeHistory, shopping=FakeShopping().doors()
    )
    parts.engine.open_model(Path("/models/m.gguf"))
    qtbot.waitUntil(lambda: at_rest(parts) and parts.window.loader.is_ready)
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: pipeline.arrived("decode"))
    settle(parts, qtbot)
    return parts


def test_theme_and_language_change_while_something_is_measured(
    measuring: Parts, qtbot: QtBot, pipeline: FakePipeline
) -> None:
    parts, window = measuring, measuring.window
    window.page.middle.tabs.show_page(2)
    window.toolbar.stop_button.setFocus()
    window.toolbar.theme_menu.actions()[2].trigger()
    assert parts.theme.palette is DARK
    say(parts, qtbot, "de")
    assert parts.engine.activity is Activity.BENCHMARK
    assert window.toolbar.open_button.text() == "Modell öffnen…"
    assert window.page.middle.tabs.current == 2
    assert window.focusWidget() is window.toolbar.stop_button
    after_one = held(parts)
    say(parts, qtbot, "en")
    say(parts, qtbot, "de")
    assert parts.engine.activity is Activity.BENCHMARK
    assert held(parts) == after_one

    pipeline.release("decode")
    qtbot.waitUntil(lambda: at_rest(parts))
    assert parts.engine.document is not None
    figures = [test.tokens_per_s for test in parts.engine.document.tests]
    window.toolbar.theme_menu.actions()[1].trigger()
    assert parts.theme.palette is LIGHT
    say(parts, qtbot, "en")
    assert window.toolbar.open_button.text() == "Open model…"
    assert [test.tokens_per_s for test in parts.engine.document.tests] == figures
    assert pipeline.calls.count("load") == 1


def test_to_and_fro_nothing_is_left_behind_and_every_word_is_the_same(
    measuring: Parts, qtbot: QtBot, pipeline: FakePipeline
) -> None:
    parts = measuring
    pipeline.release("decode")
    qtbot.waitUntil(lambda: at_rest(parts))
    settle(parts, qtbot)
    english = words(parts.window)
    say(parts, qtbot, "de")
    german, after_one = words(parts.window), held(parts)
    say(parts, qtbot, "en")
    assert words(parts.window) == english
    say(parts, qtbot, "de")
    assert words(parts.window) == german
    assert held(parts) == after_one


def test_the_user_stays_where_they_are(measuring: Parts, qtbot: QtBot, pipeline: FakePipeline) -> None:
    parts, window = measuring, measuring.window
    pipeline.release("decode")
    qtbot.waitUntil(lambda: at_rest(parts))
    window.show_place(HISTORY)
    qtbot.waitUntil(lambda: parts.runs.rowCount() > 1)
    window.history.filter.setText("llama")
    window.history.table.selectRow(1)
    qtbot.waitUntil(lambda: window.history.card.number is not None)
    number, rows = window.history.number, parts.runs.rowCount()
    window.keys.open_beside()
    say(parts, qtbot, "de")
    assert window.place_shown == HISTORY
    assert window.history.filter.text() == "llama"
    qtbot.waitUntil(lambda: window.history.card.number == number)
    assert parts.runs.rowCount() == rows
    assert window.keys.isVisible()
    assert window.keys.windowTitle() == "Tastenkürzel"
    assert window.toolbar.places.current == HISTORY


def test_what_is_typed_stays(measuring: Parts, qtbot: QtBot) -> None:
    parts, window = measuring, measuring.window
    window.show_place(SERVER)
    form = window.server.form
    for field, text in ((form.address, "127.0.0.1:8080"), (form.key, "secret")):
        field.setText(text)
        field.textEdited.emit(text)
    form.insecure.setChecked(True)
    form.users.setValue(3)
    window.show_place(UPGRADES)
    window.upgrades.form.memory_rate.setValue(96.0)
    window.upgrades.form.slot.setCurrentIndex(window.upgrades.form.slot.findData("4x16"))
    typed, wished = parts.servers.form, parts.upgrades.form
    say(parts, qtbot, "de")
    assert window.server.form.form == typed == parts.servers.form
    assert typed.key == "secret"
    assert window.upgrades.form.form == wished == parts.upgrades.form
    assert window.upgrades.form.memory_rate.text() == "96,0 GB/s"


def test_a_notice_stays_until_it_is_closed(measuring: Parts, qtbot: QtBot, pipeline: FakePipeline) -> None:
    parts, window = measuring, measuring.window
    pipeline.release("decode")
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.open_model(Path("/models/bad.gguf"))
    qtbot.waitUntil(lambda: bool(window.notice.text))
    told = window.notice.text
    say(parts, qtbot, "de")
    assert window.notice.text == told
    window.notice.dismiss()
    say(parts, qtbot, "en")
    assert window.notice.text == ""


def test_a_notice_speaks_the_new_language(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline(), settings=WindowSettings(language="en"))
    parts.notices.post(Notice(Severity.WARNING, tr(NO_ENGINE)))
    told = parts.window.notice.text
    assert NO_ENGINE in told
    say(parts, qtbot, "de")
    assert tr(NO_ENGINE) in parts.window.notice.text
    assert NO_ENGINE not in parts.window.notice.text
    say(parts, qtbot, "en")
    assert parts.window.notice.text == told


def test_every_key_works_once_afterwards(measuring: Parts, qtbot: QtBot) -> None:
    parts, window = measuring, measuring.window
    say(parts, qtbot, "de")
    assert dict(window.keys.lines)["Strg+O"] == "Eine Modelldatei öffnen"
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    stops: list[int] = []
    window.stop_requested.connect(lambda: stops.append(1))
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: stops == [1])


def test_qt_speaks_it_too(qtbot: QtBot, qapp: QApplication) -> None:
    spoken = Language("de")
    assert cancel_button() == "Abbrechen"
    assert QLocale().decimalPoint() == ","
    spoken.choose("en")
    assert cancel_button() == "Cancel"
    assert QLocale().decimalPoint() == "."


def cancel_button() -> str:
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    words = box.button(QDialogButtonBox.StandardButton.Cancel).text()
    box.deleteLater()
    return words


@pytest.mark.parametrize(
    ("choice", "wanted", "code"),
    [
        ("de", ["en-US"], "de"), ("en", ["de-DE"], "en"), (SYSTEM, ["de-AT", "de", "en"], "de"),
        (SYSTEM, ["fr-FR", "de-CH", "en"], "de"), (SYSTEM, ["fr-FR", "C"], "en"), (SYSTEM, [], "en"),
        ("xx", ["de-DE"], "de"),
    ],
)  # fmt: skip
def test_what_a_choice_means(choice: str, wanted: list[str], code: str) -> None:
    assert meant(choice, wanted) == code


def test_the_choice_comes_back(make_window: MakeWindow, qtbot: QtBot, tmp_path: Path) -> None:
    first = make_window(FakePipeline())
    qtbot.waitUntil(lambda: at_rest(first))
    say(first, qtbot, "de")
    write_settings(tmp_path / "window.json", first.settings())
    kept = read_settings(tmp_path / "window.json")
    assert kept.language == "de"
    second = make_window(FakePipeline(), settings=kept)
    assert second.window.toolbar.open_button.text() == "Modell öffnen…"
    assert [action.data() for action in second.window.toolbar.language_menu.actions() if action.isChecked()] == ["de"]


def test_a_language_that_there_is_not_means_the_systems(make_window: MakeWindow) -> None:
    parts = make_window(FakePipeline(), settings=WindowSettings(language="xx"))
    assert parts.settings().language == SYSTEM


def test_english_reads_no_catalogue(monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> None:
    def never(*_: object) -> Callable[..., object]:
        raise AssertionError("a catalogue was read")

    monkeypatch.setattr("advisor.core.translation._read", never)
    Language("en")
    assert not qapp.findChildren(QTranslator)
