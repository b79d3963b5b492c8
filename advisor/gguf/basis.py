"""Which paths a model's traffic follows, in words."""

from collections import Counter
from collections.abc import Sequence

from advisor.core.numbers import noun
from advisor.core.translation import tr, trn
from advisor.gguf.keys import Keys
from advisor.gguf.layers import AttentionLayer, RecurrentLayer
from advisor.gguf.profiles import LATENT, LATENT_EXPANDED


def basis(
    keys: Keys,
    attention: Sequence[AttentionLayer],
    recurrent: Sequence[RecurrentLayer],
    routing: tuple[int, int],
    *,
    latent: bool,
) -> str:
    """The paths, separated by semicolons: attention, windows, shared caches, states, experts.

    Args:
        keys: of the file.
        attention: its attention layers.
        recurrent: its layers with a state.
        routing: experts per layer and per token, zeros for a dense model.
        latent: whether the cache holds compressed latents.
    """
    parts = [_attention(keys, attention, latent)] if attention else []
    windows = Counter(layer.window for layer in attention if layer.window is not None)
    chunked = any(layer.chunked for layer in attention)
    parts += [_windows(tokens, count, len(attention), chunked) for tokens, count in windows.items()]
    sharing = sum(not layer.stores_kv for layer in attention)
    if sharing:
        parts.append(
            trn(
                "{n} layer uses another layer's cache", "{n} layers use another layer's cache", sharing, n=sharing
            )
        )
    kinds = Counter(layer.kind for layer in recurrent)
    parts += [
        trn("{kind} in {n} layer", "{kind} in {n} layers", count, kind=tr(kind), n=count)
        for kind, count in kinds.items()
    ]
    if routing[0]:
        experts = routing[0]
        parts.append(
            trn(
                "{used} of {n} expert per token", "{used} of {n} experts per token", experts, used=routing[1], n=experts
            )
        )
    return "; ".join(parts)


def _windows(tokens: int, count: int, layers: int, chunked: bool) -> str:
    reach = f"{tokens} {noun(tokens, 'token', 'tokens')}"
    if chunked:
        return trn(
            "chunks of {tokens} in {n} of {all} attention layer", "chunks of {tokens} in {n} of {all} attention layers",
            layers, tokens=reach, n=count, all=layers,
        )  # fmt: skip
    return trn(
        "windows of {tokens} in {n} of {all} attention layer", "windows of {tokens} in {n} of {all} attention layers",
        layers, tokens=reach, n=count, all=layers,
    )  # fmt: skip


def _attention(keys: Keys, attention: Sequence[AttentionLayer], latent: bool) -> str:
    if latent:
        return tr("latent attention, compressed cache")
    if keys.architecture in LATENT | LATENT_EXPANDED:
        return tr("latent attention, expanded cache")
    if all(layer.kv_heads == layer.heads for layer in attention):
        return tr("attention with all heads cached")
    return tr("grouped-query attention")
