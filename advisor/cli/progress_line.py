"""How far a job is, on standard error."""

import sys
from contextlib import suppress
from typing import TextIO

from advisor.cli.terminal import SENTENCE_CHARACTERS
from advisor.core.progress import Progress
from advisor.gguf.readable import readable
from advisor.session.events import Event, Remark


class ProgressLine:
    """Progress on standard error: one line rewritten in place in a terminal, a line per step elsewhere."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._last = ""

    def __call__(self, event: Event) -> None:
        """Take an event of the pipeline; only progress and remarks are shown.

        A stream that cannot take them (full disk, closed terminal) does not end the measuring.
        """
        with suppress(OSError, ValueError):
            if isinstance(event, Progress):
                self._show(event)
            elif isinstance(event, Remark):
                self.close()
                words = readable(f"note: {event.sentence} {event.hint}".rstrip(), SENTENCE_CHARACTERS)
                print(words, file=self._stream, flush=True)

    def close(self) -> None:
        """End the rewritten line."""
        if self._live and self._last:
            self._last = ""
            with suppress(OSError, ValueError):
                self._stream.write("\r\x1b[K")
                self._stream.flush()

    def _show(self, progress: Progress) -> None:
        step = progress.phase.split(",")[0] if progress.phase.startswith("Loading") else progress.phase
        if not self._live:
            if step != self._last:
                print(f"{_share(progress)} {step}", file=self._stream, flush=True)
                self._last = step
            return
        left = f", about {progress.left_s:.0f} s left" if progress.left_s and progress.left_s >= 1 else ""
        self._last = f"{_share(progress)} {progress.phase}{left}"
        self._stream.write(f"\r\x1b[K{self._last}")
        self._stream.flush()


def _share(progress: Progress) -> str:
    """Rounded down: 100 % is only said of what is done."""
    return f"[{int(100 * progress.fraction):3d} %]"
