from pathlib import Path

import pytest

from advisor.core.evidence import Known, Missing, Unknown
from advisor.hardware.files import parse_cpu_list, read_text, text_or_empty


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0-3,8,10-11\n", {0, 1, 2, 3, 8, 10, 11}),
        ("0", {0}),
        ("", set()),
        ("0-1,x,9-,-4,7", {0, 1, 7}),
        ("5-2", set()),
        ("0-99999999999", set()),
    ],
)
def test_cpu_list(text: str, numbers: set[int]) -> None:
    assert parse_cpu_list(text) == numbers


def test_missing_and_unreadable_files_are_unknown_with_their_own_reasons(tmp_path: Path) -> None:
    missing = read_text(tmp_path / "none")
    assert isinstance(missing, Unknown)
    assert missing.kind is Missing.NOT_SUPPORTED
    folder = read_text(tmp_path)
    assert isinstance(folder, Unknown)
    assert text_or_empty(tmp_path / "none") == ""


def test_undecodable_bytes_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc\xff\n")
    fact = read_text(tmp_path / "file")
    assert isinstance(fact, Known)
    assert fact.value == "abc\ufffd\n"
