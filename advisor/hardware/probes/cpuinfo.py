"""CPU name and extensions from Linux's /proc/cpuinfo. By hand: ``lscpu``."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.hardware.files import read_text

SOURCE: Final = "/proc/cpuinfo"

X86_EXTENSIONS: Final = frozenset(
    {
        "sse4_2", "avx", "avx2", "fma", "f16c", "bmi2", "avx_vnni",
        "avx512f", "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16", "avx512vbmi", "avx512_fp16",
        "amx_tile", "amx_int8", "amx_bf16",
    }
)  # fmt: skip
"""Kernel flags that switch code in ggml's CPU backend, in the kernel's own spelling."""

ARM_EXTENSIONS: Final = {
    "neon": "neon",
    "asimd": "neon",
    "asimdhp": "fp16",
    "asimddp": "dotprod",
    "i8mm": "i8mm",
    "bf16": "bf16",
    "sve": "sve",
    "sve2": "sve2",
    "sme": "sme",
}
"""Kernel feature -> the name by which llama.cpp's users know it."""

ARM_PARTS: Final = {
    (0x41, 0xD03): "Cortex-A53",
    (0x41, 0xD05): "Cortex-A55",
    (0x41, 0xD07): "Cortex-A57",
    (0x41, 0xD08): "Cortex-A72",
    (0x41, 0xD09): "Cortex-A73",
    (0x41, 0xD0A): "Cortex-A75",
    (0x41, 0xD0B): "Cortex-A76",
    (0x41, 0xD0C): "Neoverse N1",
    (0x41, 0xD0D): "Cortex-A77",
    (0x41, 0xD40): "Neoverse V1",
    (0x41, 0xD41): "Cortex-A78",
    (0x41, 0xD42): "Cortex-A78AE",
    (0x41, 0xD44): "Cortex-X1",
    (0x41, 0xD49): "Neoverse N2",
    (0x41, 0xD4F): "Neoverse V2",
    (0x41, 0xD80): "Cortex-A520",
    (0x41, 0xD81): "Cortex-A720",
    (0x41, 0xD82): "Cortex-X4",
    (0x41, 0xD85): "Cortex-X925",
    (0x41, 0xD87): "Cortex-A725",
    (0x41, 0xD04): "Cortex-A35",
    (0x41, 0xD46): "Cortex-A510",
    (0x41, 0xD47): "Cortex-A710",
    (0x41, 0xD48): "Cortex-X2",
    (0x41, 0xD4B): "Cortex-A78C",
    (0x41, 0xD4C): "Cortex-X1C",
    (0x41, 0xD4D): "Cortex-A715",
    (0x41, 0xD4E): "Cortex-X3",
    (0x41, 0xD83): "Neoverse V3AE",
    (0x41, 0xD84): "Neoverse V3",
    (0x41, 0xD8E): "Neoverse N3",
    (0x48, 0xD01): "TaiShan v110",
    (0x4E, 0x004): "Carmel",
    (0x51, 0x001): "Oryon",
    (0x61, 0x022): "Apple M1 Icestorm",
    (0x61, 0x023): "Apple M1 Firestorm",
    (0x61, 0x024): "Apple M1 Pro Icestorm",
    (0x61, 0x025): "Apple M1 Pro Firestorm",
    (0x61, 0x028): "Apple M1 Max Icestorm",
    (0x61, 0x029): "Apple M1 Max Firestorm",
    (0x61, 0x032): "Apple M2 Blizzard",
    (0x61, 0x033): "Apple M2 Avalanche",
    (0x61, 0x034): "Apple M2 Pro Blizzard",
    (0x61, 0x035): "Apple M2 Pro Avalanche",
    (0x61, 0x038): "Apple M2 Max Blizzard",
    (0x61, 0x039): "Apple M2 Max Avalanche",
    (0xC0, 0xAC3): "Ampere-1",
    (0xC0, 0xAC4): "Ampere-1A",
}
"""(implementer, part) -> name.

Source: arch/arm64/include/asm/cputype.h of the Linux kernel; util-linux's lscpu-arm.c has the same.
"""


@dataclass(frozen=True, slots=True)
class CpuInfo:
    """What /proc/cpuinfo says.

    Attributes:
        name: marketing name, or the core designs of an ARM chip ("4 × Cortex-A76, 4 × Cortex-A55").
        extensions: names that matter to llama.cpp, sorted; only those that every listed CPU has.
        hypervisor: True where the processor itself says that it is virtual (x86 only).
    """

    name: Fact[str]
    extensions: tuple[str, ...]
    hypervisor: bool


def parse(text: str) -> CpuInfo:
    """Facts from the text of /proc/cpuinfo, of any architecture and however damaged."""
    blocks = tuple(_blocks(text))
    flags = [set(b.get("flags", b.get("Features", "")).split()) for b in blocks if "flags" in b or "Features" in b]
    common = set.intersection(*flags) if flags else set()
    extensions = {flag for flag in common if flag in X86_EXTENSIONS}
    if any("Features" in b for b in blocks):
        extensions = {ARM_EXTENSIONS[flag] for flag in common if flag in ARM_EXTENSIONS}
    return CpuInfo(_name(blocks), tuple(sorted(extensions)), "hypervisor" in common)


def read(root: Path = Path("/")) -> CpuInfo:
    """Facts from this system; all unknown where the file is missing."""
    text = read_text(root / "proc/cpuinfo")
    if isinstance(text, Unknown):
        return CpuInfo(text, (), False)
    return parse(text.value)


def _blocks(text: str) -> Iterator[dict[str, str]]:
    for paragraph in text.split("\n\n"):
        fields: dict[str, str] = {}
        for line in paragraph.splitlines():
            key, colon, value = line.partition(":")
            if colon:
                fields[key.strip()] = value.strip()
        if fields:
            yield fields


def _name(blocks: tuple[dict[str, str], ...]) -> Fact[str]:
    for block in blocks:
        # LoongArch says "Model Name", POWER "cpu", RISC-V "uarch"; what 32-bit ARM kernels say ("ARMv7 Processor rev
        # 3") names no product.
        name = block.get("model name") or block.get("Model Name") or block.get("cpu") or block.get("uarch") or ""
        if name and not name.startswith(("ARMv", "AArch64")) and name.lower() != "unknown":
            return Known(" ".join(name.split()), Basis.READ, f"{SOURCE}, model name")
    parts = [_part(block) for block in blocks if "CPU part" in block]
    named = Counter(part for part in parts if part)
    if named and sum(named.values()) == len(parts):
        designs = ", ".join(f"{named[part]} × {part}" for part in sorted(named, reverse=True))
        return Known(designs, Basis.READ, f"{SOURCE}, CPU part")
    if parts:
        numbers = blocks[0].get("CPU implementer", "?"), blocks[0].get("CPU part", "?")
        return Unknown(
            tr("the ARM design {maker}/{part} is not in the list of names", maker=numbers[0], part=numbers[1]),
            Missing.FAILED,
        )
    return Unknown(tr("{source} names no model", source=SOURCE), Missing.NOT_SUPPORTED)


def _part(block: dict[str, str]) -> str | None:
    try:
        return ARM_PARTS.get((int(block["CPU implementer"], 0), int(block["CPU part"], 0)))
    except (KeyError, ValueError):
        return None
