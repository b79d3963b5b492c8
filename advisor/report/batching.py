"""The batch curve as a table and sentences; for terminal, Markdown, PDF and window alike."""

from typing import Final

from advisor.benchmarks.batching import Stair
from advisor.benchmarks.sharing import BatchReading, Seats, Terms, total_bytes
from advisor.core.evidence import Known
from advisor.core.translation import marked, tr, trn
from advisor.report import formatting as f
from advisor.report.document import Document

TITLE: Final = marked("Streams together")
HEAD: Final = (
    marked("Streams"), marked("All together, tokens/s"), marked("At most, tokens/s"), marked("Each, tokens/s"),
    marked("One step of all"),
)  # fmt: skip


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
            f.number(ceiling[point.streams]) if point.streams in ceiling else tr("unknown"),
            f.number(point.each_tokens_per_s, point.each_spread_tokens_per_s),
            f.milliseconds(point.step_s),
        )
        for point in reading.points
    ]
    head = tuple(map(tr, HEAD))
    if ceiling:
        return head, tuple(rows)
    return (*head[:2], *head[3:]), tuple((*row[:2], *row[3:]) for row in rows)


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
    if len(bad) == len(reading.points):
        return tr("All points were disturbed (⚠): measure again before you rely on what follows.")
    return trn(
        "{n} of {all} points was disturbed (⚠): measure again before you rely on what follows.",
        "{n} of {all} points were disturbed (⚠): measure again before you rely on what follows.",
        len(bad), n=f.count(len(bad)), all=len(reading.points),
    )  # fmt: skip


def _served(reading: BatchReading) -> str:
    held = reading.served
    if held is None:
        least = f.plural(reading.points[0].streams, "stream", "streams")
        return tr("Fewer than {streams} would have to be measured to say how many.", streams=least)
    line, each = f.tokens_per_s(held.slowest_tokens_per_s), f.tokens_per_s(held.each_tokens_per_s)
    depth = tr(", each with {tokens} in the cache", tokens=f.tokens(reading.depth)) if reading.depth else ""
    if not held.people:
        return tr(
            "Nobody gets {line} here: one stream alone writes {each}{depth}.", line=line, each=each, depth=depth
        )
    people = f.plural(held.people, "person", "people")
    if held.at_least:
        return tr(
            "With {people} at once each gets {each}{depth}; more were not measured.",
            people=people, depth=depth, each=each,
        )  # fmt: skip
    how = tr(", read between two measured points") if held.interpolated else ""
    return tr(
        "{people} at once get {line} or more{depth} (each {each}{how}); one more, and everybody falls below.",
        people=people, line=line, depth=depth, each=each, how=how,
    )  # fmt: skip


def _gain(reading: BatchReading) -> str:
    first, best = reading.points[0], reading.best
    if first.streams == 1 and best.streams > 1:
        return tr(
            "{n} streams together write {ratio} as much as one, each at {share} of its speed alone.",
            n=f.count(best.streams), ratio=f.ratio(best.tokens_per_s / first.tokens_per_s),
            share=f.percent(best.each_tokens_per_s / first.tokens_per_s),
        )  # fmt: skip
    if reading.flattens == best.streams:  # said where the curve flattens
        return ""
    return trn(
        "The most is written with {n}\u00a0stream; more of them do not pay off here.",
        "The most is written with {n}\u00a0streams; more of them do not pay off here.",
        best.streams, n=f.count(best.streams),
    )  # fmt: skip


def _free(reading: BatchReading) -> str:
    if reading.free is None or reading.flattens == 1:  # what gains nothing is not free, either
        return ""
    if reading.free > 1:
        return tr(
            "Up to {n} streams are nearly free: the step takes at most a tenth longer.", n=f.count(reading.free)
        )
    return tr("No further stream is free: already the next number measured lengthens the step by more than a tenth.")


def _flattening(reading: BatchReading) -> str:
    last = reading.points[-1].streams
    if reading.flattens is None:
        words = trn(
            "All together still gain up to the {n}\u00a0stream that was measured",
            "All together still gain up to the {n}\u00a0streams that were measured", last, n=f.count(last),
        )  # fmt: skip
    else:
        words = trn(
            "All together gain nothing past {n}\u00a0stream", "All together gain nothing past {n}\u00a0streams",
            reading.flattens, n=f.count(reading.flattens),
        )  # fmt: skip
    points = []
    if isinstance(reading.balance, Known):
        points.append(tr("{at} by bandwidth and arithmetic", at=_at(reading.balance.value)))
    if isinstance(reading.balance_by_speeds, Known):
        at = _at(reading.balance_by_speeds.value)
        points.append(tr("{at} by the measured speeds (prefill ÷ decode, less the output layer, which only decode "
                         "computes for every token)", at=at))
    if not points:
        return tr("{words}; the balance point is unknown: {reason}.", words=words, reason=_why_unknown(reading))
    return tr(
        "{words}; the balance point, where they flatten at the earliest, lies {places}.",
        words=words, places=f.listed(points),
    )  # fmt: skip


def _at(number: float) -> str:
    if number < 10:
        return trn("at {n} stream", "at {n} streams", number, n=f.number(number))
    return trn("at {n}\u00a0stream", "at {n}\u00a0streams", number, n=f.count(number))


def _why_unknown(reading: BatchReading) -> str:
    return f.why(reading.balance) if not isinstance(reading.balance, Known) else ""


def _stairs(reading: BatchReading) -> str:
    """Jumps and landings between points that count; what disturbs a point makes both."""
    words = []
    jumps, flat = ([stair for stair in found if stair.low.believed and stair.high.believed]
                   for found in (reading.jumps, reading.landings))  # fmt: skip
    if jumps:
        why = tr("the engine changes its kernels")
        if reading.experts:
            why = tr("most experts are read for the first streams")
        places = f.listed([_stair(stair) for stair in jumps])
        words.append(
            tr("The step jumps {places} and is flatter later, probably since {why}.", places=places, why=why)
        )
    for stair in flat:
        words.append(tr(
            "{more} streams write hardly more than {fewer}, though more of them do again.",
            more=f.count(stair.high.streams), fewer=f.count(stair.low.streams),
        ))  # fmt: skip
    return " ".join(words)


def _stair(stair: Stair) -> str:
    return trn(
        "from {low} to {high}\u00a0stream ({low_step} to {high_step})",
        "from {low} to {high}\u00a0streams ({low_step} to {high_step})",
        stair.high.streams, low=f.count(stair.low.streams), high=f.count(stair.high.streams),
        low_step=f.milliseconds(stair.low.step_s), high_step=f.milliseconds(stair.high.step_s),
    )  # fmt: skip


def _memory(reading: BatchReading) -> str:
    if not isinstance(reading.seats, Known):
        return tr("The memory of a conversation is unknown: {reason}.", reason=f.why(reading.seats))
    held: Seats = reading.seats.value
    tokens, size = f.tokens(held.tokens), f.size(held.each_bytes)
    if isinstance(held.fit, Known):
        return trn(
            "A conversation of {tokens} keeps {size} of memory; about {n}\u00a0fits beside the weights.",
            "A conversation of {tokens} keeps {size} of memory; about {n}\u00a0fit beside the weights.",
            held.fit.value, tokens=tokens, size=size, n=f.count(held.fit.value),
        )  # fmt: skip
    return tr(
        "A conversation of {tokens} keeps {size} of memory; how many fit is unknown: {reason}.",
        tokens=tokens, size=size, reason=f.why(held.fit),
    )  # fmt: skip
