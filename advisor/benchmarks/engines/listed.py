"""An engine of the list: where it was found, what it says of itself, what it measured; imports nothing slow."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from advisor.benchmarks.model import EngineFacts, TestResult
from advisor.core.evidence import Fact, Missing, Unknown
from advisor.core.translation import marked

EMBEDDED: Final = "embedded"
NOT_CHECKED: Final = Unknown(marked("not asked for"), Missing.NOT_YET)


class EngineKind(StrEnum):
    """What an engine is; the text is what the user reads."""

    EMBEDDED = marked("this Python")
    PYTHON = marked("another Python")
    LLAMA_BENCH = marked("llama.cpp build")


@dataclass(frozen=True, slots=True)
class FoundEngine:
    """An engine that seems to be there.

    Attributes:
        id: short name to choose it by.
        path: the interpreter or the program.
        because: where it was found, a clause.
    """

    id: str
    kind: EngineKind
    path: Path
    because: str


@dataclass(frozen=True, slots=True)
class ListedEngine:
    """One engine.

    Attributes:
        facts: what it says of itself; Unknown with the reason and the remedy.
        check: what it measured of the sample model.
    """

    found: FoundEngine
    facts: Fact[EngineFacts]
    check: Fact[tuple[TestResult, ...]] = NOT_CHECKED


def free_id(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken."""
    base = name.replace(" ", "-") or "python"
    chosen = next(each for each in _numbered(base) if each not in taken)
    taken.add(chosen)
    return chosen


def _numbered(base: str) -> Iterable[str]:
    yield base
    yield from (f"{base}-{number}" for number in range(2, 10_000))
