"""Sentences about a document that Markdown and PDF share; pure functions, plain text."""

import shlex
from collections.abc import Sequence
from typing import Final

from advisor.benchmarks.model import (
    Conditions,
    EngineMode,
    FlashAttention,
    Phase,
    Stamp,
    Sweep,
    TestResult,
    merged_reasons,
)
from advisor.benchmarks.planning.settings import N_BATCH, N_UBATCH
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.diagnosis.model import Finding, Limit, Problem, Verdict, Workload
from advisor.diagnosis.selection import choose
from advisor.gguf.model import ModelFacts
from advisor.recommendations.model import PER_REQUEST, Advice
from advisor.report import formatting as f
from advisor.report.document import Document

READING_TOKENS_PER_S: Final = 5
"""About 240 English words a minute, a usual silent reading speed, at about 0.75 words per token."""

LONGEST_NAME: Final = 80
"""A model's name longer than this is shown without its middle inside a sentence."""

WORTH_A_WORD_S: Final = 0.05

WHAT_TO_DO: Final = "What to do"
IF_FASTER: Final = "Only if you want it faster"
"""Above the advice; the second where nobody has a problem."""

READ_WORDS: Final = (
    "What the engine's processor was seen to read from memory with as much data as one step needs; the decode ceiling "
    "rests on it."
)
RATED_WORDS: Final = "What the memory is built for on paper; no program reaches it, so that no ceiling rests on it."
ARITHMETIC_WORDS: Final = (
    "What the processor was seen to compute in this model's own matrix products, each number format at its best; it is "
    "the roof over every prompt."
)
PREFILL_CEILING_WORDS: Final = (
    "The roof less what a whole prompt also takes, attention and small operations, so that the prefill ceiling lies "
    "below what the arithmetic alone would allow."
)
"""What tells the figures about one machine apart that look alike, the same in the window and in reports."""

SAME_SPEED: Final = 0.005
"""Half a per cent: what rounds to nothing is no difference."""

STAMP_SIGN: Final = {Stamp.VALID: "✓", Stamp.SUSPECT: "⚠", Stamp.INVALID: "✕"}

BASIS_WORDS: Final = {
    Basis.MEASURED: "Measured here.",
    Basis.COMPUTED: "Computed from the measured speeds.",
    Basis.ESTIMATED: "Estimated; not tried yet.",
    Basis.TABLE: "From a table of published figures.",
    Basis.SAID: "From what you said.",
    Basis.READ: "Read from the system.",
}

WITHOUT: Final = {
    EngineMode.NO_EXTRA_BUFFERS: "without its fast buffers",
    EngineMode.NO_FLASH_ATTENTION: "without its fast buffers and flash attention",
    EngineMode.ONE_THREAD: "without its fast buffers and flash attention, on one thread,",
}

LIMIT_WORDS: Final = {
    Limit.MEMORY: "limited by memory",
    Limit.COMPUTE: "limited by compute",
    Limit.UNPACKING: "limited by unpacking",
    Limit.OVERHEAD: "limited by overhead",
    Limit.FAULT: "something is wrong",
    Limit.UNKNOWN: "limit unknown",
}

METHOD: Final = (
    "One request is two workloads. Prefill pushes the whole prompt through the model at once: much arithmetic for "
    "every byte read, so the processor's arithmetic bounds it. Decode writes one token at a time and reads every "
    "weight for each of them: little arithmetic for every byte, so the memory's bandwidth bounds it.",
    "Speeds are measured as llama-bench measures them, in a separate process: random token ids, one warm-up that is "
    "thrown away, then repetitions whose seconds are all kept. The figure is the median; the figure after ± is the "
    "median absolute deviation.",
    "The decode ceiling is the read bandwidth divided by the bytes that one token needs. Bandwidth is the best of "
    "several kernels that only read, at several thread counts, over a working set like the model's. The prefill "
    "ceiling is the arithmetic rate divided by the operations per prompt token. The rate is the best of several "
    "matrix products, in the model's own weight types and in 32-bit floating point.",
    "A measured speed above its ceiling means that the ceiling was too low. It is then measured again, and if it "
    "still stands it is given as “at least”. More than 100 % is never printed.",
    "The request's seconds are its prompt tokens divided by the prefill speed and its answer tokens divided by the "
    "decode speed. Savings are differences of such times; each says whether it was measured, computed or estimated.",
    "Every run is stamped. Valid: nothing disturbed it. Suspect: something may have. Invalid: something did, and "
    "the figures should not be used.",
)


def headline(document: Document) -> str:
    """The answer in one sentence, or why there is none."""
    if isinstance(document.verdict, Known):
        return document.verdict.value.headline
    return f"No verdict: {document.verdict.reason}."


def model_words(model: ModelFacts) -> str:
    """Name and quantisation: "Llama-3.1-8B-Instruct, Q4_K_M"."""
    name = model.name
    if len(name) > LONGEST_NAME:
        half = LONGEST_NAME // 2
        name = f"{name[:half]}…{name[-half:]}"
    if isinstance(model.label, Unknown) or model.label.value.lower() in model.name.lower():
        return name
    return f"{name}, {model.label.value}"


def machine_words(document: Document) -> str:
    """Processor and memory in a few words."""
    machine = document.machine
    name = machine.cpu.name.value if isinstance(machine.cpu.name, Known) else f"{machine.cpu.architecture} processor"
    total = machine.memory.total_bytes
    return f"{name} with {f.size(total.value)} of memory" if isinstance(total, Known) else name


def work_words(work: Workload) -> str:
    """The workload: "“Answer from documents”: 4,000 tokens in, 300 out"."""
    people = f", {f.count(work.users)} people at once" if work.users > 1 else ""
    shared = f" ({f.count(work.shared_tokens)} of them the same every time)" if work.shared_tokens else ""
    turns = f", {f.count(work.turns)} turns" if work.turns > 1 else ""
    return f"{work.title}: {f.tokens(work.prompt_tokens)} in{shared}, {f.count(work.answer_tokens)} out{turns}{people}"


def subject(document: Document) -> str:
    """Model, workload and machine in one sentence."""
    return f"{model_words(document.model)}, on {machine_words(document)}. {work_words(document.workload)}."


def request_sentence(document: Document) -> str:
    """What one request feels like, with the speeds it was computed from."""
    if isinstance(document.timeline, Unknown):
        return f"How long one request takes is not known: {document.timeline.reason}."
    line, work = document.timeline.value, document.workload
    each = " for each person" if work.users > 1 else ""
    return (
        f"Reading the prompt at {line.prefill_speed}, then writing "
        f"{f.tokens(work.answer_tokens)} at {line.decode_speed}{each}; "
        f"{f.seconds(line.total_s)} in all. People read about {READING_TOKENS_PER_S} tokens a second."
    )


def phase_test(document: Document, phase: Phase) -> TestResult | None:
    """The test that stands for a phase: the one that timeline and verdict rest on."""
    chosen = choose(document.tests, document.workload)
    return chosen.prefill if phase is Phase.PREFILL else chosen.decode


def finding(document: Document, phase: Phase) -> Finding | None:
    """What the verdict says about a phase."""
    if isinstance(document.verdict, Unknown):
        return None
    verdict = document.verdict.value
    return verdict.prefill if phase is Phase.PREFILL else verdict.decode


def limit_words(document: Document, phase: Phase) -> str:
    """Words such as "limited by memory"; empty without a verdict."""
    found = finding(document, phase)
    return LIMIT_WORDS[found.limit] if found else ""


def share_of_ceiling(document: Document, phase: Phase) -> float | None:
    """Measured ÷ ceiling, 0 to 1; None where either is not known."""
    found = finding(document, phase)
    if found:
        return None if found.of_ceiling is None else min(found.of_ceiling, 1.0)
    test = phase_test(document, phase)
    if test is None or isinstance(document.ceilings, Unknown):
        return None
    bound = _bound(document.ceilings.value, phase)
    return min(test.tokens_per_s / bound.value, 1.0) if isinstance(bound, Known) and bound.value > 0 else None


def _bound(ceilings: Ceilings, phase: Phase) -> Known[float] | Unknown:
    return ceilings.prefill_tokens_per_s if phase is Phase.PREFILL else ceilings.decode_tokens_per_s


def ceiling_sentence(document: Document, phase: Phase) -> str:
    """The measured share of the ceiling and what the ceiling rests on."""
    if isinstance(document.ceilings, Unknown):
        return f"Its ceiling is unknown: {document.ceilings.reason}."
    ceilings = document.ceilings.value
    bound = _bound(ceilings, phase)
    if isinstance(bound, Unknown):
        return f"Its ceiling is unknown: {bound.reason}."
    what = "this machine's arithmetic" if phase is Phase.PREFILL else "its memory"
    at_least = ceilings.prefill_is_bound_below if phase is Phase.PREFILL else ceilings.decode_is_bound_below
    share = share_of_ceiling(document, phase)
    speed, rests_on = f.tokens_per_s(bound.value), _rests_on(document, phase)
    if at_least or share is None:
        disturbed = ", measured while disturbed" if ceilings.disturbed else ""
        return f"{f.capital(what)} allows at {'least' if at_least else 'most'} {speed}{rests_on}{disturbed}."
    return f"{f.capital(f.of_ceiling(share))} of the {speed} that {what} allows{rests_on}."


def disturbed_sentence(ceilings: Ceilings) -> str:
    """What disturbed the probes of the ceilings, and what follows; empty for a quiet measurement."""
    if not ceilings.disturbed:
        return ""
    return f"Measured while disturbed: {ceilings.disturbed}. The ceilings are at least this high; measure them again."


def _rests_on(document: Document, phase: Phase) -> str:
    if isinstance(document.ceilings, Unknown):
        return ""
    ceilings, traffic = document.ceilings.value, document.model.traffic
    parts = []
    if phase is Phase.PREFILL:
        bound, compute = ceilings.prefill_tokens_per_s, ceilings.compute_flop_per_s
        if isinstance(traffic, Known) and isinstance(bound, Known) and isinstance(compute, Known):
            # Not the matrices' rate alone: attention is reckoned at another, and the two figures must give the bound.
            work = traffic.value.prefill_flop(ceilings.prompt, ceilings.depth) / ceilings.prompt
            parts += [f"{f.flop_rate(bound.value * work)} {compute.basis}", f"{f.flop(work)} per token"]
    else:
        if isinstance(ceilings.read_bytes_per_s, Known):
            parts.append(f"{f.bandwidth(ceilings.read_bytes_per_s.value)} {ceilings.read_bytes_per_s.basis}")
        if isinstance(traffic, Known):
            parts.append(f"{f.size(traffic.value.bytes_per_token(depth=ceilings.depth))} read per token")
    return f" ({', '.join(parts)})" if parts else ""


def saves(advice: Advice) -> str:
    """Words such as "saves 48–65 s"."""
    return f"saves {saving_words(advice)}"


def saving_words(advice: Advice) -> str:
    """Words such as "48–65 s", where these are not the request's "3.2 s of the longest pause"."""
    return f"{f.saving(advice.saved_s, advice.saved_s_low, advice.saved_s_high)}{of_what(advice)}"


def advice_heading(verdict: Fact[Verdict]) -> str:
    """What stands above the advice: where nobody has a problem, nobody needs it."""
    comfortable = isinstance(verdict, Known) and verdict.value.problem is Problem.NONE
    return IF_FASTER if comfortable else WHAT_TO_DO


def of_what(advice: Advice) -> str:
    """What the seconds are of, to stand behind them; empty for the request's."""
    return "" if advice.saves_what == PER_REQUEST else f" {advice.saves_what}"


def saves_elsewhere(advice: Advice) -> str:
    """A sentence on what it saves in the other phase; empty where that is nothing worth a word."""
    if abs(advice.other_saved_s) < WORTH_A_WORD_S:
        return ""
    what = "writing" if advice.phase is Phase.PREFILL else "reading the prompt"
    if advice.other_saved_s < 0:
        return f"It costs {f.seconds(-advice.other_saved_s)} of {what}."
    return f"It also saves {f.seconds(advice.other_saved_s)} of {what}."


def conditions_words(conditions: Conditions) -> str:
    """Words such as "⚠ suspect: on battery, swapping"."""
    reasons = f": {', '.join(conditions.because)}" if conditions.because else ""
    return f"{STAMP_SIGN[conditions.stamp]} {conditions.stamp}{reasons}"


def worst_conditions(document: Document) -> Conditions | None:
    """The worst stamp of the tests that the answer rests on, with their reasons; None before anything was measured."""
    tests = answering_tests(document.tests)
    if not tests:
        return None
    order = (Stamp.VALID, Stamp.SUSPECT, Stamp.INVALID)
    stamp = max((test.conditions.stamp for test in tests), key=order.index)
    return Conditions(stamp, tuple(merged_reasons(test.conditions for test in tests)))


def answering_tests(tests: Sequence[TestResult]) -> tuple[TestResult, ...]:
    """The two phases and their depths; points of other curves have stamps of their own and disturb no verdict."""
    return tuple(test for test in tests if test.sweep in (Sweep.PHASES, Sweep.DEPTH)) or tuple(tests)


def how_sure(document: Document) -> str:
    """The stamp with repetitions and spread, in sentences anyone can follow."""
    worst = worst_conditions(document)
    if worst is None:
        return "Nothing was measured yet."
    tests = answering_tests(document.tests)
    repetitions = sorted({len(test.samples_s) for test in tests})
    times = str(repetitions[0]) if len(repetitions) == 1 else f"{repetitions[0]} to {repetitions[-1]}"
    words = "repetition" if repetitions == [1] else "repetitions"
    known = [(test.mad_tokens_per_s, test.tokens_per_s) for test in tests]
    spreads = [spread / speed for spread, speed in known if spread is not None]
    spread = f", spread {f.spread_percent(1.0, max(spreads))} at most" if spreads else ", so the spread is unknown"
    reasons = f": {'; '.join(worst.because)}" if worst.because else ": nothing was found to disturb it"
    text = f"{STAMP_SIGN[worst.stamp]} {str(worst.stamp).capitalize()} run{reasons}. {times} {words}{spread}."
    if worst.stamp is Stamp.INVALID:
        text += " Do not rely on these figures: measure again."
    return f"{text} {safe_mode_sentence(document)}".strip()


def safe_mode_sentence(document: Document) -> str:
    """Said wherever figures of safe mode are shown; empty without it."""
    modes = [test.mode for test in document.tests if test.safe_mode]
    if not modes:
        return ""
    check = document.engine.value.safe_mode if isinstance(document.engine, Known) else None
    happened = check.happened if check is not None else "the engine crashed in its default mode"
    sentence = f"Measured in safe mode: {happened}, so it ran {WITHOUT[max(modes)]} and may be slower."
    return f"{sentence} {check.fault}".rstrip() if check is not None else sentence


def real_use_sentence(document: Document) -> str:
    """"In real use: 61 tokens/s, 4 % below the benchmark, of which 3 % is sampling."; empty where it was not tried."""
    if isinstance(document.real_use, Unknown):
        tried = document.real_use.kind is not Missing.NOT_YET
        return f"In real use: unknown, {document.real_use.reason.rstrip('.')}." if tried else ""
    use, gap = document.real_use.value, document.real_use.value.gap_fraction
    share = f.percent(use.sampling_fraction)
    # "Of which" holds only where the gap is the larger one; a noisy machine may turn it round.
    sampling = f"{share} of the time is sampling"
    if gap is None:
        beside = ""
    elif abs(gap) < SAME_SPEED:
        beside = ", as fast as the benchmark"
    else:
        beside = f", {f.percent(abs(gap))} {'below' if gap > 0 else 'above'} the benchmark"
        sampling = f"of which {share} is sampling" if gap >= use.sampling_fraction else sampling
    stamp = "" if use.conditions.stamp is Stamp.VALID else f" ({conditions_words(use.conditions)})"
    return f"In real use: {f.tokens_per_s(use.tokens_per_s)}{beside}, {sampling}{stamp}."


def cold_words(test: TestResult) -> str:
    """"at first 21.1, later 18.1 tokens/s" where the speed fell while the test ran; empty where it did not."""
    differing = test.cold_and_sustained
    if differing is None:
        return ""
    return f"at first {f.number(differing[0])}, later {f.tokens_per_s(differing[1])}"


def engine_words(document: Document) -> str:
    """Engine and devices, "llama-cpp-python 0.3.36, CPU", as short as a footer needs."""
    if isinstance(document.engine, Unknown):
        return "no engine"
    devices = list(dict.fromkeys(test.device for test in document.tests))
    return ", ".join([f"{document.engine.value.name} {document.engine.value.version}", *devices])


def repeat_commands(document: Document) -> tuple[str, ...]:
    """Command lines that measure this again, ours and llama-bench's."""
    file = shlex.quote(document.model.path.name)
    work = document.workload
    asked = f"--workload {work.id}"
    if work.id == "custom":
        asked = f"--prompt {work.prompt_tokens} --shared {work.shared_tokens} --answer {work.answer_tokens}"
        asked += f" --users {work.users}"
    commands = [f"two-machines diagnose {file} {asked}"]
    prefill, decode = phase_test(document, Phase.PREFILL), phase_test(document, Phase.DECODE)
    measured = [test for test in (prefill, decode) if test]
    if measured:
        last = measured[-1]
        sizes = f"-p {prefill.n_prompt if prefill else 0} -n {decode.n_gen if decode else 0}"
        options = f"{sizes} -r {len(measured[0].samples_s)} -t {last.n_threads}"
        apart = f" -tb {measured[0].n_threads}" if measured[0].n_threads != last.n_threads else ""
        engine = _engine_options(last)
        commands.append(f"two-machines bench {file} {options}{apart}{engine}")
        if not apart:  # llama-bench has one number of threads for both phases
            commands.append(f"llama-bench -m {file} {options}{engine}")
    return tuple(commands)


def _engine_options(test: TestResult) -> str:
    """What differs from llama-bench's defaults, in options that both programs know."""
    options = []
    if test.n_batch != N_BATCH:
        options.append(f"-b {test.n_batch}")
    if test.n_ubatch != N_UBATCH:
        options.append(f"-ub {test.n_ubatch}")
    if test.flash_attention is not FlashAttention.AUTO:
        options.append(f"-fa {test.flash_attention}")
    if test.kv_type != "f16":
        options.append(f"-ctk {test.kv_type} -ctv {test.kv_type}")
    return "".join(f" {option}" for option in options)
