"""Bytes flipped and cut: the only outcomes are facts and ``BadFile``."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.core.errors import BadFile
from advisor.gguf.architecture import read_model
from advisor.gguf.memory import memory_needed
from advisor.gguf.model import ModelFacts
from tests.support.gguf_builder import Gguf, Tensor, decoder, vocabulary

SAMPLE_HEAD_BYTES = 4096


def outcome(content: bytes, size: int | None = None) -> ModelFacts | None:
    """Facts, or None for a refusal; anything else escapes."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.gguf"
        path.write_bytes(content)
        if size is not None:
            with path.open("r+b") as file:
                file.truncate(size)
        try:
            model = read_model(path)
        except BadFile as error:
            assert error.sentence.endswith(".")
            return None
        memory_needed(model, 4096)
        return model


def whole(file: Gguf) -> bytes:
    return file.header().ljust(file.file_bytes, b"\0")


BASES = {
    "dense": whole(decoder(layers=1, keys={"tokenizer.ggml.tokens": ["a", "bc"]})),
    "experts": whole(decoder("qwen3moe", layers=1, experts=4, used=2)),
    "windows": whole(decoder("gemma3", layers=3, tied=True, keys={"gemma3.attention.sliding_window": 8})),
    "vocabulary": whole(Gguf({"tokenizer.ggml.tokens": vocabulary(["abc"] * 600)}, [Tensor("x", (4,))])),
    "nothing": Gguf().header(),
}

changes = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=8)


@pytest.mark.parametrize("base", BASES)
@settings(max_examples=150, deadline=None)
@given(changes=changes, keep=st.floats(0, 1))
def test_built_headers(base: str, changes: list[tuple[float, int]], keep: float) -> None:
    content = bytearray(BASES[base])
    # the first bytes hold the counts and most of the structure, so that is where most changes go
    for where, value in changes:
        content[int(where * where * len(content))] = value
    outcome(bytes(content[: round(len(content) * keep**0.2)]))


@pytest.mark.parametrize("base", BASES)
@settings(max_examples=100, deadline=None)
@given(where=st.floats(0, 1, exclude_max=True), number=st.sampled_from([0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1]))
def test_eight_bytes_become_a_hostile_number(base: str, where: float, number: int) -> None:
    content = bytearray(BASES[base])
    start = int(where * max(len(content) - 8, 1))
    content[start : start + 8] = number.to_bytes(8, "little")
    # a sparse gigabyte behind the header must not invite to read it
    outcome(bytes(content), size=2**30)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=600).map(lambda data: b"GGUF\x03\x00\x00\x00" + data))
def test_noise_behind_the_magic(content: bytes) -> None:
    outcome(content)


@settings(deadline=None)
@given(st.binary(max_size=600))
def test_noise(content: bytes) -> None:
    assert outcome(content) is None or content.startswith(b"GGUF")


@pytest.fixture(scope="session")
def sample_head(sample: Path) -> Callable[[], bytearray]:
    with sample.open("rb") as file:
        head = file.read(SAMPLE_HEAD_BYTES)
    return lambda: bytearray(head)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=changes, size=st.sampled_from([None, 253_113_024]))
def test_the_samples_first_bytes(
    sample_head: Callable[[], bytearray], changes: list[tuple[float, int]], size: int | None
) -> None:
    content = sample_head()
    for where, value in changes:
        content[int(where * len(content))] = value
    outcome(bytes(content), size)
