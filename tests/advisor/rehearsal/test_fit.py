"""Where a model lies, and what spills."""

import pytest

from advisor.core.evidence import Basis, Known, Unknown
from advisor.rehearsal import recipes
from advisor.rehearsal.catalogue import find
from advisor.rehearsal.fit import fit_of
from tests.support import documents

GB = 10**9
NOT_KNOWN = Unknown("nobody says")


def known(value: int) -> Known[int]:
    return Known(value, Basis.READ, "a test")


def test_a_model_that_fits() -> None:
    fit = fit_of(recipes.facts(find("Llama-3.1-8B").shape, "Q4_K_M"), 8192, "CPU", known(16 * GB), known(16 * GB))
    assert isinstance(fit, Known)
    assert fit.value.fits
    assert fit.value.device_share == 1
    assert "it fits" in fit.value.words
    assert 6 * GB < fit.value.need.total_bytes < 7 * GB


def test_a_model_that_is_too_large_is_read_from_the_drive() -> None:
    dense = fit_of(recipes.facts(find("Llama-3.3-70B").shape, "Q4_K_M"), 4096, "CPU", known(30 * GB), known(32 * GB))
    experts = fit_of(recipes.facts(find("gpt-oss-120b").shape, "MXFP4"), 4096, "CPU", known(30 * GB), known(32 * GB))
    assert isinstance(dense, Known)
    assert isinstance(experts, Known)
    assert not dense.value.fits
    assert "read from the drive" in dense.value.words
    fast_s, slow_s = dense.value.drive_s
    assert 0 < fast_s < slow_s
    # of a mixture, only the experts in use are wanted
    assert experts.value.drive_s[0] < fast_s


def test_a_card_that_holds_a_part() -> None:
    model = recipes.facts(find("Qwen3-32B").shape, "Q4_K_M")
    fit = fit_of(model, 4096, "CUDA0", known(12 * GB), known(64 * GB))
    assert isinstance(fit, Known)
    assert 0.4 < fit.value.device_share < 0.7
    assert fit.value.fits
    assert "CUDA0 has 12.0 GB free" in fit.value.words.replace("\u00a0", " ")
    whole = fit_of(model, 4096, "CUDA0", known(48 * GB), known(64 * GB))
    assert isinstance(whole, Known)
    assert whole.value.device_share == 1


def test_unknown_memory_is_said() -> None:
    fit = fit_of(recipes.facts(find("Qwen3-8B").shape, "Q8_0"), 4096, "CPU", NOT_KNOWN, NOT_KNOWN)
    assert isinstance(fit, Known)
    assert "not known" in fit.value.words
    assert fit.value.spilled_bytes == 0


def test_a_model_that_is_not_modelled_has_no_fit() -> None:
    fit = fit_of(documents.bare_document().model, 4096, "CPU", known(GB), known(GB))
    assert isinstance(fit, Unknown)


@pytest.mark.parametrize("context", [1024, 8192, 65536])
def test_a_longer_context_needs_more(context: int) -> None:
    model = recipes.facts(find("Qwen3-8B").shape, "Q4_K_M")
    short = fit_of(model, 512, "CPU", known(64 * GB), known(64 * GB))
    long = fit_of(model, context, "CPU", known(64 * GB), known(64 * GB))
    assert isinstance(short, Known)
    assert isinstance(long, Known)
    assert long.value.need.total_bytes > short.value.need.total_bytes
