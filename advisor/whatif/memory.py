"""Other memory or another processor in this machine; pure.

A step is what it waits for the memory and what it computes: ``1 / (reading / bandwidth + (1 − reading) / arithmetic)``
with the reading share measured here. Decode is nearly all reading, prefill hardly any.
"""

from typing import Final

from advisor.benchmarks.phrases import threads
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import bandwidth, count, digits, percent, times, times_range
from advisor.core.translation import marked, tr, trc, trn
from advisor.hardware.model import Machine
from advisor.recommendations.faster_memory import SECOND_MODULE
from advisor.recommendations.saving import Factors
from advisor.whatif.model import Assumption, Base, Change, Fit, Kind, Processor, Question

SECOND_MODULE_NAME: Final = marked("second memory module")

ARRIVES_LOW: Final = 0.70
ARRIVES_MIDDLE: Final = 0.85
"""Of twice the rated bandwidth between 1.7 and 2.0 arrive (``faster_memory.SECOND_MODULE``); of other gains the same
shares."""

USABLE: Final = (0.65, 0.80, 0.92)
"""Of a rated bandwidth, what programs read at most: low, middle, high; where this machine's own rating is unknown."""

CORES_POWER_LOW: Final = 0.7
CORES_POWER_MIDDLE: Final = 0.9
"""Prefill over the arithmetic of all cores, as that ratio to a power, one at best: more cores share caches, memory
and a power limit, so that all-core clocks fall."""

USUAL_CLOCK_HZ: Final = 3.5e9
"""Of a present processor under load on all cores, where the system hides its own."""

IN_MACHINE: Final = marked("Whether board and processor take it, and at which speed, is not looked at.")
NOTHING_ON_CARD: Final = marked("The weights lie on the graphics card here, which other memory does not touch.")
SAME_KIND: Final = marked(
    "Processors are compared by cores, clock and work per clock; caches, matrix units and memory controllers of "
    "another design change it. Measure both phases within the return period."
)


def second_module(base: Base) -> Change:
    """An equal module in an empty channel."""
    source = tr("rated bandwidth doubles; 85 to 100 % of it arrive")
    assumed = (
        Assumption(tr("bandwidth over now"), times_range(SECOND_MODULE.low, SECOND_MODULE.high), source,
                   "--memory-bandwidth"),
        _reading(base),
        Assumption(tr("a free channel"), tr("yes"), _channel_words(base.machine)),
    )  # fmt: skip
    return _memory(base, Kind.SECOND_MODULE, tr(SECOND_MODULE_NAME), SECOND_MODULE, assumed, _doubled(base))


def faster_memory(base: Base, bytes_per_s: float) -> Change:
    """Memory of another rated bandwidth."""
    rated = base.machine.memory.bytes_per_s
    if isinstance(rated, Known):
        more = arriving(bytes_per_s / rated.value)
        source = tr("rated {bandwidth} here: {source}", bandwidth=bandwidth(rated.value), source=rated.source)
    elif base.read_bytes_per_s is not None:
        low, middle, high = (share * bytes_per_s / base.read_bytes_per_s for share in USABLE)
        more = Factors(low, middle, high)
        measured = bandwidth(base.read_bytes_per_s)
        source = tr("{bandwidth} measured here; of a rating 65 to 92 % arrive", bandwidth=measured)
    else:
        unknown = Unknown(tr("this machine's own bandwidth is neither listed nor measured"), Missing.NOT_YET)
        return Change(Kind.FASTER_MEMORY, memory_name(bytes_per_s), tr("as now"), unknown, unknown, _fit(base))
    assumed = (
        Assumption(tr("bandwidth"), bandwidth(bytes_per_s), tr("you said"), "--memory-bandwidth"),
        Assumption(tr("bandwidth over now"), times_range(more.low, more.high), source),
        _reading(base),
    )
    return _memory(base, Kind.FASTER_MEMORY, memory_name(bytes_per_s), more, assumed, base.room_bytes)


def other_processor(base: Base, processor: Processor, question: Question) -> Change:
    """Another number of cores at another clock, with the memory of now unless other memory is asked for."""
    cpu = base.machine.cpu
    clock, clock_source = clock_here(base.machine)
    ratio = processor.cores * processor.clock_hz * processor.work_per_clock / (cpu.usable_threads * clock)
    compute = Factors(*sorted((ratio**CORES_POWER_LOW, ratio**CORES_POWER_MIDDLE, ratio)))
    rated = base.machine.memory.bytes_per_s.or_none()
    more = Factors(1.0, 1.0, 1.0)
    if question.memory_bytes_per_s is not None and rated is not None:
        more = arriving(question.memory_bytes_per_s / rated)
    words, given = processor_name(processor), tr("you said")
    assumed = (
        Assumption(tr("processor"), words, given, "--cpu"),
        Assumption(tr("work per core and clock over now"), times(processor.work_per_clock),
                   tr("the same kind of core") if processor.work_per_clock == 1 else given, "--cpu-per-clock"),
        Assumption(
            trc("this machine", "here"),
            tr("{threads} at {clock} GHz", threads=threads(cpu.usable_threads), clock=digits(clock / 1e9)),
            clock_source,
        ),
        Assumption(tr("bandwidth over now"), times_range(more.low, more.high),
                   tr("the memory of now") if more.high == 1 else given, "--memory-bandwidth"),
        _reading(base),
    )  # fmt: skip
    if base.on_card:
        nothing = _nothing()
        limits = (tr(NOTHING_ON_CARD),)
        return Change(Kind.PROCESSOR, words, tr("as now"), nothing, nothing, _fit(base), assumed, limits)
    return Change(
        Kind.PROCESSOR, words, tr("as now, in the main memory"),
        _mixed(base, base.prefill_reading_share, more, compute), _mixed(base, base.reading_share, more, compute),
        _fit(base), assumed, (tr(SAME_KIND), tr(IN_MACHINE)),
    )  # fmt: skip


def arriving(ratio: float) -> Factors:
    """What of a ratio of rated bandwidths arrives at programs."""
    if ratio < 1:
        return Factors(ratio, ratio, ratio)
    return Factors(1 + (ratio - 1) * ARRIVES_LOW, 1 + (ratio - 1) * ARRIVES_MIDDLE, ratio)


def speed_up(reading: float, bandwidth_factor: float, compute_factor: float = 1.0) -> float:
    """Of a step that waits for the memory for a share of its time and computes for the rest."""
    return 1 / (reading / bandwidth_factor + (1 - reading) / compute_factor)


def clock_here(machine: Machine) -> tuple[float, str]:
    """Clock of this processor under load, and where it is from."""
    for fact, words in ((machine.load.clock_hz, tr("seen while it was read")),
                        (machine.cpu.frequency_max_hz, tr("its highest clock"))):  # fmt: skip
        if isinstance(fact, Known) and fact.value > 0:
            return fact.value, words
    return USUAL_CLOCK_HZ, tr("the system hides its clock; a usual one")


def _memory(
    base: Base, kind: Kind, name: str, more: Factors, assumed: tuple[Assumption, ...], room: int | None
) -> Change:
    fit = Fit(base.needed_bytes, room)
    if base.on_card:
        nothing = _nothing()
        limits = (tr(NOTHING_ON_CARD),)
        return Change(kind, name, tr("as now, on the card"), nothing, nothing, fit, assumed, limits)
    none = Factors(1.0, 1.0, 1.0)
    return Change(
        kind, name, tr("as now, in the main memory"),
        _mixed(base, base.prefill_reading_share, more, none), _mixed(base, base.reading_share, more, none),
        fit, assumed, (tr(IN_MACHINE),),
    )  # fmt: skip


def _mixed(base: Base, reading: float, more: Factors, compute: Factors) -> Fact[Factors]:
    ends = (
        speed_up(reading, more.low, compute.low),
        speed_up(reading, more.middle, compute.middle),
        speed_up(reading, more.high, compute.high),
    )
    source = tr("{share} of the step is reading", share=percent(reading))
    return Known(Factors(*ends), Basis.ESTIMATED, source)


def _nothing() -> Fact[Factors]:
    return Known(Factors(1.0, 1.0, 1.0), Basis.COMPUTED, tr("the weights lie on the graphics card"))


def _fit(base: Base) -> Fit:
    return Fit(base.needed_bytes, base.room_bytes)


def _doubled(base: Base) -> int | None:
    """Room with an equal module; beside a card nothing changes there."""
    if base.room_bytes is None or base.on_card:
        return base.room_bytes
    return 2 * base.room_bytes


def _reading(base: Base) -> Assumption:
    value = tr(
        "{token} of a token, {prompt} of the prompt",
        token=percent(base.reading_share), prompt=percent(base.prefill_reading_share),
    )  # fmt: skip
    return Assumption(tr("share that waits for the memory"), value, base.source)


def _channel_words(machine: Machine) -> str:
    channels, slots = machine.memory.channels.or_none(), machine.memory.slots.or_none()
    if channels is None:
        return tr("the system does not list its modules: look into the computer or its manual")
    taken = "" if slots is None else trn(
        ", {n} of {slots}\u00a0slot taken", ", {n} of {slots}\u00a0slots taken", slots,
        n=len(machine.memory.modules), slots=count(slots),
    )  # fmt: skip
    return trn(
        "{n}\u00a0channel in use{taken}", "{n}\u00a0channels in use{taken}", channels, n=count(channels), taken=taken
    )


def memory_name(bytes_per_s: float) -> str:
    """What memory of a rated bandwidth is called."""
    return tr("memory at {bandwidth}", bandwidth=bandwidth(bytes_per_s))


def processor_name(processor: Processor) -> str:
    """What a processor of so many cores is called."""
    return trn(
        "{n}\u00a0core at {clock} GHz", "{n}\u00a0cores at {clock} GHz", processor.cores,
        n=count(processor.cores), clock=digits(processor.clock_hz / 1e9),
    )  # fmt: skip
