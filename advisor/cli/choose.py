"""The command ``choose``: what could be run here for a work, before anything is downloaded."""

import argparse
from typing import TYPE_CHECKING, Any, Final

from advisor.core.errors import UsageError

if TYPE_CHECKING:
    from advisor.cli.progress_line import ProgressLine
    from advisor.core.progress import CancelToken
    from advisor.shortlist.model import Shortlist

SORTS: Final = ("quality", "speed", "size")
"""Of ``shortlist.model.Priority``, which a test holds them against."""


def add_options(command: argparse.ArgumentParser) -> None:
    """Everything but the work, which ``parser`` adds."""
    command.add_argument("--sort", choices=SORTS, default=SORTS[0], help="what you want most of (quality)")
    command.add_argument("--all", action="store_true", help="every quantisation that fits, not the best of each model")
    command.add_argument("--model", default="", metavar="TEXT", help="only models with this in their name or maker")


def run_choose(arguments: argparse.Namespace, line: "ProgressLine", cancel: "CancelToken") -> int:
    """List and show; returns the exit code. Raises UsageError, Cancelled."""
    from advisor.cli import placing, terminal
    from advisor.cli.workloads import workload_from
    from advisor.session.shortlisting import catalogue, choose
    from advisor.shortlist.model import Priority

    if arguments.prompt_file is not None:
        raise UsageError("A prompt file is counted by a model, and none is chosen yet.", "Give --prompt N instead.")
    if not catalogue(arguments.model):
        raise UsageError(f"No model of the catalogue has {arguments.model!r} in its name.", "Leave --model out.")
    work, priority = workload_from(arguments), Priority(arguments.sort)
    pipeline = placing.pipeline_for(arguments)
    found = choose(pipeline, work, priority, line, cancel, arguments.all, arguments.model)
    line.close()

    def as_json() -> dict[str, Any]:
        from advisor.report.exporters.choose_json import choose_json

        return choose_json(found)

    terminal.present(arguments.json, as_json, lambda: _show(found, whole=bool(arguments.model)))
    return 0


def _show(found: "Shortlist", whole: bool) -> None:
    """The table with the comfort line drawn; everything about each choice where the user named models."""
    from advisor.cli import terminal
    from advisor.cli.parser import PROGRAM
    from advisor.report import shortlist_words as words

    terminal.show_paragraph(words.headline(found))
    if found.choices:
        rows = words.rows(found)
        after = words.line_after(found)
        if after is not None and 0 < after < len(rows):
            rows.insert(after, ("— comfort line —", *[""] * (len(words.HEAD) - 1)))
        terminal.columns([words.HEAD, *rows])
    if whole:
        for choice in found.choices:
            print()
            for sentence in words.sentences(choice):
                terminal.show_paragraph(sentence, "  ")
    for note in (words.impossible_words(found), *found.notes):
        if note:
            terminal.show_paragraph(note, "  ")
    if found.choices:
        first = found.choices[0]
        print(f"  To rehearse one: {PROGRAM} rehearse {first.name} --quant {first.recipe}")
