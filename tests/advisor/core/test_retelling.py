"""Sentences told again in the other language: by their template, with figures and nouns as that language has them."""

from dataclasses import dataclass

import pytest

from advisor.core.earlier import EARLIER
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.retelling import each_text, retold, told_in
from advisor.core.translation import language, speaking, tr

NBSP = "\u00a0"

BOTH = [
    ("no battery in /sys/class/power_supply", "kein Akku in /sys/class/power_supply"),
    ("the kernels were measured with 4 threads, the test with 2",
     "die Kernel wurden mit 4 Threads gemessen, der Test mit 2"),
    ("cgroup quota of 1.5 CPUs", "cgroup-Quote von 1,5 CPUs"),
    ("The run has not ended: it still runs, or the program or the computer stopped in the middle.",
     "Der Lauf ist nicht beendet: Er läuft noch, oder das Programm oder der Computer hat mittendrin angehalten."),
    ("docker container in a virtual machine", "docker-Container in einer virtuellen Maschine"),
]


@dataclass(frozen=True)
class Held:
    name: str
    because: tuple[str, ...]
    speed: Fact[float]


@pytest.mark.parametrize(("english", "german"), BOTH)
def test_a_sentence_is_said_in_either_language(english: str, german: str) -> None:
    assert retold(english, "de") == german
    assert retold(german, "en", "de") == english
    assert retold(english, "en") == english
    assert retold(german, "de") == german


def test_a_figure_is_written_as_the_language_writes_it() -> None:
    assert retold(f"1,049.5{NBSP}tokens/s", "de") == f"1.049,5{NBSP}Tokens/s"
    assert retold("0.3.16", "de") == "0.3.16"


def test_days_in_sentences_are_told_too_and_those_of_earlier_versions_are_written_as_days() -> None:
    assert retold("kernel table of 29 March 2026", "de") == "Kernel-Tabelle vom 29. März 2026"
    assert retold("kernel table of 2026-03-29", "de") == "Kernel-Tabelle vom 29. März 2026"
    assert retold("kernel table of 2026-03-29", "en") == "kernel table of 29 March 2026"
    assert retold("Kernel-Tabelle vom 29. März 2026", "en", "de") == "kernel table of 29 March 2026"
    assert retold("measured here on 3 May 2026, 14:05", "de") == "hier gemessen am 3. Mai 2026, 14:05"
    told = retold("Tried here on 3 May 2026, 3\u00a0rounds by turns, A against B: C.", "de")
    assert "3. Mai 2026" in told and "May" not in told


def test_what_no_catalogue_knows_stays() -> None:
    for words in ("llama-bench -m model-1.5.gguf -p 512", "Qwen2.5-7B of Doom", "/proc/cpuinfo", ""):
        assert retold(words, "de") == words


def test_sentences_one_after_the_other_are_told_each() -> None:
    with speaking("de"):
        german = tr("Do not rely on these figures: measure again.")
    both = f"no battery in /sys; cgroup quota of {NBSP}2 CPUs"
    assert "Akku" in retold(both, "de")
    two = "Do not rely on these figures: measure again. Do not buy anything before this is cleared up."
    assert retold(two, "de").startswith(german)
    assert "buy" not in retold(two, "de")


def test_of_a_value_only_the_sentences_are_told() -> None:
    held = Held("on battery", ("on battery",), Known(1.5, Basis.READ, "computed: tensor table"))
    told = retold(held, "de")
    assert told.name == "on battery"
    assert told.because == ("im Akkubetrieb",)
    assert told.speed == Known(1.5, Basis.READ, "berechnet: Tensortabelle")
    missing = retold(Unknown("not measured yet", Missing.NOT_YET), "de")
    assert missing == Unknown("noch nicht gemessen", Missing.NOT_YET)


def test_the_language_of_a_value_is_that_of_most_of_its_sentences() -> None:
    assert told_in(("on battery", "not measured yet", "im Akkubetrieb")) == "en"
    assert told_in(("im Akkubetrieb", "noch nicht gemessen", "on battery")) == "de"
    assert told_in(("llama-server",)) == "en"


def test_every_text_can_be_taken_away() -> None:
    held = Held("a", ("b",), Known(1.0, Basis.READ, "c"))
    assert each_text(held, lambda text: "") == Held("a", ("",), Known(1.0, Basis.READ, ""))


def test_a_language_spoken_aside_ends_with_the_block() -> None:
    with speaking("de"):
        assert (language(), tr("not measured yet")) == ("de", "noch nicht gemessen")
        with speaking("en"):
            assert tr("not measured yet") == "not measured yet"
    assert (language(), tr("not measured yet")) == ("en", "not measured yet")


def test_prose_that_no_catalogue_knows_is_not_told_by_halves() -> None:
    for words in ("writing is flat from 5 to 12 threads", "the old house of the two sisters"):
        assert retold(words, "de") == words


def test_a_short_sentence_that_no_catalogue_knows_is_not_told_by_a_template_of_one_word() -> None:
    for words in ("Convert the file.", "Reuse the cached prefix.", "Read once, reused by each request."):
        assert retold(words, "de") == words


def test_a_part_that_is_told_already_keeps_no_other_part_from_being_told() -> None:
    assert retold("noch nicht gemessen, not measured yet", "de") == "noch nicht gemessen, noch nicht gemessen"


def test_a_clause_with_a_comma_of_its_own_is_found_in_a_list() -> None:
    both = "something else; was bis dahin gemessen wurde, bleibt erhalten."
    assert "was measured until then" in retold(both, "en", "de")


@pytest.mark.parametrize("template", EARLIER)
def test_what_earlier_versions_said_is_still_told_and_found_again(template: str) -> None:
    told = retold(template.format_map(_Figures()), "de")
    assert told == tr_german(template).format_map(_Figures())


class _Figures(dict[str, str]):
    """Something for every place, that no catalogue knows."""

    def __missing__(self, name: str) -> str:
        return {"gain": "", "driver": "", "article": "a"}.get(name, f"X{len(name)}")


def tr_german(template: str) -> str:
    with speaking("de"):
        return tr(template)
