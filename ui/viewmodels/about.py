"""What the program is made of, as the window About shows it and as it is copied into a report of a fault."""

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.core.evidence import Fact, Unknown
from advisor.core.retelling import retold
from advisor.core.translation import tr

LICENCE = "MIT"


@dataclass(frozen=True, slots=True)
class AboutState:
    """What About shows.

    Attributes:
        title: name and version.
        facts: label and value, one line each.
        parts: name, version and licence of every package.
        notices: all licences in full.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    parts: tuple[tuple[str, str, str], ...]
    notices: str

    @property
    def summary(self) -> str:
        """Versions as text, for whoever is asked what is installed."""
        lines = [self.title, *(f"{label}: {value}" for label, value in self.facts)]
        return "\n".join([*lines, *(f"{name} {version}" for name, version, _licence in self.parts)]) + "\n"


def present_about(
    version: str, engine: Fact[str], python: str, qt: str, parts: Sequence[tuple[str, str, str]], notices: str
) -> AboutState:
    """The state from what was read; a part without a named licence has its text among the notices."""
    words = tr("unknown: {reason}", reason=retold(engine.reason)) if isinstance(engine, Unknown) else engine.value
    return AboutState(
        f"Two Machines {version}",
        ((tr("Licence"), LICENCE), (tr("Engine"), words), ("Python", python), ("Qt", qt)),
        tuple((name, at, licence or tr("see below")) for name, at, licence in parts),
        notices,
    )
