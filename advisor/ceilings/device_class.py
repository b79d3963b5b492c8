"""Which published devices a device is like: a path from the broadest class to its architecture; pure."""

import re
from typing import Final

from advisor.hardware.catalog import Accelerator, Kind

GENERATIONS: Final = {
    "nvidia": (
        (r"blackwell|rtx 50[5-9]0|gb10|t5000", "blackwell"),
        (r"a100|\ba30\b|h[12]00|v100|p100|titan v", "with hbm"),
        (r"\bada\b|rtx 40[5-9]0|\bl4\b|\bl40", "ada"),
        (r"rtx 30[5-9]0|rtx a\d|\ba40\b|\ba10\b|orin", "ampere"),
        (r"\bt4\b|rtx 20[6-8]0|quadro rtx|titan rtx|gtx 16", "turing"),
        (r"gtx 10|p40|titan xp?$", "pascal"),
    ),
    "amd": (
        (r"r9700|rx 90\d0", "rdna4"),
        (r"rx 7\d00|pro w7", "rdna3"),
        (r"rx 6\d[05]0", "rdna2"),
        (r"\bmi[123]\d\d", "cdna"),
    ),
    "intel": ((r"arc a\d", "alchemist"), (r"arc (?:pro )?b\d", "battlemage")),
    "apple": ((r"\bm1\b", "m1"), (r"\bm2\b", "m2"), (r"\bm3\b", "m3"), (r"\bm4\b", "m4"), (r"\bm5\b", "m5")),
}
"""Vendor -> patterns of its product names and the architecture that they stand for. NVIDIA's cards with stacked memory
are one class: they have three times the bandwidth per multiprocessor, and reach a smaller share of it."""

INT8_PER_FP16_GEFORCE: Final = 4.0
"""The table states fp16 with 32-bit accumulation, which GeForce cards halve: a quarter of their int8 rate (GA102 and
Ada white papers: RTX 3090 71 and 284, RTX 4090 165.2 and 660.6)."""

INT8_PER_FP16: Final = 2.0
"""Other NVIDIA cards (A100 data sheet: 312 and 624), MI300X (1,307 and 2,615), RDNA2 and RDNA4."""

INT8_AS_FP16: Final = re.compile(r"rx 7\d00|pro w7|\bmi2\d\d|ryzen ai max")
"""RDNA3 and CDNA2 multiply int8 no faster than fp16 (both 512 operations per clock and compute unit; MI210 data sheet
181 and 181)."""

INT8_PER_FP32: Final = {"pascal": 4.0, "turing": 16.0, "ampere": 8.0, "ada": 8.0, "blackwell": 8.0}
"""For NVIDIA's without an fp16 figure: dot products of four bytes (Pascal, and Turing's GTX), else matrix units (RTX
2080 Ti 13.45 and 215, RTX 3090 35.6 and 284, RTX 4090 82.6 and 660.6)."""

NOMINAL_INT8_PER_FP32: Final = 4.0
"""Dot products of four bytes, for makers that state no more: learnt from, but no ceiling."""

APPLE_FLOP_PER_CORE_S: Final = 128 * 2 * 1.3e9
"""A nominal GPU core: 128 lanes, multiply and add, 1.3 GHz (Apple gives 2.6 TFLOP/s for the eight cores of an M1, and
none since the M3). The learnt efficiencies absorb what the clocks differ."""

_GEFORCE: Final = re.compile(r"^(?:rtx [2-5]0[5-9]0|gtx \d{4})\b")
_CORES: Final = re.compile(r"\((\d+)-core gpu\)")


def class_path(device: Accelerator, engine: str) -> tuple[str, ...]:
    """Classes from broad to narrow: ``("llama.cpp", "llama.cpp/nvidia card", "llama.cpp/nvidia card/ada")``."""
    generation = _generation(device)
    if device.kind is Kind.KIT:
        parts = ["processor"]
    elif device.vendor == "apple":
        parts = ["apple", generation]
    elif device.kind is Kind.UNIFIED:
        parts = ["unified memory"]
    else:
        parts = [f"{device.vendor} card", generation]
    parts = [part for part in parts if part]
    return tuple("/".join([engine, *parts[:length]]) for length in range(len(parts) + 1))


def matrix_flop_per_s(device: Accelerator) -> float | None:
    """The fastest arithmetic that a prompt can use: int8 on quantised weights, or the nominal cores of an Apple GPU.

    None where neither the vendor's figures nor the number of cores are known.
    """
    if device.kind is Kind.KIT:
        return None
    known = _int8_flop_per_s(device)
    if known is not None:
        return known
    cores = gpu_cores(device)
    if cores is not None:
        return cores * APPLE_FLOP_PER_CORE_S
    nominal = device.vendor in ("amd", "intel") and device.fp32_flop_per_s is not None
    return (device.fp32_flop_per_s or 0.0) * NOMINAL_INT8_PER_FP32 if nominal else None


def ceiling_flop_per_s(device: Accelerator, weight_bits: float) -> float | None:
    """Vendor's arithmetic at these weights: int8 below 16 bits, else fp16 with the faster 16-bit accumulation.

    None without a vendor's figure; a nominal one is no ceiling.
    """
    whole = _int8_flop_per_s(device)
    if whole is None or weight_bits < 15.0:
        return whole
    return max(device.fp16_flop_per_s or 0.0, whole / 2)


def gpu_cores(device: Accelerator) -> int | None:
    """Cores of an Apple GPU, from its name; None for other devices."""
    found = _CORES.search(device.name.lower())
    return int(found[1]) if found and device.vendor == "apple" else None


def _generation(device: Accelerator) -> str:
    name = device.name.lower()
    patterns = GENERATIONS.get(device.vendor, ())
    return next((generation for pattern, generation in patterns if re.search(pattern, name)), "")


def _int8_flop_per_s(device: Accelerator) -> float | None:
    name = device.name.lower()
    if device.fp16_flop_per_s is not None:
        if device.vendor == "nvidia" and _GEFORCE.search(name):
            return device.fp16_flop_per_s * INT8_PER_FP16_GEFORCE
        if device.vendor == "amd" and INT8_AS_FP16.search(name):
            return device.fp16_flop_per_s
        return device.fp16_flop_per_s * INT8_PER_FP16
    if device.vendor != "nvidia" or device.fp32_flop_per_s is None:
        return None
    per_fp32 = INT8_PER_FP32.get(_generation(device))
    if name.startswith("gtx"):
        per_fp32 = INT8_PER_FP32["pascal"]
    return None if per_fp32 is None else device.fp32_flop_per_s * per_fp32
