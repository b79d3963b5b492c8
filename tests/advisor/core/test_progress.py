import threading

import pytest

from advisor.core.errors import Cancelled
from advisor.core.progress import CancelToken, Progress


def test_a_fresh_token_lets_work_go_on() -> None:
    token = CancelToken()
    assert not token.cancelled
    token.raise_if_cancelled()
    assert not token.wait(0)


def test_a_set_token_ends_the_work_with_one_sentence() -> None:
    token = CancelToken()
    token.cancel()
    token.cancel()
    assert token.cancelled
    assert token.wait(60)
    with pytest.raises(Cancelled) as caught:
        token.raise_if_cancelled()
    assert caught.value.sentence == "Stopped."
    assert caught.value.exit_code == 130


def test_another_thread_wakes_who_waits() -> None:
    token = CancelToken()
    thread = threading.Thread(target=token.cancel)
    thread.start()
    assert token.wait(60)
    thread.join(60)


def test_nothing_is_known_about_the_time_left_at_first() -> None:
    assert Progress(0.5, "Decode").left_s is None
