"""What the window holds, told in another language whenever that is changed."""

from collections.abc import Sequence
from typing import Any

from advisor.core.retelling import retold
from advisor.report.document import Document


class Telling:
    """Tells values always from what they were first, since what is retold twice may lose a capital letter."""

    def __init__(self) -> None:
        self._first: list[tuple[Any, str]] = []
        self._told: tuple[Any, ...] = ()

    def tell(self, values: Sequence[Any], before: str, now: str) -> tuple[Any, ...]:
        """The values, which were told in ``before`` unless they came from here, in ``now``."""
        same = len(self._told) == len(values)
        self._first = [
            self._first[at] if same and value is self._told[at] else (value, before)
            for at, value in enumerate(values)
        ]
        self._told = tuple(
            first if language == now else _in(now, first, language) for first, language in self._first
        )
        return self._told


def _in(now: str, value: Any, before: str) -> Any:
    from advisor.report.answering import spoken  # with all advice, which the window starts without

    return spoken(value, now) if isinstance(value, Document) else retold(value, now, before)
