"""Every answer to a question, the most seconds saved first; pure and quick."""

from collections.abc import Iterable
from typing import Final

from advisor.core.errors import UsageError
from advisor.core.evidence import Known
from advisor.core.translation import tr
from advisor.hardware.catalog import DEVICE_KINDS, Accelerator, did_you_mean, find
from advisor.hardware.catalog import Kind as Row
from advisor.hardware.channels import may_take_another
from advisor.hardware.model import Memory
from advisor.whatif.device import with_device
from advisor.whatif.judging import judge
from advisor.whatif.memory import (
    SECOND_MODULE_NAME,
    clock_here,
    faster_memory,
    memory_name,
    other_processor,
    processor_name,
    second_module,
)
from advisor.whatif.model import Base, Change, Considered, Processor, Question, WhatIf
from advisor.whatif.second_machine import NETWORKS, Network, machine_name, over_network

USUAL_CARDS: Final = (
    "RTX 3060 12GB", "RTX 3090", "RTX 4060 Ti 16GB", "RTX 4090", "RTX 5060 Ti 16GB", "RTX 5070 Ti", "RTX 5080",
    "RTX 5090", "Radeon RX 7900 XTX", "Radeon RX 9070 XT", "Arc B580",
)  # fmt: skip
USUAL_UNIFIED: Final = (
    "Ryzen AI Max+ 395", "Apple M4 Pro (20-core GPU)", "Apple M4 Max (40-core GPU)", "Apple M3 Ultra (80-core GPU)",
    "GB10",
)  # fmt: skip
"""What is answered where the user names nothing: a card of each class that people buy in 2026, and the machines that
are bought for their unified memory."""

USUAL_NETWORK: Final = "10gbe"
USUAL_MEMORY_GAIN: Final = 1.25
"""Memory a quarter faster: DDR5-7000 for 5600, DDR4-4000 for 3200."""


def consider(base: Base, question: Question, beside_usual: bool = False) -> Considered:
    """Every change that is named, or the usual ones; the most seconds saved first.

    Args:
        base: the present.
        question: what is asked.
        beside_usual: whether what is named stands beside the usual changes.

    Raises:
        UsageError: a device or network that nobody knows, with the nearest names.
    """
    changes = [] if question.empty else _named(base, question)
    if question.empty or beside_usual:
        named = {change.name for change in changes}
        changes += [change for change in _usual(base, question) if change.name not in named]
    return Considered(base, by_seconds(judge(base, change) for change in changes), _notes(base))


def check(question: Question) -> None:
    """Refuse names that nobody knows before anything is measured; raises UsageError."""
    for name in (*question.cards, *question.unified, *filter(None, (question.other_machine,))):
        device_named(name, question)
    if question.network:
        _network(question.network)


def names(question: Question) -> tuple[str, ...]:
    """Of the changes that are named, as they will be called; empty for the usual ones, which depend on the machine.

    Raises:
        UsageError: as ``check``.
    """
    found = [tr(SECOND_MODULE_NAME)] if question.second_module else []
    if question.processor is not None:
        found.append(processor_name(question.processor))
    elif question.memory_bytes_per_s is not None:
        found.append(memory_name(question.memory_bytes_per_s))
    found += [device_named(name, question).name for name in (*question.cards, *question.unified)]
    if question.network:
        other = device_named(question.other_machine, question) if question.other_machine else None
        found.append(machine_name(_network(question.network), other))
    return tuple(found)


def by_seconds(answers: Iterable[WhatIf]) -> tuple[WhatIf, ...]:
    """The most seconds saved first, what is not known last, ties by name."""

    def key(answer: WhatIf) -> tuple[bool, float, str]:
        saved = answer.saved
        return (
            not isinstance(saved, Known),
            -saved.value.middle_s if isinstance(saved, Known) else 0.0,
            (answer.change.name),
        )

    return tuple(sorted(answers, key=key))


def device_named(name: str, question: Question) -> Accelerator:
    """The table's row, or a device of the user's own where bandwidth and memory are given.

    Raises:
        UsageError: a name that is not in the table, with the nearest ones.
    """
    known = find(name)
    if known is not None and known.kind in DEVICE_KINDS:
        return known
    if question.device_bytes_per_s is not None and question.device_memory_bytes is not None:
        return Accelerator(
            name=name, kind=Row.CARD, vendor="", memory_bytes=question.device_memory_bytes,
            bandwidth_bytes_per_s=question.device_bytes_per_s, bus_bits=None, pin_rate_bits_per_s=None,
            fp32_flop_per_s=None, fp16_flop_per_s=None, launch_year=0, aliases=(), source=tr("you said"), looked_up="",
        )  # fmt: skip
    raise UsageError(
        tr("The table has no device called {name}.", name=repr(name)),
        did_you_mean(name) + tr("For one of your own give --device-bandwidth GB/s and --device-memory GB."),
    )


def _named(base: Base, question: Question) -> list[Change]:
    changes = []
    if question.second_module:
        changes.append(second_module(base))
    if question.memory_bytes_per_s is not None and question.processor is None:
        changes.append(faster_memory(base, question.memory_bytes_per_s))
    if question.processor is not None:
        changes.append(other_processor(base, question.processor, question))
    changes += [
        with_device(base, device_named(name, question), question) for name in (*question.cards, *question.unified)
    ]
    if question.network:
        changes.append(_second_machine(base, question))
    return changes


def _usual(base: Base, question: Question) -> list[Change]:
    # What the user said of a device of his own is not said of every other one.
    question = Question(link_bytes_per_s=question.link_bytes_per_s, there_share=question.there_share)
    changes = []
    if not base.on_card:
        if _may_have_free_channel(base.machine.memory):
            changes.append(second_module(base))
        rated = base.machine.memory.bytes_per_s.or_none()
        if rated is not None:
            changes.append(faster_memory(base, USUAL_MEMORY_GAIN * rated))
        clock_hz, _ = clock_here(base.machine)
        changes.append(other_processor(base, Processor(2 * base.machine.cpu.usable_threads, clock_hz), question))
    for name in (*USUAL_CARDS, *USUAL_UNIFIED):
        device = find(name)
        if device is not None:
            changes.append(with_device(base, device, question))
    changes.append(over_network(base, NETWORKS[USUAL_NETWORK], None, question))
    return changes


def _may_have_free_channel(memory: Memory) -> bool:
    """Whether a second module may help: one channel is in use, or nobody knows, and there is a slot for it."""
    return may_take_another(memory.modules, memory.slots) and memory.channels.or_none() in (None, 1)


def _second_machine(base: Base, question: Question) -> Change:
    network = _network(question.network)
    other = device_named(question.other_machine, question) if question.other_machine else None
    return over_network(base, network, other, question)


def _network(name: str) -> Network:
    network = NETWORKS.get(name.lower())
    if network is None:
        raise UsageError(
            tr("No network is called {name}.", name=repr(name)), tr("One of: {names}.", names=", ".join(NETWORKS))
        )
    return network


def _notes(base: Base) -> tuple[str, ...]:
    notes = [base.doubt] if base.doubt else []
    if base.asked.turns > 1:
        notes.append(tr("The seconds are those of the chat's average turn."))
    if base.room_bytes is not None and base.needed_bytes > base.room_bytes:
        notes.append(tr("The model does not fit this machine's memory now, so that it is slower than it could be."))
    return tuple(notes)
