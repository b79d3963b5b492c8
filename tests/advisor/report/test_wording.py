"""Sentences that reports share: what a speed was measured with, and how sure the answer is."""

from dataclasses import replace

import pytest

from advisor.benchmarks.model import Conditions, Phase, Stamp, Sweep
from advisor.core.evidence import Basis, Known
from advisor.report.document import Document
from advisor.report.wording import how_sure, in_this_work
from tests.support import documents as d

FELL = Conditions(Stamp.SUSPECT, ("the speed fell by 7 % while it ran",))


def slower(document: Document) -> Document:
    """The request is reckoned with another decode speed than the measured one."""
    line = replace(document.timeline.value, decode_tokens_per_s=9.1)  # type: ignore[union-attr]
    return replace(document, timeline=Known(line, Basis.COMPUTED, "test"))


def test_a_speed_says_its_depth_where_the_request_was_reckoned_with_another() -> None:
    document = d.complete_document()
    assert [in_this_work(document, phase) for phase in Phase] == ["", ""]
    assert in_this_work(slower(document), Phase.PREFILL) == ""
    said = in_this_work(slower(document), Phase.DECODE).replace("\u00a0", " ")
    assert said == "With an empty cache; 9.10 tokens/s at the depth of your work."


def test_a_speed_at_depth_names_it() -> None:
    document = d.complete_document()
    deep = replace(slower(document), tests=tuple(replace(test, n_depth=2000) for test in document.tests))
    assert in_this_work(deep, Phase.DECODE).replace("\u00a0", " ").startswith("With 2,000 tokens in the cache; ")


def test_one_persons_share_is_no_matter_of_depth() -> None:
    document = slower(d.complete_document())
    assert in_this_work(replace(document, workload=replace(document.workload, users=4)), Phase.DECODE) == ""


def test_what_is_not_as_valid_as_the_run_is_named() -> None:
    document = d.complete_document()
    assert "Not fully valid" not in how_sure(document)
    use = Known(d.real_use(FELL), Basis.MEASURED, "test")
    assert how_sure(replace(document, real_use=use)).endswith(
        "Not fully valid: the test in real use (⚠ suspect: the speed fell by 7 % while it ran)."
    )


@pytest.mark.parametrize(("users", "named"), [(1, False), (4, True)])
def test_points_of_several_streams_count_where_the_answer_rests_on_them(users: int, named: bool) -> None:
    document = d.complete_document()
    together = replace(d.decode_test(FELL), n_streams=4, sweep=Sweep.BATCH)
    asked = replace(
        document, tests=(*document.tests, together), workload=replace(document.workload, users=users)
    )
    assert ("Not fully valid: tg128 x 4 (⚠ suspect" in how_sure(asked)) is named
