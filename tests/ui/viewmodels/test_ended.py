"""What the status bar says once something is over."""

import pytest

from ui.bridge.activity import Activity
from ui.viewmodels.ended import ended_words

NOTHING = {
    "trying": False, "measured": False, "ceilings": False, "interrupted": False, "stutter": False, "server": False,
}  # fmt: skip


@pytest.mark.parametrize(
    ("before", "true", "words"),
    [
        (Activity.BENCHMARK, ("measured",), "Done"),
        (Activity.BENCHMARK, ("measured", "interrupted"), "Ended early; what was measured is kept"),
        (Activity.BENCHMARK, ("interrupted",), ""),
        (Activity.STOPPING, (), "Stopped"),
        (Activity.STOPPING, ("measured", "interrupted"), "Stopped; what was measured is kept"),
        (Activity.STOPPING, ("server",), "Stopped; what was measured is kept"),
        (Activity.STOPPING, ("trying", "measured"), "Stopped before a whole round; nothing was compared"),
        (Activity.CEILINGS, ("ceilings",), "Both ceilings are measured"),
        (Activity.TRIAL, ("stutter",), "Done: how long the others pause is measured"),
        (Activity.SERVER, ("server",), "Done: the server is measured"),
        (Activity.IDLE, tuple(NOTHING), ""),
    ],
)
def test_it_says_what_there_is_now(before: Activity, true: tuple[str, ...], words: str) -> None:
    assert ended_words(before, **(NOTHING | dict.fromkeys(true, True))) == words
