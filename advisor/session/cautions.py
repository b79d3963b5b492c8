"""What the user is told before and while a plan runs."""

from collections.abc import Sequence
from typing import Final

from advisor.benchmarks.conditions import OTHERS_SUSPECT, too_busy
from advisor.benchmarks.engine_variables import slowing
from advisor.benchmarks.model import EngineFacts
from advisor.core.errors import UsageError
from advisor.core.numbers import count
from advisor.core.translation import tr, trn
from advisor.hardware.model import Machine
from advisor.hardware.probes import programs
from advisor.session.events import Listener, Remark

MAX_THREADS_PER_CPU: Final = 8
"""More threads than this per logical CPU only wait for each other, and very many crash the engine."""


def check_threads(machine: Machine, wanted: int, listener: Listener) -> None:
    """Refuse what would crash the engine, and say what would only be slow; raises UsageError."""
    if wanted > MAX_THREADS_PER_CPU * machine.cpu.logical:
        raise UsageError(
            trn(
                "{n} threads are too many for {cpus} logical CPU.",
                "{n} threads are too many for {cpus} logical CPUs.",
                machine.cpu.logical, n=count(wanted), cpus=count(machine.cpu.logical),
            ),
            tr("This process may use {n}; leave -t out to use that many.", n=count(machine.cpu.usable_threads)),
        )
    if wanted > machine.cpu.logical:
        words = trn(
            "{n} threads share {cpus} logical CPU and will wait for each other.",
            "{n} threads share {cpus} logical CPUs and will wait for each other.",
            machine.cpu.logical, n=wanted, cpus=machine.cpu.logical,
        )  # fmt: skip
        listener(Remark(words))


def warn_of_others(machine: Machine, listener: Listener) -> None:
    """Say before a run what will make its figures low, while something can still be done about it."""
    busy, steal = machine.load.cpu_busy_fraction.or_none() or 0.0, machine.load.steal_fraction.or_none() or 0.0
    if too_busy(busy, steal, ""):
        biggest = programs.read() if busy >= OTHERS_SUSPECT else ""
        listener(Remark(too_busy(busy, steal, biggest)))


def warn_of_variables(engine: EngineFacts, listener: Listener) -> None:
    """Say before a run which variables of the environment slow the engine's devices down."""
    for sentence in slowing(engine.variables, [device.name for device in engine.devices]):
        listener(Remark(sentence))


def tell_of_parts(devices: str, listener: Listener) -> None:
    """Several devices hold the weights (names joined by "+"), and the ceilings are those of one."""
    first, *others = devices.split("+")
    if others:
        words = tr(
            "The weights will lie on {devices}; the ceilings are those of {first}.",
            devices=tr(" and ").join([first, *others]), first=first,
        )  # fmt: skip
        listener(Remark(words))


def tell_notes(notes: Sequence[str], listener: Listener) -> None:
    """What is missing from the probes, and why."""
    for note in notes:
        listener(Remark(tr("While the ceilings were being measured: {note}.", note=note.rstrip("."))))
