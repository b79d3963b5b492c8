"""Facts that know where they came from, and unknowns that know why.

A value that a user sees is a ``Known`` (value, basis, source) or an ``Unknown`` (kind, reason); a
default never looks like a reading and an unknown is never shown as 0.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar, Union

T_co = TypeVar("T_co", covariant=True)


class Basis(StrEnum):
    """Where a figure comes from; the text stands in JSON, ``report.formatting.basis_word`` says it to the user."""

    MEASURED = "measured"
    COMPUTED = "computed"
    ESTIMATED = "estimated"
    TABLE = "table"
    SAID = "you said"
    READ = "read"
    """Read from the operating system, a driver or a file header."""


class Missing(StrEnum):
    """Why a value is not there; kept apart because each asks something else of the user."""

    NOT_APPLICABLE = "not applicable"
    NOT_SUPPORTED = "not supported here"
    NO_PERMISSION = "no permission"
    TOOL_MISSING = "tool missing"
    FAILED = "failed this time"
    NOT_YET = "not measured yet"


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
    """The absence of a value, with a reason: a clause without a full stop, in the user's language.

    Constants are made before the language is known and keep marked English: who shows a reason says ``tr`` of it.
    """

    reason: str
    kind: Missing = Missing.FAILED

    def or_none(self) -> None:
        """Always None, so that ``fact.or_none()`` reads the same for both kinds."""
        return


Fact = Union[Known[T_co], Unknown]
