"""Results as text for a terminal."""

from collections.abc import Sequence

from advisor.benchmarks.engine_variables import slowing
from advisor.benchmarks.model import EngineDevice, EngineFacts, Sweep, TestResult
from advisor.ceilings.model import Ceilings
from advisor.cli import terminal
from advisor.core.evidence import Fact, Known, Unknown
from advisor.core.numbers import bandwidth, count, flop, flop_rate, percent, seconds, size, speed
from advisor.diagnosis.model import Timeline, Workload
from advisor.gguf.contents import Contents, contents
from advisor.gguf.memory import memory_needed
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Cpu, Gpu, Machine, Memory
from advisor.recommendations.unused_gpu import sentence
from advisor.report import formatting as f
from advisor.report import trend_words, wait_words, wording
from advisor.report.document import Document
from advisor.report.sweeps import SweepTable, document_tables
from advisor.report.trial_words import record_words, tried_words
from advisor.report.waterfall_words import TITLE, falsified_sentences, waterfall_rows, waterfall_title

Pairs = list[tuple[str, str]]
SHOWN_CONTEXT = 8192
"""Context in tokens for which ``inspect`` says how much memory is needed."""


def machine_pairs(machine: Machine) -> Pairs:
    """What ``machine`` shows."""
    cpu, memory = machine.cpu, machine.memory
    pairs = [
        ("System", machine.system),
        ("CPU", _cpu(cpu)),
        ("Cores", _cores(cpu)),
        ("Usable threads", f"{cpu.usable_threads} ({cpu.usable_because})"),
        ("Extensions", ", ".join(cpu.extensions) or "none that matter here"),
        ("Caches", f"level 2 {f.fact(cpu.l2_bytes, f.gib)}, level 3 {f.fact(cpu.l3_bytes, f.gib)}"),
        ("Virtual machine", f.fact(cpu.virtual_machine)),
        ("Memory", f"{f.fact(memory.total_bytes, size)}, {f.fact(memory.available_bytes, size)} available"),
    ]
    pairs += _modules(memory)
    pairs += [("GPU", _gpu(gpu)) for gpu in machine.gpus] or [("GPU", f.fact(machine.gpus_note))]
    pairs += [
        ("Power", f.fact(machine.power.on_battery, lambda on: "on battery" if on else "on mains")),
        ("Power profile", f.fact(machine.power.profile)),
        ("CPU in use", f.fact(machine.load.cpu_busy_fraction, percent)),
    ]
    if isinstance(machine.load.temperature_c, Known):
        pairs.append(("CPU temperature", f"{machine.load.temperature_c.value:.0f}\u00a0°C"))
    return pairs + [("Note", note) for note in machine.notes]


def _cpu(cpu: Cpu) -> str:
    parts = [f.fact(cpu.name)]
    if isinstance(cpu.microarchitecture, Known):
        parts.append(cpu.microarchitecture.value)
    if isinstance(cpu.frequency_max_hz, Known):
        parts.append(f"up to {cpu.frequency_max_hz.value / 1e9:.1f}\u00a0GHz")
    return ", ".join(parts)


def _cores(cpu: Cpu) -> str:
    parts = [f"{count(cpu.logical)} logical", f"{f.fact(cpu.physical, count)} physical"]
    if isinstance(cpu.performance_cores, Known):
        parts.append(f"{count(cpu.performance_cores.value)} of them fast")
    if isinstance(cpu.threads_per_core, Known) and cpu.threads_per_core.value > 1:
        parts.append(f"{cpu.threads_per_core.value} threads per core")
    if isinstance(cpu.numa_nodes, Known) and cpu.numa_nodes.value > 1:
        parts.append(f"{cpu.numa_nodes.value} memory nodes")
    return ", ".join(parts)


def _modules(memory: Memory) -> Pairs:
    """What is in the slots; no line where the system does not tell, since that needs root on many."""
    if not memory.modules:
        return []
    kinds = sorted({module.kind.value for module in memory.modules if isinstance(module.kind, Known)})
    sizes = " + ".join(f.gib(module.size_bytes) for module in memory.modules)
    speed_words = f.fact(memory.running_transfers_per_s, lambda rate: f"{rate / 1e6:.0f}\u00a0MT/s")
    return [
        ("Memory modules", f"{sizes}{', ' if kinds else ''}{', '.join(kinds)} at {speed_words}"),
        ("Memory channels", f"{f.fact(memory.channels, count)}, theory {f.fact(memory.bytes_per_s, bandwidth)}"),
    ]


def _gpu(gpu: Gpu) -> str:
    shared = " shared with the CPU" if gpu.shares_memory.or_none() else ""
    parts = [
        f.fact(gpu.name),
        f"memory {f.fact(gpu.memory_total_bytes, size)}{shared}",
        f.fact(gpu.memory_bytes_per_s, bandwidth),
    ]
    if isinstance(gpu.pcie_lanes, Known) and isinstance(gpu.pcie_generation_max, Known):
        parts.append(f"PCIe {gpu.pcie_generation_max.value} × {gpu.pcie_lanes.value}")
    return ", ".join(parts)


def waste_pairs(machine: Machine, engine: Fact[EngineFacts]) -> Pairs:
    """The sentence for a graphics processor that the engine cannot use; nothing where there is none."""
    words = sentence(machine, engine.value) if isinstance(engine, Known) else None
    return [("What to do", words)] if words else []


def engine_pairs(engine: Fact[EngineFacts]) -> Pairs:
    """The engine, or why there is none."""
    if isinstance(engine, Unknown):
        return [("Engine", engine.reason)]
    facts = engine.value
    return [
        ("Engine", f"{facts.name} {facts.version} (build {facts.build})"),
        ("Can use a GPU", "yes" if facts.gpu_offload else "no, this build is for CPUs only"),
        *[("Device", device_words(device)) for device in facts.devices],
        *[("Environment variable", variable) for variable in facts.variables],
        *[("What to do", words) for words in slowing(facts.variables, [device.name for device in facts.devices])],
    ]


def device_words(device: EngineDevice) -> str:
    """A device of the engine, with the way to it where it is on another machine."""
    words = f"{device.name}: {device.description}, {f.fact(device.memory_total_bytes, size)}"
    if isinstance(device.link, Known):
        link = device.link.value
        words += f"; link {seconds(link.round_trip_s)} there and back, {bandwidth(link.bytes_per_s)}"
    return words


def model_pairs(model: ModelFacts) -> Pairs:
    """What ``inspect`` shows."""
    held = contents(model)
    pairs = [
        ("Architecture", model.architecture),
        ("Label", _label(model, held)),
        ("Parameters", _parameters(model)),
        ("File", f"{size(model.file_bytes)}, weights {size(model.weights_bytes)}"),
        ("Contents", ", ".join(f"{each.name} {percent(each.share)}" for each in held.types)),
        ("Bits per weight", f.fact(held.bits_per_weight, f.number)),
        ("Layers", f.fact(model.layers, count)),
        ("Head", _head(model, held)),
    ]
    if model.experts:
        pairs.append(("Experts", f.experts(model.experts, model.experts_used)))
    if isinstance(model.traffic, Unknown):
        return [*pairs, ("Traffic", f"unknown: {model.traffic.reason}")]
    traffic = model.traffic.value
    share = f.fact(held.read_share, percent)
    pairs += [
        ("Computed for", traffic.basis),
        ("Read per token", f"{size(traffic.bytes_per_token())}, {share} of the file"),
        ("+ per 1k context", size(traffic.kv_read_bytes(1000))),
        ("KV cache per token", size(traffic.kv_bytes_per_token())),
    ]
    if traffic.recurrent:
        pairs.append(("State per stream", f"{size(traffic.state_bytes)}, whatever the context"))
    need = memory_needed(model, SHOWN_CONTEXT)
    if isinstance(need, Known):
        pairs.append((f"Memory at {count(SHOWN_CONTEXT)}", f"about {size(need.value.total_bytes)}"))
    return [
        *pairs,
        ("Work per prompt token", flop(traffic.flop_per_prompt_token())),
        ("Work per decoded token", flop(traffic.flop_per_decoded_token())),
    ]


def _label(model: ModelFacts, held: Contents) -> str:
    """The label, with how much of the file is of the type it names."""
    if isinstance(model.label, Known) and isinstance(held.label_share, Known) and held.label_type != model.label.value:
        return f"{model.label.value}, of which {percent(held.label_share.value)} is {held.label_type}"
    return f.fact(model.label)


def _parameters(model: ModelFacts) -> str:
    total = f.parameters(model.parameters)
    active = model.active_parameters
    return f"{total}, {f.parameters(active.value)} active per token" if isinstance(active, Known) else total


def _head(model: ModelFacts, held: Contents) -> str:
    if not model.has_decode:
        return "none: this file cannot write text"
    where = "shared with the embedding table" if model.tied_head else "its own matrix"
    share = held.head_share
    return f"{where}, {percent(share.value)} of the weights" if isinstance(share, Known) else where


def ceilings_pairs(found: Ceilings) -> Pairs:
    """What ``ceilings`` shows; each figure with what it rests on."""

    def line(fact: Fact[float], render: "type[str] | object") -> str:
        assert callable(render)
        return f"{render(fact.value)} ({fact.source})" if isinstance(fact, Known) else f"unknown: {fact.reason}"

    def most(is_bound_below: bool) -> str:
        return "at least" if is_bound_below else "at most"

    return [
        (f"Prefill {most(found.prefill_is_bound_below)}", line(found.prefill_tokens_per_s, speed)),
        (f"Decode {most(found.decode_is_bound_below)}", line(found.decode_tokens_per_s, speed)),
        ("Read bandwidth", line(found.read_bytes_per_s, bandwidth)),
        ("Arithmetic", line(found.compute_flop_per_s, flop_rate)),
        ("Balance point", line(found.balance_flop_per_byte, lambda v: f"{f.number(v)} FLOP per byte")),
        ("Streams until balance", line(found.balance_batch, f.number)),
        ("Memory-bound from depth", line(found.memory_bound_from_depth, f.count)),
        ("Best of any product", line(found.best_flop_per_s, flop_rate)),
        ("Memory is rated for", line(found.theoretical_bytes_per_s, bandwidth)),
    ]


def show_tests(tests: Sequence[TestResult]) -> None:
    """The measured rows as a table."""
    rows = [("test", "tokens/s", "repetitions", "threads", "device", "mode", "stamp")]
    for test in tests:
        rows.append(
            (
                test.test,
                f.tokens_per_s_spread(test.tokens_per_s, test.mad_tokens_per_s).rsplit("\u00a0", 1)[0],
                str(len(test.samples_s)),
                str(test.n_threads),
                test.device,
                "safe" if test.safe_mode else "default",
                test.conditions.stamp,
            )
        )
    terminal.columns(rows)
    for test in tests:
        if cold := wording.cold_words(test):
            terminal.show_paragraph(f"{test.test}: {cold}.", "  ")
    for test in tests:
        if test.conditions.because:
            terminal.show_paragraph(
                f"{test.test} is {test.conditions.stamp}: {'; '.join(test.conditions.because)}.", "  "
            )


def show_sweeps(tables: Sequence[SweepTable]) -> None:
    """Each curve as a table with what it means."""
    for sweep in tables:
        print(sweep.title)
        terminal.columns([sweep.head, *sweep.rows])
        for words in sweep.sentences:
            terminal.show_paragraph(words, "  ")


def show_wait(timeline: Timeline, workload: Workload) -> None:
    """Where the seconds go, for one request and for each turn of a chat."""
    tables = wait_words.tables(timeline)
    for head, rows in tables:
        print(wait_words.TITLE if head is tables[0][0] else "")
        terminal.columns([head, *rows])
    for words in wait_words.notes(timeline, workload):
        terminal.show_paragraph(words, "  ")


def show_document(document: Document) -> None:
    """What ``diagnose`` shows: the answer first."""
    if isinstance(document.verdict, Known):
        verdict = document.verdict.value
        print(verdict.headline)
        terminal.show_paragraph(verdict.sentence, "  ")
        if lost := wait_words.loss_sentence(verdict):
            terminal.show_paragraph(lost, "  ")
    if isinstance(document.timeline, Known):
        times = document.timeline.value
        print(f"One request ({document.workload.title})")
        terminal.show_paragraph(
            f"{seconds(times.wait_s)} until the first word, then {seconds(times.stream_s)} of writing; "
            f"{seconds(times.total_s)} altogether.",
            "  ",
        )
        show_wait(times, document.workload)
    if document.tests:
        print("Measured")
        show_tests([test for test in document.tests if test.sweep is Sweep.PHASES])
        if real_use := wording.real_use_sentence(document):
            terminal.show_paragraph(real_use, "  ")
        show_sweeps(document_tables(document))
        for words in document.left_out:
            terminal.show_paragraph(words, "  ")
    if document.changes:
        print(trend_words.TITLE)
        for words in trend_words.change_sentences(document.changes):
            terminal.show_paragraph(words, "  ")
    if isinstance(document.ceilings, Known):
        terminal.show_pairs("Ceilings", ceilings_pairs(document.ceilings.value)[:2])
        if disturbed := wording.disturbed_sentence(document.ceilings.value):
            terminal.show_paragraph(disturbed, "  ")
    for passed in falsified_sentences(document):
        terminal.show_paragraph(passed, "  ")
    for found in document.waterfalls:
        print(f"{TITLE}: {waterfall_title(found)}")
        terminal.columns(waterfall_rows(found))
    if document.advice:
        print(f"{wording.advice_heading(document.verdict)}, most time saved first")
        for advice in document.advice:
            saving = f.saved(advice.saved_s, advice.saved_s_low, advice.saved_s_high)
            saving += wording.of_what(advice)
            terminal.show_paragraph(f"{saving}  {advice.title}. {advice.detail} [{advice.basis}]", "  ")
            for words in filter(None, (tried_words(advice), record_words(document.ledger, advice))):
                terminal.show_paragraph(words, "      ")
            for how in advice.how[:1]:
                terminal.show_paragraph(how.command or how.words, "      ")
    if document.wont_help:
        print("What will not help")
        for item in document.wont_help:
            terminal.show_paragraph(f"{item.sentence} ({item.evidence.rstrip('.')})", "  ")
