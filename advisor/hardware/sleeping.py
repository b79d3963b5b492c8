"""How long this computer has slept since it was started: the difference of two clocks, of which one stops meanwhile."""

import sys
import time


def asleep_s() -> float | None:
    """Seconds asleep since the start of the system; None where it does not tell.

    Sources: clock_gettime(2) for Linux, clock_gettime_nsec_np(3) for macOS, QueryUnbiasedInterruptTime for Windows.
    """
    asleep: float | None = None
    try:
        if sys.platform == "linux":
            asleep = time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)
        elif sys.platform == "darwin":
            asleep = time.clock_gettime(time.CLOCK_MONOTONIC) - time.clock_gettime(time.CLOCK_UPTIME_RAW)
        elif sys.platform == "win32":
            import ctypes

            awake = ctypes.c_ulonglong()
            if ctypes.windll.kernel32.QueryUnbiasedInterruptTime(ctypes.byref(awake)):
                asleep = ctypes.windll.kernel32.GetTickCount64() / 1e3 - awake.value / 1e7
    except (OSError, AttributeError):
        return None
    return asleep
