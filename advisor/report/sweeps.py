"""Curves as short tables, each with the sentence that it comes to; for terminal, Markdown and PDF alike."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.curves import (
    Comparison,
    DepthFit,
    Knee,
    compare,
    fit_depth,
    kv_share,
    thread_knee,
)
from advisor.benchmarks.model import Phase, Sweep, TestResult
from advisor.benchmarks.sharing import Terms, read_batch
from advisor.core.translation import marked, tr, trn
from advisor.gguf.traffic import Traffic
from advisor.report import batching
from advisor.report import formatting as f
from advisor.report.document import Document

PER_DEPTH: Final = 1000
"""Tokens of depth that a growth is given for."""


@dataclass(frozen=True, slots=True)
class SweepTable:
    """One curve.

    Attributes:
        head: column titles; all but the first column hold numbers.
        sentences: what it means, at least one.
    """

    sweep: Sweep
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sentences: tuple[str, ...]


def sweep_tables(
    tests: Sequence[TestResult], traffic: Traffic | None = None, terms: Terms | None = None
) -> tuple[SweepTable, ...]:
    """A table for every curve of which a point was measured.

    Args:
        tests: of one run, any order; the phases' rows are the curves' starting points.
        traffic: for the share of bytes that the cache is.
        terms: what the batch curve is read against; without them it is left out.
    """
    base = {row.phase: row for row in tests if row.sweep is Sweep.PHASES and row.n_streams == 1}
    tables = [make(tests, base, traffic) for make in _MAKERS]
    tables.insert(_BATCH_PLACE, _batch(tests, terms) if terms is not None else None)
    return tuple(table for table in tables if table is not None)


def document_tables(document: Document) -> tuple[SweepTable, ...]:
    """The tables of a document's curves."""
    return sweep_tables(document.tests, document.model.traffic.or_none(), batching.terms_of(document))


def _batch(tests: Sequence[TestResult], terms: Terms) -> SweepTable | None:
    reading = read_batch(tests, terms)
    if reading is None:
        return None
    head, rows = batching.batch_table(reading)
    return SweepTable(Sweep.BATCH, tr(batching.TITLE), head, rows, batching.batch_sentences(reading))


_Base = dict[Phase, TestResult]
_Maker = Callable[[Sequence[TestResult], _Base, "Traffic | None"], SweepTable | None]


def curve_rows(tests: Sequence[TestResult], sweep: Sweep, phase: Phase) -> list[TestResult]:
    """The points of a curve in one phase, the phase's own row among them where it is one of them."""
    rows = [row for row in tests if row.phase is phase and row.sweep is sweep]
    own = [row for row in tests if row.phase is phase and row.sweep is Sweep.PHASES and row.n_streams == 1]
    return own[:1] + rows if rows else []


def _depth(tests: Sequence[TestResult], base: _Base, traffic: Traffic | None) -> SweepTable | None:
    rows = {phase: {row.n_depth: row for row in curve_rows(tests, Sweep.DEPTH, phase)} for phase in Phase}
    depths = sorted({depth for by_depth in rows.values() for depth in by_depth})
    if not depths:
        return None
    body = [(f.count(depth), *(_speed(rows[phase].get(depth)) for phase in Phase)) for depth in depths]
    fits = [fit for phase in Phase if (fit := fit_depth(list(rows[phase].values()))) is not None]
    said = tuple(_growth(fit, traffic) for fit in fits)
    kept = [0, *(column for column, phase in enumerate(Phase, 1) if rows[phase])]  # none that is empty throughout
    head = (tr("Tokens in the cache"), *_speeds())
    shown = tuple(tuple(row[column] for column in kept) for row in (head, *body))
    return SweepTable(Sweep.DEPTH, tr("Depth"), shown[0], shown[1:], said or (tr(_FEW),))


def _growth(fit: DepthFit, traffic: Traffic | None) -> str:
    name, deepest = f.capital(tr(fit.phase)), fit.depths[-1]
    if not fit.per_depth_s:
        return tr("{phase} does not slow down with depth as far as it was measured.", phase=name)
    cache = ""
    if fit.phase is Phase.DECODE and traffic is not None:
        share = f.percent(kv_share(traffic, deepest))
        cache = tr(", where the cache is {share} of the bytes it reads", share=share)
    return tr(
        "{phase} takes {time} per token and {more} more for every {step} tokens of depth: at {deepest} that is {share} "
        "of its time{cache}.",
        phase=name, time=f.milliseconds(fit.at_zero_s), more=f.milliseconds(PER_DEPTH * fit.per_depth_s),
        step=f.count(PER_DEPTH), deepest=f.count(deepest), share=f.percent(fit.depth_share(deepest)), cache=cache,
    )  # fmt: skip


def _threads(tests: Sequence[TestResult], base: _Base, traffic: Traffic | None) -> SweepTable | None:
    knees = {phase: thread_knee(curve_rows(tests, Sweep.THREADS, phase)) for phase in Phase}
    by_count = {phase: {row.n_threads: row for row in knee.rows} if knee else {} for phase, knee in knees.items()}
    counts = sorted({count for rows in by_count.values() for count in rows})
    if not counts:
        return None
    body = [(f.count(count), *(_speed(by_count[phase].get(count)) for phase in Phase)) for count in counts]
    said = tuple(_knee_words(phase, knee) for phase, knee in knees.items() if knee)
    return SweepTable(Sweep.THREADS, tr("Threads"), (tr("Threads"), *_speeds()), tuple(body), said)


def _knee_words(phase: Phase, knee: Knee) -> str:
    name, enough = f.capital(tr(phase)), knee.knee.n_threads
    if enough == knee.rows[-1].n_threads:
        return trn(
            "{phase} still gains up to the {n}\u00a0thread that was tried.",
            "{phase} still gains up to the {n}\u00a0threads that were tried.", enough, phase=name, n=f.count(enough),
        )  # fmt: skip
    words = trn(
        "{phase} gains nothing past {n}\u00a0thread", "{phase} gains nothing past {n}\u00a0threads",
        enough, phase=name, n=f.count(enough),
    )  # fmt: skip
    if knee.loses_at is None:
        return f"{words}."
    lost = 1 - knee.loses_at.tokens_per_s / knee.best.tokens_per_s
    return tr(
        "{words}; with {n} it is {share} slower than at its best.",
        words=words, n=f.count(knee.loses_at.n_threads), share=f.percent(lost),
    )  # fmt: skip


def _ubatch(tests: Sequence[TestResult], base: _Base, traffic: Traffic | None) -> SweepTable | None:
    rows = [row for row in tests if row.sweep is Sweep.UBATCH]
    own = base.get(Phase.PREFILL)
    if not rows:
        return None
    rows.sort(key=lambda row: (row.n_ubatch, row.n_batch))
    body = [(f.count(row.n_ubatch), f.count(row.n_batch), _speed(row)) for row in rows]
    present = [row for row in rows if own and (row.n_ubatch, row.n_batch) == (own.n_ubatch, own.n_batch)]
    said = tr(_FEW)
    if present and len(rows) > 1:
        best = max(rows, key=lambda row: row.tokens_per_s)
        difference = compare(present[0], best)
        said = tr("The other sizes are not distinguishable from the present ones.")
        if best is present[0]:
            said = tr("No other size reads a long prompt faster than the present ones.")
        elif difference.distinct:
            said = tr(
                "A long prompt is read {faster} with ubatch {ubatch} and batch {batch} than with the present sizes.",
                faster=_faster(difference), ubatch=f.count(best.n_ubatch), batch=f.count(best.n_batch),
            )
    head = (tr("Ubatch"), tr("Batch"), tr("{test}, tokens/s", test=rows[0].test))
    return SweepTable(Sweep.UBATCH, tr("Batch size"), head, tuple(body), (said,))


def _flash_attention(tests: Sequence[TestResult], base: _Base, traffic: Traffic | None) -> SweepTable | None:
    setting = lambda row: tr(row.flash_attention)  # noqa: E731
    return _settings(tests, Sweep.FLASH_ATTENTION, tr("Flash attention"), tr("flash attention"), setting)


def _kv_type(tests: Sequence[TestResult], base: _Base, traffic: Traffic | None) -> SweepTable | None:
    title, words = tr("Type of the KV cache"), tr("the KV cache in")
    return _settings(tests, Sweep.KV_TYPE, title, words, lambda row: row.kv_type)


def _settings(
    tests: Sequence[TestResult], sweep: Sweep, title: str, words: str, setting: Callable[[TestResult], str]
) -> SweepTable | None:
    """Rows that differ from the depth curve's rows in one setting, each phase compared at the same depth."""
    points = [row for row in tests if row.sweep is sweep]
    if not points:
        return None
    own = [row for row in tests if row.sweep is Sweep.DEPTH and any(_same_test(row, point) for point in points)]
    by_setting: dict[str, _Base] = {}
    for row in (*own, *points):
        by_setting.setdefault(setting(row), {})[row.phase] = row
    body = [(name, *(_speed(rows.get(phase)) for phase in Phase)) for name, rows in by_setting.items()]
    said = []
    for point in points:
        for row in own:
            if _same_test(row, point):
                what = tr(
                    "{phase} ({test}) with {words} {setting}",
                    phase=f.capital(tr(point.phase)), test=point.test, words=words, setting=setting(point),
                )  # fmt: skip
                said.append(_against(what, compare(row, point), setting(row)))
    return SweepTable(sweep, title, (tr("Setting"), *_speeds()), tuple(body), tuple(said) or (tr(_FEW),))


def _same_test(one: TestResult, other: TestResult) -> bool:
    return one.test == other.test and one.phase is other.phase


def _against(what: str, difference: Comparison, other: str) -> str:
    if not difference.distinct:
        return tr("{what} is not distinguishable from that with {setting}.", what=what, setting=other)
    return tr("{what} is {faster} than with {setting}.", what=what, faster=_faster(difference), setting=other)


def _faster(difference: Comparison) -> str:
    if difference.ratio >= 1:
        gain = difference.ratio
        return tr("{share} faster", share=f.ratio(gain) if gain >= 2 else f.percent(gain - 1))
    return tr("{share} slower", share=f.percent(1 - difference.ratio))


def _speed(row: TestResult | None) -> str:
    return tr("not measured") if row is None else f.with_spread(row.tokens_per_s, row.mad_tokens_per_s)


def _speeds() -> tuple[str, str]:
    return tr("Prefill, tokens/s"), tr("Decode, tokens/s")


_FEW: Final = marked("Too few points were measured to say more.")
_MAKERS: Final[tuple[_Maker, ...]] = (_depth, _threads, _ubatch, _flash_attention, _kv_type)
_BATCH_PLACE: Final = 2
"""Behind the curves of depth and threads."""
