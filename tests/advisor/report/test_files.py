"""Results to disk: whole or not at all."""

import os
from pathlib import Path

import pytest

from advisor.core.errors import AdvisorError
from advisor.report.exporters.files import CannotWrite, check_writable, write_atomically


def test_text_and_bytes_are_written(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a.md", "schön\n")
    write_atomically(tmp_path / "b.pdf", b"%PDF")
    assert (tmp_path / "a.md").read_bytes() == "schön\n".encode()
    assert (tmp_path / "b.pdf").read_bytes() == b"%PDF"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.md", "b.pdf"]


def test_an_old_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("old")
    path.chmod(0o640)
    write_atomically(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target.md", tmp_path / "link.md"
    target.write_text("old")
    link.symlink_to(target)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(pipe, "text")
        assert os.read(reader, 100) == b"text"
    finally:
        os.close(reader)


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="folder does not exist") as caught:
        write_atomically(tmp_path / "none" / "a.md", "text")
    assert isinstance(caught.value, AdvisorError)
    assert caught.value.exit_code == 1


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="is a folder"):
        write_atomically(tmp_path, "text")


def test_a_full_disk_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.md"
    path.write_text("old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CannotWrite, match="No space left"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.md"]


def test_a_place_that_takes_a_file_is_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    check_writable(path)
    path.write_text("old")
    check_writable(path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.md"]


def test_a_disk_without_room_is_found_by_trying(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, *_args: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(CannotWrite, match="No space left") as caught:
        check_writable(tmp_path / "a.md")
    assert "make room" in caught.value.hint


def test_a_read_only_disk_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_only(self: Path, *_args: object, **_more: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "open", read_only)
    with pytest.raises(CannotWrite) as caught:
        check_writable(tmp_path / "a.md")
    assert "read-only" in caught.value.hint


def test_a_file_in_the_place_of_a_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(CannotWrite, match="cannot be written"):
        check_writable(tmp_path / "file" / "a.md")


def test_a_pipe_is_not_written_to_beforehand(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_writable(pipe)
    assert [p.name for p in tmp_path.iterdir()] == ["pipe"]
