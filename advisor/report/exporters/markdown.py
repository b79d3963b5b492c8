"""A document as Markdown that reads well in a forum post or an issue."""

import re
from collections.abc import Iterable

from advisor.benchmarks.model import Phase, TestResult
from advisor.core.evidence import Known, Unknown
from advisor.diagnosis.model import Timeline
from advisor.recommendations.model import Advice
from advisor.report import formatting as f
from advisor.report import stutter_words, trend_words, trial_words, upgrades, wait_words, wording
from advisor.report.document import Document
from advisor.report.exporters.markdown_table import escaped
from advisor.report.exporters.markdown_table import table as _table
from advisor.report.left_out import named_point
from advisor.report.privacy import without_personal_paths
from advisor.report.sweeps import document_tables
from advisor.report.waterfall_words import HEAD, TITLE, falsified_sentences, waterfall_rows, waterfall_title


def document_markdown(document: Document) -> str:
    """The whole report: answer, request, advice, phases, tests, machine, engine, how to repeat it."""
    clean = without_personal_paths(document, model_path=document.model.path)
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
        lines.append(f"**Not complete:** {escaped(document.interrupted)}")
    lines.append(f"**How sure:** {escaped(wording.how_sure(document))}")
    return "\n\n".join(lines)


def _request(document: Document) -> str:
    lines = ["## One request"]
    if isinstance(document.timeline, Known):
        line = document.timeline.value
        lines.append(
            f"**Nothing on screen for {f.seconds(line.wait_s)}**, then **writing for {f.seconds(line.stream_s)}**."
        )
    lines.append(escaped(wording.request_sentence(document)))
    if isinstance(document.timeline, Known):
        lines.append(f"Basis: {escaped(document.timeline.value.basis)}.")
        lines += _wait(document.timeline.value, document)
    return "\n\n".join(lines)


def _wait(timeline: Timeline, document: Document) -> list[str]:
    """The parts of the wait and the turns of a chat, as tables."""
    tables = [_table(head, rows, frozenset(range(1, len(head)))) for head, rows in wait_words.tables(timeline)]
    if not tables:
        return []
    said = [escaped(words) for words in wait_words.notes(timeline, document.workload)]
    return [f"### {wait_words.TITLE}", *tables, *said]


def _advice(document: Document) -> str:
    if not document.advice:
        return "## What to do\n\nNo advice follows from what was measured."
    rows = [
        (
            item.title,
            wording.saving_words(item),
            f"{item.basis}, tried" if item.tried else str(item.basis),
            _changes(document, item),
            item.cost,
        )
        for item in document.advice
    ]
    table = _table(("What to do", "Saves per request", "Basis", "What changes", "Cost"), rows, frozenset({1}))
    how = []
    for item in document.advice:
        how.append(f"- **{escaped(item.title)}** ({escaped(item.evidence)}) Undo: {escaped(item.undo.rstrip('.'))}.")
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
    table = _table(trial_words.HEAD, trial_words.trial_rows(document), frozenset({2, 3, 4, 5}))
    said = [f"- {escaped(sentence)}" for sentence in trial_words.trial_sentences(document)]
    return f"## {trial_words.TITLE}\n\n{table}\n\n" + "\n".join(said)


def _waterfalls(document: Document) -> str:
    parts = [f"- {escaped(sentence)}" for sentence in falsified_sentences(document)]
    for found in document.waterfalls:
        parts += [escaped(waterfall_title(found)), _table(HEAD, waterfall_rows(found), frozenset({1, 2}))]
    return "\n\n".join([f"## {TITLE}", *parts]) if parts else ""


def _wont_help(document: Document) -> str:
    if not document.wont_help:
        return ""
    lines = [f"- {escaped(item.sentence)} ({escaped(item.evidence.rstrip('.'))})" for item in document.wont_help]
    return "## What will not help\n\n" + "\n".join(lines)


def _upgrades(document: Document) -> str:
    found = upgrades.upgrades_of(document)
    if found is None:
        return ""
    head, rows = upgrades.upgrade_table(found)
    first, *rest = (escaped(sentence) for sentence in upgrades.upgrade_sentences(found))
    said = "\n".join(f"- {sentence}" for sentence in rest)
    return "\n\n".join([f"## {upgrades.TITLE}", first, _table(head, rows, frozenset({1, 2, 3, 4})), said])


def _phases(document: Document) -> str:
    lines = ["## The two machines"]
    for phase, name in ((Phase.PREFILL, "Prefill (reads)"), (Phase.DECODE, "Decode (writes)")):
        test = wording.phase_test(document, phase)
        speed = f.tokens_per_s_spread(test.tokens_per_s, test.mad_tokens_per_s) if test else "not measured"
        limit = wording.limit_words(document, phase)
        lines.append(
            f"- **{name}: {speed}**{', ' + limit if limit else ''}. "
            f"{escaped(wording.ceiling_sentence(document, phase))}"
        )
        found = wording.finding(document, phase)
        if found:
            lines.append(f"  {escaped(found.because)}")
    return lines[0] + "\n\n" + "\n".join(lines[1:])


def _since_last(document: Document) -> str:
    said = [f"- {escaped(words)}" for words in trend_words.change_sentences(document.changes)]
    return "\n\n".join([f"## {trend_words.TITLE}", "\n".join(said)]) if said else ""


def _tests(document: Document) -> str:
    if not document.tests:
        return "## Measurements\n\nNothing was measured."
    head = ("Test", "Curve", "tokens/s", "± MAD", "Runs", "Threads", "Device", "Stamp")
    table = _table(head, [_test_row(test) for test in document.tests], frozenset({2, 3, 4, 5}))
    fell = [f"{test.test}: {words}." for test in document.tests if (words := wording.cold_words(test))]
    below = [escaped(line) for line in (*fell, wording.real_use_sentence(document), *document.left_out) if line]
    return "\n\n".join(["## Measurements", table, *below])


def _curves(document: Document) -> str:
    parts = []
    for curve in document_tables(document):
        numbers = frozenset(range(1, len(curve.head)))
        said = escaped(" ".join(curve.sentences))
        parts.append(f"### {curve.title}\n\n{_table(curve.head, curve.rows, numbers)}\n\n{said}")
    return "\n\n".join(["## Curves", *parts]) if parts else ""


def _stutter(document: Document) -> str:
    if isinstance(document.stutter, Unknown):
        return ""
    stutter = document.stutter.value
    numbers = frozenset(range(1, len(stutter_words.HEAD)))
    table = _table(stutter_words.HEAD, stutter_words.rows(stutter), numbers)
    said = escaped(" ".join(stutter_words.sentences(stutter)))
    return f"## {stutter_words.TITLE}\n\n{table}\n\n{said}"


def _test_row(test: TestResult) -> tuple[str, ...]:
    spread = test.mad_tokens_per_s
    return (
        named_point(test) + (", safe mode" if test.safe_mode else ""),
        str(test.sweep),
        f.number(test.tokens_per_s, spread),
        f.spread_percent(test.tokens_per_s, spread),
        f.count(len(test.samples_s)) + ("" if test.complete else ", not complete"),
        f.count(test.n_threads),
        test.device,
        wording.conditions_words(test.conditions),
    )


def _machine(document: Document) -> str:
    machine, cpu = document.machine, document.machine.cpu
    gpus = [f.fact(gpu.name) for gpu in machine.gpus] or [f"none found ({f.fact(machine.gpus_note)})"]
    lines = [
        f"- Processor: {f.fact(cpu.name)}, {f.plural(cpu.usable_threads, 'usable thread')} ({cpu.usable_because})"
        + (f", {', '.join(cpu.extensions)}" if cpu.extensions else ""),
        f"- Memory: {f.fact(machine.memory.total_bytes, f.size)},"
        f" {f.fact(machine.memory.available_bytes, f.size)} available",
        f"- GPU: {', '.join(gpus)}",
        f"- System: {machine.system}",
        f"- On battery: {f.fact(machine.power.on_battery, lambda yes: 'yes' if yes else 'no')}",
        f"- Engine: {_engine(document)}",
    ]
    return "## Machine and engine\n\n" + "\n".join(escaped(line) for line in lines)


def _engine(document: Document) -> str:
    if isinstance(document.engine, Unknown):
        return f"unknown: {document.engine.reason}"
    engine = document.engine.value
    offload = "can use a GPU" if engine.gpu_offload else "cannot use a GPU"
    safe = " " + wording.safe_mode_sentence(document) if wording.safe_mode_sentence(document) else ""
    return f"{engine.name} {engine.version}, build {engine.build}, {offload}.{safe}"


def _model(document: Document) -> str:
    model = document.model
    lines = [
        f"- {model.name}, architecture {model.architecture}, {f.parameters(model.parameters)} parameters,"
        f" file {f.size(model.file_bytes)}",
        "- Weight types: " + (", ".join(f"{name} {f.size(size)}" for name, size in model.types.items()) or "unknown"),
    ]
    if isinstance(model.traffic, Known):
        traffic = model.traffic.value
        lines.append(
            f"- Per decoded token {f.size(traffic.bytes_per_token())} are read, and"
            f" {f.size(traffic.kv_bytes_per_token())} more for every token of context;"
            f" {f.flop(traffic.flop_per_prompt_token())} per prompt token"
        )
    else:
        lines.append(f"- Bytes per token: unknown: {model.traffic.reason}")
    lines += [f"- {note}" for note in model.notes]
    return "## Model\n\n" + "\n".join(escaped(line) for line in lines)


def _repeat(document: Document) -> str:
    made = f"Two Machines {document.app_version}, {f.date_time(document.created_at)}."
    return f"## How to repeat this\n\n{_code(wording.repeat_commands(document))}\n\n{escaped(made)}"
