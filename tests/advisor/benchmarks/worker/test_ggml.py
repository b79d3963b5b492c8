"""Reading ggml's properties of a device, from invented builds of it."""

import ctypes
from typing import Any

from advisor.benchmarks.worker.ggml import device_id

UP_TO_TYPE = 36
"""Bytes of the structure before what differs between builds: two strings, two sizes, one enumeration."""
OLD_SIZE = 40
NEW_SIZE = 56


def test_a_build_that_states_the_address() -> None:
    def get_props(_handle: int, into: Any) -> None:
        ctypes.memset(into, 0, NEW_SIZE)
        ctypes.memset(ctypes.addressof(into._obj) + NEW_SIZE - 8, 1, 4)  # what the device can do
        into._obj.device_id = b"0000:c1:00.0"

    assert device_id(get_props, 1) == "0000:c1:00.0"


def test_a_backend_without_an_address() -> None:
    assert device_id(lambda _handle, into: ctypes.memset(into, 0, NEW_SIZE), 1) == ""


def test_an_older_build_whose_structure_ends_before_it() -> None:
    """There the abilities come at once after the type, and nothing is written behind them."""

    def get_props(_handle: int, into: Any) -> None:
        ctypes.memset(into, 0, OLD_SIZE)
        ctypes.memset(ctypes.addressof(into._obj) + UP_TO_TYPE, 1, OLD_SIZE - UP_TO_TYPE)

    assert device_id(get_props, 1) == ""


def test_a_newer_build_that_writes_more() -> None:
    def get_props(_handle: int, into: Any) -> None:
        ctypes.memset(into, 0, NEW_SIZE + 64)
        ctypes.memset(ctypes.addressof(into._obj) + NEW_SIZE - 8, 1, 64)
        into._obj.device_id = b"0000:01:00.0"

    assert device_id(get_props, 1) == "0000:01:00.0"
