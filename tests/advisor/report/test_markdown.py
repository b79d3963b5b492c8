"""The report for forums and issues."""

import itertools
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.report.document import Document
from advisor.report.exporters.markdown import document_markdown, escaped
from tests.support import documents as d
from tests.support.trials import EXAMPLES

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", ["complete", "stopped", "bare", "suspect", "swept", "tried"])
def test_reports_read_as_they_did(name: str) -> None:
    """After a wanted change: UPDATE_GOLDEN=1 pytest tests/advisor/report, then read the diff."""
    text = document_markdown(EXAMPLES[name]())
    path = GOLDEN / f"{name}.md"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("build", EXAMPLES.values(), ids=EXAMPLES)
def test_tables_keep_their_columns(build: Callable[[], Document]) -> None:
    document = replace(build(), model=d.model("a|b `c` *d*\nnext line"))
    lines = document_markdown(document).splitlines()
    for line, following in itertools.pairwise(lines):
        if line.startswith("|") and following.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) == len(re.findall(r"(?<!\\)\|", following))


def test_nothing_personal_is_written() -> None:
    assert "maria" not in document_markdown(d.complete_document())


def test_a_stopped_run_says_so() -> None:
    text = document_markdown(d.stopped_document())
    assert "**Not complete:** Stopped during prefill" in text
    assert "not measured" in text


def test_safe_mode_stands_beside_the_figures() -> None:
    text = document_markdown(d.suspect_document())
    assert "pp512, safe mode" in text
    assert "Measured in safe mode" in text


def test_a_ceiling_that_was_passed_is_at_least() -> None:
    text = document_markdown(d.suspect_document())
    assert "at least 11.6\u00a0tokens/s" in text
    assert not re.search(r"1[0-9]{2}\u00a0% of", text.replace("100\u00a0%", ""))


def test_special_characters_stay_what_they_are() -> None:
    assert escaped("a|b*c\nd") == r"a\|b\*c d"
