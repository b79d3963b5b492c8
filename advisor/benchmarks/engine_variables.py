"""Variables of the surroundings that steer an engine: kept with its results, and told where they slow it down.

``CUDA_VISIBLE_DEVICES`` and the like decide what is measured, and nothing else in a report shows them. Paths, serial
numbers and secrets are not kept.
Source: docs/build.md and ggml/src of llama.cpp, read 2026-11-29; CUDA C++ Programming Guide, environment variables.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from advisor.core.translation import tr

_PREFIXES: Final = (
    "GGML_", "LLAMA_", "CUDA_", "HIP_", "HSA_", "ROCR_", "VK_", "SYCL_", "ONEAPI_", "ZE_", "OMP_", "GOMP_", "KMP_",
    "OPENBLAS_", "MKL_", "BLIS_", "VECLIB_",
)  # fmt: skip
_SERVERS_OWN: Final = "LLAMA_ARG_"
"""llama-server reads these, nothing that measures here does."""
_SECRET: Final = re.compile(r"KEY|TOKEN|SECRET|PASS", re.IGNORECASE)
_FINDS_FILES: Final = re.compile(r"_(?:PATHS?|HOME|ROOT|DIR|ICD_FILENAMES|DRIVER_FILES)(?:_V\d+_\d+)?$", re.IGNORECASE)
_HARMLESS: Final = re.compile(r"(?!GPU-|MIG-)[\w.,:;+=\-]{0,40}", re.ASCII)
"""A value that is neither a path nor the number of somebody's card."""

_UNIFIED: Final = "GGML_CUDA_ENABLE_UNIFIED_MEMORY"
_BLOCKING: Final = "CUDA_LAUNCH_BLOCKING"
_SWITCHED_OFF: Final = re.compile(r"GGML_(?:CUDA|VK|METAL|SYCL)_(?:\w+_)?DISABLE(?:_\w+)?")
_DEVICES: Final = (
    (("GGML_CUDA_", "CUDA_"), ("CUDA", "ROCm", "HIP", "MUSA")),
    (("GGML_VK_",), ("Vulkan",)),
    (("GGML_METAL_",), ("Metal", "MTL")),
    (("GGML_SYCL_",), ("SYCL",)),
)
"""Beginnings of variables -> of the names of the devices that they reach."""


def steering(environment: Mapping[str, str]) -> tuple[str, ...]:
    """``NAME=value`` of each variable that steers an engine, by name; the name alone where the value is private."""
    found = [
        (name, value)
        for name, value in environment.items()
        if name.startswith(_PREFIXES) and not name.startswith(_SERVERS_OWN)
        and not _SECRET.search(name) and not _FINDS_FILES.search(name)
    ]  # fmt: skip
    return tuple(f"{name}={value}" if _HARMLESS.fullmatch(value) else name for name, value in sorted(found))


def slowing(variables: Sequence[str], devices: Sequence[str]) -> tuple[str, ...]:
    """Sentences on those that make a device slower.

    Args:
        variables: as ``steering`` gives them.
        devices: names of the devices that the engine has ("CUDA0").
    """
    return tuple(dict.fromkeys(_slowing(variables, devices)))


def _slowing(variables: Sequence[str], devices: Sequence[str]) -> Iterator[str]:
    for variable in variables:
        name, _, value = variable.partition("=")
        if not _reaches(name, devices):
            continue
        if name == _UNIFIED:
            # the engine asks only whether it is there: 0 switches it on as well
            yield tr(
                "The environment variable {name} is set: what does not fit the graphics memory goes to main memory "
                "without a word, and a run was seen to become a thousand times slower by it. Remove it, whatever its "
                "value.",
                name=name,
            )
        elif name == _BLOCKING and value not in ("", "0"):
            yield tr(
                "The environment variable {name} is set: the processor waits for every single step of the GPU, which "
                "is for finding faults and slow. Remove it.",
                name=name,
            )
        elif _SWITCHED_OFF.fullmatch(name):
            yield tr(
                "The environment variable {name} switches a part of the engine off that makes it faster. Remove it "
                "where nothing needs it.",
                name=name,
            )


def _reaches(name: str, devices: Sequence[str]) -> bool:
    return any(name.startswith(begins) and device.startswith(named) for begins, named in _DEVICES for device in devices)
