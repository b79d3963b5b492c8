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
    STOPPING = "stopping"
    CLOSING = "closing"
