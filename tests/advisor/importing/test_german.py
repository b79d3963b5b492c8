"""What an import says in German: lines by their numbers, figures as they are."""

import json
from pathlib import Path

import pytest

from advisor.benchmarks.reported import ReportedRun
from advisor.benchmarks.store.codec import decode, encode
from advisor.benchmarks.store.store import Store
from advisor.core.errors import BadFile
from advisor.core.translation import ENGLISH, use
from advisor.diagnosis.workload import preset
from advisor.importing.phrases import UNKNOWN_TOOL, WORDS
from advisor.importing.reading import read_report
from advisor.report.import_words import sentences
from advisor.session.importing import Kept, keep

TABLE = """| model | size | params | backend | ngl | test | t/s |
| --- | --- | --- | --- | --- | --- | --- |
| llama 8B Q4_K - Medium | 4.58 GiB | 8.03 B | CUDA | 99 | pp512 | 4810.33 ± 20.11 |
| llama 8B Q4_K - Medium | 4.58 GiB | 8.03 B | CUDA | 99 | pp512+tg128 | 400.00 ± 1.00 |
"""
OLLAMA = {
    "model": "m", "prompt_eval_count": 26, "prompt_eval_duration": 10**8, "eval_count": 10, "eval_duration": 10**9,
}  # fmt: skip


def test_a_line_that_cannot_be_read(german: None) -> None:
    (run,) = read_report(TABLE, "table.md")
    assert run.unread_words == (
        "Zeile 4 war nicht lesbar: pp512+tg128 mischt Lesen und Schreiben und sagt damit über keines von beiden etwas.",
    )
    assert [test.tokens_per_s for test in run.tests] == [4810.33]
    use(ENGLISH)
    (run,) = read_report(TABLE, "table.md")
    assert run.unread_words == (
        "Line 4 could not be read: pp512+tg128 mixes reading and writing, which says nothing of either.",
    )


def test_nothing_that_can_be_read(german: None) -> None:
    only_bad = "\n".join(TABLE.splitlines()[:2] + TABLE.splitlines()[3:])
    with pytest.raises(BadFile) as caught:
        read_report(only_bad, "table.md")
    assert caught.value.sentence.startswith("Kein Wert in table.md ist lesbar: Zeile 3 war nicht lesbar: ")
    assert caught.value.hint.startswith("Bekannt sind die Ausgaben von llama-bench")
    use(ENGLISH)
    with pytest.raises(BadFile) as caught:
        read_report(only_bad, "table.md")
    assert caught.value.sentence.startswith("No figure in table.md can be read: line 3 could not be read: ")


def test_tools_and_forms_are_kept_in_english(german: None) -> None:
    """They are stored with the run and compared; only who shows them translates."""
    (run,) = read_report("pp512: 812 t/s, tg128: 23.5 t/s", "pasted")
    assert (run.tool, run.form) == (UNKNOWN_TOOL, WORDS) == ("an unknown tool", "words")


def test_the_tool_of_an_answer_does_not_hang_on_words(german: None) -> None:
    (run,) = read_report(json.dumps(OLLAMA), "answer.json")
    assert run.tool == "Ollama"
    (remark,) = run.tests[0].remarks
    assert remark == "an answer of one chat, whose earlier turns may have been cached"
    said = " ".join(sentences(run, preset("rag")))
    assert "eine Antwort aus einem Chat, dessen frühere Runden im Cache gewesen sein können" in said


def test_what_was_not_read_is_kept_in_english_and_shown_in_the_language_of_the_moment(
    german: None, tmp_path: Path
) -> None:
    store = Store(tmp_path / "results.sqlite")
    (kept,) = keep(read_report(TABLE, "table.md"), store)
    held = store.run(kept.number).imported
    assert held is not None and held.unread_words[0].startswith("Zeile 4 war nicht lesbar: ")
    assert held.unread_english[0].startswith("Line 4 could not be read: ")
    use(ENGLISH)
    assert held.unread_words == held.unread_english
    assert keep(read_report(TABLE, "table.md"), store) == (Kept(kept.number, True),)


def test_a_run_that_an_older_version_kept_says_what_it_said() -> None:
    (run,) = read_report(TABLE, "table.md")
    old = encode(run) | {"unread": ["Zeile 4 war {nicht} lesbar."]}
    assert decode(ReportedRun, old).unread_words == ("Zeile 4 war {nicht} lesbar.",)
    assert decode(ReportedRun, encode(run)) == run
