"""The window with an invented pipeline, closed and without a thread left at the end of each test."""

import gc
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from advisor.core.translation import ENGLISH
from advisor.session.window_settings import WindowSettings
from tests.support.fake_pipeline import FakePipeline, answer, write_nothing
from ui.__main__ import Parts
from ui.bridge.activity import Activity
from ui.bridge.doors import Doors, EngineDoors, HistoryLike, OpenDoors, ServerDoors, ShoppingDoors
from ui.bridge.finder import Find
from ui.shell.language import Language
from ui.theme import Mode, Theme


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The offscreen plug-in says for every popup and window of a fixed size that it has no window manager to tell."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore("propagateSizeHints", "does not support", extend=True))


MakeWindow = Callable[..., Parts]


@pytest.fixture(autouse=True)
def _collect_on_this_thread() -> Iterator[None]:
    """As in the program: a worker that collects another test's widgets would end the process."""
    gc.disable()
    yield
    gc.collect()
    gc.enable()


@pytest.fixture(autouse=True)
def _no_threads_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before]
    for thread in left:
        thread.join(5)
    assert not [thread.name for thread in left if thread.is_alive()]


@pytest.fixture(autouse=True)
def _english_afterwards() -> Iterator[None]:
    yield
    Language(ENGLISH)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def make_window(qtbot: QtBot, qapp: object) -> Iterator[MakeWindow]:
    """Builds, shows and begins a window around a pipeline; closes what is still open at the end."""
    made: list[Parts] = []

    def make(
        pipeline: FakePipeline, sample: bool = False, begin: bool = True, find: Find | None = None,
        engines: EngineDoors | None = None, settings: WindowSettings | None = None,
        servers: ServerDoors | None = None, shopping: ShoppingDoors | None = None,
        opening: OpenDoors | None = None, history: Callable[[], HistoryLike] | None = None,
        about: Callable[[], object] | None = None,
    ) -> Parts:
        doors = Doors(
            lambda: pipeline, answer, dict.fromkeys(("pdf", "html", "md", "csv", "json"), write_nothing),
            (lambda progress, cancel: Path("/models/sample.gguf")) if sample else None,
            find,
            engines,
            servers,
            shopping,
            opening,
            history,
            about,
        )
        parts = Parts(doors, None if settings else Theme(Mode.LIGHT), settings)
        made.append(parts)
        parts.window.show()
        if begin:
            parts.begin()
        return parts

    yield make
    for parts in made:
        for stage in getattr(parts.engine._doors.pipeline(), "gates", {}):
            parts.engine._doors.pipeline().release(stage)  # type: ignore[attr-defined]
        parts.window.close()
        qtbot.waitUntil(lambda parts=parts: not parts.window.isVisible(), timeout=5000)
        assert parts.end()
        parts.window.deleteLater()


def at_rest(parts: Parts) -> bool:
    """Whether nothing runs and nothing is wanted."""
    return parts.engine.activity is Activity.IDLE and not parts.engine.busy
