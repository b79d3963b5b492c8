"""The model as frozen values: facts from the header, and the traffic of one step derived from them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from advisor.core.evidence import Fact
from advisor.gguf.small_counts import NOT_COUNTED, SmallWork
from advisor.gguf.traffic import Traffic


@dataclass(frozen=True, slots=True)
class MatmulShape:
    """One kind of weight matrix of the model, for probes at the model's own types and shapes.

    A product with ``n`` tokens costs ``2 * inputs * outputs * n`` FLOP.
    """

    type_name: str
    type_id: int
    inputs: int
    """Row length (ne[0]), the contracted dimension."""
    outputs: int
    """Number of rows (ne[1])."""
    bytes: int
    """Bytes of all such matrices in the model together."""
    count: int
    expert: bool = False
    """True for one expert's matrix of a stacked expert tensor."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a GGUF file says about its model.

    Attributes:
        path: as the user gave it.
        first_file: the file that an engine must be given, the first of a split set; None where that is ``path``.
        name: ``general.name`` or the file's stem.
        architecture: ``general.architecture``.
        label: quantisation label from ``general.file_type`` ("Q4_K_M"); a label only, ``types`` is the truth.
        file_bytes: size of the file, all shards together.
        weights_bytes: bytes of all tensors, no header and no padding.
        parameters: elements of all tensors.
        active_parameters: parameters that take part in one token (routed experts by used / count).
        types: tensor type name -> bytes, largest first.
        experts, experts_used: 0 for a dense model; ``experts_used`` also where the file names no possible number.
        has_decode: False for encoders, adapters, projectors and vocabulary-only files.
        notes: sentences that a user should read (unknown types, mismatches, what the file is).
        traffic: bytes and FLOPs per step; Unknown with the reason for architectures that are not modelled yet.
    """

    path: Path
    name: str
    architecture: str
    label: Fact[str]
    file_bytes: int
    weights_bytes: int
    parameters: int
    active_parameters: Fact[int]
    layers: Fact[int]
    embedding_length: Fact[int]
    heads: Fact[int]
    kv_heads: Fact[int]
    """Of the first attention layer; per-layer values are in ``traffic.attention``."""
    vocabulary: Fact[int]
    context_length: Fact[int]
    tied_head: bool
    experts: int
    experts_used: int
    types: Mapping[str, int]
    matmuls: tuple[MatmulShape, ...]
    has_decode: bool
    notes: tuple[str, ...]
    traffic: Fact[Traffic]
    first_file: Path | None = None
    small: SmallWork = NOT_COUNTED
    """Counts of small operations, for predicting the time of a step."""

    @property
    def bits_per_weight(self) -> float:
        """Average over all tensors; 0 for a file without any."""
        return self.weights_bytes * 8 / max(1, self.parameters)

    @property
    def engine_file(self) -> Path:
        """The file to load, absolute."""
        return (self.first_file or self.path).absolute()
