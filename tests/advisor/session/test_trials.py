"""From a diagnosis to a trial and back, with the invented engine: what is kept, what the ledger makes of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.benchmarks.model import Conditions, Phase, Stamp, TestSpec
from advisor.benchmarks.trials.model import SpeculateTrial, Trial
from advisor.core.dates import day
from advisor.core.errors import AdvisorError, UsageError
from advisor.core.evidence import Basis, Known
from advisor.core.progress import CancelToken
from advisor.diagnosis.workload import custom, preset
from advisor.recommendations import drafting
from advisor.recommendations.drafting import Drafter
from advisor.report.answering import answer
from advisor.report.document import Document
from advisor.session.events import Event, Remark
from advisor.session.trial_records import TrialRecords
from advisor.session.trials import Asked, Trying
from tests.support import documents
from tests.support.evidence import pp, tg
from tests.support.trials import InventedEngine


def linear(spec: TestSpec, call: int) -> float:
    """A prompt's seconds follow its length; rounds differ a little."""
    return spec.n_prompt / 40 * (1 + 0.02 * (call % 3))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


def diagnosed(work: object = None) -> Document:
    return answer(
        documents.machine(), documents.engine(), documents.model(),
        Known(documents.ceilings(), Basis.MEASURED, "probes"), (pp((40.0, 40.4, 39.6)), tg(11.6)),
        work or preset("rag"), documents.CREATED_AT,  # type: ignore[arg-type]
    )  # fmt: skip


def trying(store: Path, engine: InventedEngine | None = None) -> Trying:
    return Trying(engine or InventedEngine(linear), TrialRecords(store), documents.machine(), store.parent)


def earlier(store: Path, document: Document | None = None) -> tuple[Trial, ...]:
    held = document or diagnosed()
    return TrialRecords(store).earlier(held.model, documents.machine(), held.engine, held.tests)


def run(store: Path, document: Document, engine: InventedEngine | None = None, heard: list[Event] | None = None
        ) -> Document:
    said = heard if heard is not None else []
    return trying(store, engine).run(document, "shorten-prompt", Asked(), said.append, CancelToken())


def test_a_trial_answers_its_prediction_and_both_are_kept(store: Path) -> None:
    before = diagnosed()
    after = run(store, before)
    (trial,) = after.trials
    advice = next(one for one in after.advice if one.id == "shorten-prompt")
    predicted = next(one for one in before.advice if one.id == "shorten-prompt")
    assert advice.tried == trial
    assert advice.basis is Basis.MEASURED
    assert advice.saved_s == pytest.approx(predicted.saved_s, rel=0.03)
    assert earlier(store) == (trial,)
    record = after.ledger.record("shorten-prompt")
    assert record is not None
    assert record.tries == 1
    assert record.median_error < 0.03


def test_a_miss_widens_the_next_prediction(store: Path) -> None:
    after = run(store, diagnosed(), InventedEngine(lambda spec, call: 1.0 + spec.n_prompt / 2000))
    assert after.ledger.held == 0
    assert after.ledger.margin > 0.1
    again = answer(
        after.machine, after.engine, after.model, after.ceilings, after.tests, after.workload, after.created_at,
        ledger=after.ledger,
    )
    plain, wider = (
        next(one for one in held.advice if one.id == "shorten-prompt") for held in (diagnosed(), again)
    )
    assert wider.saved_s == plain.saved_s
    assert wider.saved_s_low < plain.saved_s_low


def test_a_trial_that_must_not_be_believed_is_kept_but_answers_nothing(store: Path) -> None:
    swapping = Conditions(Stamp.INVALID, ("the computer was swapping",))
    after = run(store, diagnosed(), InventedEngine(linear, conditions=lambda call: swapping))
    assert len(after.trials) == len(earlier(store)) == 1
    assert after.ledger.tries == 0


def test_a_prediction_from_a_disturbed_diagnosis_does_not_count(store: Path) -> None:
    before = diagnosed()
    invalid = Conditions(Stamp.INVALID, ("the computer was swapping",))
    after = run(store, replace(before, tests=tuple(replace(row, conditions=invalid) for row in before.tests)))
    assert len(after.trials) == 1
    assert after.ledger.tries == 0


def test_another_workload_keeps_the_ratio_where_it_fits(store: Path) -> None:
    after = run(store, diagnosed(custom(4_000, 300)))
    again = answer(
        after.machine, after.engine, after.model, after.ceilings, after.tests, custom(8_000, 300), after.created_at,
        trials=after.trials,
    )
    first, second = (next(one for one in held.advice if one.id == "shorten-prompt") for held in (after, again))
    assert second.tried is not None
    assert second.saved_s == pytest.approx(2 * first.saved_s, rel=0.01)


def test_what_cannot_be_tried_is_refused_with_what_can(store: Path) -> None:
    for name, words in (("nonsense", "no advice “nonsense”"), ("add-gpu", "“add-gpu”")):
        with pytest.raises(UsageError, match=words) as raised:
            trying(store).run(diagnosed(), name, Asked(), lambda _event: None, CancelToken())
        assert "shorten-prompt" in raised.value.hint


def test_nothing_is_tried_before_both_phases_are_measured(store: Path) -> None:
    with pytest.raises(UsageError, match="before both phases"):
        trying(store).run(documents.stopped_document(), "shorten-prompt", Asked(), lambda _event: None, CancelToken())
    assert trying(store).candidates(documents.stopped_document(), Asked()) == ()


def test_what_can_be_tried_says_how_long_it_takes(store: Path) -> None:
    held = trying(store).candidates(diagnosed(), Asked())
    assert "shorten-prompt" in [one.advice.id for one in held]
    assert all(one.takes_s is None or one.takes_s > 0 for one in held)


def test_a_store_that_cannot_be_used_is_said_and_costs_no_result(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    heard: list[Event] = []
    after = run(tmp_path / "file" / "results.sqlite", diagnosed(), heard=heard)
    assert len(after.trials) == 1
    assert any(isinstance(event, Remark) and "cannot be used" in event.sentence for event in heard)


def test_the_folder_of_the_model_is_not_written_down(store: Path) -> None:
    document = diagnosed()
    other = replace(document, model=replace(document.model, path=Path("/home/maria/secret/model.gguf")))
    run(store, other)
    assert b"maria" not in store.read_bytes()
    assert {pair.phase for trial in earlier(store) for pair in trial.pairs} == {Phase.PREFILL}


def test_what_was_tried_before_answers_a_fresh_diagnosis_of_the_same_settings_only(store: Path) -> None:
    run(store, diagnosed())
    fresh = diagnosed()
    (trial,) = earlier(store, fresh)
    again = answer(
        fresh.machine, fresh.engine, fresh.model, fresh.ceilings, fresh.tests, fresh.workload, fresh.created_at,
        trials=(trial,),
    )
    advice = next(one for one in again.advice if one.id == "shorten-prompt")
    assert advice.tried == trial
    assert f"Tried here on {day(trial.created_at)}" in advice.evidence
    other = replace(fresh, tests=tuple(replace(row, n_threads=row.n_threads + 1) for row in fresh.tests))
    assert earlier(store, other) == ()


def small(**more: object) -> Drafter:
    flows = documents.model().traffic
    assert isinstance(flows, Known)
    tenth = replace(flows.value, dense_bytes=flows.value.dense_bytes / 10, head_bytes=flows.value.head_bytes / 10)
    facts = replace(
        documents.model(), path=Path("/models/small.gguf"), weights_bytes=500_000_000,
        traffic=replace(flows, value=tenth),
    )
    return Drafter(replace(facts, **more), None)  # type: ignore[arg-type]


def test_a_picked_draft_model_is_predicted_and_can_be_tried(store: Path) -> None:
    held = trying(store).candidates(diagnosed(), Asked(drafter=small()))
    (one,) = [each.advice for each in held if each.advice.id == "speculate"]
    assert one.title == "Try speculative decoding with small.gguf"
    assert isinstance(one.trial, SpeculateTrial)
    assert one.trial.draft == Path("/models/small.gguf")
    assert one.saved_s_low < one.saved_s < one.saved_s_high
    assert "by the bytes of both files" in one.evidence
    assert "-md small.gguf" in one.how[0].command


@pytest.mark.parametrize(("facts", "words"), [
    ({"vocabulary": Known(1000, Basis.READ, "header")}, "its vocabulary has 1,000"),
    ({"weights_bytes": documents.model().weights_bytes}, "not smaller than the model"),
    ({"has_decode": False}, "cannot write text"),
])
def test_a_draft_model_that_cannot_help_is_one_sentence(facts: dict[str, object], words: str) -> None:
    model = replace(documents.model(), vocabulary=Known(128_256, Basis.READ, "header"))
    with pytest.raises(AdvisorError) as refused:
        drafting.check(small(**facts).model, model)
    assert words in refused.value.sentence.replace("\u00a0", " ")
    assert refused.value.sentence.count(". ") == 0
    assert refused.value.hint
