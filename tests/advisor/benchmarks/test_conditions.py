from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.benchmarks.conditions import Seen, disturbance, fall, judge, others_in, too_busy
from advisor.benchmarks.model import Conditions, Stamp
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import percent
from advisor.core.stats import mad, median
from advisor.hardware.model import OtherLoad, Power
from advisor.hardware.probes.gpu_activity import GpuActivity

NOTHING: Fact[float] = Unknown("not counted here", Missing.NOT_SUPPORTED)
STEADY = (1.0, 1.01, 0.99, 1.0, 1.0)


def known(value: float) -> Known[float]:
    return Known(value, Basis.MEASURED, "test")


def others(busy: float = 0.0, steal: float = 0.0, swapped: int = 0) -> OtherLoad:
    return OtherLoad(known(busy), known(steal), Known(swapped, Basis.MEASURED, "test"))


def power(on_battery: bool | None) -> Power:
    profile: Fact[str] = Unknown("none", Missing.NOT_SUPPORTED)
    if on_battery is None:
        return Power(Unknown("no battery", Missing.NOT_APPLICABLE), profile)
    return Power(Known(on_battery, Basis.READ, "test"), profile)


def test_a_quiet_run_is_valid_and_gives_no_reason() -> None:
    judged = judge(STEADY, others(), power(None))
    assert (judged.stamp, judged.because) == (Stamp.VALID, ())


@pytest.mark.parametrize(
    ("load", "on_battery", "samples", "stamp", "reason"),
    [
        (others(busy=0.22), None, STEADY, Stamp.SUSPECT, "other programs used 22"),
        (others(busy=0.5), None, STEADY, Stamp.INVALID, "other programs used 50"),
        (others(steal=0.08), None, STEADY, Stamp.SUSPECT, "hypervisor gave 8"),
        (others(steal=0.3), None, STEADY, Stamp.INVALID, "hypervisor gave 30"),
        (others(swapped=4096), None, STEADY, Stamp.INVALID, "swapping"),
        (others(), True, STEADY, Stamp.SUSPECT, "on battery"),
        (others(), None, (1.0, 1.1, 0.9, 1.0, 1.2), Stamp.SUSPECT, "repetitions differ"),
        (others(), None, (1.0, 2.0, 3.0), Stamp.INVALID, "repetitions differ by 33"),
        (others(), None, (1.0,), Stamp.SUSPECT, "only one repetition"),
    ],
)
def test_each_trouble_has_its_stamp_and_reason(
    load: OtherLoad, on_battery: bool | None, samples: tuple[float, ...], stamp: Stamp, reason: str
) -> None:
    judged = judge(samples, load, power(on_battery))
    assert judged.stamp is stamp
    assert any(reason in text for text in judged.because)


def during(faults: int = 0, events: int = 0, throttled_s: float | None = 0.0, duration_s: float = 10.0) -> OtherLoad:
    source = "test"
    return replace(
        others(),
        duration_s=known(duration_s),
        own_major_faults=Known(faults, Basis.MEASURED, source),
        throttle_events=Known(events, Basis.MEASURED, source),
        throttled_s=NOTHING if throttled_s is None else known(throttled_s),
        temperature_c=known(97.0),
    )


@pytest.mark.parametrize(
    ("load", "stamp", "reason", "fault"),
    [
        (during(faults=900), Stamp.VALID, "", False),
        (during(faults=1500), Stamp.SUSPECT, "read from disk during the run (1,500 page faults)", False),
        (during(faults=20000), Stamp.INVALID, "read from disk during the run (20,000 page faults)", True),
        (during(events=1), Stamp.SUSPECT, "throttled 1\u00a0time at 97 °C", False),
        (during(events=12, throttled_s=None), Stamp.SUSPECT, "throttled 12\u00a0times", False),
        (during(events=12, throttled_s=2.5), Stamp.INVALID, "throttled for 25\u00a0% of the run at 97 °C", True),
        (during(events=12, throttled_s=99.0), Stamp.INVALID, "throttled for 100\u00a0% of the run", True),
        (during(duration_s=0.0, faults=5, throttled_s=1.0), Stamp.VALID, "", False),
    ],
)
def test_paging_and_throttling(load: OtherLoad, stamp: Stamp, reason: str, fault: bool) -> None:
    """What slows real work too is a fault of the machine, not of the measurement."""
    judged = judge(STEADY, load, power(None))
    assert (judged.stamp, judged.fault) == (stamp, fault)
    assert reason in " ".join(judged.because)


@pytest.mark.parametrize(
    ("swapped", "stamp", "fault"),
    [(4096 * 30, Stamp.VALID, False), (4096 * 3000, Stamp.SUSPECT, False), (4096 * 20_000, Stamp.INVALID, True)],
)
def test_a_few_pages_for_a_program_in_the_background_are_no_swapping(swapped: int, stamp: Stamp, fault: bool) -> None:
    load = replace(others(swapped=swapped), duration_s=known(10.0))
    judged = judge(STEADY, load, power(None))
    assert (judged.stamp, judged.fault) == (stamp, fault)
    assert any("swapping" in why for why in judged.because) == (stamp is not Stamp.VALID)


@given(st.lists(st.floats(1e-4, 1e4), min_size=2, max_size=7))
def test_the_spread_that_is_judged_is_the_one_that_tables_show(samples: list[float]) -> None:
    speeds = [512 / sample for sample in samples]
    spread = mad(speeds)
    assert spread is not None
    share = spread / median(speeds)
    judged = judge(samples, others(), power(None))
    said = [why for why in judged.because if why.startswith("the repetitions differ")]
    if share >= 0.051:
        # a share that lies on a half may be rounded either way
        either = {percent(share * (1 + error)) for error in (-1e-9, 0, 1e-9)}
        assert said[0].removeprefix("the repetitions differ by ") in either
    if share < 0.049:
        assert not said


@pytest.mark.parametrize(
    ("samples", "stamp"),
    [((7.1, 7.8, 7.0, 67.0, 56.6), Stamp.INVALID), ((1.0, 1.0, 1.0, 1.0, 1.8), Stamp.SUSPECT), (STEADY, Stamp.VALID)],
)
def test_one_repetition_that_stood_still_is_seen(samples: tuple[float, ...], stamp: Stamp) -> None:
    judged = judge(samples, others(), power(None))
    assert judged.stamp is stamp
    assert any("slowest repetition" in reason for reason in judged.because) is (stamp is not Stamp.VALID)


def on_gpu(busy: float = 0.97, memory: float = 0.7, free: float = 0.4, held: float = 0.0) -> Seen:
    return Seen(gpu=GpuActivity(10, busy, memory, free, held, ("heat",) if held else ()))


@pytest.mark.parametrize(
    ("seen", "stamp", "reason", "fault"),
    [
        (Seen(paused_s=0.1), Stamp.SUSPECT, "paused from outside for 0.10", False),
        (Seen(paused_s=2.0), Stamp.INVALID, "paused from outside for 2.0", False),
        (Seen(misplaced="all of it lies in main memory"), Stamp.INVALID, "main memory", True),
        (Seen(notes=("it was cut short",)), Stamp.SUSPECT, "cut short", False),
        (on_gpu(), Stamp.VALID, "", False),
        (on_gpu(busy=1.0, memory=0.02, free=0.01), Stamp.INVALID, "part of the model lies in main memory", True),
        (on_gpu(busy=1.0, memory=0.02), Stamp.VALID, "", False),
        (on_gpu(memory=0.6, free=0.01), Stamp.VALID, "", False),
        (on_gpu(busy=0.0, memory=0.0), Stamp.INVALID, "no GPU had anything to do", True),
        (on_gpu(held=0.05), Stamp.SUSPECT, "the GPU was throttled for 5\u00a0% of the run (heat)", False),
        (on_gpu(held=0.5), Stamp.INVALID, "the GPU was throttled for 50", True),
        (Seen(gpu=GpuActivity(2, 0.0, 0.0, 0.01, 1.0, ("heat",))), Stamp.VALID, "", False),
    ],
)
def test_what_was_seen_of_the_run_itself(seen: Seen, stamp: Stamp, reason: str, fault: bool) -> None:
    """C31: a spill is a busy GPU that hardly uses a memory which is full; either alone is none."""
    judged = judge(STEADY, others(), power(None), seen)
    assert (judged.stamp, judged.fault) == (stamp, fault)
    assert reason in " ".join(judged.because)


def test_a_computer_that_slept_is_believed_in_nothing() -> None:
    assert judge(STEADY, replace(others(), asleep_s=known(40.0)), power(None)).stamp is Stamp.INVALID
    assert judge(STEADY, replace(others(), asleep_s=known(0.0)), power(None)).stamp is Stamp.VALID


@pytest.mark.parametrize(
    ("speeds", "percent_lost"),
    [
        ((204.8, 137.9, 154.0, 162.6, 149.2), 25),  # V6, C22: a fanless laptop, prefill
        ((21.1, 18.9, 18.8, 17.5, 18.1), 14),  # and decode
        ((68.6, 68.1, 67.4, 66.9, 66.0, 65.6, 65.0, 64.9), 5),  # C23: a desktop GPU
        ((100.0, 97.0, 94.5), None),
        ((100.0, 101.0, 99.0, 100.5, 99.5), None),
        ((95.0, 99.0, 97.0, 100.0, 98.0), None),
        ((100.0, 90.0, 100.0, 90.0, 100.0), None),
    ],
)
def test_a_speed_that_falls_while_it_runs_is_told_from_noise(
    speeds: tuple[float, ...], percent_lost: int | None
) -> None:
    fell = fall(speeds)
    assert (None if fell is None else round(100 * fell)) == percent_lost
    judged = judge([1 / speed for speed in speeds], others(), power(None))
    assert any(why.startswith("the speed fell by") for why in judged.because) is (percent_lost is not None)


@pytest.mark.parametrize(
    ("busy", "steal", "biggest", "words"),
    [
        (0.6, 0.0, "firefox", "Other programs use 60\u00a0% of the CPU (firefox): close them"),
        (0.6, 0.0, "", "Other programs use 60\u00a0% of the CPU: close them"),
        (0.05, 0.2, "", "The hypervisor gives 20\u00a0%"),
        (0.05, 0.01, "firefox", ""),
    ],
)
def test_the_user_is_told_before_a_run_that_will_be_disturbed(
    busy: float, steal: float, biggest: str, words: str
) -> None:
    said = too_busy(busy, steal, biggest)
    assert said.startswith(words)
    assert bool(said) is bool(words)


def test_what_goes_on_beside_a_probe_is_named_from_a_tenth_of_the_cpu_on() -> None:
    assert disturbance(others(busy=0.48)) == "other programs used 48\u00a0% of the CPU"
    assert "hypervisor" in disturbance(others(steal=0.3))
    assert disturbance(others(busy=0.05)) == ""


def test_the_worst_reason_comes_first() -> None:
    judged = judge(STEADY, others(busy=0.5), power(True))
    assert judged.because[0].startswith("other programs")
    assert judged.because[1] == "on battery"


def test_unknown_conditions_are_not_held_against_a_run() -> None:
    unknown = OtherLoad(NOTHING, NOTHING, Unknown("not counted", Missing.NOT_SUPPORTED))
    assert judge(STEADY, unknown, power(None)).stamp is Stamp.VALID


@pytest.mark.parametrize(("words", "share"), [("66\u00a0%", 0.66), ("over 99\u00a0%", 0.99)])
def test_what_a_stamp_says_of_other_programs_is_read_back(words: str, share: float) -> None:
    said = Conditions(Stamp.INVALID, (f"other programs used {words} of the CPU, most of all python",))
    assert others_in(said) == (share, "python")
