import pytest

from advisor.core.evidence import Basis, Known, Unknown
from advisor.hardware.probes.microarchitecture import Identity, name, parse_cpuinfo, parse_windows_identifier


@pytest.mark.parametrize(
    ("vendor", "family", "model", "design"),
    [
        ("GenuineIntel", 6, 0x9A, "Alder Lake"),
        ("GenuineIntel", 6, 183, "Raptor Lake"),
        ("GenuineIntel", 6, 0x8F, "Sapphire Rapids"),
        ("GenuineIntel", 6, 0xC6, "Arrow Lake"),
        ("GenuineIntel", 6, 60, "Haswell"),
        ("AuthenticAMD", 25, 17, "Zen 4"),
        ("AuthenticAMD", 25, 116, "Zen 4"),
        ("AuthenticAMD", 25, 33, "Zen 3"),
        ("AuthenticAMD", 23, 113, "Zen 2"),
        ("AuthenticAMD", 23, 8, "Zen+"),
        ("AuthenticAMD", 26, 112, "Zen 5"),
    ],
)
def test_known_designs(vendor: str, family: int, model: int, design: str) -> None:
    assert name(Identity(vendor, family, model)).or_none() == design


def test_cpuinfo_gives_the_first_processor() -> None:
    text = (
        "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 97\nmodel name\t: x\nflags\t: avx2 fma\n\nmodel\t: 1\n"
    )
    found = parse_cpuinfo(text)
    assert (found.vendor, found.family, found.model) == ("AuthenticAMD", 25, 97)
    assert found.flags == {"avx2", "fma"}
    assert parse_cpuinfo("") == Identity("", -1, -1)


def test_windows_identifier() -> None:
    found = parse_windows_identifier("GenuineIntel", "Intel64 Family 6 Model 151 Stepping 2")
    assert name(found) == Known("Alder Lake", Basis.READ, "registry, Identifier")
    for vendor, text in ((None, None), ("GenuineIntel", ""), (b"x", "ARMv8 (64-bit) Family 8 Model 1 Revision 201")):
        assert isinstance(name(parse_windows_identifier(vendor, text)), Unknown)


def test_a_processor_newer_than_the_list_goes_to_the_library() -> None:
    pytest.importorskip("archspec.cpu")
    from archspec.cpu import TARGETS

    flags = frozenset(TARGETS["zen4"].features) | {"something_new"}
    found = name(Identity("AuthenticAMD", 99, 1, flags))
    assert isinstance(found, Known)
    assert (found.value, found.basis) == ("zen4 or newer", Basis.ESTIMATED)
    assert isinstance(name(Identity("AuthenticAMD", 99, 1, frozenset({"avx2"}))), Unknown)


@pytest.mark.parametrize("identity", [Identity("", -1, -1), Identity("GenuineIntel", 6, 1), Identity("Shanghai", 7, 1)])
def test_unknown_processors_stay_unknown(identity: Identity) -> None:
    assert isinstance(name(identity), Unknown)
