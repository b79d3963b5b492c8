"""The workload that the arguments of ``diagnose`` describe."""

import pytest

from advisor.cli.parser import parse
from advisor.cli.workloads import workload_from
from advisor.diagnosis.model import Workload
from advisor.diagnosis.workload import preset


def asked(*words: str, counted: int | None = None) -> Workload:
    return workload_from(parse(["diagnose", "m.gguf", *words]), counted)


def test_a_preset_alone_stays_what_it_is() -> None:
    assert asked("--workload", "chat") == preset("chat")
    assert asked() == preset("rag")


def test_a_comfort_line_of_ones_own_keeps_the_presets_name() -> None:
    work = asked("--workload", "chat", "--wait", "3", "--slowest", "12.5", "--keeps-prefix")
    assert (work.id, work.turns, work.prefix_kept) == ("chat", 6, True)
    assert (work.comfort.longest_wait_s, work.comfort.slowest_tokens_per_s) == (3.0, 12.5)
    assert asked("--wait", "3").comfort.slowest_tokens_per_s == preset("rag").comfort.slowest_tokens_per_s


def test_a_chat_is_kept_unless_it_is_said_not_to_be() -> None:
    assert asked("--workload", "chat").prefix_kept
    assert not asked("--workload", "chat", "--no-keeps-prefix").prefix_kept


def test_nothing_repeats_in_a_prompt_of_ones_own_unless_it_is_said() -> None:
    assert asked("--prompt", "300", "--answer", "50").shared_tokens == 0
    assert asked("--prompt", "300", "--shared", "100").shared_tokens == 100
    assert asked("--answer", "50").shared_tokens == preset("rag").shared_tokens


def test_turns_make_it_ones_own() -> None:
    work = asked("--prompt", "1000", "--shared", "800", "--answer", "100", "--turns", "3")
    assert (work.id, work.turns, work.turn_prompt(3), work.deepest_tokens) == ("custom", 3, 1600, 1700)


@pytest.mark.parametrize(("words", "shared"), [((), 0), (("--workload", "rag"), 600), (("--shared", "5000"), 5000)])
def test_a_counted_file_is_the_prompt(words: tuple[str, ...], shared: int) -> None:
    work = asked("--prompt-file", "a.txt", *words, counted=8_000)
    assert (work.prompt_tokens, work.shared_tokens, work.answer_tokens) == (8_000, shared, 300)
