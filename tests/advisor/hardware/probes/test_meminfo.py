import pytest

from advisor.core.evidence import Unknown
from advisor.hardware.probes.meminfo import parse

GB10 = "MemTotal:       127600748 kB\nMemFree:  1 kB\nMemAvailable:   118566368 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n"


def test_kb_are_kib() -> None:
    info = parse(GB10)
    assert info.total_bytes.or_none() == 127600748 * 1024
    assert info.available_bytes.or_none() == 118566368 * 1024
    assert info.swap_used_bytes.or_none() == 0


@pytest.mark.parametrize("text", ["", "MemTotal: lots kB\n", "MemTotal\n", "MemTotal: 0 kB", "MemTotal: 5 GB\n"])
def test_nonsense_is_unknown(text: str) -> None:
    info = parse(text)
    assert isinstance(info.total_bytes, Unknown)
    assert isinstance(info.available_bytes, Unknown)
    assert isinstance(info.swap_used_bytes, Unknown)
