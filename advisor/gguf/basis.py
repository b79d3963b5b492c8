"""Which paths a model's traffic follows, in words."""

from collections import Counter
from collections.abc import Sequence

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
        parts.append(f"{how} of {tokens} tokens in {count} of {len(attention)} attention layers")
    sharing = sum(not layer.stores_kv for layer in attention)
    if sharing:
        parts.append(f"{sharing} layers use another layer's cache")
    parts += [f"{kind} in {count} layers" for kind, count in Counter(layer.kind for layer in recurrent).items()]
    if routing[0]:
        parts.append(f"{routing[1]} of {routing[0]} experts per token")
    return "; ".join(parts)


def _attention(keys: Keys, attention: Sequence[AttentionLayer], latent: bool) -> str:
    if latent:
        return "latent attention, compressed cache"
    if keys.architecture in LATENT | LATENT_EXPANDED:
        return "latent attention, expanded cache"
    if all(layer.kv_heads == layer.heads for layer in attention):
        return "attention with all heads cached"
    return "grouped-query attention"
