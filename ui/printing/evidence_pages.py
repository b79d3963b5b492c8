"""For the sceptic: both ceilings with what they rest on, the roofline, every measurement."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from advisor.benchmarks.model import FlashAttention, Sweep, TestResult
from advisor.benchmarks.sharing import read_batch
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Fact, Known
from advisor.core.retelling import retold
from advisor.core.stats import median
from advisor.core.translation import tr, trn
from advisor.report import formatting as f
from advisor.report import stutter_words, trend_words, trial_words, wait_words, wording
from advisor.report.batching import terms_of
from advisor.report.document import Document
from advisor.report.sweeps import document_tables
from advisor.report.waterfall_words import HEAD, TITLE, falsified_sentences, waterfall_rows, waterfall_title
from ui.printing import style, words_of
from ui.printing.batching import batch_chart
from ui.printing.blocks import Column, big_title, facts, paragraph, section, subheading, table, with_note
from ui.printing.canvas import RIGHT, Canvas
from ui.printing.flow import CHAPTER_SPACE, Piece, page_break, space
from ui.printing.roofline import roofline

MOST_OF_A_PAGE: Final = 0.8

LIKE_STEP: Final = 1.25
"""Probes that read so nearly what one step reads tell its bandwidth; smaller ones partly read caches."""


def evidence_pages(canvas: Canvas, document: Document) -> list[Piece]:
    """Ceilings, roofline and measurements; they open a page, but for the one of which the advice before left most."""
    return [
        page_break(MOST_OF_A_PAGE * canvas.paper.content_height, CHAPTER_SPACE),
        *big_title(canvas, tr("For the sceptic")),
        *paragraph(canvas, tr("Every figure of page one, where it comes from and what it rests on."), style.QUIET),
        *_ceilings(canvas, document),
        *_roofline(canvas, document),
        *_waterfalls(canvas, document),
        *_trials(canvas, document),
        *_findings(canvas, document),
        *_measurements(canvas, document),
        *_changes(canvas, document),
        *_curves(canvas, document),
        *_stutter(canvas, document),
        *_request(canvas, document),
    ]


def _trials(canvas: Canvas, document: Document) -> list[Piece]:
    if not document.trials:
        return []
    widths = (18, 20, 12, 12, 26, 9, 13)
    columns = tuple(
        Column(tr(name), width, RIGHT) if name in trial_words.HEAD[2:6] else Column(tr(name), width)
        for name, width in zip(trial_words.HEAD, widths, strict=True)
    )
    pieces = [*section(canvas, tr(trial_words.TITLE)), *table(canvas, columns, trial_words.trial_rows(document))]
    for sentence in trial_words.trial_sentences(document):
        pieces += paragraph(canvas, sentence, style.SMALL_QUIET)
    return pieces


def _ceilings(canvas: Canvas, document: Document) -> list[Piece]:
    pieces = section(canvas, tr("The ceilings"))
    if not isinstance(document.ceilings, Known):
        return pieces + paragraph(canvas, tr("Unknown: {reason}.", reason=tr(document.ceilings.reason)))
    bounds = document.ceilings.value
    prefill = tr("Prefill, at least") if bounds.prefill_is_bound_below else tr("Prefill")
    decode = tr("Decode, at least") if bounds.decode_is_bound_below else tr("Decode")
    rows = [
        _sourced(prefill, bounds.prefill_tokens_per_s, f.tokens_per_s),
        _sourced(decode, bounds.decode_tokens_per_s, f.tokens_per_s),
        _sourced(tr("Read bandwidth"), bounds.read_bytes_per_s, f.bandwidth),
        _sourced(tr("Arithmetic"), bounds.compute_flop_per_s, f.flop_rate),
        _sourced(tr("Balance point"), bounds.balance_flop_per_byte,
                 lambda v: f.with_unit(f.number(v), tr("FLOP/byte"))),
        _sourced(tr("Streams at balance"), bounds.balance_batch, f.number),
        _sourced(tr("Memory is rated for"), bounds.theoretical_bytes_per_s, f.bandwidth),
    ]
    traffic = document.model.traffic.or_none()
    step_bytes = traffic.step_bytes(bounds.batch, bounds.depth) if traffic is not None else 0.0
    made_for = trn(
        "For a prompt of {tokens}, {n} stream, depth {depth}.", "For a prompt of {tokens}, {n} streams, depth {depth}.",
        bounds.batch, n=f.count(bounds.batch), tokens=f.tokens(bounds.prompt), depth=f.count(bounds.depth),
    )  # fmt: skip
    return [
        *pieces,
        *with_note(
            facts(canvas, rows),
            with_note(
                [*paragraph(canvas, made_for, style.SMALL_QUIET), *_told_apart(canvas, bounds)],
                paragraph(canvas, wording.disturbed_sentence(bounds), style.SMALL_STRONG),
            ),
        ),
        *_read_probes(canvas, bounds, step_bytes),
        *_arithmetic_probes(canvas, bounds),
    ]


def _told_apart(canvas: Canvas, bounds: Ceilings) -> list[Piece]:
    """What the figures are that look alike; of those that are known."""
    said = [
        (tr("Read bandwidth"), bounds.read_bytes_per_s, wording.READ_WORDS),
        (tr("Memory is rated for"), bounds.theoretical_bytes_per_s, wording.RATED_WORDS),
        (tr("Arithmetic"), bounds.compute_flop_per_s, wording.ARITHMETIC_WORDS),
        (tr("Prefill"), bounds.prefill_tokens_per_s, wording.PREFILL_CEILING_WORDS),
    ]
    pieces: list[Piece] = []
    for name, value, words in said:
        if isinstance(value, Known):
            pieces += paragraph(canvas, f"{name}: {tr(words)}", style.SMALL_QUIET)
    return pieces


def _sourced(name: str, value: Fact[float], render: Callable[[float], str]) -> tuple[str, str, str]:
    return name, f.fact(value, render), words_of.source(value)


def _read_probes(canvas: Canvas, bounds: Ceilings, step_bytes: float) -> list[Piece]:
    least, most = step_bytes / LIKE_STEP, step_bytes * LIKE_STEP
    like = [probe for probe in bounds.read_probes if least <= probe.bytes_per_pass <= most]
    rows = [
        (probe.best_bytes_per_s, retold(probe.kernel), probe.threads, f.size(probe.bytes_per_pass), probe.samples_s,
         f.bandwidth(probe.bytes_per_pass / median(probe.samples_s)), f.bandwidth(probe.best_bytes_per_s))
        for probe in like or bounds.read_probes
    ]
    names = tr("Kernel that only reads"), tr("Per pass")
    return _probes(canvas, tr("What the read bandwidth was chosen from"), names, rows)


def _arithmetic_probes(canvas: Canvas, bounds: Ceilings) -> list[Piece]:
    rows = [
        (probe.best_flop_per_s, retold(probe.kernel), probe.threads,
         f"{f.count(probe.outputs)} × {f.count(probe.inputs)} × {f.count(probe.columns)}", probe.samples_s,
         f.flop_rate(probe.flop / median(probe.samples_s)), f.flop_rate(probe.best_flop_per_s))
        for probe in bounds.arithmetic_probes
    ]
    return _probes(canvas, tr("What the arithmetic was chosen from"), (tr("Matrix product"), tr("Size")), rows)


Probed = tuple[float, str, int, str, tuple[float, ...], str, str]
"""Best rate, kernel, threads, size, seconds of each run, median and best in words."""


def _probes(canvas: Canvas, title: str, names: tuple[str, str], probes: list[Probed]) -> list[Piece]:
    """The fastest run of each kernel, fastest first; its slower sizes and thread counts are only counted."""
    if not probes:
        return []
    fastest: dict[str, Probed] = {}
    for probe in sorted(probes, key=lambda probe: -probe[0]):
        fastest.setdefault(probe[1], probe)
    columns = (
        Column(names[0], 34), Column(tr("Threads"), 11, RIGHT), Column(names[1], 26, RIGHT),
        Column(tr("Runs"), 9, RIGHT), Column(tr("Median"), 17, RIGHT), Column(tr("Best"), 17, RIGHT),
    )  # fmt: skip
    rows = [
        (kernel, f.count(threads), size, f.count(len(samples_s)), middle, best)
        for _, kernel, threads, size, samples_s, middle, best in fastest.values()
    ]
    slower = len(probes) - len(fastest)
    words = trn(
        "Each kernel at its best; {n} slower run of other sizes and threads left out.",
        "Each kernel at its best; {n} slower runs of other sizes and threads left out.", slower, n=f.count(slower),
    )  # fmt: skip
    note = [space(3), *paragraph(canvas, words, style.SMALL_QUIET)] if slower else []
    return [*subheading(canvas, title), *with_note(table(canvas, columns, rows), note)]


def _roofline(canvas: Canvas, document: Document) -> list[Piece]:
    chart = roofline(canvas, document)
    if not chart:
        return []
    words = (
        tr("Left of the balance point the memory decides, right of it the arithmetic. Nothing can lie above the "
        "black line. ◆ prefill, ● decode; hollow where the run is suspect or invalid.")
    )
    return [*section(canvas, tr("Roofline")), *chart, space(4), *paragraph(canvas, words, style.SMALL_QUIET)]


def _waterfalls(canvas: Canvas, document: Document) -> list[Piece]:
    pieces = [piece for words in falsified_sentences(document) for piece in paragraph(canvas, words)]
    columns = (Column(tr(HEAD[0]), 70), Column(tr(HEAD[1]), 20, RIGHT), Column(tr(HEAD[2]), 16, RIGHT))
    for found in document.waterfalls:
        pieces += [*subheading(canvas, waterfall_title(found)), *table(canvas, columns, waterfall_rows(found))]
    return [*section(canvas, tr(TITLE)), *pieces] if pieces else []


def _findings(canvas: Canvas, document: Document) -> list[Piece]:
    pieces: list[Piece] = []
    for phase, name in words_of.PHASES.items():
        found = wording.finding(document, phase)
        if found:
            text = f"{tr(name)}, {tr(wording.LIMIT_WORDS[found.limit])}: {found.because}"
            pieces += [*paragraph(canvas, text, style.BODY.inked(style.PHASE_INK[phase])), space(2)]
    return [*section(canvas, tr("What limits each phase")), *pieces] if pieces else []


def _measurements(canvas: Canvas, document: Document) -> list[Piece]:
    pieces = section(canvas, tr("Every measurement"))
    if not document.tests:
        return pieces + paragraph(canvas, tr("Nothing was measured."))
    columns = (
        Column(tr("Test"), 19, kind=style.SMALL_STRONG),
        Column(tr("tokens/s"), 20, RIGHT),
        Column(tr("Spread"), 14, RIGHT),
        Column(tr("Seconds of each run"), 36),
        Column(tr("How"), 41),
        Column(tr("Stamp"), 20),
    )
    reasons = tuple(dict.fromkeys(test.conditions.because for test in document.tests if test.conditions.because))
    pieces += table(canvas, columns, [_test_row(test, reasons) for test in document.tests])
    for number, because in enumerate(reasons, 1):
        pieces += [space(2), *paragraph(canvas, f"{number}) {f.capital('; '.join(because))}.", style.SMALL_QUIET)]
    real_use = wording.real_use_sentence(document)
    for words in (*((real_use,) if real_use else ()), *document.left_out):
        pieces += [space(4), *paragraph(canvas, words, style.SMALL_QUIET)]
    return pieces


def _changes(canvas: Canvas, document: Document) -> list[Piece]:
    said = [
        piece
        for words in trend_words.change_sentences(document.changes)
        for piece in (*paragraph(canvas, words, style.SMALL), space(3))
    ]
    return [*section(canvas, tr(trend_words.TITLE)), *said] if said else []


def _curves(canvas: Canvas, document: Document) -> list[Piece]:
    pieces: list[Piece] = []
    for curve in document_tables(document):
        first, *others = curve.head
        columns = (Column(first, 20, kind=style.SMALL_STRONG), *(Column(title, 20, RIGHT) for title in others))
        chart = _batch_chart(canvas, document) if curve.sweep is Sweep.BATCH else []
        figures = table(canvas, columns, curve.rows, style.CONTENT_WIDTH * 0.75)
        said = [
            piece for words in curve.sentences for piece in (space(3), *paragraph(canvas, words, style.SMALL))
        ]
        pieces += [*subheading(canvas, curve.title), *chart, *with_note(figures, said)]
    return [*section(canvas, tr("Curves")), *pieces] if pieces else []


def _batch_chart(canvas: Canvas, document: Document) -> list[Piece]:
    terms = terms_of(document)
    reading = read_batch(document.tests, terms)
    return batch_chart(canvas, reading, terms.slowest_tokens_per_s) if reading is not None else []


def _stutter(canvas: Canvas, document: Document) -> list[Piece]:
    if not isinstance(document.stutter, Known):
        return []
    stutter = document.stutter.value
    widths = (16, 9, 9, 10, 17, 18, 11, 14, 11)
    columns = tuple(
        Column(tr(name), width, RIGHT) if at else Column(tr(name), width, kind=style.SMALL_STRONG)
        for at, (name, width) in enumerate(zip(stutter_words.HEAD, widths, strict=True))
    )
    pieces = [*section(canvas, tr(stutter_words.TITLE)), *table(canvas, columns, stutter_words.rows(stutter))]
    for words in stutter_words.sentences(stutter):
        pieces += [space(3), *paragraph(canvas, words, style.SMALL)]
    return pieces


def _test_row(test: TestResult, reasons: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The cells of a test; its stamp with the number of its reasons, which stand below the table."""
    stamp = test.conditions.stamp
    note = f" {reasons.index(test.conditions.because) + 1})" if test.conditions.because else ""
    spread = test.mad_tokens_per_s
    how = [
        trn("{n} thread", "{n} threads", test.n_threads, n=f.count(test.n_threads)), test.device,
        tr("batch {sizes}", sizes="/".join((f.count(test.n_batch), f.count(test.n_ubatch)))),
    ]  # fmt: skip
    if test.flash_attention is not FlashAttention.AUTO:
        how.append(tr("flash attention {setting}", setting=test.flash_attention))
    if test.kv_type != "f16":
        how.append(f"KV {test.kv_type}")
    if test.sweep is not Sweep.PHASES:
        how.append(tr("curve: {over}", over=test.sweep))
    if test.safe_mode:
        how.append(tr("safe mode"))
    if not test.complete:
        how.append(tr("not complete"))
    if cold := wording.cold_words(test):
        how.append(cold)
    return (
        test.test,
        f.with_spread(test.tokens_per_s, spread),
        f.spread_percent(test.tokens_per_s, spread),
        " · ".join(f.sample(sample_s) for sample_s in test.samples_s),
        ", ".join(how),
        f"{words_of.stamp(stamp)}{note}",
    )


def _request(canvas: Canvas, document: Document) -> list[Piece]:
    work = document.workload
    rows = [
        (tr("Work"), wording.work_words(document.workload), ""),
        (
            tr("Comfort line"),
            tr(
                "first word within {wait}, then at least {speed}", wait=f.chosen_seconds(work.comfort.longest_wait_s),
                speed=f.chosen_speed(work.comfort.slowest_tokens_per_s),
            ),
            "",
        ),
    ]
    if isinstance(document.timeline, Known):
        line = document.timeline.value
        rows += [
            (tr("Nothing on screen"), f.seconds(line.wait_s), tr("prompt at {speed}", speed=line.prefill_speed)),
            (tr("Writing"), f.seconds(line.stream_s), tr("answer at {speed}", speed=line.decode_speed)),
            (tr("Together"), f.seconds(line.total_s), line.basis),
        ]
    else:
        rows.append((tr("Seconds"), tr("unknown: {reason}", reason=document.timeline.reason), ""))
    if isinstance(document.verdict, Known) and (lost := wait_words.loss_sentence(document.verdict.value)):
        rows.append((tr("Lost"), lost, tr("computed: seconds against the comfort line and against each ceiling")))
    return [*section(canvas, tr("The request")), *facts(canvas, rows), *_wait(canvas, document)]


def _wait(canvas: Canvas, document: Document) -> list[Piece]:
    """The parts of the wait and the turns of a chat, as tables."""
    line = document.timeline.or_none()
    if line is None or not line.first_time.parts:
        return []
    pieces = subheading(canvas, tr(wait_words.TITLE))
    for head, rows in wait_words.tables(line):
        columns = (Column(head[0], 24 if len(head) == 3 else 10), *(Column(title, 30, RIGHT) for title in head[1:]))
        pieces += [*table(canvas, columns, rows), space(6)]
    notes = [paragraph(canvas, words, style.SMALL_QUIET) for words in wait_words.notes(line, document.workload)]
    if notes:
        # Two lines alone on a page of their own read as an accident; the last row goes with them.
        pieces[-2] = replace(pieces[-2], keep_with_next=True)
        kept = [[replace(piece, keep_with_next=True) for piece in note] for note in notes[:-1]]
        pieces += [piece for note in [*kept, notes[-1]] for piece in [*note, space(2)]]
    return pieces
