"""Results read back."""

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from advisor.core.errors import BadFile
from advisor.core.evidence import Missing, Unknown
from advisor.report.codec import json_text
from advisor.report.document import Document
from advisor.report.exporters.as_json import document_json
from advisor.report.exporters.markdown import document_markdown
from advisor.report.loader import file_bytes, load_document, read_document
from advisor.report.privacy import without_personal_paths
from tests.support import documents as d
from tests.support.trials import EXAMPLES

COMPLETE = document_json(d.complete_document())


@pytest.mark.parametrize("build", EXAMPLES.values(), ids=EXAMPLES)
def test_a_result_survives_the_round_trip(build: Callable[[], Document]) -> None:
    text = json_text(document_json(build()))
    loaded = load_document(json.loads(text))
    assert json_text(document_json(loaded)) == text
    assert document_markdown(loaded) == document_markdown(build())


def test_all_but_paths_and_serials_comes_back() -> None:
    loaded = load_document(COMPLETE)
    expected = without_personal_paths(d.complete_document())
    assert loaded.ceilings == expected.ceilings
    assert loaded.tests == expected.tests
    assert loaded.model == expected.model
    assert loaded.machine.cpu == expected.machine.cpu
    assert isinstance(loaded.machine.gpus[0].uuid, Unknown)


def test_kinds_of_unknown_come_back() -> None:
    loaded = load_document(document_json(d.bare_document()))
    assert loaded.engine == d.bare_document().engine
    assert isinstance(loaded.timeline, Unknown)
    assert loaded.timeline.kind is Missing.NOT_YET


def test_fields_of_later_versions_are_passed_over_and_absent_ones_take_their_default() -> None:
    data = copy.deepcopy(COMPLETE)
    data["weather"] = "fine"
    data["tests"][0]["weather"] = "fine"
    del data["tests"][0]["complete"]
    del data["advice"][0]["costs_money"]
    assert load_document(data) == load_document(COMPLETE)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("schema"),
        lambda data: data.update(schema="two-machines/diagnosis/2"),
        lambda data: data.update(schema="two-machines/bench/1"),
        lambda data: data.update(schema="two-machines/diagnosis/x"),
        lambda data: data.update(tests=None),
        lambda data: data.update(tests={}),
        lambda data: data.pop("advice"),
        lambda data: data.pop("model"),
        lambda data: data.update(machine=[]),
        lambda data: data["machine"].update(gpus=3),
        lambda data: data["machine"]["cpu"].update(logical="two"),
        lambda data: data["machine"]["cpu"].update(logical=1.5),
        lambda data: data["model"].update(file=7),
        lambda data: data["model"].update(types=[1]),
        lambda data: data["model"].update(tied_head="no"),
        lambda data: data["model"].update(bytes=1, parameters=10**400),
        lambda data: data["tests"][0].update(samples_s=[]),
        lambda data: data["tests"][0].update(samples_s=[0.0]),
        lambda data: data["tests"][0].update(samples_s=[float("nan")]),
        lambda data: data["tests"][0].update(phase="postfill"),
        lambda data: data["ceilings"]["read_probes"][0].update(samples_s=[]),
        lambda data: data["ceilings"].update(read_bytes_per_s_source="guessed: by me"),
        lambda data: data["workload"].update(prompt_tokens=0),
        lambda data: data["timeline"].update(wait_s=-1.0),
    ],
)
def test_damage_is_said_and_never_a_traceback(change: Callable[[dict[str, Any]], object]) -> None:
    data = copy.deepcopy(COMPLETE)
    change(data)
    with pytest.raises(BadFile) as caught:
        load_document(data)
    assert caught.value.exit_code == 3
    assert caught.value.sentence.endswith(".")


def test_a_newer_result_asks_for_an_update() -> None:
    with pytest.raises(BadFile, match="Update Two Machines"):
        load_document({**COMPLETE, "schema": "two-machines/diagnosis/12"})


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"null", b'"text"', b"{}", b"GGUF\x03"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(content)
    with pytest.raises(BadFile):
        read_document(path)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be read"):
        read_document(tmp_path / "none.json")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_has_no_end_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for endless in (pipe, Path("/dev/zero")):
        with pytest.raises(BadFile, match="no file with results"):
            file_bytes(endless)
    for folder in (tmp_path, Path("/")):
        with pytest.raises(BadFile, match="is a folder"):
            file_bytes(folder)


def test_a_file_too_large_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(10**10)  # of nothing: it takes no room
    with pytest.raises(BadFile, match="too large"):
        file_bytes(path)
    assert file_bytes(path, first=4) == bytes(4)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd")
def test_a_commands_output_is_read_as_a_file() -> None:
    """What a shell hands over for ``<(llama-bench -o json)``."""
    reading, writing = os.pipe()
    os.write(writing, b"pp512: 812 t/s")
    os.close(writing)
    assert file_bytes(Path(f"/dev/fd/{reading}")) == b"pp512: 812 t/s"
    os.close(reading)


def test_a_file_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("\ufeff" + json_text(COMPLETE), encoding="utf-8")
    assert read_document(path) == load_document(COMPLETE)


@pytest.mark.parametrize("share", [-1, -0.2, 1.5, float("nan")])
@pytest.mark.parametrize("phase", ["prefill", "decode"])
def test_an_impossible_share_of_a_ceiling_is_no_document(phase: str, share: float) -> None:
    data = copy.deepcopy(COMPLETE)
    data["verdict"][phase]["of_ceiling"] = share
    with pytest.raises(BadFile):
        load_document(data)


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(leaf for key, item in items for leaf in _leaves(item, (*path, key)))]


LEAVES = [leaf for leaf in _leaves(COMPLETE) if leaf and "attention" not in leaf]
JUNK = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([]), st.just({}))


@settings(max_examples=150, deadline=None)
@given(leaf=st.sampled_from(LEAVES), junk=JUNK)
@example(leaf=("verdict", "decode", "of_ceiling"), junk=-1)
@example(leaf=("verdict", "decode", "of_ceiling"), junk=-2)
@example(leaf=("verdict", "decode", "of_ceiling"), junk=0)
def test_any_changed_field_gives_a_document_or_bad_file(leaf: tuple[Any, ...], junk: Any) -> None:
    data = copy.deepcopy(COMPLETE)
    holder = data
    for step in leaf[:-1]:
        holder = holder[step]
    holder[leaf[-1]] = junk
    try:
        document = load_document(data)
    except BadFile:
        return
    assert document_markdown(document)
