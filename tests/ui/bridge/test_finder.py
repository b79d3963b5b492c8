"""Searching only while someone looks, never twice at once, and ended with the window."""

import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from advisor.core.progress import CancelToken
from advisor.gguf.discover.model import Discovery
from tests.support.found import some_models
from ui.bridge.finder import FAILED, Finder


class Search:
    """Stands for the disk: counts its searches, and waits in each where it is told to."""

    def __init__(self, wait: bool = False) -> None:
        self.count = 0
        self.result = some_models()
        self.error: Exception | None = None
        self.go = threading.Event()
        if not wait:
            self.go.set()
        self.threads: set[str] = set()

    def __call__(self, cancel: CancelToken) -> Discovery:
        self.count += 1
        self.threads.add(threading.current_thread().name)
        while not self.go.wait(0.01):
            cancel.raise_if_cancelled()
        if self.error is not None:
            raise self.error
        return self.result


@pytest.fixture
def search() -> Search:
    return Search()


@pytest.fixture
def finder(search: Search, qapp: object) -> Iterator[Finder]:
    made = Finder(search)
    yield made
    assert made.end(5)


def test_nothing_before_it_has_begun_and_is_looked_at(finder: Finder, search: Search, qtbot: QtBot) -> None:
    finder.watch_page(True)
    assert not finder.searching
    finder.watch_page(False)
    finder.begin()
    assert not finder.searching
    assert search.count == 0
    with qtbot.waitSignal(finder.found) as found:
        finder.watch_page(True)
    assert found.args == [search.result]
    assert threading.main_thread().name not in search.threads


def test_it_searches_again_only_while_shown(
    search: Search, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, qapp: object
) -> None:
    monkeypatch.setattr("ui.bridge.finder.PERIOD_MS", 1)
    finder = Finder(search)
    finder.begin()
    finder.watch_page(True)
    qtbot.waitUntil(lambda: search.count >= 3)
    finder.watch_page(False)
    qtbot.waitUntil(lambda: not finder.searching)
    count = search.count
    assert not finder.waiting
    qtbot.wait(30)
    assert search.count == count
    assert finder.end(5)


def test_what_has_not_changed_is_not_told_again(finder: Finder, search: Search, qtbot: QtBot) -> None:
    finder.begin()
    with qtbot.waitSignal(finder.found):
        finder.watch_page(True)
    with qtbot.assertNotEmitted(finder.found):
        finder.watch_popup(True)
        qtbot.waitUntil(lambda: search.count == 2 and not finder.searching)
    search.result = Discovery()
    with qtbot.waitSignal(finder.found) as found:
        finder.watch_popup(False)
    assert found.args == [Discovery()]


def test_hidden_and_shown_again_in_mid_search_ends_with_a_list(
    finder: Finder, search: Search, qtbot: QtBot
) -> None:
    search.go.clear()
    finder.begin()
    finder.watch_page(True)
    qtbot.waitUntil(lambda: search.count == 1)
    finder.watch_page(False)
    finder.watch_page(True)
    with qtbot.waitSignal(finder.found):
        qtbot.waitUntil(lambda: search.count == 2)
        search.go.set()


def test_a_failed_search_is_said_and_keeps_the_list(
    finder: Finder, search: Search, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    finder.begin()
    with qtbot.waitSignal(finder.found):
        finder.watch_page(True)
    search.error = RuntimeError("odd disk")
    with qtbot.waitSignal(finder.found) as found:
        finder.watch_popup(True)
    assert found.args == [Discovery(search.result.models, (FAILED,))]
    assert "odd disk" in caplog.text


def test_the_end_comes_in_mid_search(qtbot: QtBot, qapp: object) -> None:
    search = Search(wait=True)
    finder = Finder(search)
    finder.begin()
    finder.watch_page(True)
    qtbot.waitUntil(lambda: search.count == 1)
    assert finder.end(5)


def test_without_a_search_nothing_happens(qapp: object) -> None:
    finder = Finder(None)
    finder.begin()
    finder.watch_page(True)
    assert not finder.searching
    assert finder.end(0)
