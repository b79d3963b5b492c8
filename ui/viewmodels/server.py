"""The page *Server* as numbers and words: the form's meaning, figures, charts, verdict and settings."""

from dataclasses import dataclass, field
from typing import Final

from advisor.core.errors import UsageError
from advisor.core.evidence import Known
from advisor.core.translation import marked, tr
from advisor.report import formatting as fmt
from advisor.report.server_words import (
    Table,
    advice_words,
    failure_words,
    model_words,
    prompts_table,
    server_pairs,
    stutter_table,
    users_table,
)
from advisor.servers.address import read_address
from advisor.servers.advice import Comfort, ServerAdvice, ServerVerdict, advise
from advisor.servers.exchange import Exchange
from advisor.servers.load import load_words
from advisor.servers.model import NOT_MEASURED, ServerResult, ServerSettings, StutterRun
from ui.viewmodels.batching import BatchingState, StreamDot
from ui.viewmodels.stutter import MOST_ROWS, ClockChart, Ticks

EMPTY: Final = marked(
    "Measure a model that a server runs: vLLM, llama-server, SGLang, Ollama, LM Studio or any other with an "
    "OpenAI-compatible API. You see which phase its users wait for, how many can share it, how long a long prompt "
    "stops everybody else, and which setting of the server cures it."
)
AT_WORK: Final = marked("Something else is being measured")
USUAL: Final = ServerSettings(url="")
LINES: Final = Comfort()
NO_SPEEDS: Final = BatchingState(empty="", measure_tip="")


@dataclass(frozen=True, slots=True)
class ServerForm:
    """What is typed in the form; the key stays out of ``repr`` and is never kept."""

    address: str = ""
    model: str = ""
    key: str = field(default="", repr=False)
    insecure: bool = False
    users: int = max(USUAL.users)
    long_prompt_tokens: int = USUAL.stutter_prompt_tokens
    time_s: int = round(USUAL.budget_s)
    stall_s: float = LINES.stall_s
    wait_s: float = LINES.wait_s
    slowest_tokens_per_s: float = LINES.slowest_tokens_per_s


@dataclass(frozen=True, slots=True)
class WaitPoint:
    """First token with so many users, in seconds: the median and the last one's."""

    users: int
    median_s: float
    worst_s: float


@dataclass(frozen=True, slots=True)
class WaitsChart:
    """First token over users; no ``points`` while nothing is measured."""

    points: tuple[WaitPoint, ...] = ()
    line_s: float = LINES.wait_s
    spoken: str = ""


@dataclass(frozen=True, slots=True)
class GapsChart:
    """Every gap of the steady streams in seconds, before the long prompt and while it is read."""

    before_s: tuple[float, ...] = ()
    during_s: tuple[float, ...] = ()
    line_s: float = LINES.stall_s
    spoken: str = ""


@dataclass(frozen=True, slots=True)
class AdviceCard:
    """One setting of the server: what it does, and the exact words to set it with; "" where there is none."""

    title: str
    lines: tuple[str, ...]
    command: str


@dataclass(frozen=True, slots=True)
class ServerState:
    """State of the page; ``empty`` says what it is for while there is nothing to show."""

    load: str = ""
    models: tuple[str, ...] = ()
    model_hint: str = ""
    can_measure: bool = False
    measure_tip: str = ""
    can_stop: bool = False
    can_save: bool = False
    empty: str = field(default_factory=lambda: tr(EMPTY))
    title: str = ""
    pairs: tuple[tuple[str, str], ...] = ()
    prompts: Table | None = None
    users: Table | None = None
    stutter: Table | None = None
    speeds: BatchingState = NO_SPEEDS
    waits: WaitsChart = WaitsChart()
    clock: ClockChart | None = None
    gaps: GapsChart = GapsChart()
    headline: str = ""
    edge: str = ""
    findings: tuple[str, ...] = ()
    advice: tuple[AdviceCard, ...] = ()
    will_not_help: tuple[str, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()


def settings_of(form: ServerForm) -> ServerSettings:
    """What the form asks for: users doubled up to the most, one user where there is only one, none for 0."""
    users = [1 << power for power in range(form.users.bit_length()) if 1 << power <= form.users]
    if form.users and users[-1] != form.users:
        users.append(form.users)
    return ServerSettings(
        url=form.address.strip(), model=form.model.strip(), key=form.key.strip(), insecure=form.insecure,
        users=tuple(users), streams=USUAL.streams if form.long_prompt_tokens else 0,
        stutter_prompt_tokens=form.long_prompt_tokens, budget_s=float(form.time_s),
    )  # fmt: skip


def verdict_of(result: ServerResult, form: ServerForm) -> ServerVerdict:
    """The verdict by the form's lines."""
    return advise(result, Comfort(form.stall_s, form.wait_s, form.slowest_tokens_per_s))


def kept_address(form: ServerForm) -> str:
    """The address without anything secret, for the next start; "" where it is none."""
    try:
        return read_address(form.address).root if form.address.strip() else ""
    except UsageError:
        return ""


def present_server(form: ServerForm, result: ServerResult | None, running: bool, at_rest: bool) -> ServerState:
    """The page's state.

    Args:
        form: what is typed.
        result: what is known, partial while ``running``.
        running: a server is being measured.
        at_rest: nothing at all is.
    """
    tip = _why_not(form) or ("" if at_rest else tr(AT_WORK))
    base = ServerState(
        load=load_words(settings_of(form)), can_measure=not tip, can_stop=running,
        measure_tip=tip or tr("Send these requests and measure the answers (Ctrl+B)"),
        empty=tr("Asking the server what it is…") if running else tr(EMPTY),
    )  # fmt: skip
    return base if result is None else _with_result(base, form, result, running)


def _why_not(form: ServerForm) -> str:
    if not form.address.strip():
        return tr("Type the server's address first")
    try:
        read_address(form.address)
    except UsageError as error:
        return f"{error.sentence} {error.hint}"
    return ""


def _with_result(base: ServerState, form: ServerForm, result: ServerResult, running: bool) -> ServerState:
    verdict, facts = verdict_of(result, form), result.facts
    told = bool(result.singles) and not running
    if not result.singles:
        headline = tr("Measuring…") if running else verdict.sentence
    else:
        headline = tr("Measuring; so far: {answer}", answer=verdict.sentence) if running else verdict.sentence
    problems = [(failure_words(part, failure), failure.hint) for part, failure in result.failures.items()]
    problems += [(result.interrupted, "")] if result.interrupted else []
    run = result.stutter.or_none()
    table = users_table(result) if result.users else None
    return ServerState(
        load=base.load, models=facts.models, can_measure=base.can_measure, measure_tip=base.measure_tip,
        model_hint=tr("{model} (the server’s first)", model=model_words(facts.model)) if facts.model
        else tr("the server lists none"),
        can_stop=running, can_save=not running and bool(result.requests), empty="",
        title=facts.base_url,
        pairs=tuple(server_pairs(result)),
        prompts=prompts_table(result.prefill.value) if isinstance(result.prefill, Known) else None,
        users=table,
        stutter=None if running and result.stutter is NOT_MEASURED else stutter_table(result.stutter),
        speeds=_speeds(result, form),
        waits=_waits(result, form),
        clock=_clock(run, result.several_per_chunk) if run is not None else None,
        gaps=_gaps(run, form) if run is not None else GapsChart(),
        headline=headline,
        edge=verdict.phase,
        findings=verdict.findings if told else (),
        advice=tuple(_advice(each) for each in verdict.advice),
        will_not_help=verdict.will_not_help if told else (),
        problems=(*problems, *((sentence, "") for sentence in result.left_out)),
    )  # fmt: skip


def _advice(advice: ServerAdvice) -> AdviceCard:
    lines = tuple(line for line in advice_words(advice) if line != advice.command)
    return AdviceCard(advice.title, lines, advice.command)


def _speeds(result: ServerResult, form: ServerForm) -> BatchingState:
    """The sweep in the form of the batch curve; a point that has no speed together stands in the table only."""
    dots = tuple(
        StreamDot(
            point.users, together, 0.0, point.each_tokens_per_s.median, point.each_tokens_per_s.mad or 0.0,
            tr(
                "{streams}: {together} together, {each} each",
                streams=fmt.plural(point.users, "user", "users"),
                together=fmt.tokens_per_s(together),
                each=fmt.tokens_per_s(point.each_tokens_per_s.median),
            ),
        )
        for point in result.users
        if point.each_tokens_per_s and (together := point.together_tokens_per_s.or_none())
    )  # fmt: skip
    line = form.slowest_tokens_per_s
    return BatchingState(
        empty="", dots=dots, comfort_tokens_per_s=line, spoken="; ".join(dot.tip for dot in dots),
        comfort_label=tr("your line: {speed} each", speed=fmt.tokens_per_s(line)),
    )  # fmt: skip


def _waits(result: ServerResult, form: ServerForm) -> WaitsChart:
    points = tuple(
        WaitPoint(point.users, point.first_token_s.median, point.first_token_s.worst)
        for point in result.users
        if point.first_token_s and min(point.first_token_s.values) > 0
    )
    spoken = "; ".join(
        tr(
            "{users}: {median}, the last {worst}",
            users=fmt.plural(point.users, "user", "users"),
            median=fmt.seconds(point.median_s),
            worst=fmt.seconds(point.worst_s),
        )
        for point in points
    )
    return WaitsChart(points, form.wait_s, spoken)


def _clock(run: StutterRun, several: bool) -> ClockChart | None:
    """Every stream's chunks on one clock that begins with the first of them."""
    wrote = [each for each in run.steady[:MOST_ROWS] if each.arrivals_s]
    if not wrote or not run.long.arrivals_s:
        return None
    zero = min(each.arrivals_s[0] for each in wrote)
    long = run.long.arrivals_s
    rows = [Ticks(tr("stream {number}", number=number), _from(each, zero)) for number, each in enumerate(wrote, 1)]
    longest = max((gap for each in wrote for gap in each.gaps_s), default=0.0)
    begin, end = max(run.long.sent_at_s - zero, 0.0), long[0] - zero
    times = {"begin": fmt.seconds(begin), "end": fmt.seconds(end), "gap": fmt.seconds(longest)}
    if several:
        spoken = tr("The prompt is read from {begin} to {end}, the longest gap between two chunks is {gap}", **times)
    else:
        spoken = tr("The prompt is read from {begin} to {end}, the longest gap between two tokens is {gap}", **times)
    return ClockChart(
        "", (*rows, Ticks(tr("the prompt"), _from(run.long, zero))), begin, end, spoken,
        "chunk" if several else "token",
    )  # fmt: skip


def _from(exchange: Exchange, zero: float) -> tuple[float, ...]:
    return tuple(at_s - zero for at_s in exchange.arrivals_s)


def _gaps(run: StutterRun, form: ServerForm) -> GapsChart:
    before = tuple(gap for gap in run.before_s.values if gap > 0)
    during = tuple(gap for gap in run.during_s.values if gap > 0)
    spoken = ", ".join(
        tr(template, median=fmt.seconds(gaps.median), worst=fmt.seconds(gaps.worst))
        for template, gaps in (
            (marked("before median {median}, worst {worst}"), run.before_s),
            (marked("while the prompt is read median {median}, worst {worst}"), run.during_s),
        )
        if gaps
    )
    return GapsChart(before, during, form.stall_s, spoken)
