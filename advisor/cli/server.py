"""The command ``server``: a running server measured through its API."""

import argparse
import getpass
import os
import sys
from typing import TYPE_CHECKING, Any

from advisor.cli import targets, terminal
from advisor.cli.progress_line import ProgressLine
from advisor.cli.reports import write_server_reports
from advisor.core.errors import AdvisorError, Cancelled, UsageError
from advisor.core.progress import CancelToken, Progress
from advisor.report.server_words import Table, advice_words, failure_words, server_pairs, server_tables
from advisor.servers.advice import Comfort, ServerVerdict
from advisor.servers.model import ServerResult, ServerSettings
from advisor.session.events import Remark

if TYPE_CHECKING:
    from advisor.servers.run import Event


def run_server(arguments: argparse.Namespace, line: ProgressLine, cancel: CancelToken) -> int:
    """Measure and show; returns the exit code. Raises AdvisorError when nothing was measured."""
    from advisor.session.serving import measure_and_keep

    settings = settings_from(arguments)

    def listen(event: "Event | Remark") -> None:
        if isinstance(event, Progress):
            line(event)
        elif not isinstance(event, ServerResult):
            line(Remark(event.sentence, event.hint))

    comfort = Comfort(arguments.stall, arguments.wait, arguments.slowest)
    try:
        document = measure_and_keep(settings, comfort, listen, cancel, wait=not arguments.no_wait)
    finally:
        line.close()
    result, verdict = document.result, document.verdict

    def as_json() -> dict[str, Any]:
        from advisor.report.exporters.server_json import server_json

        return server_json(result, settings, verdict)

    printed = targets.printed(arguments)
    terminal.present(arguments.json, as_json, lambda: None if printed else show_result(result, verdict))
    sys.stdout.flush()
    written, failed = write_server_reports(document, arguments)
    if not printed:
        for path in written:
            print(f"Written: {path}")
    for error in failed:
        terminal.show_error(error)
    return exit_code(result, line, cancel) or max((error.exit_code for error in failed), default=0)


def settings_from(arguments: argparse.Namespace) -> ServerSettings:
    """What the options ask for. Raises UsageError."""
    return ServerSettings(
        url=arguments.url,
        model=arguments.model or "",
        key=_key(arguments),
        insecure=arguments.insecure,
        prompts_tokens=arguments.prompts,
        answer_tokens=arguments.answer,
        repetitions=arguments.repetitions,
        users=() if arguments.users == (0,) else tuple(users for users in arguments.users if users),
        streams=arguments.streams,
        stutter_prompt_tokens=arguments.stutter_prompt,
        budget_s=arguments.budget,
        silence_s=arguments.timeout,
    )


def _key(arguments: argparse.Namespace) -> str:
    """The key from the environment or typed without echo; "" where none is asked for. Raises UsageError."""
    if arguments.ask_key:
        if not sys.stdin.isatty():
            raise UsageError("There is no terminal to type a key into.", "Use --key-env with a variable.")
        return getpass.getpass("Key: ").strip()
    if not arguments.key_env:
        return ""
    key = os.environ.get(arguments.key_env, "").strip()
    if not key:
        raise UsageError(
            "The variable that --key-env names is not set or empty.",
            "Give the name of a variable, not the key itself, and export it first.",
        )
    return key


def show_result(result: ServerResult, verdict: ServerVerdict) -> None:
    """The result for people."""
    terminal.show_pairs(f"Server {result.facts.base_url}", server_pairs(result))
    for table in server_tables(result):
        _show_table(table)
    for sentence in result.left_out:
        terminal.show_paragraph(sentence, "  ")
    print("Verdict")
    for sentence in (verdict.sentence, *verdict.findings, *verdict.will_not_help):
        terminal.show_paragraph(sentence, "  ")
    for number, advice in enumerate(verdict.advice, 1):
        print(f"{number}. {advice.title}")
        for words in advice_words(advice):
            terminal.show_paragraph(words, "     ")


def _show_table(table: Table) -> None:
    print(table.title)
    if table.rows:
        terminal.columns([table.head, *table.rows])
    for sentence in table.sentences:
        terminal.show_paragraph(sentence, "  ")


def exit_code(result: ServerResult, line: ProgressLine, cancel: CancelToken) -> int:
    """The code, with what did not work said; that the time given was up is no fault, since that was asked for."""
    for part, failure in result.failures.items():
        terminal.show_error(AdvisorError(failure_words(part, failure), failure.hint))
    if result.interrupted and cancel.cancelled:
        terminal.show_error(Cancelled(result.interrupted))
        return Cancelled.exit_code
    if result.interrupted and result.failures:
        terminal.show_error(AdvisorError(result.interrupted))
    elif result.interrupted:
        line(Remark(result.interrupted))
    return max((failure.exit_code for failure in result.failures.values()), default=0)
