import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.benchmarks import protocol


def test_what_is_written_is_read_again() -> None:
    line = protocol.encode(protocol.ROW, {"test": 0, "seconds": 0.25})
    assert line.endswith(b"\n")
    assert protocol.decode(line) == {"v": 1, "kind": "row", "test": 0, "seconds": 0.25}


@pytest.mark.parametrize("value", [None, True, 0, -1.0, "1", float("inf")])
def test_a_duration_that_no_clock_can_have_shown_is_refused(value: object) -> None:
    with pytest.raises(protocol.ProtocolError):
        protocol.seconds({"seconds": value}, "seconds")


def test_nan_cannot_be_sent() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        protocol.encode(protocol.ROW, {"seconds": float("nan")})


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_a_protocol_error(line: bytes) -> None:
    try:
        message = protocol.decode(line)
    except protocol.ProtocolError:
        return
    assert message["kind"] in protocol.KINDS


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda x: st.lists(x) | st.dictionaries(st.text(max_size=5), x),
    )
)
def test_any_json_is_a_message_or_a_protocol_error(value: object) -> None:
    try:
        protocol.decode(json.dumps(value).encode())
    except protocol.ProtocolError:
        return
    raise AssertionError("accepted without a version")
