from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester

from advisor.benchmarks.store.model import RunEnd
from tests.support.fake_history import FakeHistory, some_runs
from ui.bridge.history import RunList
from ui.viewmodels.history import (
    HEADERS,
    NOTHING,
    NOTHING_DELETED,
    NUMBER_ROLE,
    READING,
    UNENDED,
    HistoryModel,
    present_run,
)

NBSP = "\u00a0"


@pytest.fixture
def model(qtmodeltester: ModelTester) -> HistoryModel:
    made = HistoryModel()
    made.show_runs(RunList(FakeHistory().overview(deleted=False), reading=False))
    qtmodeltester.check(made)
    return made


def numbers(model: HistoryModel) -> list[int]:
    return [model.index(row, 0).data(NUMBER_ROLE) for row in range(model.rowCount())]


def test_the_newest_run_comes_first_with_both_speeds(model: HistoryModel) -> None:
    assert numbers(model) == [8, 7, 6, 5, 4, 3, 2, 1]
    row = [model.index(0, column).data() for column in range(len(HEADERS))]
    assert row[:3] == ["8", "2026-11-29 22:05", "Llama 3.1 8B Q4_K_M"]
    assert float(row[3]) > float(row[4])
    assert model.headerData(3, Qt.Orientation.Horizontal) == "Prefill\ntokens/s"
    assert model.state.count == f"8{NBSP}runs"


@pytest.mark.parametrize(("text", "found"), [
    ("qwen", [5, 1]), ("29 22:05", [8]), ("QWEN q4_k", [5, 1]), ("gemma mistral", []),
    ("2026-11-29", [8, 7, 6, 5, 4, 3, 2, 1]), ("29 november 2026 22:05", [8]),
    ("documents", [8, 7, 6, 5, 4, 3, 2, 1]), ("  ", [8, 7, 6, 5, 4, 3, 2, 1]),
])
def test_every_typed_word_must_stand_somewhere(model: HistoryModel, text: str, found: list[int]) -> None:
    model.set_filter(text)
    assert numbers(model) == found
    assert (f"of 8{NBSP}runs" in model.state.count) is (0 < len(found) < 8)
    assert (text in model.state.empty) is (not found)


def test_it_sorts_by_figures_and_by_words(model: HistoryModel) -> None:
    model.sort(4, Qt.SortOrder.DescendingOrder)
    assert numbers(model) == [1, 2, 3, 4, 5, 6, 7, 8]
    model.sort(2, Qt.SortOrder.AscendingOrder)
    assert model.index(0, 2).data().startswith("Gemma")
    assert model.index(7, 2).data().startswith("Qwen")


def test_what_is_empty_says_why() -> None:
    model = HistoryModel()
    assert model.state.empty == READING
    model.show_runs(RunList(reading=False))
    assert model.state.empty == NOTHING
    model.show_runs(RunList(deleted=True, reading=False))
    assert model.state.empty == NOTHING_DELETED


def test_a_screen_reader_hears_the_column_with_the_cell(model: HistoryModel) -> None:
    assert model.index(0, 2).data(Qt.ItemDataRole.AccessibleTextRole) == "Model: Llama 3.1 8B Q4_K_M"
    assert model.index(0, 3).data(Qt.ItemDataRole.AccessibleTextRole) == "Prefill, tokens/s: 35.6"
    assert model.index(0, 5).data(Qt.ItemDataRole.AccessibleTextRole) == "Label: none"


def test_a_run_shows_all_that_is_kept() -> None:
    detail = present_run(some_runs()[0])
    assert detail.title == "Run 1, 29 November 2026, 15:05"
    assert ("Engine", "llama-cpp-python 0.3.36 (build b-1234)") in detail.pairs
    assert [row[0] for row in detail.rows] == ["pp512", "tg128"]
    assert detail.sentences == ()
    assert not detail.deleted


def test_how_a_run_ended_is_said() -> None:
    run = some_runs()[0]
    assert present_run(replace(run, end=None)).sentences == (UNENDED,)
    stopped = RunEnd("2026-11-29T14:07:30+01:00", "cancelled", "Stopped.", "What was measured is kept.")
    assert present_run(replace(run, end=stopped)).sentences == ("Stopped. What was measured is kept.",)
    assert present_run(replace(run, tests=())).sentences == ("Nothing was measured.",)
