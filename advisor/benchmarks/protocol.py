"""Versioned JSON lines between the parent and the measuring child.

The parent writes one request line to the child's standard input, later at most a stop line; end of file there
means that the parent is gone. The child answers on a pipe of its own: lines of JSON objects with ``v`` (protocol
version) and ``kind``. This module runs in any Python that can run llama_cpp, so it stays with plain types.
"""

import json
import math
from typing import Any, Dict, Iterable, Mapping  # noqa: UP035 (older Pythons run this file)

VERSION = 1

HELLO = "hello"
"""First line: ``pid``, ``python``, ``task``."""
PROGRESS = "progress"
"""``phase``: what is happening, in words."""
READING = "reading"
"""For gauges: ``phase``, ``repetition``, ``repetitions``, ``tokens_per_s``, ``final``."""
ROW = "row"
"""One kept measurement; its fields depend on the task."""
RESULT = "result"
"""Last line of a task that ended well, or was stopped politely (``stopped`` true)."""
FAILURE = "failure"
"""Last line of a task that could not be done: ``code``, ``sentence``, ``hint``."""
PAUSED = "paused"
"""Made by whoever watches the child, never sent by it: ``seconds`` in which something outside had stopped it."""

KINDS = frozenset({HELLO, PROGRESS, READING, ROW, RESULT, FAILURE})

NO_TIME = "there was no time left"
"""Why a test was left out that would have passed the time of its plan."""

STOP_LINE = b"stop\n"
MAX_LINE_BYTES = 1 << 20
"""A longer line is no message of ours."""


class ProtocolError(ValueError):
    """A line that is not a message of this protocol."""


_MEMORY_SHORTAGE = (
    "failed to allocate", "unable to allocate", "out of memory", "cannot allocate memory", "bad_alloc",
    # Vulkan's, Metal's, SYCL's and OpenCL's words, then Windows'
    "outofdevicememory", "outofhostmemory", "outofmemory", "memory allocation of size", "memory allocation limit",
    "insufficient memory", "out_of_device_memory", "out_of_host_memory", "allocation_failure",
    "not enough memory", "paging file is too small",
)  # fmt: skip
"""What native code prints when memory runs out, in lower case."""


_PINNING = ("mlock", "virtuallock", "pinned")
"""Memory that could not be kept from swapping, or not be pinned for a card: the engine warns and goes on without."""


def tells_of_memory_shortage(lines: Iterable[str]) -> bool:
    """Whether native log lines say that memory ran out."""
    lowered = [line.lower() for line in lines]
    return any(
        sign in line for line in lowered for sign in _MEMORY_SHORTAGE if not any(word in line for word in _PINNING)
    )


def encode(kind: str, fields: Mapping[str, Any]) -> bytes:
    """One message as a line, with its newline; raises ValueError for values that JSON cannot hold (nan)."""
    message = {"v": VERSION, "kind": kind, **fields}
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def decode(line: bytes) -> Dict[str, Any]:  # noqa: UP006
    """The message of one line.

    Raises:
        ProtocolError: not JSON, not an object, another version, an unknown kind, or too long.
    """
    if len(line) > MAX_LINE_BYTES:
        raise ProtocolError("a line of more than a megabyte")
    try:
        message = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("a line that is not JSON") from error
    if not isinstance(message, dict):
        raise ProtocolError("a line that is not an object")
    if message.get("v") != VERSION:
        raise ProtocolError(f"protocol version {message.get('v')!r}, expected {VERSION}")
    if message.get("kind") not in KINDS:
        raise ProtocolError(f"a message of the unknown kind {message.get('kind')!r}")
    return message


def seconds(message: Mapping[str, Any], field: str) -> float:
    """A duration out of a message.

    Raises:
        ProtocolError: missing, not a number, not finite, or not above 0 - a figure that cannot have been measured.
    """
    value = message.get(field)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value <= 0:
        raise ProtocolError(f"{field} is {value!r}, which no clock can have shown")
    return float(value)


def count(message: Mapping[str, Any], field: str, least: int = 1) -> int:
    """A whole number out of a message.

    Raises:
        ProtocolError: missing, not a whole number, or below ``least``.
    """
    value = message.get(field)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ProtocolError(f"{field} is {value!r}")
    return value


def _refuse_constant(name: str) -> float:
    raise ProtocolError(f"{name} is not a number")
