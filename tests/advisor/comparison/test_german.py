"""Comparison, course over time and choice in German; what is compared has the same keys in every language."""

from dataclasses import replace

import pytest

from advisor.benchmarks.model import EngineMode, FlashAttention, Phase
from advisor.comparison.compare import compare, engines_clause, engines_differ
from advisor.comparison.trend import Point, around, changes
from advisor.shortlist.model import Priority
from advisor.shortlist.quality import loss_sentence, loss_words
from tests.advisor.comparison.test_compare import row, side
from tests.advisor.comparison.test_trend import point, timed
from tests.support.in_german import assert_same, in_german


def test_what_differs_between_two_sides() -> None:
    first = side(row(Phase.DECODE, 10, n_batch=512, kv_type="f16", engine="a"))
    second = side(row(Phase.DECODE, 15, n_threads=2, n_batch=256, kv_type="q8_0", engine="b", device="CPU"),
                  name="b", machine="two", label="Q8_0")  # fmt: skip
    second = replace(second, engine="vLLM 2")

    def said() -> list[str]:
        found = compare(first, second)
        return [*found.differs, *(text for pair in found.pairs for text in (*pair.differs, *pair.unknown))]

    assert "4\u00a0threads against 2" in said()
    assert "4\u00a0Threads gegen 2" in in_german(said)
    assert_same(said(), in_german(said))


def test_the_clause_on_engines_is_known_without_its_words() -> None:
    first, second = side(row(Phase.DECODE, 10, engine="a")), side(row(Phase.DECODE, 15, engine="b"))
    assert engines_clause(first.tests[0], second.tests[0]) in compare(first, second).pairs[0].differs
    assert engines_differ(first, replace(second, engine="vLLM 2")) and not engines_differ(first, second)


@pytest.mark.parametrize("now", [
    {"n_threads": 2}, {"mode": EngineMode.ONE_THREAD}, {"kv_type": "q8_0"}, {"n_ubatch": 128},
    {"flash_attention": FlashAttention.ON},
])  # fmt: skip
def test_what_changed_since_the_last_run(now) -> None:
    def reasons() -> list[str]:
        (change,) = changes([point(5, timed(30.0, **now))], [point(4, timed(40.0))])
        return list(change.reasons)

    assert len(reasons()) == 1
    assert_same(reasons(), in_german(reasons))
    assert reasons() != in_german(reasons)


def test_surroundings_are_compared_by_keys_of_no_language() -> None:
    test = timed(40.0)
    english = point(4, test)
    german = in_german(lambda: point(5, test))
    assert english.around == german.around
    (change,) = changes([german], [english])
    assert change.reasons == change.unknown == ()
    bare = Point(4, "2026-11-04T10:00:00+01:00", test, around(test, None, None))
    (change,) = in_german(lambda: changes([german], [bare]))
    assert {"Engine", "System", "Stromversorgung"} <= set(change.unknown)


def test_losses_of_quality() -> None:
    from advisor.shortlist.quality import loss_of

    for recipe in ("Q4_K_M", "Q8_0", "F16", "MXFP4", "Q2_K"):
        for parameters in (1e9, 8e9, 70e9):
            loss = loss_of(recipe, int(parameters))
            assert figures_agree(recipe, loss)
    assert {str(each) for each in Priority} == {"quality", "speed", "size"}


def figures_agree(recipe: str, loss: object) -> bool:
    source = getattr(loss, "source", "")

    def said() -> list[str]:
        return [loss_words(loss), loss_sentence(recipe, loss)]  # type: ignore[arg-type]

    assert_same(said(), in_german(said), (source, getattr(loss, "reason", "")))
    return True
