"""A run beside the runs before it, in sentences: slower than last time, and why."""

from collections.abc import Iterable, Sequence
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.comparison.model import Outcome
from advisor.comparison.trend import Change, Point
from advisor.core.translation import marked, tr, trn
from advisor.report import formatting as f

TITLE: Final = marked("Since last time")
SERIES_HEAD: Final = (marked("Run"), marked("Measured"), marked("Test"), marked("tokens/s"))
PHASES: Final = {Phase.PREFILL: "Prefill", Phase.DECODE: "Decode"}


def change_sentences(changes: Iterable[Change]) -> list[str]:
    """One or two sentences for each phase; none where there is nothing to hold it against."""
    return [f"{_what(change)} {_why(change)}".rstrip() for change in changes]


def _what(change: Change) -> str:
    now, before = f.number(change.tokens_per_s), f.tokens_per_s(change.before_tokens_per_s)
    share = f.percent(abs(change.ratio - 1))
    values = {
        "name": f"{PHASES[change.phase]} ({change.test})", "last": _last(change),
        "speeds": tr("{now} instead of {before}", now=now, before=before),
        "faster": tr("{share} faster", share=share) if change.ratio > 1 else tr("{share} slower", share=share),
    }  # fmt: skip
    match change.outcome:
        case Outcome.SAME:
            return tr("{name} is as fast as {last}: {speeds}, which may be chance.", **values)
        case Outcome.CLOSE:
            return tr(
                "{name} is as fast as {last}: {speeds} is no more than two runs of the same thing differ.", **values
            )
        case Outcome.UNKNOWN:
            return tr("{name} is {faster} than {last}, {speeds}; whether that is chance is unknown.", **values)
    return tr("{name} is {faster} than {last}: {speeds}.", **values)


def _last(change: Change) -> str:
    """The run that it is held against."""
    when = f.date_time(change.run_at)
    if change.run is None:
        return tr("in the run of {when}", when=when)
    return tr("in run {number} of {when}", number=change.run, when=when)


def _why(change: Change) -> str:
    changed = tr("What changed since: {what}.", what="; ".join(change.reasons)) if change.reasons else ""
    if change.outcome in (Outcome.SAME, Outcome.CLOSE):
        return f"{changed} {_not_known(change)}".strip() if changed else ""
    if changed:
        return f"{changed} {_not_known(change)}".rstrip()
    return f"{tr('No reason is known.')} {_spread(change)} {_not_known(change)}".rstrip()


def _spread(change: Change) -> str:
    if change.spread is None:
        return trn(
            "There is {n}\u00a0run with these settings, too few to tell their spread.",
            "There are {n}\u00a0runs with these settings, too few to tell their spread.",
            change.alike, n=f.count(change.alike),
        )  # fmt: skip
    return trn(
        "{n}\u00a0run with these settings differ by up to {share}.",
        "{n}\u00a0runs with these settings differ by up to {share}.",
        change.alike, n=f.count(change.alike), share=f.percent(change.spread),
    )  # fmt: skip


def _not_known(change: Change) -> str:
    return tr("Not known of one of them: {what}.", what=f.listed(list(change.unknown))) if change.unknown else ""


def series_rows(points: Sequence[Point]) -> list[tuple[str, ...]]:
    """The same test with the same settings over time, in the order given."""
    return [
        (
            f.count(point.run) if point.run is not None else tr("now"),
            f.date_time(point.measured_at),
            point.test.test,
            f.tokens_per_s_spread(point.test.tokens_per_s, point.test.mad_tokens_per_s),
        )
        for point in points
    ]
