import pytest

from advisor.hardware.probes.topology import CpuFiles, Topology, parse


def pairs(count: int) -> dict[int, CpuFiles]:
    """``count`` logical CPUs, neighbours sharing a core."""
    return {n: CpuFiles(f"{n // 2 * 2}-{n // 2 * 2 + 1}") for n in range(count)}


def test_siblings_share_a_core() -> None:
    shape = parse(pairs(8))
    assert [sorted(core) for core in shape.cores] == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert shape.fast_cores == ()
    assert shape.online == frozenset(range(8))


@pytest.mark.parametrize(
    ("mask", "cores"),
    [((0, 1), 1), ((0, 2), 2), ((0, 1, 2, 3, 4, 5, 6, 7), 4), ((1, 6), 2), ((99,), 0), ((), 0)],
)
def test_distinct_cores_inside_a_mask(mask: tuple[int, ...], cores: int) -> None:
    assert parse(pairs(8)).cores_within(frozenset(mask)) == cores


def test_siblings_far_apart() -> None:
    shape = parse({n: CpuFiles(f"{n % 4},{n % 4 + 4}") for n in range(8)})
    assert len(shape.cores) == 4
    assert shape.cores_within(frozenset({0, 1, 2, 3})) == 4


def test_core_ids_where_siblings_are_missing() -> None:
    files = {n: CpuFiles("", core_id=str(n % 2), package_id=str(n // 2)) for n in range(4)}
    assert len(parse(files).cores) == 4
    files = {n: CpuFiles("", core_id=str(n // 2), package_id="0") for n in range(4)}
    assert len(parse(files).cores) == 2


def test_offline_siblings_are_left_out() -> None:
    assert parse({0: CpuFiles("0-1"), 2: CpuFiles("2-3")}).cores == (frozenset({0}), frozenset({2}))


def test_one_hidden_cpu_hides_all() -> None:
    assert parse({0: CpuFiles("0"), 1: CpuFiles("")}) == Topology(frozenset({0, 1}), (), ())
    assert parse({}) == Topology(frozenset(), (), ())


def test_fast_cores_by_intels_lists() -> None:
    shape = parse({**pairs(8), **{n: CpuFiles(str(n)) for n in range(8, 16)}}, "0-7", "8-15")
    assert (len(shape.cores), len(shape.fast_cores)) == (12, 4)
    assert shape.fast_cores_within(frozenset(range(2, 16))) == 3
    assert shape.fast_cores_within(frozenset({9})) == 0


def test_twenty_cores_without_hyper_threads_are_not_halved() -> None:
    shape = parse({n: CpuFiles(str(n)) for n in range(20)}, "0-7", "8-19")
    assert (len(shape.cores), len(shape.fast_cores)) == (20, 8)


@pytest.mark.parametrize(
    ("capacities", "fast"),
    [
        (("414", "414", "1024", "1024"), 2),
        (("1024", "1024", "1024", "1024"), 0),
        (("718", "718", "1024", "1024"), 0),
        (("414", "", "1024", "1024"), 0),
        (("x", "414", "1024", "1024"), 0),
    ],
)
def test_fast_cores_by_capacity(capacities: tuple[str, ...], fast: int) -> None:
    shape = parse({n: CpuFiles(str(n), capacity=c) for n, c in enumerate(capacities)})
    assert len(shape.fast_cores) == fast
