"""Add a graphics card: advice that costs money, so only for a phase that is a problem and never over a fault."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.ceilings.other_hardware import decode_on, prefill_on
from advisor.core.evidence import Basis, Known, Unknown
from advisor.core.numbers import bandwidth, seconds_range, size, speed_range, times_range
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
            f"Add a graphics card with {_room(needed)} or more"
            if fits
            else f"Add a graphics card with {size(LARGEST_CARD_BYTES)}, which holds a part of the model"
        ),
        detail=(
            f"{_gain(evidence, cards, fits)} For decode compare cards by bandwidth, not by TFLOPS"
            f"{_examples(cards) if fits else ''}."
        ),
        saved_s=main.middle_s,
        saved_s_low=main.low_s,
        saved_s_high=main.high_s,
        basis=Basis.ESTIMATED,
        how=_how(fits),
        cost="money, a slot and a power supply that can feed it",
        undo="return it; measure both phases within the return period",
        evidence=(
            f"Here {_measured_words(evidence)}. {_estimates(evidence, cards, fits)}"
            f"{_ranking_words(evidence, cards, needed)}"
        ),
        other_saved_s=other.middle_s,
        costs_money=True,
    )


def _gain(evidence: Evidence, cards: Sequence[Accelerator], fits: bool) -> str:
    """Both phases on one card that is named: from the slowest to the fastest the range would say nothing."""
    middle = sorted(cards, key=lambda card: card.bandwidth_bytes_per_s or 0.0)[len(cards) // 2 :][:1]
    prefill, decode = card_factors(evidence, middle, fits)
    gain = f"prefill {times_range(prefill.low, prefill.high)} and decode {times_range(decode.low, decode.high)} as fast"
    if not middle or not fits:
        return f"{gain[0].upper()}{gain[1:]}."
    return f"With a card from the middle of the range, the {middle[0].name}: {gain}."


def _how(fits: bool) -> tuple[HowTo, ...]:
    what, option = ("all layers", "all") if fits else ("as much as fits", "auto")
    return (
        HowTo("llama-server", f"With the card in place, put {what} on it.", f"llama-server -ngl {option}"),
        HowTo("Ollama", "Used by itself when the driver is found.", "ollama ps"),
        HowTo("LM Studio", f"Raise “GPU Offload” to {what} in the model's load settings."),
    )


def _engine_has_card(evidence: Evidence) -> bool:
    return evidence.engine is not None and any(device.kind == "gpu" for device in evidence.engine.devices)


def _measured_words(evidence: Evidence) -> str:
    rows = [row for row in (evidence.prefill_row, evidence.decode_row) if row is not None]
    return " and ".join(f"{row.speed_words} {row.phase}" for row in rows)


def _examples(cards: Sequence[Accelerator]) -> str:
    """The slowest and the fastest of the cards; "" where there is no choice."""
    if len(cards) < 2:
        return ""
    figures = [f"{bandwidth(card.bandwidth_bytes_per_s or 0.0)} ({card.name})" for card in _ends(cards)]
    return f": those that hold this model have from {figures[0]} to {figures[1]}"


def _ranking_words(evidence: Evidence, cards: Sequence[Accelerator], needed_bytes: int) -> str:
    """The card that saves most, the middle one and the last, by seconds; "" where there is no choice."""
    if len(cards) < 3:
        return ""
    order = ranked(evidence, cards, needed_bytes=needed_bytes)
    shown = (order[0], order[len(order) // 2], order[-1])
    return f" Seconds saved: {', '.join(f'{gain.card.name} {_between(gain)}' for gain in shown)}."


def _between(gain: CardGain) -> str:
    return seconds_range(max(0.0, gain.read.low_s + gain.write.low_s), gain.read.high_s + gain.write.high_s)


def _estimates(evidence: Evidence, cards: Sequence[Accelerator], fits: bool) -> str:
    """The ranges of both phases on the slowest and the fastest card, with where they come from."""
    traffic, read, write = evidence.traffic, evidence.prefill_row, evidence.decode_row
    if not fits:
        return "No such card holds the model whole; the part left on the processor runs at the speed measured here."
    if not cards or traffic is None or read is None or write is None:
        return "Published cards run a 7B model at 436 to 5,554 and 24 to 150 tokens/s (GTX 1060 to RTX 3090)."
    sentences = []
    for card in dict.fromkeys(_ends(cards)):
        facts = (
            prefill_on(card, traffic, prompt=read.n_prompt, depth=read.n_depth),
            decode_on(card, traffic, depth=write.n_depth),
        )
        ranges = [speed_range(fact.value.low, fact.value.high) for fact in facts if isinstance(fact, Known)]
        sentences.append(f"{card.name} {' and '.join(ranges)}")
    return (
        f"Estimated from published measurements of such cards: {'; '.join(sentences)} (four of five such cards lie "
        "within)."
    )


def _ends(cards: Sequence[Accelerator]) -> tuple[Accelerator, Accelerator]:
    low, high = (choose(cards, key=lambda card: card.bandwidth_bytes_per_s or 0.0) for choose in (min, max))
    return low, high


def _room(needed_bytes: int) -> str:
    """The next usual card size that holds model, cache and some working space."""
    for gigabytes in (4, 6, 8, 12, 16, 24):
        if needed_bytes * HEADROOM <= gigabytes * 10**9:
            return f"{gigabytes}\u00a0GB"
    return size(needed_bytes)
