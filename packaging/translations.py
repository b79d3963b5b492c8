"""Keep the German catalogue: ``python packaging/translations.py update`` after sentences changed, then translate.

``update``  find every ``tr``, ``trn``, ``trc`` and ``marked`` in the source, add what is new to
            ``resources/translations/de.po``, drop what is gone, and compile ``de.mo``, which the program reads
``merge F``  take over the translations of another copy of the catalogue (two people worked side by side), then update
``left``    print what has no translation yet, by source file; exit code 1 where something is left

A changed sentence is a new sentence: nothing is guessed from similar ones, since a wrong figure in a sentence that
reads well is worse than an English one.
"""

import argparse
import ast
import io
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT: Final = Path(__file__).resolve().parents[1]
CATALOGUE: Final = ROOT / "resources" / "translations" / "de.po"
KEYWORDS: Final = {
    "tr": (0,), "trn": (0, 1), "trc": (1,), "marked": (0,),
    "plural": (1, 2), "noun": (1, 2),  # of advisor.core.numbers, where both forms are given
}  # fmt: skip
"""Functions, and which of their arguments are texts; the context of ``trc`` stands before its text."""
PACKAGES: Final = ("advisor", "ui")
DATED: Final = datetime(2026, 11, 30, tzinfo=UTC)
"""One date in the file's head, whenever it was made, so that the same sentences make the same file."""


def messages(root: Path = ROOT) -> Catalog:
    """Everything in the source that is marked for translation, with the files it stands in."""
    found = Catalog(locale="de", domain="two-machines", charset="utf-8", fuzzy=False)
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            name = file.relative_to(root).as_posix()
            for line, text, context in said_in(file.read_text(encoding="utf-8")):
                found.add(text, locations=[(name, line)], context=context, flags=_flags())
    return found


def said_in(source: str) -> Iterator[tuple[int, str | tuple[str, ...], str | None]]:
    """Line, text (or both forms of a count) and context of everything that is marked in a file.

    By Python's own parser, since Babel's goes by tokens: it loses calls inside other calls' arguments, and inside
    f-strings on some versions of Python.
    """
    for call in ast.walk(ast.parse(source)):
        if not isinstance(call, ast.Call):
            continue
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        given = [one.value if isinstance(one, ast.Constant) else None for one in call.args]
        texts = tuple(given[place] for place in KEYWORDS.get(name, ()) if place < len(given))
        if texts and len(texts) == len(KEYWORDS[name]) and all(isinstance(text, str) for text in texts):
            yield call.lineno, texts if len(texts) > 1 else texts[0], given[0] if name == "trc" else None


def _flags() -> tuple[str, ...]:
    return ("python-brace-format",)


def read(path: Path = CATALOGUE) -> Catalog:
    """The catalogue in a file; an empty one where there is none yet."""
    return read_po(io.BytesIO(path.read_bytes()), locale="de") if path.exists() else Catalog(locale="de")


def brought_up_to_date(source: Catalog, translated: Catalog) -> Catalog:
    """The messages of ``source`` with the words of ``translated``, sorted, nothing else."""
    catalogue = Catalog(
        locale="de", domain="two-machines", project="Two Machines", charset="utf-8", fuzzy=False,
        header_comment="# German texts of Two Machines.", creation_date=DATED, revision_date=DATED,
        version="1", msgid_bugs_address="", last_translator="the developers", language_team="German",
    )  # fmt: skip
    for message in sorted(source, key=lambda m: (m.id if isinstance(m.id, str) else m.id[0], m.context or "")):
        if message.id:
            known = translated.get(message.id, message.context)
            # A text that has become a count, or a count that is none any more, is to be translated anew.
            same = known is not None and known.pluralizable == message.pluralizable
            catalogue.add(
                message.id, known.string if known and same else None, context=message.context, flags=_flags(),
                auto_comments=[", ".join(sorted({name for name, _ in message.locations}))],
            )  # fmt: skip
    return catalogue


def is_translated(message: Message) -> bool:
    """Whether every form of a message has words."""
    return all(message.string) if isinstance(message.string, (tuple, list)) else bool(message.string)


def take_over(other: Catalog, translated: Catalog) -> None:
    """Give ``translated`` the words of ``other`` for what has none of its own."""
    for message in other:
        if not message.id or not is_translated(message):
            continue
        known = translated.get(message.id, message.context)
        if known is None:
            translated.add(message.id, message.string, context=message.context)
        elif known.id == message.id and not is_translated(known):
            known.string = message.string  # adding it again would keep the empty one


def save(catalogue: Catalog, path: Path = CATALOGUE) -> None:
    """The catalogue as text and, beside it, compiled."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue, width=0, omit_header=False)
    with path.with_suffix(".mo").open("wb") as file:
        write_mo(file, catalogue)


def left(catalogue: Catalog) -> list[Message]:
    """Messages without a translation."""
    return [message for message in catalogue if message.id and not is_translated(message)]


def main(arguments: list[str]) -> int:
    """Do what the command line asks; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("update", "merge", "left"))
    parser.add_argument("file", nargs="?", type=Path)
    asked = parser.parse_args(arguments)
    translated = read()
    if asked.what == "merge":
        take_over(read(asked.file), translated)
    catalogue = brought_up_to_date(messages(), translated)
    if asked.what != "left":
        save(catalogue)
    open_ones = left(catalogue)
    if asked.what == "left":
        for message in open_ones:
            print(f"{', '.join(message.auto_comments)}: {message.id!r}")
    print(f"{len([m for m in catalogue if m.id])} sentences, {len(open_ones)} without German words")
    return 1 if asked.what == "left" and open_ones else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
