import sys
import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from advisor.core.errors import BadFile, Cancelled
from ui.bridge.notices import UNEXPECTED, Notice, NoticeCentre, Severity, install_hooks, notice_from, shortened
from ui.viewmodels.notice import present_notice


def test_an_error_of_ours_keeps_its_words() -> None:
    notice = notice_from(BadFile("This is a web page.", "Download the model again.", {"bytes": 12}))
    assert (notice.severity, notice.sentence, notice.hint) == (
        Severity.ERROR, "This is a web page.", "Download the model again.",
    )
    assert "bytes: 12" in notice.details


def test_stopping_is_no_error() -> None:
    assert notice_from(Cancelled("Stopped.")).severity is Severity.INFO


def test_the_unexpected_carries_its_traceback_for_the_clipboard() -> None:
    try:
        raise ZeroDivisionError("by nothing")
    except ZeroDivisionError as error:
        notice = notice_from(error)
    assert notice.sentence == UNEXPECTED
    assert "ZeroDivisionError: by nothing" in notice.as_text()


def test_the_home_folder_is_not_copied() -> None:
    assert shortened("open /home/maria/models/x", Path("/home/maria")) == "open ~/models/x"
    assert shortened("open /x", Path("/")) == "open /x"


def test_the_same_again_is_counted_not_repeated(qtbot: QtBot) -> None:
    centre, seen = NoticeCentre(), []
    centre.posted.connect(seen.append)
    for _ in range(3):
        centre.post(Notice(Severity.WARNING, "On battery."))
    centre.post(Notice(Severity.ERROR, "Something else."))
    assert [notice.count for notice in seen] == [1, 2, 3, 1]
    assert present_notice(seen[2]).sentence == "⚠ On battery. (3 times)"
    assert present_notice(seen[3]).spoken == "error: Something else."


def test_exceptions_of_threads_and_slots_arrive(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    centre, seen = NoticeCentre(), []
    centre.posted.connect(seen.append)
    install_hooks(centre)

    def fail() -> None:
        raise ValueError("in a thread")

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: len(seen) == 1)
    try:
        raise KeyError("in a slot")
    except KeyError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    assert [notice.sentence for notice in seen] == [UNEXPECTED, UNEXPECTED]
    assert "in a thread" in seen[0].details
