from dataclasses import replace

import pytest

from advisor.benchmarks.model import Sweep
from tests.support import documents
from tests.support.kernel_tables import MODEL, bounds, table
from ui.viewmodels.waterfall import EMPTY, WaterfallPage, present_waterfalls, spoken

BOTH = (documents.decode_test(), documents.prefill_test())


def test_before_a_measurement_it_says_what_will_be_here() -> None:
    assert present_waterfalls(None, None, (), None) == WaterfallPage()
    assert present_waterfalls(MODEL, bounds(table()), (), None).empty == EMPTY


def test_prefill_first_each_bar_beginning_where_the_last_one_ended() -> None:
    page = present_waterfalls(MODEL, bounds(table()), BOTH, None)
    assert [step.phase for step in page.steps] == ["prefill", "decode"]
    for step in page.steps:
        at = 0.0
        for part in step.parts:
            assert part.start == pytest.approx(at)
            at += part.width
        assert at == pytest.approx(1.0)
        assert step.parts[0].kind == "ideal"
        assert step.parts[-1].kind == "unexplained"


def test_parts_that_take_longer_alone_than_together_still_fit() -> None:
    page = present_waterfalls(MODEL, bounds(table(unpacking=3.0)), BOTH, None)
    last = page.steps[1].parts[-1]
    assert last.name == "Unexplained: the parts took longer alone than together"
    assert last.width == 0
    assert sum(part.width for part in page.steps[1].parts) == pytest.approx(1.0)


def test_without_kernels_it_says_why() -> None:
    page = present_waterfalls(MODEL, documents.ceilings(), BOTH, None)
    assert page.steps[1].parts == ()
    assert page.steps[1].sentence == "Not taken apart: the engine's kernels are not measured."


def test_a_curve_alone_is_not_taken_apart() -> None:
    rows = (replace(documents.decode_test(), sweep=Sweep.THREADS),)
    assert present_waterfalls(MODEL, bounds(table()), rows, None).steps == ()


def test_in_words() -> None:
    step = present_waterfalls(MODEL, bounds(table()), BOTH, None).steps[1]
    assert step.title.startswith("One token of tg128: 86")
    assert spoken(step).count(";") == len(step.parts) - 1
