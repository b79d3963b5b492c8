"""The parent's side of quantising and comparing: what is asked for, what is refused, what is left behind."""

import math
from pathlib import Path

import pytest

from advisor.benchmarks.quantising import (
    Comparing,
    Quantising,
    compare,
    known_label,
    predicted_bytes,
    quantise,
    standard_error,
)
from advisor.core.errors import BadFile, Cancelled, EngineCrashed, EngineError, UsageError
from advisor.core.evidence import Known, Unknown
from advisor.core.progress import CancelToken
from tests.support.children import quantise_child
from tests.support.gguf_builder import decoder


@pytest.fixture
def job(tmp_path: Path) -> Quantising:
    source = decoder().write(tmp_path / "model.gguf")
    return Quantising(source, tmp_path / "made.gguf", "Q8_0", 2, requantise=False)


def nobody(_fraction: float) -> None:
    pass


@pytest.mark.parametrize(("name", "label"), [("q4_k", "Q4_K_M"), ("Q4_K_M", "Q4_K_M"), ("iq4_xs", "IQ4_XS")])
def test_names_are_those_of_llama_quantize(name, label) -> None:
    assert known_label(name) == label


@pytest.mark.parametrize("name", ["Q9_9", "", "IQ2_XXS", "Q4_K_M "])
def test_other_names_are_refused_with_the_possible_ones(name) -> None:
    with pytest.raises(UsageError) as refused:
        known_label(name)
    assert "Q4_K_M" in refused.value.hint
    assert refused.value.sentence.endswith(".")


def test_a_file_is_made_and_its_progress_told(job) -> None:
    heard: list[float] = []
    assert quantise(job, quantise_child("ok"), heard.append, CancelToken()) == job.source.stat().st_size
    assert heard == [0.0, 0.5]
    assert job.target.read_bytes() == job.source.read_bytes()


def test_a_target_that_exists_stays_as_it_is(job) -> None:
    job.target.write_text("mine")
    with pytest.raises(BadFile, match="exists already"):
        quantise(job, quantise_child("ok"), nobody, CancelToken())
    assert job.target.read_text() == "mine"


@pytest.mark.parametrize(("mode", "error"), [("crash", EngineCrashed), ("full", EngineError)])
def test_half_a_file_is_removed(job, mode, error) -> None:
    with pytest.raises(error) as failed:
        quantise(job, quantise_child(mode), nobody, CancelToken())
    assert failed.value.sentence.count(". ") == 0
    assert sorted(path.name for path in job.target.parent.iterdir()) == ["model.gguf"]


def test_stop_ends_the_child_and_removes_its_file(job) -> None:
    token = CancelToken()
    with pytest.raises(Cancelled):
        quantise(job, quantise_child("hang"), lambda fraction: token.cancel() if fraction else None, token)
    assert not job.target.exists()


def test_sizes_are_asked_of_the_engine_unless_it_is_too_old(job) -> None:
    assert predicted_bytes(job, quantise_child("ok"), CancelToken()) == 1_000_000
    assert predicted_bytes(job, quantise_child("old"), CancelToken()) is None
    assert not job.target.exists()


def comparing(tmp_path: Path) -> Comparing:
    return Comparing((tmp_path / "a.gguf", tmp_path / "b.gguf"), tmp_path / "answers", 2)


def test_sums_become_means(tmp_path) -> None:
    found = compare(comparing(tmp_path), quantise_child("ok"), nobody, CancelToken())
    assert isinstance(found, Known)
    quality = found.value
    assert quality.tokens == 510
    assert quality.mean_kld == pytest.approx(0.02)
    assert quality.kld_error == pytest.approx(math.sqrt((0.4 / 510 - 0.02**2) / 509))
    assert quality.same_top == pytest.approx(460 / 510)
    assert quality.perplexity_before == pytest.approx(math.exp(2))
    assert quality.perplexity_after == pytest.approx(math.exp(2.2))
    assert list(tmp_path.iterdir()) == []


def test_stopped_it_tells_what_is_there(tmp_path) -> None:
    token = CancelToken()
    child = quantise_child("slow-text")
    found = compare(comparing(tmp_path), child, lambda fraction: token.cancel() if fraction > 0.5 else None, token)
    assert isinstance(found, Known)
    assert found.value.tokens == 255
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("mode", "reason"), [("no-text", "no tokenizer"), ("lie", "cannot be right")])
def test_nothing_compared_is_unknown_with_the_reason(tmp_path, mode, reason) -> None:
    found = compare(comparing(tmp_path), quantise_child(mode), nobody, CancelToken())
    assert isinstance(found, Unknown)
    assert reason in found.reason
    assert list(tmp_path.iterdir()) == []


def test_standard_error_is_that_of_a_mean() -> None:
    values = [1.0, 2.0, 4.0, 9.0]
    mean = sum(values) / 4
    expected = math.sqrt(sum((value - mean) ** 2 for value in values) / 4 / 3)
    assert standard_error(sum(values), sum(value * value for value in values), 4) == pytest.approx(expected)
