"""How things look in a terminal: results on standard output, progress and errors on standard error."""

import io
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, TextIO

from advisor.cli.parser import PROGRAM
from advisor.cli.targets import STDOUT, deliver
from advisor.core.errors import AdvisorError
from advisor.gguf.readable import readable

LABEL_WIDTH = 24


SENTENCE_CHARACTERS = 2000


def prepare_streams() -> None:
    """Make the standard streams fit for any text and any fate.

    Closed descriptors are opened on the null device, so that no file of ours takes their numbers; what the terminal's
    encoding cannot show is replaced instead of ending the program.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 (for good)
        elif hasattr(stream, "reconfigure"):
            chosen = {} if os.environ.get("PYTHONIOENCODING") else {"encoding": "utf-8"}
            stream.reconfigure(errors="replace", **chosen)
    if sys.stdout is sys.__stdout__ and sys.stdout is not None:
        sys.stdout = going_on(sys.stdout)


class _GoesOn(io.FileIO):
    """Standard output whose reader may leave, as ``head`` does: the rest goes nowhere.

    The command ends as it would; else nobody would learn that figures are not to be believed (exit code 5).
    """

    def write(self, data: Any) -> int:
        """All of it, wherever it goes."""
        try:
            return super().write(data)
        except BrokenPipeError:
            drop_output(self)
            return len(data)


def going_on(stream: TextIO) -> TextIO:
    """The same stream, whose reader may leave; as it is where it is no file."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        return stream
    stream.flush()
    raw = io.BufferedWriter(_GoesOn(descriptor, "w", closefd=False))
    return io.TextIOWrapper(
        raw, encoding=stream.encoding, errors=stream.errors, line_buffering=stream.isatty()
    )


def drop_output(stream: TextIO | io.FileIO) -> None:
    """Point an output at nothing, so that what is still buffered cannot fail once more at the end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def show_error(error: AdvisorError) -> None:
    """One sentence and one hint; never raises, since nothing could be told about it."""
    lines = [f"{PROGRAM}: {readable(error.sentence, SENTENCE_CHARACTERS)}"]
    if error.hint:
        lines.append(f"  {readable(error.hint, SENTENCE_CHARACTERS)}")
    with suppress(OSError, ValueError):
        print("\n".join(lines), file=sys.stderr)


def show_pairs(title: str, pairs: Iterable[tuple[str, str]]) -> None:
    """A titled list of label and value."""
    import shutil
    import textwrap

    print(title)
    width = max(shutil.get_terminal_size((100, 24)).columns, 60)
    for label, value in pairs:
        body = textwrap.wrap(value, width - LABEL_WIDTH - 2, break_on_hyphens=False) or [""]
        print(f"  {label:<{LABEL_WIDTH}}{body[0]}")
        for line in body[1:]:
            print(" " * (LABEL_WIDTH + 2) + line)


def show_paragraph(text: str, indent: str = "") -> None:
    """A wrapped paragraph."""
    import shutil
    import textwrap

    width = max(shutil.get_terminal_size((100, 24)).columns, 60)
    print(textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False))


def present(target: str | None, make_json: Callable[[], dict[str, Any]], show: Callable[[], None]) -> None:
    """A result as JSON where that was asked for, and as text unless the JSON takes its place on standard output.

    Raises:
        CannotWrite: after the text was shown, so that what was measured is seen all the same.
    """
    failed: AdvisorError | None = None
    if target:
        try:
            emit_json(target, make_json())
        except AdvisorError as error:
            failed = error
    if target != STDOUT:
        show()
        if target and failed is None:
            print(f"Written: {target}")
    if failed is not None:
        raise failed


def emit_json(target: str, value: dict[str, Any]) -> None:
    """A result as JSON to standard output (``-``) or to a file; raises CannotWrite."""
    from advisor.report.codec import json_text

    deliver(target, json_text(value))


def columns(rows: Sequence[Sequence[str]]) -> None:
    """A table: the first column left-aligned, the others right-aligned."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *[cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]]
        print("  " + "  ".join(cells).rstrip())
