"""A model that lies on the graphics card only in part: what the next layers and the next gigabyte are worth."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase, TestResult
from advisor.benchmarks.phrases import layers
from advisor.benchmarks.trials.model import TrialPlan
from advisor.ceilings.other_hardware import decode_on
from advisor.core.evidence import Basis, Known
from advisor.core.numbers import bandwidth, count, seconds, size
from advisor.core.translation import tr, trc
from advisor.core.units import GB
from advisor.gguf.traffic import Traffic
from advisor.recommendations import trying
from advisor.recommendations.card_speed import card_of
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.partly import Split, split, worth_s
from advisor.recommendations.saving import Saving, within

ID: Final = "offload"

MEMORY_LOW: Final = 0.45
MEMORY_MIDDLE: Final = 0.61
MEMORY_HIGH: Final = 0.80
"""Shares of the main memory's rated bandwidth at which processors decode, the median in the middle (published
measurements on PC processors, November 2026)."""


@dataclass(frozen=True, slots=True)
class Present:
    """How the model lies now, worked out from the measured speed.

    Attributes:
        off_bytes: read from main memory per token, low, middle and high end.
        card_rate: bytes per second from the card's memory, as such cards decode.
        off_rates: bytes per second from main memory, as processors decode, low to high.
    """

    off_bytes: tuple[float, float, float]
    card_rate: float
    off_rates: tuple[float, float, float]


def predict(evidence: Evidence) -> Advice | None:
    """More layers where they fit, else the worth of room for them; nothing where a device's speed is not known."""
    row, traffic = evidence.decode_row, evidence.traffic
    if row is None or traffic is None or not evidence.partly_on_card:
        return None
    present = present_split(evidence, row, traffic)
    room = _room_bytes(evidence)
    possible = None if room is None else split(evidence, room)
    if present is None or possible is None or possible.of_layers < 1:
        return None
    layer_bytes = (traffic.step_bytes(1, row.n_depth) - traffic.head_bytes) / possible.of_layers
    more = present.off_bytes[1] - possible.off_bytes
    fits = more >= layer_bytes
    moved = (
        (present.off_bytes[0] - possible.off_bytes, more, present.off_bytes[2] - possible.off_bytes)
        if fits
        else (min(GB, held) for held in present.off_bytes)
    )
    saving = saving_of(evidence, present, *moved)
    if saving.middle_s <= 0:
        return None
    return Advice(
        id=ID,
        phase=Phase.DECODE,
        title=_title(possible) if fits else tr("Make room for more layers on the graphics card"),
        detail=_worth_words(evidence, present, layer_bytes),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=_how(possible, fits),
        cost=trc("cost", "none") if fits else tr("a shorter context, or other programs closed that use the card"),
        undo=tr("leave the option out; the engine then places as many layers as fit"),
        evidence=_seen(row, present, traffic),
        trial=_trial(evidence, row, possible) if fits else None,
    )


def present_split(evidence: Evidence, row: TestResult, traffic: Traffic) -> Present | None:
    """Solved from ``token = card bytes / card rate + the rest / memory rate``; None where a rate is unknown."""
    rated = evidence.machine.memory.bytes_per_s.or_none()
    card = None if not evidence.cards else card_of(evidence.cards[0])
    whole = None if card is None else decode_on(card, traffic, depth=row.n_depth)
    if rated is None or not isinstance(whole, Known):
        return None
    step_bytes = traffic.step_bytes(1, row.n_depth)
    card_rate = step_bytes * whole.value.middle
    off_rates = MEMORY_LOW * rated, MEMORY_MIDDLE * rated, MEMORY_HIGH * rated
    if off_rates[2] >= card_rate:
        return None
    late_s = max(0.0, 1 / row.tokens_per_s - step_bytes / card_rate)
    low, middle, high = (min(step_bytes, late_s / worth_s(1.0, card_rate, rate)) for rate in off_rates)
    return Present((low, middle, high), card_rate, off_rates)


def _room_bytes(evidence: Evidence) -> int | None:
    """Memory of all cards together: what is free now, else all; None where it is not known of each."""
    rooms = [card.memory_free_bytes.or_none() or card.memory_total_bytes.or_none() for card in evidence.cards]
    known = [room for room in rooms if room is not None]
    return sum(known) if known and len(known) == len(rooms) else None


def saving_of(evidence: Evidence, present: Present, low: float, middle: float, high: float) -> Saving:
    """Bytes that move to the card, at the rates that belong to each end: few of them from a slow memory and so on."""
    tokens = evidence.workload.answer_tokens * evidence.workload.users
    saved = [
        tokens * worth_s(max(0.0, moved), present.card_rate, rate)
        for moved, rate in zip((low, middle, high), present.off_rates, strict=True)
    ]
    return within(evidence.timeline.stream_s, min(saved) / 2, saved[1], max(saved))


def _worth_words(evidence: Evidence, present: Present, layer_bytes: float) -> str:
    tokens = evidence.workload.answer_tokens * evidence.workload.users
    layer_s, gigabyte_s = (
        tokens * worth_s(moved, present.card_rate, present.off_rates[1]) for moved in (layer_bytes, GB)
    )
    return tr(
        "Each further layer on the card saves about {layer} of writing, each further gigabyte {gigabyte}. The last "
        "ones are worth as much as the first.",
        layer=seconds(layer_s), gigabyte=seconds(gigabyte_s),
    )  # fmt: skip


def _title(possible: Split) -> str:
    if possible.cpu_expert_layers:
        left = layers(possible.cpu_expert_layers)
        return tr("Leave only the experts of {layers} off the graphics card", layers=left)
    on, whole = count(possible.layers), layers(possible.of_layers)
    return tr("Put {n} of {layers} on the graphics card", n=on, layers=whole)


def _how(possible: Split, fits: bool) -> tuple[HowTo, ...]:
    free = HowTo(
        tr("the computer"), tr("Close what uses the card's memory (browsers, games), and load a shorter context.")
    )
    options = possible.options if fits else "-ngl auto"
    if possible.cpu_expert_layers:
        studio = tr("Switch “Force Model Expert Weights onto CPU” on in the model's load settings.")
    elif possible.whole:
        studio = tr("Set “GPU Offload” to all in the model's load settings.")
    else:
        studio = tr("Set “GPU Offload” to {n} in the model's load settings.", n=possible.layers)
    steps = (
        HowTo("llama-server", tr("The default “auto” places as many as fit when it starts."),
              f"llama-server {options}"),
        HowTo("Ollama", tr("It places as many as fit by itself; the processor column shows the share."), "ollama ps"),
        HowTo("LM Studio", studio),
    )
    return steps if fits else (free, *steps)


def _seen(row: TestResult, present: Present, traffic: Traffic) -> str:
    step_bytes = traffic.step_bytes(1, row.n_depth)
    return tr(
        "Decode at {speed} on {device}: of {bytes} per token about {off} come from main memory, reckoned with {card} "
        "on the card and {memory} off it.",
        speed=row.speed_words, device=row.device, bytes=size(step_bytes), off=size(present.off_bytes[1]),
        card=bandwidth(present.card_rate), memory=bandwidth(present.off_rates[1]),
    )  # fmt: skip


def _trial(evidence: Evidence, row: TestResult, possible: Split) -> TrialPlan:
    """As the engine placed it against what fits."""
    specs = [trying.spec_of(held) for held in (evidence.prefill_row, row) if held is not None]
    now = tr("as now, on {device}", device=row.device)
    return trying.against(specs, specs, now, possible.options, placement=possible.placement())
