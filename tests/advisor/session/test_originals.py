"""Finding the file that a quantised model was made from."""

import pytest

from advisor.gguf.architecture import read_model
from advisor.gguf.discover.model import FoundModel, Source
from advisor.session.originals import bare_name, original_of
from tests.support.gguf_builder import decoder


@pytest.mark.parametrize(
    "name",
    ["Llama-3.1-8B-Instruct-Q4_K_M", "llama-3.1-8b-instruct.F16", "Llama-3.1-8B-Instruct", "llama-3.1-8b-instruct-fp16",
     "Llama-3.1-8B-Instruct-bf16-00001-of-00002", "Llama-3.1-8B-Instruct-IQ4_XS"],
)  # fmt: skip
def test_names_of_one_model_are_the_same_without_their_quantisation(name) -> None:
    assert bare_name(name) == "llama-3.1-8b-instruct"


@pytest.mark.parametrize("name", ["Llama-3.1-8B-Q4_K_M", "Llama-3.1-70B-Instruct-F16"])
def test_other_models_keep_other_names(name) -> None:
    assert bare_name(name) != "llama-3.1-8b-instruct"


def found(path, missing=0) -> FoundModel:
    return FoundModel(path.stem, path, path.stat().st_size, Source.FOLDER, 2 if missing else 1, missing)


def test_the_unquantised_file_of_the_same_model_is_found(tmp_path) -> None:
    mine = read_model(decoder(quant="Q8_0").write(tmp_path / "Tiny-Q8_0.gguf"))
    right = decoder(quant="F16").write(tmp_path / "tiny-f16.gguf")
    other = decoder(quant="F16", layers=3).write(tmp_path / "Tiny-F32.gguf")
    unrelated = decoder(quant="F16").write(tmp_path / "Other-F16.gguf")
    damaged = tmp_path / "Tiny-BF16.gguf"
    damaged.write_bytes(b"no model" * 100_000)
    there = [found(path) for path in (other, unrelated, damaged, right)]
    original = original_of(mine, there)
    assert original is not None
    assert original.path == right
    assert original_of(mine, [found(right, missing=1)]) is None
    assert original_of(mine, [found(path) for path in (other, unrelated)]) is None
