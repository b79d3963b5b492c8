"""Inputs to begin with: every architecture family, the case list's oddities, sets of files, and noise."""

import struct
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.fuzz import searching, world
from tests.support.families import FAMILIES
from tests.support.gguf_builder import (
    ARRAY,
    BOOL,
    FLOAT64,
    INT16,
    STRING,
    UINT8,
    UINT32,
    Gguf,
    Raw,
    Tensor,
    Typed,
    TypedArray,
    decoder,
    split,
    vocabulary,
)

X = Tensor("x", (4,))


def families() -> list[bytes]:
    """One tiny model of every architecture family; every seventh in the other byte order as well."""
    files = [make() for make in FAMILIES.values()]
    turned = [Gguf(file.keys, file.tensors, order=">") for file in files[::7]]
    return [world.whole(file) for file in (*files, *turned)]


def cases() -> list[bytes]:
    """Files of the case list (right, odd and broken ones)."""
    files = [
        Gguf(),
        Gguf(version=2),
        Gguf(magic=b"FUGG"),
        Gguf(version=1),
        Gguf(key_count=2**32),
        Gguf(key_count=60_000),
        Gguf(tensor_count=2**63),
        Gguf({"": 1}),
        Gguf([("a", 1), ("a", 2)]),
        Gguf({"a": Raw(struct.pack("<IIQ", ARRAY, ARRAY, 1) + bytes(64))}),
        Gguf({"a": TypedArray(STRING, [], count=2**63)}),
        Gguf({"a": TypedArray(UINT32, [], count=2**64 - 1)}),
        Gguf({"a": TypedArray(STRING, [], count=2**22)}),
        Gguf({"a": Raw(struct.pack("<IQ", STRING, 2**63))}),
        Gguf({"general.alignment": 1}, [X], alignment=1),
        Gguf({"general.alignment": 0}, [X]),
        Gguf({"general.alignment": 24}, [X]),
        Gguf({}, [Tensor("n" * 63, (4,))]),
        Gguf({}, [Tensor("x", (2**32, 2**32))]),
        Gguf({}, [Tensor("x", (0, 4))]),
        Gguf({}, [Tensor("x", (64,)), Tensor("y", (4,), offset=32)]),
        Gguf({}, [Tensor("x", (0x7FFFFFFFFFFFFFC0,), "I8"), Tensor("y", (0x7FFFFFFFFFFFFFC0,), "I8")]),
        Gguf({"real": Typed(FLOAT64, 0.1), "signed": TypedArray(INT16, [-1, 2]), "words": ["a", "bc"]}, [X]),
        Gguf({"real": float("nan"), "flags": TypedArray(BOOL, [True]), "bytes": TypedArray(UINT8, [7] * 1025)}, [X]),
        Gguf({"tokenizer.ggml.tokens": vocabulary(["abc"] * 600)}, [X]),
        Gguf({"general.architecture": "clip", "general.type": "mmproj"}, [X]),
        Gguf({"general.architecture": "llama", "general.type": "adapter", "general.base_model.0.name": "B"}, [X]),
        Gguf({"general.architecture": "brand-new", "brand-new.block_count": 2}, [X]),
        decoder(keys={"general.size_label": "29.6B", "general.file_type": 15, "tokenizer.ggml.tokens": ["a", "b"]}),
        decoder(extra=[Tensor("blk.0.ffn_up.scale", (1,), 153)]),
        decoder("qwen3moe", experts=256, used=8, layers=1, quant="Q8_0", ff=32),
        decoder(keys={"general.name": "n" * 500, "general.file_type": 1024 + 7}),
    ]
    return [world.whole(file) for file in files]


def sets() -> list[bytes]:
    """Models in several files, one of them with a first file that holds no tensors."""
    found = []
    with TemporaryDirectory() as folder:
        for cuts in ([4], [3, 9], [0]):
            paths = split(decoder(), cuts, "m", Path(folder))
            found.append(world.packed([path.read_bytes()[: 2**13] for path in paths]))
    return found


def noise(random: Random) -> list[bytes]:
    """Bytes of chance, most of them behind the right magic."""
    heads = (b"", b"GGUF", b"GGUF\x03\0\0\0", b"GGUF\0\0\0\x03", struct.pack("<4sIQQ", b"GGUF", 3, 1, 2))
    return [world.packed([head + random.randbytes(random.randrange(600))]) for head in heads for _ in range(8)]


def everything() -> list[bytes]:
    """All of it."""
    return [*families(), *cases(), *sets(), *noise(Random(1)), *searching.stock()]
