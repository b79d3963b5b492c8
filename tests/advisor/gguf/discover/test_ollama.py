"""Ollama's store: names from manifests, files from blobs, and what can be wrong with either."""

import json

import pytest

from advisor.gguf.discover.model import Source
from advisor.gguf.discover.ollama import model_name
from tests.support.model_homes import GIB, MODEL_LAYER, FakeHome, refuse

LIBRARY = "registry.ollama.ai/library"


def test_manifests_give_names_and_blobs_without_an_ending_give_files(home: FakeHome) -> None:
    home.ollama(f"{LIBRARY}/llama3.2/1b", size_bytes=2 * GIB)
    model = home.only()
    assert (model.name, model.size_bytes, model.source, model.shards) == ("llama3.2:1b", 2 * GIB, Source.OLLAMA, 1)
    assert model.path.parent == home.home / ".ollama" / "models" / "blobs"
    assert model.path.is_file()


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        ("registry.ollama.ai/library/llama3.2/1b", "llama3.2:1b"),
        ("registry.ollama.ai/someone/tuned/latest", "someone/tuned:latest"),
        ("hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF/Q4_K_M", "hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M"),
        ("localhost:5000/library/x/y", "localhost:5000/library/x:y"),
        ("x/y", "x:y"),
        ("registry.ollama.ai/library/a\nb/1", "a\ufffdb:1"),
    ],
)
def test_names_are_those_of_ollama_list(parts: str, name: str) -> None:
    assert model_name(tuple(parts.split("/"))) == name


@pytest.mark.parametrize("store", ["moved", ".ollama/models"])
def test_the_variable_and_the_usual_store(home: FakeHome, store: str) -> None:
    home.environment = {"OLLAMA_MODELS": str(home.home / "moved")}
    home.ollama(f"{LIBRARY}/m/8b", store=store)
    assert home.names() == ["m:8b"]


@pytest.mark.parametrize(
    "store",
    ["usr/share/ollama/.ollama/models", "var/lib/ollama", "var/lib/ollama/models", "var/lib/ollama/.ollama/models"],
)
def test_stores_of_the_service(home: FakeHome, store: str) -> None:
    home.ollama(f"{LIBRARY}/m/8b", store=str(home.folder / store))
    assert home.names() == ["m:8b"]
    home.system = "darwin"
    assert home.names() == []


def test_tags_of_one_blob_are_one_model_with_the_telling_name(home: FakeHome) -> None:
    for tag in ("latest", "3b", "3b-instruct-q4_K_M"):
        home.ollama(f"{LIBRARY}/llama3.2/{tag}", blob="same")
    assert home.names() == ["llama3.2:3b"]


def test_the_same_model_in_the_hugging_face_cache_is_listed_once(home: FakeHome) -> None:
    home.ollama("hf.co/o/r/Q4_K_M", blob="weights")
    link = home.hub("o/r", "Tiny-Q4_K_M.gguf", blob="weights")
    model = home.only()
    assert (model.name, model.path, model.source) == ("Tiny-Q4_K_M", link, Source.HUGGING_FACE)


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", "3", '"text"', '{"layers": 3}', '{"layers": {}}', "\x00\xff", "[" * 9999,
        json.dumps({"layers": [{"mediaType": MODEL_LAYER}]}),
        json.dumps({"layers": [{"mediaType": MODEL_LAYER, "digest": "sha256:../../../etc/passwd"}]}),
        json.dumps({"layers": [{"mediaType": MODEL_LAYER, "digest": 7}]}),
    ],
)  # fmt: skip
def test_a_damaged_manifest_is_a_note_and_the_others_stay(home: FakeHome, text: str) -> None:
    home.ollama(f"{LIBRARY}/good/1b")
    home.manifest(f"{LIBRARY}/bad/1b", text)
    found = home.found()
    assert [model.name for model in found.models] == ["good:1b"]
    assert found.notes == ("Ollama's manifest of bad:1b is damaged.",)


@pytest.mark.parametrize("layers", [None, [], [None, 3], [{"mediaType": "application/vnd.ollama.image.license"}]])
def test_models_of_ollamas_own_servers_have_no_file(home: FakeHome, layers: object) -> None:
    home.manifest(f"{LIBRARY}/gpt-oss/120b-cloud", json.dumps({"layers": layers}))
    assert home.names() == []


def test_a_missing_blob_is_a_note(home: FakeHome) -> None:
    home.ollama(f"{LIBRARY}/gone/1b")
    for blob in (home.home / ".ollama" / "models" / "blobs").iterdir():
        blob.unlink()
    found = home.found()
    assert found.models == ()
    assert found.notes == ("The file of Ollama's gone:1b is missing; pull it again.",)


def test_weights_in_another_format_are_a_note(home: FakeHome) -> None:
    home.ollama(f"{LIBRARY}/other/1b", head=b"\x08\x00\x00\x00\x00\x00\x00\x00{")
    assert home.found().notes == ("Ollama's other:1b is not in GGUF format.",)


def test_hidden_files_and_a_file_in_the_wrong_place_are_passed_over(home: FakeHome) -> None:
    home.ollama(f"{LIBRARY}/good/1b")
    home.manifest(f"{LIBRARY}/good/.DS_Store", "x")
    home.manifest("README", "x")
    assert home.names() == ["good:1b"]


def test_a_store_that_the_user_names_keeps_its_names(home: FakeHome) -> None:
    home.ollama(f"{LIBRARY}/good/1b", store="disk/ollama")
    assert home.names(home.home / "disk" / "ollama") == ["good:1b"]


def test_a_store_without_permission_is_a_note(home: FakeHome, monkeypatch: pytest.MonkeyPatch) -> None:
    home.ollama(f"{LIBRARY}/m/1b")
    refuse(monkeypatch, "manifests", PermissionError(13, "Permission denied"))
    assert home.found().notes == ("You have no permission to read ~/.ollama/models/manifests.",)
