"""A document as Markdown that reads well in a forum post or an issue."""

import re
from collections.abc import Iterable
from typing import Final

from advisor.benchmarks.model import Phase, Sweep, TestResult
from advisor.core.evidence import Known, Unknown
from advisor.core.retelling import retold
from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Timeline
from advisor.recommendations.model import Advice
from advisor.report import formatting as f
from advisor.report import stutter_words, trend_words, trial_words, upgrades, wait_words, wording
from advisor.report.answering import spoken
from advisor.report.document import Document
from advisor.report.exporters.markdown_table import escaped, listed_lines
from advisor.report.exporters.markdown_table import table as _table
from advisor.report.left_out import named_point
from advisor.report.privacy import without_personal_paths
from advisor.report.sweeps import document_tables
from advisor.report.waterfall_words import HEAD, TITLE, falsified_sentences, waterfall_rows, waterfall_title

ONE_REQUEST: Final = marked("One request")
TWO_MACHINES: Final = marked("The two machines")
"""Headings that charts stand under in HTML."""

_CURVES: Final = {
    Sweep.PHASES: marked("phases"), Sweep.DEPTH: marked("depth"), Sweep.THREADS: marked("threads"),
    Sweep.BATCH: marked("batch"), Sweep.UBATCH: marked("ubatch"),
    Sweep.FLASH_ATTENTION: marked("flash-attention"), Sweep.KV_TYPE: marked("kv-type"),
}  # fmt: skip


def document_markdown(document: Document) -> str:
    """The whole report: answer, request, advice, phases, tests, machine, engine, how to repeat it."""
    clean = without_personal_paths(spoken(document), model_path=document.model.path)
    sections = (
        _top(clean),
        _request(clean),
        _advice(clean),
        _trials(clean),
        _wont_help(clean),
        _upgrades(clean),
        _phases(clean),
        _since_last(clean),
        _waterfalls(clean),
        _tests(clean),
        _curves(clean),
        _stutter(clean),
        _machine(clean),
        _model(clean),
        _repeat(clean),
    )
    return "\n\n".join(section for section in sections if section) + "\n"


def _code(commands: Iterable[str]) -> str:
    body = "\n".join(commands)
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`+", body)), 3)
    return f"{fence}\n{body}\n{fence}"


def _top(document: Document) -> str:
    lines = [f"# {escaped(wording.headline(document))}"]
    if isinstance(document.verdict, Known):
        lines.append(escaped(document.verdict.value.sentence))
        if lost := wait_words.loss_sentence(document.verdict.value):
            lines.append(escaped(lost))
    lines.append(escaped(wording.subject(document)))
    if document.interrupted:
        lines.append(f"**{tr('Not complete:')}** {escaped(document.interrupted)}")
    lines.append(f"**{tr('How sure:')}** {escaped(wording.how_sure(document))}")
    return "\n\n".join(lines)


def _request(document: Document) -> str:
    lines = [f"## {tr(ONE_REQUEST)}"]
    if isinstance(document.timeline, Known):
        line = document.timeline.value
        lines.append(tr(
            "**Nothing on screen for {wait}**, then **writing for {stream}**.",
            wait=f.seconds(line.wait_s), stream=f.seconds(line.stream_s),
        ))  # fmt: skip
    lines.append(escaped(wording.request_sentence(document)))
    if isinstance(document.timeline, Known):
        lines.append(tr("Basis: {basis}.", basis=escaped(document.timeline.value.basis)))
        lines += _wait(document.timeline.value, document)
    return "\n\n".join(lines)


def _wait(timeline: Timeline, document: Document) -> list[str]:
    """The parts of the wait and the turns of a chat, as tables."""
    tables = [_table(head, rows, frozenset(range(1, len(head)))) for head, rows in wait_words.tables(timeline)]
    if not tables:
        return []
    said = [escaped(words) for words in wait_words.notes(timeline, document.workload)]
    return [f"### {tr(wait_words.TITLE)}", *tables, *said]


def _advice(document: Document) -> str:
    if not document.advice:
        return f"## {tr(wording.WHAT_TO_DO)}\n\n{tr('No advice follows from what was measured.')}"
    rows = [
        (
            item.title,
            wording.saving_words(item),
            tr("{basis}, tried", basis=f.basis_word(item.basis)) if item.tried else f.basis_word(item.basis),
            _changes(document, item),
            item.cost,
        )
        for item in document.advice
    ]
    head = (tr(wording.WHAT_TO_DO), tr("Saves per request"), tr("Basis"), tr("What changes"), tr("Cost"))
    table = _table(head, rows, frozenset({1}))
    how = []
    for item in document.advice:
        undo = tr("Undo: {undo}.", undo=escaped(item.undo.rstrip(".")))
        how.append(f"- **{escaped(item.title)}** ({escaped(item.evidence)}) {undo}")
        for way in item.how:
            command = f": `{way.command}`" if way.command and "`" not in way.command else ""
            how.append(f"  - {escaped(way.where)}: {escaped(way.words.rstrip('.'))}{command}")
    return "\n\n".join([f"## {wording.advice_heading(document.verdict)}", table, "\n".join(how)])


def _changes(document: Document, item: Advice) -> str:
    """What changes in both phases, and how such predictions held before."""
    parts = (item.detail, wording.saves_elsewhere(item), trial_words.record_words(document.ledger, item))
    return " ".join(part for part in parts if part)


def _trials(document: Document) -> str:
    if not document.trials:
        return ""
    table = _table(tuple(map(tr, trial_words.HEAD)), trial_words.trial_rows(document), frozenset({2, 3, 4, 5}))
    return f"## {tr(trial_words.TITLE)}\n\n{table}\n\n{listed_lines(trial_words.trial_sentences(document))}"


def _waterfalls(document: Document) -> str:
    parts = [f"- {escaped(sentence)}" for sentence in falsified_sentences(document)]
    for found in document.waterfalls:
        table = _table(tuple(map(tr, HEAD)), waterfall_rows(found), frozenset({1, 2}))
        parts += [escaped(waterfall_title(found)), table]
    return "\n\n".join([f"## {tr(TITLE)}", *parts]) if parts else ""


def _wont_help(document: Document) -> str:
    if not document.wont_help:
        return ""
    lines = [f"- {escaped(item.sentence)} ({escaped(item.evidence.rstrip('.'))})" for item in document.wont_help]
    return f"## {tr('What will not help')}\n\n" + "\n".join(lines)


def _upgrades(document: Document) -> str:
    found = upgrades.upgrades_of(document)
    if found is None:
        return ""
    head, rows = upgrades.upgrade_table(found)
    first, *rest = upgrades.upgrade_sentences(found)
    table = _table(head, rows, frozenset({1, 2, 3, 4}))
    return "\n\n".join([f"## {tr(upgrades.TITLE)}", escaped(first), table, listed_lines(rest)])


def _phases(document: Document) -> str:
    lines = [f"## {tr(TWO_MACHINES)}"]
    names = {Phase.PREFILL: tr("Prefill (reads the prompt)"), Phase.DECODE: tr("Decode (writes the answer)")}
    for phase, name in names.items():
        test = wording.phase_test(document, phase)
        speed = f.tokens_per_s_spread(test.tokens_per_s, test.mad_tokens_per_s) if test else tr("not measured")
        limit = wording.limit_words(document, phase)
        said = f"{wording.in_this_work(document, phase)} {wording.ceiling_sentence(document, phase)}".lstrip()
        lines.append(f"- **{name}: {speed}**{', ' + limit if limit else ''}. {escaped(said)}")
        found = wording.finding(document, phase)
        if found:
            lines.append(f"  {escaped(found.because)}")
    return lines[0] + "\n\n" + "\n".join(lines[1:])


def _since_last(document: Document) -> str:
    said = listed_lines(trend_words.change_sentences(document.changes))
    return f"## {tr(trend_words.TITLE)}\n\n{said}" if said else ""


def _tests(document: Document) -> str:
    if not document.tests:
        return f"## {tr('Measurements')}\n\n{tr('Nothing was measured.')}"
    head = (
        tr("Test"), tr("Curve"), tr("tokens/s"), tr("± MAD"), tr("Runs"), tr("Threads"), tr("Device"), tr("Stamp"),
    )  # fmt: skip
    table = _table(head, [_test_row(test) for test in document.tests], frozenset({2, 3, 4, 5}))
    fell = [f"{test.test}: {words}." for test in document.tests if (words := wording.cold_words(test))]
    below = [escaped(line) for line in (*fell, wording.real_use_sentence(document), *document.left_out) if line]
    return "\n\n".join([f"## {tr('Measurements')}", table, *below])


def _curves(document: Document) -> str:
    parts = []
    for curve in document_tables(document):
        numbers = frozenset(range(1, len(curve.head)))
        said = escaped(" ".join(curve.sentences))
        parts.append(f"### {curve.title}\n\n{_table(curve.head, curve.rows, numbers)}\n\n{said}")
    return "\n\n".join([f"## {tr('Curves')}", *parts]) if parts else ""


def _stutter(document: Document) -> str:
    if isinstance(document.stutter, Unknown):
        return ""
    stutter = document.stutter.value
    numbers = frozenset(range(1, len(stutter_words.HEAD)))
    table = _table(tuple(map(tr, stutter_words.HEAD)), stutter_words.rows(stutter), numbers)
    said = escaped(" ".join(stutter_words.sentences(stutter)))
    return f"## {tr(stutter_words.TITLE)}\n\n{table}\n\n{said}"


def _test_row(test: TestResult) -> tuple[str, ...]:
    spread = test.mad_tokens_per_s
    return (
        named_point(test) + (tr(", safe mode") if test.safe_mode else ""),
        tr(_CURVES[test.sweep]),
        f.number(test.tokens_per_s, spread),
        f.spread_percent(test.tokens_per_s, spread),
        f.count(len(test.samples_s)) + ("" if test.complete else tr(", not complete")),
        f.count(test.n_threads),
        test.device,
        wording.conditions_words(test.conditions),
    )


def _machine(document: Document) -> str:
    machine, cpu = document.machine, document.machine.cpu
    gpus = [f.fact(gpu.name) for gpu in machine.gpus] or [tr("none found ({why})", why=f.fact(machine.gpus_note))]
    processor = tr(
        "Processor: {name}, {threads} ({why})",
        name=f.fact(cpu.name), threads=f.plural(cpu.usable_threads, "usable thread", "usable threads"),
        why=retold(cpu.usable_because),
    )  # fmt: skip
    memory = tr(
        "Memory: {total}, {free} available",
        total=f.fact(machine.memory.total_bytes, f.size), free=f.fact(machine.memory.available_bytes, f.size),
    )  # fmt: skip
    battery = f.fact(machine.power.on_battery, lambda yes: tr("yes") if yes else tr("no"))
    lines = [
        ", ".join([processor, *cpu.extensions]),
        memory,
        tr("GPU: {names}", names=", ".join(gpus)),
        tr("System: {name}", name=machine.system),
        tr("On battery: {answer}", answer=battery),
        tr("Engine: {engine}", engine=_engine(document)),
    ]
    if isinstance(document.engine, Known) and document.engine.value.variables:
        lines.append(tr("Environment variables: {names}", names=", ".join(document.engine.value.variables)))
    return f"## {tr('Machine and engine')}\n\n{listed_lines(lines)}"


def _engine(document: Document) -> str:
    if isinstance(document.engine, Unknown):
        return tr("unknown: {reason}", reason=f.why(document.engine))
    engine = document.engine.value
    offload = tr("can use a GPU") if engine.gpu_offload else tr("cannot use a GPU")
    words = tr(
        "{name} {version}, build {build}, {offload}.",
        name=engine.name, version=engine.version, build=engine.build, offload=offload,
    )  # fmt: skip
    return f"{words} {wording.safe_mode_sentence(document)}".rstrip()


def _model(document: Document) -> str:
    model = document.model
    types = ", ".join(f"{name} {f.size(size)}" for name, size in model.types.items())
    lines = [
        tr(
            "{name}, architecture {architecture}, {parameters} parameters, file {size}",
            name=model.name, architecture=model.architecture, parameters=f.parameters(model.parameters),
            size=f.size(model.file_bytes),
        ),
        tr("Weight types: {types}", types=types or tr("unknown")),
    ]  # fmt: skip
    if isinstance(model.traffic, Known):
        traffic = model.traffic.value
        lines.append(tr(
            "Per decoded token {size} are read, and {more} more for every token of context; {work} per prompt token",
            size=f.size(traffic.bytes_per_token()), more=f.size(traffic.kv_bytes_per_token()),
            work=f.flop(traffic.flop_per_prompt_token()),
        ))  # fmt: skip
    else:
        lines.append(tr("Bytes per token: unknown: {reason}", reason=f.why(model.traffic)))
    return f"## {tr('Model')}\n\n{listed_lines([*lines, *model.notes])}"


def _repeat(document: Document) -> str:
    made = f"Two Machines {document.app_version}, {f.date_time(document.created_at)}."
    return f"## {tr('How to repeat this')}\n\n{_code(wording.repeat_commands(document))}\n\n{escaped(made)}"
