"""From a GGUF file to ``ModelFacts``."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

from advisor.core import numbers
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr, trn
from advisor.gguf.header import TensorInfo
from advisor.gguf.keys import Keys
from advisor.gguf.model import ModelFacts
from advisor.gguf.modelling import (
    MAX_LAYERS,
    SortedTensor,
    active_parameters,
    declares_absent_prediction,
    head_is_tied,
    matmul_shapes,
    model_traffic,
    sort_out,
    trunk_layers,
)
from advisor.gguf.quant_types import TYPES, file_type_label, type_name
from advisor.gguf.readable import readable
from advisor.gguf.shards import ModelFiles, read_files
from advisor.gguf.small_counts import SmallWork
from advisor.gguf.small_work import small_work
from advisor.gguf.traffic import Traffic
from advisor.gguf.without_decode import BIG_ENDIAN, TYPES_WITHOUT_DECODE, WITHOUT_DECODE

UNKNOWN_ARCHITECTURE = "unknown"
RANKING = 4
"""LLAMA_POOLING_TYPE_RANK of llama.h; 0 is none, the others are ways to make a vector."""
_SIZE_LABEL = re.compile(r"(\d{1,4}(?:\.\d{1,3})?)([KMBT])(?:-A\d{1,4}(?:\.\d{1,3})?[KMBT])?", re.ASCII)
"""Plain sizes and those with active parameters ("30B-A3B"). Products ("256x20B") multiply shared parts, too, and say
nothing exact."""
_SIZE_UNITS = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_SIZE_TOLERANCE = 1.5
"""Labels are rounded and may leave embeddings out, so that only a gross difference is worth a note."""


def read_model(path: Path) -> ModelFacts:
    """What a model file, or the set of files that it belongs to, says about its model.

    Raises:
        BadFile: when the file is missing, is no GGUF file, is damaged or incomplete, or files of its set are missing.
    """
    return model_facts(read_files(path), path)


def model_facts(files: ModelFiles, path: Path) -> ModelFacts:
    """What the headers of a model's files say about it; ``path`` is what the user named."""
    values = files.first.keys
    architecture = readable(Keys(values, "").text(".general.architecture")) or UNKNOWN_ARCHITECTURE
    keys = Keys(values, architecture)
    tensors = sort_out(files.tensors)
    why_not = tr(BIG_ENDIAN) if files.first.big_endian else _no_decode(keys, files.tensors)
    trunk = trunk_layers(keys, tensors) or MAX_LAYERS
    parameters = sum(info.elements for info in files.tensors)
    traffic = Unknown(why_not, Missing.NOT_APPLICABLE) if why_not else model_traffic(keys, tensors)
    notes = [*files.notes, *_notes(keys, files.tensors, parameters)]
    if declares_absent_prediction(keys, tensors):
        notes.append(
            tr(
                "The file declares blocks for multi-token prediction, and its last blocks are ordinary ones; "
                "some engine versions leave them out."
            )
        )
    if why_not:
        notes[:0] = [tr("This file cannot be benchmarked: {reason}.", reason=why_not), *_belongs_to(keys)]
    elif isinstance(traffic, Unknown):
        notes.append(tr("Ceilings cannot be computed for this model: {reason}.", reason=tr(traffic.reason)))
    return ModelFacts(
        path=path,
        name=readable(keys.text(".general.name").strip() or path.stem),
        architecture=architecture,
        label=_label(keys),
        file_bytes=files.file_bytes,
        weights_bytes=sum(info.stored_bytes for info in files.tensors),
        parameters=parameters,
        active_parameters=active_parameters(keys, tensors, traffic),
        layers=_layers(keys, tensors),
        embedding_length=keys.fact("embedding_length"),
        heads=_heads(keys, "attention.head_count"),
        kv_heads=_heads(keys, "attention.head_count_kv", "attention.head_count"),
        vocabulary=_vocabulary(keys, files.tensors),
        context_length=keys.fact("context_length"),
        tied_head=not why_not and head_is_tied(tensors),
        experts=keys.count("expert_count") or 0,
        experts_used=_experts_used(keys),
        types=MappingProxyType(_bytes_by_type(files.tensors)),
        matmuls=matmul_shapes([t for t in tensors if t.part.block is None or t.part.block < trunk]),
        has_decode=not why_not,
        notes=tuple(notes),
        traffic=traffic,
        first_file=files.first_path if files.first_path != path else None,
        small=_small(tensors, trunk, traffic),
    )


def _small(tensors: Sequence[SortedTensor], trunk: int, traffic: Fact[Traffic]) -> SmallWork:
    if isinstance(traffic, Unknown):
        return SmallWork()
    run = [tensor for tensor in tensors if tensor.part.block is None or tensor.part.block < trunk]
    return small_work(run, traffic.value.attention, traffic.value.experts_used)


def _no_decode(keys: Keys, tensors: Sequence[TensorInfo]) -> str:
    """Why the file cannot answer a prompt, as a clause; empty when it can."""
    kind = keys.text(".general.type")
    if kind in TYPES_WITHOUT_DECODE:
        return tr(TYPES_WITHOUT_DECODE[kind])
    if keys.architecture in WITHOUT_DECODE:
        return tr(WITHOUT_DECODE[keys.architecture])
    if not any(info.elements for info in tensors):
        if keys.length(".tokenizer.ggml.tokens"):
            return tr(TYPES_WITHOUT_DECODE["vocab"])
        return tr("it holds no tensors, so it is no model that can run")
    if keys.architecture == UNKNOWN_ARCHITECTURE:
        return tr("it does not name its architecture, so no engine can run it")
    if keys.values.get(keys.full_name("attention.causal")) is False:
        return tr(WITHOUT_DECODE["bert"])
    return ""


def _belongs_to(keys: Keys) -> list[str]:
    """The model that an adapter or a projector was made for, where the file says so."""
    name = keys.text(".general.base_model.0.name").strip()
    address = keys.text(".general.base_model.0.repo_url").strip()
    if not name:
        return []
    where = f" ({readable(address)})" if address else ""
    return [tr("The model it was made for: {name}{where}.", name=readable(name), where=where)]


def _notes(keys: Keys, tensors: Sequence[TensorInfo], parameters: int) -> list[str]:
    notes = []
    strange = Counter(info.type_id for info in tensors if info.type_id not in TYPES)
    for type_id, count in sorted(strange.items()):
        notes.append(
            trn(
                "Unknown tensor type {type} in {n} tensor: their sizes are taken from their places in the file.",
                "Unknown tensor type {type} in {n} tensors: their sizes are taken from their places in the file.",
                count, type=type_id, n=count,
            )
        )
    pooling = keys.count("pooling_type") or 0
    if pooling and keys.architecture not in WITHOUT_DECODE:
        notes.append(
            tr("The file is made for ranking texts: what it would write is of no use.") if pooling == RANKING
            else tr("The file is made for turning texts into vectors: what it would write is of no use.")
        )  # fmt: skip
    experts, routed = keys.count("expert_count") or 0, _first_nonzero(keys, "expert_used_count") or 0
    if routed > experts:
        notes.append(
            trn(
                "The file claims to route each token to {routed} of {experts} expert, which is impossible.",
                "The file claims to route each token to {routed} of {experts} experts, which is impossible.",
                experts,
                routed=numbers.count(routed),
                experts=numbers.count(experts),
            )
        )
    label = keys.text(".general.size_label")
    size = _SIZE_LABEL.fullmatch(label)
    if size and parameters:
        ratio = float(size[1]) * _SIZE_UNITS[size[2]] / parameters
        if not 1 / _SIZE_TOLERANCE <= ratio <= _SIZE_TOLERANCE:
            notes.append(
                tr(
                    "The file calls itself {label}, but its tensors hold {parameters} parameters.",
                    label=label,
                    parameters=numbers.count(parameters),
                )
            )
    return notes


def _label(keys: Keys) -> Fact[str]:
    key = "general.file_type"
    number = keys.count(f".{key}")
    if number is None:
        return Unknown(tr("the file does not name its quantisation"), Missing.NOT_APPLICABLE)
    label = file_type_label(number)
    if label is None:
        return Unknown(
            tr("quantisation number {number} is not known to this program", number=number), Missing.NOT_SUPPORTED
        )
    return Known(label, Basis.READ, key)


def _heads(keys: Keys, *names: str) -> Fact[int]:
    """Heads of the first layer that has any, by the first of the keys that says so."""
    for name in names:
        found = _first_nonzero(keys, name)
        if found:
            return Known(found, Basis.READ, keys.full_name(name))
    return Unknown(tr("the file has no usable key {key}", key=keys.full_name(names[0])), Missing.NOT_APPLICABLE)


def _layers(keys: Keys, tensors: Sequence[SortedTensor]) -> Fact[int]:
    """Declared blocks; Unknown for more than an engine runs, or than there are tensors for."""
    declared = keys.fact("block_count")
    if isinstance(declared, Unknown):
        return declared
    if declared.value > MAX_LAYERS:
        return Unknown(
            tr(
                "the file claims {declared} layers, and no engine runs more than {most}",
                declared=numbers.count(declared.value),
                most=MAX_LAYERS,
            )
        )
    held = [tensor.part.block for tensor in tensors if tensor.part.block is not None]
    if held and trunk_layers(keys, tensors) > max(held) + 1:
        return Unknown(
            trn(
                "the file claims {declared} layer and holds {held}",
                "the file claims {declared} layers and holds {held}",
                declared.value,
                declared=numbers.count(declared.value),
                held=numbers.count(max(held) + 1),
            )
        )
    return declared


def _experts_used(keys: Keys) -> int:
    """Experts that one token is routed to; 0 where the file says nothing, or more than it has."""
    used = _first_nonzero(keys, "expert_used_count") or 0
    return used if used <= (keys.count("expert_count") or 0) else 0


def _first_nonzero(keys: Keys, name: str) -> int | None:
    for number in keys.per_layer(name, keys.length(name) or 1) or ():
        if number:
            return number
    return None


def _vocabulary(keys: Keys, tensors: Sequence[TensorInfo]) -> Fact[int]:
    tokens = keys.length(".tokenizer.ggml.tokens")
    if tokens:
        return Known(tokens, Basis.READ, tr("length of tokenizer.ggml.tokens"))
    size = keys.count("vocab_size")
    if size:
        return Known(size, Basis.READ, keys.full_name("vocab_size"))
    for info in tensors:
        if info.name == "token_embd.weight" and len(info.dims) == 2:
            return Known(info.dims[1], Basis.READ, tr("rows of token_embd.weight"))
    return Unknown(tr("the file holds no vocabulary"), Missing.NOT_APPLICABLE)


def _bytes_by_type(tensors: Sequence[TensorInfo]) -> dict[str, int]:
    totals: Counter[str] = Counter()
    for info in tensors:
        totals[type_name(info.type_id)] += info.stored_bytes
    return dict(totals.most_common())
