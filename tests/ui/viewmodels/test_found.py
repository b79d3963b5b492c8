"""The list of models as a person sees and hears it."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from advisor.gguf.discover.model import Discovery, FoundModel, Source
from tests.support.found import some_models
from ui.viewmodels.found import (
    DETAIL_ROLE,
    PATH_ROLE,
    SIZE_ROLE,
    WARNING_ROLE,
    FoundModels,
    present_found,
    present_row,
)

NBSP = "\u00a0"


def test_before_the_search_has_ended() -> None:
    state = present_found(None)
    assert (state.heading, state.rows) == ("", 0)
    assert state.note == "Looking for models on this computer…"


def test_nothing_found_is_said() -> None:
    state = present_found(Discovery())
    assert (state.heading, state.rows) == ("", 0)
    assert state.note == "No models of other programs were found on this computer."


def test_nothing_found_for_a_reason_gives_the_reason() -> None:
    assert present_found(Discovery((), ("It was locked.",))).note == "⚠ It was locked."


def test_rows_say_name_size_and_place() -> None:
    state = present_found(some_models())
    assert state.heading.replace(NBSP, " ") == "ON THIS COMPUTER: 11 MODELS, 361 GB"
    assert state.rows == 11
    by_name = {model.name: present_row(model) for model in some_models().models}
    row = by_name["llama3.2:1b"]
    assert (row.size, row.detail, row.warning) == (f"1.32{NBSP}GB", "Ollama", False)
    assert row.tip == "/models/llama3.2:1b.gguf"
    assert row.spoken == f"llama3.2:1b, 1.32{NBSP}GB, Ollama"
    assert by_name["Meta-Llama-3.1-70B-Instruct-Q4_K_M"].detail == f"Hugging Face · 2{NBSP}files"


def test_missing_files_are_said_and_not_only_coloured() -> None:
    row = present_row(some_models().models[0])
    assert row.warning
    assert row.detail == f"LM Studio · ⚠ 2 of 6{NBSP}files missing"
    assert "missing" in row.spoken


def test_one_model_and_several_remarks() -> None:
    model = FoundModel("m", Path("/m.gguf"), 1000, Source.FOLDER)
    state = present_found(Discovery((model,), ("One.", "Two.")))
    assert state.heading.replace(NBSP, " ") == "ON THIS COMPUTER: 1 MODEL, 1.00 kB"
    assert state.note.replace(NBSP, " ") == "⚠ 2 remarks about what is not listed"
    assert state.note_tip == "One.\nTwo."


def test_the_item_model_is_sound_and_has_every_role(qtmodeltester: ModelTester, qapp: object) -> None:
    model = FoundModels()
    qtmodeltester.check(model)
    model.show_discovery(some_models())
    qtmodeltester.check(model)
    assert model.rowCount() == 11
    index = model.index(0, 0)
    assert index.data() == "DeepSeek-R1-0528-UD-Q2_K_XL"
    assert index.data(SIZE_ROLE) == f"251{NBSP}GB"
    assert "LM Studio" in index.data(DETAIL_ROLE)
    assert index.data(WARNING_ROLE) is True
    assert index.data(PATH_ROLE) == Path("/models/DeepSeek-R1-0528-UD-Q2_K_XL.gguf")
    assert index.data(Qt.ItemDataRole.ToolTipRole).endswith(".gguf")
    assert index.data(Qt.ItemDataRole.AccessibleTextRole).startswith("DeepSeek")
    assert index.data(Qt.ItemDataRole.DecorationRole) is None
    assert model.data(model.index(99, 0)) is None


def test_the_same_rows_do_not_reset_the_list(qtbot: QtBot, qapp: object) -> None:
    model = FoundModels()
    found = some_models()
    model.show_discovery(found)
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.state_changed):
        model.show_discovery(replace(found, notes=()))
    assert model.state.note == ""
