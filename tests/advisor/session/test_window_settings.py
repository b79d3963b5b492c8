import json
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.diagnosis.workload import custom
from advisor.session.window_settings import DEFAULTS, SCHEMA, WindowSettings, read_settings, write_settings

MINE = WindowSettings("dark", "01d9d0cb", "/models/моя модель.gguf", custom(9_000, 200, 100, users=3, turns=12))


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "config" / "window.json"
    write_settings(path, MINE)
    assert read_settings(path) == MINE
    assert json.loads(path.read_text("utf-8"))["schema"] == SCHEMA
    assert [file.name for file in path.parent.iterdir()] == ["window.json"]


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert read_settings(tmp_path / "window.json") == DEFAULTS


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\x00\xff", '{"theme": 7', "[" * 50_000])
def test_a_damaged_file_costs_the_settings_only(tmp_path: Path, text: str) -> None:
    path = tmp_path / "window.json"
    path.write_text(text, "utf-8")
    assert read_settings(path) == DEFAULTS
    write_settings(path, MINE)
    assert read_settings(path) == MINE


def test_a_damaged_key_costs_itself_only(tmp_path: Path) -> None:
    path = tmp_path / "window.json"
    write_settings(path, MINE)
    held = json.loads(path.read_text("utf-8"))
    held["workload"]["prompt_tokens"] = -1
    held["geometry"] = 5
    held["unheard of"] = []
    path.write_text(json.dumps(held), "utf-8")
    assert read_settings(path) == replace(MINE, workload=DEFAULTS.workload, geometry="")


def test_a_newer_file_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    path = tmp_path / "window.json"
    text = json.dumps({"schema": SCHEMA + 1, "theme": "dark"})
    path.write_text(text, "utf-8")
    assert read_settings(path) == DEFAULTS
    write_settings(path, MINE)
    assert path.read_text("utf-8") == text


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    write_settings(tmp_path / "file" / "window.json", MINE)
