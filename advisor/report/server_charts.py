"""What the charts of a measured server show, for HTML and PDF: numbers only."""

from dataclasses import dataclass
from typing import Final

from advisor.core.translation import tr
from advisor.servers.exchange import Exchange
from advisor.servers.model import ServerResult

MOST_ROWS: Final = 6
"""Streams of the token clock; more would be too thin to read."""

MARGIN_S: Final = 0.5
"""At least so much is shown before and after the prompt is read, and as much as its reading takes."""


@dataclass(frozen=True, slots=True)
class UsersSpeed:
    """Speeds with so many users, in tokens/s."""

    users: int
    together: float
    each: float


@dataclass(frozen=True, slots=True)
class ClockRow:
    """When one stream's tokens came, in seconds from the left edge."""

    name: str
    at_s: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class TokenClock:
    """The streams around a long prompt.

    Attributes:
        rows: the steady streams, then the prompt's own.
        begin_s, end_s: while it was read.
        length_s: of the whole picture.
    """

    rows: tuple[ClockRow, ...]
    begin_s: float
    end_s: float
    length_s: float


def waits(result: ServerResult) -> tuple[tuple[float, float], ...]:
    """Prompt tokens and seconds to the first token, rising; empty for fewer than two lengths."""
    prefill = result.prefill.or_none()
    points = [] if prefill is None else [(float(p.prompt_tokens), p.first_token_s.median) for p in prefill.points]
    return tuple(points) if len(points) > 1 else ()


def speeds(result: ServerResult) -> tuple[UsersSpeed, ...]:
    """A point per number of users whose streams wrote together; empty for fewer than two."""
    points = tuple(
        UsersSpeed(point.users, together, point.each_tokens_per_s.median)
        for point in result.users
        if point.each_tokens_per_s and (together := point.together_tokens_per_s.or_none())
    )
    return points if len(points) > 1 else ()


def token_clock(result: ServerResult) -> TokenClock | None:
    """The tokens of every stream around the long prompt; None where it was not measured."""
    run = result.stutter.or_none()
    if run is None or run.long.first_token_s is None:
        return None
    wrote = [each for each in run.steady[:MOST_ROWS] if each.arrivals_s]
    if not wrote:
        return None
    sent_s, read_s = run.long.sent_at_s, run.long.arrivals_s[0]
    margin_s = max(MARGIN_S, read_s - sent_s)
    zero_s = max(min(each.arrivals_s[0] for each in wrote), sent_s - margin_s)
    last_s = min(max(each.arrivals_s[-1] for each in (*wrote, run.long)), read_s + margin_s)

    def row(name: str, exchange: Exchange) -> ClockRow:
        return ClockRow(name, tuple(at - zero_s for at in exchange.arrivals_s if zero_s <= at <= last_s))

    streams = (row(tr("stream {number}", number=number), each) for number, each in enumerate(wrote, 1))
    rows = (*streams, row(tr("the prompt"), run.long))
    return TokenClock(rows, max(sent_s - zero_s, 0.0), read_s - zero_s, last_s - zero_s)
