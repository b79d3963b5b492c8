"""Collects what a ``ceilings`` child measures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from advisor.benchmarks import protocol
from advisor.benchmarks.child_words import translated
from advisor.ceilings.kernels import AttentionTime, KernelTime, OperationTime
from advisor.ceilings.model import ArithmeticProbe, ReadProbe

FULL_BATCH: Final = 512
"""Columns from which a product of the kernel table counts as a probe of the arithmetic."""
_ATTENTION: Final = ("heads", "kv_heads", "key_length", "value_length", "columns", "cells", "threads")


@dataclass(slots=True)
class ProbeRun:
    """Takes the messages of the task ``ceilings``; ``trying`` is the kernel that runs now, ``done`` those before."""

    on_phase: Callable[[str], None]
    reads: list[ReadProbe] = field(default_factory=list)
    arithmetic: list[ArithmeticProbe] = field(default_factory=list)
    products: list[KernelTime] = field(default_factory=list)
    attention: list[AttentionTime] = field(default_factory=list)
    operations: list[OperationTime] = field(default_factory=list)
    trying: str = ""
    done: list[str] = field(default_factory=list)

    def take(self, message: Mapping[str, Any]) -> None:
        """One message of the child; raises ProtocolError for what cannot be."""
        if message["kind"] == protocol.PROGRESS:
            self.on_phase(translated(str(message.get("phase", ""))))
        elif "trying" in message:
            self.trying = str(message["trying"])
        elif message.get("probe") == "read":
            self.reads.append(
                ReadProbe(
                    str(message["kernel"]),
                    protocol.count(message, "threads"),
                    protocol.count(message, "bytes_per_pass"),
                    _samples(message),
                )
            )
            self._finish()
        elif message.get("probe") == "arithmetic":
            self.arithmetic.append(
                ArithmeticProbe(
                    str(message["kernel"]),
                    protocol.count(message, "threads"),
                    protocol.count(message, "inputs"),
                    protocol.count(message, "outputs"),
                    protocol.count(message, "columns"),
                    protocol.count(message, "flop"),
                    _samples(message),
                )
            )
            self._finish()

        elif message.get("probe") == "kernel":
            self._take_product(message)
        elif message.get("probe") == "attention":
            self.attention.append(
                AttentionTime(
                    **{name: protocol.count(message, name) for name in _ATTENTION},
                    device=str(message["device"]),
                    samples_s=_samples(message),
                )
            )
        elif message.get("probe") == "operation":
            self.operations.append(
                OperationTime(
                    operation=str(message["operation"]),
                    **{name: protocol.count(message, name) for name in ("elements", "columns", "threads")},
                    device=str(message["device"]),
                    samples_s=_samples(message),
                )
            )

    def _take_product(self, message: Mapping[str, Any]) -> None:
        """One row of the kernel table; with a full batch it says how fast the arithmetic is, too."""
        row = KernelTime(
            type_name=str(message["type_name"]),
            **{name: protocol.count(message, name) for name in ("inputs", "outputs", "columns", "threads")},
            layout=str(message["layout"]),
            device=str(message["device"]),
            samples_s=_samples(message),
            experts=protocol.count(message, "experts", 0),
            used=protocol.count(message, "used", 0),
        )
        self.products.append(row)
        if row.columns >= FULL_BATCH:
            layout = f", {row.layout} layout" if row.layout else ""
            kernel = f"ggml {row.type_name}{layout}"
            self.arithmetic.append(
                ArithmeticProbe(kernel, row.threads, row.inputs, row.outputs, row.columns, row.flop, row.samples_s)
            )

    def _finish(self) -> None:
        if self.trying:
            self.done.append(self.trying)
            self.trying = ""


def _samples(message: Mapping[str, Any]) -> tuple[float, ...]:
    values = message.get("samples_s")
    if not isinstance(values, list) or not values:
        raise protocol.ProtocolError("a probe without samples")
    return tuple(protocol.seconds({"samples_s": value}, "samples_s") for value in values)
