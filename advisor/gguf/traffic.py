"""Bytes and FLOPs of one step, by batch and depth (physics.md 1 and 2).

Symbols: B sequences decoded together, T tokens of depth already in the KV cache, P prompt tokens.
"""

from collections import Counter
from dataclasses import dataclass, field

from advisor.core.units import FLOP_PER_MAC
from advisor.gguf.layers import KV_CELL_PADDING as KV_CELL_PADDING
from advisor.gguf.layers import KV_ELEMENT_BYTES_F16 as KV_ELEMENT_BYTES_F16
from advisor.gguf.layers import KV_TYPES as KV_TYPES
from advisor.gguf.layers import AttentionLayer as AttentionLayer
from advisor.gguf.layers import RecurrentLayer as RecurrentLayer
from advisor.gguf.layers import padded_cells as padded_cells


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

    The methods that take ``element_bytes`` mean one number of the KV cache (``KV_TYPES``); ``value_bytes`` differs
    from it only where values have another type than keys.

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
        recurrent: the layers that keep a state of fixed size, in order.
        lookup_bytes: rows of further tables looked up per token (per-layer embeddings, positions).
        unread_bytes: tensors that plain decode never reads (blocks for multi-token prediction, keys and values of
            layers that use another layer's cache); the embedding table is not among them.
        unloaded_bytes: those of them that llama.cpp does not even load.
        basis: which paths the figures follow, in the user's language ("latent attention, compressed cache; 8 of 256
            experts per token").
        alike: each shape of ``attention`` with how many layers have it: models have two or three shapes in a hundred
            layers, and every slider of the window asks for these sums some hundred times.
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
    attention: tuple[AttentionLayer, ...] = field(hash=False)
    recurrent: tuple[RecurrentLayer, ...] = ()
    lookup_bytes: int = 0
    unread_bytes: int = 0
    unloaded_bytes: int = 0
    basis: str = ""
    alike: tuple[tuple[AttentionLayer, int], ...] = field(init=False, repr=False, compare=False, hash=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "alike", tuple(Counter(self.attention).items()))

    @property
    def state_bytes(self) -> int:
        """Bytes of recurrent state per sequence, at any depth."""
        return sum(layer.state_bytes for layer in self.recurrent)

    def weight_bytes(self, batch: int = 1) -> float:
        """Weight bytes streamed by one decode step of ``batch`` sequences (physics.md eq. 1).

        With routed experts and a batch above 1 it is an upper bound, see ``distinct_experts``.
        """
        routed = 0.0
        if self.experts > 0:
            share = distinct_experts(self.experts, self.experts_used, batch) / self.experts
            routed = self.expert_bytes * share
        return self.dense_bytes + self.head_bytes + routed

    def kv_bytes_per_token(self, element_bytes: float = KV_ELEMENT_BYTES_F16, value_bytes: float | None = None) -> int:
        """KV-cache bytes stored per token of depth over all layers, windows not considered (eq. 4)."""
        values = element_bytes if value_bytes is None else value_bytes
        return round(sum(n * layer.stored_bytes(element_bytes, values) for layer, n in self.alike))

    def kv_read_bytes(
        self, depth: int, element_bytes: float = KV_ELEMENT_BYTES_F16, value_bytes: float | None = None
    ) -> float:
        """KV-cache bytes that one sequence's decode step must read at this depth, windows considered.

        A layer that shares another layer's cache reads it once more.
        """
        values = element_bytes if value_bytes is None else value_bytes
        return sum(n * layer.read_bytes(element_bytes, values) * layer.reach(depth) for layer, n in self.alike)

    def kv_allocated_bytes(
        self, n_ctx: int, element_bytes: float = KV_ELEMENT_BYTES_F16, value_bytes: float | None = None
    ) -> int:
        """KV-cache bytes the engine allocates for ``n_ctx`` cells with full-size windows (its library default)."""
        return self.kv_bytes_per_token(element_bytes, value_bytes) * padded_cells(n_ctx)

    def kv_windowed_bytes(
        self,
        n_ctx: int,
        ubatch: int = 512,
        sequences: int = 1,
        element_bytes: float = KV_ELEMENT_BYTES_F16,
        value_bytes: float | None = None,
    ) -> int:
        """KV-cache bytes the engine allocates when windowed layers hold their window only (``swa_full=False``).

        Args:
            n_ctx: cells of the context.
            ubatch: tokens of one physical batch; a windowed layer keeps room for them.
            sequences: that share one unified cache.
            element_bytes: of one cached number.
            value_bytes: of one cached value, when it differs.
        """
        cells = padded_cells(n_ctx)
        values = element_bytes if value_bytes is None else value_bytes
        return round(
            sum(
                n
                * layer.stored_bytes(element_bytes, values)
                * (cells if layer.window is None else min(cells, padded_cells(layer.window * sequences + ubatch)))
                for layer, n in self.alike
            )
        )

    def step_bytes(self, batch: int = 1, depth: int = 0, element_bytes: float = KV_ELEMENT_BYTES_F16) -> float:
        """Bytes moved by one decode step of ``batch`` sequences at ``depth`` (physics.md eq. 2).

        Weights, cache and rows are read; a recurrent state is read and written.
        """
        own = self.kv_read_bytes(depth, element_bytes) + self.row_bytes + self.lookup_bytes + 2 * self.state_bytes
        return self.weight_bytes(batch) + batch * own

    def least_step_bytes(self, batch: int = 1, depth: int = 0, element_bytes: float = KV_ELEMENT_BYTES_F16) -> float:
        """Bytes that such a step moves at least: all sequences may use the experts of one.

        Real tokens are alike and share experts far more than chance would have it: 32 streams of a model with 128
        experts of which each token uses 4 were seen to read about 35 of them, where chance says 82 (physics.md 1.2).
        """
        return self.step_bytes(batch, depth, element_bytes) - self.weight_bytes(batch) + self.weight_bytes(1)

    def bytes_per_token(self, batch: int = 1, depth: int = 0) -> float:
        """Bytes moved per decoded token."""
        return self.step_bytes(batch, depth) / batch

    def flop_per_prompt_token(self) -> int:
        """Matrix FLOP per prompt token at depth 0: blocks only, no head (physics.md E11)."""
        return FLOP_PER_MAC * self.block_elements

    def flop_per_decoded_token(self, depth: int = 0) -> int:
        """FLOP per decoded token: blocks, head, attention over ``depth`` cached tokens, recurrent states."""
        attention = sum(n * layer.flop_per_pair() * layer.reach(depth) for layer, n in self.alike)
        states = sum(layer.flop_per_token() for layer in self.recurrent)
        return FLOP_PER_MAC * (self.block_elements + self.head_elements) + attention + states

    def prefill_matrix_flop(self, prompt: int, outputs: int = 1) -> int:
        """The matrices' part of ``prefill_flop``."""
        return FLOP_PER_MAC * (
            self.block_elements * prompt - self.last_ffn_elements * (prompt - outputs) + self.head_elements * outputs
        )

    def prefill_flop(self, prompt: int, depth: int = 0, outputs: int = 1) -> float:
        """Useful FLOP of prefilling ``prompt`` tokens from ``depth``, logits for ``outputs`` of them (eq. 7, 8).

        The last block's feed-forward part and the head run for output tokens only, as llama.cpp does; attention
        counts the causal half. It is a lower bound of the work done, so that a ceiling from it is an upper one.
        """
        matrices = self.prefill_matrix_flop(prompt, outputs)
        attention = sum(
            n * layer.flop_per_pair() * (layer.pairs_up_to(depth + prompt) - layer.pairs_up_to(depth))
            for layer, n in self.alike
        )
        states = prompt * sum(layer.flop_per_token() for layer in self.recurrent)
        return float(matrices + attention + states)
