from advisor.core import units


def test_decimal_and_binary_units_are_not_the_same() -> None:
    assert [1000**n for n in range(1, 5)] == [units.KB, units.MB, units.GB, units.TB]
    assert [1024**n for n in range(1, 4)] == [units.KIB, units.MIB, units.GIB]
    assert (units.GFLOP, units.TFLOP, units.FLOP_PER_MAC) == (10**9, 10**12, 2)
