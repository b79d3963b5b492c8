"""Files that break other readers: byte order, links and blobs, long and foreign names, parts of a model."""

import os
from pathlib import Path

import pytest

from advisor.core.errors import BadFile
from advisor.core.evidence import Missing, Unknown
from advisor.gguf.architecture import read_model
from advisor.gguf.header import ArrayInfo
from advisor.gguf.reader import read_header
from tests.support.gguf_builder import FLOAT64, INT16, Gguf, Tensor, Typed, TypedArray, decoder, split


def big_endian(file: Gguf) -> Gguf:
    return Gguf(file.keys, file.tensors, order=">")


def test_a_big_endian_file_is_shown_though_it_cannot_run(tmp_path: Path) -> None:
    file = decoder(keys={"general.name": "Other", "general.file_type": 1})
    usual, other = read_model(file.write(tmp_path / "a.gguf")), read_model(big_endian(file).write(tmp_path / "b.gguf"))
    assert (other.name, other.architecture, other.label) == ("Other", "llama", usual.label)
    assert (other.parameters, other.weights_bytes, dict(other.types)) == (
        usual.parameters,
        usual.weights_bytes,
        dict(usual.types),
    )
    assert (other.layers, other.kv_heads, other.context_length) == (usual.layers, usual.kv_heads, usual.context_length)
    assert not other.has_decode
    assert isinstance(other.traffic, Unknown)
    assert other.traffic.kind is Missing.NOT_APPLICABLE
    assert "big-endian" in other.notes[0]
    assert "convert" in other.notes[0]


def test_every_kind_of_value_the_other_way_round(tmp_path: Path) -> None:
    keys: dict[str | bytes, object] = {
        "real": Typed(FLOAT64, 0.1),
        "signed": TypedArray(INT16, [-1, 2]),
        "large": 2**63 + 1,
        "words": ["a", "bc"],
        "tokenizer.ggml.tokens": [f"token {i}" for i in range(2000)],
        "after": 5,
    }
    header = read_header(Gguf(keys, [Tensor("x", (32, 3), "Q8_0")], order=">").write(tmp_path / "m.gguf"))
    assert header.big_endian
    assert header.version == 3
    assert dict(header.keys) == {
        "real": 0.1,
        "signed": (-1, 2),
        "large": 2**63 + 1,
        "words": ("a", "bc"),
        "tokenizer.ggml.tokens": ArrayInfo("string", 2000),
        "after": 5,
    }
    assert [(t.dims, t.bytes) for t in header.tensors] == [((32, 3), 102)]


def test_a_blob_without_an_ending_keeps_its_name_until_it_has_a_better_one(tmp_path: Path) -> None:
    blob = decoder().write(tmp_path / "sha256-0123abcd")
    assert read_model(blob).name == "sha256-0123abcd"
    assert read_model(decoder(keys={"general.name": "Nice"}).write(blob)).name == "Nice"


def test_a_cache_link_keeps_its_nice_name(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    snapshot = tmp_path / "snapshots" / "0a1b"
    snapshot.mkdir(parents=True)
    decoder().write(tmp_path / "blobs" / "6f00")
    link = snapshot / "Nice-Model-Q8_0.gguf"
    link.symlink_to(Path("../../blobs/6f00"))
    model = read_model(link)
    assert (model.name, model.path) == ("Nice-Model-Q8_0", link)


def test_a_set_of_links_whose_blobs_lie_apart(tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    for number, path in enumerate(split(decoder(), [4, 8], "m", tmp_path)):
        blob = tmp_path / f"blob{number}" / f"{number:064x}"
        blob.parent.mkdir()
        path.rename(blob)
        (tmp_path / "links" / path.name).symlink_to(blob)
    first, last = (read_model(tmp_path / "links" / f"m-0000{n}-of-00003.gguf") for n in (1, 3))
    assert first.parameters == last.parameters
    assert first.file_bytes == last.file_bytes


def test_a_link_to_nothing(tmp_path: Path) -> None:
    link = tmp_path / "m.gguf"
    link.symlink_to(tmp_path / "gone")
    with pytest.raises(BadFile, match=r"m\.gguf is a link to a file that is gone\."):
        read_model(link)


@pytest.mark.parametrize("folder", ["Загрузки", "田中　", "a b'c\"", "Ünïcödé", "🦙", "x" * 200])
def test_names_in_any_script(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir()
    path = decoder().write(tmp_path / folder / f"{folder}.gguf")
    assert read_model(path).name == folder[:120] + ("…" if len(folder) > 120 else "")


def test_a_very_long_path(tmp_path: Path) -> None:
    deep = tmp_path
    while len(str(deep)) < 1500:
        deep = deep / ("d" * 200)
    deep.mkdir(parents=True)
    assert read_model(decoder().write(deep / "m.gguf")).has_decode
    with pytest.raises(BadFile):
        read_model(deep / ("x" * 5000))


@pytest.mark.skipif(os.name == "nt", reason="Windows names are text")
def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    path = decoder().write(tmp_path / os.fsdecode(b"m\xff.gguf"))
    assert read_model(path).name.isprintable()


def test_an_adapter_names_its_base(tmp_path: Path) -> None:
    keys: dict[str | bytes, object] = {
        "general.architecture": "llama",
        "general.type": "adapter",
        "adapter.type": "lora",
        "general.base_model.0.name": "Llama 3.1 8B",
        "general.base_model.0.repo_url": "https://example.org/llama",
    }
    model = read_model(Gguf(keys, [Tensor("blk.0.attn_q.weight.lora_a", (64, 8))]).write(tmp_path / "m.gguf"))
    assert "pick its base model" in model.notes[0]
    assert model.notes[1] == "The model it was made for: Llama 3.1 8B (https://example.org/llama)."


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ({"general.architecture": "clip", "general.type": "mmproj"}, "pick the main file beside it"),
        ({"general.architecture": "clip", "general.type": "clip-vision"}, "pick the main file beside it"),
        ({"general.architecture": "clip"}, "pick the main file beside it"),
        ({"general.architecture": "nomic-bert"}, "llama-server --embedding"),
        ({"general.architecture": "modern-bert"}, "llama-server --embedding"),
        ({"general.architecture": "eurobert"}, "llama-server --embedding"),
        ({"general.architecture": "jina-bert-v3"}, "llama-server --embedding"),
    ],
)
def test_what_can_be_done_with_files_that_do_not_decode(
    tmp_path: Path, keys: dict[str | bytes, object], what: str
) -> None:
    model = read_model(Gguf(keys, [Tensor("x", (64, 32))]).write(tmp_path / "m-MTP.gguf"))
    assert what in model.notes[0]
    assert not model.has_decode


@pytest.mark.parametrize(
    ("label", "noted"), [("57K-A10K", False), ("29.6B-A3B", True), ("256x20B", False), ("large", False)]
)
def test_size_labels(tmp_path: Path, label: str, noted: bool) -> None:
    model = read_model(decoder(layers=1, keys={"general.size_label": label}).write(tmp_path / "m.gguf"))
    assert any(f"calls itself {label}" in note for note in model.notes) is noted


def test_a_piece_of_a_set_does_not_pass_for_the_whole(tmp_path: Path) -> None:
    whole = decoder(layers=8, keys={"general.size_label": "330K"})
    paths = split(whole, [30], "m", tmp_path)
    assert read_model(paths[1]).parameters == sum(
        t.dims[0] * (t.dims[1] if len(t.dims) > 1 else 1) for t in whole.tensors
    )
    assert not read_model(paths[1]).notes
