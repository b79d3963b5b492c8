"""What the window keeps from one start to the next, from the window's side."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from advisor.diagnosis.workload import custom
from advisor.session.window_settings import DEFAULTS, WindowSettings
from tests.support.fake_pipeline import FakePipeline
from tests.ui.conftest import MakeWindow, at_rest
from ui.theme import DARK, Mode


def test_theme_workload_size_and_model_come_back(make_window: MakeWindow, qtbot: QtBot) -> None:
    first = make_window(FakePipeline())
    first.window.toolbar.theme_menu.actions()[2].trigger()
    first.window.resize(1200, 700)
    first.screen.change_quantity("prompt", 7_000)
    first.engine.open_model(Path("/models/m.gguf"))
    qtbot.waitUntil(lambda: at_rest(first))
    kept = first.settings()
    assert (kept.theme, kept.model, kept.workload.prompt_tokens) == ("dark", "/models/m.gguf", 7_000)

    second = make_window(FakePipeline(), settings=kept)
    assert second.theme.palette is DARK
    assert second.window.height() == 700  # Qt keeps the width inside the offscreen screen's 800
    assert second.settings().workload == kept.workload
    assert second.window.page.facts.workload._sliders["prompt"]._spin.value() == 7_000


@pytest.mark.parametrize("geometry", ["", "zz", "00ff", "ü"])
def test_a_damaged_place_is_passed_over(make_window: MakeWindow, geometry: str) -> None:
    parts = make_window(FakePipeline(), settings=WindowSettings("no such theme", geometry, "", custom(10, 10)))
    assert parts.theme.mode is Mode.SYSTEM
    assert parts.window.isVisible()
    assert parts.settings().geometry != geometry


def test_two_windows_do_not_share_a_workload(make_window: MakeWindow) -> None:
    one, other = make_window(FakePipeline(), begin=False), make_window(FakePipeline(), begin=False)
    one.screen.choose_preset("chat")
    assert other.settings().workload == DEFAULTS.workload


def test_a_model_that_was_named_from_its_folder_is_found_from_any_other(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    parts = make_window(FakePipeline())
    parts.engine.open_model(Path("m.gguf"))
    qtbot.waitUntil(lambda: at_rest(parts))
    assert parts.settings().model == str(Path.cwd() / "m.gguf")


def test_the_last_model_does_not_replace_one_that_was_opened_before_the_charts_were_in(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    pipeline = FakePipeline()
    parts = make_window(pipeline, begin=False)
    parts.begin(Path("/models/last.gguf"))
    parts.engine.open_model(Path("/models/picked.gguf"))
    qtbot.waitUntil(lambda: at_rest(parts) and parts.window.loader.is_ready)
    qtbot.waitUntil(lambda: at_rest(parts) and parts.screen.model_path is not None)
    assert (parts.screen.model_path, pipeline.calls.count("open")) == (Path("/models/picked.gguf"), 1)
