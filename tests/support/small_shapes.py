"""Shapes of the catalogue made small enough to be written and run in a second, every part of them still there."""

from dataclasses import replace

from advisor.rehearsal.shape import Shape

_SMALL = {
    "rope": 32, "value": 64, "q_lora": 64, "kv_lora": 64, "state": 64, "groups": 2, "ranks": 4, "inner": 512,
    "full_head": 128, "per_layer": 64, "full_kv": 1,
}  # fmt: skip
_KEPT = frozenset(
    {"moe_step", "shared_experts", "qkv_bias", "softmax", "conv", "l_cache", "full_every", "keys_are_values", "wide"}
)


def small(shape: Shape, layers: int = 0) -> Shape:
    """The shape with small sides; ``layers`` is a whole turn of its kinds of layers at least."""
    count = layers or _layers(shape)
    more: dict[str, int] = {}
    for name, value in shape.more:
        if name in _KEPT:
            more[name] = value
        elif name == "shared_caches":
            more[name] = shape.extra("full_every")
        elif name in {"attends", "feeds"}:
            more[name] = value & ((1 << count) - 1)
        elif name in _SMALL:
            more[name] = _SMALL[name]
    if shape.architecture in {"qwen35", "qwen35moe", "qwen3next"}:
        more["rope"] = 64
    shared = 256 * max(1, shape.extra("shared_experts"))
    return replace(
        shape, layers=count, embedding=256, heads=4, kv_heads=min(shape.kv_heads, 2), head_length=64,
        feed_forward=512 if shape.feed_forward else 0, vocabulary=512, context=4096,
        experts=min(shape.experts, 8), experts_used=min(shape.experts_used, 2),
        expert_feed_forward=256 if shape.experts else 0, shared_feed_forward=shared if shape.shared_feed_forward else 0,
        dense_layers=min(shape.dense_layers, 1), window=64 if shape.window else 0, more=tuple(sorted(more.items())),
    )  # fmt: skip


def _layers(shape: Shape) -> int:
    """Enough for every kind of layer to be there."""
    first = [(bits & -bits).bit_length() for bits in (shape.extra("attends"), shape.extra("feeds")) if bits]
    told_apart = 4 if shape.architecture == "llama4" else 2
    turn = max([told_apart, shape.extra("full_every"), shape.extra("moe_step"), *first])
    return 2 * turn if shape.extra("shared_caches") else max(turn, 3)
