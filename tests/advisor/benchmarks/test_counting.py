"""A prompt file counted in a child: what is refused beforehand, and what a child may answer."""

import os
import sys
from pathlib import Path

import pytest

from advisor.benchmarks.engines import counting
from advisor.benchmarks.engines.counting import check_text, count_tokens
from advisor.core.errors import BadFile, Cancelled, EngineError
from advisor.core.progress import CancelToken
from tests.support.children import bad_child
from tests.support.families_dense import phi2
from tests.support.sample import sample_path


@pytest.mark.parametrize(("content", "word"), [
    (b"", "empty"), (b" \n\t\n", "empty"), (b"GGUF\0\0\0\3", "binary"), ("Zürich".encode("latin-1"), "UTF-8"),
    ("words".encode("utf-16"), "binary"),
])
def test_what_is_no_prompt_is_said_in_a_sentence(content: bytes, word: str, tmp_path: Path) -> None:
    path = tmp_path / "prompt.txt"
    path.write_bytes(content)
    with pytest.raises(BadFile, match=word) as caught:
        check_text(path)
    assert caught.value.sentence.startswith("prompt.txt ")
    assert caught.value.sentence.endswith(".")


def test_too_much_is_refused_without_being_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        file.truncate(counting.MOST_BYTES + 1)
    with pytest.raises(BadFile, match="more than any model reads at once"):
        check_text(path)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"gone\.txt cannot be read"):
        check_text(tmp_path / "gone.txt")
    with pytest.raises(BadFile, match="is a folder"):
        check_text(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_that_nobody_writes_to_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadFile, match="no ordinary file"):
        check_text(tmp_path / "pipe")


@pytest.mark.skipif(sys.platform == "win32", reason="the bad child plays POSIX signals")
@pytest.mark.parametrize("mode", ["good", "failure", "crash-always"])
def test_an_answer_that_is_none_is_an_error_of_the_engine(mode: str, tmp_path: Path) -> None:
    path = tmp_path / "prompt.txt"
    path.write_text("words")
    with pytest.raises(EngineError):
        count_tokens(tmp_path / "model.gguf", path, CancelToken(), bad_child(mode))


def test_stopping_is_not_an_error_of_the_engine(tmp_path: Path) -> None:
    path, cancel = tmp_path / "prompt.txt", CancelToken()
    path.write_text("words")
    cancel.cancel()
    with pytest.raises(Cancelled):
        count_tokens(tmp_path / "model.gguf", path, cancel)


@pytest.mark.engine
def test_the_models_own_tokenizer_counts(tmp_path: Path) -> None:
    path = tmp_path / "prompt.txt"
    path.write_text("The quick brown fox jumps over the lazy dog. " * 200, encoding="utf-8")
    once = count_tokens(sample_path(), path, CancelToken())
    assert once.tokens == 2 + 10 * 200  # ten tokens a sentence, the one that opens a text, and the last space
    assert once.characters == 9_000
    assert once.tokenise_s > 0
    path.write_text("\ufeffÄpfel 🍎 und <start_of_turn>", encoding="utf-8")
    assert 4 < count_tokens(sample_path(), path, CancelToken()).tokens < 20


@pytest.mark.engine
def test_a_model_without_a_tokenizer_says_so(tmp_path: Path) -> None:
    model, path = phi2().write(tmp_path / "model.gguf"), tmp_path / "prompt.txt"
    path.write_text("words")
    with pytest.raises(EngineError, match="has no tokenizer"):
        count_tokens(model, path, CancelToken())
