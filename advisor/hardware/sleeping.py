"""How long this computer has slept since it was started: the difference of two clocks, of which one stops meanwhile."""

import sys
import time


def asleep_s() -> float | None:
    """Seconds asleep since the start of the system; None where it does not tell. By hand: ``journalctl -u sleep.target``.

    Sources: clock_gettime(2) for Linux, clock_gettime_nsec_np(3) for macOS, QueryUnbiasedInterruptTime for Windows.
    """
    try:
        if sys.platform == "linux":
            return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)
        if sys.platform == "darwin":
            return time.clock_gettime(time.CLOCK_MONOTONIC) - time.clock_gettime(time.CLOCK_UPTIME_RAW)
        if sys.platform == "win32":
            import ctypes

            unbiased = ctypes.c_ulonglong()
            if not ctypes.windll.kernel32.QueryUnbiasedInterruptTime(ctypes.byref(unbiased)):
                return None
            return ctypes.windll.kernel32.GetTickCount64() / 1e3 - unbiased.value / 1e7
    except (OSError, AttributeError):
        pass
    return None
