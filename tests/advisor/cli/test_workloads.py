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


def test_turns_make_it_ones_own() -> None:
    work = asked("--prompt", "1000", "--shared", "800", "--answer", "100", "--turns", "3")
    assert (work.id, work.turns, work.turn_prompt(3), work.deepest_tokens) == ("custom", 3, 1600, 1700)


@pytest.mark.parametrize(("words", "shared"), [((), 600), (("--shared", "5000"), 5000)])
def test_a_counted_file_is_the_prompt(words: tuple[str, ...], shared: int) -> None:
    work = asked("--prompt-file", "a.txt", *words, counted=8_000)
    assert (work.prompt_tokens, work.shared_tokens, work.answer_tokens) == (8_000, shared, 300)
