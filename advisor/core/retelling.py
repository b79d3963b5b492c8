"""Sentences that were said before, said once more in another language: read by the catalogue, then told by it.

A result keeps what was measured with the sentences that were made then (reasons, sources, stamps). Results are English,
whatever language the window speaks, so a German report of one tells them anew. A sentence is found by its template:
the text around its named places is the key, what stands in the places is retold by itself, and figures are written
as the language writes them. What no catalogue knows (names, commands, words of other programs) stays as it is.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, lru_cache
from typing import Any, Final, TypeVar, cast

from advisor.core.dates import day_in
from advisor.core.evidence import Known
from advisor.core.translation import ENGLISH, LANGUAGES, language, pairs

T = TypeVar("T")

_LANGUAGES: Final = LANGUAGES
"""Those with a catalogue of their own, whatever a test adds."""

NBSP: Final = "\u00a0"
REMEMBERED: Final = 20_000
"""Texts whose retelling is kept: those of some hundred runs, a few MB."""
SHORTEST_WORD: Final = 3
FEW_LETTERS: Final = 8
LONGEST_IN_FEW: Final = 24
"""Templates with so few letters of their own ("{n} of {all}") are believed only where little stands in each place."""

SENTENCES: Final = frozenset({
    "reason", "because", "usable_because", "happened", "fault", "remedy", "disturbed", "interrupted", "left_out",
    "notes", "gpus_note", "virtual_machine", "microarchitecture", "basis", "kept_basis", "title", "headline",
    "sentence", "hint", "detail", "evidence", "cost", "undo", "where", "words", "before", "after", "reasons", "unknown",
    "what", "ended", "doubts", "findings", "will_not_help", "default", "trades", "workload", "remarks", "unread",
})  # fmt: skip
"""Fields that hold sentences of ours; all other texts are names, moments and commands, the same in every language.

Of a known figure its source is one as well.
"""

_FACT: Final = frozenset({"value", "basis", "source"})
_PLACE: Final = re.compile(r"\{(\w+)\}")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_ENGLISH_FIGURE: Final = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_GERMAN_FIGURE: Final = r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+(?:,\d+)?"
_LETTER: Final = re.compile(r"[^\W\d_]")
_FIGURES: Final = {ENGLISH: _ENGLISH_FIGURE}
_MARKS: Final = str.maketrans(",.", ".,")
_SENTENCE_END: Final = re.compile(
    r"(?<=[.!?])(?!(?<=\d\.) [^\W\d_]+ \d{4}\b) +(?=[^\Wa-zäöü]|[“„\"])"  # "29. März 2026" is one day
)
_PROSE: Final = re.compile(r"(?:(?<!\S)[a-zäöüß]{2,}|^[A-ZÄÖÜ][a-zäöüß]+) [a-zäöüß]{2,}(?!\S)")
"""Two small words in a row, or a sentence's first with a small one behind it, as no name has them."""
_LIST: Final = "; "
_GLUE: Final = tuple(re.compile(rf"({each})") for each in ("\n", "; ", " · ", " – ", ": ", r" \(|\)", ", "))
"""What joins clauses, the strongest first."""
_COMMA: Final = _GLUE[-1]


@dataclass(frozen=True, slots=True)
class _Template:
    """One sentence of one language, and itself in every language.

    Attributes:
        letters: how many letters of its own it has; of two that fit, the one with more is meant.
        pieces: what stands before, between and after its places.
    """

    language: str
    text: str
    says: Mapping[str, str]
    pieces: tuple[str, ...]
    places: tuple[str, ...]
    letters: int


def retold(value: T, target: str = "", source: str = ENGLISH) -> T:
    """The same frozen value, its sentences in ``target``, the language spoken now when not given.

    Args:
        value: a text, or any frozen value that holds texts; kinds and names stay as they are.
        target: one of ``LANGUAGES``.
        source: the language of figures that stand in no sentence.
    """
    wanted = target or language()
    return each_text(value, lambda text: _told(text, wanted, source)) if wanted in _LANGUAGES else value


def prepare() -> None:
    """Make the templates, where that holds nobody up: the first sentence would wait 60 ms for them."""
    _templates()


def told_in(value: object) -> str:
    """The language of most sentences that a value holds; English where there are none."""
    texts: set[str] = set()

    def seen(text: str) -> str:
        texts.add(text)
        return text

    each_text(value, seen)
    found = [name for text in texts if (name := _language_of(text))]
    return max(_LANGUAGES, key=lambda name: (found.count(name), name == ENGLISH))


def each_text(value: T, change: Callable[[str], str]) -> T:
    """The same frozen value, or plain JSON value, with every sentence in it changed; a bare text counts as one."""
    return cast(T, _walked(value, change, True))


def _walked(value: Any, change: Callable[[str], str], sentence: bool) -> Any:
    """``sentence`` says whether texts right here are sentences."""
    if type(value) is str:
        return change(value) if sentence else value
    if isinstance(value, tuple):
        return tuple(_walked(item, change, sentence) for item in value)
    if isinstance(value, list):
        return [_walked(item, change, sentence) for item in value]
    if isinstance(value, Known):
        return replace(value, value=_walked(value.value, change, sentence), source=change(value.source))
    if isinstance(value, Mapping):
        fact = value.keys() == _FACT
        said = SENTENCES | {"source"} if fact else SENTENCES
        return {key: _walked(item, change, key in said) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        given = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        told = {name: _walked(item, change, name in SENTENCES) for name, item in given.items()}
        return replace(value, **told) if any(told[name] is not given[name] for name in told) else value
    return value


@lru_cache(REMEMBERED)
def _language_of(text: str) -> str:
    found = _read(text, ENGLISH)
    return found[0].language if found and len(set(found[0].says.values())) > 1 else ""


@lru_cache(REMEMBERED)
def _told(text: str, target: str, source: str, inside: bool = False) -> str:
    """``inside`` a sentence a word that both begins and stands in sentences is the small one."""
    if not text or text.isspace():
        return text
    if (date := day_in(text, target)) != text:
        return date
    if _LIST in text and all(_read(part, source) for part in text.split(_LIST)):
        return _LIST.join(_told(part, target, source) for part in text.split(_LIST))
    if (found := _read(text, source, inside=inside)) is not None:
        return _said(text, *found, target, source)
    if len(parts := _SENTENCE_END.split(text)) > 1:
        return _sentences(text, parts, target, source)
    if text.endswith(".") and (told := _told(text[:-1], target, source)) != text[:-1]:
        return f"{told}."
    for glue in _GLUE:
        if len(parts := glue.split(text)) > 1:
            told_parts = [part if glue.fullmatch(part) else _told(part, target, source, True) for part in parts]
            kept = [old for old, new in zip(parts, told_parts, strict=True) if old == new]
            if glue is _COMMA and any(_is_unknown_prose(part, source) for part in kept):
                break  # a sentence told by halves is worse than one in the other language
            return "".join(told_parts)
    return _with_figures(text, target, source)


def _said(text: str, template: _Template, values: Mapping[str, str], target: str, source: str) -> str:
    """The template in the target language, with its places retold."""
    own = template.language if len(set(template.says.values())) > 1 else source
    told = {name: _told(value, target, own, True) for name, value in values.items()}
    said = _PLACE.sub(lambda place: told.get(place[1], place[0]), template.says[target]) if told else (
        text if template.language == target or len(set(template.says.values())) == 1 else template.says[target]
    )
    begun = text[:1].isupper() and template.text[:1].islower()
    return said[:1].upper() + said[1:] if begun else said


def _sentences(text: str, parts: list[str], target: str, source: str) -> str:
    """The longest row of sentences that is one template, then what follows; else one whose places hold sentences."""
    for end in range(len(parts) - 1, 0, -1):
        first = " ".join(parts[:end])
        if _read(first, source) or _read(first.removesuffix("."), source):
            return f"{_told(first, target, source)} {_told(' '.join(parts[end:]), target, source)}"
    if (found := _read(text, source, spans=True)) is not None:
        return _said(text, *found, target, source)
    return f"{_told(parts[0], target, source)} {_told(' '.join(parts[1:]), target, source)}"


def _with_figures(text: str, target: str, source: str) -> str:
    """Figures with their units, alone or among words that no catalogue knows."""
    if (source == ENGLISH) == (target == ENGLISH):
        return _with_units(text, target, source)
    figure = _FIGURES.get(source, _GERMAN_FIGURE)
    alone = re.compile(rf"[−+~≈±]?(?:{figure})(?:–(?:{figure}))?")
    if alone.fullmatch(text):
        return text.translate(_MARKS)
    told = re.sub(
        rf"(?<![\w.,])(?:{figure})(?=(?:–(?:{figure}))?(?:{NBSP}|×|±))", lambda found: found[0].translate(_MARKS), text
    )
    return _with_units(told, target, source)


def _with_units(text: str, target: str, source: str) -> str:
    """``5 passages``: the noun behind a figure."""
    figure, space, unit = text.rpartition(NBSP)
    if not space or not figure[-1:].isdigit() or not unit:
        return text
    return f"{figure}{space}{_told(unit, target, source)}"


def _read(
    text: str, source: str, spans: bool = False, inside: bool = False
) -> tuple[_Template, dict[str, str]] | None:
    """The template of a sentence and what stands in its places; None where no catalogue has it.

    With ``spans`` a place may hold several sentences ("{verdict} The run is suspect: {why}.").
    """
    exact, by_word = _templates()
    if known := exact.get(_folded(text)):
        return max(known, key=lambda one: (
            one.text == text, one.language == source,
            -one.says[ENGLISH].count("-"),  # "KV type" rather than the curve's key
            inside and one.says[ENGLISH][:1].islower(),
        )), {}  # fmt: skip
    candidates = {id(one): one for word in set(_WORD.findall(text.lower())) for one in by_word.get(word, ())}
    best = sorted(candidates.values(), key=lambda one: (-one.letters, one.language != source, one.text))
    for one in best:
        found = _compiled(one.pieces, one.places).fullmatch(text)
        if found is not None and (spans or _believable(one, found.groups())):
            return one, dict(zip(dict.fromkeys(one.places), found.groups(), strict=True))
    return None


def _believable(template: _Template, held: tuple[str, ...]) -> bool:
    """A place holds no sentence's end; in a template of few letters neither much nor prose that nobody knows."""
    few = template.letters < FEW_LETTERS
    return not any(
        _SENTENCE_END.search(each) or (few and (
            len(each) > LONGEST_IN_FEW or _is_unknown_prose(each, template.language)
        ))
        for each in held
    )  # fmt: skip


def _is_unknown_prose(text: str, source: str) -> bool:
    """Whether these are words of a sentence, and of none that a catalogue has."""
    return _PROSE.search(text) is not None and _read(text, source) is None


@cache
def _templates() -> tuple[dict[str, list[_Template]], dict[str, list[_Template]]]:
    """Those without places by their text, the others by the longest of their own words."""
    exact: dict[str, list[_Template]] = defaultdict(list)
    by_word: dict[str, list[_Template]] = defaultdict(list)
    for says in _every():
        for name, text in says.items():
            one = _template(name, text, says)
            if not one.places:
                exact[_folded(text)].append(one)
            elif words := _WORD.findall(_PLACE.sub(" ", text).lower()):
                by_word[max(words, key=len)].append(one)
    return exact, by_word


def _every() -> Iterator[dict[str, str]]:
    for code in _LANGUAGES:
        if code != ENGLISH:
            for english, other in pairs(code):
                yield {ENGLISH: english.strip(" "), code: other.strip(" ")}


def _template(name: str, text: str, says: Mapping[str, str]) -> _Template:
    """Cheap, since all of them are made before the first sentence is read."""
    split = _PLACE.split(text)
    return _Template(
        name, text, says, tuple(split[::2]), tuple(split[1::2]), len(_LETTER.findall(_PLACE.sub("", text)))
    )


@cache
def _compiled(pieces: tuple[str, ...], places: tuple[str, ...]) -> re.Pattern[str]:
    """Only of templates that come into question: all of them take two seconds. One group for each place named anew."""
    seen: list[str] = []
    pattern = ""
    for index, piece in enumerate(pieces):
        literal = re.escape(piece)
        if index == 0 and piece[:1].isalpha():
            literal = f"[{piece[0].lower()}{piece[0].upper()}]{re.escape(piece[1:])}"
        if index and piece[:1].isalpha():
            literal = rf"(?<!\w){literal}"
        if index < len(places) and piece[-1:].isalpha():
            literal = rf"{literal}(?!\w)"
        pattern += literal
        if index < len(places):
            place = places[index]
            pattern += f"(?P=p{seen.index(place)})" if place in seen else f"(?P<p{len(seen)}>.*?)"
            seen += [] if place in seen else [place]
    return re.compile(pattern, re.DOTALL)


def _folded(text: str) -> str:
    return text[:1].lower() + text[1:]
