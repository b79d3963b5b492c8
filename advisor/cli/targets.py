"""Where results go: into files, or to standard output, where one takes the place of the text."""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from advisor.core.errors import UsageError

STDOUT: Final = "-"
TARGETS: Final = ("json", "pdf", "html", "md", "csv", "llama_bench")
"""Options that name a file to be written, of whichever command."""
SOURCES: Final = ("model", "file", "draft", "prompt_file", "results", "shape")
"""Arguments that may name a file to be read."""


def check_targets(arguments: argparse.Namespace) -> None:
    """Refuse what could not be written, before anything is measured or changed.

    Raises:
        UsageError: two results for one place, a PDF for standard output, or a file that is read as well.
        CannotWrite: a file that could not be written.
    """
    targets = [(f"--{name.replace('_', '-')}", target) for name, target in _targets(arguments)]
    for at, (option, target) in enumerate(targets):
        if target == STDOUT and option == "--pdf":
            raise UsageError("A PDF cannot go to standard output.", "Give it a file: --pdf FILE")
        other = next((one for one, place in targets[:at] if _same(place, target)), None)
        if other is not None:
            where = "standard output" if target == STDOUT else f"the file {target}"
            raise UsageError(
                f"{other} and {option} cannot both be written to {where}.", "Give one of them a file of its own."
            )
        if target != STDOUT and any(_same(target, source) for source in _sources(arguments)):
            raise UsageError(f"{option} would overwrite {target}, which is read.", "Give it another file.")
    files = [target for _, target in targets if target != STDOUT]
    if files:
        from advisor.report.exporters.files import check_writable

        for target in files:
            check_writable(Path(target))


def printed(arguments: argparse.Namespace) -> bool:
    """Whether a result goes to standard output, so that nothing else may."""
    return any(target == STDOUT for _, target in _targets(arguments))


def deliver(target: str | Path, text: str) -> None:
    """A result to standard output (``-``) or to a file; raises CannotWrite."""
    from advisor.report.exporters.files import write_atomically

    if str(target) == STDOUT:
        sys.stdout.write(text)
    else:
        write_atomically(Path(target), text)


def _targets(arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Names of the options that were given, and where their results go."""
    return ((name, str(target)) for name in TARGETS if (target := getattr(arguments, name, None)))


def _sources(arguments: argparse.Namespace) -> Iterator[str]:
    for name in SOURCES:
        given: Any = getattr(arguments, name, None)
        yield from (str(each) for each in (given if isinstance(given, list) else [given]) if each)


def _same(one: str, other: str) -> bool:
    """Whether two words name the same place."""
    if STDOUT in (one, other):
        return one == other
    try:
        return one == other or os.path.samefile(one, other)  # noqa: PTH121  # a word that no file could have is none
    except (OSError, ValueError):
        return os.path.abspath(one) == os.path.abspath(other)  # noqa: PTH100
