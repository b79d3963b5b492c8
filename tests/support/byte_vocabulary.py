"""A tokenizer of single bytes, so that models with random weights can read any text."""

from tests.support.gguf_builder import FLOAT32, INT32, TypedArray, vocabulary

_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6
"""LLAMA_TOKEN_TYPE of llama.h."""


def byte_vocabulary(size: int = 512) -> dict[str, object]:
    """Keys of a SentencePiece vocabulary of ``size`` tokens, at least 259: three control tokens, 256 bytes, filling."""
    special = ["<unk>", "<s>", "</s>"]
    filling = [f"<filling {number}>" for number in range(size - 259)]
    kinds = [_UNKNOWN, _CONTROL, _CONTROL, *[_BYTE] * 256, *[_NORMAL] * len(filling)]
    return {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": vocabulary([*special, *(f"<0x{byte:02X}>" for byte in range(256)), *filling]),
        "tokenizer.ggml.scores": TypedArray(FLOAT32, [0.0] * size),
        "tokenizer.ggml.token_type": TypedArray(INT32, kinds),
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.add_bos_token": True,
    }
