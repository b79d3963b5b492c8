"""Add a graphics card: advice that costs money, so only for a phase that is a problem and never over a fault."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.phrases import joined, phase_word
from advisor.ceilings.other_hardware import decode_on, prefill_on
from advisor.core.evidence import Basis, Known, Unknown
from advisor.core.numbers import bandwidth, capital, seconds_range, size, speed_range, times_range
from advisor.core.translation import tr
from advisor.diagnosis.model import Problem
from advisor.hardware.catalog import Accelerator
from advisor.recommendations.card_speed import card_factors, recent_cards
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import Saving, from_factors

ID: Final = "add-gpu"

LARGEST_CARD_BYTES: Final = 24_000_000_000
"""Memory of the largest card that people commonly buy for themselves; beyond, one card does not hold the model."""

PARTLY_FROM_BYTES: Final = 16_000_000_000
"""A model that no card holds is judged on cards from here on, with a part on each side."""

HEADROOM: Final = 1.15
"""Memory beyond weights and cache for the engine's work buffers."""


@dataclass(frozen=True, slots=True)
class CardGain:
    """What one card would save on this work.

    Attributes:
        fits: whether model and caches lie on it whole.
        read, write: seconds of prefill and of decode that it saves.
    """

    card: Accelerator
    fits: bool
    read: Saving
    write: Saving

    @property
    def saved_s(self) -> float:
        """Both phases, the middle."""
        return self.read.middle_s + self.write.middle_s


def ranked(
    evidence: Evidence, cards: Sequence[Accelerator], needed_bytes: int | None = None
) -> tuple[CardGain, ...]:
    """Cards by seconds saved on this work, of two alike the one with more bandwidth first; never by their memory.

    Args:
        evidence: with the speeds measured here.
        cards: of the table.
        needed_bytes: weights and cache that a card should hold; those of all users unless given.
    """
    needed = evidence.needed_bytes() if needed_bytes is None else needed_bytes
    found = []
    for card in cards:
        fits = needed * HEADROOM <= (card.memory_bytes or 0)
        prefill, decode = card_factors(evidence, (card,), fits)
        read = from_factors(evidence.timeline.wait_s, prefill.low, prefill.middle, prefill.high)
        write = from_factors(evidence.timeline.stream_s, decode.low, decode.middle, decode.high)
        found.append(CardGain(card, fits, read, write))
    return tuple(
        sorted(found, key=lambda gain: (-gain.saved_s, -(gain.card.bandwidth_bytes_per_s or 0.0), gain.card.name))
    )


def predict(evidence: Evidence) -> Advice | None:
    """Both phases with a card from a wide range; nothing where a card is there or nothing is a problem."""
    problem = evidence.verdict.problem
    if problem not in (Problem.PREFILL, Problem.DECODE) or evidence.runs_on_gpu or evidence.cards:
        return None
    if _engine_has_card(evidence) or any(isinstance(gpu.shares_memory, Unknown) for gpu in evidence.machine.gpus):
        return None  # nobody should buy what may be there already
    # as many streams as a card can hold; the others take turns
    streams = max(1, evidence.streams_within(int(LARGEST_CARD_BYTES / HEADROOM)))
    needed = evidence.needed_bytes(streams)
    cards = recent_cards(needed * HEADROOM)
    fits = needed <= LARGEST_CARD_BYTES and bool(cards)
    if not fits:
        cards = recent_cards(PARTLY_FROM_BYTES)
    prefill, decode = card_factors(evidence, cards, fits)
    read = from_factors(evidence.timeline.wait_s, prefill.low, prefill.middle, prefill.high)
    write = from_factors(evidence.timeline.stream_s, decode.low, decode.middle, decode.high)
    reads = problem is Problem.PREFILL
    main, other = (read, write) if reads else (write, read)
    return Advice(
        id=ID,
        phase=Phase.PREFILL if reads else Phase.DECODE,
        title=(
            tr("Add a graphics card with {memory} or more", memory=_room(needed))
            if fits
            else tr("Add a graphics card with {memory}, which holds a part of the model",
                    memory=size(LARGEST_CARD_BYTES))
        ),
        detail=f"{_gain(evidence, cards, fits)} {_by_bandwidth(cards if fits else ())}",
        saved_s=main.middle_s,
        saved_s_low=main.low_s,
        saved_s_high=main.high_s,
        basis=Basis.ESTIMATED,
        how=_how(fits),
        cost=tr("money, a slot and a power supply that can feed it"),
        undo=tr("return it; measure both phases within the return period"),
        evidence=tr(
            "Here {speeds}. {estimates}{ranking}",
            speeds=_measured_words(evidence), estimates=_estimates(evidence, cards, fits),
            ranking=_ranking_words(evidence, cards, needed),
        ),
        other_saved_s=other.middle_s,
        costs_money=True,
    )


def _gain(evidence: Evidence, cards: Sequence[Accelerator], fits: bool) -> str:
    """Both phases on one card that is named: from the slowest to the fastest the range would say nothing."""
    middle = sorted(cards, key=lambda card: card.bandwidth_bytes_per_s or 0.0)[len(cards) // 2 :][:1]
    prefill, decode = card_factors(evidence, middle, fits)
    read, write = times_range(prefill.low, prefill.high), times_range(decode.low, decode.high)
    gain = tr("prefill {read} and decode {write} as fast", read=read, write=write)
    if not middle or not fits:
        return f"{capital(gain)}."
    return tr("With a card from the middle of the range, the {card}: {gain}.", card=middle[0].name, gain=gain)


def _how(fits: bool) -> tuple[HowTo, ...]:
    option, put, raised = (
        ("all", tr("With the card in place, put all layers on it."),
         tr("Raise “GPU Offload” to all layers in the model's load settings."))
        if fits
        else ("auto", tr("With the card in place, put as much as fits on it."),
              tr("Raise “GPU Offload” to as much as fits in the model's load settings."))
    )  # fmt: skip
    return (
        HowTo("llama-server", put, f"llama-server -ngl {option}"),
        HowTo("Ollama", tr("Used by itself when the driver is found."), "ollama ps"),
        HowTo("LM Studio", raised),
    )


def _engine_has_card(evidence: Evidence) -> bool:
    return evidence.engine is not None and any(device.kind == "gpu" for device in evidence.engine.devices)


def _measured_words(evidence: Evidence) -> str:
    rows = [row for row in (evidence.prefill_row, evidence.decode_row) if row is not None]
    return joined([
        tr("{speed} {phase}", speed=row.speed_words, phase=phase_word(row.phase)) for row in rows
    ])  # fmt: skip


def _by_bandwidth(cards: Sequence[Accelerator]) -> str:
    """How to compare cards, with the slowest and the fastest of them where there is a choice."""
    if len(cards) < 2:
        return tr("For decode compare cards by bandwidth, not by TFLOPS.")
    slowest, fastest = (f"{bandwidth(card.bandwidth_bytes_per_s or 0.0)} ({card.name})" for card in _ends(cards))
    return tr(
        "For decode compare cards by bandwidth, not by TFLOPS: those that hold this model have from {slowest} to "
        "{fastest}.",
        slowest=slowest, fastest=fastest,
    )  # fmt: skip


def _ranking_words(evidence: Evidence, cards: Sequence[Accelerator], needed_bytes: int) -> str:
    """The card that saves most, the middle one and the last, by seconds; "" where there is no choice."""
    if len(cards) < 3:
        return ""
    order = ranked(evidence, cards, needed_bytes=needed_bytes)
    shown = (order[0], order[len(order) // 2], order[-1])
    return tr(" Seconds saved: {cards}.", cards=", ".join(f"{gain.card.name} {_between(gain)}" for gain in shown))


def _between(gain: CardGain) -> str:
    return seconds_range(max(0.0, gain.read.low_s + gain.write.low_s), gain.read.high_s + gain.write.high_s)


def _estimates(evidence: Evidence, cards: Sequence[Accelerator], fits: bool) -> str:
    """The ranges of both phases on the slowest and the fastest card, with where they come from."""
    traffic, read, write = evidence.traffic, evidence.prefill_row, evidence.decode_row
    if not fits:
        return tr(
            "No such card holds the model whole; the part left on the processor runs at the speed measured here."
        )
    if not cards or traffic is None or read is None or write is None:
        return tr("Published cards run a 7B model at 436 to 5,554 and 24 to 150 tokens/s (GTX 1060 to RTX 3090).")
    sentences = []
    for card in dict.fromkeys(_ends(cards)):
        facts = (
            prefill_on(card, traffic, prompt=read.n_prompt, depth=read.n_depth),
            decode_on(card, traffic, depth=write.n_depth),
        )
        ranges = [speed_range(fact.value.low, fact.value.high) for fact in facts if isinstance(fact, Known)]
        sentences.append(f"{card.name} {joined(ranges)}")
    return tr(
        "Estimated from published measurements of such cards: {cards} (four of five such cards lie within).",
        cards="; ".join(sentences),
    )  # fmt: skip


def _ends(cards: Sequence[Accelerator]) -> tuple[Accelerator, Accelerator]:
    low, high = (choose(cards, key=lambda card: card.bandwidth_bytes_per_s or 0.0) for choose in (min, max))
    return low, high


def _room(needed_bytes: int) -> str:
    """The next usual card size that holds model, cache and some working space."""
    for gigabytes in (4, 6, 8, 12, 16, 24):
        if needed_bytes * HEADROOM <= gigabytes * 10**9:
            return f"{gigabytes}\u00a0GB"
    return size(needed_bytes)
