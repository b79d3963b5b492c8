"""Progress from 0 to 1 that nests, and a token that cancels."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from advisor.core.errors import Cancelled
from advisor.core.translation import tr


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one job is.

    Attributes:
        fraction: 0.0 to 1.0 of the whole job, never falling.
        phase: what is happening, in words for the status bar ("Decode, repetition 4 of 5").
        left_s: seconds left, or None while nothing is known about them.
    """

    fraction: float
    phase: str
    left_s: float | None = None


ProgressListener = Callable[[Progress], None]


class CancelToken:
    """Set once from any thread; whoever works looks at it between steps."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        """Ask the work to end; may be called more than once."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """Whether the work was asked to end."""
        return self._event.is_set()

    def raise_if_cancelled(self) -> None:
        """Leave the work here.

        Raises:
            Cancelled: when the token is set.
        """
        if self._event.is_set():
            raise Cancelled(tr("Stopped."), tr("What was measured until then is kept."))

    def wait(self, timeout_s: float) -> bool:
        """Sleep up to ``timeout_s``; True as soon as the token is set."""
        return self._event.wait(timeout_s)
