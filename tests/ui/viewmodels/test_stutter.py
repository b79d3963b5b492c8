"""The stutter page's state: clocks, points and words."""

import pytest

from tests.support import documents
from tests.support.stutters import stuttering_document
from ui.viewmodels.stutter import EMPTY, present_stutter


def test_without_a_measurement_the_page_says_what_it_is_for() -> None:
    for document in (None, documents.complete_document()):
        state = present_stutter(document, "")
        assert (state.empty, state.can_measure, state.clocks) == (EMPTY, True, ())


def test_a_button_that_waits_says_for_what() -> None:
    for document in (None, stuttering_document()):
        state = present_stutter(document, "Looking for the engine")
        assert (state.can_measure, state.measure_tip) == (False, "Looking for the engine")


def test_the_clock_of_every_size() -> None:
    state = present_stutter(stuttering_document(), "Open a model first")
    assert not state.empty
    assert [clock.chunk for clock in state.clocks] == ["64", "128", "256", "512", "2,048 (in one go)"]
    whole = state.clocks[-1]
    assert [row.name for row in whole.rows] == ["stream 1", "stream 2", "stream 3", "stream 4", "the prompt"]
    assert whole.prompt_from_s == pytest.approx(8 * 0.03)
    assert whole.prompt_to_s - whole.prompt_from_s == pytest.approx(1.9)
    assert len(whole.rows[0].at_s) == 8 + 1 + 8
    assert whole.rows[-1].at_s[0] == pytest.approx(whole.prompt_to_s)
    assert "the longest gap between two tokens is 1.9\u00a0s" in whole.spoken


def test_points_and_their_predictions() -> None:
    state = present_stutter(stuttering_document(), "Open a model first")
    assert [point.tokens for point in state.points] == [64, 128, 256, 512, 2048]
    assert state.points[0].predicted_s == pytest.approx(0.09)
    assert state.points[0].low_s < state.points[0].worst_s < state.points[0].high_s
    assert "160" in state.sentence
    assert len(state.rows) == 5
