"""The numbers that a decoder's tensors follow from, as model cards and ``config.json`` give them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """One decoder.

    Attributes:
        architecture: llama.cpp's name of it ("llama", "qwen3moe").
        layers: blocks that decode runs; blocks for multi-token prediction are left out.
        embedding: length of a token's vector.
        heads: query heads of a layer with attention.
        kv_heads: heads of keys and values.
        head_length: elements of one key and one value, unless ``more`` says otherwise.
        feed_forward: width of a dense feed-forward part; 0 where all layers have experts instead.
        vocabulary: rows of the table of embeddings.
        context: tokens that the model was made for.
        tied: whether the table of embeddings is the output matrix as well.
        experts: routed experts of a layer; 0 for a dense model.
        experts_used: those that one token is routed to.
        expert_feed_forward: width of one routed expert.
        shared_feed_forward: width of what all tokens pass beside the routed experts; 0 for nothing.
        dense_layers: leading layers without experts.
        window: sliding window in tokens; 0 for none. Which layers have it follows from the architecture.
        more: further numbers by name that only some architectures have, see ``blueprint.py``.
    """

    architecture: str
    layers: int
    embedding: int
    heads: int
    kv_heads: int
    head_length: int
    feed_forward: int
    vocabulary: int
    context: int
    tied: bool = False
    experts: int = 0
    experts_used: int = 0
    expert_feed_forward: int = 0
    shared_feed_forward: int = 0
    dense_layers: int = 0
    window: int = 0
    more: tuple[tuple[str, int], ...] = ()

    def extra(self, name: str, default: int = 0) -> int:
        """One of the further numbers."""
        return next((value for known, value in self.more if known == name), default)
