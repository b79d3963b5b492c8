"""Any frozen value comes back as it was, so that whatever a measurement learns to tell is kept."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.benchmarks.model import Conditions, Stamp, TestResult
from advisor.benchmarks.store.codec import decode, encode, unknown_fields
from advisor.benchmarks.trials.model import Speculated
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from tests.support import documents


@dataclass(frozen=True, slots=True)
class Everything:
    number: int
    speed: float
    name: str
    truth: bool
    stamp: Stamp
    inner: Conditions
    link: Fact[float]
    words: Fact[str]
    maybe: str | None = None
    samples_s: tuple[float, ...] = ()
    several: tuple[Conditions, ...] = ()
    by_name: Mapping[str, int] = field(default_factory=dict)


VALUE = Everything(
    1, 0.1, "模\udcff", True, Stamp.VALID, Conditions(Stamp.SUSPECT, ("hot",), fault=True),
    Known(2.5, Basis.MEASURED, "a probe"), Unknown("hidden", Missing.NO_PERMISSION), "x", (0.1, 1e-9),
    (Conditions(Stamp.VALID, ()),), {"a": 1},
)  # fmt: skip


def there_and_back(value: object) -> object:
    return decode(type(value), json.loads(json.dumps(encode(value))))


@pytest.mark.parametrize("value", [VALUE, replace(VALUE, maybe=None, link=Unknown("no")), documents.decode_test()])
def test_what_goes_in_comes_out(value: object) -> None:
    assert there_and_back(value) == value


@given(st.lists(st.floats(min_value=1e-9, max_value=1e9), min_size=1), st.text())
def test_samples_and_texts_come_back_exactly(samples: list[float], text: str) -> None:
    result = replace(documents.decode_test(), samples_s=tuple(samples), device=text)
    assert there_and_back(result) == result


def test_unknown_keys_are_passed_over_and_absent_ones_take_the_default() -> None:
    data = encode(documents.decode_test()) | {"colour": "blue"}
    del data["complete"]
    assert decode(TestResult, data) == documents.decode_test()
    assert unknown_fields(TestResult, data) == {"colour": "blue"}


@pytest.mark.parametrize(
    "change",
    [
        {"n_gen": "many"}, {"n_gen": True}, {"n_gen": 1.5}, {"samples_s": 3}, {"samples_s": ["x"]},
        {"conditions": {"stamp": "splendid", "because": []}}, {"conditions": []}, {"conditions": {"because": []}},
        {"device": None}, {"complete": 1},
        {"mode": 9},
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        decode(TestResult, encode(documents.decode_test()) | change)


def test_a_fact_that_is_neither_known_nor_unknown_is_refused() -> None:
    with pytest.raises(ValueError, match="fits none"):
        decode(Everything, encode(VALUE) | {"link": {"colour": "blue"}})


def test_pairs_of_different_kinds_come_back() -> None:
    found = Known(Speculated(0.5, 1.5, ((2, 0.01), (4, 0.02))), Basis.MEASURED, "test")
    assert decode(Fact[Speculated], json.loads(json.dumps(encode(found)))) == found
    with pytest.raises(ValueError):
        decode(tuple[int, float], [1])
