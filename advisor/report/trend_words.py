"""A run beside the runs before it, in sentences: slower than last time, and why."""

from collections.abc import Iterable, Sequence
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.comparison.model import Outcome
from advisor.comparison.trend import Change, Point
from advisor.report import formatting as f

TITLE: Final = "Since last time"
SERIES_HEAD: Final = ("Run", "Measured", "Test", "tokens/s")
PHASES: Final = {Phase.PREFILL: "Prefill", Phase.DECODE: "Decode"}


def change_sentences(changes: Iterable[Change]) -> list[str]:
    """One or two sentences for each phase; none where there is nothing to hold it against."""
    return [f"{_what(change)} {_why(change)}".rstrip() for change in changes]


def _what(change: Change) -> str:
    name, last = f"{PHASES[change.phase]} ({change.test})", _last(change)
    speeds = f"{f.number(change.tokens_per_s)} instead of {f.tokens_per_s(change.before_tokens_per_s)}"
    share = f.percent(abs(change.ratio - 1))
    word = "faster" if change.ratio > 1 else "slower"
    match change.outcome:
        case Outcome.SAME:
            return f"{name} is as fast as {last}: {speeds}, which may be chance."
        case Outcome.CLOSE:
            return f"{name} is as fast as {last}: {speeds} is no more than two runs of the same thing differ."
        case Outcome.UNKNOWN:
            return f"{name} is {share} {word} than {last}, {speeds}; whether that is chance is unknown."
    return f"{name} is {share} {word} than {last}: {speeds}."


def _last(change: Change) -> str:
    """The run that it is held against."""
    when = f.date_time(change.run_at)
    return f"in run {change.run} of {when}" if change.run is not None else f"in the run of {when}"


def _why(change: Change) -> str:
    changed = f"What changed since: {'; '.join(change.reasons)}." if change.reasons else ""
    if change.outcome in (Outcome.SAME, Outcome.CLOSE):
        return f"{changed} {_not_known(change)}".strip() if changed else ""
    if changed:
        return f"{changed} {_not_known(change)}".rstrip()
    return f"No reason is known. {_spread(change)} {_not_known(change)}".rstrip()


def _spread(change: Change) -> str:
    if change.spread is None:
        many = f.plural(change.alike, "run")
        return f"There {'is' if change.alike == 1 else 'are'} {many} with these settings, too few to tell their spread."
    return f"{f.plural(change.alike, 'run')} with these settings differ by up to {f.percent(change.spread)}."


def _not_known(change: Change) -> str:
    return f"Not known of one of them: {f.listed(list(change.unknown))}." if change.unknown else ""


def series_rows(points: Sequence[Point]) -> list[tuple[str, ...]]:
    """The same test with the same settings over time, in the order given."""
    return [
        (
            f.count(point.run) if point.run is not None else "now",
            f.date_time(point.measured_at),
            point.test.test,
            f.tokens_per_s_spread(point.test.tokens_per_s, point.test.mad_tokens_per_s),
        )
        for point in points
    ]
