"""What the window's engine is at, said to everybody who shows it or waits for it."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Activity(StrEnum):
    """What the engine is at, as seen by the user."""

    IDLE = "idle"
    OPENING = "opening"
    CEILINGS = "ceilings"
    BENCHMARK = "benchmark"
    TRIAL = "trial"
    CURVE = "curve"
    SERVER = "server"
    LENT = "lent"
    """Another page measures in the lane of the benchmark."""
    STOPPING = "stopping"
    CLOSING = "closing"
    PAST = "past"
    """A run of the past is shown, with which nothing is measured."""


MEASURING: Final = (
    Activity.BENCHMARK, Activity.TRIAL, Activity.CURVE, Activity.SERVER, Activity.LENT, Activity.PAST,
)  # fmt: skip
"""While one of them goes on, nothing else is begun."""

_JOBS: Final[Mapping[str, Activity]] = MappingProxyType({
    "benchmark": Activity.BENCHMARK, "trial": Activity.TRIAL, "stutter": Activity.TRIAL, "server": Activity.SERVER,
    "lent": Activity.LENT, "curve": Activity.CURVE, "ceilings": Activity.CEILINGS,
})


def activity_of(running: str, want_benchmark: bool, want_ceilings: bool, opening: bool) -> Activity:
    """What goes on while such a job runs ("" for none), or is wanted next."""
    if want_benchmark:
        return Activity.BENCHMARK
    if running in _JOBS:
        return _JOBS[running]
    if want_ceilings:
        return Activity.CEILINGS
    return Activity.OPENING if opening else Activity.IDLE
