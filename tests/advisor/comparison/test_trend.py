"""Slower than last time, because …: what changed is named, and nothing is blamed that did not."""

from dataclasses import replace

import pytest

from advisor.benchmarks.model import Cause, Conditions, EngineMode, Phase, Stamp, Sweep, TestResult
from advisor.benchmarks.store.model import EngineIdentity
from advisor.comparison.model import Outcome
from advisor.comparison.trend import Point, around, changes, main_points, series
from advisor.core.evidence import Basis, Known
from advisor.report.trend_words import change_sentences
from tests.support import documents as d

ENGINE = EngineIdentity("llama-cpp-python", "0.3.36", "aaa", "python")


def timed(speed: float, phase: Phase = Phase.DECODE, **changed: object) -> TestResult:
    """Seven repetitions within half a per cent of a speed."""
    base = d.decode_test() if phase is Phase.DECODE else d.prefill_test()
    second = base.tokens / speed
    samples = tuple(second * (1 + step / 600) for step in range(-3, 4))
    return replace(base, samples_s=samples, **changed)  # type: ignore[arg-type]


def point(run: int, test: TestResult, engine: EngineIdentity = ENGINE, machine=None) -> Point:
    return Point(run, f"2026-11-{run:02}T10:00:00+01:00", test, around(test, engine, machine or d.machine()))


def said(now: Point, *earlier: Point) -> str:
    return " ".join(change_sentences(changes([now], earlier))).replace("\u00a0", " ")


def test_a_new_build_is_named() -> None:
    text = said(point(5, timed(30.0), replace(ENGINE, build="bbb")), point(4, timed(40.0)))
    assert "Decode (tg128) is 25 % slower than in run 4 of 4 November 2026" in text
    assert "30.0 instead of 40.0 tokens/s" in text
    assert "What changed since: engine: llama-cpp-python 0.3.36, build aaa →" in text
    assert "build bbb." in text
    assert "No reason" not in text


@pytest.mark.parametrize(
    ("now", "words"),
    [
        ({"n_threads": 2}, "2 threads"),
        ({"mode": EngineMode.ONE_THREAD}, "safe mode on one thread"),
        ({"device": "Vulkan0"}, "CPU → Vulkan0"),
        ({"conditions": d.SUSPECT}, "this run is suspect: on battery"),
    ],
)
def test_settings_and_disturbances_are_named(now: dict[str, object], words: str) -> None:
    assert words in said(point(5, timed(30.0, **now)), point(4, timed(40.0)))


def busy(share: int, said: str = "other programs used {} % of the CPU", stamp: Stamp = Stamp.SUSPECT) -> Conditions:
    return Conditions(stamp, (said.format(share),), causes=(Cause.OTHERS,), others_fraction=share / 100)


def test_a_stamp_is_held_against_the_last_one_by_its_causes_not_by_its_words() -> None:
    """The same disturbance with another figure, or told in another language, is nothing that changed."""
    earlier = point(4, timed(40.0, conditions=busy(13)))
    for words in ("other programs used {} % of the CPU", "andere Programme nutzten {} % der CPU"):
        assert "this run is" not in said(point(5, timed(30.0, conditions=busy(17, words))), earlier)
    assert "this run is invalid" in said(point(5, timed(30.0, conditions=busy(80, stamp=Stamp.INVALID))), earlier)
    assert "this run is suspect: on battery" in said(point(5, timed(30.0, conditions=d.SUSPECT)), earlier)


def test_of_two_things_known_beforehand_the_other_one_is_a_change() -> None:
    def noted(why: str) -> Conditions:
        return Conditions(Stamp.SUSPECT, (why,), causes=(Cause.PLANNED,))

    earlier = point(4, timed(40.0, conditions=noted("on battery")))
    assert "this run is" not in said(point(5, timed(30.0, conditions=noted("im Akkubetrieb"))), earlier)
    assert "this run is suspect" in said(point(5, timed(30.0, conditions=noted("only one repetition"))), earlier)


def test_power_and_driver_are_named() -> None:
    machine = d.machine()
    on_battery = replace(machine, power=replace(machine.power, on_battery=Known(True, Basis.READ, "x")))
    assert "on mains → on battery" in said(point(5, timed(30.0), machine=on_battery), point(4, timed(40.0)))
    old, new = (
        replace(machine, gpus=(replace(machine.gpus[0], driver=Known(version, Basis.READ, "x")),))
        for version in ("550.1", "560.2")
    )
    text = said(point(5, timed(30.0), machine=new), point(4, timed(40.0), machine=old))
    assert "driver of Iris Xe: driver 550.1 → driver 560.2" in text


def test_without_a_known_reason_the_spread_of_the_same_settings_is_said() -> None:
    earlier = [point(4, timed(40.0)), point(3, timed(41.0)), point(2, timed(38.0))]
    text = said(point(5, timed(30.0)), *earlier)
    assert "No reason is known. 4 runs with these settings differ by up to 28 %." in text
    assert "2 runs with these settings, too few" in said(point(5, timed(30.0)), earlier[0])


def test_a_difference_that_two_runs_of_the_same_thing_show_is_none() -> None:
    (change,) = changes([point(5, timed(39.5))], [point(4, timed(40.0))])
    assert change.outcome in (Outcome.SAME, Outcome.CLOSE)
    assert "as fast as in run 4" in said(point(5, timed(39.5)), point(4, timed(40.0)))


def test_runs_that_are_not_to_be_believed_and_other_tests_are_passed_over() -> None:
    earlier = [
        point(4, timed(10.0, conditions=d.INVALID)), point(3, timed(20.0, sweep=Sweep.THREADS)),
        point(2, timed(25.0, n_depth=4096)), point(1, timed(40.0)),
    ]  # fmt: skip
    (change,) = changes([point(5, timed(40.0))], earlier)
    assert change.run == 1
    assert changes([point(5, timed(40.0))], earlier[:3]) == ()


def test_what_one_run_does_not_tell_is_said_and_never_a_reason() -> None:
    test = timed(30.0)
    bare = Point(4, "2026-11-04T10:00:00+01:00", timed(40.0), around(timed(40.0), None, None))
    (change,) = changes([point(5, test)], [bare])
    assert change.reasons == ()
    assert {"engine", "system", "power"} <= set(change.unknown)


def test_a_series_holds_the_same_settings_only() -> None:
    now = point(5, timed(40.0))
    earlier = [point(4, timed(40.0)), point(3, timed(40.0, n_threads=1)), point(2, timed(41.0))]
    assert [each.run for each in series(now, earlier)] == [4, 2]


def test_the_phase_itself_stands_for_a_run() -> None:
    points = [point(1, timed(9.0, n_depth=512)), point(1, timed(10.0)), point(1, timed(100.0, Phase.PREFILL))]
    assert [each.test.test for each in main_points(points)] == ["pp512", "tg128"]
