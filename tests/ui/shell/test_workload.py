"""The user's own work: presets, sliders, a counted prompt, the comfort line."""

from pathlib import Path

from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from advisor.core.errors import BadFile
from tests.support.fake_pipeline import FakePipeline
from tests.ui.conftest import MakeWindow, at_rest

MODEL = Path("/models/llama-3.1-8b.gguf")
NBSP = "\u00a0"


def test_a_changed_workload_answers_anew_without_measuring(make_window: MakeWindow, qtbot: QtBot) -> None:
    pipeline = FakePipeline()
    parts = make_window(pipeline)
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.engine.benchmark()
    qtbot.waitUntil(lambda: at_rest(parts))
    calls = list(pipeline.calls)
    presets = parts.window.page.facts.workload.findChild(QComboBox)
    assert isinstance(presets, QComboBox)
    presets.setCurrentIndex(presets.findData("long-writing"))
    presets.activated.emit(presets.currentIndex())
    document = parts.engine.document
    assert document is not None
    assert document.workload.id == "long-writing"
    assert f"4.84{NBSP}s" in parts.window.page.middle.timeline._sentence.text() or document.timeline
    parts.screen.change_quantity("prompt", 10_000)
    assert parts.engine.document is not None
    assert parts.engine.document.workload.prompt_tokens == 10_000
    assert pipeline.calls == calls


def test_a_counted_prompt_file_sets_the_prompt(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline())
    link = parts.window.page.facts.workload._count
    assert not link.isEnabled()
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    assert link.isEnabled()
    parts.window._picked_prompt("/texts/prompt.txt")
    qtbot.waitUntil(lambda: parts.screen._workload.prompt_tokens == 12_345)
    qtbot.waitUntil(lambda: at_rest(parts))
    assert link.isEnabled()


def test_a_prompt_file_that_is_none_is_a_notice(make_window: MakeWindow, qtbot: QtBot) -> None:
    refused = BadFile("prompt.txt is empty, so there is no prompt in it.", "Give the text of one prompt.")
    parts = make_window(FakePipeline(failure={"count": refused}))
    parts.engine.open_model(MODEL)
    qtbot.waitUntil(lambda: at_rest(parts))
    parts.window._picked_prompt("/texts/prompt.txt")
    qtbot.waitUntil(lambda: "is empty" in parts.window.notice.text)


def test_the_comfort_line_and_the_chat_are_the_users_own(make_window: MakeWindow, qtbot: QtBot) -> None:
    parts = make_window(FakePipeline())
    card = parts.window.page.facts.workload
    parts.screen.change_quantity("slowest", 75)
    parts.screen.change_quantity("turns", 4)
    assert "7.5" in card._comfort.text()
    assert card._sliders["slowest"]._spin.text() == "7.5 tokens/s"
    assert not card._kept.isHidden()
    card._kept.setChecked(True)
    assert parts.screen._workload.prefix_kept
    assert parts.screen._workload.comfort.slowest_tokens_per_s == 7.5
