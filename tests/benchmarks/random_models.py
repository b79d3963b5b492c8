"""Models with random weights, of any shape and mix of types, that the engine runs like real ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy

from tests.support.byte_vocabulary import byte_vocabulary
from tests.support.gguf_builder import TYPE_IDS, Gguf, Tensor, decoder

_BLOCKS = 8192
_random = numpy.random.default_rng(1)


@dataclass(frozen=True)
class Recipe:
    """A decoder to be written; ``types`` replaces the type of tensors whose name contains the key."""

    name: str
    quant: str
    layers: int = 12
    embed: int = 1024
    heads: int = 16
    kv_heads: int = 4
    ff: int = 4096
    vocab: int = 32000
    head: str = ""
    tied: bool = False
    experts: int = 0
    used: int = 0
    types: Mapping[str, str] = field(default_factory=dict)
    reads_text: bool = False
    """Whether it gets a tokenizer (of single bytes)."""

    def file(self) -> Gguf:
        made = decoder(
            layers=self.layers, embed=self.embed, heads=self.heads, kv_heads=self.kv_heads, ff=self.ff,
            vocab=self.vocab, quant=self.quant, head_quant=self.head or self.quant, tied=self.tied,
            experts=self.experts, used=self.used,
            keys={
                "tokenizer.ggml.model": "no_vocab", "llama.vocab_size": self.vocab, "llama.context_length": 8192,
                "llama.attention.layer_norm_rms_epsilon": 1e-5, "llama.rope.dimension_count": self.embed // self.heads,
                **(byte_vocabulary(self.vocab) if self.reads_text else {}),
            },
        )  # fmt: skip
        return replace(made, tensors=[self._typed(tensor) for tensor in made.tensors])

    def _typed(self, tensor: Tensor) -> Tensor:
        for part, other in self.types.items():
            if part in str(tensor.name):
                return replace(tensor, type=other)
        return tensor


def write(recipe: Recipe, folder: Path) -> Path:
    """The model's file; one that is there already is taken as it is."""
    path = folder / f"{recipe.name}.gguf"
    made = recipe.file()
    if path.exists() and path.stat().st_size == made.file_bytes:
        return path
    patterns: dict[str, bytes] = {}
    with path.open("wb") as out:
        out.write(made.header())
        for tensor, offset in zip(made.tensors, made.offsets(), strict=True):
            kind = str(tensor.type)
            if len(tensor.dims) == 1:
                kind = "last norm" if str(tensor.name).startswith("output") else "norm"
            pattern = patterns.setdefault(kind, _MAKERS[kind]())
            out.seek(made.data_start + offset)
            left = tensor.bytes
            while left:
                out.write(pattern[:left])
                left -= min(left, len(pattern))
        out.truncate(made.file_bytes)
    return path


def _blocks(kind: str, scales: Mapping[int, float], fixed: Mapping[int, int] | None = None) -> bytes:
    """Random blocks with half floats at the given offsets, so that no weight is infinite, and some bytes as given.

    Weights spread by 0.01 to 0.02 about zero. With a mean of their own every query would match every key hundreds of
    times as strongly as in a trained model, and exponentials that vanish take the processor twice as long (attention
    at depth 4,096 took 4.6 ms in place of 2.6 ms, 2026-11-30).
    """
    blocks = _random.integers(0, 256, (_BLOCKS, TYPE_IDS[kind][2]), dtype=numpy.uint8)
    for offset, byte in (fixed or {}).items():
        blocks[:, offset] = byte
    for offset, scale in scales.items():
        half = numpy.full(_BLOCKS, scale, dtype=numpy.float16).view(numpy.uint8).reshape(_BLOCKS, 2)
        blocks[:, offset : offset + 2] = half
    return blocks.tobytes()


def _floats(kind: Any, mean: float = 0.0, spread: float = 0.02) -> bytes:
    return bytes((mean + _random.standard_normal(1 << 20) * spread).astype(kind).tobytes())


_MAKERS: dict[str, Callable[[], bytes]] = {
    "norm": lambda: _floats(numpy.float32, 2.0, 0.25),
    "last norm": lambda: _floats(numpy.float32, 4.0, 0.5),  # so that some next words are much likelier than others
    "F32": lambda: _floats(numpy.float32),
    "F16": lambda: _floats(numpy.float16),
    "Q8_0": lambda: _blocks("Q8_0", {0: 2e-4}),
    "Q4_0": lambda: _blocks("Q4_0", {0: 4e-3}),
    # every sub-block's scale and minimum are 32, and the minimum lies in the middle of the sixteen steps
    "Q4_K": lambda: _blocks("Q4_K", {0: 1.4e-4, 2: 7.5 * 1.4e-4}, {at: 0xA0 if at < 12 else 0 for at in range(4, 16)}),
    "Q6_K": lambda: _blocks("Q6_K", {208: 1e-5}),
}
