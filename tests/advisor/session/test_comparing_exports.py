"""A result held against each of its own exports: the same tests find each other, with the same figures."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.benchmarks.store.store import Store
from advisor.core.translation import ENGLISH, use
from advisor.importing.reading import read_report
from advisor.report.codec import json_text
from advisor.report.document import Document
from advisor.report.exporters.as_csv import document_csv
from advisor.report.exporters.as_html import document_html
from advisor.report.exporters.as_json import document_json
from advisor.report.exporters.llama_bench import document_rows
from advisor.report.exporters.llama_bench_text import text_for
from advisor.report.exporters.markdown import document_markdown
from advisor.session.comparing import compared
from tests.support import documents as d


def in_shape(suffix: str) -> Callable[[Document], str]:
    return lambda document: text_for(suffix, document_rows(document))


EXPORTS: dict[str, Callable[[Document], str]] = {
    "rows.json": in_shape(".json"), "rows.jsonl": in_shape(".jsonl"), "rows.csv": in_shape(".csv"),
    "rows.sql": in_shape(".sql"), "rows.md": in_shape(".md"), "own.csv": document_csv, "own.md": document_markdown,
    "own.html": document_html,
}  # fmt: skip


@pytest.mark.parametrize("name", EXPORTS)
def test_every_test_of_one_stream_finds_itself(name: str, tmp_path: Path) -> None:
    document = d.swept_document()
    (tmp_path / "d.json").write_text(json_text(document_json(document)), encoding="utf-8")
    (tmp_path / name).write_text(EXPORTS[name](document), encoding="utf-8")
    (found,) = compared([str(tmp_path / "d.json"), str(tmp_path / name)], Store(tmp_path / "results.sqlite"))
    single = [test for test in document.tests if test.n_streams == 1]
    assert sum((pair.base.n_streams or 1) == 1 for pair in found.pairs) == len(single)
    assert all(pair.alike and pair.ratio == pytest.approx(1, abs=0.02) for pair in found.pairs)
    assert all(test.n_streams != 1 for test in found.only_base)
    assert found.only_other == ()
    for pair in found.pairs:
        assert pair.base.n_threads == pair.other.n_threads or pair.other.n_threads is None


def test_our_report_in_german_gives_the_same_figures(german: None) -> None:
    """A thousand is 1.000 there, which would be one elsewhere."""
    fast = d.prefill_test()
    fast = replace(fast, samples_s=tuple(sample_s / 100 for sample_s in fast.samples_s))
    document = replace(d.complete_document(), tests=(fast, d.decode_test()))
    said = document_markdown(document)
    assert "Tokens/s" in said
    (run,) = read_report(said, "bericht.md")
    use(ENGLISH)
    (again,) = read_report(document_markdown(document), "report.md")
    speeds = [test.tokens_per_s for test in run.tests]
    assert speeds == [test.tokens_per_s for test in again.tests]
    assert speeds == pytest.approx([test.tokens_per_s for test in document.tests], rel=0.01)
    assert speeds[0] > 1000


def test_a_graphics_card_is_the_same_device_by_its_number_and_by_its_backend(tmp_path: Path) -> None:
    document = d.swept_document()
    document = replace(document, tests=tuple(replace(test, device="CUDA0") for test in document.tests))
    (tmp_path / "d.json").write_text(json_text(document_json(document)), encoding="utf-8")
    (tmp_path / "rows.json").write_text(in_shape(".json")(document), encoding="utf-8")
    (found,) = compared([str(tmp_path / "d.json"), str(tmp_path / "rows.json")], Store(tmp_path / "results.sqlite"))
    assert found.only_other == ()
    assert not any("device" in words for pair in found.pairs for words in pair.differs)
