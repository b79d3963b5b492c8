"""x86 extensions by the processor's own instruction, for Windows, whose kernel names only a few of them.

archspec runs the instruction; it is asked only where a system has no list of its own.
By hand: Sysinternals' ``coreinfo``; on Linux ``grep -m1 flags /proc/cpuinfo``.
"""

import platform
from collections.abc import Iterable
from typing import Final

NAMES: Final = {
    "sse4_2": "sse4_2", "avx": "avx", "avx2": "avx2", "fma": "fma", "f16c": "f16c", "bmi2": "bmi2",
    "avx_vnni": "avx_vnni", "avx512f": "avx512f", "avx512bw": "avx512bw", "avx512vl": "avx512vl",
    "avx512_vnni": "avx512_vnni", "avx512_bf16": "avx512_bf16", "avx512vbmi": "avx512vbmi",
    "avx512_fp16": "avx512_fp16", "amx_tile": "amx_tile", "amx_int8": "amx_int8", "amx_bf16": "amx_bf16",
}  # fmt: skip
"""The library's names of extensions that matter to llama.cpp -> ours; the two agree today."""

MACHINES: Final = ("x86_64", "AMD64", "amd64")


def parse(features: Iterable[str], system_knows: Iterable[str]) -> tuple[str, ...]:
    """Sorted extensions that the processor has and the system lets programs use.

    Args:
        features: all that the instruction reports.
        system_knows: what the system itself confirms. It names the basic ones only, but a family whose basic member
            it denies (AVX switched off by a hypervisor) is unusable as a whole.
    """
    allowed = set(system_knows)
    found = {NAMES[feature] for feature in features if feature in NAMES}
    if "avx" not in allowed:
        found = {name for name in found if name in ("sse4_2", "bmi2")}
    if "avx512f" not in allowed:
        found = {name for name in found if not name.startswith(("avx512", "amx"))}
    return tuple(sorted(found | allowed))


def read() -> frozenset[str]:
    """Everything that the instruction reports; empty on other processors and without the library."""
    if platform.machine() not in MACHINES:
        return frozenset()
    try:
        from archspec.cpu.detect import CpuidInfoCollector
    except ImportError:
        return frozenset()
    return frozenset(str(feature) for feature in CpuidInfoCollector().features)
