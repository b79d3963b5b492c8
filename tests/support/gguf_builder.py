"""Writes GGUF files of any shape, right or wrong, without the package under test and without gguf-py.

``Gguf(keys=..., tensors=...).header()`` gives bytes; ``write(path)`` makes a file whose weights are a hole, so that a
model of many gigabytes costs nothing.
"""

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from pathlib import Path

UINT8, INT8, UINT16, INT16, UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY, UINT64, INT64, FLOAT64 = range(13)
_FORMATS = {
    UINT8: "B", INT8: "b", UINT16: "H", INT16: "h", UINT32: "I", INT32: "i", FLOAT32: "f", BOOL: "?", UINT64: "Q",
    INT64: "q", FLOAT64: "d",
}  # fmt: skip

TYPE_IDS = {
    "F32": (0, 1, 4), "F16": (1, 1, 2), "Q4_0": (2, 32, 18), "Q5_0": (6, 32, 22), "Q8_0": (8, 32, 34),
    "Q4_K": (12, 256, 144), "Q6_K": (14, 256, 210), "I8": (24, 1, 1), "BF16": (30, 1, 2), "MXFP4": (39, 32, 17),
    "Q1_0": (41, 128, 18), "Q2_0": (42, 64, 18),
}  # fmt: skip
"""Name -> number, elements per block, bytes per block; written down here a second time on purpose."""


@dataclass(frozen=True)
class Typed:
    """A key's value with its GGUF type said outright."""

    kind: int
    value: object


@dataclass(frozen=True)
class TypedArray:
    """An array with its element type said outright; ``count`` may lie."""

    kind: int
    items: Sequence[object]
    count: int | None = None


@dataclass(frozen=True)
class Raw:
    """A value as it shall stand in the file, type number included."""

    data: bytes


@dataclass(frozen=True)
class Tensor:
    """One row of the tensor table; type and offset may be nonsense."""

    name: str | bytes
    dims: Sequence[int]
    type: str | int = "F32"
    offset: int | None = None
    n_dims: int | None = None
    name_length: int | None = None

    @property
    def type_id(self) -> int:
        return self.type if isinstance(self.type, int) else TYPE_IDS[self.type][0]

    @property
    def bytes(self) -> int:
        """Size by type and shape; 0 for a type that the builder does not know."""
        if isinstance(self.type, int):
            return 0
        _, elements, block_bytes = TYPE_IDS[self.type]
        return prod(self.dims) // elements * block_bytes


@dataclass(frozen=True)
class Gguf:
    """A file to be written."""

    keys: Mapping[str | bytes, object] | Sequence[tuple[str | bytes, object]] = field(default_factory=dict)
    tensors: Sequence[Tensor] = ()
    version: int = 3
    alignment: int = 32
    magic: bytes = b"GGUF"
    key_count: int | None = None
    tensor_count: int | None = None
    order: str = "<"

    def header(self) -> bytes:
        """Everything before the padding that precedes the data."""
        pairs = list(self.keys.items()) if isinstance(self.keys, Mapping) else list(self.keys)
        counts = (
            len(self.tensors) if self.tensor_count is None else self.tensor_count,
            len(pairs) if self.key_count is None else self.key_count,
        )
        parts = [self.magic, struct.pack(f"{self.order}IQQ", self.version, *counts)]
        for name, value in pairs:
            parts += [text(name, self.order), encode(value, self.order)]
        for tensor, offset in zip(self.tensors, self.offsets(), strict=True):
            parts.append(self._row(tensor, offset))
        return b"".join(parts)

    def offsets(self) -> list[int]:
        """Where each tensor's data begins, counted from the start of the data."""
        position, found = 0, []
        for tensor in self.tensors:
            if tensor.offset is not None:
                position = tensor.offset
            found.append(position)
            position = _aligned(position + tensor.bytes, self.alignment)
        return found

    @property
    def data_start(self) -> int:
        return _aligned(len(self.header()), self.alignment)

    @property
    def file_bytes(self) -> int:
        """Size of the right file: up to the end of the last tensor."""
        ends = [offset + tensor.bytes for tensor, offset in zip(self.tensors, self.offsets(), strict=True)]
        return self.data_start + max(ends, default=0)

    def write(self, path: Path, size: int | None = None) -> Path:
        """Write the file, its weights as a hole; ``size`` makes it shorter or longer than it should be."""
        path.write_bytes(self.header())
        with path.open("r+b") as file:
            file.truncate(self.file_bytes if size is None else size)
        return path

    def _row(self, tensor: Tensor, offset: int) -> bytes:
        raw = tensor.name.encode() if isinstance(tensor.name, str) else tensor.name
        length = len(raw) if tensor.name_length is None else tensor.name_length
        n_dims = len(tensor.dims) if tensor.n_dims is None else tensor.n_dims
        dims = struct.pack(f"{self.order}{len(tensor.dims)}Q", *tensor.dims)
        return (
            struct.pack(f"{self.order}Q", length)
            + raw
            + struct.pack(f"{self.order}I", n_dims)
            + dims
            + struct.pack(f"{self.order}IQ", tensor.type_id, offset)
        )


def text(value: str | bytes, order: str = "<") -> bytes:
    """A GGUF text: its length in 8 bytes, then the bytes."""
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack(f"{order}Q", len(raw)) + raw


def encode(value: object, order: str = "<") -> bytes:
    """A key's type number and value; plain Python values get the type that converters use."""
    if isinstance(value, Raw):
        return value.data
    if isinstance(value, TypedArray):
        count = len(value.items) if value.count is None else value.count
        return struct.pack(f"{order}IIQ", ARRAY, value.kind, count) + b"".join(
            _item(value.kind, item, order) for item in value.items
        )
    if isinstance(value, list | tuple):
        return encode(TypedArray(_kind(value[0]) if value else INT32, value), order)
    kind, bare = (value.kind, value.value) if isinstance(value, Typed) else (_kind(value), value)
    return struct.pack(f"{order}I", kind) + _item(kind, bare, order)


def vocabulary(texts: Iterable[str | bytes]) -> Raw:
    """An array of texts, packed fast enough for hundreds of thousands."""
    packed = [text(each) for each in texts]
    return Raw(struct.pack("<IIQ", ARRAY, STRING, len(packed)) + b"".join(packed))


def _item(kind: int, value: object, order: str) -> bytes:
    if kind == STRING:
        assert isinstance(value, str | bytes)
        return text(value, order)
    return struct.pack(order + _FORMATS[kind], value)


def _kind(value: object) -> int:
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT32 if value < 0 else UINT32 if value < 2**32 else UINT64
    return FLOAT32 if isinstance(value, float) else STRING


def _aligned(position: int, alignment: int) -> int:
    return -(-position // alignment) * alignment


def decoder(
    arch: str = "llama",
    *,
    layers: int = 2,
    embed: int = 64,
    heads: int = 4,
    kv_heads: int = 2,
    head_dim: int | None = None,
    ff: int = 128,
    vocab: int = 256,
    quant: str = "F16",
    head_quant: str | None = None,
    tied: bool = False,
    experts: int = 0,
    used: int = 0,
    expert_quant: str | None = None,
    keys: Mapping[str, object] | None = None,
    extra: Sequence[Tensor] = (),
    drop: Sequence[str] = (),
) -> Gguf:
    """A transformer decoder of the usual shape; ``keys`` are added or replaced, ``drop`` names tensors to leave out."""
    dim = head_dim or embed // heads
    head = head_quant or quant
    tensors = [Tensor("token_embd.weight", (embed, vocab), head), Tensor("output_norm.weight", (embed,))]
    if not tied:
        tensors.append(Tensor("output.weight", (embed, vocab), head))
    for i in range(layers):
        block = f"blk.{i}."
        tensors += [
            Tensor(f"{block}attn_norm.weight", (embed,)),
            Tensor(f"{block}attn_q.weight", (embed, heads * dim), quant),
            Tensor(f"{block}attn_k.weight", (embed, kv_heads * dim), quant),
            Tensor(f"{block}attn_v.weight", (embed, kv_heads * dim), quant),
            Tensor(f"{block}attn_output.weight", (heads * dim, embed), quant),
            Tensor(f"{block}ffn_norm.weight", (embed,)),
        ]
        shapes = {"gate": (embed, ff), "up": (embed, ff), "down": (ff, embed)}
        if experts:
            tensors.append(Tensor(f"{block}ffn_gate_inp.weight", (embed, experts)))
        for part, (inputs, outputs) in shapes.items():
            name = f"{block}ffn_{part}{'_exps' if experts else ''}.weight"
            dims = (inputs, outputs, experts) if experts else (inputs, outputs)
            tensors.append(Tensor(name, dims, (expert_quant or quant) if experts else quant))
    every_key: dict[str | bytes, object] = {
        "general.architecture": arch,
        f"{arch}.block_count": layers,
        f"{arch}.embedding_length": embed,
        f"{arch}.feed_forward_length": ff,
        f"{arch}.context_length": 4096,
        f"{arch}.attention.head_count": heads,
        f"{arch}.attention.head_count_kv": kv_heads,
    }
    if head_dim:
        every_key |= {f"{arch}.attention.key_length": head_dim, f"{arch}.attention.value_length": head_dim}
    if experts:
        every_key |= {f"{arch}.expert_count": experts, f"{arch}.expert_used_count": used}
    every_key |= keys or {}
    return Gguf(every_key, [t for t in (*tensors, *extra) if t.name not in drop])


def split(whole: Gguf, cuts: Sequence[int], stem: str, folder: Path, first_keys_only: bool = True) -> list[Path]:
    """Write a model as a set of files that ends after these numbers of tensors, as llama-gguf-split does."""
    bounds = [0, *cuts, len(whole.tensors)]
    count = len(bounds) - 1
    paths = []
    for number, (start, end) in enumerate(pairwise(bounds)):
        assert isinstance(whole.keys, Mapping)
        own: dict[str | bytes, object] = {
            "split.no": Typed(UINT16, number),
            "split.count": Typed(UINT16, count),
            "split.tensors.count": Typed(INT32, len(whole.tensors)),
        }
        keys: dict[str | bytes, object] = dict(whole.keys) if number == 0 or not first_keys_only else {}
        keys |= own
        path = folder / f"{stem}-{number + 1:05d}-of-{count:05d}.gguf"
        paths.append(Gguf(keys, whole.tensors[start:end]).write(path))
    return paths
