from advisor.core.evidence import Missing, Unknown
from advisor.hardware.probes import registry, sysctl

M2 = """machdep.cpu.brand_string: Apple M2
hw.physicalcpu: 8
hw.perflevel0.physicalcpu: 4
hw.perflevel1.physicalcpu: 4
kern.hv_vmm_present: 0
hw.optional.neon: 1
hw.optional.AdvSIMD: 1
hw.optional.arm.FEAT_DotProd: 1
hw.optional.arm.FEAT_I8MM: 1
hw.optional.arm.FEAT_BF16: 1
hw.optional.arm.FEAT_FP16: 1
hw.optional.arm.FEAT_SME: 0
"""

INTEL_MAC = """machdep.cpu.brand_string: Intel(R) Core(TM) i7-9750H CPU @ 2.60GHz
hw.physicalcpu: 6
hw.perflevel0.physicalcpu: 6
hw.l3cachesize: 12582912
machdep.cpu.features: FPU SSE4.2 FMA F16C AVX1.0 VMM
machdep.cpu.leaf7_features: BMI1 AVX2 BMI2
"""


def test_apple_silicon() -> None:
    mac = sysctl.parse(M2)
    assert mac.name.or_none() == "Apple M2"
    assert (mac.physical.or_none(), mac.performance_cores.or_none()) == (8, 4)
    assert mac.extensions == ("bf16", "dotprod", "fp16", "i8mm", "neon")
    assert isinstance(mac.l3_bytes, Unknown)
    assert not mac.virtual


def test_intel_mac() -> None:
    mac = sysctl.parse(INTEL_MAC)
    assert mac.extensions == ("avx", "avx2", "bmi2", "f16c", "fma", "sse4_2")
    assert mac.performance_cores == Unknown("all cores are alike", Missing.NOT_APPLICABLE)
    assert mac.l3_bytes.or_none() == 12582912


def test_silent_sysctl() -> None:
    mac = sysctl.parse("sysctl: unknown oid\nhw.physicalcpu: -1\n")
    assert isinstance(mac.name, Unknown)
    assert isinstance(mac.physical, Unknown)
    assert mac.extensions == ()


def test_registry_name_loses_its_padding() -> None:
    assert registry.parse_name("AMD Ryzen 7 7840U w/ Radeon  780M Graphics   ").or_none() == (
        "AMD Ryzen 7 7840U w/ Radeon 780M Graphics"
    )
    assert isinstance(registry.parse_name(" "), Unknown)
    assert isinstance(registry.parse_name(7), Unknown)


def test_windows_features() -> None:
    assert registry.parse_features(lambda number: number in (39, 40)) == ("avx", "avx2")
