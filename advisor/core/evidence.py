"""Facts that know where they came from, and unknowns that know why.

A value that a user sees is a ``Known`` (value, basis, source) or an ``Unknown`` (kind, reason); a
default never looks like a reading and an unknown is never shown as 0.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar, Union

from advisor.core.translation import marked

T_co = TypeVar("T_co", covariant=True)


class Basis(StrEnum):
    """Where a figure comes from; the user reads ``tr`` of the text."""

    MEASURED = marked("measured")
    COMPUTED = marked("computed")
    ESTIMATED = marked("estimated")
    TABLE = marked("table")
    SAID = marked("you said")
    READ = marked("read")
    """Read from the operating system, a driver or a file header."""


class Missing(StrEnum):
    """Why a value is not there; kept apart because each asks something else of the user."""

    NOT_APPLICABLE = marked("not applicable")
    NOT_SUPPORTED = marked("not supported here")
    NO_PERMISSION = marked("no permission")
    TOOL_MISSING = marked("tool missing")
    FAILED = marked("failed this time")
    NOT_YET = marked("not measured yet")


@dataclass(frozen=True, slots=True)
class Known(Generic[T_co]):
    """A value with its origin.

    Attributes:
        value: the figure, in the base unit that the holder's field name states.
        basis: how it was come by.
        source: the driver call, kernel file, header key, table row or probe, in words a user can check.
    """

    value: T_co
    basis: Basis
    source: str

    def or_none(self) -> T_co | None:
        """The bare value."""
        return self.value


@dataclass(frozen=True, slots=True)
class Unknown:
    """The absence of a value, with a reason: a clause without a full stop, in the language that was spoken then.

    Constants are made before the language is known and keep marked English: who shows a reason says ``retold`` of it.
    """

    reason: str
    kind: Missing = Missing.FAILED

    def or_none(self) -> None:
        """Always None, so that ``fact.or_none()`` reads the same for both kinds."""
        return


Fact = Union[Known[T_co], Unknown]
