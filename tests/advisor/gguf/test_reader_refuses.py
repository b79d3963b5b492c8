"""Every malformed class gives one sentence that names what is wrong, and one hint."""

import os
import struct
from pathlib import Path

import pytest

from advisor.core.errors import BadFile
from advisor.gguf.reader import read_header
from tests.support.gguf_builder import (
    ARRAY,
    INT32,
    STRING,
    UINT32,
    Gguf,
    Raw,
    Tensor,
    Typed,
    TypedArray,
    text,
)

HUGE = 2**63
ALL_ONES = 2**64 - 1
F32_4 = Tensor("x", (4,))


def refusal(path: Path) -> str:
    """The sentence of the refusal, its form checked."""
    with pytest.raises(BadFile) as caught:
        read_header(path)
    error = caught.value
    assert error.exit_code == 3
    assert error.sentence.endswith(".")
    assert error.hint.endswith(".")
    assert "\n" not in error.sentence
    assert error.fields["path"] == str(path)
    return error.sentence


HEADERS = {
    "magic in reverse": (Gguf(magic=b"FUGG"), "reverse order"),
    "version 0": (Gguf(version=0), "version 0"),
    "version 1": (Gguf(version=1), "version 1"),
    "next version": (Gguf(version=4), "version 4"),
    "big-endian version 1": (Gguf(version=1, order=">"), "version 1"),
    "big-endian without a name": (Gguf({"a": 1, "": 1}, order=">"), "key 2 of its header has no name"),
    "2^63 keys": (Gguf(key_count=HUGE), "9,223,372,036,854,775,808 keys"),
    "2^64-1 keys": (Gguf(key_count=ALL_ONES), "keys"),
    "2^32 keys": (Gguf(key_count=2**32), "4,294,967,296 keys"),
    "more keys than bytes": (Gguf(key_count=60_000), "incomplete download"),
    "2^63 tensors": (Gguf(tensor_count=HUGE), "tensors"),
    "2^64-1 tensors": (Gguf(tensor_count=ALL_ONES), "tensors"),
    "more tensors than bytes": (Gguf(tensor_count=60_000), "incomplete download"),
    "empty key": (Gguf({"": 1}), "key 1 of its header has no name"),
    "unknown value type": (Gguf({"a": Raw(struct.pack("<II", 13, 0))}), "key a has the unknown value type 13"),
    "duplicate key": (Gguf([("a", 1), ("a", 2)]), "the key a twice"),
    "array of arrays": (Gguf({"a": Raw(struct.pack("<IIQ", ARRAY, ARRAY, 1) + bytes(64))}), "array of arrays"),
    "array of an unknown type": (Gguf({"a": Raw(struct.pack("<IIQ", ARRAY, 99, 1) + bytes(64))}), "unknown type 99"),
    "2^63 texts": (Gguf({"a": TypedArray(STRING, [], count=HUGE)}), "claims"),
    "2^64-1 numbers": (Gguf({"a": TypedArray(UINT32, [], count=ALL_ONES)}), "claims"),
    "text of 2^63 bytes": (Gguf({"a": Raw(struct.pack("<IQ", STRING, HUGE))}), "claims"),
    "text of 2^63 bytes in a list": (
        Gguf({"tokenizer.ggml.tokens": Raw(struct.pack("<IIQQ", ARRAY, STRING, 1, HUGE))}),
        "claims",
    ),
    "text of 2^64-1 bytes in a long list": (
        Gguf({"l": Raw(struct.pack("<IIQ", ARRAY, STRING, 300) + text("a") * 299 + struct.pack("<Q", ALL_ONES))}),
        "claims",
    ),
    "alignment 13": (Gguf({"general.alignment": 13}), "13, which is not a power of two"),
    "alignment 12": (Gguf({"general.alignment": 12}), "12, which is not a power of two"),
    "alignment as int32": (Gguf({"general.alignment": Typed(INT32, 32)}), "unsigned 32-bit"),
    "alignment as text": (Gguf({"general.alignment": "32"}), "alignment is not a number"),
    "tensor name of 64": (Gguf({}, [Tensor("n" * 64, (4,))]), "64 bytes, the limit is 63"),
    "tensor name of 2^64-1": (Gguf({}, [Tensor("n", (4,), name_length=ALL_ONES)]), "the limit is 63"),
    "duplicate tensor": (Gguf({}, [F32_4, F32_4]), "x twice"),
    "5 dimensions": (Gguf({}, [Tensor("x", (1, 1, 1, 1, 1))]), "5 dimensions"),
    "2^32-1 dimensions": (Gguf({}, [Tensor("x", (), n_dims=2**32 - 1)]), "dimensions, the limit is 4"),
    "dimension of 2^63": (Gguf({}, [Tensor("x", (HUGE,), "I8")]), "impossible shape"),
    "dimensions that overflow": (Gguf({}, [Tensor("x", (2**32, 2**32))]), "impossible shape"),
    "overflow behind a zero": (Gguf({}, [Tensor("x", (2**40, 2**40, 0))]), "impossible shape"),
    "half a block": (Gguf({}, [Tensor("x", (31, 2), "Q8_0")]), "no whole number of Q8_0 blocks"),
    "offset 1": (Gguf({}, [Tensor("x", (4,), offset=1)]), "no multiple of 32"),
    "overlap": (Gguf({}, [Tensor("x", (64,)), Tensor("y", (4,), offset=32)]), "x and y overlap"),
    "offset of 2^64-32": (Gguf({}, [Tensor("x", (4,), offset=2**64 - 32)]), "describes"),
}


@pytest.mark.parametrize("case", HEADERS)
def test_malformed_headers(tmp_path: Path, case: str) -> None:
    file, expected = HEADERS[case]
    path = tmp_path / "m.gguf"
    path.write_bytes(file.header() + bytes(256))
    sentence = refusal(path)
    assert expected in sentence
    assert "m.gguf" in sentence


@pytest.mark.parametrize("length", [65_536, 2**32, HUGE, ALL_ONES])
def test_an_absurd_key_length(tmp_path: Path, length: int) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(Gguf(key_count=1).header() + struct.pack("<Q", length) + bytes(64))
    assert f"the name of key 1 in its header claims {length:,} bytes" in refusal(path)


def test_two_tensors_whose_sizes_overflow_together(tmp_path: Path) -> None:
    # the class that makes 64-bit sums wrap around
    size = 0x7FFFFFFFFFFFFFC0
    file = Gguf({}, [Tensor("x", (size,), "I8"), Tensor("y", (size,), "I8")])
    path = tmp_path / "m.gguf"
    path.write_bytes(file.header() + bytes(64))
    assert "describes" in refusal(path)


def test_a_header_cut_at_any_byte(tmp_path: Path) -> None:
    file = Gguf(
        {"general.name": "m", "n": 5, "a": [1, 2], "tokenizer.ggml.tokens": ["a", "bb"]},
        [Tensor("x", (32,), "Q8_0"), Tensor("y", (4, 4))],
    )
    whole = file.header() + bytes(file.file_bytes - len(file.header()))
    path = tmp_path / "m.gguf"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        refusal(path)
    path.write_bytes(whole)
    assert len(read_header(path).tensors) == 2


def test_a_file_cut_after_its_table_names_both_sizes(tmp_path: Path) -> None:
    file = Gguf({}, [Tensor("x", (256, 10_000))])
    path = file.write(tmp_path / "m.gguf", size=5_000_000)
    sentence = refusal(path)
    assert "has 5,000,000 bytes" in sentence
    assert f"describes {file.data_start + 10_240_000:,}" in sentence
    assert f"{file.data_start + 5_240_000:,} bytes are missing" in sentence
    assert "incomplete download" in sentence


@pytest.mark.parametrize(
    ("name", "guess"),
    [("m.gguf.part1of2", "part 1 of 2"), ("m.gguf-part-02-of-03", "part 2 of 3"), ("m.part1", "part 1 of a file"),
     ("m.gguf.001", "part 1 of a file"), ("m.gguf-split-b", "part 2 of a file"), ("m.gguf.aa", "part 1 of a file"),
     ("m.gguf.part", "an incomplete download"), ("m.gguf.crdownload", "an incomplete download")],
)
def test_a_hand_cut_file_is_called_a_part(tmp_path: Path, name: str, guess: str) -> None:
    path = Gguf({}, [Tensor("x", (1000,))]).write(tmp_path / name, size=500)
    assert guess in refusal(path)


@pytest.mark.parametrize("name", ["m.gguf.part2of2", "m.gguf.002", "m.gguf-split-b", "m.gguf.ab"])
def test_a_later_piece_of_a_hand_cut_file(tmp_path: Path, name: str) -> None:
    """It begins anywhere in the file, so that nothing in it tells what it is."""
    path = tmp_path / name
    path.write_bytes(bytes(range(256)) * 4)
    assert refusal(path) == f"{name} is part 2 of a file that was cut in pieces."


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "empty"),
        (b"hello\nworld\n", "a text file"),
        (b"x" * 511 + "é".encode() * 10, "a text file"),
        (b'{"model_type": "llama"}', "a JSON text"),
        (b"<!DOCTYPE html><html>", "a web page"),
        (b"\xef\xbb\xbf\n <HTML><head>", "a web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "a Git-LFS pointer"),
        (b"PK\x03\x04" + bytes(30), "a zip archive or a PyTorch checkpoint"),
        (b"\x80\x02}q\x00", "a Python pickle"),
        (struct.pack("<Q", 30) + b'{"__metadata__":{}}' + b" " * 20, "a safetensors file"),
        (b"tjgg\x03\x00\x00\x00", "a model in GGJT format"),
        (bytes(4096), "a file of zeros"),
        (bytes(range(256)), "data of an unknown kind"),
        (b"GGU", "a text file"),
        (b'{"error":"Invalid username or password."}', "the answer of a server that did not give the file"),
        (b"Entry not found", "the answer of a server that did not give the file"),
        (b'{"error_rate": 1, "history": "' + b"x" * 600 + b'"}', "a JSON text"),
        (b"[InternetShortcut]\nURL=https://x", "a text file"),
        (b'[{"a": 1}]', "a JSON text"),
        (b"# xet version 0\nfilesize = 1\n", "a Xet pointer"),
        ("<!DOCTYPE html><html>".encode("utf-16"), "a web page"),
        (b"<!-- saved page --><html>", "a web page"),
        (b"\x80\x04\x95" + bytes(range(256)), "a Python pickle"),
        (b"BZh91AY&SY" + bytes(range(256)), "a bzip2 archive"),
        (b"m.gguf".ljust(257, b"\0") + b"ustar\x0000" + bytes(300), "a tar archive"),
        (b"\x89HDF\r\n\x1a\n" + bytes(range(256)), "an HDF5 file"),
        (b"\xff\xd8\xff\xe0" + bytes(range(256)), "a picture"),
        (b"algg" + bytes(100), "an adapter in GGML format"),
    ],
)
def test_files_of_another_kind(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    assert f"not a GGUF model: it is {what}" in refusal(path)


def test_a_missing_file(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.gguf") == "There is no file none.gguf."


def test_a_broken_link(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.symlink_to(tmp_path / "gone")
    assert "a link to a file that is gone" in refusal(path)


def test_a_link_to_itself(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.symlink_to(path)
    assert "could not be read" in refusal(path)


def test_a_folder(tmp_path: Path) -> None:
    assert "is a folder" in refusal(tmp_path)


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    os.mkfifo(path)
    assert "not a regular file" in refusal(path)


def test_a_name_that_the_system_refuses(tmp_path: Path) -> None:
    assert "could not be read" in refusal(tmp_path / ("n" * 300))
    assert "could not be read" in refusal(tmp_path / "a\0b")


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Gguf().write(tmp_path / "m.gguf")

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    # root may read everything, so the refusal is played
    monkeypatch.setattr(Path, "open", refuse)
    assert "no permission" in refusal(path)


def test_a_disk_error_while_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Gguf().write(tmp_path / "m.gguf")

    def fail(*_args: object, **_kwargs: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "open", fail)
    assert "Input/output error" in refusal(path)


def sparse(path: Path, head: bytes, size: int) -> Path:
    path.write_bytes(head)
    with path.open("r+b") as file:
        file.truncate(size)
    return path


def test_counts_that_a_huge_file_would_allow(tmp_path: Path) -> None:
    # a sparse terabyte has room for any count, so that limits of our own must hold
    terabyte = 2**40
    many_texts = Gguf({"a": TypedArray(STRING, [], count=2**30)}).header()
    assert "lists of more than" in refusal(sparse(tmp_path / "a.gguf", many_texts, terabyte))
    long_text = Gguf({"a": Raw(struct.pack("<IQ", STRING, 2**39))}, key_count=2).header()
    assert "goes on for more than 256 MiB" in refusal(sparse(tmp_path / "b.gguf", long_text, terabyte))
    names = Gguf({"k" * 65_535 + str(i): 1 for i in range(2)}).header()
    assert "claims 65,536 bytes" in refusal(sparse(tmp_path / "c.gguf", names, terabyte))


def test_key_names_have_a_limit_altogether(tmp_path: Path) -> None:
    path = Gguf({f"{i:05d}" + "k" * 60_000: 1 for i in range(100)}).write(tmp_path / "m.gguf")
    assert "names of its keys are longer" in refusal(path)


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Gguf({"a": "x" * 100}, [F32_4]).write(tmp_path / "m.gguf")
    size = path.stat().st_size
    real = os.fstat

    class Larger:
        st_size = size + 10_000

    path.write_bytes(path.read_bytes()[:80])
    monkeypatch.setattr(os, "fstat", lambda number: Larger if number > 2 else real(number))
    assert "incomplete download" in refusal(path)


def test_names_in_sentences_are_short_and_printable(tmp_path: Path) -> None:
    key = "k\n\x1b" + "x" * 60_000
    path = Gguf([(key, 1), (key, 2)]).write(tmp_path / "new\nline.gguf")
    sentence = refusal(path)
    assert sentence.startswith("new\ufffdline.gguf is damaged: its header holds the key k\ufffd\ufffdxxx")
    assert len(sentence) < 300


def test_a_file_name_that_is_no_text(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.gguf"))
    refusal(path).encode()
