"""Asking a probe so that its failure hides nothing else, and leaving a slow one behind."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from advisor.core.evidence import Missing, Unknown
from advisor.core.translation import tr

T = TypeVar("T")


def ask(what: str, read: Callable[[], T], on_failure: Callable[[Unknown], T]) -> T:
    """A probe's answer, or what stands for its failure: one broken source never hides the others.

    ``what`` is English, for the log as it is and for the user through ``tr``.
    """
    try:
        return read()
    except Exception as error:
        import logging

        logging.getLogger(__name__).warning("The probe for %s failed", what, exc_info=True)
        return on_failure(
            Unknown(
                tr(
                    "the probe for {what} failed ({type}: {error})",
                    what=tr(what),
                    type=type(error).__name__,
                    error=error,
                ),
                Missing.FAILED,
            )
        )


def unknown(why: Unknown) -> Unknown:
    """The failure itself, for probes of one fact."""
    return why


class Background(Generic[T]):
    """A probe on a thread of its own: others go on meanwhile, and one that hangs is left behind.

    Args:
        what: for the message and the thread's name, as for ``ask``.
        read: the probe.
        on_failure: what stands for its failure or for its silence.
    """

    def __init__(self, what: str, read: Callable[[], T], on_failure: Callable[[Unknown], T]) -> None:
        self._what, self._read, self._on_failure = what, read, on_failure
        self._answer: list[T] = []
        self.thread = threading.Thread(target=self._work, name=what, daemon=True)
        self.thread.start()

    def result(self, timeout_s: float) -> T:
        """The answer, waited for at most that long."""
        self.thread.join(timeout_s)
        if self._answer:
            return self._answer[0]
        return self._on_failure(
            Unknown(
                tr("{what} did not answer within {n} s", what=tr(self._what), n=format(timeout_s, ".0f")),
                Missing.FAILED,
            )
        )

    def _work(self) -> None:
        self._answer.append(ask(self._what, self._read, self._on_failure))
