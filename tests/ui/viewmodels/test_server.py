"""The page *Server* as pure state."""

from dataclasses import replace

import pytest

from advisor.servers.model import ServerResult
from tests.support.server_results import FACTS, some_result
from ui.viewmodels.server import ServerForm, kept_address, present_server, settings_of

FORM = ServerForm("127.0.0.1:8080")


def test_the_form_is_the_command_lines_default() -> None:
    settings = settings_of(FORM)
    assert (settings.users, settings.streams, settings.stutter_prompt_tokens) == ((1, 2, 4, 8), 3, 2048)
    assert (settings.budget_s, FORM.stall_s, FORM.wait_s, FORM.slowest_tokens_per_s) == (60, 0.2, 10, 5.3)


@pytest.mark.parametrize(("most", "users"), [(0, ()), (1, (1,)), (6, (1, 2, 4, 6)), (16, (1, 2, 4, 8, 16))])
def test_users_double_up_to_the_most(most: int, users: tuple[int, ...]) -> None:
    assert settings_of(replace(FORM, users=most)).users == users


def test_no_long_prompt_means_no_stutter_and_less_load() -> None:
    less = replace(FORM, long_prompt_tokens=0, users=0)
    assert settings_of(less).streams == 0
    assert "34\u00a0requests" in present_server(FORM, None, False, True).load
    assert "15\u00a0requests" in present_server(less, None, False, True).load


@pytest.mark.parametrize(
    ("address", "rest", "can", "words"),
    [
        ("", True, False, "Type the server's address"),
        ("ftp://x", True, False, "over http or https"),
        ("http://me:secret@x", True, False, "user name or a password"),
        ("localhost:1", False, False, "Something else"),
        ("localhost:1", True, True, "Ctrl+B"),
    ],
)
def test_measure_says_why_it_cannot(address: str, rest: bool, can: bool, words: str) -> None:
    state = present_server(replace(FORM, address=address), None, False, rest)
    assert state.can_measure is can
    assert words in state.measure_tip
    assert "secret" not in state.measure_tip


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("127.0.0.1:8080/v1/", "http://127.0.0.1:8080"),
        ("https://h/path?key=abc", "https://h/path"),
        ("http://me:secret@host", ""),
        ("", ""),
    ],
)
def test_only_the_place_is_kept(typed: str, kept: str) -> None:
    assert kept_address(replace(FORM, address=typed, key="k")) == kept


def test_the_key_is_not_in_the_forms_words() -> None:
    assert "hunter2" not in repr(replace(FORM, key="hunter2"))


def test_a_whole_result() -> None:
    state = present_server(FORM, some_result(), False, True)
    assert state.empty == ""
    assert state.models == ("tiny", "large")
    assert [(dot.streams, round(dot.each)) for dot in state.speeds.dots] == [(1, 50), (2, 25), (4, 12)]
    assert [point.users for point in state.waits.points] == [1, 2, 4]
    assert state.clock is not None
    assert state.clock.rows[0].at_s[0] == 0
    assert state.clock.prompt_to_s - state.clock.prompt_from_s == pytest.approx(1.0)
    assert "longest gap between two tokens is 1.0" in state.clock.spoken
    assert state.gaps.during_s == (1.0, 1.0)
    assert state.advice[0].command.startswith("llama-server -b ")
    assert state.advice[0].command not in state.advice[0].lines
    assert state.problems == (("8 users at once: The server failed (HTTP 500).", "Look at its log."),)
    assert state.can_save


def test_other_lines_change_the_verdict_at_once() -> None:
    strict = present_server(replace(FORM, slowest_tokens_per_s=100.0), some_result(), False, True)
    assert strict.edge == "decode"
    easy = present_server(replace(FORM, stall_s=2.0), some_result(), False, True)
    assert easy.edge == ""
    assert not any("-b" in card.command for card in easy.advice)


def test_partial_results_say_that_they_are() -> None:
    state = present_server(FORM, ServerResult(FACTS), True, False)
    assert state.headline == "Measuring…"
    assert not state.findings
    assert not state.will_not_help
    assert not state.can_save
    assert state.users is None
    assert present_server(FORM, some_result(), True, False).headline.startswith("Measuring; so far: ")


def test_what_wrote_nothing_draws_nothing() -> None:
    result = some_result()
    run = result.stutter.or_none()
    assert run is not None
    mute = replace(result, stutter=replace(result.stutter, value=replace(run, long=replace(run.long, arrivals_s=()))))
    assert present_server(FORM, mute, False, True).clock is None
