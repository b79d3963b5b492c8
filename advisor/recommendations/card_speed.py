"""What a graphics card does to both phases, as wide ranges from published measurements."""

from dataclasses import dataclass
from typing import Final

from advisor.recommendations.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Factors:
    """Speed-ups, ``low <= middle <= high``; 1 is no change."""

    low: float
    middle: float
    high: float


PREFILL: Final = Factors(5.0, 12.0, 40.0)
"""7B models in 4 bits: processors read 14 to 59 tokens/s (cases C01, C15), cards 436 (GTX 1060) to 5,554 (RTX 3090,
case C09). The ends of that, 7 to 400 times, are narrowed at the top: a fast machine does not gain as much."""

SMALL_CARD_BYTES_PER_S: Final = 165e9 * 0.64
"""A GTX 1060 in case C09: measured bandwidth, and the share of it that decode reached."""

MIDDLE_CARD_BYTES_PER_S: Final = 419e9 * 0.85
"""An RTX 5060 Ti in case C09, at a usual share."""

LARGE_CARD_BYTES_PER_S: Final = 856e9 * 0.80
"""An RTX 3090 in case C09."""

RATED_SHARES: Final = Factors(0.50, 0.70, 0.85)
"""Share of a card's rated bandwidth that decode reaches (physics.md 7: 74 to 80 % and more, C09: 63 to 92 %)."""

SHORTEST_STEP_S: Final = 0.002
"""A card starts some hundred operations per token; steps shorter than this are not promised."""

PARTLY: Final = Factors(1.0, 1.3, 3.0)
"""With layers left on the processor most of the gain is lost (case C02: with the last layer off the card, prefill
falls to a third and decode to a half; with a third of the layers off, decode to a sixth)."""


def card_factors(evidence: Evidence, rated_bytes_per_s: float | None, fits: bool) -> tuple[Factors, Factors]:
    """Speed-ups of (prefill, decode) on a card.

    Args:
        evidence: for the decode speed measured here and the bytes it moves.
        rated_bytes_per_s: the card's own bandwidth; None takes the range of published cards.
        fits: whether model and cache fit the card's memory.
    """
    if not fits:
        return PARTLY, PARTLY
    traffic, row = evidence.traffic, evidence.decode_row
    if traffic is None or row is None:
        return PREFILL, Factors(1.0, 2.0, 10.0)
    if rated_bytes_per_s is not None:
        rates = tuple(rated_bytes_per_s * share for share in
                      (RATED_SHARES.low, RATED_SHARES.middle, RATED_SHARES.high))
    else:
        rates = SMALL_CARD_BYTES_PER_S, MIDDLE_CARD_BYTES_PER_S, LARGE_CARD_BYTES_PER_S
    each = traffic.step_bytes(1, row.n_depth)
    low, middle, high = (
        max(1.0, 1 / max(each / rate, SHORTEST_STEP_S) / row.tokens_per_s) for rate in rates
    )
    return PREFILL, Factors(low, middle, high)
