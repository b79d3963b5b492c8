"""Imported figures in rows and sentences: what is known, what is not, and which phase is the problem."""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.benchmarks.store.model import MachineIdentity
from advisor.core.translation import marked, tr
from advisor.diagnosis.from_speeds import from_speeds
from advisor.diagnosis.model import Problem, Workload
from advisor.report import formatting as f

HEAD: Final = (marked("Test"), marked("Phase"), marked("tokens/s"), marked("Threads"), marked("Device"))
UNKNOWN: Final = marked("unknown")
SHORT_TOKENS: Final = 128
"""Prompts below do not fill the processor's units, so that their speed says little of long ones."""
PROBLEMS: Final = {
    Problem.PREFILL: marked("reading the prompt (prefill) is the problem"),
    Problem.DECODE: marked("writing the answer (decode) is the problem"),
    Problem.NONE: marked("neither phase is a problem"),
}


def model_words(run: ReportedRun) -> str:
    """The model as the source names it, with its quantisation and size where they are known."""
    parts = [run.model or tr("unknown model")]
    if run.quantisation and run.quantisation.lower() not in run.model.lower():
        parts.append(run.quantisation)
    parts += [f.size(run.model_bytes)] if run.model_bytes else []
    return ", ".join(parts)


def machine_words(run: ReportedRun) -> str:
    """Processor and graphics processors, as far as the source says."""
    return MachineIdentity(run.cpu, 0, run.gpus).words or tr("unknown machine")


def form_words(run: ReportedRun) -> str:
    """The form that it was read from, and of several requests which one."""
    form = tr(run.form)
    return form if run.request is None else tr("{form}, request {number}", form=form, number=run.request)


def rows(run: ReportedRun) -> list[tuple[str, ...]]:
    """One row a test."""
    return [
        (
            test.test,
            tr(test.phase),
            f.with_spread(test.tokens_per_s, test.spread_tokens_per_s),
            tr(UNKNOWN) if test.n_threads is None else f.count(test.n_threads),
            test.device or tr(UNKNOWN),
        )
        for test in run.tests
    ]


def facts(run: ReportedRun, imported_at: str) -> list[tuple[str, str]]:
    """Where the figures come from; ``imported_at`` is ISO 8601."""
    return [
        (tr("Imported"), tr("{time} from {source} ({form})", time=f.date_time(imported_at), source=tr(run.source),
                            form=form_words(run))),
        (tr("Measured by"), tr("{tool}, not by Two Machines", tool=f"{tr(run.tool)} {run.build}".strip())),
        (tr("Measured"), f.date_time(run.measured_at) if run.measured_at else tr(UNKNOWN)),
        (tr("Machine"), machine_words(run)),
        (tr("Model"), model_words(run)),
    ]  # fmt: skip


def sentences(run: ReportedRun, workload: Workload) -> list[str]:
    """The answer for a workload where both phases are there, what is unknown, remarks, and lines that were not read."""
    said = [_answer(run, workload)]
    lacking = _lacking(run)
    if lacking:
        said.append(tr("{source} does not say: {names}.", source=tr(run.source), names=", ".join(lacking)))
    remarks = dict.fromkeys((test.phase, remark) for test in run.tests for remark in test.remarks)
    said += [f"{f.capital(tr(phase))}: {tr(remark)}." for phase, remark in remarks]
    return [*said, *run.unread_words]


def _lacking(run: ReportedRun) -> list[str]:
    known = {
        tr("model"): run.model,
        tr("quantisation"): run.quantisation,
        tr("processor"): run.cpu,
        tr("graphics processor"): run.gpus or any(test.device == "CPU" for test in run.tests),
        tr("build"): run.build,
        tr("threads"): all(test.n_threads for test in run.tests),
        tr("spread"): all(test.spread_tokens_per_s is not None for test in run.tests),
    }
    return [name for name, value in known.items() if not value]


def _answer(run: ReportedRun, workload: Workload) -> str:
    reading, writing = single(run, Phase.PREFILL, workload), single(run, Phase.DECODE, workload)
    if reading is None or writing is None:
        name = tr(Phase.PREFILL if reading is None else Phase.DECODE)
        return tr(
            "Which phase is the problem cannot be said: {source} holds no {phase} speed of a single request.",
            source=tr(run.source), phase=name,
        )  # fmt: skip
    found = from_speeds(workload, reading.tokens_per_s, writing.tokens_per_s)
    crowd = tr(" with {n}\u00a0people at once", n=f.count(workload.users)) if workload.users > 1 else ""
    short = reading.tokens is None or reading.tokens < min(SHORT_TOKENS, workload.prompt_tokens)
    problem = tr(PROBLEMS[found.problem])
    if short and found.problem is Problem.PREFILL:
        problem = tr("reading the prompt (prefill) may be the problem")
    wait = f.seconds(found.wait_s)
    said = tr(
        "At these speeds ({reading} and {writing}), {problem} for “{title}”{crowd}: {wait} until the first word of "
        "{prompt}, then {stream} of writing {answer}. Nothing of this was measured here.",
        reading=reading.test, writing=writing.test, problem=problem, title=tr(workload.title), crowd=crowd,
        wait=tr("at most {time}", time=wait) if short else wait, prompt=f.tokens(workload.prompt_tokens),
        stream=f.seconds(found.stream_s), answer=f.count(workload.answer_tokens),
    )  # fmt: skip
    if not short:
        return said
    if reading.tokens is None:
        why = tr(
            "A prompt of unknown length is read slower, token for token, than a long one: measure with a longer prompt."
        )
    else:
        why = tr(
            "A prompt of {tokens} is read slower, token for token, than a long one: measure with a longer prompt.",
            tokens=f.tokens(reading.tokens),
        )
    return f"{said} {why}"


def problem_in(run: ReportedRun, workload: Workload) -> Problem | None:
    """Which phase these speeds make the problem; None where one of them is lacking."""
    reading, writing = single(run, Phase.PREFILL, workload), single(run, Phase.DECODE, workload)
    if reading is None or writing is None:
        return None
    return from_speeds(workload, reading.tokens_per_s, writing.tokens_per_s).problem


def single(run: ReportedRun, phase: Phase, workload: Workload) -> ReportedTest | None:
    """The test of one stream that is nearest to the work: by depth, then by length."""
    wanted = workload.prompt_tokens if phase is Phase.PREFILL else workload.answer_tokens
    depth = 0 if phase is Phase.PREFILL else workload.prompt_tokens
    tests = [test for test in run.tests if test.phase is phase and (test.n_streams or 1) == 1]
    return min(
        tests, key=lambda test: (abs((test.n_depth or 0) - depth), abs((test.tokens or 0) - wanted)), default=None
    )
