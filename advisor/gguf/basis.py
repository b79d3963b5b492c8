"""Which paths a model's traffic follows, in words."""

from collections import Counter
from collections.abc import Sequence

from advisor.core.numbers import noun
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
    for tokens, count in windows.items():
        how = "chunks" if any(layer.chunked for layer in attention) else "windows"
        layers = noun(len(attention), "attention layer")
        parts.append(f"{how} of {tokens} {noun(tokens, 'token')} in {count} of {len(attention)} {layers}")
    sharing = sum(not layer.stores_kv for layer in attention)
    if sharing:
        parts.append(f"{sharing} {noun(sharing, 'layer')} {noun(sharing, 'uses', 'use')} another layer's cache")
    kinds = Counter(layer.kind for layer in recurrent)
    parts += [f"{kind} in {count} {noun(count, 'layer')}" for kind, count in kinds.items()]
    if routing[0]:
        parts.append(f"{routing[1]} of {routing[0]} {noun(routing[0], 'expert')} per token")
    return "; ".join(parts)


def _attention(keys: Keys, attention: Sequence[AttentionLayer], latent: bool) -> str:
    if latent:
        return "latent attention, compressed cache"
    if keys.architecture in LATENT | LATENT_EXPANDED:
        return "latent attention, expanded cache"
    if all(layer.kv_heads == layer.heads for layer in attention):
        return "attention with all heads cached"
    return "grouped-query attention"
