"""Why llama.cpp did not load a model, from its own log lines; for whichever program printed them.

Any Python that can run llama_cpp runs this: standard library and plain types only.
"""

from typing import NamedTuple, Sequence  # noqa: UP035 (older Pythons run this file)

from advisor.benchmarks import protocol


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
    if "unknown model architecture" in text:
        return LoadFailure(
            "unknown_architecture",
            f"The file is fine, but this engine does not know its architecture ({reason or 'unknown'}).",
            update,
        )
    if "invalid ggml type" in text:
        number = text.split("invalid ggml type", 1)[1].split(".")[0].strip()
        return LoadFailure(
            "unknown_type", f"The file is fine, but this engine does not know its tensor type {number}.", update
        )
    if "unknown pre-tokenizer type" in text:
        kind = text.split("unknown pre-tokenizer type", 1)[1].splitlines()[0].strip(": '\"")
        return LoadFailure(
            "unknown_tokenizer", f"The file is fine, but this engine does not know its tokenizer ({kind}).", update
        )
    if protocol.tells_of_memory_shortage(lines):
        return LoadFailure(
            "out_of_memory",
            "The model does not fit into the free memory.",
            "Close other programs, or use a smaller model or quantisation.",
        )
    return LoadFailure(
        "load_failed",
        f"The engine could not load the model{': ' + reason if reason else ''}.",
        "The file may be damaged, or newer than this engine.",
    )
