"""The kernel table: what was measured comes out, what lies between and beside it follows stated rules."""

from dataclasses import replace

import pytest

from advisor.ceilings.attention_split import Attending
from advisor.ceilings.kernels import AttentionTime, KernelTable, KernelTime, OperationTime, attention_pairs

ADD = OperationTime("add", 1000, 1, 2, "CPU", (1e-6,))


def product(type_name: str, inputs: int, outputs: int, columns: int, seconds: float, used: int = 0) -> KernelTime:
    return KernelTime(type_name, inputs, outputs, columns, "", 2, "CPU", (seconds,), 8 if used else 0, used)


def test_a_measured_product_comes_out_as_it_was_measured() -> None:
    table = KernelTable((product("Q4_K", 4096, 4096, 1, 1e-3), product("Q4_K", 4096, 4096, 512, 0.1)))
    assert table.product_s("Q4_K", 4096, 4096, 1) == pytest.approx(1e-3)
    assert table.product_s("Q4_K", 4096, 4096, 512) == pytest.approx(0.1)


def test_the_median_of_the_samples_counts() -> None:
    row = replace(product("F16", 64, 64, 1, 1.0), samples_s=(3.0, 1.0, 2.0))
    assert KernelTable((row,)).product_s("F16", 64, 64, 1) == 2.0


def test_between_columns_the_line_is_straight_in_logarithms() -> None:
    table = KernelTable((product("Q4_K", 512, 512, 1, 1e-3), product("Q4_K", 512, 512, 16, 4e-3)))
    assert table.product_s("Q4_K", 512, 512, 4) == pytest.approx(2e-3)


def test_another_shape_costs_by_its_weights_beside_the_fixed_cost() -> None:
    table = KernelTable((product("Q8_0", 1024, 1024, 1, 101e-6),), operations=(ADD,))
    assert table.product_s("Q8_0", 1024, 2048, 1) == pytest.approx(201e-6)


def test_a_type_that_was_never_measured_is_not_guessed() -> None:
    assert KernelTable((product("Q8_0", 64, 64, 1, 1e-6),)).product_s("Q4_0", 64, 64, 1) is None


def test_beyond_its_own_columns_a_shape_gains_as_its_neighbour_does() -> None:
    neighbour = (product("Q4_K", 1024, 512, 1, 1e-3), product("Q4_K", 1024, 512, 512, 64e-3))
    table = KernelTable((product("Q4_K", 1024, 1024, 1, 2e-3), *neighbour))
    assert table.product_s("Q4_K", 1024, 1024, 512) == pytest.approx(128e-3)


def test_a_product_cut_to_fewer_outputs_stands_for_the_whole() -> None:
    table = KernelTable((product("F16", 640, 1000, 1, 1e-3), product("F16", 640, 500, 512, 0.1)))
    assert table.product_s("F16", 640, 1000, 512) == pytest.approx(0.2)


def test_a_dense_product_stands_in_for_routed_experts_at_one_column_only() -> None:
    table = KernelTable((product("Q4_0", 512, 512, 1, 1e-3), product("Q4_0", 512, 512, 512, 0.1)))
    assert table.product_s("Q4_0", 512, 512, 1, used=4) == pytest.approx(4e-3)
    assert table.product_s("Q4_0", 512, 512, 512, used=4) is None


def test_experts_are_scaled_by_how_many_are_used() -> None:
    table = KernelTable((product("Q4_K", 256, 256, 1, 2e-3, used=2),))
    assert table.product_s("Q4_K", 256, 256, 1, used=4) == pytest.approx(4e-3)


def test_small_operations_have_a_fixed_and_a_growing_part() -> None:
    table = KernelTable(operations=(ADD, OperationTime("add", 1000, 512, 2, "CPU", (512e-6,))))
    assert table.operation_s("add", 1000, 256) == pytest.approx(256e-6)
    assert table.operation_s("add", 10, 1) == pytest.approx(1e-6)
    assert table.operation_s("never measured", 1000, 1) == pytest.approx(1e-6)
    assert KernelTable().operation_s("add", 1000, 1) == 0.0


def test_attention_grows_with_the_pairs_and_with_the_heads() -> None:
    def row(columns: int, cells: int, seconds: float) -> AttentionTime:
        return AttentionTime(8, 2, 64, 64, columns, cells, 2, "CPU", (seconds,))

    table = KernelTable(attention=(row(1, 256, 3e-6), row(1, 4096, 42e-6), row(512, 512, 1e-3)))
    one = Attending(((1, 0),))
    assert table.attention_s(8, 2, 64, 64, one, 2048) == pytest.approx(3e-6 + 39e-6 * (2048 - 256) / 3840)
    assert table.attention_s(16, 4, 64, 64, Attending(((512, 0),)), 0) == pytest.approx(2e-3)
    wider = table.attention_s(8, 2, 128, 128, one, 256)
    assert wider == pytest.approx(3e-6 + 39e-6 * (256 * 512 / 384 - 256) / 3840)
    assert KernelTable().attention_s(8, 2, 64, 64, one, 100) is None


def test_a_few_queries_cost_what_single_ones_do() -> None:
    def row(columns: int, cells: int, seconds: float, device: str) -> AttentionTime:
        return AttentionTime(8, 2, 64, 64, columns, cells, 2, device, (seconds,))

    few, many = Attending(((9, 1000),)), Attending(((64, 1000),))
    for device, kernel_s in (("CPU", 1e-6), ("CUDA0", 1e-9)):
        rows = (row(1, 256, 256e-6, device), row(1, 4096, 4096e-6, device), row(512, 512, 131_328e-9, device))
        assert KernelTable(attention=rows).attention_s(8, 2, 64, 64, few, 9045) == pytest.approx(9045 * kernel_s)
    tiled = KernelTable(attention=rows).attention_s(8, 2, 64, 64, many, 66_080)
    assert tiled == pytest.approx(66_080e-9)


def test_pairs_are_those_of_a_causal_mask() -> None:
    assert attention_pairs(1, 100) == 100
    assert attention_pairs(3, 3) == 1 + 2 + 3
    assert attention_pairs(2, 10) == 9 + 10


def test_merging_keeps_the_newer_row_and_the_older_day() -> None:
    old = KernelTable((product("F16", 64, 64, 1, 2.0), product("F16", 64, 64, 2, 3.0)), measured_on="2026-11-01")
    both = old.merged(KernelTable((product("F16", 64, 64, 1, 1.0),), measured_on="2026-11-29"))
    assert both.product_s("F16", 64, 64, 1) == 1.0
    assert both.product_s("F16", 64, 64, 2) == 3.0
    assert both.measured_on == "2026-11-01"
    assert not KernelTable()
