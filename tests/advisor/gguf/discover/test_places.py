"""Each program's folders, on each system, moved by each variable."""

import json
from pathlib import Path

import pytest

from advisor.gguf.discover.model import Home, Source
from tests.support.model_homes import FakeHome

DEFAULTS = [
    ("linux", ".lmstudio/models/org/repo", Source.LM_STUDIO),
    ("linux", ".cache/lm-studio/models/org/repo", Source.LM_STUDIO),
    ("darwin", ".lmstudio/models/org/repo", Source.LM_STUDIO),
    ("win32", ".lmstudio/models/org/repo", Source.LM_STUDIO),
    ("linux", ".cache/huggingface/hub/models--o--r/snapshots/abc/Q4", Source.HUGGING_FACE),
    ("win32", ".cache/huggingface/hub/models--o--r/snapshots/abc", Source.HUGGING_FACE),
    ("linux", ".cache/llama.cpp", Source.LLAMA_CPP),
    ("darwin", "Library/Caches/llama.cpp", Source.LLAMA_CPP),
    ("win32", "AppData/Local/llama.cpp", Source.LLAMA_CPP),
    ("linux", ".local/share/nomic.ai/GPT4All", Source.GPT4ALL),
    ("darwin", "Library/Application Support/nomic.ai/GPT4All", Source.GPT4ALL),
    ("win32", "AppData/Local/nomic.ai/GPT4All", Source.GPT4ALL),
    ("linux", ".config/Jan/data/models/huggingface.co/org/m", Source.JAN),
    ("linux", ".local/share/Jan/data/llamacpp/models/m", Source.JAN),
    ("darwin", "Library/Application Support/Jan/data/llamacpp/models/m", Source.JAN),
    ("win32", "AppData/Roaming/Jan/data/llamacpp/models/m", Source.JAN),
    ("linux", "text-generation-webui/user_data/models", Source.WEBUI),
    ("linux", "text-generation-webui/models", Source.WEBUI),
]
MOVED = [
    ("linux", "LLAMA_CACHE", "cache", "cache", Source.LLAMA_CPP),
    ("linux", "XDG_CACHE_HOME", "x", "x/llama.cpp", Source.LLAMA_CPP),
    ("linux", "XDG_CACHE_HOME", "x", "x/huggingface/hub/models--o--r/snapshots/1", Source.HUGGING_FACE),
    ("linux", "HF_HOME", "hf", "hf/hub/models--o--r/snapshots/1", Source.HUGGING_FACE),
    ("linux", "HF_HUB_CACHE", "hub", "hub/models--o--r/snapshots/1", Source.HUGGING_FACE),
    ("linux", "HUGGINGFACE_HUB_CACHE", "hub", "hub/models--o--r/snapshots/1", Source.HUGGING_FACE),
    ("win32", "LOCALAPPDATA", "local", "local/llama.cpp", Source.LLAMA_CPP),
    ("win32", "APPDATA", "roaming", "roaming/Jan/data/models", Source.JAN),
    ("linux", "XDG_CONFIG_HOME", "c", "c/Jan/data/models", Source.JAN),
    ("linux", "XDG_DATA_HOME", "d", "d/nomic.ai/GPT4All", Source.GPT4ALL),
]


@pytest.mark.parametrize(("system", "folder", "source"), DEFAULTS)
def test_usual_folders(home: FakeHome, system: str, folder: str, source: Source) -> None:
    home.system = system
    path = home.file(f"{folder}/Tiny-Q4_K_M.gguf")
    model = home.only()
    assert (model.name, model.path, model.size_bytes, model.source) == ("Tiny-Q4_K_M", path, 5 << 20, source)
    assert (model.shards, model.missing_shards) == (1, 0)


@pytest.mark.parametrize(("system", "variable", "value", "folder", "source"), MOVED)
def test_variables_move_them(
    home: FakeHome, system: str, variable: str, value: str, folder: str, source: Source
) -> None:
    home.system = system
    home.environment = {variable: str(home.home / value)}
    path = home.file(f"{folder}/m.gguf")
    assert (home.only().path, home.only().source) == (path, source)


def test_an_empty_variable_is_none_and_a_tilde_is_the_home(tmp_path: Path) -> None:
    home = Home(tmp_path, {"A": " ", "B": "~/x", "C": '"/q r"', "D": "~"}, "linux")
    assert home.variable("A") is None
    assert home.variable("missing") is None
    assert home.variable("B") == tmp_path / "x"
    assert home.variable("C") == Path("/q r")
    assert home.variable("D") == tmp_path


def test_lm_studio_says_itself_where_its_models_are(home: FakeHome) -> None:
    home.file("elsewhere/lms/models/o/r/a.gguf")
    home.file("disk/o/r/b.gguf")
    (home.home / ".lmstudio-home-pointer").write_text(f"{home.home / 'elsewhere' / 'lms'}\n", encoding="utf-8")
    settings = {"downloadsFolder": str(home.home / "disk")}
    (home.home / "elsewhere" / "lms" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    assert home.names() == ["a", "b"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"downloadsFolder": 3}', '{"downloadsFolder": "\\u0000"}', "[" * 9999]
)
def test_damaged_settings_are_passed_over(home: FakeHome, text: str) -> None:
    home.file(".lmstudio/models/o/r/a.gguf")
    home.file(".lmstudio/settings.json", len(text), text.encode())
    assert [model.name for model in home.found().models] == ["a"]


def test_llama_cpp_prefixes_are_left_out(home: FakeHome) -> None:
    home.file(".cache/llama.cpp/ggml-org_gemma-3-1b-it-GGUF_gemma-3-1b-it-Q4_K_M.gguf")
    home.file(".cache/llama.cpp/mine.gguf")
    home.file(".cache/llama.cpp/ggml-org_x-GGUF_x.gguf.downloadInProgress")
    assert home.names() == ["gemma-3-1b-it-Q4_K_M", "mine"]


def test_jan_names_the_folder_and_not_the_file(home: FakeHome) -> None:
    home.file(".config/Jan/data/llamacpp/models/Qwen3-8B-IQ4_XS/model.gguf")
    assert home.names() == ["Qwen3-8B-IQ4_XS"]


def test_the_own_sample(home: FakeHome) -> None:
    sample = home.file(".cache/two-machines/sample/gemma.gguf")
    (model,) = home.found(sample=sample.parent).models
    assert (model.name, model.source) == ("gemma", Source.OWN)


def test_no_folder_at_all_is_no_remark(home: FakeHome) -> None:
    assert home.found() == home.found(sample=home.home / "none")
    assert home.names() == []
