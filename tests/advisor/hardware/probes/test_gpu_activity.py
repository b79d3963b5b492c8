from types import SimpleNamespace
from typing import Any

import pytest

from advisor.hardware.probes import gpu_activity
from advisor.hardware.probes.gpu_activity import GpuSample, GpuWatch, summarise


def sample(busy: float = 1.0, memory: float = 0.6, free: float = 0.5, reasons: int = 0) -> GpuSample:
    return GpuSample(busy, memory, free, reasons)


def test_the_busiest_card_is_the_one_that_ran_it() -> None:
    seen = summarise({0: [sample(0.02, 0.0)] * 3, 1: [sample(0.9, 0.7), sample(0.98, 0.02, free=0.01), sample(1.0)]})
    assert seen is not None
    assert (seen.samples, seen.busy_fraction, seen.memory_busy_fraction, seen.free_fraction) == (3, 0.98, 0.6, 0.01)


def test_heat_and_brakes_are_named_and_the_power_limit_is_not() -> None:
    seen = summarise({0: [sample(reasons=0x4), sample(reasons=0x20 | 0x4), sample(reasons=0x60), sample(reasons=0x80)]})
    assert seen is not None
    assert seen.held_down_by == ("heat", "power brake")
    assert seen.held_down_fraction == 0.75
    quiet = summarise({0: [sample(reasons=0x4), sample(reasons=0x1)]})
    assert quiet is not None
    assert (quiet.held_down_by, quiet.held_down_fraction) == ((), 0.0)


def test_no_card_no_activity() -> None:
    assert summarise({}) is None
    assert summarise({0: []}) is None


class Nvml:
    """A driver with one card."""

    def __init__(self, **wrong: Any) -> None:
        self.wrong = wrong
        self.shut_down = 0

    def nvmlInit(self) -> None:
        if self.wrong.get("init"):
            raise RuntimeError("no driver")

    def nvmlDeviceGetCount(self) -> int:
        return 1

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        return index

    def nvmlDeviceGetUtilizationRates(self, _handle: int) -> Any:
        if self.wrong.get("rates"):
            raise RuntimeError("not supported")
        return SimpleNamespace(gpu=self.wrong.get("gpu", 98), memory=61)

    def nvmlDeviceGetMemoryInfo(self, _handle: int) -> Any:
        return SimpleNamespace(total=self.wrong.get("total", 24_000), free=6_000)

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, _handle: int) -> int:
        return 0x20

    def nvmlShutdown(self) -> None:
        self.shut_down += 1


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_activity, "INTERVAL_S", 0.0)


def test_a_card_is_watched_and_let_go() -> None:
    driver = Nvml()
    watch = GpuWatch(driver)
    watch.look()
    watch.look()
    seen = watch.close()
    assert seen is not None
    assert (seen.samples, seen.busy_fraction, seen.free_fraction, seen.held_down_by) == (2, 0.98, 0.25, ("heat",))
    assert driver.shut_down == 1
    watch.look()
    assert watch.close() == seen
    assert driver.shut_down == 1


@pytest.mark.parametrize("wrong", [{"init": True}, {"rates": True}, {"gpu": 4_294_967_295}])
def test_a_driver_that_does_not_tell_is_not_guessed_at(wrong: dict[str, Any]) -> None:
    watch = GpuWatch(Nvml(**wrong))
    watch.look()
    assert watch.close() is None


def test_looks_that_follow_too_soon_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_activity, "INTERVAL_S", 3600.0)
    watch = GpuWatch(Nvml())
    watch.look()
    watch.look()
    seen = watch.close()
    assert seen is None or seen.samples == 1
