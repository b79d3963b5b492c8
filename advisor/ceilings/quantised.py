"""What a model becomes when llama.cpp quantises it, from the shapes of its matrices, without reading a weight.

The rules are those of ``gguf/mixtures.py``, which knows every tensor's name. Facts of a model hold kinds of matrices
only, so that here they are applied to what most matrices of a kind are for.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from advisor.ceilings.predict import is_head
from advisor.core.evidence import Known
from advisor.core.translation import tr
from advisor.gguf.mixtures import BASE_TYPES, fitting, gets_more_bits, head_type
from advisor.gguf.model import MatmulShape, ModelFacts
from advisor.gguf.quant_types import BY_NAME
from advisor.gguf.traffic import Traffic

ORIGINAL_TYPES: Final = frozenset({"F64", "F32", "F16", "BF16"})


@dataclass(frozen=True, slots=True)
class FileType:
    """A kind of file that the quantiser makes.

    Attributes:
        number: llama.cpp's ``llama_ftype``.
        label: its name.
        finer: type of most of the sensitive ones; the same as ``base`` where they are treated alike.
        finer_always: for all of them, else for about half of the layers.
        output_finer: for the output of the attention, too.
    """

    number: int
    label: str
    finer: str
    finer_always: bool = False
    output_finer: bool = False

    @property
    def base(self) -> str:
        """Type of most matrices."""
        return BASE_TYPES[self.label]


FILE_TYPES: Final[Mapping[str, FileType]] = MappingProxyType({
    kind.label: kind
    for kind in (
        FileType(7, "Q8_0", "Q8_0"),
        FileType(18, "Q6_K", "Q6_K"),
        FileType(17, "Q5_K_M", "Q6_K"),
        FileType(15, "Q4_K_M", "Q6_K"),
        FileType(12, "Q3_K_M", "Q4_K", finer_always=True, output_finer=True),
        FileType(10, "Q2_K", "Q3_K", finer_always=True, output_finer=True),
    )
})
"""Those that can be predicted, the finest first."""


def is_original(model: ModelFacts) -> bool:
    """Whether nothing was rounded away from this file yet."""
    return all(name in ORIGINAL_TYPES for name in model.types)


def quantised(model: ModelFacts, label: str) -> ModelFacts | None:
    """The model as the file ``label`` of it: its matrices, traffic and size; None where that cannot be told.

    Types are right to the tensor for Q8_0, Q6_K, Q5_K_M and Q4_K_M of dense decoders with separate queries, keys and
    values. Left out are the quantiser's exceptions: Q4_K or Q5_K for a few matrices of Q2_K and Q3_K_M (values, first
    layers), Q8_0 for keys and values of models with eight experts, fused queries-keys-values, Q5_K for the values of
    70B models, and Falcon. They touch a few per cent of the bytes; before a file is made the engine is asked.
    """
    kind = FILE_TYPES.get(label)
    if kind is None or not model.matmuls or not isinstance(model.traffic, Known):
        return None
    made: list[MatmulShape] = []
    saved = {"head": 0, "expert": 0, "dense": 0}
    for shape in model.matmuls:
        pieces = list(_pieces(model, model.traffic.value, shape, kind))
        made += pieces
        part = "head" if is_head(model, shape) else "expert" if shape.expert else "dense"
        saved[part] += shape.bytes - sum(piece.bytes for piece in pieces)
    flows = replace(
        model.traffic.value,
        dense_bytes=model.traffic.value.dense_bytes - saved["dense"],
        head_bytes=model.traffic.value.head_bytes - saved["head"],
        expert_bytes=model.traffic.value.expert_bytes - saved["expert"],
    )
    weights_bytes = model.weights_bytes - sum(saved.values()) - _saved_of_embedding(model, kind)
    return replace(
        model,
        label=Known(label, model.traffic.basis, tr("predicted")),
        matmuls=tuple(sorted(made, key=lambda shape: -shape.bytes)),
        traffic=replace(model.traffic, value=flows),
        weights_bytes=weights_bytes,
        file_bytes=model.file_bytes - model.weights_bytes + weights_bytes,
    )


def _pieces(model: ModelFacts, flows: Traffic, shape: MatmulShape, kind: FileType) -> Iterator[MatmulShape]:
    """A shape's matrices in their new types, those of the finer type apart."""
    if not shape.expert and shape.outputs == model.experts:
        yield shape  # routers stay as they are
        return
    if is_head(model, shape):
        yield _in_type(shape, head_type(kind.label, kind.base, shape.inputs, model.architecture), shape.count)
        return
    finer = round(shape.count * _sensitive(model, flows, shape, kind))
    if finer:
        yield _in_type(shape, kind.finer, finer)
    if shape.count > finer:
        yield _in_type(shape, kind.base, shape.count - finer)


def _sensitive(model: ModelFacts, flows: Traffic, shape: MatmulShape, kind: FileType) -> float:
    """Share of a shape's matrices that get the finer type."""
    if kind.finer == kind.base:
        return 0.0
    share = 1.0 if kind.finer_always else _share_of_layers(model.layers.or_none() or 1)
    embedding = model.embedding_length.or_none()
    values = {layer.kv_heads * layer.value_length for layer in flows.attention}
    keys = {layer.kv_heads * layer.key_length for layer in flows.attention}
    if shape.inputs == embedding and shape.outputs in values and not shape.expert:
        return share / 2 if shape.outputs in keys else share  # keys and values have one shape
    if shape.outputs == embedding and shape.inputs != embedding:
        is_output = shape.inputs in {layer.heads * layer.value_length for layer in flows.attention}
        return share if kind.output_finer or not is_output else 0.0
    if kind.output_finer and shape.outputs == shape.inputs == embedding:
        return share / 2  # queries and outputs of the attention have one shape
    return 0.0


def _share_of_layers(layers: int) -> float:
    """Share of the layers that get more bits: the first and the last eighth, and every third between."""
    more = [layer for layer in range(layers) if gets_more_bits(layer, layers)]
    return len(more) / layers


def _in_type(shape: MatmulShape, name: str, count: int) -> MatmulShape:
    found = BY_NAME[fitting(name, shape.inputs)]
    size = count * found.bytes_of(shape.inputs * shape.outputs)
    return replace(shape, type_name=found.name, type_id=found.id, count=count, bytes=size)


def _saved_of_embedding(model: ModelFacts, kind: FileType) -> int:
    """Bytes that the table of embeddings becomes smaller by, where it is no head as well.

    Its present type is the one of which enough bytes are left over once the matrices are taken away.
    """
    embedding, words = model.embedding_length.or_none(), model.vocabulary.or_none()
    if model.tied_head or not embedding or not words:
        return 0
    left = dict(model.types)
    for shape in model.matmuls:
        left[shape.type_name] = left.get(shape.type_name, 0) - shape.bytes
    after = BY_NAME[fitting(kind.base, embedding)].bytes_of(embedding * words)
    for name, size in sorted(left.items(), key=lambda held: -held[1]):
        known = BY_NAME.get(name)
        if known is not None and embedding % known.block_elements == 0:
            now = known.bytes_of(embedding * words)
            if now <= size:
                return now - after
    return 0
