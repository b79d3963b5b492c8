"""A model of 700 kB that exercises what the engine does with weights, written when it is needed.

One layer of the llama architecture without a vocabulary, its matrices in the types that engines keep in layouts of
their own (repacked for the CPU, tiles for AMX), with sides that those layouts take: multiples of 256. Its answers mean
nothing.
Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import struct
from pathlib import Path
from typing import Final, NamedTuple

_SIDE: Final = 256
_WIDE: Final = 512
_WORDS: Final = 512
_HEADS: Final = 4

_UINT32, _FLOAT32, _STRING = 4, 6, 8
_SCALE: Final = struct.pack("<e", 0.004)
"""Small, so that products of 256 stay near 1."""
_ALIGNMENT: Final = 32


class _Type(NamedTuple):
    """A tensor type: its number, elements per block, and one block's bytes, which are repeated."""

    number: int
    elements: int
    block: bytes


_F32: Final = _Type(0, 1, struct.pack("<f", 1.0))
_Q4_0: Final = _Type(2, 32, _SCALE + bytes(range(0x80, 0x90)))
_Q8_0: Final = _Type(8, 32, _SCALE + bytes(range(112, 128)) + bytes(range(16)))
_Q4_K: Final = _Type(12, 256, _SCALE + _SCALE + bytes([0x11] * 12) + bytes(range(128)))
_Q6_K: Final = _Type(14, 256, bytes(range(192)) + bytes([1] * 16) + _SCALE)

_TENSORS: Final = (
    ("token_embd.weight", (_SIDE, _WORDS), _Q8_0),
    ("output_norm.weight", (_SIDE,), _F32),
    ("output.weight", (_SIDE, _WORDS), _Q6_K),
    ("blk.0.attn_norm.weight", (_SIDE,), _F32),
    ("blk.0.attn_q.weight", (_SIDE, _SIDE), _Q4_K),
    ("blk.0.attn_k.weight", (_SIDE, _SIDE), _Q4_0),
    ("blk.0.attn_v.weight", (_SIDE, _SIDE), _Q8_0),
    ("blk.0.attn_output.weight", (_SIDE, _SIDE), _Q4_K),
    ("blk.0.ffn_norm.weight", (_SIDE,), _F32),
    ("blk.0.ffn_gate.weight", (_SIDE, _WIDE), _Q4_K),
    ("blk.0.ffn_up.weight", (_SIDE, _WIDE), _Q4_0),
    ("blk.0.ffn_down.weight", (_WIDE, _SIDE), _Q8_0),
)
_KEYS: Final[tuple[tuple[str, str | int | float], ...]] = (
    ("general.architecture", "llama"),
    ("llama.block_count", 1),
    ("llama.context_length", 512),
    ("llama.embedding_length", _SIDE),
    ("llama.feed_forward_length", _WIDE),
    ("llama.attention.head_count", _HEADS),
    ("llama.attention.head_count_kv", _HEADS),
    ("llama.attention.layer_norm_rms_epsilon", 1e-5),
    ("llama.vocab_size", _WORDS),
    ("tokenizer.ggml.model", "no_vocab"),
)


def write(path: Path) -> Path:
    """Write the model; raises OSError where that is not possible."""
    path.write_bytes(_model())
    return path


def _model() -> bytes:
    header = [b"GGUF", struct.pack("<IQQ", 3, len(_TENSORS), len(_KEYS))]
    header += [_text(name) + _value(value) for name, value in _KEYS]
    data: list[bytes] = []
    position = 0
    for name, sides, kind in _TENSORS:
        blocks = sides[0] * (sides[1] if len(sides) > 1 else 1) // kind.elements
        weights = kind.block * blocks
        shape = struct.pack(f"<I{len(sides)}Q", len(sides), *sides)
        header.append(_text(name) + shape + struct.pack("<IQ", kind.number, position))
        data.append(_padded(weights))
        position += len(data[-1])
    return _padded(b"".join(header)) + b"".join(data)


def _text(words: str) -> bytes:
    return struct.pack("<Q", len(words)) + words.encode()


def _value(value: str | int | float) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", _STRING) + _text(value)
    if isinstance(value, int):
        return struct.pack("<II", _UINT32, value)
    return struct.pack("<If", _FLOAT32, value)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _ALIGNMENT)
