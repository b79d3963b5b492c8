"""Experiments with an invented engine: turns, rounds, Stop, crashes, stamps."""

from dataclasses import replace

import pytest

from advisor.benchmarks.job import Job
from advisor.benchmarks.model import Conditions, EngineMode, Phase, Stamp, TestSpec
from advisor.benchmarks.trials.model import Arm, Outcome, PrefixTrial, QuantiseTrial, SettingTrial, SpeculateTrial
from advisor.core.errors import AdvisorError, Cancelled, EngineCrashed, EngineError
from advisor.core.progress import CancelToken, Progress
from advisor.session import trying
from advisor.session.events import Event
from tests.support.trials import InventedEngine, context, threads_trial


def faster_with_six(spec: TestSpec, call: int) -> float:
    """Prefill is slower with six threads, decode faster; every round drifts by 5 % and none is like another."""
    drift = 1 + 0.05 * (call // 2)
    speed = {(Phase.PREFILL, 6): 1.5, (Phase.DECODE, 6): 0.8}.get((spec.phase, spec.n_threads), 1.0)
    return drift * speed * (1 + 0.03 * (call % 3))


def nobody(_event: Event) -> None:
    pass


def test_both_ways_run_by_turns_and_the_other_one_begins_each_round() -> None:
    engine = InventedEngine(faster_with_six)
    trial = trying.run(context(engine), threads_trial(), nobody, CancelToken())
    assert [job.tests[0].spec.n_threads for job in engine.jobs] == [12, 6, 6, 12, 12, 6, 6, 12, 12, 6]
    prefill, decode = trial.pair(Phase.PREFILL), trial.pair(Phase.DECODE)
    assert prefill is not None
    assert decode is not None
    assert len(prefill.before_s) == 5
    assert prefill.outcome is Outcome.HURTS
    assert decode.outcome is Outcome.HELPS
    assert decode.ratio == pytest.approx(0.8, rel=0.04)
    assert decode.what == "tg128"
    assert trial.plan == threads_trial()
    assert (trial.before, trial.after) == ("12 threads", "6 threads")


def test_the_diagnosed_mode_and_the_arms_own_model_are_used() -> None:
    engine = InventedEngine(lambda spec, call: 1.0)
    plan = threads_trial()
    other = replace(plan.after, model=context(engine).scratch / "other.gguf")
    trying.run(context(engine, mode=EngineMode.NO_EXTRA_BUFFERS), replace(plan, after=other), nobody, CancelToken())
    assert {job.mode for job in engine.jobs} == {EngineMode.NO_EXTRA_BUFFERS}
    assert engine.jobs[0].model.name.startswith("llama-3.1")
    assert engine.jobs[1].model.name == "other.gguf"


def test_a_steady_machine_needs_three_rounds_only() -> None:
    engine = InventedEngine(lambda spec, call: 1.0)
    trial = trying.run(context(engine), threads_trial(), nobody, CancelToken())
    assert trial.rounds == 3
    assert {pair.outcome for pair in trial.pairs} == {Outcome.SAME}


def test_tests_of_different_lengths_are_named_both() -> None:
    spec = context(InventedEngine(lambda spec, call: 1.0)).spec(Phase.PREFILL)
    plan = SettingTrial(Arm("long", (spec,)), Arm("short", (replace(spec, n_prompt=128),)))
    engine = InventedEngine(lambda spec, call: spec.n_prompt / 512)
    (pair,) = trying.run(context(engine), plan, nobody, CancelToken()).pairs
    assert pair.what == "pp512 against pp128"
    assert pair.ratio == 0.25


def test_stop_keeps_whole_rounds() -> None:
    cancel = CancelToken()

    def stop(job: Job, call: int) -> AdvisorError | None:
        if call == 4:  # the first half of the third round was measured before
            cancel.cancel()
            return Cancelled("Stopped.")
        return None

    trial = trying.run(context(InventedEngine(faster_with_six, stop)), threads_trial(), nobody, cancel)
    assert trial.rounds == 2
    assert trial.notes == ("Stopped after 2\u00a0rounds of 5.",)


def test_stop_before_the_first_round_leaves_nothing() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        trying.run(context(InventedEngine(faster_with_six)), threads_trial(), nobody, cancel)


def test_a_crash_of_one_way_names_it() -> None:
    def crash(job: Job, call: int) -> AdvisorError | None:
        six = job.tests[0].spec.n_threads == 6
        return EngineCrashed("The engine crashed while running prefill (SIGSEGV).", "Update it.") if six else None

    with pytest.raises(EngineCrashed, match=r"^6 threads: The engine crashed while running prefill") as raised:
        trying.run(context(InventedEngine(faster_with_six, crash)), threads_trial(), nobody, CancelToken())
    assert raised.value.hint == "Update it."


def test_a_crash_in_a_later_round_keeps_the_whole_ones() -> None:
    def crash(_job: Job, call: int) -> AdvisorError | None:
        return EngineCrashed("The engine crashed while running decode (SIGSEGV).", "Update it.") if call == 7 else None

    trial = trying.run(context(InventedEngine(faster_with_six, crash)), threads_trial(), nobody, CancelToken())
    assert trial.rounds == 3
    assert trial.notes[0].replace("\u00a0", " ").startswith("Ended after 3 rounds of 5: ")
    assert "crashed while running decode" in trial.notes[0]


def test_what_the_engine_cannot_run_is_said_before_anything_runs() -> None:
    engine = InventedEngine(faster_with_six, why="it has no such option")
    with pytest.raises(EngineError, match="cannot try it: it has no such option"):
        trying.run(context(engine), threads_trial(), nobody, CancelToken())
    assert engine.jobs == []


def test_the_worst_stamp_of_all_rounds_counts() -> None:
    def stamps(call: int) -> Conditions:
        return Conditions(Stamp.SUSPECT, ("on battery",)) if call == 3 else Conditions(Stamp.VALID, ())

    engine = InventedEngine(faster_with_six, conditions=stamps)
    trial = trying.run(context(engine), threads_trial(), nobody, CancelToken())
    assert trial.conditions == Conditions(Stamp.SUSPECT, ("on battery",))


def test_a_disturbed_round_is_left_out_and_said() -> None:
    def stamps(call: int) -> Conditions:
        bad = Conditions(Stamp.INVALID, ("the computer was swapping",))
        return bad if call == 2 else Conditions(Stamp.VALID, ())

    engine = InventedEngine(faster_with_six, conditions=stamps)
    trial = trying.run(context(engine), threads_trial(), nobody, CancelToken())
    assert trial.rounds == 4
    assert trial.conditions.stamp is Stamp.VALID
    assert trial.notes == ("1\u00a0round was left out: the computer was swapping.",)


def test_progress_grows_to_the_end_and_names_round_and_way() -> None:
    events: list[Event] = []
    trying.run(context(InventedEngine(faster_with_six)), threads_trial(), events.append, CancelToken())
    said = [event for event in events if isinstance(event, Progress)]
    assert [event.fraction for event in said] == sorted(event.fraction for event in said)
    assert said[-1].fraction == 1.0
    assert any(event.phase.startswith("Round 2 of 5, 6 threads: Prefill") for event in said)


def test_what_it_takes_is_said_before_and_three_rounds_are_the_least() -> None:
    engine = InventedEngine(faster_with_six)
    three = trying.predicted_s(context(engine, budget_s=1.0), threads_trial())
    short = trying.predicted_s(context(engine, budget_s=1.0, rounds=6), threads_trial())
    assert three is not None
    assert three == short
    assert trying.predicted_s(context(engine, budget_s=1000.0, rounds=6), threads_trial()) > three
    for plan in (SpeculateTrial(4), PrefixTrial(600, 400), QuantiseTrial("Q4_K_M")):
        few, many = (trying.predicted_s(context(engine, budget_s=1000.0, rounds=n), plan) for n in (3, 6))
        assert 0 < few < many
