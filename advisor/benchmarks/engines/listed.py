"""An engine of the list: where it was found, what it says of itself, what it measured."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.engines.finding import FoundEngine
from advisor.benchmarks.model import EngineFacts, TestResult
from advisor.core.evidence import Fact, Missing, Unknown

NOT_CHECKED: Final = Unknown("not asked for", Missing.NOT_YET)


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
