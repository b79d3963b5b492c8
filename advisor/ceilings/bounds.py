"""Further bounds of the roofline: several devices, great depth, and the balance point seen in measurements."""

from collections.abc import Sequence

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import fixed, flop
from advisor.core.translation import tr
from advisor.core.units import FLOP_PER_MAC
from advisor.gguf.traffic import Traffic

MAX_DEPTH = 1 << 24
"""Tokens of depth up to which a turning point is looked for."""


def streaming_s(parts: Sequence[tuple[float, float]]) -> float:
    """Seconds that one step reads at least when its bytes lie on several devices, which work one after the other.

    Args:
        parts: (bytes on the device, bandwidth in bytes per second) of each; devices without bytes cost nothing.

    Raises:
        ValueError: for bytes on a device without bandwidth.
    """
    if any(held > 0 and bytes_per_s <= 0 for held, bytes_per_s in parts):
        raise ValueError("a device that holds weights needs a bandwidth above 0")
    return sum(held / bytes_per_s for held, bytes_per_s in parts if held > 0)


def memory_bound_from_depth(traffic: Traffic, balance_flop_per_byte: float) -> Fact[int]:
    """Depth from which no number of streams makes decode compute-bound (physics.md eq. 14b).

    From there each stream's cache takes longer to read than its token's matrices take to multiply. Unknown (not
    applicable) where the cache never grows that far, as with short windows.
    """
    matrices = FLOP_PER_MAC * (traffic.block_elements + traffic.head_elements)
    hidden_bytes = matrices / balance_flop_per_byte
    if traffic.kv_read_bytes(MAX_DEPTH) < hidden_bytes:
        return Unknown(tr("the cache stays small at any depth"), Missing.NOT_APPLICABLE)
    low, high = 0, MAX_DEPTH
    while high - low > 1:
        middle = (low + high) // 2
        if traffic.kv_read_bytes(middle) >= hidden_bytes:
            high = middle
        else:
            low = middle
    ridge = fixed(balance_flop_per_byte, 1)
    source = tr("{ridge} FLOP per byte, {work} per token", ridge=ridge, work=flop(matrices))
    return Known(high, Basis.COMPUTED, source)


def measured_balance_batch(traffic: Traffic, prefill_tokens_per_s: float, decode_tokens_per_s: float) -> float:
    """Streams at which decode flattens, from the two measured speeds alone (physics.md eq. 14c).

    A decoded token also runs the head, which a prompt's tokens do not.
    """
    share = traffic.block_elements / (traffic.block_elements + traffic.head_elements)
    return prefill_tokens_per_s / decode_tokens_per_s * share
