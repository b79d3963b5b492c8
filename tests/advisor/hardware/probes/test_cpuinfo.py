import pytest

from advisor.core.evidence import Known, Unknown
from advisor.hardware.probes import cpuinfo


def x86(flags: str, name: str = "Some CPU") -> str:
    return f"processor\t: 0\nmodel name\t: {name}\nflags\t\t: {flags}\n\n"


@pytest.mark.parametrize(
    ("flags", "extensions"),
    [
        ("fpu avx avx2 fma f16c sse4_2", ("avx", "avx2", "f16c", "fma", "sse4_2")),
        (
            "avx512f avx512bw avx512vl avx512_vnni avx512_bf16 avx512vbmi avx512_vbmi2",
            ("avx512_bf16", "avx512_vnni", "avx512bw", "avx512f", "avx512vbmi", "avx512vl"),
        ),
        ("amx_bf16 amx_tile amx_int8 avx_vnni", ("amx_bf16", "amx_int8", "amx_tile", "avx_vnni")),
        ("fpu", ()),
        ("", ()),
    ],
)
def test_x86_extensions(flags: str, extensions: tuple[str, ...]) -> None:
    assert cpuinfo.parse(x86(flags)).extensions == extensions


def test_only_what_every_cpu_has_counts() -> None:
    assert cpuinfo.parse(x86("avx avx2") + x86("avx")).extensions == ("avx",)


def test_hypervisor_flag() -> None:
    assert cpuinfo.parse(x86("fpu hypervisor")).hypervisor
    assert not cpuinfo.parse(x86("fpu")).hypervisor


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (x86("fpu", "Intel(R)  Xeon(R)   CPU"), "Intel(R) Xeon(R) CPU"),
        ("CPU implementer : 0x41\nCPU part : 0xd0c\n\nCPU implementer : 0x41\nCPU part : 0xd0c\n", "2 × Neoverse N1"),
        (
            "CPU implementer : 0x41\nCPU part : 0xd85\n\nCPU implementer : 0x41\nCPU part : 0xd87\n",
            "1 × Cortex-X925, 1 × Cortex-A725",
        ),
        ("model name : ARMv7 Processor rev 3 (v7l)\nCPU implementer : 0x41\nCPU part : 0xd08\n", "1 × Cortex-A72"),
        ("processor : 0\ncpu : POWER9, altivec supported\n", "POWER9, altivec supported"),
        ("processor : 0\nModel Name : Loongson-3A6000\nFeatures : cpucfg lam lsx lasx\n", "Loongson-3A6000"),
        ("CPU implementer : 0x51\nCPU part : 0x001\n\nCPU implementer : 0x51\nCPU part : 0x001\n", "2 × Oryon"),
        (
            "CPU implementer : 0x61\nCPU part : 0x022\n\nCPU implementer : 0x61\nCPU part : 0x023\n",
            "1 × Apple M1 Icestorm, 1 × Apple M1 Firestorm",
        ),
    ],
)
def test_name(text: str, name: str) -> None:
    fact = cpuinfo.parse(text).name
    assert isinstance(fact, Known)
    assert fact.value == name


@pytest.mark.parametrize(
    ("text", "part_of_reason"),
    [
        ("", "names no model"),
        ("processor : 0\n", "names no model"),
        ("model name : unknown\n", "names no model"),
        ("CPU implementer : 0x41\nCPU part : 0xfff\n", "0x41/0xfff"),
        ("CPU implementer : what\nCPU part : 0xd08\n", "what/0xd08"),
    ],
)
def test_name_unknown(text: str, part_of_reason: str) -> None:
    fact = cpuinfo.parse(text).name
    assert isinstance(fact, Unknown)
    assert part_of_reason in fact.reason


def test_arm_features_have_the_names_that_users_know() -> None:
    text = "Features : fp asimd asimdhp asimddp i8mm bf16 sve sve2\nCPU implementer : 0x41\nCPU part : 0xd4f\n"
    info = cpuinfo.parse(text)
    assert info.extensions == ("bf16", "dotprod", "fp16", "i8mm", "neon", "sve", "sve2")
    assert info.name.or_none() == "1 × Neoverse V2"
