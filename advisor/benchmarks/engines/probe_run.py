"""Collects what a ``ceilings`` child measures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from advisor.benchmarks import protocol
from advisor.ceilings.model import ArithmeticProbe, ReadProbe


@dataclass(slots=True)
class ProbeRun:
    """Takes the messages of the task ``ceilings``; ``trying`` is the kernel that runs now, ``done`` those before."""

    on_phase: Callable[[str], None]
    reads: list[ReadProbe] = field(default_factory=list)
    arithmetic: list[ArithmeticProbe] = field(default_factory=list)
    trying: str = ""
    done: list[str] = field(default_factory=list)

    def take(self, message: Mapping[str, Any]) -> None:
        """One message of the child; raises ProtocolError for what cannot be."""
        if message["kind"] == protocol.PROGRESS:
            self.on_phase(str(message.get("phase", "")))
        elif "trying" in message:
            self.trying = str(message["trying"])
        elif message.get("probe") == "read":
            self.reads.append(
                ReadProbe(
                    str(message["kernel"]),
                    _count(message, "threads"),
                    _count(message, "bytes_per_pass"),
                    _samples(message),
                )
            )
            self._finish()
        elif message.get("probe") == "arithmetic":
            self.arithmetic.append(
                ArithmeticProbe(
                    str(message["kernel"]),
                    _count(message, "threads"),
                    _count(message, "inputs"),
                    _count(message, "outputs"),
                    _count(message, "columns"),
                    _count(message, "flop"),
                    _samples(message),
                )
            )
            self._finish()

    def _finish(self) -> None:
        if self.trying:
            self.done.append(self.trying)
            self.trying = ""


def _count(message: Mapping[str, Any], name: str) -> int:
    value = message.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise protocol.ProtocolError(f"{name} is {value!r}")
    return value


def _samples(message: Mapping[str, Any]) -> tuple[float, ...]:
    values = message.get("samples_s")
    if not isinstance(values, list) or not values:
        raise protocol.ProtocolError("a probe without samples")
    return tuple(protocol.seconds({"samples_s": value}, "samples_s") for value in values)
