"""Labelled values as screens show them, and facts turned into them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from advisor.core.evidence import Basis, Fact, Known, Missing
from advisor.core.numbers import written
from advisor.core.translation import tr, trc
from advisor.report import formatting as fmt

T = TypeVar("T")

BADGED: Final = frozenset({Basis.MEASURED, Basis.COMPUTED, Basis.ESTIMATED, Basis.TABLE, Basis.SAID})
"""Bases worth a badge on the screen; what was simply read from the system carries none."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a card.

    Attributes:
        value: what stands at the right, never empty.
        badge: where the figure comes from, empty for plain readings.
        detail: second line in small type, such as the reason of an unknown.
        tone: "", "good", "warning", "bad" or "muted"; the words say the same as the colour.
        tip: the source, for the tool tip.
    """

    label: str
    value: str
    badge: str = ""
    detail: str = ""
    tone: str = ""
    tip: str = ""

    def as_text(self) -> str:
        """The line as a screen reader says it."""
        parts = [f"{self.label}: {self.value}", self.badge, self.detail]
        return ", ".join(part for part in parts if part)


def badge_of(fact: Fact[T]) -> str:
    """The badge's text, empty where none is due."""
    return fmt.basis_word(fact.basis) if isinstance(fact, Known) and fact.basis in BADGED else ""


def row(label: str, fact: Fact[T], render: Callable[[T], str], detail: str = "", tone: str = "") -> Row:
    """A fact as a row: value with badge and source, or "unknown" with its reason beneath."""
    if isinstance(fact, Known):
        return Row(label, render(fact.value), badge_of(fact), detail, tone, fmt.origin_words(fact))
    if fact.kind is Missing.NOT_YET:
        return Row(label, fmt.why(fact), tone="muted")
    if fact.kind is Missing.NOT_APPLICABLE:
        return Row(label, trc("value", "none"), detail=fmt.why(fact), tone="muted")
    return Row(label, tr("unknown"), detail=fmt.why(fact), tone="muted")


def explained(line: Row, *sentences: str) -> Row:
    """A row whose tool tip begins with what the figure is; its source comes after."""
    return replace(line, tip="\n".join(filter(None, (*sentences, line.tip))))


def plain(value: float, unit: str) -> str:
    """A round number that a person chose, without made-up decimals: "10 s", "5.3 tokens/s"."""
    return fmt.with_unit(bare(value), unit)


def bare(value: float) -> str:
    """Such a number alone: "5.3"."""
    return written(f"{value:g}")

