"""The words about lost seconds."""

from dataclasses import replace

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Basis, Known
from advisor.diagnosis.model import Loss
from advisor.diagnosis.parts import Seconds
from advisor.report.wait_words import loss_sentence, took_words
from tests.support import documents as d


def losses(*beyond_s: float) -> tuple[Loss, ...]:
    return tuple(
        Loss(phase, 9.0, lost_s, Known(lost_s + 1.0, Basis.COMPUTED, "test"))
        for phase, lost_s in zip(Phase, beyond_s, strict=True)
    )


def test_the_comfort_line_is_named_only_where_something_is_lost_beyond_it() -> None:
    one = loss_sentence(replace(d.verdict(), losses=losses(4.0, 0.0))).replace("\u00a0", " ")
    assert one.startswith("Beyond your comfort line: 4.0 s of reading (prefill) and nothing of writing (decode). ")
    none = loss_sentence(replace(d.verdict(), losses=losses(0.0, 0.0))).replace("\u00a0", " ")
    assert none == "Longer than at their ceilings: 1.0 s of reading (prefill) and 1.0 s of writing (decode)."


def test_a_time_of_nothing_is_said_by_its_end_alone() -> None:
    assert took_words(Seconds(0.0, 0.0, 0.006)).replace("\u00a0", " ") == "up to 6 ms"
