"""The page *Command line* of the user guide, made of the parser itself, so that it cannot say anything else."""

import argparse
from collections.abc import Iterator
from typing import Final

from advisor.cli.examples import EXAMPLES
from advisor.cli.parser import PROGRAM, parser

HEAD: Final = """# Command line

Everything that the window does is also a command; `python -m advisor COMMAND` is the same where Qt is not installed.
Results go to standard output, progress and errors to standard error.

| exit code | means |
| --- | --- |
| 0 | done |
| 1 | a result could not be written, or a Python package is missing |
| 2 | wrong usage |
| 3 | the file cannot be used |
| 4 | the engine failed |
| 5 | measured, but not to be believed |
| 130 | stopped |

"""
COMMON: Final = "--json"
"""Explained once, since every command takes it."""


def reference_markdown() -> str:
    """The whole page."""
    commands = _subcommands(parser())
    listed = [f"| [`{name}`](#{name}) | {_cell(words)} |" for name, (words, _command) in commands.items()]
    parts = [
        HEAD + "\n".join(["| command | does |", "| --- | --- |", *listed]),
        f"`{COMMON}` writes JSON to standard output, `{COMMON} FILE.json` into a file. Numbers in brackets are what is "
        "taken where an option is not given.",
        *(_section(name, command) for name, (_words, command) in commands.items()),
    ]
    return "\n\n".join(parts) + "\n"


def _section(name: str, command: argparse.ArgumentParser) -> str:
    lines = [f"## {name}", "", command.description or "", ""]
    lines += [f"    {' '.join(_usage(name, command))}", ""]
    rows = [_row(action) for action in command._actions if _is_shown(action)]
    if rows:
        lines += ["| word | means |", "| --- | --- |", *rows, ""]
    inner = _subcommands(command)
    if inner:
        lines += ["| action | does |", "| --- | --- |"]
        lines += [
            f"| `{' '.join(_usage(f'{name} {each}', sub))}` | {_cell(words)} |" for each, (words, sub) in inner.items()
        ]
        lines.append("")
    examples = EXAMPLES.get(name, ())
    if examples:
        lines += [f"    {PROGRAM} {example}" for example in examples]
    return "\n".join(lines).rstrip()


def _usage(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    yield f"{PROGRAM} {name}"
    if any(action.option_strings and _is_shown(action) for action in command._actions):
        yield "[options]"
    for action in command._actions:
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction):
            word = _value(action)
            yield f"[{word}]" if action.nargs in ("?", "*") else word


def _row(action: argparse.Action) -> str:
    if action.option_strings:
        value = _value(action)
        word = ", ".join(f"`{option}`" for option in action.option_strings) + (f" `{value}`" if value else "")
    else:
        word = f"`{_value(action)}`"
    words = (action.help or "").replace("%(default)s", str(action.default))
    if action.choices is not None and action.option_strings:
        words = f"{', '.join(str(choice) for choice in action.choices)} {words}"
    return f"| {_cell(word)} | {_cell(words)} |"


def _value(action: argparse.Action) -> str:
    """What stands for the value; "" for a switch."""
    if action.nargs == 0:
        return ""
    if action.choices is not None and not action.option_strings:
        return "|".join(str(choice) for choice in action.choices)
    if isinstance(action.metavar, str):
        return action.metavar
    return action.dest.upper() if not isinstance(action, argparse.BooleanOptionalAction) else ""


def _is_shown(action: argparse.Action) -> bool:
    hidden = isinstance(action, (argparse._HelpAction, argparse._SubParsersAction)) or action.help == argparse.SUPPRESS
    return not hidden and COMMON not in action.option_strings


def _subcommands(command: argparse.ArgumentParser) -> dict[str, tuple[str, argparse.ArgumentParser]]:
    """Name -> its line in the list and its parser."""
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            words = {choice.dest: choice.help or "" for choice in action._choices_actions}
            return {name: (words.get(name, ""), parser) for name, parser in action.choices.items()}
    return {}


def _cell(text: str) -> str:
    """Text that may stand in a table."""
    return text.replace("|", "\\|").strip()
