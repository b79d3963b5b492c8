"""CPU facts of macOS through ``sysctl``. By hand: ``sysctl machdep.cpu hw.perflevel0``."""

import subprocess
from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr

KEYS: Final = (
    "machdep.cpu.brand_string",
    "hw.physicalcpu",
    "hw.perflevel0.physicalcpu",
    "hw.perflevel1.physicalcpu",
    "hw.l3cachesize",
    "kern.hv_vmm_present",
    "machdep.cpu.features",
    "machdep.cpu.leaf7_features",
    "hw.optional.neon",
    "hw.optional.AdvSIMD",
    "hw.optional.arm.FEAT_DotProd",
    "hw.optional.arm.FEAT_I8MM",
    "hw.optional.arm.FEAT_BF16",
    "hw.optional.arm.FEAT_FP16",
    "hw.optional.arm.FEAT_SME",
)

ARM_EXTENSIONS: Final = {
    "hw.optional.neon": "neon",
    "hw.optional.AdvSIMD": "neon",
    "hw.optional.arm.FEAT_DotProd": "dotprod",
    "hw.optional.arm.FEAT_I8MM": "i8mm",
    "hw.optional.arm.FEAT_BF16": "bf16",
    "hw.optional.arm.FEAT_FP16": "fp16",
    "hw.optional.arm.FEAT_SME": "sme",
}

X86_EXTENSIONS: Final = {
    "SSE4.2": "sse4_2",
    "AVX1.0": "avx",
    "AVX2": "avx2",
    "FMA": "fma",
    "F16C": "f16c",
    "BMI2": "bmi2",
    "AVX512F": "avx512f",
    "AVX512BW": "avx512bw",
    "AVX512VL": "avx512vl",
}

TIMEOUT_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class MacCpu:
    """What sysctl says; counts are cores, sizes bytes."""

    name: Fact[str]
    physical: Fact[int]
    performance_cores: Fact[int]
    extensions: tuple[str, ...]
    l3_bytes: Fact[int]
    virtual: bool


def parse(text: str) -> MacCpu:
    """Facts from the output of ``sysctl KEY…`` ("key: value" lines; unknown keys are simply absent)."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            values[key.strip()] = value.strip()

    def count(key: str) -> Fact[int]:
        number = values.get(key, "")
        if number.isdecimal() and int(number) > 0:
            return Known(int(number), Basis.READ, f"sysctl {key}")
        return Unknown(tr("sysctl does not state {key}", key=key), Missing.NOT_SUPPORTED)

    name: Fact[str] = Unknown(tr("sysctl does not name the processor"), Missing.NOT_SUPPORTED)
    if values.get(KEYS[0]):
        name = Known(values[KEYS[0]], Basis.READ, f"sysctl {KEYS[0]}")
    fast: Fact[int] = Unknown(tr("all cores are alike"), Missing.NOT_APPLICABLE)
    if isinstance(count("hw.perflevel1.physicalcpu"), Known):
        fast = count("hw.perflevel0.physicalcpu")
    words = f"{values.get('machdep.cpu.features', '')} {values.get('machdep.cpu.leaf7_features', '')}".upper().split()
    extensions = {own for word, own in X86_EXTENSIONS.items() if word in words}
    extensions |= {own for key, own in ARM_EXTENSIONS.items() if values.get(key) == "1"}
    virtual = values.get("kern.hv_vmm_present") == "1"
    return MacCpu(name, count("hw.physicalcpu"), fast, tuple(sorted(extensions)), count("hw.l3cachesize"), virtual)


def read() -> MacCpu:
    """Facts of this Mac.

    Raises:
        OSError: on a system without /usr/sbin/sysctl.
        subprocess.TimeoutExpired: when it does not answer.
    """
    command = ["/usr/sbin/sysctl", *KEYS]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False)
    return parse(done.stdout)
