"""Bytes and FLOPs of one step, by batch and depth (physics.md 1 and 2).

Symbols: B sequences decoded together, T tokens of depth already in the KV cache, P prompt tokens.
"""

from dataclasses import dataclass

from advisor.core.units import FLOP_PER_MAC

KV_ELEMENT_BYTES_F16 = 2.0
"""Bytes of one KV-cache element at llama.cpp's default type F16."""

KV_CELL_PADDING = 256
"""Cells per step of a KV cache's size (llama.cpp, read 2026-11-29)."""


@dataclass(frozen=True, slots=True)
class AttentionLayer:
    """One attention layer's shape; ``window`` is None for full attention, else the sliding window in tokens."""

    heads: int
    kv_heads: int
    key_length: int
    value_length: int
    window: int | None = None

    def reach(self, depth: int) -> int:
        """Tokens of the cache that a token at this depth attends to."""
        return depth if self.window is None else min(depth, self.window)

    def kv_elements(self) -> int:
        """Cache elements (keys and values) stored per token."""
        return self.kv_heads * (self.key_length + self.value_length)

    def flop_per_pair(self) -> int:
        """FLOP of one query token against one cached token: QK^T and PV (physics.md eq. 6)."""
        return FLOP_PER_MAC * self.heads * (self.key_length + self.value_length)


def padded_cells(cells: int) -> int:
    """Cells rounded up to the multiple of 256 in which llama.cpp allocates and reads its KV cache."""
    return -(-cells // KV_CELL_PADDING) * KV_CELL_PADDING


def distinct_experts(count: int, used: int, batch: int) -> float:
    """Distinct experts that ``batch`` tokens touch in one layer under independent routing (physics.md eq. 3).

    An upper bound: real tokens are correlated. 0 for a dense model (count 0).
    """
    if count <= 0:
        return 0.0
    return count * (1.0 - (1.0 - used / count) ** batch)


@dataclass(frozen=True, slots=True)
class Traffic:
    """What one step of this model reads and computes.

    Attributes:
        dense_bytes: tensors read whole once per step (matrices, norms, biases, routers, shared experts),
            without the head.
        head_bytes: the output matrix, read whole once per step (``token_embd`` itself when the head is tied).
        expert_bytes: all routed experts of all layers.
        experts: routed experts per layer, 0 for a dense model.
        experts_used: experts that one token is routed to.
        row_bytes: embedding row looked up per token; 0 where the head is tied, since the head reads it anyway.
        block_elements: elements of the blocks' matrices applied to one token (routed experts by use).
        head_elements: elements of the output matrix.
        last_ffn_elements: those of ``block_elements`` in the last block's feed-forward part, which llama.cpp
            runs only for tokens whose logits are wanted (physics.md 2).
        attention: the attention layers, in order.
    """

    dense_bytes: int
    head_bytes: int
    expert_bytes: int
    experts: int
    experts_used: int
    row_bytes: int
    block_elements: int
    head_elements: int
    last_ffn_elements: int
    attention: tuple[AttentionLayer, ...]

    def weight_bytes(self, batch: int = 1) -> float:
        """Weight bytes streamed by one decode step of ``batch`` sequences (physics.md eq. 1)."""
        routed = 0.0
        if self.experts > 0:
            share = distinct_experts(self.experts, self.experts_used, batch) / self.experts
            routed = self.expert_bytes * share
        return self.dense_bytes + self.head_bytes + routed

    def kv_bytes_per_token(self, element_bytes: float = KV_ELEMENT_BYTES_F16) -> int:
        """KV-cache bytes stored per token of depth over all layers, windows not considered (eq. 4)."""
        return round(sum(layer.kv_elements() for layer in self.attention) * element_bytes)

    def kv_read_bytes(self, depth: int, element_bytes: float = KV_ELEMENT_BYTES_F16) -> float:
        """KV-cache bytes that one sequence's decode step must read at this depth, windows considered."""
        return sum(layer.kv_elements() * layer.reach(depth) for layer in self.attention) * element_bytes

    def kv_allocated_bytes(self, n_ctx: int, element_bytes: float = KV_ELEMENT_BYTES_F16) -> int:
        """KV-cache bytes the engine allocates for ``n_ctx`` cells with full-size windows (its library default)."""
        return self.kv_bytes_per_token(element_bytes) * padded_cells(n_ctx)

    def kv_windowed_bytes(
        self, n_ctx: int, ubatch: int = 512, sequences: int = 1, element_bytes: float = KV_ELEMENT_BYTES_F16
    ) -> int:
        """KV-cache bytes the engine allocates when windowed layers hold their window only (``swa_full=False``).

        Args:
            n_ctx: cells of the context.
            ubatch: tokens of one physical batch; a windowed layer keeps room for them.
            sequences: that share one unified cache.
            element_bytes: of one cached number.
        """
        cells = padded_cells(n_ctx)
        return round(
            element_bytes
            * sum(
                layer.kv_elements()
                * (cells if layer.window is None else min(cells, padded_cells(layer.window * sequences + ubatch)))
                for layer in self.attention
            )
        )

    def step_bytes(self, batch: int = 1, depth: int = 0, element_bytes: float = KV_ELEMENT_BYTES_F16) -> float:
        """Bytes read by one decode step of ``batch`` sequences at ``depth`` (physics.md eq. 2)."""
        return self.weight_bytes(batch) + batch * (self.kv_read_bytes(depth, element_bytes) + self.row_bytes)

    def bytes_per_token(self, batch: int = 1, depth: int = 0) -> float:
        """Bytes read per decoded token."""
        return self.step_bytes(batch, depth) / batch

    def flop_per_prompt_token(self) -> int:
        """Matrix FLOP per prompt token at depth 0: blocks only, no head (physics.md E11)."""
        return FLOP_PER_MAC * self.block_elements

    def flop_per_decoded_token(self, depth: int = 0) -> int:
        """FLOP per decoded token: blocks, head and attention over ``depth`` cached tokens."""
        attention = sum(layer.flop_per_pair() * layer.reach(depth) for layer in self.attention)
        return FLOP_PER_MAC * (self.block_elements + self.head_elements) + attention

    def prefill_flop(self, prompt: int, depth: int = 0, outputs: int = 1) -> float:
        """Useful FLOP of prefilling ``prompt`` tokens from ``depth``, logits for ``outputs`` of them (eq. 7, 8).

        The last block's feed-forward part and the head run for output tokens only, as llama.cpp does; attention
        counts the causal half. It is a lower bound of the work done, so that a ceiling from it is an upper one.
        """
        matrices = FLOP_PER_MAC * (
            self.block_elements * prompt - self.last_ffn_elements * (prompt - outputs) + self.head_elements * outputs
        )
        attention = sum(layer.flop_per_pair() * _pairs(layer, prompt, depth) for layer in self.attention)
        return float(matrices + attention)


def _pairs(layer: AttentionLayer, prompt: int, depth: int) -> int:
    """Query-key pairs of ``prompt`` tokens at depths depth+1 .. depth+prompt under causal masking."""
    first, last = depth + 1, depth + prompt
    if layer.window is None or last <= layer.window:
        return (first + last) * prompt // 2
    if first > layer.window:
        return prompt * layer.window
    inside = layer.window - depth
    return (first + layer.window) * inside // 2 + (prompt - inside) * layer.window
