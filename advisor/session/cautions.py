"""What the user is told before and while a plan runs."""

from collections.abc import Sequence
from typing import Final

from advisor.benchmarks.conditions import OTHERS_SUSPECT, too_busy
from advisor.core.errors import UsageError
from advisor.hardware.model import Machine
from advisor.hardware.probes import programs
from advisor.session.events import Listener, Remark

MAX_THREADS_PER_CPU: Final = 8
"""More threads than this per logical CPU only wait for each other, and very many crash the engine."""


def check_threads(machine: Machine, wanted: int, listener: Listener) -> None:
    """Refuse what would crash the engine, and say what would only be slow; raises UsageError."""
    if wanted > MAX_THREADS_PER_CPU * machine.cpu.logical:
        raise UsageError(
            f"{wanted:,} threads are too many for {machine.cpu.logical} logical CPUs.",
            f"This process may use {machine.cpu.usable_threads}; leave -t out to use that many.",
        )
    if wanted > machine.cpu.logical:
        listener(Remark(f"{wanted} threads share {machine.cpu.logical} logical CPUs and will wait for each other."))


def warn_of_others(machine: Machine, listener: Listener) -> None:
    """Say before a run what will make its figures low, while something can still be done about it."""
    busy, steal = machine.load.cpu_busy_fraction.or_none() or 0.0, machine.load.steal_fraction.or_none() or 0.0
    if too_busy(busy, steal, ""):
        biggest = programs.read() if busy >= OTHERS_SUSPECT else ""
        listener(Remark(too_busy(busy, steal, biggest)))


def tell_of_parts(devices: str, listener: Listener) -> None:
    """Several devices hold the weights (names joined by "+"), and the ceilings are those of one."""
    first, *others = devices.split("+")
    if others:
        listener(
            Remark(f"The weights will lie on {' and '.join([first, *others])}; the ceilings are those of {first}.")
        )


def tell_notes(notes: Sequence[str], listener: Listener) -> None:
    """What is missing from the probes, and why."""
    for note in notes:
        listener(Remark(f"While the ceilings were being measured: {note.rstrip('.')}."))
