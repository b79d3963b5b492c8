from advisor.core.progress import Progress
from advisor.session.clock import RunClock


class Time:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_progress_follows_the_predicted_seconds() -> None:
    time, heard = Time(), list[Progress]()
    clock = RunClock(heard.append, time)
    clock.plan({"a": 2.0, "b": 6.0})
    clock.begin("a", "First")
    time.now_s += 2.0
    clock.begin("b", "Second")
    assert heard[0] == Progress(0.0, "First", 8.0)
    assert heard[1] == Progress(0.25, "Second", 6.0)
    time.now_s += 3.0
    clock.say("Second, half")
    assert heard[2] == Progress(0.625, "Second, half", 3.0)


def test_a_step_slower_than_predicted_never_lowers_the_fraction() -> None:
    time, heard = Time(), list[Progress]()
    clock = RunClock(heard.append, time)
    clock.plan({"a": 1.0, "b": 1.0})
    clock.begin("a", "First")
    time.now_s += 1.0
    clock.say("First")
    clock.plan({"b": 100.0})
    clock.begin("b", "Second")
    fractions = [event.fraction for event in heard]
    assert fractions == sorted(fractions)
    assert heard[-1].left_s == 100.0


def test_the_end_is_the_end() -> None:
    heard = list[Progress]()
    clock = RunClock(heard.append)
    clock.plan({"a": 10.0})
    clock.begin("a", "First")
    clock.finish("Done")
    assert heard[-1] == Progress(1.0, "Done", 0.0)
