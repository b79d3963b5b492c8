"""One layer's part in the cache: attention over stored tokens, or a recurrent state of fixed size."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from advisor.core.units import FLOP_PER_MAC

KV_ELEMENT_BYTES_F16 = 2.0
"""Bytes of one KV-cache element at llama.cpp's default type F16."""

KV_TYPES: Mapping[str, float] = MappingProxyType(
    {
        "f32": 4.0, "f16": 2.0, "bf16": 2.0, "q8_0": 34 / 32, "q5_1": 24 / 32, "q5_0": 22 / 32, "q4_1": 20 / 32,
        "q4_0": 18 / 32, "iq4_nl": 18 / 32,
    }
)  # fmt: skip
"""Cache types that llama-server accepts -> bytes per element (llama.cpp's ``common/arg.cpp``, read 2026-11-29)."""

KV_CELL_PADDING = 256
"""Cells per step of a KV cache's size (llama.cpp, read 2026-11-29)."""

STATE_ELEMENT_BYTES = 4
"""Bytes of one element of a recurrent state: llama.cpp keeps them in F32 whatever the KV type."""

_FLOP_PER_STATE_ELEMENT = 2 * FLOP_PER_MAC
"""One multiply-add to bring a token in and one to read it out; every kind of state needs at least these."""


def padded_cells(cells: int) -> int:
    """Cells rounded up to the multiple of 256 in which llama.cpp allocates and reads its KV cache."""
    return -(-cells // KV_CELL_PADDING) * KV_CELL_PADDING


@dataclass(frozen=True, slots=True)
class AttentionLayer:
    """One attention layer's shape.

    Attributes:
        heads: query heads.
        kv_heads: heads of keys and values in the cache; 1 where latents are cached.
        key_length: elements of one cached key.
        value_length: elements of one value; for cached latents, the part of the key that serves as value.
        window: sliding window or chunk in tokens; None for full attention.
        stores_kv: False for a layer that attends to another layer's cache: it reads but allocates nothing.
        stores_values: False where the value is a part of the cached key (compressed latents).
        chunked: whether ``window`` counts from fixed borders (Llama 4) instead of sliding.
    """

    heads: int
    kv_heads: int
    key_length: int
    value_length: int
    window: int | None = None
    stores_kv: bool = True
    stores_values: bool = True
    chunked: bool = False

    def reach(self, depth: int) -> int:
        """Tokens of the cache that a token at this depth attends to."""
        if self.window is None:
            return depth
        if self.chunked:
            return (depth - 1) % self.window + 1 if depth else 0
        return min(depth, self.window)

    def pairs_up_to(self, depth: int) -> int:
        """Query-key pairs of all tokens at depths 1 .. ``depth`` under causal masking: the sum of ``reach``."""
        if self.window is None or depth <= self.window:
            return depth * (depth + 1) // 2
        first = self.window * (self.window + 1) // 2
        if self.chunked:
            whole, rest = divmod(depth, self.window)
            return whole * first + rest * (rest + 1) // 2
        return first + (depth - self.window) * self.window

    def read_bytes(self, key_bytes: float, value_bytes: float) -> float:
        """Cache bytes read per token within reach, whoever stored them; the sizes are of one key or value element."""
        values = self.value_length * value_bytes if self.stores_values else 0.0
        return self.kv_heads * (self.key_length * key_bytes + values)

    def stored_bytes(self, key_bytes: float, value_bytes: float) -> float:
        """Cache bytes stored per token, for these sizes of one key and one value element."""
        return self.read_bytes(key_bytes, value_bytes) if self.stores_kv else 0.0

    def flop_per_pair(self) -> int:
        """FLOP of one query token against one cached token: QK^T and PV (physics.md eq. 6)."""
        return FLOP_PER_MAC * self.heads * (self.key_length + self.value_length)


@dataclass(frozen=True, slots=True)
class RecurrentLayer:
    """One layer's state, the same at any depth, for each sequence its own.

    Attributes:
        kind: what it is, in English words ("Mamba state").
        conv_elements: last inputs kept for a convolution or token shift.
        state_elements: the recurrent state itself; 0 for short convolutions.
    """

    kind: str
    conv_elements: int
    state_elements: int

    @property
    def state_bytes(self) -> int:
        """Bytes kept per sequence; each step reads and writes them once."""
        return STATE_ELEMENT_BYTES * (self.conv_elements + self.state_elements)

    def flop_per_token(self) -> int:
        """FLOP of one token's update and read-out of the state, at least."""
        return _FLOP_PER_STATE_ELEMENT * self.state_elements
