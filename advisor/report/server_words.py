"""Sentences and tables about a measured server, shared by screen and terminal."""

from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Fact, Known, Missing
from advisor.core.stats import median
from advisor.gguf.readable import readable
from advisor.report import formatting as f
from advisor.report.privacy import shortened
from advisor.servers.advice import ServerAdvice
from advisor.servers.exchange import CountOrigin, EngineTimings, Exchange, Failure
from advisor.servers.facts import ServerKind
from advisor.servers.model import NOT_MEASURED, Beside, Prefill, PrefixReuse, Samples, ServerResult, StutterRun

LINE_CHARACTERS: Final = 2000
NOTHING: Final = "–"
USERS_TITLE: Final = "Users at once, each with a prompt of their own"
WAITS_TITLE: Final = "Time to first token"
STUTTER_TITLE: Final = "A long prompt comes while others read"
ENGINE_TOKENS: Final = 8
"""Of an answer whose speed by the engine's clock is worth showing."""


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table with what it comes to; ``rows`` may be empty."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sentences: tuple[str, ...]


def failure_words(part: str, failure: Failure) -> str:
    """The sentence of a failure with the part that it ended."""
    return f"{f.capital(part)}: {failure.sentence}"


def advice_words(advice: ServerAdvice) -> list[str]:
    """The lines below an advice's title: what it does, how, the present default, what it trades."""
    lines = [advice.detail, advice.command, advice.words]
    if advice.setting is not None:
        lines.append(f"{advice.setting.name}: default {advice.setting.default}; {advice.setting.trades}.")
    return [readable(line, LINE_CHARACTERS) for line in lines if line]


def model_words(model: str) -> str:
    """A model's id as it may be shown; servers of llama.cpp name the whole path of a file."""
    return readable(shortened(model.replace("\\", "/").rsplit("/", 1)[-1] if model.endswith(".gguf") else model))


def server_pairs(result: ServerResult) -> list[tuple[str, str]]:
    """Label and value of what the server is and how one request runs."""
    facts = result.facts
    version = f" {readable(facts.version.value)}" if isinstance(facts.version, Known) else ""
    kind = f"{facts.kind}{version}, because {facts.because}"
    if facts.kind is ServerKind.UNKNOWN:
        kind = f"not recognised, {facts.because}"
    pairs = [
        ("Engine", kind),
        ("Model", model_words(facts.model) or "the server lists none"),
        ("Context", f.fact(facts.context_tokens, f.tokens)),
        ("Together at most", f.fact(facts.slots, lambda slots: f.plural(slots, "request"))),
        ("Round trip", f.fact(facts.round_trip_s, f.milliseconds)),
    ]
    pairs += [("Prefill", f.fact(result.prefill, _prefill))]
    if result.decode_tokens_per_s:
        pairs += [("Decode", _speed(result.decode_tokens_per_s))]
    pairs += [("By the engine’s clock", _engine(result))]
    if result.gaps_s:
        between = "Between chunks" if result.several_per_chunk else "Between tokens"
        pairs += [(between, _gaps(result.gaps_s))]
    pairs += [("Same prompt again", f.fact(result.prefix, _prefix))]
    pairs += [("Counted by", _counted(result))]
    pairs += [("Asked", f"{f.plural(result.requests, 'request')} in {f.seconds(result.spent_s)}")]
    if isinstance(result.beside, Known):
        pairs += [("Meanwhile here", _beside(result.beside.value)), ("Stamp", stamp_words(result))]
    return pairs


def stamp_words(result: ServerResult) -> str:
    """Whether this computer was quiet enough, with the reasons where it was not."""
    return f"suspect: {'; '.join(result.doubts)}" if result.doubts else "valid"


def _beside(beside: Beside) -> str:
    """Who used the processors; the server's own work is no disturbance."""
    others = f.fact(beside.others_fraction, lambda share: f"other programs used {f.percent(share)} of the CPU")
    if isinstance(beside.server_fraction, Known):
        return f"the server itself used {f.percent(beside.server_fraction.value)} of the CPU, and {others}"
    if beside.server_fraction.kind is Missing.NOT_APPLICABLE:
        return others
    most = f", most of all {readable(beside.biggest)}" if beside.biggest else ""
    return f"{others}{most}; the server is among them, since {beside.server_fraction.reason}"


def server_tables(result: ServerResult) -> list[Table]:
    """The tables of what was measured: prompts, users, stutter."""
    tables = []
    if isinstance(result.prefill, Known):
        tables.append(prompts_table(result.prefill.value))
    if result.users:
        tables.append(users_table(result))
    tables.append(stutter_table(result.stutter))
    return tables


def _prefill(prefill: Prefill) -> str:
    """The speed with its spread, and what each request waits beside; no finer than the waits differ."""
    speed = f.fact(prefill.tokens_per_s, lambda rate: f.tokens_per_s_spread(rate, prefill.spread_tokens_per_s))
    over_s, noise_s = prefill.overhead_s.or_none(), prefill.noise_s or 0.0
    if over_s is None:
        return speed
    over = f.seconds_range(max(0.0, over_s - noise_s), over_s + noise_s)
    return f"{speed}; beside that a request waits {over} whatever its prompt"


def _speed(samples: Samples) -> str:
    return f.tokens_per_s_spread(samples.median, samples.mad)


def _engine(result: ServerResult) -> str:
    """What the engine's own clock says beside the client's, of each request or else of all together."""
    own = [each.engine.value for each in result.singles if isinstance(each.engine, Known)]
    if not own:
        return f.fact(result.counters, lambda counted: _counters(counted, result.singles))
    return f"{_engine_speeds(own)}, by {own[0].source}"


def _counters(counted: EngineTimings, singles: tuple[Exchange, ...]) -> str:
    """Means over the counted requests, and beside them the client's over the single ones where these are the same."""
    if counted.requests == 1 and len(singles) > 1:
        return f"{_engine_speeds([counted])}, by {counted.source}"
    each = max(counted.requests, 1)
    parts = [] if counted.prefill_s is None else [f"{f.seconds(counted.prefill_s / each)} to the first token"]
    parts += [] if counted.queue_s is None else [f"{f.milliseconds(counted.queue_s / each)} in the queue"]
    if counted.decode_s is not None and counted.decode_tokens:
        parts += [f"{f.milliseconds(counted.decode_s / counted.decode_tokens)} from token to token"]
    waits = [wait for one in singles if (wait := one.first_token_s) is not None]
    gaps = [gap / one.tokens_per_chunk for one in singles for gap in one.gaps_s]
    if len(waits) != each or not gaps:
        return f"{', '.join(parts)} on average, by {counted.source}"
    client = f"{f.seconds(sum(waits) / each)} and {f.milliseconds(sum(gaps) / len(gaps))}"
    return f"{', '.join(parts)} on average (here {client}), by {counted.source}"


def _engine_speeds(own: list[EngineTimings]) -> str:
    """The median of decode, and prefill of the longest prompt."""
    telling = [each for each in own if (each.decode_tokens or 0) > ENGINE_TOKENS]
    written = [speed for each in telling if (speed := each.decode_tokens_per_s)]
    longest = max(own, key=lambda each: each.prompt_tokens or 0)
    parts = [f"decode {f.tokens_per_s(median(written))}"] if written else []
    if longest.prefill_tokens_per_s:
        parts += [f"prefill {f.tokens_per_s(longest.prefill_tokens_per_s)} at {f.tokens(longest.prompt_tokens or 0)}"]
    return " and ".join(parts) or "no speed"


def _gaps(samples: Samples) -> str:
    return (
        f"median {f.milliseconds(samples.median)}, p95 {f.milliseconds(samples.p95)}, "
        f"worst {f.milliseconds(samples.worst)}"
    )


def _prefix(reuse: PrefixReuse) -> str:
    again, unique = reuse.repeated_s.median, reuse.unique_s.median
    known = reuse.cached_tokens.or_none()
    cached = f", {f.count(known)} of {f.tokens(reuse.prompt_tokens)} from the cache" if known is not None else ""
    return f"{f.seconds(again)} to the first token in place of {f.seconds(unique)}{cached}"


def _counted(result: ServerResult) -> str:
    singles = result.singles
    if not singles:
        return "nothing counted"
    origins = sorted({str(each.counted) for each in singles if each.failure is None})
    words = " and ".join(origins) or "nothing counted"
    if any(each.prompt_counted is CountOrigin.ESTIMATED for each in singles):
        words += f"; prompts: {CountOrigin.ESTIMATED}"
    carries = f"; a chunk carries {f.number(result.tokens_per_chunk)} tokens"
    return f"{words}{carries}" if result.several_per_chunk else words


def prompts_table(prefill: Prefill) -> Table:
    """Time to first token by the prompt's length."""
    rows = tuple(
        (f.tokens(point.prompt_tokens), f.seconds(point.first_token_s.median), f.seconds(point.first_token_s.worst),
         f.count(len(point.first_token_s.values)))
        for point in prefill.points
    )  # fmt: skip
    return Table(WAITS_TITLE, ("Prompt", "Median", "Worst", "Requests"), rows, ())


def users_table(result: ServerResult) -> Table:
    """A row per number of users; empty where none was measured."""
    rows = tuple(
        (f.count(point.users), _short(point.together_tokens_per_s),
         f.number(point.each_tokens_per_s.median, point.each_tokens_per_s.mad) if point.each_tokens_per_s else NOTHING,
         _short(point.output_tokens_per_s),
         f.seconds(point.first_token_s.median) if point.first_token_s else NOTHING,
         f.seconds(point.first_token_s.p95) if point.first_token_s else NOTHING)
        for point in result.users
    )  # fmt: skip
    head = ("Users", "Together, tokens/s", "Each", "With prompts", "First token", "p95")
    reasons = sorted({
        f"{f.plural(point.users, 'user')}: {point.together_tokens_per_s.reason}."
        for point in result.users
        if not isinstance(point.together_tokens_per_s, Known)
    })  # fmt: skip
    return Table(USERS_TITLE, head, rows, tuple(reasons))


def _short(fact: Fact[float]) -> str:
    return f.number(fact.value) if isinstance(fact, Known) else NOTHING


def stutter_table(found: Fact[StutterRun]) -> Table:
    """Gaps before and during the long prompt, or why there are none."""
    if not isinstance(found, Known):
        why = "Not measured" if found is NOT_MEASURED else f"Not measured: {found.reason}"
        return Table(STUTTER_TITLE, (), (), (f.sentence(why),))
    run = found.value
    named = (("before", run.before_s), ("while it is read", run.during_s))
    rows = tuple(
        (name, f.seconds(gaps.median), f.seconds(gaps.p95), f.seconds(gaps.worst), f.count(len(gaps.values)))
        for name, gaps in named
        if gaps
    )
    length = f.tokens(run.prompt_tokens) if run.prompt_tokens else "a prompt that the server did not count"
    waited = f.seconds(run.long.first_token_s) if run.long.first_token_s is not None else "unknown"
    said = (
        f"{f.capital(f.plural(run.streams, 'stream'))} wrote when {length} came; the worst gap was "
        f"{f.seconds(run.during_s.worst)}, and the long prompt waited {waited} for its first token."
    )
    return Table(STUTTER_TITLE, ("Gaps", "Median", "p95", "Worst", "Count"), rows, (said,))
