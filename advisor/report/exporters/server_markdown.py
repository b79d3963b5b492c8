"""A measured server as Markdown that reads well in a forum post or an issue."""

import shlex
from collections.abc import Iterable
from typing import Final

from advisor.core.translation import marked, tr
from advisor.report import formatting as f
from advisor.report.exporters.markdown_table import escaped, listed_lines, table
from advisor.report.server_document import ServerDocument
from advisor.report.server_words import Table, advice_words, failure_words, model_words, server_pairs, server_tables
from advisor.report.server_words import stamp_words as stamp
from advisor.servers.advice import Comfort
from advisor.servers.facts import ServerKind
from advisor.servers.model import ServerSettings

NO_ADVICE: Final = marked("No setting follows from what was measured.")

_OPTIONS: Final = {
    "prompts_tokens": "--prompts", "answer_tokens": "--answer", "repetitions": "-r", "users": "--users",
    "streams": "--streams", "stutter_prompt_tokens": "--stutter-prompt", "budget_s": "--budget",
    "silence_s": "--timeout",
}  # fmt: skip


def server_markdown(document: ServerDocument) -> str:
    """The whole report: verdict, what to set, what was measured, how to repeat it."""
    sections = (
        _top(document),
        _list(tr("What its users feel"), document.verdict.findings),
        _advice(document),
        _list(tr("What will not help"), document.verdict.will_not_help),
        *(_table(each) for each in server_tables(document.result)),
        _list(tr("What did not work"), problems(document)),
        _list(tr("The server"), [f"{label}: {value}" for label, value in server_pairs(document.result)]),
        f"## {tr('How to repeat this')}\n\n```\n{repeat_command(document)}\n```\n\n{escaped(made_by(document))}",
    )
    return "\n\n".join(section for section in sections if section) + "\n"


def subject(document: ServerDocument) -> str:
    """Which model on which server, in a sentence."""
    facts = document.result.facts
    by, version = str(facts.kind), facts.version.or_none()
    if facts.kind is ServerKind.UNKNOWN:
        by = tr("a server that was not recognised")
    elif version:
        by = f"{by} {version}"
    model = model_words(facts.model) or tr("A model without a name")
    return tr("{model}, served by {engine} at {url}.", model=model, engine=by, url=facts.base_url)


def problems(document: ServerDocument) -> list[str]:
    """What failed, what was not tried, and why it ended early."""
    result = document.result
    failed = [f"{failure_words(part, failure)} {failure.hint}".strip() for part, failure in result.failures.items()]
    return [*failed, *result.left_out, *([result.interrupted] if result.interrupted else [])]


def made_by(document: ServerDocument) -> str:
    """Program, version and moment."""
    return f"Two Machines {document.app_version}, {f.date_time(document.created_at)}."


def repeat_command(document: ServerDocument) -> str:
    """The command that asks the same of the server again; a key is given as it was given then."""
    asked, usual = document.settings, ServerSettings("")
    words = ["two-machines", "server", document.result.facts.base_url]
    for name, option in _OPTIONS.items():
        value = getattr(asked, name)
        if value != getattr(usual, name):
            shown = ",".join(map(str, value)) if isinstance(value, tuple) else f"{value:g}"
            words += [option, shown or "0"]
    lines, common = document.comfort, Comfort()
    for value, same, option in (
        (lines.stall_s, common.stall_s, "--stall"), (lines.wait_s, common.wait_s, "--wait"),
        (lines.slowest_tokens_per_s, common.slowest_tokens_per_s, "--slowest"),
    ):  # fmt: skip
        words += [option, f"{value:g}"] if value != same else []
    words += ["--model", asked.model] if asked.model else []
    words += ["--insecure"] if asked.insecure else []
    return " ".join(shlex.quote(word) for word in words)


def _top(document: ServerDocument) -> str:
    lines = [f"# {escaped(document.verdict.sentence)}", escaped(subject(document))]
    if document.result.interrupted:
        lines.append(f"**{tr('Not complete:')}** {escaped(document.result.interrupted)}")
    lines.append(f"**{tr('Stamp:')}** {escaped(stamp(document.result))}")
    return "\n\n".join(lines)


def _advice(document: ServerDocument) -> str:
    parts = [f"## {tr('What to set')}"]
    for number, advice in enumerate(document.verdict.advice, 1):
        parts.append(f"### {number}. {escaped(advice.title)}")
        for words in advice_words(advice):
            parts.append(f"```\n{words}\n```" if words == advice.command else escaped(words))
    return "\n\n".join(parts if document.verdict.advice else [*parts, tr(NO_ADVICE)])


def _table(found: Table) -> str:
    parts = [f"## {escaped(found.title)}"]
    if found.rows:
        parts.append(table(found.head, found.rows, frozenset(range(1, len(found.head)))))
    return "\n\n".join([*parts, *(escaped(sentence) for sentence in found.sentences)])


def _list(heading: str, lines: Iterable[str]) -> str:
    items = listed_lines(lines)
    return f"## {heading}\n\n{items}" if items else ""
