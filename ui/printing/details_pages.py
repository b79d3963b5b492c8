"""For the sceptic: all advice, what will not help, machine, engine, model, method, how to repeat it."""

from dataclasses import dataclass, replace
from typing import Any, Final

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Fact, Known
from advisor.core.translation import marked, tr, trn
from advisor.hardware.model import Gpu
from advisor.recommendations.model import Advice
from advisor.report import formatting as f
from advisor.report import upgrades, wording
from advisor.report.document import Document
from ui.printing import style, words_of
from ui.printing.blocks import (
    Column,
    beside_rule,
    big_title,
    code,
    facts,
    paragraph,
    section,
    subheading,
    table,
    with_note,
)
from ui.printing.canvas import LEFT, RIGHT, Canvas
from ui.printing.flow import CHAPTER_SPACE, Piece, page_break, space
from ui.printing.page_one import advice_head

Row = tuple[str, str, str]
LEAST_ROOM: Final = 0.35
"""Share of a page that must be left for the machine to begin on it; more leaves pages half empty."""

ESCAPED: Final = marked(
    "The file name has a sign that no font here can draw; in these lines it is written as bash and zsh read it."
)
HELPS: Final = {
    Phase.PREFILL: marked("Helps reading the prompt (prefill). Cost: {cost}. Way back: {undo}."),
    Phase.DECODE: marked("Helps writing the answer (decode). Cost: {cost}. Way back: {undo}."),
}


def advice_pages(canvas: Canvas, document: Document) -> list[Piece]:
    """All advice with evidence, cost, way back and how; then what will not help; no page without either."""
    if not document.advice and not document.wont_help:
        return []
    pieces = [page_break(), *big_title(canvas, tr("What to do, and what not"))]
    pieces += section(canvas, tr("All advice, most time saved first"))
    if not document.advice:
        pieces += paragraph(canvas, tr("No advice follows from what was measured."), style.QUIET)
    for index, item in enumerate(document.advice):
        if index:
            pieces.append(space(11))
        pieces += _advice(canvas, item)
    if document.wont_help:
        pieces += section(canvas, tr("What will not help"))
        rows = [(f"✕ {item.sentence}", item.evidence) for item in document.wont_help]
        pieces += table(canvas, (Column(tr("This"), 55), Column(tr("The number that says so"), 45)), rows)
    return [*pieces, *_upgrades(canvas, document)]


def _upgrades(canvas: Canvas, document: Document) -> list[Piece]:
    """Other hardware as a table, with what it does not know; nothing where nothing should be bought."""
    found = upgrades.upgrades_of(document)
    if found is None:
        return []
    head, rows = upgrades.upgrade_table(found)
    shares = (30, 14, 14, 15, 15, 8, 13)
    sides = [LEFT, *[RIGHT] * 4, LEFT, LEFT]
    columns = [Column(*parts) for parts in zip(head, shares, sides, strict=True)]
    first, *rest = upgrades.upgrade_sentences(found)
    pieces = [*section(canvas, tr(upgrades.TITLE)), *paragraph(canvas, first), *table(canvas, columns, rows)]
    for sentence in rest:
        pieces += paragraph(canvas, sentence, style.SMALL_QUIET)
    return pieces


def _advice(canvas: Canvas, item: Advice) -> list[Piece]:
    width = style.CONTENT_WIDTH - 13
    pieces = advice_head(canvas, item, width, 4, 8)
    pieces += paragraph(canvas, tr("Evidence: {evidence}", evidence=item.evidence), style.SMALL_QUIET, width, 6)
    terms = tr(HELPS[item.phase], cost=item.cost.rstrip("."), undo=item.undo.rstrip("."))
    pieces += paragraph(canvas, terms, style.SMALL_QUIET, width, 5)
    for way in item.how:
        pieces += paragraph(canvas, f"{way.where}: {way.words}", style.SMALL, width, 4)
        if way.command:
            pieces += code(canvas, way.command, width)
    ink = style.PHASE_INK[item.phase]
    return beside_rule(pieces, ink, 13)


def machine_pages(canvas: Canvas, document: Document) -> list[Piece]:
    """Machine, engine and model."""
    return [
        page_break(LEAST_ROOM * canvas.paper.content_height, CHAPTER_SPACE),
        *big_title(canvas, tr("Machine, engine and model")),
        *section(canvas, tr("Machine")),
        *facts(canvas, _machine_rows(document)),
        *section(canvas, tr("Engine")),
        *_engine(canvas, document),
        *section(canvas, tr("Model")),
        *facts(canvas, _model_rows(document)),
        *_types(canvas, document),
        *_notes(canvas, document),
    ]


def _row(name: str, value: Fact[Any], render: Any = str) -> Row:
    return name, f.fact(value, render), words_of.source(value)


def _yes(value: bool) -> str:
    return tr("yes") if value else tr("no")


def _machine_rows(document: Document) -> list[Row]:
    machine, cpu, memory = document.machine, document.machine.cpu, document.machine.memory
    extensions = ", ".join(cpu.extensions) or tr("none that matter")
    rows = [
        _row(tr("Processor"), cpu.name),
        (tr("Instruction sets"), f"{cpu.architecture}: {extensions}", ""),
        (tr("Logical processors"), f.count(cpu.logical), ""),
        _row(tr("Cores"), cpu.physical, f.count),
        _row(tr("Fast cores among them"), cpu.performance_cores, f.count),
        (tr("Usable threads"), f.count(cpu.usable_threads), cpu.usable_because),
        _row(tr("Quota"), cpu.quota_cpus, lambda v: trn("{n} processor", "{n} processors", f.form(v), n=f.number(v))),
        _row(tr("Last-level cache"), cpu.l3_bytes, f.gib),
        _row(tr("Virtual machine"), cpu.virtual_machine),
        _row(tr("Memory"), memory.total_bytes, f.size),
        _row(tr("Memory available"), memory.available_bytes, f.size),
        _row(tr("Swap in use"), memory.swap_used_bytes, f.size),
    ]
    for gpu in machine.gpus:
        rows += _gpu_rows(gpu)
    if not machine.gpus:
        rows.append(_row(tr("GPU"), machine.gpus_note))
    rows += [
        (tr("System"), machine.system, tr("read {moment}", moment=f.date_time(machine.read_at))),
        _row(tr("On battery"), machine.power.on_battery, _yes),
        _row(tr("Power profile"), machine.power.profile),
        _row(tr("Processor busy before"), machine.load.cpu_busy_fraction, f.percent),
        _row(tr("Load of the last minute"), machine.load.load_1min, f.number),
        _row(tr("Stolen by the host"), machine.load.steal_fraction, f.percent),
    ]
    return rows


def _gpu_rows(gpu: Gpu) -> list[Row]:
    return [
        _row(tr("GPU"), gpu.name),
        _row(tr("GPU memory"), gpu.memory_total_bytes, f.size),
        _row(tr("GPU bandwidth, theory"), gpu.memory_bytes_per_s, f.bandwidth),
        _row(tr("GPU shares main memory"), gpu.shares_memory, _yes),
        _row(tr("GPU power limit"), gpu.power_limit_w, lambda v: f.with_unit(f.number(v), "W")),
        _row(tr("GPU driver"), gpu.driver),
    ]


def _engine(canvas: Canvas, document: Document) -> list[Piece]:
    if not isinstance(document.engine, Known):
        return paragraph(canvas, tr("Unknown: {reason}.", reason=tr(document.engine.reason)), style.SMALL)
    engine = document.engine.value
    rows: list[Row] = [
        (tr("Name"), f"{engine.name} {engine.version}", document.engine.source),
        (tr("Build"), engine.build, ""),
        (tr("System line"), engine.system_info, ""),
        (tr("Program") if engine.name == "llama-bench" else tr("Python"), engine.python, ""),
        (tr("Can use a GPU"), _yes(engine.gpu_offload), ""),
    ]
    if engine.variables:
        rows.append((tr("Environment variables"), ", ".join(engine.variables), ""))
    rows += [
        (tr("Device {name}", name=device.name), device.description,
         f"{device.kind}, {f.fact(device.memory_total_bytes, f.size)}")
        for device in engine.devices
    ]
    rows += [
        _row(tr("Self-test on {name}", name=device.name), device.self_test,
             lambda check: tr("safe mode") if check.mode else tr("default"))
        for device in engine.devices
    ]
    return with_note(facts(canvas, rows), paragraph(canvas, wording.safe_mode_sentence(document), style.SMALL_STRONG))


def _model_rows(document: Document) -> list[Row]:
    model = document.model
    rows = [
        (tr("Name"), model.name, model.path.name),
        (tr("Architecture"), model.architecture, tr("read: general.architecture")),
        _row(tr("Quantisation label"), model.label),
        (tr("File"), f.size(model.file_bytes), ""),
        (tr("Weights"), f.size(model.weights_bytes), tr("computed: tensor table")),
        (tr("Parameters"), f"{f.parameters(model.parameters)} ({f.count(model.parameters)})",
         tr("computed: tensor table")),
        _row(tr("Active per token"), model.active_parameters, f.parameters),
        _row(tr("Layers"), model.layers, f.count),
        _row(tr("Width"), model.embedding_length, f.count),
        _row(tr("Query heads"), model.heads, f.count),
        _row(tr("Key and value heads"), model.kv_heads, f.count),
        _row(tr("Vocabulary"), model.vocabulary, f.count),
        _row(tr("Context it was made for"), model.context_length, lambda v: f.tokens(v)),
        (tr("Head shares the embedding"), _yes(model.tied_head), ""),
    ]
    if model.experts:
        rows.append((tr("Experts"), f.experts(model.experts, model.experts_used), ""))
    return rows + _traffic_rows(document)


def _traffic_rows(document: Document) -> list[Row]:
    traffic = document.model.traffic
    if not isinstance(traffic, Known):
        return [(tr("Read per decoded token"), tr("unknown: {reason}", reason=traffic.reason), "")]
    value, source = traffic.value, words_of.source(traffic)
    return [
        (tr("Read per decoded token"), f.size(value.bytes_per_token()), source),
        (tr("Context, per token of it"), f.size(value.kv_bytes_per_token()), source),
        (tr("Work per prompt token"), f.flop(value.flop_per_prompt_token()), source),
        (tr("Work per decoded token"), f.flop(value.flop_per_decoded_token()), source),
    ]


def _types(canvas: Canvas, document: Document) -> list[Piece]:
    types = document.model.types
    total = sum(types.values())
    if not total:
        return []
    rows = [(name, f.size(value), f.percent(value / total)) for name, value in types.items()]
    columns = (Column(tr("Weight type"), 40), Column(tr("Bytes"), 20, RIGHT), Column(tr("Share"), 20, RIGHT))
    return [*subheading(canvas, tr("Weights by type")), *table(canvas, columns, rows, style.CONTENT_WIDTH * 0.55)]


def _notes(canvas: Canvas, document: Document) -> list[Piece]:
    pieces: list[Piece] = []
    for note in document.model.notes:
        pieces += [space(3), *paragraph(canvas, note, style.SMALL, max_lines=8)]
    return pieces


@dataclass(frozen=True, slots=True)
class Attached:
    """The result's JSON, which lies in the PDF: its name there and its SHA-256 in hexadecimal digits."""

    name: str
    sha256: str


def method_pages(canvas: Canvas, document: Document, attached: Attached) -> list[Piece]:
    """The method in a page and the commands that measure it again; on a page that others began where all of it fits."""
    pieces = [
        *big_title(canvas, tr("Method, and how to repeat it")),
        *section(canvas, tr("Method")),
    ]
    for text in wording.METHOD:
        pieces += [*paragraph(canvas, tr(text)), space(5)]
    pieces += section(canvas, tr("How to repeat it"))
    pieces += paragraph(canvas, tr("In the folder of the model file:"), style.QUIET, keep_with_next=True)
    commands = wording.repeat_commands(document)
    for command in commands:
        pieces += [replace(piece, keep_with_next=False) for piece in code(canvas, command)]
    if any(canvas.typeable(command, style.CODE) != command for command in commands):
        pieces += paragraph(canvas, tr(ESCAPED), style.SMALL_QUIET)
    words = tr(
        "All figures of this report, with every single repetition, lie in it as the attached file {name}, from which "
        "Two Machines draws the same report again. Its SHA-256:",
        name=attached.name,
    )
    pieces += [*section(canvas, tr("The data")), *paragraph(canvas, words, keep_with_next=True)]
    pieces += code(canvas, attached.sha256)
    moment = f.date_time(document.created_at)
    made = tr("Made by Two Machines {version}, {moment}.", version=document.app_version, moment=moment)
    pieces += [space(6), *paragraph(canvas, made, style.SMALL_QUIET)]
    room = CHAPTER_SPACE + sum(piece.height for piece in pieces)
    return [page_break(min(room, canvas.paper.content_height), CHAPTER_SPACE), *pieces]
