import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.hardware.usable import Usable, usable_threads

NO_QUOTA = Unknown("none", Missing.NOT_APPLICABLE)


def quota(cpus: float) -> Known[float]:
    return Known(cpus, Basis.READ, "test")


@pytest.mark.parametrize(
    ("logical", "in_mask", "cores", "cores_in_mask", "fast", "quota_cpus", "expected"),
    [
        pytest.param(2, 2, 2, 2, None, NO_QUOTA, Usable(2, "2 cores"), id="plain"),
        pytest.param(1, 1, 1, 1, None, NO_QUOTA, Usable(1, "1 core"), id="single"),
        pytest.param(8, 8, 4, 4, None, NO_QUOTA, Usable(4, "4 cores"), id="hyper-threads"),
        pytest.param(16, 8, 8, 4, None, NO_QUOTA, Usable(4, "affinity mask of 4 cores, of 8"), id="taskset -c 0-7"),
        pytest.param(8, 4, 4, 4, None, NO_QUOTA, Usable(4, "4 cores"), id="mask leaves all cores"),
        pytest.param(20, 20, 20, 20, 8, NO_QUOTA, Usable(8, "8 performance cores of 20 cores"), id="265K"),
        pytest.param(16, 8, 12, 8, None, NO_QUOTA, Usable(8, "affinity mask of 8 cores, of 12"), id="slow cores only"),
        pytest.param(16, 16, 8, 8, None, quota(2.0), Usable(2, "cgroup quota of 2 CPUs"), id="--cpus=2"),
        pytest.param(96, 96, None, None, None, quota(7.65), Usable(7, "cgroup quota of 7.65 CPUs"), id="7.65 of 96"),
        pytest.param(4, 4, 4, 4, None, quota(0.5), Usable(1, "cgroup quota of 0.5 CPUs"), id="half a CPU"),
        pytest.param(4, 4, 4, 4, None, quota(4.5), Usable(4, "4 cores"), id="quota above the cores"),
        pytest.param(
            4,
            4,
            None,
            None,
            None,
            NO_QUOTA,
            Usable(4, "4 logical CPUs (the cores behind them are hidden)"),
            id="hidden",
        ),
        pytest.param(
            4,
            2,
            None,
            None,
            None,
            NO_QUOTA,
            Usable(2, "2 logical CPUs (in the affinity mask, the cores behind them are hidden)"),
            id="hidden and masked",
        ),
        pytest.param(8, None, 8, 8, 4, NO_QUOTA, Usable(4, "4 performance cores of 8 cores"), id="Apple, no mask"),
    ],
)
def test_the_limit_that_decides(
    logical: int,
    in_mask: int | None,
    cores: int | None,
    cores_in_mask: int | None,
    fast: int | None,
    quota_cpus: Fact[float],
    expected: Usable,
) -> None:
    assert usable_threads(logical, in_mask, cores, cores_in_mask, fast, quota_cpus) == expected


@given(
    logical=st.integers(1, 512),
    in_mask=st.none() | st.integers(0, 512),
    cores=st.none() | st.integers(0, 256),
    fast=st.none() | st.integers(0, 256),
    cpus=st.none() | st.floats(0.01, 512),
)
def test_at_least_one_and_never_above_the_quota(
    logical: int, in_mask: int | None, cores: int | None, fast: int | None, cpus: float | None
) -> None:
    usable = usable_threads(logical, in_mask, cores, cores, fast, NO_QUOTA if cpus is None else quota(cpus))
    assert usable.threads >= 1
    assert cpus is None or usable.threads <= max(1, cpus)
    assert usable.because


@pytest.mark.parametrize(
    ("cores", "groups", "expected"),
    [
        (64, 1, Usable(64, "64 cores")),
        (65, 1, Usable(64, "64 of 65 cores: more were seen to hang the engine")),
        (128, 2, Usable(64, "one of 2 processor groups only")),
        (64, 2, Usable(32, "one of 2 processor groups only")),
        (1, 2, Usable(1, "one of 2 processor groups only")),
    ],
)
def test_large_machines(cores: int, groups: int, expected: Usable) -> None:
    """Case B20: Windows' groups hide half, and more than 64 threads were seen to give no token."""
    assert usable_threads(cores, cores, cores, cores, None, NO_QUOTA, groups) == expected
