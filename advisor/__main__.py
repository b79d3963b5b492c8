"""Command line without the window: ``python -m advisor COMMAND``.

Nothing of ours is imported before ``main`` can take a Ctrl+C: importing takes a tenth of a second.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

OpenWindow = Callable[[list[str]], int]

OWN_PACKAGES: Final = frozenset({"", "advisor", "resources", "ui"})
"""A module of ours that is not there is a defect, and no package that a user could install."""

EXIT_STOPPED: Final = 130
STOPPED: Final = "two-machines: Stopped."
MEASURING: Final = frozenset(
    {"ceilings", "bench", "sweep", "diagnose", "try", "rehearse", "server", "choose", "what-if", "selftest"}
)
"""Commands that measure; each shows and keeps by itself what it has measured when it is stopped."""


def main(argv: Sequence[str] | None = None, open_window: OpenWindow | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        argv: the words after the program's name; None for the process's own.
        open_window: how ``gui`` (and no command at all) opens the window; None where there is none.
    """
    try:
        return _run(list(sys.argv[1:] if argv is None else argv), open_window)
    except KeyboardInterrupt:  # a command that has something to show shows it and does not raise
        with suppress(OSError, ValueError, AttributeError):
            print(STOPPED, file=sys.stderr)
        return EXIT_STOPPED


@contextmanager
def _leaving_at_once() -> Iterator[None]:
    """Ctrl+C ends the process here and now, with its sentence.

    While modules are imported, Python may lose the exception that it would raise (in a callback of the import system),
    or report it in pieces. Where Ctrl+C is ignored or already somebody else's, it stays so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:
        yield
        return

    def leave(_number: int, _frame: object) -> None:
        with suppress(OSError):
            os.write(2, f"{STOPPED}\n".encode())
        os._exit(EXIT_STOPPED)

    signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _run(words: list[str], open_window: OpenWindow | None) -> int:
    with _leaving_at_once():
        from advisor.cli import targets, terminal
        from advisor.cli.commands import COMMANDS
        from advisor.cli.parser import PROGRAM, WITHOUT_WINDOW, parse
        from advisor.core.errors import AdvisorError, Cancelled, PackageMissing, UsageError

    terminal.prepare_streams()
    try:
        arguments = parse(words, WITHOUT_WINDOW if open_window is None else PROGRAM)
        if arguments.command in (None, "gui"):
            if open_window is None:
                raise UsageError(
                    "This entry has no window.", f"Run {PROGRAM}, or name a command: {', '.join(COMMANDS)}."
                )
            model = getattr(arguments, "model", None)
            new = ["--new-window"] if getattr(arguments, "new_window", False) else []
            return open_window([*new, *([str(model)] if model else [])])
        targets.check_targets(arguments)
        code = COMMANDS[arguments.command](arguments)
        sys.stdout.flush()
        return code
    except Cancelled:
        hint = "Nothing was measured yet." if arguments.command in MEASURING else ""
        terminal.show_error(Cancelled("Stopped.", hint))
        return Cancelled.exit_code
    except AdvisorError as error:
        terminal.show_error(error)
        return error.exit_code
    except BrokenPipeError:
        terminal.drop_output(sys.stdout)
        return 0
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in OWN_PACKAGES:
            raise
        missing = PackageMissing(
            f"The Python package {package} is not installed, and this command needs it.",
            f"Install it with: python -m pip install {package}",
        )
        terminal.show_error(missing)
        return missing.exit_code
    except OSError as error:
        terminal.drop_output(sys.stdout)
        reason = error.strerror or str(error)
        terminal.show_error(AdvisorError(f"The result could not be written: {reason}.", "Make room, or choose a file."))
        return AdvisorError.exit_code


if __name__ == "__main__":
    sys.exit(main())
