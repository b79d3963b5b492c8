"""The time of a step from a kernel table whose rows are made up: exact sums, so that nothing is left out or doubled."""

from dataclasses import replace

import pytest

from advisor.ceilings.kernels import AttentionTime, KernelTable, KernelTime, OperationTime
from advisor.ceilings.mixed import Arrival, mixed_step, predict_pauses
from advisor.ceilings.predict import decode_step, prefill, type_mix
from advisor.core.evidence import Basis, Known, Unknown
from advisor.gguf.layers import AttentionLayer
from advisor.gguf.model import MatmulShape, ModelFacts
from advisor.gguf.small_counts import SmallWork
from tests.support import documents

LAYERS = 2
HEAD = MatmulShape("Q8_0", 8, 256, 1000, 272_000, 1)
UP = MatmulShape("Q4_K", 12, 256, 1024, 2 * 147_456, LAYERS)
EXPERTS = MatmulShape("Q4_K", 12, 256, 512, 8 * LAYERS * 73_728, 8 * LAYERS, expert=True)


def small_model(*shapes: MatmulShape, experts: int = 0, used: int = 0) -> ModelFacts:
    elements = sum(s.inputs * s.outputs * s.count * (used / experts if s.expert else 1) for s in shapes)
    flows = replace(
        documents.traffic(), block_elements=round(elements), head_elements=256_000, last_ffn_elements=0,
        experts=experts, experts_used=used, attention=tuple(AttentionLayer(4, 2, 64, 64) for _ in range(LAYERS)),
    )  # fmt: skip
    known = Known(flows, Basis.COMPUTED, "test")
    return replace(
        documents.model(), matmuls=(HEAD, *shapes), vocabulary=Known(1000, Basis.READ, "test"), traffic=known,
        experts=experts, experts_used=used, layers=Known(LAYERS, Basis.READ, "test"),
        embedding_length=Known(256, Basis.READ, "test"), small=SmallWork(5, 5 * 256, LAYERS, LAYERS * 1024),
    )  # fmt: skip


def table(**more: float) -> KernelTable:
    def product(type_name: str, inputs: int, outputs: int, columns: int, seconds: float, used: int = 0) -> KernelTime:
        return KernelTime(type_name, inputs, outputs, columns, "", 2, "CPU", (seconds,), 8 if used else 0, used)

    def attention(columns: int, cells: int, seconds: float) -> AttentionTime:
        return AttentionTime(4, 2, 64, 64, columns, cells, 2, "CPU", (seconds,))

    return KernelTable(
        (
            product("Q8_0", 256, 1000, 1, 5e-4), product("Q4_K", 256, 1024, 1, 1e-3),
            product("Q4_K", 256, 1024, 512, 0.1), product("Q4_K", 256, 512, 1, 7e-4, 2),
        ),
        (attention(1, 256, 0.0), attention(1, 1256, 1e-3), attention(512, 512, 0.02)),
        tuple(
            OperationTime(name, 256, columns, 2, "CPU", (more.get(name, 0.0),))
            for name in ("norm", "add", "gate", "rope", "copy") for columns in (1, 512)
        ),
        "2026-11-29",
    )  # fmt: skip


def test_a_step_of_streams_and_a_prompt_adds_up() -> None:
    model, arrival = small_model(UP), Arrival(1024, 4, 256, 512)
    alone = predict_pauses(model, table(), replace(arrival, streams=0), 512)
    both = predict_pauses(model, table(), arrival, 508)
    assert isinstance(alone, Known)
    assert isinstance(both, Known)
    whole = prefill(model, table(), 1024, 0, 512)
    assert isinstance(whole, Known)
    head_s = 5e-4  # only the last piece wants logits here, where a prefill counts its head once a piece
    assert alone.value.first_token_s == pytest.approx(whole.value.total_s - head_s)
    first = mixed_step(model, table(), arrival, 0, 508)
    assert isinstance(first, Known)
    streams = decode_step(model, table(), 4, 256)
    assert isinstance(streams, Known)
    assert first.value > LAYERS * 0.1 + streams.value.attention_s


def test_pauses_fall_with_the_pieces_and_many_pieces_are_reckoned_from_some() -> None:
    model = small_model(UP)
    arrival = Arrival(64 * 200, 2, 0, 512)
    found = [predict_pauses(model, table(), arrival, chunk) for chunk in (64, 512, 12_800)]
    worst = [each.value.worst_s for each in found if isinstance(each, Known)]
    assert worst == sorted(worst)
    assert len(worst) == 3
    assert isinstance(found[0], Known)
    every = [mixed_step(model, table(), arrival, 64 * index, 64) for index in range(200)]
    total_s = sum(each.value for each in every if isinstance(each, Known))
    assert found[0].value.first_token_s == pytest.approx(total_s, rel=0.01)
    assert isinstance(predict_pauses(model, KernelTable(), arrival, 64), Unknown)


def test_decode_adds_every_matrix_once_and_the_head_once() -> None:
    found = decode_step(small_model(UP), table())
    assert isinstance(found, Known)
    assert found.value.matrices_s == pytest.approx(LAYERS * 1e-3 + 5e-4)
    assert found.value.total_s == pytest.approx(found.value.matrices_s)


def test_decode_reads_the_cache_of_every_layer() -> None:
    found = decode_step(small_model(UP), table(), depth=1255)
    assert isinstance(found, Known)
    assert found.value.attention_s == pytest.approx(LAYERS * 1.024e-3)  # of two threads one has 640 of 1,256 cells


def test_used_experts_are_one_product_per_layer() -> None:
    found = decode_step(small_model(EXPERTS, experts=8, used=2), table())
    assert isinstance(found, Known)
    assert found.value.matrices_s == pytest.approx(LAYERS * 7e-4 + 5e-4)


def test_prefill_runs_the_head_for_one_token() -> None:
    found = prefill(small_model(UP), table(), 512)
    assert isinstance(found, Known)
    assert found.value.matrices_s == pytest.approx(LAYERS * 0.1 + 5e-4)
    assert found.value.attention_s == pytest.approx(LAYERS * 0.02)


def test_the_last_feed_forward_part_runs_for_the_last_token_only() -> None:
    model = small_model(UP)
    assert isinstance(model.traffic, Known)
    flows = replace(model.traffic.value, last_ffn_elements=model.traffic.value.block_elements // 2)
    found = prefill(replace(model, traffic=replace(model.traffic, value=flows)), table(), 512)
    assert isinstance(found, Known)
    assert found.value.matrices_s == pytest.approx(LAYERS * 0.1 * (0.5 + 0.5 / 512) + 5e-4)


def test_a_long_prompt_is_read_in_pieces() -> None:
    one, two = prefill(small_model(UP), table(), 512), prefill(small_model(UP), table(), 1024)
    assert isinstance(one, Known)
    assert isinstance(two, Known)
    assert two.value.matrices_s == pytest.approx(2 * one.value.matrices_s)
    assert two.value.attention_s > 2 * one.value.attention_s  # the second piece sees the first


def test_a_prompt_of_very_many_pieces_is_reckoned_from_some_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    some = prefill(small_model(UP), table(), 300 * 512 + 7)
    monkeypatch.setattr("advisor.ceilings.predict.MANY_PIECES", 1000)
    every = prefill(small_model(UP), table(), 300 * 512 + 7)
    assert isinstance(some, Known)
    assert isinstance(every, Known)
    assert some.value.matrices_s == pytest.approx(every.value.matrices_s)
    assert some.value.attention_s == pytest.approx(every.value.attention_s, rel=0.01)
    assert some.value.operations_s == pytest.approx(every.value.operations_s)


def test_small_operations_are_counted() -> None:
    found = decode_step(small_model(UP), table(norm=1e-6, add=1e-7, gate=1e-8, rope=1e-9, copy=1e-10))
    assert isinstance(found, Known)
    expected = 5 * 1e-6 + (2 * LAYERS + 6) * 1e-7 + LAYERS * (1e-8 + 2e-9 + 2e-10)
    assert found.value.operations_s == pytest.approx(expected, rel=0.2)


def test_a_type_that_is_not_in_the_table_is_named() -> None:
    found = decode_step(small_model(replace(UP, type_name="IQ1_S")), table())
    assert isinstance(found, Unknown)
    assert "IQ1_S" in found.reason


def test_a_small_router_may_be_reckoned_in_another_type() -> None:
    router = MatmulShape("F32", 0, 256, 2, 4096, LAYERS)
    found = decode_step(small_model(UP, router), table())
    assert isinstance(found, Known)
    assert LAYERS * 1e-3 + 5e-4 < found.value.matrices_s < 1.05 * (LAYERS * 1e-3 + 5e-4)


def test_without_a_table_nothing_is_predicted() -> None:
    assert isinstance(decode_step(small_model(UP), KernelTable()), Unknown)


def test_the_mix_leaves_the_head_out_and_counts_used_experts() -> None:
    assert type_mix(small_model(UP, EXPERTS, experts=8, used=2)) == {
        "Q4_K": LAYERS * 256 * 1024 + 2 * LAYERS * 256 * 512
    }
