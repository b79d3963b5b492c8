"""A measured server as Markdown and HTML, and what its charts show."""

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.core.errors import BadFile
from advisor.core.evidence import Unknown
from advisor.report import server_charts
from advisor.report.exporters import server_svg
from advisor.report.exporters.server_html import server_html
from advisor.report.exporters.server_markdown import repeat_command, server_markdown
from advisor.report.server_document import (
    SCHEMA,
    ServerDocument,
    document_text,
    read_server_document,
    server_document,
)
from advisor.servers.advice import Comfort
from advisor.servers.model import ServerResult, ServerSettings
from tests.support.server_results import FACTS, some_result

MADE = "2026-11-30T12:00:00+01:00"


def document(result: ServerResult | None = None, settings: ServerSettings | None = None) -> ServerDocument:
    asked = settings or ServerSettings("http://127.0.0.1:8080", key="sk-secret")
    return server_document(MADE, "0.1.0", result or some_result(), asked, Comfort())


def test_markdown_has_verdict_settings_tables_and_how_to_repeat_it() -> None:
    made = document()
    text = server_markdown(made)
    assert text.startswith(f"# {made.verdict.sentence}\n")
    for words in (
        "tiny, served by llama-server b1 at http://127.0.0.1:8080/v1.", "**Stamp:** valid", "## What to set",
        "## Time to first token", "## Users at once", "## A long prompt comes while others read",
        "## What did not work", "8 users at once: The server failed (HTTP 500).", "## The server",
        "two-machines server http://127.0.0.1:8080/v1", "Two Machines 0.1.0, 30 November 2026",
    ):  # fmt: skip
        assert words in text
    (advice, *_) = made.verdict.advice
    assert f"### 1. {advice.title}" in text and f"```\n{advice.command}\n```" in text
    assert "sk-secret" not in text


def test_html_has_its_charts_under_the_tables_titles_and_nothing_from_elsewhere() -> None:
    page = server_html(document())
    assert page.count("<svg") == 3
    for title in ("Time to first token over the prompt", "Speed over users", "Tokens of every stream"):
        assert title in page
    assert page.index("A long prompt comes while others read</h2>") < page.index("Tokens of every stream")
    assert "http-equiv" in page and "<script" not in page and "src=" not in page
    assert page == server_html(document())


def test_nothing_measured_gives_a_report_without_pictures() -> None:
    made = document(ServerResult(FACTS, interrupted="The time given, 5 s, was up."))
    text = server_markdown(made)
    assert "**Not complete:** The time given, 5 s, was up." in text
    assert "No setting follows from what was measured." in text
    assert "<svg" not in server_html(made)


def test_what_a_server_says_of_itself_cannot_become_markup() -> None:
    facts = replace(FACTS, model="<img src=x onerror=alert(1)>", because="a | b *c*")
    page = server_html(document(replace(some_result(), facts=facts)))
    assert "<img" not in page


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (ServerSettings("u"), ""),
        (ServerSettings("u", users=()), " --users 0"),
        (ServerSettings("u", prompts_tokens=(32, 64), streams=0), " --prompts 32,64 --streams 0"),
        (ServerSettings("u", budget_s=120.0, model="a b", insecure=True), " --budget 120 --model 'a b' --insecure"),
    ],
)
def test_the_command_that_repeats_it_names_what_is_not_usual(settings: ServerSettings, words: str) -> None:
    assert repeat_command(document(settings=settings)) == f"two-machines server http://127.0.0.1:8080/v1{words}"


def test_the_clock_shows_the_time_around_the_long_prompt_only() -> None:
    clock = server_charts.token_clock(some_result())
    assert clock is not None
    assert [row.name for row in clock.rows] == ["stream 1", "stream 2", "the prompt"]
    assert clock.end_s - clock.begin_s == pytest.approx(1.0)
    assert all(0 <= at <= clock.length_s for row in clock.rows for at in row.at_s)
    assert clock.length_s <= clock.end_s + 1.0 + 1e-9


def test_one_point_is_no_line() -> None:
    result = some_result()
    assert server_svg.speeds(replace(result, users=result.users[:1])) == ""
    assert server_svg.first_token(replace(result, prefill=Unknown("not measured"))) == ""
    assert server_svg.token_clock(replace(result, stutter=Unknown("not measured"))) == ""


def test_a_file_between_two_processes_gives_the_same_document(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(document_text(document()), encoding="utf-8")
    assert read_server_document(path) == document()
    for other in ('{"schema": "two-machines/diagnose/1"}', "{", "[]"):
        path.write_text(other, encoding="utf-8")
        assert read_server_document(path) is None
    assert read_server_document(tmp_path / "none.json") is None
    for broken in ("", ', "document": 1', ', "document": {"result": 1}'):
        path.write_text(f'{{"schema": "{SCHEMA}"{broken}}}', encoding="utf-8")
        with pytest.raises(BadFile):
            read_server_document(path)
