"""Results that are opened: a run of the past, and other tools' figures, from a file, a drop or the clipboard."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from advisor.report.codec import json_text
from advisor.report.document import Document
from advisor.report.exporters.as_json import document_json
from tests.support import documents
from tests.support.fake_pipeline import FakePipeline
from tests.ui.conftest import MakeWindow, at_rest
from ui.__main__ import Parts
from ui.bridge.doors import OpenDoors
from ui.composition import _keep_imported, _open_any, _read_text, _stored_run, _write_run
from ui.shell.toolbar import COMPUTER, OPENED

POST = """Hi, is this slow for my card?
| model                | size     | params | backend | ngl | test  | t/s            |
| -------------------- | -------: | -----: | ------- | --: | ----- | -------------: |
| llama 8B Q4_K_M      | 4.58 GiB | 8.03 B | CUDA    |  99 | pp512 | 2480.12 ± 4.20 |
| llama 8B Q4_K_M      | 4.58 GiB | 8.03 B | CUDA    |  99 | tg128 |   61.33 ± 0.10 |
"""
DOORS = OpenDoors(_open_any, _read_text, _keep_imported, _stored_run, _write_run)


@pytest.fixture
def result(tmp_path: Path) -> Path:
    document = documents.complete_document()
    named = replace(document, model=replace(document.model, name="Past-3B"))
    path = tmp_path / "result.json"
    path.write_text(json_text(document_json(named)), encoding="utf-8")
    return path


def words_of(parts: Parts) -> str:
    return "\n".join(child.text() for child in parts.window.opened.figures.findChildren(QLabel))


def drop(parts: Parts, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    parts.window.dropEvent(QDropEvent(
        QPointF(300, 300), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    ))  # fmt: skip


def opened(make_window: MakeWindow, qtbot: QtBot, path: Path) -> Parts:
    parts = make_window(FakePipeline(), opening=DOORS)
    qtbot.waitUntil(lambda: at_rest(parts))
    drop(parts, path)
    qtbot.waitUntil(lambda: parts.window._places.currentIndex() == OPENED)
    return parts


def test_a_dropped_result_is_shown_as_a_past_run_and_not_measured(
    make_window: MakeWindow, qtbot: QtBot, result: Path
) -> None:
    parts = opened(make_window, qtbot, result)
    place = parts.window.opened
    assert place.title == "A past run: Past-3B"
    page = place.page
    assert page is not None
    assert page.facts.model._name.text() == "Past-3B"
    assert page.answer.verdict._headline.text() == parts.past.document.verdict.value.headline
    assert "41.3" in page.middle.prefill.gauge.accessibleName()
    assert not page.middle.batching._empty.button.isEnabled()
    assert "open its model" in page.middle.batching._empty.button.toolTip()
    assert not any(view.try_button.isVisibleTo(page) for view in page.answer.advice._views)
    for ask in (parts.past.benchmark, parts.past.measure_streams, parts.past.measure_stutter):
        ask()
    assert not parts.past.busy
    assert not parts.engine.has_model  # the live side is untouched


def test_a_past_run_is_judged_anew_for_other_work(make_window: MakeWindow, qtbot: QtBot, result: Path) -> None:
    parts = opened(make_window, qtbot, result)
    before = parts.past.document
    parts.opened.screen.change_quantity("prompt", 100)
    after = parts.past.document
    assert after.workload.prompt_tokens == 100
    assert after.tests == before.tests
    assert after.timeline != before.timeline


def test_a_past_run_is_exported_and_closed(
    make_window: MakeWindow, qtbot: QtBot, result: Path, tmp_path: Path
) -> None:
    parts = opened(make_window, qtbot, result)
    target = tmp_path / "again.csv"
    parts.window._picked_past_report(str(target))
    qtbot.waitUntil(target.exists)
    qtbot.waitUntil(lambda: "Report written" in parts.window.status.phase)
    assert target.read_text(encoding="utf-8") == "Past-3B"
    parts.window.opened.close_button.click()
    assert parts.window._places.currentIndex() == COMPUTER


def test_the_device_of_pasted_figures_can_be_named(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline(), opening=DOORS)
    qtbot.waitUntil(lambda: at_rest(parts))
    QGuiApplication.clipboard().setText(POST)
    parts.window.paste_figures()
    qtbot.waitUntil(lambda: parts.window._places.currentIndex() == OPENED)
    choice = parts.window.opened.device
    assert choice.isVisibleTo(parts.window)
    assert "Taken as measured on" not in words_of(parts)
    choice.lineEdit().setText("rtx 4090")
    choice.lineEdit().editingFinished.emit()
    assert "Taken as measured on RTX 4090" in words_of(parts)
    choice.lineEdit().setText("no such card")
    choice.lineEdit().editingFinished.emit()
    assert choice.currentText() == "RTX 4090"
    with qtbot.waitSignal(parts.opener.kept) as kept:
        parts.window.opened.keep_button.click()
    assert _stored_run(kept.args[0][0].number)[0].gpus == ("RTX 4090",)
    choice.setCurrentIndex(0)
    qtbot.waitUntil(lambda: "Taken as measured on" not in words_of(parts))
    QGuiApplication.clipboard().setText(POST)
    parts.window.paste_figures()
    qtbot.waitUntil(lambda: choice.currentIndex() == 0)


@pytest.mark.parametrize("way", ["paste", "drop"])
def test_other_tools_figures_are_judged_at_once(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path, way: str
) -> None:
    parts = make_window(FakePipeline(), opening=DOORS)
    qtbot.waitUntil(lambda: at_rest(parts))
    if way == "paste":
        QGuiApplication.clipboard().setText(POST)
        parts.window.paste_figures()
    else:
        path = tmp_path / "post.txt"
        path.write_text(POST, encoding="utf-8")
        drop(parts, path)
    qtbot.waitUntil(lambda: parts.window._places.currentIndex() == OPENED)
    said = words_of(parts)
    assert "At these speeds (pp512 and tg128)" in said
    assert "Nothing of this was measured here." in said
    assert not parts.window.opened.export_button.isVisible()
    parts.screen.change_quantity("users", 7)
    parts.window.show_place(OPENED)
    said = words_of(parts)
    assert "7\u00a0people at once" in said


def test_figures_go_into_the_history_once(
    make_window: MakeWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TWO_MACHINES_HOME", str(tmp_path))
    parts = make_window(FakePipeline(), opening=DOORS)
    QGuiApplication.clipboard().setText(POST)
    parts.window.paste_figures()
    qtbot.waitUntil(lambda: parts.window._places.currentIndex() == OPENED)
    keep: QPushButton = parts.window.opened.keep_button
    keep.click()
    qtbot.waitUntil(lambda: parts.window.status.phase == "In the history as run 1")
    keep.click()
    qtbot.waitUntil(lambda: parts.window.status.phase == "In the history as run 1 (there before)")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("odd.json", "{}", "holds no speeds"),
        ("newer.json", '{"schema": "two-machines/diagnosis/999"}', "reads up to"),
        ("bench.json", '{"schema": "two-machines/bench/1"}', "holds no whole diagnosis"),
        ("nothing.txt", "just words", "holds no speeds"),
    ],
)
def test_what_cannot_be_opened_is_one_notice(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path, name: str, text: str, words: str
) -> None:
    parts = make_window(FakePipeline(), opening=DOORS)
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    drop(parts, path)
    qtbot.waitUntil(lambda: words in parts.window.notice.text)
    assert parts.window._places.currentIndex() == COMPUTER


def test_a_model_is_known_by_what_it_begins_with(make_window: MakeWindow, qtbot: QtBot, tmp_path: Path) -> None:
    parts = make_window(FakePipeline(), opening=DOORS)
    blob = tmp_path / "sha256-abc"
    blob.write_bytes(b"GGUF\x03\x00\x00\x00")
    drop(parts, blob)
    qtbot.waitUntil(lambda: parts.screen.suggested_name() == "sha256-abc report")


def test_a_remembered_model_that_is_gone_is_passed_over(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    there = tmp_path / "there.gguf"
    there.write_bytes(b"GGUF")
    gone = make_window(FakePipeline(), begin=False)
    gone.begin(last=tmp_path / "gone.gguf")
    kept = make_window(FakePipeline(), begin=False)
    kept.begin(last=there)
    qtbot.waitUntil(lambda: kept.engine.has_model and at_rest(kept), timeout=15_000)
    qtbot.waitUntil(lambda: gone.window.loader.is_ready and at_rest(gone))
    assert not gone.engine.has_model
    assert gone.window.notice.isHidden()


def test_a_second_start_brings_the_window_forward_with_its_file(
    make_window: MakeWindow, qtbot: QtBot, result: Path
) -> None:
    parts = make_window(FakePipeline(), opening=DOORS)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.window.showMinimized()
    parts.take_over(result)
    assert not parts.window.isMinimized()
    qtbot.waitUntil(lambda: parts.window._places.currentIndex() == OPENED)
    parts.take_over(None)
    assert parts.window._places.currentIndex() == OPENED


def test_a_run_of_the_history_is_opened_and_exported(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    document = documents.complete_document()
    asked: list[int] = []

    def run(number: int) -> Document:
        asked.append(number)
        return document

    def write(number: int, path: Path, kind: str) -> None:
        asked.append(number)
        path.write_text(kind, encoding="utf-8")

    parts = make_window(FakePipeline(), opening=replace(DOORS, run=run, write=write))
    parts.window.history.open_wanted.emit(7)
    qtbot.waitUntil(lambda: parts.window._places.currentIndex() == OPENED)
    assert "read from run 7 of the history" in parts.window.opened._sentence.text()
    target = tmp_path / "run 7.html"
    parts.window.run_export_requested.emit(8, target, "html")
    qtbot.waitUntil(lambda: str(target) in parts.window.status.phase)
    assert target.read_text(encoding="utf-8") == "html"
    assert asked == [7, 8]


def test_imported_figures_of_the_history_are_opened_and_exported(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWO_MACHINES_HOME", str(tmp_path))
    _keep_imported(_read_text(POST))
    parts = make_window(FakePipeline(), opening=DOORS)
    parts.window.history.open_wanted.emit(1)
    qtbot.waitUntil(lambda: parts.window._places.currentIndex() == OPENED)
    assert "At these speeds (pp512 and tg128)" in words_of(parts)
    for kind in ("md", "html", "csv", "json"):
        target = tmp_path / f"run 1.{kind}"
        parts.window.run_export_requested.emit(1, target, kind)
        qtbot.waitUntil(lambda target=target: str(target) in parts.window.status.phase)
        assert "2480" in target.read_text(encoding="utf-8").replace(",", "")
