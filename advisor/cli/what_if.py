"""The command ``what-if``: other hardware for a model and a work, from what was measured here."""

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from advisor.cli.argument_types import above_zero, bandwidth, gigabytes, memory, price, processor, share, slot, within
from advisor.core.errors import UsageError

if TYPE_CHECKING:
    from advisor.cli.progress_line import ProgressLine
    from advisor.core.progress import CancelToken
    from advisor.whatif.model import Considered, Question, WhatIf
    from advisor.whatif.money import Money

NETWORK_NAMES: Final = ("wifi", "1gbe", "2.5gbe", "10gbe", "25gbe", "thunderbolt")
"""Of ``whatif.second_machine.NETWORKS``, which a test holds them against."""
SORTS: Final = ("seconds", "prefill", "decode", "money", "name")


def add_options(command: argparse.ArgumentParser) -> None:
    """Everything but the work, which ``parser`` adds."""
    asked = command.add_argument_group("what is asked; without any, the usual changes are compared")
    asked.add_argument("--gpu", action="append", default=[], metavar="NAME", help="a graphics card (repeatable)")
    asked.add_argument(
        "--unified",
        action="append",
        default=[],
        metavar="NAME",
        help="a machine with unified memory: “Apple M4 Max (40-core GPU)”, GB10, “Ryzen AI Max+ 395” (repeatable)",
    )
    asked.add_argument("--second-module", action="store_true", help="an equal memory module in an empty channel")
    asked.add_argument(
        "--memory-bandwidth", type=memory, metavar="GB/s",
        help="memory of this rated bandwidth, or as sold: DDR5-6000, for two channels (DDR5-6000x1 for one)",
    )
    asked.add_argument("--cpu", type=processor, metavar="CORESxGHZ", help="another processor, as 16x4.5")
    asked.add_argument("--rpc", metavar="NETWORK", help=f"a second machine over: {', '.join(NETWORK_NAMES)}")
    given = command.add_argument_group("assumptions that you may replace")
    given.add_argument(
        "-ngl", "--ngl", type=within(0, 999_999), metavar="N", help="layers on the card (as many as fit)"
    )
    given.add_argument("--pcie", type=slot, metavar="GENxLANES", help="the card's slot, as 4x16 or 3x4")
    given.add_argument("--device-memory", type=gigabytes, metavar="GB", help="memory of the device")
    given.add_argument("--device-bandwidth", type=bandwidth, metavar="GB/s", help="bandwidth of its memory")
    given.add_argument(
        "--cpu-per-clock",
        type=above_zero,
        metavar="TIMES",
        help="work per core and clock over this processor's (1)",
    )
    given.add_argument("--rpc-device", default="", metavar="NAME", help="device of the second machine (one like this)")
    given.add_argument("--there", type=share, metavar="SHARE", help="of the layers on the second machine, 0 to 1")
    money = command.add_argument_group("money, in whatever you pay with")
    money.add_argument(
        "--price",
        action="append",
        type=price,
        default=[],
        metavar="[NAME=]PRICE",
        help="what it costs; with its name where several changes are asked for (repeatable)",
    )
    money.add_argument("--per-day", type=above_zero, metavar="N", help="requests a day")
    money.add_argument("--years", type=above_zero, default=3.0, metavar="N", help="of use (3)")
    command.add_argument("--sort", choices=SORTS, default=SORTS[0], help="order of the answers (seconds saved)")
    command.add_argument(
        "--from-kernels", action="store_true", help="reckon the present from single kernels, whatever was run before"
    )


def run_what_if(arguments: argparse.Namespace, line: "ProgressLine", cancel: "CancelToken") -> int:
    """Answer and show; returns the exit code.

    Raises:
        UsageError: a device, network or price that cannot be meant.
        AdvisorError: the present is not known.
        Cancelled.
    """
    from advisor.cli import placing, terminal
    from advisor.cli.workloads import counted_workload
    from advisor.session.considering import present
    from advisor.whatif.consider import check, consider, names

    check_owners(arguments)
    question = question_of(arguments)
    check(question)
    check_prices(arguments.price, names(question))
    pipeline = placing.pipeline_for(arguments)
    workload = counted_workload(arguments, pipeline, cancel)
    base = present(pipeline, arguments.model, workload, line, cancel, from_runs=not arguments.from_kernels)
    line.close()
    found = consider(base, question)
    money = money_of(arguments, found)
    found = in_order(found, arguments.sort, money)

    def as_json() -> dict[str, Any]:
        from advisor.report.exporters.whatif_json import whatif_json

        return whatif_json(found, money)

    terminal.present(arguments.json, as_json, lambda: _show(found, money, whole=not question.empty))
    return 0


def question_of(arguments: argparse.Namespace) -> "Question":
    """The question in base units."""
    from advisor.core.units import GB
    from advisor.whatif.model import Processor, Question

    def scaled(value: float | None) -> float | None:
        return None if value is None else value * GB

    memory = scaled(arguments.device_memory)
    cpu = arguments.cpu
    return Question(
        cards=tuple(arguments.gpu),
        unified=tuple(arguments.unified),
        second_module=arguments.second_module,
        memory_bytes_per_s=scaled(arguments.memory_bandwidth),
        processor=None if cpu is None else Processor(cpu[0], cpu[1] * 1e9, arguments.cpu_per_clock or 1.0),
        network=arguments.rpc or "",
        other_machine=arguments.rpc_device,
        gpu_layers=arguments.ngl,
        link_bytes_per_s=arguments.pcie,
        device_memory_bytes=None if memory is None else round(memory),
        device_bytes_per_s=scaled(arguments.device_bandwidth),
        there_share=arguments.there,
    )


def check_owners(arguments: argparse.Namespace) -> None:
    """Refuse what is said of something that is not asked for. Raises UsageError."""
    cards, device = arguments.gpu, arguments.gpu or arguments.unified or arguments.rpc_device
    usual = question_of(arguments).empty
    for option, given, owned, hint in (
        ("--device-memory", arguments.device_memory, device, "Name the device: --gpu NAME"),
        ("--device-bandwidth", arguments.device_bandwidth, device, "Name the device: --gpu NAME"),
        ("--ngl", arguments.ngl, cards, "Name the card: --gpu NAME"),
        ("--pcie", arguments.pcie, cards or usual, "Name the card: --gpu NAME"),
        ("--cpu-per-clock", arguments.cpu_per_clock, arguments.cpu, "Name the processor: --cpu 16x4.5"),
        ("--rpc-device", arguments.rpc_device or None, arguments.rpc, "Name the network: --rpc 10gbe"),
        ("--there", arguments.there, arguments.rpc or usual, "Name the network: --rpc 10gbe"),
        ("--per-day", arguments.per_day, arguments.price, "Say what it costs: --price 1600"),
    ):
        if given is not None and not owned:
            raise UsageError(f"{option} belongs to something that is not asked for.", hint)


def check_prices(prices: "Sequence[tuple[str, float]]", names: "Sequence[str]") -> None:
    """Refuse prices that belong to nothing, before anything is measured; ``names`` are empty for the usual changes.

    Raises:
        UsageError: a price without a name where several things are asked for, or the name of none of them.
    """
    known = {name.lower() for name in names}
    for name, figure in prices:
        if not name and len(names) != 1:
            example = f"{names[0] if names else 'RTX 4090'}={figure:.10g}"
            raise UsageError(f"It is not clear what costs {figure:.10g}.", f'Write it as: --price "{example}"')
        if name and names and name.lower() not in known:
            raise UsageError(f"Nothing called {name!r} was asked for.", f"There are: {', '.join(names)}.")


def money_of(arguments: argparse.Namespace, found: "Considered") -> "dict[str, Money]":
    """The prices by name of the change; a bare price belongs to the only one. Raises UsageError."""
    from advisor.core.evidence import Known
    from advisor.whatif.money import Money

    check_prices(arguments.price, [answer.change.name for answer in found.answers])
    answers = {answer.change.name.lower(): answer for answer in found.answers}
    held: dict[str, Money] = {}
    for name, price_of_it in arguments.price:
        answer = answers[name.lower()] if name else found.answers[0]
        if isinstance(answer.saved, Known):
            money = Money(price_of_it, answer.saved.value, arguments.per_day or 0.0, arguments.years)
            held[answer.change.name] = money
    return held


def in_order(found: "Considered", sort: str, money: "dict[str, Money]") -> "Considered":
    """The answers in the order that was asked for; what is not known stands last."""
    from dataclasses import replace

    from advisor.core.evidence import Known

    def phase(name: str) -> "Callable[[WhatIf], float]":
        def key(answer: "WhatIf") -> float:
            fact = getattr(answer.change, name)
            return -fact.value.middle if isinstance(fact, Known) else 0.0

        return key

    def worth(answer: "WhatIf") -> float:
        return -money[answer.change.name].saved_s_per_unit if answer.change.name in money else 0.0

    if sort == "name":
        return replace(found, answers=tuple(sorted(found.answers, key=lambda answer: answer.change.name.lower())))
    keys = {"prefill": phase("prefill"), "decode": phase("decode"), "money": worth}
    return found if sort not in keys else replace(found, answers=tuple(sorted(found.answers, key=keys[sort])))


def _show(found: "Considered", money: "dict[str, Money]", whole: bool) -> None:
    """A table of all; everything about each where the user named them."""
    from advisor.cli import terminal
    from advisor.report import whatif_words as words
    from advisor.whatif.money import money_words

    base = found.base
    print(f"What if, for {base.model.name} and {base.asked.title}")
    terminal.show_paragraph(words.present_words(base), "  ")
    for note in found.notes:
        terminal.show_paragraph(note, "  ")
    if len(found.answers) > 1:
        terminal.columns([words.HEAD, *words.whatif_rows(found.answers)])
    for answer in found.answers:
        if not whole:
            continue
        print()
        print(answer.change.name)
        for sentence in words.answer_sentences(base, answer, money.get(answer.change.name)):
            terminal.show_paragraph(sentence, "  ")
        print("  Assumed:")
        for name, value, source in words.assumption_rows(answer):
            terminal.show_paragraph(f"{name}: {value} ({source})", "    ")
    if not whole:
        for name, held in money.items():
            terminal.show_paragraph(f"{name}: {money_words(held)}", "  ")
    if not whole:
        print("  Everything about one of them, its assumptions included: name it (--gpu, --unified, --rpc, …).")
    print("  What this does not know:")
    for limit in words.limits(found):
        terminal.show_paragraph(limit, "    ")
