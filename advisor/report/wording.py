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
from advisor.core.retelling import retold
from advisor.core.translation import marked, tr, trn
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

WHAT_TO_DO: Final = marked("What to do")
IF_FASTER: Final = marked("Only if you want it faster")
"""Above the advice; the second where nobody has a problem."""

READ_WORDS: Final = marked(
    "What the engine's processor was seen to read from memory with as much data as one step needs; the decode ceiling "
    "rests on it."
)
RATED_WORDS: Final = marked(
    "What the memory is built for on paper; no program reaches it, so that no ceiling rests on it."
)
ARITHMETIC_WORDS: Final = marked(
    "What the processor was seen to compute in this model's own matrix products, each number format at its best; it is "
    "the roof over every prompt."
)
PREFILL_CEILING_WORDS: Final = marked(
    "The roof less what a whole prompt also takes, attention and small operations, so that the prefill ceiling lies "
    "below what the arithmetic alone would allow."
)
"""What tells the figures about one machine apart that look alike, the same in the window and in reports."""

SAME_SPEED: Final = 0.005
"""Half a per cent: what rounds to nothing is no difference."""

STAMP_SIGN: Final = {Stamp.VALID: "✓", Stamp.SUSPECT: "⚠", Stamp.INVALID: "✕"}

BASIS_WORDS: Final = {
    Basis.MEASURED: marked("Measured here."),
    Basis.COMPUTED: marked("Computed from the measured speeds."),
    Basis.ESTIMATED: marked("Estimated; not tried yet."),
    Basis.TABLE: marked("From a table of published figures."),
    Basis.SAID: marked("From what you said."),
    Basis.READ: marked("Read from the system."),
}

WITHOUT: Final = {
    EngineMode.NO_EXTRA_BUFFERS: marked("without its fast buffers"),
    EngineMode.NO_FLASH_ATTENTION: marked("without its fast buffers and flash attention"),
    EngineMode.ONE_THREAD: marked("without its fast buffers and flash attention, on one thread,"),
}

LIMIT_WORDS: Final = {
    Limit.MEMORY: marked("limited by memory"),
    Limit.COMPUTE: marked("limited by compute"),
    Limit.UNPACKING: marked("limited by unpacking"),
    Limit.OVERHEAD: marked("limited by overhead"),
    Limit.FAULT: marked("something is wrong"),
    Limit.UNKNOWN: marked("limit unknown"),
}

WHAT_IT_DOES: Final = {Phase.PREFILL: marked("reads the prompt"), Phase.DECODE: marked("writes the answer")}

_RUN_WORDS: Final = {
    Stamp.VALID: marked("Valid run"), Stamp.SUSPECT: marked("Suspect run"), Stamp.INVALID: marked("Invalid run"),
}  # fmt: skip

METHOD: Final = (
    marked(
        "One request is two workloads. Prefill pushes the whole prompt through the model at once: much arithmetic for "
        "every byte read, so the processor's arithmetic bounds it. Decode writes one token at a time and reads every "
        "weight for each of them: little arithmetic for every byte, so the memory's bandwidth bounds it."
    ),
    marked(
        "Speeds are measured as llama-bench measures them, in a separate process: random token ids, one warm-up that "
        "is thrown away, then repetitions whose seconds are all kept. The figure is the median; the figure after ± is "
        "the median absolute deviation."
    ),
    marked(
        "The decode ceiling is the read bandwidth divided by the bytes that one token needs. Bandwidth is the best of "
        "several kernels that only read, at several thread counts, over a working set like the model's. The prefill "
        "ceiling is the arithmetic rate divided by the operations per prompt token. The rate is the best of several "
        "matrix products, in the model's own weight types and in 32-bit floating point."
    ),
    marked(
        "A measured speed above its ceiling means that the ceiling was too low. It is then measured again, and if it "
        "still stands it is given as “at least”. More than 100 % is never printed."
    ),
    marked(
        "The request's seconds are its prompt tokens divided by the prefill speed and its answer tokens divided by "
        "the decode speed. Savings are differences of such times; each says whether it was measured, computed or "
        "estimated."
    ),
    marked(
        "Every run is stamped. Valid: nothing disturbed it. Suspect: something may have. Invalid: something did, and "
        "the figures should not be used."
    ),
)


def headline(document: Document) -> str:
    """The answer in one sentence, or why there is none."""
    if isinstance(document.verdict, Known):
        return document.verdict.value.headline
    return tr("No verdict: {reason}.", reason=f.why(document.verdict))


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
    name = machine.cpu.name.or_none() or tr("{architecture} processor", architecture=machine.cpu.architecture)
    total = machine.memory.total_bytes
    return tr("{name} with {size} of memory", name=name, size=f.size(total.value)) if isinstance(total, Known) else name


def work_words(work: Workload) -> str:
    """The workload: "“Answer from documents”: 4,000 tokens in, 300 out"."""
    people = tr(", {n} people at once", n=f.count(work.users)) if work.users > 1 else ""
    shared = tr(" ({n} of them the same every time)", n=f.count(work.shared_tokens)) if work.shared_tokens else ""
    turns = tr(", {n} turns", n=f.count(work.turns)) if work.turns > 1 else ""
    prompt, answer = f.tokens(work.prompt_tokens), f.count(work.answer_tokens)
    return tr(
        "{title}: {prompt} in{shared}, {answer} out{turns}{people}",
        title=tr(work.title), prompt=prompt, shared=shared, answer=answer, turns=turns, people=people,
    )  # fmt: skip


def subject(document: Document) -> str:
    """Model, workload and machine in one sentence."""
    return tr(
        "{model}, on {machine}. {work}.",
        model=model_words(document.model), machine=machine_words(document), work=work_words(document.workload),
    )  # fmt: skip


def request_sentence(document: Document) -> str:
    """What one request feels like, with the speeds it was computed from."""
    if isinstance(document.timeline, Unknown):
        return tr("How long one request takes is not known: {reason}.", reason=f.why(document.timeline))
    line, work = document.timeline.value, document.workload
    each = tr(" for each person") if work.users > 1 else ""
    return tr(
        "Reading the prompt at {prefill}, then writing {answer} at {decode}{each}; {total} in all. People read about "
        "{reading} tokens a second.",
        prefill=line.prefill_speed, answer=f.tokens(work.answer_tokens), decode=line.decode_speed, each=each,
        total=f.seconds(line.total_s), reading=READING_TOKENS_PER_S,
    )  # fmt: skip


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
    return tr(LIMIT_WORDS[found.limit]) if found else ""


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
        return tr("Its ceiling is unknown: {reason}.", reason=f.why(document.ceilings))
    ceilings = document.ceilings.value
    bound = _bound(ceilings, phase)
    if isinstance(bound, Unknown):
        return tr("Its ceiling is unknown: {reason}.", reason=f.why(bound))
    what = tr("this machine's arithmetic") if phase is Phase.PREFILL else tr("its memory")
    at_least = ceilings.prefill_is_bound_below if phase is Phase.PREFILL else ceilings.decode_is_bound_below
    share = share_of_ceiling(document, phase)
    speed, rests_on = f.tokens_per_s(bound.value), _rests_on(document, phase)
    if at_least or share is None:
        disturbed = tr(", measured while disturbed") if ceilings.disturbed else ""
        parts = {"what": f.capital(what), "speed": speed, "rests_on": rests_on, "disturbed": disturbed}
        if at_least:
            return tr("{what} allows at least {speed}{rests_on}{disturbed}.", **parts)
        return tr("{what} allows at most {speed}{rests_on}{disturbed}.", **parts)
    reached = f.capital(f.of_ceiling(share))
    return tr(
        "{share} of the {speed} that {what} allows{rests_on}.", share=reached, speed=speed, what=what, rests_on=rests_on
    )


def in_this_work(document: Document, phase: Phase) -> str:
    """At which depth a phase's figure was measured, where the request was reckoned with another one; else empty."""
    test, line = phase_test(document, phase), document.timeline.or_none()
    if test is None or line is None or document.workload.users > 1:  # the request's figure is then one person's share
        return ""
    prefill = phase is Phase.PREFILL
    pace = line.prefill_tokens_per_s if prefill else line.decode_tokens_per_s
    if abs(pace / test.tokens_per_s - 1) < SAME_SPEED:
        return ""
    speed = line.prefill_speed if prefill else line.decode_speed
    if not test.n_depth:
        return tr("With an empty cache; {speed} at the depth of your work.", speed=speed)
    depth = f.tokens(test.n_depth)
    return tr("With {tokens} in the cache; {speed} at the depth of your work.", tokens=depth, speed=speed)


def disturbed_sentence(ceilings: Ceilings) -> str:
    """What disturbed the probes of the ceilings, and what follows; empty for a quiet measurement."""
    if not ceilings.disturbed:
        return ""
    return tr(
        "Measured while disturbed: {why}. The ceilings are at least this high; measure them again.",
        why=ceilings.disturbed,
    )


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
            parts.append(f"{f.flop_rate(bound.value * work)} {f.basis_word(compute.basis)}")
            parts.append(tr("{figure} per token", figure=f.flop(work)))
    else:
        if isinstance(ceilings.read_bytes_per_s, Known):
            read = ceilings.read_bytes_per_s
            parts.append(f"{f.bandwidth(read.value)} {f.basis_word(read.basis)}")
        if isinstance(traffic, Known):
            size = f.size(traffic.value.bytes_per_token(depth=ceilings.depth))
            parts.append(tr("{size} read per token", size=size))
    return f" ({', '.join(parts)})" if parts else ""


def saves(advice: Advice) -> str:
    """Words such as "saves 48–65 s"."""
    return tr("saves {time}", time=saving_words(advice))


def saving_words(advice: Advice) -> str:
    """Words such as "48–65 s", where these are not the request's "3.2 s of the longest pause"."""
    return f"{f.saving(advice.saved_s, advice.saved_s_low, advice.saved_s_high)}{of_what(advice)}"


def advice_heading(verdict: Fact[Verdict]) -> str:
    """What stands above the advice: where nobody has a problem, nobody needs it."""
    comfortable = isinstance(verdict, Known) and verdict.value.problem is Problem.NONE
    return tr(IF_FASTER) if comfortable else tr(WHAT_TO_DO)


def of_what(advice: Advice) -> str:
    """What the seconds are of, to stand behind them; empty for the request's."""
    return "" if advice.saves_what == PER_REQUEST else f" {tr(advice.saves_what)}"


def saves_elsewhere(advice: Advice) -> str:
    """A sentence on what it saves in the other phase; empty where that is nothing worth a word."""
    if abs(advice.other_saved_s) < WORTH_A_WORD_S:
        return ""
    time, writing = f.seconds(abs(advice.other_saved_s)), advice.phase is Phase.PREFILL
    if advice.other_saved_s < 0:
        return tr("It costs {time} of writing.", time=time) if writing else (
            tr("It costs {time} of reading the prompt.", time=time)
        )
    return tr("It also saves {time} of writing.", time=time) if writing else (
        tr("It also saves {time} of reading the prompt.", time=time)
    )


def conditions_words(conditions: Conditions) -> str:
    """Words such as "⚠ suspect: on battery, swapping"."""
    reasons = f": {', '.join(map(retold, conditions.because))}" if conditions.because else ""
    return f"{STAMP_SIGN[conditions.stamp]} {tr(conditions.stamp)}{reasons}"


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
        return tr("Nothing was measured yet.")
    tests = answering_tests(document.tests)
    repetitions = sorted({len(test.samples_s) for test in tests})
    times = str(repetitions[0])
    if len(repetitions) > 1:
        times = tr("{low} to {high}", low=times, high=repetitions[-1])
    repeated = trn("{n} repetition", "{n} repetitions", 1 if repetitions == [1] else 2, n=times)
    known = [(test.mad_tokens_per_s, test.tokens_per_s) for test in tests]
    spreads = [spread / speed for spread, speed in known if spread is not None]
    spread = tr(", so the spread is unknown")
    if spreads:
        spread = tr(", spread {spread} at most", spread=f.spread_percent(1.0, max(spreads)))
    reasons = "; ".join(map(retold, worst.because)) if worst.because else tr("nothing was found to disturb it")
    text = f"{STAMP_SIGN[worst.stamp]} {tr(_RUN_WORDS[worst.stamp])}: {reasons}. {repeated}{spread}."
    if worst.stamp is Stamp.INVALID:
        text += " " + tr("Do not rely on these figures: measure again.")
    beside = "" if worst.stamp is Stamp.INVALID else _not_fully_valid(document)
    return " ".join(filter(None, (text, beside, safe_mode_sentence(document))))


def _not_fully_valid(document: Document) -> str:
    """Other measured parts of the answer that are not valid, each with its reasons; empty where all are."""
    beside = [(test.test, test.conditions) for test in document.tests if _shared(test, document)]
    if isinstance(document.real_use, Known):
        beside.insert(0, (tr("the test in real use"), document.real_use.value.conditions))
    said = [f"{name} ({conditions_words(held)})" for name, held in beside if held.stamp is not Stamp.VALID]
    return tr("Not fully valid: {parts}.", parts=f.listed(said)) if said else ""


def _shared(test: TestResult, document: Document) -> bool:
    """Several people's speed rests on the points of several streams, too."""
    return test.sweep is Sweep.BATCH and document.workload.users > 1


def safe_mode_sentence(document: Document) -> str:
    """Said wherever figures of safe mode are shown; empty without it."""
    modes = [test.mode for test in document.tests if test.safe_mode]
    if not modes:
        return ""
    check = document.engine.value.safe_mode if isinstance(document.engine, Known) else None
    happened = retold(check.happened) if check is not None else tr("the engine crashed in its default mode")
    sentence = tr(
        "Measured in safe mode: {happened}, so it ran {without} and may be slower.",
        happened=happened, without=tr(WITHOUT[max(modes)]),
    )  # fmt: skip
    return f"{sentence} {retold(check.fault)}".rstrip() if check is not None else sentence


def real_use_sentence(document: Document) -> str:
    """"In real use: 61 tokens/s, 4 % below the benchmark, of which 3 % is sampling."; empty where it was not tried."""
    if isinstance(document.real_use, Unknown):
        tried = document.real_use.kind is not Missing.NOT_YET
        return tr("In real use: unknown, {reason}.", reason=f.why(document.real_use).rstrip(".")) if tried else ""
    use, gap = document.real_use.value, document.real_use.value.gap_fraction
    share = f.percent(use.sampling_fraction)
    # "Of which" holds only where the gap is the larger one; a noisy machine may turn it round.
    sampling = tr("{share} of the time is sampling", share=share)
    if gap is None:
        beside = ""
    elif abs(gap) < SAME_SPEED:
        beside = tr(", as fast as the benchmark")
    elif gap > 0:
        beside = tr(", {gap} below the benchmark", gap=f.percent(gap))
    else:
        beside = tr(", {gap} above the benchmark", gap=f.percent(-gap))
    if gap is not None and abs(gap) >= SAME_SPEED and gap >= use.sampling_fraction:
        sampling = tr("of which {share} is sampling", share=share)
    stamp = "" if use.conditions.stamp is Stamp.VALID else f" ({conditions_words(use.conditions)})"
    return tr(
        "In real use: {speed}{beside}, {sampling}{stamp}.",
        speed=f.tokens_per_s(use.tokens_per_s), beside=beside, sampling=sampling, stamp=stamp,
    )  # fmt: skip


def cold_words(test: TestResult) -> str:
    """"at first 21.1, later 18.1 tokens/s" where the speed fell while the test ran; empty where it did not."""
    differing = test.cold_and_sustained
    if differing is None:
        return ""
    return tr("at first {first}, later {later}", first=f.number(differing[0]), later=f.tokens_per_s(differing[1]))


def engine_words(document: Document) -> str:
    """Engine and devices, "llama-cpp-python 0.3.36, CPU", as short as a footer needs."""
    if isinstance(document.engine, Unknown):
        return tr("no engine")
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
