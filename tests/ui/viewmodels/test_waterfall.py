from dataclasses import replace

import pytest

from advisor.benchmarks.model import Sweep
from tests.support import documents
from tests.support.kernel_tables import MODEL, bounds, table
from ui.viewmodels.waterfall import EMPTY, WaterfallPage, Waterfalls, present_waterfalls, spoken, take_apart

BOTH = (documents.decode_test(), documents.prefill_test())


def page_of(model, ceilings, tests, verdict=None) -> WaterfallPage:  # type: ignore[no-untyped-def]
    return present_waterfalls(take_apart(model, ceilings, tests), tests, verdict, documents.workload())


def test_before_a_measurement_it_says_what_will_be_here() -> None:
    assert page_of(None, None, ()) == WaterfallPage()
    assert page_of(MODEL, bounds(table()), ()).empty == EMPTY


def test_prefill_first_each_bar_beginning_where_the_last_one_ended() -> None:
    page = page_of(MODEL, bounds(table()), BOTH)
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
    page = page_of(MODEL, bounds(table(unpacking=3.0)), BOTH)
    last = page.steps[1].parts[-1]
    assert last.name == "Unexplained: the parts took longer alone than together"
    assert last.width == 0
    assert sum(part.width for part in page.steps[1].parts) == pytest.approx(1.0)


def test_without_kernels_it_says_why() -> None:
    page = page_of(MODEL, documents.ceilings(), BOTH)
    assert page.steps[1].parts == ()
    assert page.steps[1].sentence == "Not taken apart: the engine's kernels are not measured."


def test_a_curve_alone_is_not_taken_apart() -> None:
    rows = (replace(documents.decode_test(), sweep=Sweep.THREADS),)
    assert page_of(MODEL, bounds(table()), rows).steps == ()


def test_in_words() -> None:
    step = page_of(MODEL, bounds(table()), BOTH).steps[1]
    assert step.title.startswith("One token of tg128, with an empty cache: 86")
    assert spoken(step).count(";") == len(step.parts) - 1


def test_the_verdict_speaks_only_below_the_row_that_it_rests_on() -> None:
    verdict, tests = documents.verdict(), BOTH
    same = page_of(MODEL, bounds(table()), tests, verdict)
    assert [step.sentence for step in same.steps] == [verdict.prefill.because, verdict.decode.because]
    deep = (*BOTH, replace(documents.decode_test(), n_depth=4096))  # nearer to the workload's 4,000 tokens
    other = page_of(MODEL, bounds(table()), deep, verdict)
    assert other.steps[1].title.startswith("One token of tg128 @ d4096: ")
    assert other.steps[1].sentence == verdict.decode.because


def test_decode_is_taken_apart_at_the_depth_of_the_work_where_that_was_measured() -> None:
    curve = tuple(
        replace(documents.decode_test(), n_depth=depth, sweep=Sweep.DEPTH, n_gen=32) for depth in (1024, 4096)
    )
    page = page_of(MODEL, bounds(table()), (*BOTH, *curve), documents.verdict())
    assert page.steps[1].title.startswith("One token of tg32 @ d4096: ")
    assert "nearest to the depth of this work" in page.steps[1].sentence
    assert page.steps[1].sentence.endswith("the verdict rests on tg128.")
    short = replace(documents.workload(), prompt_tokens=100, shared_tokens=0)
    taken = take_apart(MODEL, bounds(table()), (*BOTH, *curve))
    shallow = present_waterfalls(taken, (*BOTH, *curve), documents.verdict(), short)
    assert shallow.steps[1].title.startswith("One token of tg128, with an empty cache")


def test_a_moved_slider_takes_nothing_apart_again(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[object] = []

    def counted(*asked):  # type: ignore[no-untyped-def]
        taken.append(asked)
        return take_apart(*asked)

    monkeypatch.setattr("ui.viewmodels.waterfall.take_apart", counted)
    kept, facts = Waterfalls(), bounds(table())
    for prompt in (4_000, 8_000):
        kept.present(MODEL, facts, BOTH, None, replace(documents.workload(), prompt_tokens=prompt))
    assert len(taken) == 1
    kept.present(MODEL, facts, BOTH[:1], None, documents.workload())
    assert len(taken) == 2
