"""The menu entry: written whole, idempotent, and taken away without a trace."""

import configparser
import re
import sys
from pathlib import Path

import pytest

from advisor.__main__ import main
from advisor.cli.desktop import ENTRY, MIME, contents, data_folder, exec_line, install, remove
from advisor.core.errors import AdvisorError, UsageError


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_installing_twice_is_as_once(tmp_path: Path) -> None:
    written = install(tmp_path, ["/opt/two-machines"])
    once = everything(tmp_path)
    assert {str(path.relative_to(tmp_path)) for path in written} <= set(once)
    install(tmp_path, ["/opt/two-machines"])
    assert everything(tmp_path) == once
    assert b"Exec=/opt/two-machines %f" in once[str(ENTRY)]


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands for the desktop's tool")
def test_the_desktops_tools_do_not_see_the_bundles_libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "bin" / "update-desktop-database"
    tool.parent.mkdir()
    tool.write_text('#!/bin/sh\necho "${LD_LIBRARY_PATH-unset}" >"$1/seen"\n', encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", "/bundle/_internal", raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/bundle/_internal")
    monkeypatch.setenv("PATH", str(tool.parent))
    install(tmp_path / "data", ["two-machines"])
    assert (tmp_path / "data" / "applications" / "seen").read_text(encoding="utf-8") == "unset\n"


def test_removing_leaves_nothing(tmp_path: Path) -> None:
    install(tmp_path, ["two-machines"])
    assert remove(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert remove(tmp_path) == []


def test_removing_leaves_what_belongs_to_others(tmp_path: Path) -> None:
    others = [tmp_path / "applications" / "other.desktop", tmp_path / "icons/hicolor/16x16/apps/other.png"]
    other_type = tmp_path / MIME.parent / "other.xml"
    for path in (*others, other_type):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info"/>', encoding="utf-8")
    install(tmp_path, ["two-machines"])
    remove(tmp_path)
    left = everything(tmp_path)
    assert all(str(path.relative_to(tmp_path)) in left for path in (*others, other_type))
    assert not [name for name in left if "two-machines" in name]


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "applications").write_text("a file in the way", encoding="utf-8")
    with pytest.raises(AdvisorError, match="could not be changed"):
        install(tmp_path, ["two-machines"])


def words_of(value: str) -> list[str]:
    """An Exec value's words: quoted ones may hold anything, with a backslash before the four that mean something."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', value)
    return [plain or re.sub(r'\\(["`$\\])', r"\1", quoted) for quoted, plain in found]


@pytest.mark.parametrize("word", ["/plain/path", "/with space/x", 'a"quote', "dollar$x", "back\\slash", "tick`"])
def test_the_command_comes_back_as_the_specification_reads_it(word: str, tmp_path: Path) -> None:
    folder = tmp_path / "entry.desktop"
    folder.write_text(f"[Desktop Entry]\nExec={exec_line([word, '-m'])}\n", encoding="utf-8")
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parser.read(folder, encoding="utf-8")
    value = parser["Desktop Entry"]["Exec"].replace("\\\\", "\\")  # first the escapes of a string of the entry
    assert words_of(value) == [word, "-m"]


def test_a_percent_sign_is_no_field_code() -> None:
    assert exec_line(["/a%f"]) == '"/a%%f"'


def test_the_data_folder_follows_the_specification(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_folder({"XDG_DATA_HOME": "/data"}, "linux") == Path("/data")
    assert data_folder({"XDG_DATA_HOME": "relative"}, "linux") == tmp_path / ".local/share"


@pytest.mark.parametrize(("platform", "what"), [("win32", "installer"), ("darwin", "Applications")])
def test_other_systems_are_told_what_to_do(platform: str, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        data_folder({}, platform)
    assert what in caught.value.hint


def test_the_command_installs_and_removes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    assert main(["desktop", "install"]) == 0
    assert str(tmp_path / "share" / ENTRY) in capsys.readouterr().out
    assert (tmp_path / "share" / ENTRY).is_file()
    assert main(["desktop", "remove"]) == 0
    assert main(["desktop", "remove"]) == 0
    assert "nothing to remove" in capsys.readouterr().out


def test_all_sizes_of_the_icon_are_there() -> None:
    names = {str(name) for name in contents(["x"])}
    assert sum(name.endswith("apps/two-machines.png") for name in names) == 9
