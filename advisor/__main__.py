"""Command line without the window: ``python -m advisor COMMAND``."""

import os
import sys
from collections.abc import Callable, Sequence

from advisor.cli import terminal
from advisor.cli.commands import COMMANDS, flush_output
from advisor.cli.parser import PROGRAM, parse
from advisor.core.errors import AdvisorError, Cancelled, UsageError

OpenWindow = Callable[[list[str]], int]


def main(argv: Sequence[str] | None = None, open_window: OpenWindow | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        argv: the words after the program's name; None for the process's own.
        open_window: how ``gui`` (and no command at all) opens the window; None where there is none.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        arguments = parse(words)
        if arguments.command in (None, "gui"):
            if open_window is None:
                raise UsageError(
                    "This entry has no window.", f"Run {PROGRAM}, or name a command: {', '.join(COMMANDS)}."
                )
            model = getattr(arguments, "model", None)
            return open_window([str(model)] if model else [])
        code = COMMANDS[arguments.command](arguments)
        flush_output()
        return code
    except AdvisorError as error:
        terminal.show_error(error)
        return error.exit_code
    except KeyboardInterrupt:
        terminal.show_error(Cancelled("Stopped."))
        return Cancelled.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
