"""Models with random weights, of any shape and mix of types, that the engine runs like real ones."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from advisor.gguf.header import TensorInfo
from advisor.rehearsal.stand_in import Pieces
from tests.support.byte_vocabulary import byte_vocabulary
from tests.support.gguf_builder import Gguf, Tensor, decoder


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
    pieces = Pieces()
    with path.open("wb") as out:
        out.write(made.header())
        for tensor, offset in zip(made.tensors, made.offsets(), strict=True):
            piece = pieces.of(TensorInfo(str(tensor.name), tuple(tensor.dims), tensor.type_id, 0, tensor.bytes))
            out.seek(made.data_start + offset)
            left = tensor.bytes
            while left:
                left -= out.write(piece[:left])
        out.truncate(made.file_bytes)
    return path
