"""Models in several files."""

import shutil
from pathlib import Path

import pytest

from advisor.core.errors import BadFile
from advisor.gguf.architecture import read_model
from advisor.gguf.shards import read_files
from tests.support.gguf_builder import UINT16, Gguf, Tensor, Typed, decoder, split


def refusal(path: Path) -> BadFile:
    with pytest.raises(BadFile) as caught:
        read_model(path)
    assert Path(str(caught.value.fields["path"])).parent == path.parent
    return caught.value


def test_any_shard_opens_the_whole_set(tmp_path: Path) -> None:
    whole = decoder(layers=3)
    alone = read_model(whole.write(tmp_path / "whole.gguf"))
    paths = split(whole, [5, 12], "m", tmp_path)
    for path in paths:
        model = read_model(path)
        assert (model.parameters, model.weights_bytes) == (alone.parameters, alone.weights_bytes)
        assert (model.architecture, model.traffic, dict(model.types)) == ("llama", alone.traffic, dict(alone.types))
        assert model.file_bytes == sum(each.stat().st_size for each in paths)
        assert model.path == path


def test_a_first_shard_without_tensors(tmp_path: Path) -> None:
    whole = decoder()
    paths = split(whole, [0], "m", tmp_path)
    assert read_files(paths[0]).shards == 2
    assert len(read_files(paths[0]).tensors) == len(whole.tensors)
    assert read_model(paths[0]).has_decode


def test_missing_shards_are_named(tmp_path: Path) -> None:
    paths = split(decoder(), [2, 4, 6, 8], "big", tmp_path)
    for path in (paths[0], paths[2]):
        path.unlink()
    error = refusal(paths[1])
    assert "2 of them are missing: big-00001-of-00005.gguf, big-00003-of-00005.gguf." in error.sentence
    assert error.fields["missing"] == ["big-00001-of-00005.gguf", "big-00003-of-00005.gguf"]


def test_many_missing_shards_are_counted(tmp_path: Path) -> None:
    paths = split(decoder(), [2, 4, 6, 8], "big", tmp_path)
    for path in paths[1:]:
        path.unlink()
    assert refusal(paths[0]).sentence.endswith("big-00004-of-00005.gguf and 1 more.")


def test_a_renamed_shard(tmp_path: Path) -> None:
    path = split(decoder(), [2], "m", tmp_path)[0].rename(tmp_path / "renamed.gguf")
    assert "its name does not say which" in refusal(path).sentence


def test_a_name_that_contradicts_the_header(tmp_path: Path) -> None:
    path = split(decoder(), [2], "m", tmp_path)[0].rename(tmp_path / "m-00001-of-00003.gguf")
    assert "one of 2 files" in refusal(path).sentence


def test_siblings_are_looked_for_beside_the_link(tmp_path: Path) -> None:
    blobs, links = tmp_path / "blobs", tmp_path / "links"
    blobs.mkdir()
    links.mkdir()
    for number, path in enumerate(split(decoder(), [4], "m", tmp_path)):
        shutil.move(path, blobs / f"sha{number}")
        (links / path.name).symlink_to(blobs / f"sha{number}")
    assert read_model(links / "m-00002-of-00002.gguf").has_decode


def test_a_set_of_one_file_needs_no_siblings(tmp_path: Path) -> None:
    path = split(decoder(), [], "m", tmp_path)[0].rename(tmp_path / "any name.gguf")
    assert read_files(path).shards == 1


def test_an_incomplete_sibling_is_the_one_that_is_named(tmp_path: Path) -> None:
    paths = split(decoder(), [4], "m", tmp_path)
    paths[1].write_bytes(paths[1].read_bytes()[:100])
    assert refusal(paths[0]).sentence.startswith("m-00002-of-00002.gguf ends inside")


def test_files_of_different_sets(tmp_path: Path) -> None:
    paths = split(decoder(), [4], "m", tmp_path)
    split(decoder(layers=3), [4], "other", tmp_path)[1].replace(paths[1])
    assert "declares 21 tensors, and the 2 files hold" in refusal(paths[0]).sentence


def test_a_tensor_in_two_files(tmp_path: Path) -> None:
    keys = {"split.count": Typed(UINT16, 2)}
    for number in (1, 2):
        Gguf(keys, [Tensor("x", (4,))]).write(tmp_path / f"m-0000{number}-of-00002.gguf")
    assert "hold a tensor twice" in refusal(tmp_path / "m-00001-of-00002.gguf").sentence


def test_an_absurd_number_of_files(tmp_path: Path) -> None:
    path = Gguf({"split.count": Typed(UINT16, 65_535)}).write(tmp_path / "m-00001-of-65535.gguf")
    assert "65,535 files" in refusal(path).sentence
