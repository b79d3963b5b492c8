"""What a graphics card does to both phases: ranges from published measurements over the speed measured here."""

from collections.abc import Callable, Sequence
from typing import Final

from advisor.ceilings.other_hardware import SpeedRange, decode_on, prefill_on
from advisor.core.evidence import Fact, Known
from advisor.core.stats import median
from advisor.hardware.catalog import Accelerator, Kind, accelerators, find
from advisor.hardware.model import Gpu
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.partly import gains
from advisor.recommendations.saving import Factors

ANY_CARD: Final = Factors(5.0, 12.0, 40.0), Factors(1.0, 2.0, 10.0)
"""(Prefill, decode) where the model's traffic is not known: 7B models in 4 bits read 14 to 59 tokens/s on processors
(cases C01, C15), 436 (GTX 1060) to 5,554 (RTX 3090, case C09) on cards, narrowed at the top: a fast machine does not
gain as much."""

PARTLY: Final = Factors(1.0, 1.3, 3.0)
"""For a card whose speed or a model whose layers are not known. With layers left on the processor most of the gain is
lost (case C02: with the cache off the card, prefill falls to a third and decode to a half; with a third of the layers
off, decode to a sixth)."""

CONSUMER_NAMES: Final = ("RTX 30", "RTX 40", "RTX 50", "Radeon RX", "Arc A", "Arc B")
"""Beginnings of the names of cards that people buy for their own computers."""

WORKSTATION: Final = " Ada"
"""In the names of workstation cards that begin like consumers' ("RTX 4000 Ada Generation")."""

RECENT_YEAR: Final = 2020
"""Older cards lose support in current engine builds first."""


def recent_cards(room_bytes: float) -> tuple[Accelerator, ...]:
    """Recent consumer cards of the table with at least this much memory."""
    return tuple(card for card in accelerators() if _is_recent(card) and (card.memory_bytes or 0) >= room_bytes)


def card_of(gpu: Gpu) -> Accelerator | None:
    """The table's row of a GPU that is here, or one made of what its driver tells; None where that is too little."""
    name = gpu.name.or_none() or ""
    known = find(name)
    if known is not None:
        return known
    rated = gpu.memory_bytes_per_s.or_none()
    if rated is None:
        return None
    return Accelerator(
        name=name, kind=Kind.LAPTOP if "laptop" in name.lower() else Kind.CARD, vendor=gpu.vendor or "nvidia",
        memory_bytes=gpu.memory_total_bytes.or_none(), bandwidth_bytes_per_s=rated, bus_bits=None,
        pin_rate_bits_per_s=None, fp32_flop_per_s=None, fp16_flop_per_s=None, launch_year=0, aliases=(),
        source="driver", looked_up="",
    )  # fmt: skip


def card_factors(evidence: Evidence, cards: Sequence[Accelerator], fits: bool) -> tuple[Factors, Factors]:
    """Speed-ups of (prefill, decode) on one of these cards: from the slowest's low end to the fastest's high end.

    Args:
        evidence: for the speeds measured here and what the model reads and computes.
        cards: one that is known, or all that it may be.
        fits: whether model and cache fit the card's memory.
    """
    if not fits:
        return _partly(evidence, cards)
    traffic, read, write = evidence.traffic, evidence.prefill_row, evidence.decode_row
    if traffic is None or read is None or write is None:
        return ANY_CARD
    prefill = _factors(cards, lambda card: prefill_on(card, traffic, prompt=read.n_prompt, depth=read.n_depth),
                       read.tokens_per_s)
    decode = _factors(cards, lambda card: decode_on(card, traffic, depth=write.n_depth), write.tokens_per_s)
    return prefill or ANY_CARD[0], decode or ANY_CARD[1]


def _partly(evidence: Evidence, cards: Sequence[Accelerator]) -> tuple[Factors, Factors]:
    """As much on the card as fits, the sum over both devices; a wide guess where their speeds are not known."""
    found = [gains(evidence, card, card.memory_bytes) for card in cards if card.memory_bytes]
    known = [held for held in found if held is not None]
    if not known:
        return PARTLY, PARTLY
    prefill, decode = (
        Factors(
            min(held[index].low for held in known),
            median([held[index].middle for held in known]),
            max(held[index].high for held in known),
        )
        for index in (0, 1)
    )
    return prefill, decode


def _factors(
    cards: Sequence[Accelerator], speed_on: Callable[[Accelerator], Fact[SpeedRange]], here_tokens_per_s: float
) -> Factors | None:
    """Ranges over the speed here, and never below 1: nobody has to use a card that is slower."""
    speeds = [fact.value for fact in map(speed_on, cards) if isinstance(fact, Known)]
    if not speeds:
        return None
    ends = (
        min(speed.low for speed in speeds),
        median([speed.middle for speed in speeds]),
        max(speed.high for speed in speeds),
    )
    low, middle, high = (max(1.0, end / here_tokens_per_s) for end in ends)
    return Factors(low, middle, high)


def _is_recent(card: Accelerator) -> bool:
    consumer = card.name.startswith(CONSUMER_NAMES) and WORKSTATION not in card.name
    recent = card.kind is Kind.CARD and card.launch_year >= RECENT_YEAR
    return consumer and recent and card.bandwidth_bytes_per_s is not None
