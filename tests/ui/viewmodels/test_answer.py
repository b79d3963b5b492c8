from dataclasses import replace

from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.diagnosis.model import Problem
from tests.support import documents
from ui.viewmodels.answer import present_advice, present_verdict

NBSP = "\u00a0"
NOT_YET = Unknown("both phases must be measured first", Missing.NOT_YET)


def test_the_verdict_and_its_edge() -> None:
    card = present_verdict(Known(documents.verdict(), Basis.COMPUTED, "x"))
    assert card.headline == "Prefill is your problem."
    assert card.edge == "prefill"
    assert len(card.details) == 2
    fine = replace(documents.verdict(), problem=Problem.NONE)
    assert present_verdict(Known(fine, Basis.COMPUTED, "x")).edge == "good"


def test_before_a_verdict_it_says_what_to_do() -> None:
    assert "Open a model" in present_verdict(None).sentence
    assert "Press Benchmark" in present_verdict(None, has_model=True).sentence
    assert present_verdict(None, measuring=True, has_model=True).headline == "Measuring…"
    assert "pip install" in present_verdict(None, has_model=True, no_engine="Get it with pip install x.").sentence


def test_an_interrupted_run_says_so() -> None:
    card = present_verdict(NOT_YET, "Stopped.", has_model=True)
    assert card.headline == "No verdict"
    assert card.partial == "Stopped."


def test_advice_in_its_order_with_everything_to_do_it() -> None:
    state = present_advice(documents.advice(), documents.wont_help(), judged=True)
    assert [card.id for card in state.advice] == ["shorten-prompt", "use-gpu", "reuse-prefix", "quantise"]
    gpu = state.advice[1]
    assert gpu.saving == f"−48 to −65{NBSP}s"
    assert gpu.badge == "estimated"
    assert gpu.first_command.startswith("llama-server")
    assert [label for label, _ in gpu.more] == ["Saves", "Cost", "Way back", "Evidence"]
    assert state.wont_help[0].evidence
    assert state.empty == ""


def test_no_advice_is_told_apart_from_not_yet() -> None:
    assert "after a benchmark" in present_advice((), (), judged=False).empty
    assert "Nothing here" in present_advice((), (), judged=True).empty
