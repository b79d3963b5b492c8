"""Tries a setting: both ways by turns, the other one first in each round, every way in a fresh child."""

import time
from dataclasses import dataclass

from advisor.benchmarks.child_words import translated
from advisor.benchmarks.engines.engine import Listening, Measured
from advisor.benchmarks.job import Job, PlannedTest
from advisor.benchmarks.model import Conditions, Phase, TestResult, merged_reasons
from advisor.benchmarks.planning.limits import plan_limits
from advisor.benchmarks.planning.plan import Plan
from advisor.benchmarks.planning.predicting import Predictor
from advisor.benchmarks.steadiness import Repeat
from advisor.benchmarks.trials import rounds
from advisor.benchmarks.trials.model import LEAST_ROUNDS, Arm, Pair, SettingTrial, Trial
from advisor.core.errors import AdvisorError, EngineCrashed, EngineError
from advisor.core.numbers import capital, count
from advisor.core.progress import CancelToken
from advisor.core.translation import tr, trn
from advisor.session.clock import RunClock
from advisor.session.events import Listener
from advisor.session.trial_context import TrialContext, ended_early


def run(context: TrialContext, plan: SettingTrial, listener: Listener, cancel: CancelToken) -> Trial:
    """Rounds of both ways until the result is narrow enough, all rounds are made, or the time is over.

    Raises:
        Cancelled: stopped before the first whole round.
        EngineError: one of the two ways cannot be run, or failed.
    """
    both = _Rounds(context, plan, listener, cancel)
    notes = both.run()
    return Trial(
        context.advice,
        plan.before.words,
        plan.after.words,
        both.pairs(),
        both.conditions(),
        context.created_at,
        notes=notes,
    )


def predicted_s(context: TrialContext, plan: SettingTrial) -> float:
    """Seconds that it will take, from the speeds of the diagnosed rows."""
    both = _Rounds(context, plan, lambda _event: None, CancelToken())
    return min(context.rounds * both.round_s, max(context.budget_s, LEAST_ROUNDS * both.round_s))


@dataclass(frozen=True, slots=True)
class _Way:
    """One of the two ways."""

    arm: Arm
    planned: tuple[PlannedTest, ...]


@dataclass(frozen=True, slots=True)
class _Round:
    """What one whole round measured."""

    before: tuple[TestResult, ...]
    after: tuple[TestResult, ...]

    @property
    def conditions(self) -> Conditions:
        """The worse stamp of both ways."""
        return rounds.worst(test.conditions for test in (*self.before, *self.after))


class _Rounds:
    """The rounds of one experiment, as they run."""

    def __init__(
        self, context: TrialContext, plan: SettingTrial, listener: Listener, cancel: CancelToken
    ) -> None:
        self._context = context
        self._cancel = cancel
        self._load_s = _predictor(context).load_s
        planned = [_planned(context, arm) for arm in (plan.before, plan.after)]
        both = [test for tests in planned for test in tests]
        times = rounds.repetitions(2 * self._load_s, both, context.rounds, context.budget_s)
        self.ways = [
            _Way(arm, tuple(rounds.repeated(test, times) for test in tests))
            for arm, tests in zip((plan.before, plan.after), planned, strict=True)
        ]
        self._rounds: list[_Round] = []
        self.round_s = rounds.round_s(2 * self._load_s, [test for way in self.ways for test in way.planned])
        self._clock = RunClock(listener)

    def run(self) -> tuple[str, ...]:
        """All rounds; returns notes on what is not as planned."""
        self._refuse_what_cannot_run()
        most = self._context.rounds
        started_s = time.monotonic()
        self._clock.plan({
            _step(number, at): self.round_s / 2 for number in range(most) for at in (0, 1)
        })
        for number in range(most):
            error = self._round(number)
            spent_s = time.monotonic() - started_s
            if error is not None and not self._rounds:
                raise error
            if error is not None:
                return (ended_early(number, most, error), *self._left_out())
            if number + 1 == most or rounds.is_enough(self.pairs(), number + 1, spent_s, most, self._context.budget_s):
                break
            self._clock.plan({
                _step(later, at): spent_s / (number + 1) / 2 for later in range(number + 1, most) for at in (0, 1)
            })
        self._clock.finish(tr("Tried"))
        return self._left_out()

    def pairs(self) -> tuple[Pair, ...]:
        """What can be compared so far: each phase that both ways have, in the rounds that count."""
        made = []
        for phase in Phase:
            held = [
                (before, after) for one in self._counted for before in one.before for after in one.after
                if before.phase is phase and after.phase is phase
            ]
            if held:
                first, second = (tuple(rounds.value_s(test) for test in side) for side in zip(*held, strict=True))
                names = dict.fromkeys(test.test for test in held[0])
                made.append(Pair(phase, tr(" against ").join(names), first, second))
        return tuple(made)

    def conditions(self) -> Conditions:
        """The worst stamp of the rounds that count."""
        return rounds.worst(one.conditions for one in self._counted)

    @property
    def _counted(self) -> list[_Round]:
        return [self._rounds[number] for number in rounds.counted([one.conditions for one in self._rounds])]

    def _left_out(self) -> tuple[str, ...]:
        """A note on the rounds that do not count."""
        out = [one.conditions for one in self._rounds if one not in self._counted]
        if not out:
            return ()
        why = "; ".join(merged_reasons(out))
        return (
            trn(
                "{n}\u00a0round was left out: {why}.", "{n}\u00a0rounds were left out: {why}.",
                len(out), n=count(len(out)), why=why,
            ),
        )  # fmt: skip

    def _round(self, number: int) -> AdvisorError | None:
        """Both ways once; why it is not whole, None when it is."""
        found: dict[int, tuple[TestResult, ...]] = {}
        for at in (0, 1) if rounds.before_first(number) else (1, 0):
            measured = self._measure(number, at)
            if measured.error is not None:
                return _said_of(measured.error, self.ways[at].arm)
            found[at] = measured.tests
        self._rounds.append(_Round(found[0], found[1]))
        return None

    def _measure(self, number: int, at: int) -> Measured:
        way, context = self.ways[at], self._context
        words = tr("Round {n} of {most}, {way}", n=number + 1, most=context.rounds, way=way.arm.words)
        self._clock.begin(_step(number, at), words)
        plan = Plan(way.planned, self._load_s)
        job = Job(
            way.arm.model or context.model.engine_file,
            way.planned,
            context.mode,
            way.arm.placement,
            context.device,
            context.engine_name,
        )
        listening = Listening(
            reading=lambda _reading: None,
            phase=lambda phase: self._clock.say(f"{words}: {translated(phase)}"),
            repetition=lambda _index, _seconds: None,
            finished=lambda _result: None,
        )
        return context.engine.measure(job, plan_limits(plan), context.machine.power, listening, self._cancel)

    def _refuse_what_cannot_run(self) -> None:
        for way in self.ways:
            for test in way.planned:
                why = self._context.engine.why_not(test.spec)
                if why:
                    raise EngineError(
                        tr("This engine cannot try it: {why}.", why=why), tr("Choose another one: two-machines engines")
                    )


def _planned(context: TrialContext, arm: Arm) -> tuple[PlannedTest, ...]:
    prophet = _predictor(context)
    return tuple(prophet.planned(spec, Repeat(1, 1), essential=True) for spec in arm.tests)


def _predictor(context: TrialContext) -> Predictor:
    """Times from the speeds of the diagnosed rows."""
    return Predictor(
        context.model,
        context.machine.cpu.logical,
        context.prefill.tokens_per_s,
        context.decode.tokens_per_s,
        context.prefill.n_threads,
        context.decode.n_threads,
    )


def _step(number: int, at: int) -> str:
    return f"round {number}, way {at}"


def _said_of(error: AdvisorError, arm: Arm) -> AdvisorError:
    """A crash names the setting under which it happened; a Stop is nobody's doing."""
    if isinstance(error, EngineCrashed):
        return EngineCrashed(f"{capital(arm.words)}: {error.sentence}", error.hint, error.fields)
    return error


