"""Why llama.cpp did not load a model, from its own log lines; for whichever program printed them.

Any Python that can run llama_cpp runs this: standard library and plain types only.
"""

import re
from typing import NamedTuple, Sequence  # noqa: UP035 (older Pythons run this file)

from advisor.benchmarks import protocol

_ARCHITECTURE = re.compile(r"unknown model architecture:?\s*'?([^'\n]+)'?")
_TYPE = re.compile(r"invalid ggml type\s+(-?\d+)")
_TOKENIZER = re.compile(r"unknown (?:pre-)?tokenizer(?: type)?:?\s*'?([^'\n]+)'?")
_NOT_OPENED = re.compile(r"failed to open (?:GGUF file|.*\.gguf|model)|CreateFile\w* failed", re.IGNORECASE)


class LoadFailure(NamedTuple):
    """A failure of loading: a code for programs, a sentence and a hint for people."""

    code: str
    sentence: str
    hint: str


def load_failure(lines: Sequence[str], update: str) -> LoadFailure:
    """What the lines mean; ``update`` is the hint for an engine that is too old."""
    text = "\n".join(lines)
    reason = next(
        (line.split("error loading model:", 1)[1].strip() for line in lines if "error loading model:" in line), ""
    )
    architecture, number, kind = (pattern.search(text) for pattern in (_ARCHITECTURE, _TYPE, _TOKENIZER))
    if architecture:
        return LoadFailure(
            "unknown_architecture",
            f"The file is fine, but this engine does not know its architecture ({architecture[1].strip()}).",
            update,
        )
    if number:
        return LoadFailure(
            "unknown_type", f"The file is fine, but this engine does not know its tensor type {number[1]}.", update
        )
    if kind:
        return LoadFailure(
            "unknown_tokenizer", f"The file is fine, but this engine does not know its tokenizer ({kind[1].strip()}).",
            update,
        )  # fmt: skip
    if protocol.tells_of_memory_shortage(lines):
        return LoadFailure(
            "out_of_memory",
            "The model does not fit into the free memory.",
            "Close other programs, or use a smaller model or quantisation.",
        )
    if _NOT_OPENED.search(text):
        return LoadFailure(
            "not_opened",
            "The engine could not open the file, although this program can read it.",
            "Move it to a folder with a short name of plain letters, and check that no other program holds it.",
        )
    return LoadFailure(
        "load_failed",
        f"The engine could not load the model{': ' + reason if reason else ''}.",
        "The file may be damaged, or newer than this engine.",
    )
