"""Pasted tables of mixtures of experts and of models larger than the card, held against the device they name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.benchmarks.model import Phase
from advisor.diagnosis.named_mixtures import SHAPES, active_share, is_mixture, shape_of, traffic_of
from advisor.diagnosis.on_device import Place, on_device
from tests.advisor.diagnosis.test_on_device import GIB, device, run, said, speed_of


def pasted(model, gib, billions, read, write):  # type: ignore[no-untyped-def]
    return run(read, write, model=model, model_bytes=round(gib * GIB), parameters=round(billions * 1e9))


@pytest.mark.parametrize(("name", "model", "gib", "billions", "read", "write"), [
    ("Ryzen AI Max+ 395", "gpt-oss 120B MXFP4 MoE", 59.02, 116.83, 740, 52.3),
    ("RTX 5090", "qwen3moe 30B.A3B Q4_K - Medium", 17.28, 30.53, 7400, 240),
    ("RTX 3090", "gpt-oss 20B MXFP4 MoE", 11.27, 20.91, 3400, 160),
    ("RTX 4090", "llama 8x7B Q4_K - Medium", 24.6, 46.7, 2500, 100),
])
def test_a_healthy_mixture_is_neither_impossible_nor_held_back(name, model, gib, billions, read, write) -> None:
    report = pasted(model, gib, billions, read, write)
    assert {on_device(report, test, device(name)).place for test in report.tests} == {Place.USUAL}
    assert "experts) allows" in said(report, name)


@pytest.mark.parametrize(("model", "billions"), [
    ("llama4 17Bx16E (Scout) Q4_K", 107.8), ("deepseek2 236B Q4_K", 236), ("glm4moe 106B.A12B Q4_K", 110),
])
def test_a_mixture_of_unknown_shape_is_held_against_nothing(model, billions) -> None:
    report = pasted(model, 60, billions, 300, 60)
    places = {on_device(report, test, device()).place for test in report.tests}
    assert places == {Place.UNKNOWN}
    assert "how this mixture of experts is made up is not known" in said(report)


def test_a_model_larger_than_the_card_is_not_told_to_put_all_layers_on_it() -> None:
    """"70B Q4_K_M at 2 tokens/s on my 3090 with -ngl 40": nothing is broken."""
    text = said(pasted("llama 70B Q4_K - Medium", 39.59, 70.55, 95, 2.05))
    assert "the part that lies elsewhere sets the pace" in text
    assert "a second card" in text
    assert "-ngl 99" not in text
    assert "find out what holds it back" not in text


def test_dense_models_are_no_mixtures() -> None:
    for name in ("llama 8B Q4_K - Medium", "qwen3 32B Q8_0", "gemma3 27B", "deepseek-r1-distill-qwen 7B"):
        assert not is_mixture(name)
        assert active_share(name) is None
        assert shape_of(name, 30_530_000_000) is None


@given(st.sampled_from(SHAPES), st.floats(1e9, 4e11), st.floats(0.1, 5e3))
def test_a_token_never_uses_more_than_the_whole_file(shape, size, speed) -> None:
    flows = traffic_of(shape, round(size), round(shape.total * 1e9))
    assert 0 < flows.step_bytes(1, 0) < size
    assert 0 < flows.block_elements < shape.total * 1e9
    report = run(model=f"{shape.name} MoE", model_bytes=round(size), parameters=round(shape.total * 1e9))
    found = on_device(report, speed_of(Phase.DECODE, speed), device())
    assert found.experts == shape.experts
