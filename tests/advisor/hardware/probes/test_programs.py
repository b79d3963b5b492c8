import os

from advisor.hardware.probes.programs import ProgramsWindow, Used, biggest

BEFORE = {1: Used("init", 0.0, 5.0), 20: Used("firefox", 10.0, 100.0), 21: Used("firefox", 11.0, 50.0)}


def test_processes_of_one_program_count_together() -> None:
    after = {
        1: Used("init", 0.0, 5.1),
        20: Used("firefox", 10.0, 101.0),
        21: Used("firefox", 11.0, 51.0),
        30: Used("make", 3.0, 7.0),
    }
    assert biggest(BEFORE | {30: Used("make", 3.0, 5.5)}, after, 100.0, ()) == "firefox"


def test_a_newborn_process_counts_whole_and_one_seen_for_the_first_time_not_at_all() -> None:
    newborn = {40: Used("cc1plus", 150.0, 3.0)}
    assert biggest(BEFORE, BEFORE | newborn, 100.0, ()) == "cc1plus"
    assert biggest(BEFORE, BEFORE | {41: Used("old", 50.0, 3.0)}, 100.0, ()) == ""


def test_a_number_that_was_given_to_another_process_is_not_mistaken_for_it() -> None:
    assert biggest(BEFORE, {20: Used("sh", 150.0, 0.0)}, 100.0, ()) == ""


def test_a_clock_that_is_set_meanwhile_makes_nobody_newborn() -> None:
    """On Linux births move with the clock: an idle program must not look as if it had begun and used much."""
    moved = {pid: Used(used.name, used.born_at + 3600.0, used.cpu_s) for pid, used in BEFORE.items()}
    moved[1] = Used("init", 3600.0, 6.0)
    assert biggest(BEFORE, moved, 100.0, (), 3600.0) == "init"


def test_our_own_processes_do_not_count() -> None:
    after = {20: Used("firefox", 10.0, 130.0), 21: Used("firefox", 11.0, 50.0), 1: Used("init", 0.0, 5.5)}
    assert biggest(BEFORE, after, 100.0, (20,)) == "init"


def test_nothing_used_has_no_name() -> None:
    assert biggest(BEFORE, BEFORE, 100.0, ()) == ""
    assert biggest({}, {}, 0.0, ()) == ""


def test_this_process_is_not_its_own_disturber() -> None:
    window = ProgramsWindow(lambda: (os.getpid(),))
    assert isinstance(window.biggest(), str)
    assert "pytest" not in window.biggest()
