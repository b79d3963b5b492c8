"""The benchmark of advice: what it has written down is not made again, whatever cut it off."""

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from advisor.benchmarks.model import Phase
from advisor.recommendations.ranking import predictions
from advisor.report.evidence_of import evidence_of
from tests.benchmarks import advice
from tests.benchmarks.advice import Record, Row, Runner, summary
from tests.support import documents
from tests.support.trials import pair, trial

ROW = Row("dense", "rag", "quantise", "decode", 20.0, 8.0, 10.0, 12.0, 9.0, 11.0, 13.0, (2.0,) * 3, (1.0,) * 3,
          "valid", "", True, 60.0, "products")  # fmt: skip


def runner(record: Record, tmp_path: Path) -> Runner:
    return Runner(record, advice.Asked(), advice.BenchSettings(), lambda name: name != "threads", tmp_path)


def test_what_stands_in_the_record_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_arguments: object, **_more: object) -> None:
        raise AssertionError("diagnosed again")

    monkeypatch.setattr(advice, "Pipeline", never)
    record = Record(tmp_path / "deep" / "advice.jsonl")
    record.keep({"model": "dense", "workload": "rag", "offered": ["quantise", "threads"]})
    record.keep(asdict(ROW))
    assert record.rows() == {ROW.key: ROW}
    runner(record, tmp_path).run("dense", "rag")  # what is left was not asked for


@pytest.mark.parametrize("change", [{"counts": False}, {"advice": "shorten-prompt"}, {"workload": "chat"}])
def test_what_is_missing_or_must_not_be_believed_is_made(
    change: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class BegunError(Exception):
        pass

    def begin(*_arguments: object) -> None:
        raise BegunError

    monkeypatch.setattr(advice, "write", begin)
    record = Record(tmp_path / "advice.jsonl")
    record.keep({"model": "dense", "workload": "rag", "offered": ["quantise"]})
    record.keep(asdict(replace(ROW, **change)))  # type: ignore[arg-type]
    with pytest.raises(BegunError):
        runner(record, tmp_path).run("dense", "rag")


def test_a_line_that_was_cut_off_counts_as_none(tmp_path: Path) -> None:
    record = Record(tmp_path / "advice.jsonl")
    record.keep(asdict(ROW))
    with record.path.open("a", encoding="utf-8") as out:
        out.write('{"model": "dense", "work')
    assert list(record.rows()) == [ROW.key]


def test_the_sum_counts_what_may_be_believed(capsys: pytest.CaptureFixture[str]) -> None:
    outside = replace(ROW, advice="threads", measured_s=13.0)
    invalid = replace(ROW, advice="ubatch", measured_s=-5.0, stamp="invalid", counts=False)
    assert summary([ROW]) == 0
    assert summary([ROW, outside, invalid]) == 1
    assert "1 of 2 inside (50%); middle off by 10.0%" in capsys.readouterr().out
    assert summary([invalid]) == 1


def test_a_row_holds_what_was_said_and_what_was_measured() -> None:
    document = replace(documents.swept_document(), trials=(trial(pair(0.8, phase=Phase.DECODE)),))
    evidence = evidence_of(document)
    assert evidence is not None
    said = next(one for one in predictions(evidence) if one.phase is Phase.DECODE)
    row = advice.row_of(said, document, ("sample", "rag"), 10.0)
    assert row.measured_s == pytest.approx(0.2 * row.cost_s)
    assert row.worst_s <= row.measured_s <= row.best_s
    assert (row.low_s, row.middle_s, row.high_s) == (said.saved_s_low, said.saved_s, said.saved_s_high)
    other = trial(pair(0.8, phase=Phase.PREFILL))
    assert advice.row_of(said, replace(document, trials=(other,)), ("sample", "rag"), 10.0).stamp == "failed"
