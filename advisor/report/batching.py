"""The batch curve as a table and sentences; for terminal, Markdown, PDF and window alike."""

from typing import Final

from advisor.benchmarks.batching import Stair
from advisor.benchmarks.sharing import BatchReading, Seats, Terms, total_bytes
from advisor.core.evidence import Known
from advisor.core.numbers import noun
from advisor.report import formatting as f
from advisor.report.document import Document

TITLE: Final = "Streams together"
HEAD: Final = ("Streams", "All together, tokens/s", "At most, tokens/s", "Each, tokens/s", "One step of all")


def terms_of(document: Document) -> Terms:
    """What the document's workload wants of a curve, and what its machine has."""
    work = document.workload
    device = next((test.device for test in document.tests), "CPU")
    return Terms(
        work.comfort.slowest_tokens_per_s, work.deepest_tokens, document.model, document.ceilings.or_none(),
        total_bytes(document.machine, document.engine, device),
    )  # fmt: skip


def batch_table(reading: BatchReading) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Column titles and rows; the ceiling's column only where one is known."""
    ceiling = dict(reading.ceiling)
    rows = [
        (
            f.count(point.streams),
            f.with_spread(point.tokens_per_s, point.spread_tokens_per_s) + ("" if point.believed else " ⚠"),
            f.number(ceiling[point.streams]) if point.streams in ceiling else "unknown",
            f.number(point.each_tokens_per_s, point.each_spread_tokens_per_s),
            f.milliseconds(point.step_s),
        )
        for point in reading.points
    ]
    if ceiling:
        return HEAD, tuple(rows)
    return (*HEAD[:2], *HEAD[3:]), tuple((*row[:2], *row[3:]) for row in rows)


def batch_sentences(reading: BatchReading) -> tuple[str, ...]:
    """What the curve comes to, the answer to "how many people" first; before it, whether to believe it."""
    said = (
        _disturbed(reading), _served(reading), _gain(reading), _free(reading), _flattening(reading), _stairs(reading),
        _memory(reading),
    )  # fmt: skip
    return tuple(words for words in said if words)


def _disturbed(reading: BatchReading) -> str:
    bad = [point for point in reading.points if not point.believed]
    if not bad:
        return ""
    which = "All points" if len(bad) == len(reading.points) else f"{f.count(len(bad))} of {len(reading.points)} points"
    was = "was" if len(bad) == 1 < len(reading.points) else "were"
    return f"{which} {was} disturbed (⚠): measure again before you rely on what follows."


def _served(reading: BatchReading) -> str:
    held = reading.served
    if held is None:
        return f"Fewer than {f.plural(reading.points[0].streams, 'stream')} would have to be measured to say how many."
    line, each = f.tokens_per_s(held.slowest_tokens_per_s), f.tokens_per_s(held.each_tokens_per_s)
    depth = f", each with {f.tokens(reading.depth)} in the cache" if reading.depth else ""
    if not held.people:
        return f"Nobody gets {line} here: one stream alone writes {each}{depth}."
    people = f.plural(held.people, "person", "people")
    if held.at_least:
        return (
            f"At least {people} at once get {line} or more{depth}: with so many each gets {each}, and more were not "
            f"measured."
        )
    how = ", read between two measured points" if held.interpolated else ""
    return f"{people} at once get {line} or more{depth} (each {each}{how}); one more, and everybody falls below."


def _gain(reading: BatchReading) -> str:
    first, best = reading.points[0], reading.best
    if first.streams == 1 and best.streams > 1:
        return (
            f"{f.count(best.streams)} streams together write {f.ratio(best.tokens_per_s / first.tokens_per_s)} as much "
            f"as one, each at {f.percent(best.each_tokens_per_s / first.tokens_per_s)} of its speed alone."
        )
    return f"The most is written with {f.plural(best.streams, 'stream')}; more of them do not pay off here."


def _free(reading: BatchReading) -> str:
    if reading.free is None:
        return ""
    if reading.free > 1:
        return f"Up to {f.count(reading.free)} streams are nearly free: the step takes at most a tenth longer."
    return "No further stream is free: already the next number measured lengthens the step by more than a tenth."


def _flattening(reading: BatchReading) -> str:
    last = reading.points[-1].streams
    if reading.flattens is None:
        words = f"All together still gain up to the {f.plural(last, 'stream')} that were measured"
    else:
        words = f"All together gain nothing past {f.plural(reading.flattens, 'stream')}"
    points = []
    if isinstance(reading.balance, Known):
        points.append(f"at {_streams(reading.balance.value)} by bandwidth and arithmetic")
    if isinstance(reading.balance_by_speeds, Known):
        points.append(f"at {_streams(reading.balance_by_speeds.value)} by the measured speeds (prefill ÷ decode)")
    if not points:
        return f"{words}; the balance point is unknown: {_why_unknown(reading)}."
    return f"{words}; the balance point, where they flatten at the earliest, lies {f.listed(points)}."


def _streams(number: float) -> str:
    return f"{f.number(number)} {noun(number, 'stream')}" if number < 10 else f.plural(number, "stream")


def _why_unknown(reading: BatchReading) -> str:
    return reading.balance.reason if not isinstance(reading.balance, Known) else ""


def _stairs(reading: BatchReading) -> str:
    """Jumps and landings between points that count; what disturbs a point makes both."""
    words = []
    jumps, flat = ([stair for stair in found if stair.low.believed and stair.high.believed]
                   for found in (reading.jumps, reading.landings))  # fmt: skip
    if jumps:
        why = "most experts are read for the first streams" if reading.experts else "the engine changes its kernels"
        places = f.listed([_stair(stair) for stair in jumps])
        words.append(f"The step jumps {places} and is flatter later, probably since {why}.")
    for stair in flat:
        words.append(
            f"{f.count(stair.high.streams)} streams write hardly more than {f.count(stair.low.streams)}, though more "
            f"of them do again."
        )
    return " ".join(words)


def _stair(stair: Stair) -> str:
    return (
        f"from {f.count(stair.low.streams)} to {f.plural(stair.high.streams, 'stream')} "
        f"({f.milliseconds(stair.low.step_s)} to {f.milliseconds(stair.high.step_s)})"
    )


def _memory(reading: BatchReading) -> str:
    if not isinstance(reading.seats, Known):
        return f"The memory of a conversation is unknown: {reading.seats.reason}."
    held: Seats = reading.seats.value
    each = f"A conversation of {f.tokens(held.tokens)} keeps {f.size(held.each_bytes)} of memory"
    if isinstance(held.fit, Known):
        return f"{each}; about {f.plural(held.fit.value, 'fits', 'fit')} beside the weights."
    return f"{each}; how many fit is unknown: {held.fit.reason}."
