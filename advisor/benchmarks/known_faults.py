"""Crashes of the engine that have a name: what they look like, whose fault it is, and how to mend it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from advisor.benchmarks.model import EngineMode
from advisor.core.translation import tr

REBUILD: Final = (
    "python -m pip install --force-reinstall --no-deps --no-cache-dir --no-binary llama-cpp-python llama-cpp-python"
)
_NO_AMX: Final = "-mno-amx-tile -mno-amx-int8 -mno-amx-bf16"


@dataclass(frozen=True, slots=True)
class Crash:
    """A native crash of the engine and what it happened on.

    Attributes:
        signal: "SIGSEGV" style.
        stage: what it was doing ("warming up for prefill").
        extensions: of the processor.
        architecture: of the processor, "x86_64" style.
        system_info: the engine's own line of what it was compiled with; empty where it could not be asked.
    """

    signal: str
    stage: str
    mode: EngineMode
    extensions: Collection[str]
    architecture: str
    system_info: str = ""


class FaultId(StrEnum):
    """Names of the faults below, by which a check is remembered."""

    AMX = "amx"
    NO_AVX2 = "no-avx2"


@dataclass(frozen=True, slots=True)
class KnownFault:
    """A sentence that says whose fault it is, with the upstream report where there is one, and one on mending it."""

    id: FaultId
    sentence: str
    remedy: str


def recognise(crash: Crash) -> KnownFault | None:
    """The fault behind a crash, where it is one of those below."""
    return next((told(fault) for shows, fault in _FAULTS if shows(crash)), None)


def told(fault: FaultId) -> KnownFault:
    """What is said of a fault."""
    match fault:
        case FaultId.AMX:
            without = f'CFLAGS="{_NO_AMX}" CXXFLAGS="{_NO_AMX}" {REBUILD}'
            return KnownFault(
                fault,
                tr(
                    "This looks like the known fault of llama.cpp's AMX code when GCC 12 compiles it "
                    "(ggml-org/llama.cpp#26954); this computer is all right."
                ),
                tr("To mend it, build the engine without AMX: {command}", command=without),
            )
        case FaultId.NO_AVX2:
            return KnownFault(
                fault, tr("This engine was built for newer processors: this CPU lacks AVX2."), build_here()
            )


def build_here() -> str:
    """The mending of a build that was made for other processors."""
    return tr("Build it here, for this CPU: {command}", command=REBUILD)


def _is_amx(crash: Crash) -> bool:
    """GCC 12 drops the stores of the tile configuration, so the first product of several tokens uses a wrong one.

    It shows as a refused instruction or as a wrong access, by what lay on the stack before.
    """
    return (
        crash.mode is EngineMode.DEFAULT
        and crash.signal in ("SIGILL", "SIGSEGV", "SIGBUS")
        and "prefill" in crash.stage
        and "amx_int8" in crash.extensions
        and "AMX_INT8 = 1" in crash.system_info
    )


def _is_too_new(crash: Crash) -> bool:
    """Ready-made builds for x86 expect AVX2; a processor without it (before 2013, many Pentium and Celeron) stops."""
    x86 = crash.architecture.lower() in ("x86_64", "amd64")
    known_without = bool(crash.extensions) and "avx2" not in crash.extensions
    return crash.signal in ("SIGILL", "illegal instruction") and x86 and known_without


_FAULTS: Final[tuple[tuple[Callable[[Crash], bool], FaultId], ...]] = (
    (_is_amx, FaultId.AMX),
    (_is_too_new, FaultId.NO_AVX2),
)
