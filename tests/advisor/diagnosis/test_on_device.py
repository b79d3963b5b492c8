"""Reported speeds on a device of the table: shares of what it allows, and beside what such devices reach."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.__main__ import main
from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.core.errors import UsageError
from advisor.core.evidence import Known
from advisor.diagnosis.on_device import Place, fits, on_device
from advisor.diagnosis.workload import preset
from advisor.hardware.catalog import Accelerator, find
from advisor.report.device_words import device_of, device_sentences, placed
from advisor.session.import_device import device_from

GIB = 2**30


def device(name: str = "RTX 3090") -> Accelerator:
    found = find(name)
    assert found is not None
    return found


def speed_of(phase: Phase, speed: float) -> ReportedTest:
    return ReportedTest(phase=phase, tokens=512 if phase is Phase.PREFILL else 128, tokens_per_s=speed, n_streams=1)


def run(prefill: float = 4810.0, decode: float = 138.0, **changed: object) -> ReportedRun:
    values = {
        "tool": "llama-bench", "form": "Markdown table", "source": "post", "model": "llama 8B Q4_K - Medium",
        "quantisation": "Q4_K_M", "model_bytes": round(4.58 * GIB), "parameters": 8_030_000_000,
        "tests": (speed_of(Phase.PREFILL, prefill), speed_of(Phase.DECODE, decode)),
    } | changed  # fmt: skip
    return ReportedRun(**values)  # type: ignore[arg-type]


def said(report: ReportedRun, name: str = "RTX 3090", work: str = "rag") -> str:
    return " ".join(device_sentences(report, preset(work), device(name))).replace("\u00a0", " ")


def test_the_ceiling_of_writing_is_the_bandwidth_over_the_models_bytes() -> None:
    report, card = run(), device()
    found = on_device(report, report.tests[1], card)
    assert isinstance(found.ceiling_tokens_per_s, Known)
    assert found.ceiling_tokens_per_s.value == pytest.approx(card.bandwidth_bytes_per_s / (4.58 * GIB), rel=1e-3)
    assert 0.5 < (found.of_ceiling or 0) < 1
    assert found.place is Place.USUAL


def test_published_figures_of_a_card_lie_where_such_cards_do() -> None:
    assert {on_device(run(), test, device()).place for test in run().tests} == {Place.USUAL}


def test_a_slow_card_has_something_that_holds_it_back() -> None:
    text = said(run(decode=20.0))
    assert "something holds it back" in text
    assert "First find out what holds it back" in text


def test_more_than_the_card_allows_was_another_one() -> None:
    text = said(run(decode=900.0))
    assert "is more than the" in text
    assert "another device or model" in text
    assert "bought" not in text


@pytest.mark.parametrize(
    ("prefill", "decode", "words"),
    [(4810.0, 138.0, "Nothing needs to be bought"), (300.0, 138.0, "holds it back")],
)
def test_what_would_help_follows_from_the_problem(prefill: float, decode: float, words: str) -> None:
    assert words in said(run(prefill, decode))


def test_a_model_larger_than_the_memory_is_said_to_have_spilled() -> None:
    large = run(model_bytes=40 * GIB, parameters=70_000_000_000)
    assert fits(large, device()) is False
    assert "a part lay elsewhere" in said(large)


def test_of_a_mixture_of_experts_the_active_share_counts() -> None:
    moe = run(model="qwen3moe 30B.A3B Q4_K - Medium", model_bytes=17 * GIB, parameters=30_500_000_000)
    dense = replace(moe, model="qwen3 30B Q4_K - Medium")
    ceilings = [on_device(each, each.tests[1], device()).ceiling_tokens_per_s.or_none() or 0 for each in (moe, dense)]
    assert ceilings[0] == pytest.approx(9.1 * ceilings[1], rel=0.01), "8 of 128 experts, and what all tokens use"


def test_what_is_not_said_is_unknown() -> None:
    bare = run(model="", model_bytes=None, parameters=None)
    text = said(bare)
    assert "unknown, the size of the model is not said" in text
    assert "unknown, the number of parameters is not said" in text


def test_devices_are_named_described_or_taken_from_the_source() -> None:
    assert device_from("rtx 3090") == device()
    with pytest.raises(UsageError, match="accelerator table") as caught:
        device_from("RTX 3091")
    assert "RTX 3090" in caught.value.hint
    with pytest.raises(UsageError):
        device_from("RTX 3090", 900.0)
    with pytest.raises(UsageError):
        device_from(None, None, 71.0)
    own = device_from(None, 936.0, 71.0)
    assert own is not None
    assert own.bandwidth_bytes_per_s == 936e9
    named = run(gpus=("NVIDIA GeForce RTX 3090",))
    assert device_of(named, None) == device()
    assert device_of(run(), None) is None
    on_cpu = replace(named, tests=tuple(replace(test, device="CPU") for test in named.tests))
    assert device_of(on_cpu, None) is None
    assert placed([run()], device())[0].gpus == ("RTX 3090",)
    assert placed([named], device("RTX 4090"))[0].gpus == named.gpus


def test_a_pasted_post_gets_its_verdict_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    post = tmp_path / "post.txt"
    post.write_text("llama 8B Q4_K_M: pp512: 900 t/s, tg128: 9.5 t/s")
    assert main(["import", str(post), "--device", "RTX 3090", "--show-only"]) == 0
    text = " ".join(capsys.readouterr().out.replace("\u00a0", " ").split())
    assert "Taken as measured on RTX 3090" in text
    assert "on RTX 3090" in text.splitlines()[0]
    assert main(["import", str(post), "--device", "RTX 3091", "--show-only"]) == 2
    assert "Did you mean 'RTX 3090'" in capsys.readouterr().err
    assert main(["import", str(post), "--bandwidth", "936", "--json", "--show-only"]) == 0
    sentences = json.loads(capsys.readouterr().out)["runs"][0]["sentences"]
    assert any("the device that you describe" in words for words in sentences)


def test_a_name_that_is_the_beginning_of_several_offers_them() -> None:
    with pytest.raises(UsageError) as caught:
        device_from("M3 Max")
    assert "M3 Max (" in caught.value.hint


def test_the_cache_is_left_out_by_taking_the_least_deep_test() -> None:
    deep = replace(speed_of(Phase.DECODE, 100.0), n_depth=4096)
    report = run(tests=(speed_of(Phase.PREFILL, 4810.0), deep, speed_of(Phase.DECODE, 138.0)))
    assert "Decode (tg128): 138 tokens/s" in said(report)
