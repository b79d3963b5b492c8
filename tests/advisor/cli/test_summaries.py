"""What ``inspect`` says about files that are no whole model."""

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.benchmarks.model import Conditions, Phase, Stamp
from advisor.cli.running import stamp_code
from advisor.cli.summaries import ceilings_pairs, engine_pairs, machine_pairs, model_pairs, show_document
from advisor.core.errors import EXIT_INVALID
from advisor.core.evidence import Basis, Known
from advisor.gguf.architecture import read_model
from tests.support import documents
from tests.support.evidence import device, engine, gpu, machine, read, row
from tests.support.gguf_builder import Gguf, Tensor, decoder

TABLE = [Tensor("token_embd.weight", (64, 32))]


def said(file: Gguf, folder: Path) -> dict[str, str]:
    return dict(model_pairs(read_model(file.write(folder / "m.gguf"))))


@pytest.mark.parametrize("file", [
    Gguf(),
    Gguf({"general.architecture": "llama", "tokenizer.ggml.tokens": ["a", "b"]}),
    Gguf({"general.architecture": "llama", "general.type": "adapter"}, TABLE),
    Gguf({"general.architecture": "clip"}, TABLE),
])
def test_files_that_write_no_text_have_no_head_and_no_active_parameters(file: Gguf, tmp_path: Path) -> None:
    pairs = said(file, tmp_path)
    assert pairs["Head"] == "none: this file cannot write text"
    assert pairs["Parameters"] in {"0", "2,048"}


def test_a_model_says_its_active_parameters(tmp_path: Path) -> None:
    assert said(decoder(), tmp_path)["Parameters"].endswith("active per token")


def test_impossible_experts_are_not_repeated(tmp_path: Path) -> None:
    pairs = said(decoder(keys={"llama.expert_count": 8, "llama.expert_used_count": 9}), tmp_path)
    assert pairs["Experts"] == "8; how many a token uses is unknown"


def test_an_invalid_run_gives_each_reason_once(capsys: pytest.CaptureFixture[str]) -> None:
    def busy(percent: int) -> Conditions:
        return Conditions(Stamp.INVALID, (f"other programs used {percent} % of the CPU", "only one repetition"))

    tests = (row(Phase.PREFILL, 40, conditions=busy(51)), row(Phase.DECODE, 10, conditions=busy(48)))
    assert stamp_code(tests) == EXIT_INVALID
    text = capsys.readouterr().err
    assert text.count("other programs used") == 1
    assert text.count("only one repetition") == 1
    assert "51 %" in text


def test_memory_reads_the_same_here_and_in_the_report() -> None:
    computer = machine(memory_bytes=25_282_379_776, gpus=[gpu()])
    shown = dict(machine_pairs(computer))
    assert shown["Memory"].startswith("25.3\u00a0GB")
    assert "memory 25.8\u00a0GB" in shown["GPU"]
    assert dict(engine_pairs(read(engine(devices=[device()]))))["Device"].endswith("25.8\u00a0GB")


def test_ceilings_of_a_disturbed_moment_are_at_least_what_they_say(capsys: pytest.CaptureFixture[str]) -> None:
    quiet = documents.ceilings()
    assert [name for name, _ in ceilings_pairs(quiet)[:2]] == ["Prefill at most", "Decode at most"]
    disturbed = replace(quiet, disturbed="other programs used 48 % of the CPU")
    assert [name for name, _ in ceilings_pairs(disturbed)[:2]] == ["Prefill at least", "Decode at least"]
    passed = replace(quiet, decode_at_least=True)
    assert [name for name, _ in ceilings_pairs(passed)[:2]] == ["Prefill at most", "Decode at least"]
    show_document(replace(documents.complete_document(), ceilings=Known(disturbed, Basis.MEASURED, "probes")))
    said = " ".join(capsys.readouterr().out.split())
    assert "Decode at least" in said
    assert "Measured while disturbed: other programs used 48 % of the CPU." in said
