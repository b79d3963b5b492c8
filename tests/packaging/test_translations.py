"""The German catalogue: of this source, compiled as it is written, and with the same places for figures."""

import re
from pathlib import Path
from types import ModuleType
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.mofile import read_mo

ROOT: Final = Path(__file__).resolve().parents[2]
PLACE: Final = re.compile(r"\{\w+\}")


def test_the_catalogue_holds_what_the_source_says_and_nothing_else(recipe: ModuleType) -> None:
    source = {(m.id, m.context) for m in recipe.messages() if m.id}
    kept = {(m.id, m.context) for m in recipe.read() if m.id}
    assert source == kept, "python packaging/translations.py update"


def test_every_marked_text_is_found_wherever_it_stands(recipe: ModuleType) -> None:
    source = """
tr("a {b}", b=capital(tr("c")))
trn("one", "many", len(d), n=count(len(d)), e=shown(tr(e)))
f"{tr('f')} {fmt.plural(3, 'g', 'gs')}" + trc("tab", "h")
NAMES = {1: marked("i " "j")}
tr(NAMES[1]); plural(3, "k"); tr(f"{l} m"); other("n")
"""
    found = {(text, context) for _line, text, context in recipe.said_in(source)}
    texts = {"a {b}", "c", ("one", "many"), "f", ("g", "gs"), "i j"}
    assert found == {*((text, None) for text in texts), ("h", "tab")}


def test_another_copys_words_fill_what_has_none_yet(recipe: ModuleType) -> None:
    ours, theirs = Catalog(locale="de"), Catalog(locale="de")
    for text, words in (("kept", "behalten"), ("open", ""), (("{n} one", "{n} many"), ("", ""))):
        ours.add(text, words)
    for text, words in (("kept", "anders"), ("open", "offen"), (("{n} one", "{n} many"), ("{n} eins", "{n} viele")),
                        ("new", "neu"), ("empty", "")):  # fmt: skip
        theirs.add(text, words)
    recipe.take_over(theirs, ours)
    assert {m.id: m.string for m in ours if m.id} == {
        "kept": "behalten", "open": "offen", ("{n} one", "{n} many"): ("{n} eins", "{n} viele"), "new": "neu",
    }  # fmt: skip


def test_the_compiled_catalogue_is_that_of_the_text(recipe: ModuleType) -> None:
    with recipe.CATALOGUE.with_suffix(".mo").open("rb") as file:
        compiled = {(frozen(m.id), m.context): frozen(m.string) for m in read_mo(file) if m.id}
    assert compiled == {(m.id, m.context): m.string for m in recipe.read() if m.id and recipe.is_translated(m)}


def frozen(words: str | list[str]) -> str | tuple[str, ...]:
    """The forms of a count as a tuple, as the text of the catalogue has them."""
    return words if isinstance(words, str) else tuple(words)


def test_figures_have_the_same_places_in_both_languages(recipe: ModuleType) -> None:
    wrong = []
    for message in recipe.read():
        if message.id and recipe.is_translated(message):
            ids = message.id if isinstance(message.id, tuple) else (message.id,)
            words = message.string if isinstance(message.string, tuple) else (message.string,)
            places = set().union(*(PLACE.findall(text) for text in ids))
            # One form of a count may say its number in a word ("a layer").
            if any(set(PLACE.findall(text)) - places for text in words) or set(PLACE.findall(words[-1])) != places:
                wrong.append(message.id)
    assert not wrong


def test_german_is_complete(recipe: ModuleType) -> None:
    assert [message.id for message in recipe.left(recipe.read())] == []
