"""Why a program did not start although it is there: a library that the system's loader did not find."""

import re
from typing import Final

from advisor.benchmarks.supervisor import Outcome
from advisor.core.errors import EngineError
from advisor.core.translation import tr

_NOT_FOUND: Final = (
    re.compile(r"error while loading shared libraries: (.+)"),
    re.compile(r"Error loading shared library (.+)"),
    re.compile(r"Library not loaded: (.+)"),
)
"""What the loaders of glibc, musl and macOS say."""
_TOO_NEW: Final = re.compile(r"version `((?:GLIBC|GLIBCXX|CXXABI)_[\d.]+)' not found")
_WINDOWS: Final = frozenset({0xC000007B, 0xC0000135, 0xC0000138, 0xC0000139, 0xC0000142, 0xC06D007E, 0xC06D007F})
"""STATUS_INVALID_IMAGE_FORMAT (a library for another processor), _DLL_NOT_FOUND, _ORDINAL_NOT_FOUND,
_ENTRYPOINT_NOT_FOUND and _DLL_INIT_FAILED, with which Windows ends a program wordlessly, and what libraries that are
loaded late end with."""


def missing_library(outcome: Outcome, program: str) -> EngineError | None:
    """The error for a program whose libraries did not load; None where that is not what ended it."""
    text = "\n".join(outcome.log)
    newer = _TOO_NEW.search(text)
    if newer is not None:
        return EngineError(
            tr("{program} is built for a newer system than this one ({library} is missing).",
               program=program, library=newer[1]),
            tr("Get a build for this system, or build llama.cpp on this machine."),
        )  # fmt: skip
    named = next((found[1].strip() for pattern in _NOT_FOUND if (found := pattern.search(text))), "")
    if named:
        return EngineError(
            tr("{program} lacks a library: {library}.", program=program, library=named),
            tr("Install it, or set LD_LIBRARY_PATH to the folder it lies in."),
        )
    if (outcome.exit_code or 0) & 0xFFFFFFFF in _WINDOWS:
        return EngineError(
            tr("{program} lacks a library (DLL) that Windows does not name.", program=program),
            tr("Start it by a double click to see which; most often the graphics driver or the Visual C++ runtime is "
               "missing or old."),
        )  # fmt: skip
    return None
