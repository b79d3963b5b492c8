"""Files that cannot answer a prompt token by token: what they are, and what can be done with them, for ``tr``."""

from collections.abc import Mapping
from types import MappingProxyType

from advisor.core.translation import marked

_ENCODER = marked(
    "it is an encoder: it turns text into vectors (llama-embedding, or llama-server --embedding) and writes none, so "
    "there is no decode phase to measure"
)
_DIFFUSION = marked("it is a diffusion model: it writes all tokens at once in several passes and has no decode phase")
_DRAFT = marked("it is a draft head that only works beside its main model")
_PROJECTOR = marked("it is the vision or audio part of a model; pick the main file beside it")
_AUDIO = marked("it makes sound, not text, so there is no decode phase to measure")

WITHOUT_DECODE: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            (
                "bert", "eurobert", "gemma-embedding", "jina-bert-v2", "jina-bert-v3", "llama-embed", "modern-bert",
                "neo-bert", "nomic-bert", "nomic-bert-moe", "t5encoder",
            ),
            _ENCODER,
        ),
        **dict.fromkeys(("dream", "llada", "llada-moe", "rnd1"), _DIFFUSION),
        **dict.fromkeys(("dflash", "eagle3", "gemma4-assistant"), _DRAFT),
        "clip": _PROJECTOR,
        "pockettts": _AUDIO,
        "wavtokenizer-dec": _AUDIO,
        "controlvector": marked("it is a control vector, an addition to a model and no model itself"),
        "imatrix": marked("it is an importance matrix, an aid for quantising and no model"),
    }
)  # fmt: skip
"""Architectures that cannot answer a prompt token by token -> what they are, as a clause."""

TYPES_WITHOUT_DECODE: Mapping[str, str] = MappingProxyType(
    {
        "adapter": marked("it is an adapter (LoRA), an addition to a model and no model itself; pick its base model"),
        "imatrix": WITHOUT_DECODE["imatrix"],
        "mmproj": _PROJECTOR,
        "clip-vision": _PROJECTOR,
        "vocab": marked("it holds a vocabulary only, no weights; it can count tokens and nothing else"),
    }
)
"""The same for ``general.type``."""

BIG_ENDIAN = marked(
    "it is a big-endian file, made for another kind of processor, and cannot run here; get the usual little-endian "
    "file, or convert it with gguf-convert-endian"
)
"""The same for a file of the other byte order."""
