"""What some of a prompt's tokens cost, for advice that leaves them out or keeps them: not all cost the same."""

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.ceilings.kernels import AttentionTime, KernelTable, KernelTime, OperationTime
from advisor.diagnosis.workload import custom, preset
from advisor.gguf.architecture import read_model
from advisor.gguf.model import ModelFacts
from advisor.recommendations import reuse_prefix, shorten_prompt
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.reading import share_of_wait
from tests.support.evidence import ceilings, evidence, pp, tg
from tests.support.gguf_builder import decoder

FAST = (pp(400), tg(20))


@pytest.fixture
def model(tmp_path: Path) -> ModelFacts:
    made = decoder(layers=8, embed=1024, heads=16, kv_heads=4, ff=4096, vocab=32000, quant="Q4_K",
                   keys={"general.file_type": 15})  # fmt: skip
    return read_model(made.write(tmp_path / "m-Q4_K_M.gguf"))


def held(model: ModelFacts, name: str = "rag", pair_s: float = 1e-9, **more) -> Evidence:  # type: ignore[no-untyped-def]
    """With kernels of which one column takes as long as 64, and attention that takes ``pair_s`` for each pair."""
    products = tuple(
        KernelTime(shape.type_name, shape.inputs, shape.outputs, columns, "", 4, "CPU", (seconds,))
        for shape in model.matmuls
        for columns, seconds in ((1, 1e-4), (64, 1e-4), (512, 8e-4))
    )
    attention = tuple(
        AttentionTime(16, 4, 64, 64, columns, cells, 4, "CPU", (pair_s * columns * cells,))
        for columns, cells in ((1, 512), (1, 4096), (512, 512), (512, 4096))
    )
    table = KernelTable(products, attention, (OperationTime("add", 1024, 1, 4, "CPU", (1e-9,)),), "today")
    return evidence(more.get("workload") or preset(name), FAST, facts=model, bounds=replace(ceilings(), kernels=table))


def test_the_last_tokens_of_a_long_prompt_cost_most(model: ModelFacts) -> None:
    work = held(model, pair_s=1e-8)
    first, last = share_of_wait(work, 600), share_of_wait(work, 600, 3400)
    assert first is not None
    assert last is not None
    assert first < 0.15 < last
    assert share_of_wait(work, 4000) == 1
    assert share_of_wait(replace(work, ceilings=None), 600) is None


def test_passages_left_out_save_more_than_their_share_of_the_tokens(model: ModelFacts) -> None:
    """Four trials of four saved 6 to 13 % more than that (docs/accuracy.md)."""
    work = held(model, pair_s=1e-8)
    by_kernels, by_tokens = (shorten_prompt.predict(one) for one in (work, replace(work, ceilings=ceilings())))
    assert by_kernels.saved_s > 1.05 * by_tokens.saved_s  # type: ignore[union-attr]
    assert by_kernels.saved_s_low == pytest.approx(by_tokens.saved_s_low)  # type: ignore[union-attr]
    assert by_kernels.saved_s_high < work.timeline.wait_s  # type: ignore[union-attr]


def test_few_tokens_less_save_next_to_nothing(model: ModelFacts) -> None:
    """Up to 64 tokens cost as much as one here."""
    advice = shorten_prompt.predict(held(model, workload=custom(60, 100)))
    assert advice is not None
    assert advice.saved_s < 0.1 * held(model, workload=custom(60, 100)).timeline.wait_s
    assert advice.saved_s_low <= advice.saved_s <= advice.saved_s_high


def test_a_kept_beginning_saves_less_than_its_share_of_the_tokens(model: ModelFacts) -> None:
    work = held(model, pair_s=1e-8)
    by_kernels, by_tokens = (reuse_prefix.predict(one) for one in (work, replace(work, ceilings=ceilings())))
    assert 0 < by_kernels.saved_s < by_tokens.saved_s  # type: ignore[union-attr]
