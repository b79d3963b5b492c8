"""What the window's engine is at, said to everybody who shows it or waits for it."""

from enum import StrEnum


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
