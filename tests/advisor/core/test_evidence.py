import dataclasses
import pickle

import pytest

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.report.codec import fact_fields


def test_a_known_fact_states_its_origin() -> None:
    fact = Known(42, Basis.READ, "/proc/cpuinfo")
    assert fact.or_none() == 42
    assert fact_fields("cores", fact) == {"cores": 42, "cores_source": "read: /proc/cpuinfo"}


def test_zero_and_false_are_values() -> None:
    for value in (0, 0.0, False, ""):
        fact: Fact[object] = Known(value, Basis.MEASURED, "test")
        assert fact.or_none() == value
        assert fact_fields("x", fact)["x"] == value


def test_an_unknown_is_null_with_a_reason_and_never_zero() -> None:
    fact = Unknown("no permission to ask", Missing.NO_PERMISSION)
    assert fact.or_none() is None
    assert fact_fields("speed", fact) == {
        "speed": None,
        "speed_reason": "no permission to ask",
        "speed_missing": "no permission",
    }


def test_an_unknown_without_a_kind_failed() -> None:
    assert Unknown("it broke").kind is Missing.FAILED


@pytest.mark.parametrize("fact", [Known((1, 2), Basis.TABLE, "row 3"), Unknown("later", Missing.NOT_YET)])
def test_facts_are_frozen_comparable_and_picklable(fact: Fact[object]) -> None:
    assert pickle.loads(pickle.dumps(fact)) == fact
    assert hash(fact) == hash(dataclasses.replace(fact))
    field = dataclasses.fields(fact)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(fact, field, "other")


def test_the_words_that_users_read() -> None:
    assert [str(basis) for basis in Basis] == ["measured", "computed", "estimated", "table", "you said", "read"]
    assert len({str(kind) for kind in Missing}) == len(Missing) == 6
