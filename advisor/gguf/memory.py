"""Memory that a model needs at a context length."""

from dataclasses import dataclass

from advisor.core.evidence import Basis, Fact, Known, Unknown
from advisor.core.translation import tr
from advisor.gguf.model import ModelFacts
from advisor.gguf.traffic import KV_ELEMENT_BYTES_F16, Traffic

DEFAULT_UBATCH = 512
"""llama.cpp's default physical batch in tokens."""

_F32 = 4


@dataclass(frozen=True, slots=True)
class MemoryNeed:
    """What the engine asks for, by cause, in bytes.

    Attributes:
        weights_bytes: all tensors that the engine loads, all experts: computed from the file.
        kv_bytes: the KV cache as llama.cpp allocates it: computed.
        buffers_bytes: scratch space of the graph: an estimate. It came out exactly (514.5 MiB) for the sample model,
            where the logits decide; it can be off by some tens of MiB elsewhere.
        state_bytes: recurrent states of all sequences: computed.
    """

    weights_bytes: int
    kv_bytes: int
    buffers_bytes: int
    state_bytes: int = 0

    @property
    def total_bytes(self) -> int:
        """The sum; as good as its estimated part."""
        return self.weights_bytes + self.kv_bytes + self.buffers_bytes + self.state_bytes


def memory_needed(
    model: ModelFacts,
    n_ctx: int,
    ubatch: int = DEFAULT_UBATCH,
    element_bytes: float = KV_ELEMENT_BYTES_F16,
    full_windows: bool = True,
    *,
    value_bytes: float | None = None,
    sequences: int = 1,
    unified: bool = True,
) -> Fact[MemoryNeed]:
    """Memory to load the model and hold ``n_ctx`` tokens.

    Args:
        model: facts of the file.
        n_ctx: context length in tokens, over all sequences.
        ubatch: tokens of one physical batch.
        element_bytes: of one number in the KV cache, 2 for F16.
        full_windows: whether layers with a sliding window get room for the whole context, as the library does by
            default; llama-server does not.
        value_bytes: of one cached value, when it differs from a key's.
        sequences: that run side by side; each has a recurrent state of its own.
        unified: whether they share one cache; else each gets an equal part of the context.

    Returns:
        Estimated, since the scratch space is; Unknown when the model's traffic is.
    """
    if isinstance(model.traffic, Unknown):
        return model.traffic
    traffic = model.traffic.value
    caches = 1 if unified else sequences
    cells = n_ctx // caches
    if full_windows:
        kv_bytes = traffic.kv_allocated_bytes(cells, element_bytes, value_bytes)
    else:
        sharing = sequences if unified else 1
        kv_bytes = traffic.kv_windowed_bytes(cells, ubatch, sharing, element_bytes, value_bytes)
    need = MemoryNeed(
        weights_bytes=model.weights_bytes - traffic.unloaded_bytes,
        kv_bytes=caches * kv_bytes,
        buffers_bytes=_buffers_bytes(model, traffic, n_ctx, min(ubatch, n_ctx)),
        state_bytes=sequences * traffic.state_bytes,
    )
    return Known(need, Basis.ESTIMATED, tr("tensor table, KV cache as llama.cpp allocates it, estimated scratch space"))


def _buffers_bytes(model: ModelFacts, traffic: Traffic, n_ctx: int, ubatch: int) -> int:
    """Scratch space: the larger of the logits with their inputs, and an attention mask with a block's activations.

    Checked against "CPU compute buffer size" of llama.cpp (ggml 0.25) for the sample: ubatch 512, 128 and 100.
    """
    embedding = model.embedding_length.or_none() or 1
    # the output matrix decides how many logits there are, whatever list of texts comes with it
    vocabulary = traffic.head_elements // embedding
    widest = max((shape.outputs for shape in model.matmuls if shape.outputs != vocabulary), default=0)
    logits = vocabulary + 2 * embedding
    block = n_ctx + 3 * embedding + 2 * widest
    return _F32 * ubatch * max(logits, block)
