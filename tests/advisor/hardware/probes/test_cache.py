import pytest

from advisor.core.evidence import Unknown
from advisor.hardware.probes.cache import CacheFiles, parse, parse_size


@pytest.mark.parametrize(
    ("text", "size"),
    [("32768K\n", 32 * 2**20), ("1M", 2**20), ("512", 512), ("0K", None), ("", None), ("-1K", None), ("big", None)],
)
def test_size(text: str, size: int | None) -> None:
    assert parse_size(text) == size


def test_shared_caches_count_once() -> None:
    two = [CacheFiles("3", "16M", "0-7"), CacheFiles("3", "16M", "0-7"), CacheFiles("3", "16M", "8-15")]
    assert parse(two).or_none() == 32 * 2**20


def test_other_levels_do_not_count() -> None:
    assert isinstance(parse([CacheFiles("2", "1M", "0")]), Unknown)
    assert isinstance(parse([]), Unknown)
