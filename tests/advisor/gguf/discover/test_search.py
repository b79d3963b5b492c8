"""Trees as they are found on disks: links, loops, sets, duplicates, odd names, thousands of files."""

import os
from pathlib import Path

import pytest

from advisor.core.errors import Cancelled
from advisor.core.progress import CancelToken
from advisor.gguf.discover.model import FoundModel, Notes, Source
from advisor.gguf.discover.walk import Limits
from tests.support.model_homes import GIB, FakeHome, refuse

LM = ".lmstudio/models/org/repo"


def test_five_thousand_files_are_found_and_sorted_as_people_sort(home: FakeHome) -> None:
    for number in range(5000):
        home.file(f"{LM}-{number % 97}/Model-{number}B.gguf", size_bytes=8192)
    found = home.found()
    assert [model.name for model in found.models] == [f"Model-{number}B" for number in range(5000)]
    assert found.notes == ()


def test_hub_links_keep_their_nice_name_and_the_blobs_size(home: FakeHome) -> None:
    link = home.hub("org/Tiny-GGUF", "Tiny-Q8_0.gguf", size_bytes=3 * GIB)
    model = home.only()
    assert (model.name, model.path, model.size_bytes) == ("Tiny-Q8_0", link, 3 * GIB)
    assert model.path.is_symlink()


def test_revisions_of_one_blob_are_one_model(home: FakeHome) -> None:
    for revision in ("aaa", "bbb"):
        home.hub("org/r", "m.gguf", revision=revision)
    home.hub("org/r", "n.gguf", revision="bbb")
    assert home.names() == ["m", "n"]


def test_a_dangling_link_is_a_note(home: FakeHome) -> None:
    link = home.hub("org/r", "m.gguf")
    link.resolve().unlink()
    found = home.found()
    assert found.models == ()
    shown = "~/.cache/huggingface/hub/models--org--r/snapshots/abc/m.gguf"
    assert found.notes == (f"{shown} is a link to something that is gone.",)


def test_data_sets_in_the_hub_are_not_walked(home: FakeHome) -> None:
    home.file(".cache/huggingface/hub/datasets--o--r/snapshots/1/odd.gguf")
    assert home.names() == []


def test_a_split_set_is_shown_once_under_its_first_file(home: FakeHome) -> None:
    for number in (3, 1, 2):
        home.file(f"{LM}/Big-Q4_K_M-{number:05d}-of-00003.gguf", size_bytes=number * GIB)
    model = home.only()
    assert (model.name, model.size_bytes, model.shards, model.missing_shards) == ("Big-Q4_K_M", 6 * GIB, 3, 0)
    assert model.path.name == "Big-Q4_K_M-00001-of-00003.gguf"


def test_a_set_with_missing_files_says_how_many(home: FakeHome) -> None:
    home.file(f"{LM}/Big-00002-of-00004.gguf", size_bytes=GIB)
    home.file(f"{LM}/Big-00004-of-00004.gguf", size_bytes=GIB)
    model = home.only()
    assert (model.size_bytes, model.shards, model.missing_shards) == (2 * GIB, 4, 2)
    assert model.path.name == "Big-00002-of-00004.gguf"


def test_a_split_set_in_the_hub_is_found_beside_its_links(home: FakeHome) -> None:
    for number in (1, 2):
        home.hub("o/r", f"Q4/Big-{number:05d}-of-00002.gguf", size_bytes=GIB)
    model = home.only()
    assert (model.name, model.size_bytes, model.shards, model.missing_shards) == ("Big", 2 * GIB, 2, 0)
    assert model.path.parent.name == "Q4"


@pytest.mark.parametrize(
    "name", ["m-00000-of-00002", "m-00003-of-00002", "m-00001-of-00000", "m-00001-of-99999", "m-1-of-2"]
)
def test_numbers_that_make_no_set_are_files_of_their_own(home: FakeHome, name: str) -> None:
    home.file(f"{LM}/{name}.gguf")
    model = home.only()
    assert (model.name, model.shards) == (name, 1)


def test_links_and_hard_links_are_one_model(home: FakeHome) -> None:
    first = home.file(f"{LM}/Nice-Name-Q4_K_M.gguf")
    own = home.home / "own"
    own.mkdir()
    (own / "a.gguf").symlink_to(first)
    (own / "b.gguf").hardlink_to(first)
    model = home.only(own)
    assert (model.name, model.path) == ("Nice-Name-Q4_K_M", first)


def test_a_link_that_joins_two_names_makes_them_one(home: FakeHome) -> None:
    blob = home.hub("o/r", "Nice.gguf", blob="w").resolve()
    own = home.home / "own"
    own.mkdir()
    (own / "first.gguf").hardlink_to(blob)
    home.ollama("registry.ollama.ai/library/short/1b", blob="w")
    assert home.names(own) == ["Nice"]


def test_a_complete_set_wins_over_the_same_file_in_an_incomplete_one(home: FakeHome) -> None:
    first = home.file(f"{LM}/Big-00001-of-00002.gguf")
    whole = home.home / "whole"
    whole.mkdir()
    (whole / "Big-00001-of-00002.gguf").symlink_to(first)
    home.file("whole/Big-00002-of-00002.gguf")
    assert home.only(whole).path.parent == whole


def test_loops_of_links_end(home: FakeHome) -> None:
    home.file(f"{LM}/m.gguf")
    (home.home / LM / "again").symlink_to(home.home / ".lmstudio")
    (home.home / LM / "self").symlink_to("self")
    (home.home / LM / "self.gguf").symlink_to("self.gguf")
    found = home.found()
    assert [model.name for model in found.models] == ["m"]
    assert len(found.notes) <= 2


@pytest.mark.parametrize(
    "name", ["田中　モデル", "Загрузки", "naïve-e\u0301", "with space", "a'b\"c", "-dash", "x" * 200]
)
def test_names_of_all_kinds(home: FakeHome, name: str) -> None:
    path = home.file(f"{LM}/{name}.gguf")
    model = home.only()
    assert model.path == path
    assert model.name == ("x" * 120 + "…" if name.startswith("xx") else name.replace("e\u0301", "é"))


def test_names_that_are_no_text_can_be_shown_and_opened(home: FakeHome) -> None:
    try:
        home.file(f"{LM}/{os.fsdecode(b'bad%cname.gguf' % 0xFF)}")
    except (OSError, UnicodeError):
        pytest.skip("this file system takes only text")
    model = home.only()
    assert model.name == "bad\ufffdname"
    assert model.path.is_file()


def test_projectors_and_matrices_are_left_out_by_name(home: FakeHome) -> None:
    for name in ("mmproj-model-f16", "gemma-mmproj-BF16", "Gemma.imatrix", "Gemma-Q4_K_M"):
        home.file(f"{LM}/{name}.gguf")
    assert home.names() == ["Gemma-Q4_K_M"]
    notes = home.found(home.home / ".lmstudio").notes
    assert [note.replace("\u00a0", " ") for note in notes] == [
        "Not listed from ~/.lmstudio: 2 vision parts (mmproj), no model by itself.",
        "Not listed from ~/.lmstudio: 1 importance matrix, no model by itself.",
    ]


def test_a_pointer_or_page_under_the_ending_is_a_note(home: FakeHome) -> None:
    home.file(f"{LM}/m.gguf", 134, b"version https://git-lfs.github.com/spec/v1\n")
    home.file(f"{LM}/empty.gguf", 0, b"")
    home.file(f"{LM}/tiny.gguf", 24)
    found = home.found()
    assert [model.name for model in found.models] == ["tiny"]
    assert set(found.notes) == {
        f"~/{LM}/{name}.gguf is not a model, in spite of its name." for name in ("m", "empty")
    }


def test_files_without_an_ending_are_looked_into_where_the_user_says(home: FakeHome) -> None:
    heads = {"llama-3.1-8b": b"GGUF", "turned": b"FUGG", "text": b"hello", "x.bin": b"GGUF", "no": b""}
    for name, head in heads.items():
        home.file(f"mine/{name}", size_bytes=5000, head=head)
    assert home.names() == []
    assert home.names(home.home / "mine") == ["llama-3.1-8b", "turned"]


def test_folders_called_like_files_and_things_that_are_no_files(home: FakeHome) -> None:
    home.file(f"{LM}/m.gguf/inner.gguf")
    if hasattr(os, "mkfifo"):
        os.mkfifo(home.home / LM / "pipe.gguf")
    (home.home / LM / "null.gguf").symlink_to(os.devnull)
    assert home.names() == ["inner"]


def test_depth_entries_and_sniffs_are_bounded(home: FakeHome) -> None:
    home.file("mine/1/2/3/deep.gguf")
    home.file("mine/near.gguf")
    home.file("mine/nameless")
    mine = home.home / "mine"
    names = [model.name for model in home.found(mine, limits=Limits(depth=2, sniffs=0)).models]
    assert names == ["near"]
    found = home.found(mine, limits=Limits(entries=1))
    assert len(found.models) <= 1
    assert any("too many files" in note for note in found.notes)


def test_hidden_folders_below_a_place_are_not_entered(home: FakeHome) -> None:
    home.file("mine/.Trash/m.gguf")
    assert home.names(home.home / "mine") == []


def test_a_folder_that_is_gone_is_told_only_where_it_was_named(home: FakeHome) -> None:
    assert home.found(home.home / "gone").notes == ("~/gone is not there.",)


def test_a_place_that_is_a_file_is_passed_over(home: FakeHome) -> None:
    home.file(".lmstudio/models", 10, b"x")
    assert home.names() == []


def test_a_folder_without_permission_is_a_note(home: FakeHome, monkeypatch: pytest.MonkeyPatch) -> None:
    home.file(f"{LM}/m.gguf")
    home.file(".lmstudio/models/other/n.gguf")
    refuse(monkeypatch, "other", PermissionError(13, "Permission denied"))
    found = home.found()
    assert [model.name for model in found.models] == ["m"]
    assert found.notes == ("You have no permission to read ~/.lmstudio/models/other.",)


def test_a_drive_that_vanishes_while_it_is_read_is_a_note(home: FakeHome, monkeypatch: pytest.MonkeyPatch) -> None:
    home.file(f"{LM}/m.gguf")
    home.file("mine/n.gguf")
    refuse(monkeypatch, "repo", OSError(5, "Input/output error"))
    found = home.found(home.home / "mine")
    assert [model.name for model in found.models] == ["n"]
    assert found.notes == (f"~/{LM} could not be read (Input/output error).",)


def test_a_search_can_be_stopped(home: FakeHome) -> None:
    home.file(f"{LM}/m.gguf")
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        home.found(cancel=cancel)


def test_the_same_folder_under_two_names_is_searched_once(home: FakeHome) -> None:
    home.file(f"{LM}/m.gguf")
    (home.home / "alias").symlink_to(home.home / ".lmstudio" / "models")
    model = home.only(home.home / "alias", home.home / ".lmstudio" / "models")
    assert model.source is Source.LM_STUDIO


def test_notes_are_few_and_each_said_once() -> None:
    notes = Notes(Path("/home/me"))
    for number in range(50):
        notes.add(f"note {number}")
        notes.add(f"note {number}")
    assert len(notes.collected()) == Notes.LIMIT + 1
    assert notes.collected()[-1] == "30 more such notes are not shown."
    assert notes.short("/home/me/a\nb") == "~/a\ufffdb"
    assert notes.short("/home/meadow") == "/home/meadow"


@pytest.mark.parametrize(("size_bytes", "shards", "missing"), [(-1, 1, 0), (1, 0, 0), (1, 1, 1), (1, 2, -1)])
def test_impossible_models_are_refused(size_bytes: int, shards: int, missing: int) -> None:
    with pytest.raises(ValueError, match="impossible"):
        FoundModel("m", Path("m"), size_bytes, Source.FOLDER, shards, missing)
