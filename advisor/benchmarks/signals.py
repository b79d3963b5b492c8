"""What a process's exit code says: the signal or the native exception that ended it; pure."""

import signal
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

NO_MEMORY: Final = "no memory left"

NTSTATUS: Final[Mapping[int, str]] = MappingProxyType({
    3: "abort",  # what abort() of Microsoft's older runtime, which MinGW builds use, leaves
    0x40000015: "abort",
    0x80000003: "breakpoint",
    0xC0000005: "access violation",
    0xC0000006: "in-page error",
    0xC0000017: NO_MEMORY,
    0xC000001D: "illegal instruction",
    0xC0000094: "integer division by zero",
    0xC0000096: "privileged instruction",
    0xC00000FD: "stack overflow",
    0xC000009A: NO_MEMORY,
    0xC000012D: NO_MEMORY,
    0xC000013A: "Ctrl+C",
    0xC0000374: "heap corruption",
    0xC0000409: "abort",
    0xC0000602: "fail fast",
    0xE06D7363: "C++ exception",
})  # fmt: skip
"""Windows' exit codes of processes that an exception ended -> its name.

Source: MS-ERREF 2.3.1, https://learn.microsoft.com/openspecs/windows_protocols/ms-erref
"""

NATIVE_CRASHES: Final = frozenset(
    {"SIGSEGV", "SIGILL", "SIGBUS", "SIGABRT", "SIGFPE", "SIGTRAP", "SIGSYS"}
    | (set(NTSTATUS.values()) - {"Ctrl+C", NO_MEMORY})
)
"""Those with which code ends itself, as opposed to somebody ending the process."""

_SHELL_OFFSET: Final = 128
_TOLD_BY_SHELLS: Final = NATIVE_CRASHES | {"SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"}


def signal_name(return_code: int | None, platform: str = sys.platform) -> str:
    """The signal or native exception behind an exit code; empty for an ordinary exit.

    A shell script around a program, as some environments have in place of their Python, ends with 128 and the signal's
    number when the program died of one.
    """
    if return_code is None:
        return ""
    if return_code < 0 and platform != "win32":
        return _posix_name(-return_code)
    if platform == "win32":
        return NTSTATUS.get(return_code & 0xFFFFFFFF, "")
    name = _posix_name(return_code - _SHELL_OFFSET) if return_code > _SHELL_OFFSET else ""
    return name if name in _TOLD_BY_SHELLS else ""


def _posix_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
