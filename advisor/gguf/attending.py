"""The attention layers' shapes from keys, checked against tensors."""

from collections.abc import Mapping, Sequence

from advisor.core.translation import tr
from advisor.gguf.header import TensorInfo
from advisor.gguf.keys import Keys
from advisor.gguf.layers import AttentionLayer
from advisor.gguf.profiles import GATED_QUERIES, LATENT, LATENT_EXPANDED, SHARED_KV_FROM, SHARED_KV_KEY, WINDOWED
from advisor.gguf.reasons import NotModelledError
from advisor.gguf.windows import windows

Kinds = Mapping[str, TensorInfo]
"""One layer's weights by kind ("attn_q")."""


def compressed(keys: Keys) -> bool:
    """Whether the engine caches latents: the architecture can, and the file brings the expanded lengths."""
    return keys.architecture in LATENT and bool(
        keys.count("attention.key_length_mla") and keys.count("attention.value_length_mla")
    )


def attention_layers(
    keys: Keys,
    attending: tuple[bool, ...],
    heads: tuple[int, ...],
    kv_heads: tuple[int, ...],
    embedding: int,
    weights: Sequence[Kinds],
) -> tuple[AttentionLayer, ...]:
    """The shapes of the layers that have attention, in order.

    Args:
        keys: of the file.
        attending: for each layer, whether it has attention.
        heads: query heads of each layer.
        kv_heads: key and value heads of each layer.
        embedding: length of an embedding row.
        weights: each layer's matrices by kind.

    Raises:
        NotModelledError: when keys are missing, or contradict each other or the tensors.
    """
    if not any(attending):
        return ()
    if not heads[0] or any(there and not (heads[i] and kv_heads[i]) for i, there in enumerate(attending)):
        raise NotModelledError(tr("the file does not give every layer's attention heads"))
    layers = len(attending)
    key_length = keys.count("attention.key_length") or embedding // heads[0]
    value_length = keys.count("attention.value_length") or embedding // heads[0]
    swa_key_length = keys.count("attention.key_length_swa") or key_length
    swa_value_length = keys.count("attention.value_length_swa") or value_length
    shares_from = _shares_from(keys, layers)
    chunked = keys.architecture in WINDOWED and WINDOWED[keys.architecture].chunked
    found = []
    for i, window in enumerate(windows(keys, layers)):
        if not attending[i]:
            continue
        layer = AttentionLayer(
            heads[i],
            kv_heads[i],
            key_length if window is None else swa_key_length,
            value_length if window is None else swa_value_length,
            window,
            stores_kv=i < shares_from,
            stores_values=not compressed(keys),
            chunked=chunked and window is not None,
        )
        _check(keys, layer, weights[i])
        found.append(layer)
    stored = {_cached(layer) for layer in found if layer.stores_kv}
    if any(_cached(layer) not in stored for layer in found):
        raise NotModelledError(tr("a layer attends to another layer's cache, and no layer has such a cache"))
    return tuple(found)


def _cached(layer: AttentionLayer) -> tuple[int, int, int]:
    return layer.kv_heads, layer.key_length, layer.value_length


def _shares_from(keys: Keys, layers: int) -> int:
    """The first layer that attends to another layer's cache; ``layers`` when none does."""
    if keys.architecture in SHARED_KV_FROM:
        return SHARED_KV_FROM[keys.architecture]
    if keys.architecture not in SHARED_KV_KEY:
        return layers
    shared = keys.count("attention.shared_kv_layers") or 0
    if shared and layers - shared < 2:
        raise NotModelledError(tr("more layers share a cache than there are caches to share"))
    return layers - shared


def _check(keys: Keys, layer: AttentionLayer, weights: Kinds) -> None:
    """Keys and tensors must tell the same story, or the cache would be wrong without anybody noticing."""
    expected = _latent_rows(keys, layer, weights)
    if expected is None:
        queries = layer.heads * layer.key_length * (2 if keys.architecture in GATED_QUERIES else 1)
        key_rows, value_rows = layer.kv_heads * layer.key_length, layer.kv_heads * layer.value_length
        expected = {
            "attn_q": queries,
            "attn_k": key_rows,
            "attn_v": value_rows,
            "attn_qkv": queries + key_rows + value_rows,
        }
        _check_there(layer, weights)
    for kind, rows in expected.items():
        info = weights.get(kind)
        if info is not None and info.dims[1:] != (rows,):
            raise NotModelledError(
                tr("the shape of {name} contradicts the heads that the file declares", name=info.name)
            )
    if not {"attn_q", "attn_qkv", "attn_q_b"} & weights.keys():
        raise NotModelledError(tr("a layer with attention has no query matrix"))


def _check_there(layer: AttentionLayer, weights: Kinds) -> None:
    """No length may rest on keys alone: a matrix must be there whose shape would contradict a wrong one."""
    # without values of its own, a layer uses its keys as such
    own_values = "attn_v" in weights or layer.value_length == layer.key_length
    if layer.stores_kv and "attn_qkv" not in weights and not ("attn_k" in weights and own_values):
        raise NotModelledError(tr("a layer with attention has no matrices for the keys and values that it caches"))
    output = weights.get("attn_output")
    if output is not None and output.dims[:1] != (layer.heads * layer.value_length,):
        raise NotModelledError(tr("the shape of {name} contradicts the heads that the file declares", name=output.name))


def _latent_rows(keys: Keys, layer: AttentionLayer, weights: Kinds) -> dict[str, int] | None:
    """Rows of the matrices of latent attention; None for other kinds of attention."""
    if keys.architecture not in LATENT | LATENT_EXPANDED:
        return None
    latent, rotated = keys.count("attention.kv_lora_rank"), keys.count("rope.dimension_count")
    if not latent or not rotated:
        raise NotModelledError(tr("the file does not give the lengths of its latents"))
    if "attn_kv_a_mqa" not in weights:
        raise NotModelledError(tr("a layer with latent attention has no matrix for its latents"))
    whole_key = (keys.count("attention.key_length_mla") or 0) if compressed(keys) else layer.key_length
    rows = {
        "attn_q": layer.heads * whole_key,
        "attn_q_b": layer.heads * whole_key,
        "attn_kv_a_mqa": latent + rotated,
        "attn_kv_b": layer.heads * (whole_key - rotated + layer.value_length),
    }
    if not compressed(keys):
        if layer.kv_heads != layer.heads or "attn_kv_b" not in weights:
            raise NotModelledError(tr("the file's latents are neither compressed nor expanded"))
        return rows
    shape = (layer.kv_heads, layer.key_length, layer.value_length)
    if shape != (1, latent + rotated, latent) or not {"attn_k_b", "attn_v_b"} <= weights.keys():
        raise NotModelledError(tr("the cache that the file declares is not that of its latents"))
    return rows
