"""One tree of errors: a sentence, a hint and an exit code each.

Library code raises these and never exits or prints; the command line and the window render them.
"""

from collections.abc import Mapping
from typing import ClassVar


class AdvisorError(Exception):
    """Something a user can be told in one sentence.

    Args:
        sentence: what happened, one sentence with its full stop, in the user's language, no jargon that they did not
            bring.
        hint: what to do next, one sentence; empty when nothing can be done.
        fields: plain values for the JSON form and for logs (paths, sizes, signal numbers).
    """

    exit_code: ClassVar[int] = 1
    code: ClassVar[str] = "error"

    def __init__(self, sentence: str, hint: str = "", fields: Mapping[str, object] | None = None) -> None:
        super().__init__(sentence, hint, fields)
        self.sentence = sentence
        self.hint = hint
        self.fields: Mapping[str, object] = dict(fields or {})

    def __str__(self) -> str:
        return f"{self.sentence} {self.hint}".strip()

    def as_json(self) -> dict[str, object]:
        """The error as the ``error`` object of a command's JSON."""
        return {"code": self.code, "sentence": self.sentence, "hint": self.hint, **self.fields}


class UsageError(AdvisorError):
    """The command was put together wrongly."""

    exit_code = 2
    code = "usage"


class PackageMissing(AdvisorError):
    """A Python package that the program depends on is not installed."""

    code = "package_missing"


class BadFile(AdvisorError):
    """The file cannot be used: missing, not a model, damaged, incomplete, or without a decode phase."""

    exit_code = 3
    code = "bad_file"


class EngineError(AdvisorError):
    """The engine failed: crash, out of memory, unknown architecture, no answer."""

    exit_code = 4
    code = "engine"


class EngineMissing(EngineError):
    """No engine is installed in the Python that was asked."""

    code = "engine_missing"


class EngineCrashed(EngineError):
    """The measuring process died of a signal or an unexpected exit."""

    code = "engine_crashed"


class EngineTimeout(EngineError):
    """The measuring process went silent or took longer than its limit, and was ended."""

    code = "engine_timeout"


class Cancelled(AdvisorError):
    """The user pressed Stop; what was measured until then is kept by whoever catches this."""

    exit_code = 130
    code = "cancelled"


EXIT_INVALID = 5
"""Exit code of a command that measured, but whose run is stamped invalid."""
