"""How a task talks to its parent."""

from __future__ import annotations

import threading
import time
from typing import IO, Any

from advisor.benchmarks import protocol

READING_INTERVAL_S = 0.1
"""Gauges are fed at 10 Hz at most; a faster feed costs measuring time and no eye sees it."""


class Stopped(Exception):
    """The parent asked for a polite end."""


class Failure(Exception):
    """The task cannot be done; goes to the parent as a failure message."""

    def __init__(self, code: str, sentence: str, hint: str = "") -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.hint = hint


def counted(number: int, noun: str) -> str:
    """A count with its noun: ``1 token``, ``512 tokens``; the parent knows both forms."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class Talk:
    """Writes messages; safe from several threads."""

    def __init__(self, channel: IO[bytes]) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._last_s = 0.0
        self.stop_requested = False

    def say(self, kind: str, **fields: Any) -> None:
        """Send one message at once."""
        line = protocol.encode(kind, fields)
        with self._lock:
            self._channel.write(line)

    def progress(self, phase: str) -> None:
        """What is happening, in words for the status bar; the parent knows how far that is."""
        self.say(protocol.PROGRESS, phase=phase)
        self._last_s = time.perf_counter()

    def due(self) -> bool:
        """Whether a live message may be sent again (``READING_INTERVAL_S``)."""
        return time.perf_counter() - self._last_s >= READING_INTERVAL_S

    def reading(self, phase: str, repetition: int, repetitions: int, tokens_per_s: float, final: bool) -> None:
        """Feed a gauge."""
        self._last_s = time.perf_counter()
        self.say(
            protocol.READING,
            phase=phase,
            repetition=repetition,
            repetitions=repetitions,
            tokens_per_s=tokens_per_s,
            final=final,
        )

    def raise_if_stopped(self) -> None:
        """Leave the task here if the parent asked for it; raises Stopped."""
        if self.stop_requested:
            raise Stopped
