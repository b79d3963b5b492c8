"""Like with like, phases apart, chance told from difference."""

from dataclasses import replace

import pytest

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedTest
from advisor.benchmarks.store.model import MachineIdentity
from advisor.comparison.compare import compare, judged
from advisor.comparison.model import Outcome, Side, Weights
from advisor.core.evidence import Basis, Known, Unknown

NOT_KNOWN = Unknown("not said")


def row(phase: Phase, speed: float, spread: float = 0.01, **settings: object) -> ReportedTest:
    """A test of seven repetitions around a speed."""
    samples = tuple(speed * (1 + spread * step / 3) for step in range(-3, 4))
    values = {"tokens": 512 if phase is Phase.PREFILL else 128, "n_depth": 0, "n_streams": 1, "n_threads": 4} | settings
    return ReportedTest(phase=phase, tokens_per_s=speed, samples_tokens_per_s=samples, **values)  # type: ignore[arg-type]


def side(*tests: ReportedTest, name: str = "a", machine: str = "one", label: str = "Q4_K_M") -> Side:
    """A side with its weights known to the byte."""
    return Side(
        name=name, imported=False, machine=MachineIdentity(machine, 4),
        weights=Weights("Llama", label, 4_000_000_000, True, "llama"), engine="llama.cpp 1", measured_at="",
        tests=tests, ceilings=NOT_KNOWN, read_bytes_per_s=NOT_KNOWN, compute_flop_per_s=NOT_KNOWN,
    )  # fmt: skip


def test_each_phase_has_its_own_ratio() -> None:
    base = side(row(Phase.PREFILL, 100), row(Phase.DECODE, 10))
    other = side(row(Phase.PREFILL, 300), row(Phase.DECODE, 15), name="b", machine="two")
    found = compare(base, other)
    prefill, decode = found.main(Phase.PREFILL), found.main(Phase.DECODE)
    assert prefill is not None
    assert decode is not None
    assert (prefill.ratio, decode.ratio) == (3.0, 1.5)
    assert prefill.outcome is decode.outcome is Outcome.FASTER
    assert [(gap.phase, gap.measured, gap.of_bounds) for gap in found.gaps] == [
        (Phase.PREFILL, 3.0, None), (Phase.DECODE, 1.5, None),
    ]  # fmt: skip


def test_the_gap_of_the_bounds_stands_beside_the_measured_one() -> None:
    tests = (row(Phase.PREFILL, 100), row(Phase.DECODE, 10))
    base = replace(side(*tests), read_bytes_per_s=Known(50e9, Basis.MEASURED, "x"))
    other = replace(side(*tests, machine="two"), read_bytes_per_s=Known(100e9, Basis.MEASURED, "x"))
    assert [gap.of_bounds for gap in compare(base, other).gaps] == [None, 2.0]


@pytest.mark.parametrize(
    ("ratio", "interval", "outcome"),
    [
        (1.2, (1.1, 1.3), Outcome.FASTER),
        (0.8, (0.7, 0.9), Outcome.SLOWER),
        (1.2, (0.9, 1.5), Outcome.SAME),
        (1.02, (1.01, 1.03), Outcome.CLOSE),
        (0.98, (0.97, 0.99), Outcome.CLOSE),
        (5.0, None, Outcome.UNKNOWN),
    ],
)
def test_what_a_difference_comes_to(ratio: float, interval: tuple[float, float] | None, outcome: Outcome) -> None:
    assert judged(ratio, interval) is outcome


def test_the_interval_holds_the_ratio_and_widens_with_the_spread() -> None:
    narrow = compare(side(row(Phase.DECODE, 10)), side(row(Phase.DECODE, 20))).pairs[0]
    wide = compare(side(row(Phase.DECODE, 10, 0.1)), side(row(Phase.DECODE, 20, 0.1))).pairs[0]
    assert narrow.interval is not None
    assert wide.interval is not None
    assert wide.interval[0] < narrow.interval[0] < 2.0 < narrow.interval[1] < wide.interval[1]


def test_equal_settings_find_each_other_and_others_are_named() -> None:
    four, eight = row(Phase.DECODE, 10), row(Phase.DECODE, 12, n_threads=8, on_curve=True)
    found = compare(side(eight, four), side(replace(four, tokens_per_s=11.0), eight))
    assert [pair.base.n_threads for pair in found.pairs] == [4, 8]
    assert all(not pair.differs for pair in found.pairs)
    other = compare(side(four), side(row(Phase.DECODE, 12, n_threads=8)))
    assert other.pairs[0].differs == ("4\u00a0threads against 8",)


def test_what_one_side_does_not_say_is_unknown_and_no_difference() -> None:
    found = compare(side(row(Phase.DECODE, 10)), side(row(Phase.DECODE, 10, n_threads=None)))
    assert found.pairs[0].unknown == ("threads",)
    assert not found.pairs[0].differs


def test_other_lengths_stand_together_only_for_want_of_better_and_say_so() -> None:
    found = compare(side(row(Phase.PREFILL, 100)), side(row(Phase.PREFILL, 50, tokens=26)))
    assert not found.pairs[0].alike
    assert found.pairs[0].differs[0] == "pp512 against pp26"
    better = compare(side(row(Phase.PREFILL, 100)), side(row(Phase.PREFILL, 50, tokens=26), row(Phase.PREFILL, 90)))
    assert [pair.other.tokens for pair in better.pairs] == [512]
    assert [test.tokens for test in better.only_other] == [26]


def test_weights_are_told_apart_as_far_as_they_are_known() -> None:
    tests = (row(Phase.DECODE, 10),)
    base = side(*tests)
    assert compare(base, side(*tests)).same_weights is True
    assert compare(base, side(*tests, label="Q8_0")).same_weights is False
    assert compare(base, replace(base, weights=Weights("Llama"))).same_weights is None
    rounded = Weights("Llama", "q4_k_m", 3_990_000_000)
    assert compare(base, replace(base, weights=rounded)).same_weights is True
    both = (Weights("a", "", 5, True, "", "ab"), Weights("b", "", 5, True, "", "cd"))
    assert compare(replace(base, weights=both[0]), replace(base, weights=both[1])).same_weights is False


def test_different_models_have_no_gap_between_machines() -> None:
    found = compare(side(row(Phase.DECODE, 10)), side(row(Phase.DECODE, 20), machine="two", label="Q8_0"))
    assert found.gaps == ()
    assert len(found.differs) == 2


def test_what_the_tokenizer_takes_of_a_file_is_no_other_model() -> None:
    """Figures of gemma-3-270m-q4_k_m: the file, and its tensors as llama-bench counts them."""
    base = side(row(Phase.DECODE, 10))
    file = replace(base, weights=Weights("Gemma 3 270m", "Q4_K_M", 253_113_024, True))
    tensors = replace(base, weights=Weights("gemma3 270M Q4_K - Medium", "Q4_K_M", 246_587_904))
    assert compare(file, tensors).same_weights is True
    assert compare(file, replace(base, weights=Weights("x", "Q4_K_M", 200_000_000))).same_weights is False
    by_tool = replace(base, weights=Weights("x", "Q4_K_M", 253_000_000))
    assert compare(by_tool, tensors).same_weights is False


@pytest.mark.parametrize(
    ("one", "two", "imported", "same"),
    [
        (MachineIdentity("Xeon", 8), MachineIdentity("Xeon", 8), False, True),
        (MachineIdentity("Xeon", 8), MachineIdentity("Xeon", 16), False, False),
        (MachineIdentity("Xeon", 8, ("A",)), MachineIdentity("Xeon", 8), False, False),
        (MachineIdentity("Xeon", 8), MachineIdentity("Xeon", 0), True, None),
        (MachineIdentity("Xeon", 8, ("A", "B")), MachineIdentity("", 0, ("B",)), True, None),
        (MachineIdentity("Xeon", 8, ("A",)), MachineIdentity("", 0, ("B",)), True, False),
        (MachineIdentity("Xeon", 8), MachineIdentity("Ryzen", 0), True, False),
        (MachineIdentity("", 0), MachineIdentity("", 0), True, None),
    ],
)
def test_what_a_tool_does_not_say_of_a_machine_is_no_difference(
    one: MachineIdentity, two: MachineIdentity, imported: bool, same: bool | None
) -> None:
    base = replace(side(row(Phase.DECODE, 10)), machine=one)
    found = compare(base, replace(base, machine=two, imported=imported))
    assert found.same_machine is same
    assert any("machines" in clause for clause in found.differs) is (same is False)


def test_a_card_is_the_same_with_and_without_its_makers_name() -> None:
    tests = (row(Phase.PREFILL, 100), row(Phase.DECODE, 10))
    base, other = (
        replace(side(*tests), imported=True, machine=MachineIdentity("", 0, (name,)))
        for name in ("NVIDIA GeForce RTX 3090", "RTX 3090")
    )
    assert compare(base, other).same_machine is None, "another tool may name a part of its machine only"
    third = replace(other, machine=MachineIdentity("", 0, ("RTX 4090",)))
    assert compare(base, third).same_machine is False
