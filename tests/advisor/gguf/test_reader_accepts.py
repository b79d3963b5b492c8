"""Headers that must be read, usual ones and odd ones."""

from pathlib import Path

import pytest

from advisor.gguf.header import ArrayInfo
from advisor.gguf.reader import read_header
from tests.support.gguf_builder import (
    BOOL,
    FLOAT64,
    INT16,
    STRING,
    UINT8,
    UINT64,
    Gguf,
    Tensor,
    Typed,
    TypedArray,
    vocabulary,
)


def test_every_kind_of_value(tmp_path: Path) -> None:
    path = Gguf(
        {
            "text": "Größe",
            "yes": True,
            "small": Typed(UINT8, 255),
            "negative": -7,
            "large": 2**63 + 1,
            "real": Typed(FLOAT64, 0.1),
            "signed": TypedArray(INT16, [-1, 2]),
            "flags": [True, False, True],
            "words": ["a", "b"],
            "nothing": TypedArray(BOOL, []),
        }
    ).write(tmp_path / "m.gguf")
    assert dict(read_header(path).keys) == {
        "text": "Größe",
        "yes": True,
        "small": 255,
        "negative": -7,
        "large": 2**63 + 1,
        "real": 0.1,
        "signed": (-1, 2),
        "flags": (True, False, True),
        "words": ("a", "b"),
        "nothing": (),
    }


def test_the_tensor_table(tmp_path: Path) -> None:
    file = Gguf({"a": 1}, [Tensor("x", (32, 3), "Q8_0"), Tensor("y", (5,)), Tensor("z", ())])
    header = read_header(file.write(tmp_path / "m.gguf"))
    # 3 rows of 34 bytes, padded to 128; 5 floats, padded to 160; a single float
    assert [(t.name, t.dims, t.offset, t.bytes, t.span_bytes, t.elements) for t in header.tensors] == [
        ("x", (32, 3), 0, 102, 128, 96),
        ("y", (5,), 128, 20, 32, 5),
        ("z", (), 160, 4, 4, 1),
    ]
    assert header.data_start % 32 == 0
    assert header.file_bytes == header.data_start + 164
    assert header.version == 3


def test_version_2_has_the_same_layout(tmp_path: Path) -> None:
    header = read_header(Gguf({"a": 1}, [Tensor("x", (4,))], version=2).write(tmp_path / "m.gguf"))
    assert (header.version, header.keys["a"], header.tensors[0].bytes) == (2, 1, 16)


def test_nothing_at_all_is_a_legal_header(tmp_path: Path) -> None:
    header = read_header(Gguf().write(tmp_path / "m.gguf"))
    assert (dict(header.keys), header.tensors) == ({}, ())


def test_a_dimension_of_zero(tmp_path: Path) -> None:
    header = read_header(Gguf({}, [Tensor("x", (32, 0)), Tensor("y", (4,))]).write(tmp_path / "m.gguf"))
    assert [(t.elements, t.bytes, t.offset) for t in header.tensors] == [(0, 0, 0), (4, 16, 0)]


@pytest.mark.parametrize(("declared", "used"), [(1, 1), (16, 16), (64, 64), (4096, 4096)])
def test_declared_alignment(tmp_path: Path, declared: int, used: int) -> None:
    file = Gguf({"general.alignment": declared}, [Tensor("x", (3,)), Tensor("y", (3,))], alignment=used)
    header = read_header(file.write(tmp_path / "m.gguf"))
    assert (header.alignment, header.data_start) == (used, file.data_start)
    assert header.tensors[1].offset == max(12, used)


def test_alignment_0_means_the_usual_one_and_is_noted(tmp_path: Path) -> None:
    header = read_header(Gguf({"general.alignment": 0}, [Tensor("x", (3,))]).write(tmp_path / "m.gguf"))
    assert header.alignment == 32
    assert header.notes == ("The file declares alignment 0; it was read with the usual 32.",)


def test_an_unknown_tensor_type_keeps_everything_else(tmp_path: Path) -> None:
    # the type numbers that made other readers give up; the last tensor's size is what is left of the file
    tensors = [Tensor("a", (64,)), Tensor("b", (64, 2), 153), Tensor("c", (64,), offset=512), Tensor("d", (8,), 156)]
    file = Gguf({"general.name": "odd"}, tensors)
    header = read_header(file.write(tmp_path / "m.gguf", size=file.data_start + 1000))
    assert header.keys["general.name"] == "odd"
    assert [(t.bytes, t.stored_bytes) for t in header.tensors] == [(256, 256), (None, 256), (256, 256), (None, 232)]


def test_a_vocabulary_is_counted_and_never_kept(tmp_path: Path) -> None:
    path = Gguf({"tokenizer.ggml.tokens": ["a", "b"], "after": 5}).write(tmp_path / "m.gguf")
    header = read_header(path)
    assert header.keys["tokenizer.ggml.tokens"] == ArrayInfo("string", 2)
    assert header.keys["after"] == 5


@pytest.mark.parametrize("length", [0, 1, 6, 48, 49, 300, 70_000])
@pytest.mark.parametrize("count", [1, 255, 256, 257, 1000])
def test_texts_of_any_length_are_passed_over(tmp_path: Path, length: int, count: int) -> None:
    # lengths around the fast path's limit, and chains longer than the window
    texts = [b"x" * (length if i % 3 else i % 50) for i in range(count)]
    path = Gguf({"list": vocabulary(texts), "after": 5}).write(tmp_path / "m.gguf")
    header = read_header(path)
    assert header.keys["after"] == 5
    if count > 64:
        assert header.keys["list"] == ArrayInfo("string", count)


def test_long_numeric_arrays_are_passed_over_by_arithmetic(tmp_path: Path) -> None:
    path = Gguf({"scores": TypedArray(UINT64, range(5000)), "after": 5}).write(tmp_path / "m.gguf")
    assert read_header(path).keys["scores"] == ArrayInfo("uint64", 5000)
    assert read_header(path).keys["after"] == 5


def test_a_long_text_is_passed_over(tmp_path: Path) -> None:
    path = Gguf({"json": "x" * 100_000, "after": 5}).write(tmp_path / "m.gguf")
    assert read_header(path).keys["json"] == ArrayInfo("text", 100_000)
    assert read_header(path).keys["after"] == 5


def test_what_is_kept_has_a_limit_altogether(tmp_path: Path) -> None:
    keys: dict[str | bytes, object] = {f"k{i:03d}": "x" * 60_000 for i in range(100)}
    keys |= {"numbers": [1, 2], "words": ["a"]}
    found = read_header(Gguf(keys).write(tmp_path / "m.gguf")).keys
    assert found["k000"] == "x" * 60_000
    assert found["k099"] == ArrayInfo("text", 60_000)
    assert (found["numbers"], found["words"]) == ((1, 2), ("a",))
    assert sum(len(value) for value in found.values() if isinstance(value, str)) < 5_000_000


def test_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    file = Gguf([(b"k\xff", b"v\xfe"), ("list", TypedArray(STRING, [b"\xff"]))], [Tensor(b"t\xff", (1,))])
    header = read_header(file.write(tmp_path / "m.gguf"))
    assert header.keys["k\ufffd"] == "v\ufffd"
    assert header.tensors[0].name == "t\ufffd"


def test_more_file_than_the_table_describes(tmp_path: Path) -> None:
    file = Gguf({}, [Tensor("x", (4,))])
    assert read_header(file.write(tmp_path / "m.gguf", size=10_000)).file_bytes == 10_000


def test_a_link_and_a_name_without_ending(tmp_path: Path) -> None:
    blob = Gguf({"a": 1}).write(tmp_path / "sha256-0123")
    link = tmp_path / "モデル　x.gguf"
    link.symlink_to(blob)
    assert read_header(link).keys == read_header(blob).keys == {"a": 1}


@pytest.mark.parametrize("declared", [24, 40, 96])
def test_an_alignment_that_the_format_allows_and_the_engine_does_not_is_noted(tmp_path: Path, declared: int) -> None:
    """Case A13: facts are shown with a warning."""
    file = Gguf({"general.alignment": declared}, [Tensor("x", (3,)), Tensor("y", (3,))], alignment=declared)
    header = read_header(file.write(tmp_path / "m.gguf"))
    assert (header.alignment, header.data_start) == (declared, file.data_start)
    assert header.tensors[0].span_bytes == declared
    assert header.notes == (
        f"The file declares alignment {declared}, which is not a power of two: llama.cpp refuses to load it.",
    )
