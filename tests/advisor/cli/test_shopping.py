"""The commands ``what-if`` and ``choose`` around invented measurements."""

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.__main__ import main
from advisor.cli import choose as choose_command
from advisor.cli import what_if as command
from advisor.core.evidence import Known
from advisor.diagnosis.model import Workload
from advisor.session import considering, shortlisting
from advisor.shortlist.choosing import shortlist
from advisor.shortlist.model import Priority
from advisor.whatif.base import from_evidence
from advisor.whatif.model import Base
from advisor.whatif.second_machine import NETWORKS
from advisor.whatif.slots import slot_bytes_per_s
from tests.advisor.report.schema_check import problems
from tests.support.evidence import ceilings, evidence, pp, tg
from tests.support.yardsticks import place


@pytest.fixture
def present(monkeypatch: pytest.MonkeyPatch) -> None:
    def invented(pipeline: object, path: Path, workload: Workload, *_more: Any, **_named: Any) -> Base:
        found = from_evidence(evidence(workload, (pp(41.3), tg(11.6)), bounds=ceilings()), "measured here")
        assert isinstance(found, Known)
        return found.value

    monkeypatch.setattr(considering, "present", invented)


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    def invented(
        pipeline: object, work: Workload, priority: Priority, _line: Any, _cancel: Any, every: bool, named: str
    ) -> Any:
        models = shortlisting.catalogue(named)[:6]
        return shortlist(models, work, place(), priority, every, (shortlisting.ORDER,))

    monkeypatch.setattr(shortlisting, "choose", invented)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0
    return capsys.readouterr().out


@pytest.mark.usefixtures("present")
def test_one_card_is_told_whole_with_its_price(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "what-if", "m.gguf", "--gpu", "rtx 4090", "--price", "1600", "--per-day", "50")
    assert "buys you both" in text
    assert "1,600 buys" in text
    assert "Assumed:" in text and "--pcie" in text
    assert "What this does not know:" in text


@pytest.mark.usefixtures("present")
def test_without_a_change_the_usual_ones_are_listed_in_any_order(capsys: pytest.CaptureFixture[str]) -> None:
    for sort in command.SORTS:
        text = said(capsys, "what-if", "m.gguf", "--workload", "long-writing", "--sort", sort)
        assert "RTX 4090" in text and "second memory module" in text
    names = [line.strip() for line in text.splitlines() if line.startswith("  ") and "×" in line]
    assert names == sorted(names, key=str.lower)


@pytest.mark.usefixtures("present")
def test_json_of_every_kind_keeps_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        (), ("--gpu", "RTX 4090", "--price", "1600"), ("--unified", "GB10", "--rpc", "10gbe", "--cpu", "32x4.0"),
        ("--second-module", "--price", "second memory module=80"), ("--gpu", "RTX 3060 12GB", "--ngl", "8"),
    ):  # fmt: skip
        value = json.loads(said(capsys, "what-if", "m.gguf", "--json", *words))
        assert problems(value, "what-if") == [], words
    assert value["answers"][0]["where"].startswith("7 of 32")  # and the output matrix, which is the first of -ngl
    assert value["answers"][0]["money_reason"]


@pytest.mark.parametrize(
    "words",
    [
        ("--gpu", "RTX 409"), ("--price", "1600"), ("--rpc", "smoke"), ("--cpu", "many"), ("--pcie", "9x3"),
        ("--gpu", "RTX 4090", "--price", "RTX 3090=5"), ("--gpu", "RTX 4090", "--price", "-5"),
        ("--device-memory", "24"), ("--there", "2"), ("--gpu", "RTX 4090", "--there", "0.5"),
        ("--cpu-per-clock", "2"), ("--gpu", "RTX 4090", "--cpu-per-clock", "2"), ("--ngl", "0"),
        ("--gpu", "RTX 4090", "--rpc-device", "GB10"), ("--gpu", "RTX 4090", "--per-day", "9"),
        ("--gpu", "RTX 4090", "--device-bandwidth", "1e6"), ("--gpu", "RTX 4090", "--device-memory", "1e9"),
        ("--gpu", "RTX 4090", "--device-bandwidth", "nan"), ("--memory-bandwidth", "1e6"), ("--price", "many"),
        ("--memory-bandwidth", "DDR5-6000x0"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("present")
def test_what_cannot_be_meant_is_a_sentence_and_a_hint(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["what-if", "m.gguf", *words]) == 2
    err = capsys.readouterr().err
    assert err.startswith("two-machines: ")
    assert len(err.strip().splitlines()) == 2


@pytest.mark.parametrize(
    "words",
    [
        ("--price", "1600"), ("--gpu", "RTX 4090", "--unified", "GB10", "--price", "1600"),
        ("--gpu", "RTX 4090", "--price", "RTX 3090=5"), ("--second-module", "--price", "a module=5"),
        ("--cpu", "16x4.5", "--memory-bandwidth", "96", "--price", "memory at 96.0 GB/s=5"),
    ],
)  # fmt: skip
def test_a_price_that_belongs_to_nothing_is_refused_before_anything_is_measured(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(considering, "present", lambda *_all, **_named: pytest.fail("it was measured"))
    assert main(["what-if", "m.gguf", *words]) == 2
    assert capsys.readouterr().err.startswith("two-machines: ")


def test_a_name_that_the_shell_has_parted_is_told_about_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ("what-if", "m.gguf", "--gpu", "RTX", "4090"), ("what-if", "--gpu", "RTX", "4090", "m.gguf"),
        ("import", "post.txt", "--device", "RTX", "4090"), ("what-if", "m.gguf", "--unified", "Ryzen", "AI", "Max+"),
    ):  # fmt: skip
        assert main(list(words)) == 2
        hint = capsys.readouterr().err.splitlines()[1]
        assert "stands in quotes: --" in hint and "gguf" not in hint, words


def test_every_command_offers_the_same_names_for_a_part_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["what-if", "m.gguf", "--gpu", "RTX"]) == 2
    offered = capsys.readouterr().err.splitlines()[1].partition("?")[0]
    assert main(["import", "post.txt", "--device", "RTX"]) == 2
    assert capsys.readouterr().err.splitlines()[1].partition("?")[0] == offered
    assert offered.count("RTX") > 1


@pytest.mark.usefixtures("present")
def test_memory_may_be_named_as_it_is_sold(capsys: pytest.CaptureFixture[str]) -> None:
    for words, rate in (("DDR5-6000", "96.0"), ("DDR4-3200x1", "25.6"), ("80", "80.0")):
        assert f"memory at {rate}\u00a0GB/s" in said(capsys, "what-if", "m.gguf", "--memory-bandwidth", words)


def test_the_names_of_the_options_are_those_of_the_tables() -> None:
    assert tuple(NETWORKS) == command.NETWORK_NAMES
    assert tuple(priority.value for priority in Priority) == choose_command.SORTS
    assert slot_bytes_per_s("4x16") == pytest.approx(25.2e9, rel=0.01)
    assert slot_bytes_per_s("4x3") is None


@pytest.mark.usefixtures("kernels")
def test_choose_draws_the_comfort_line_and_names_what_is_impossible(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "choose", "--workload", "chat")
    assert "comfortable" in text
    assert "Too large for this machine" in text
    assert "rule of thumb" in text.replace("\n  ", " ")
    one = said(capsys, "choose", "--workload", "chat", "--model", "Llama-3.2-1B", "--all", "--sort", "size")
    assert "perplexity" in one and "config.json" in one


@pytest.mark.usefixtures("kernels")
def test_choose_as_json_keeps_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    value = json.loads(said(capsys, "choose", "--json", "--all"))
    assert problems(value, "choose") == []
    assert value["sorted_by"] == "quality"
    assert {choice["name"] for choice in value["choices"]}


@pytest.mark.usefixtures("kernels")
def test_choose_refuses_what_it_cannot_answer(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("words")
    assert main(["choose", "--prompt-file", str(prompt)]) == 2
    assert "none is chosen yet" in capsys.readouterr().err
    assert main(["choose", "--model", "no such model"]) == 2
    assert "catalogue" in capsys.readouterr().err
