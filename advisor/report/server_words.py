"""Sentences and tables about a measured server, shared by screen and terminal."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Stamp
from advisor.core.evidence import Fact, Known, Missing
from advisor.core.stats import median
from advisor.core.translation import marked, tr, trn
from advisor.gguf.readable import readable
from advisor.report import formatting as f
from advisor.report.privacy import shortened
from advisor.servers.advice import ServerAdvice
from advisor.servers.exchange import CountOrigin, EngineTimings, Exchange, Failure
from advisor.servers.facts import ServerKind
from advisor.servers.model import NOT_MEASURED, Beside, Prefill, PrefixReuse, Samples, ServerResult, StutterRun

LINE_CHARACTERS: Final = 2000
NOTHING: Final = "–"
USERS_TITLE: Final = marked("Users at once, each with a prompt of their own")
WAITS_TITLE: Final = marked("Time to first token")
STUTTER_TITLE: Final = marked("A long prompt comes while others read")
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
    return f"{f.capital(tr(part))}: {failure.sentence}"


def advice_words(advice: ServerAdvice) -> list[str]:
    """The lines below an advice's title: what it does, how, the present default, what it trades."""
    lines = [advice.detail, advice.command, advice.words]
    if advice.setting is not None:
        lines.append(tr(
            "{setting}: default {default}; {trades}.",
            setting=advice.setting.name, default=tr(advice.setting.default), trades=tr(advice.setting.trades),
        ))  # fmt: skip
    return [readable(line, LINE_CHARACTERS) for line in lines if line]


def model_words(model: str) -> str:
    """A model's id as it may be shown; servers of llama.cpp name the whole path of a file."""
    return readable(shortened(model.replace("\\", "/").rsplit("/", 1)[-1] if model.endswith(".gguf") else model))


def server_pairs(result: ServerResult) -> list[tuple[str, str]]:
    """Label and value of what the server is and how one request runs."""
    facts = result.facts
    version = f" {readable(facts.version.value)}" if isinstance(facts.version, Known) else ""
    kind = tr("{engine}, because {why}", engine=f"{facts.kind}{version}", why=facts.because)
    if facts.kind is ServerKind.UNKNOWN:
        kind = tr("not recognised, {why}", why=facts.because)
    pairs = [
        (tr("Engine"), kind),
        (tr("Model"), model_words(facts.model) or tr("the server lists none")),
        (tr("Context"), f.fact(facts.context_tokens, f.tokens)),
        (tr("Together at most"), f.fact(facts.slots, _requests)),
        (tr("Round trip"), f.fact(facts.round_trip_s, f.milliseconds)),
    ]
    pairs += [(tr("Prefill"), f.fact(result.prefill, _prefill))]
    if result.decode_tokens_per_s:
        pairs += [(tr("Decode"), _speed(result.decode_tokens_per_s))]
    pairs += [(tr("By the engine’s clock"), _engine(result))]
    if result.gaps_s:
        between = tr("Between chunks") if result.several_per_chunk else tr("Between tokens")
        pairs += [(between, _gaps(result.gaps_s))]
    pairs += [(tr("Same prompt again"), f.fact(result.prefix, _prefix))]
    pairs += [(tr("Counted by"), _counted(result))]
    asked = tr("{requests} in {time}", requests=_requests(result.requests), time=f.seconds(result.spent_s))
    pairs += [(tr("Asked"), asked)]
    if isinstance(result.beside, Known):
        pairs += [(tr("Meanwhile here"), _beside(result.beside.value)), (tr("Stamp"), stamp_words(result))]
    return pairs


def _requests(number: int) -> str:
    return f.plural(number, "request", "requests")


def stamp_words(result: ServerResult) -> str:
    """Whether this computer was quiet enough, with the reasons where it was not."""
    if not result.doubts:
        return tr(Stamp.VALID)
    return f"{tr(Stamp.SUSPECT)}: {'; '.join(result.doubts)}"


def _beside(beside: Beside) -> str:
    """Who used the processors; the server's own work is no disturbance."""
    others = f.fact(
        beside.others_fraction, lambda share: tr("other programs used {share} of the CPU", share=f.percent(share))
    )
    if isinstance(beside.server_fraction, Known):
        own = f.percent(beside.server_fraction.value)
        return tr("the server itself used {share} of the CPU, and {others}", share=own, others=others)
    if beside.server_fraction.kind is Missing.NOT_APPLICABLE:
        return others
    most = tr(", most of all {program}", program=readable(beside.biggest)) if beside.biggest else ""
    return tr(
        "{others}{most}; the server is among them, since {reason}",
        others=others, most=most, reason=f.why(beside.server_fraction),
    )  # fmt: skip


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
    return tr("{speed}; beside that a request waits {time} whatever its prompt", speed=speed, time=over)


def _speed(samples: Samples) -> str:
    return f.tokens_per_s_spread(samples.median, samples.mad)


def _engine(result: ServerResult) -> str:
    """What the engine's own clock says beside the client's, of each request or else of all together."""
    own = [each.engine.value for each in result.singles if isinstance(each.engine, Known)]
    if not own:
        return f.fact(result.counters, lambda counted: _counters(counted, result.singles))
    return tr("{speeds}, by {source}", speeds=_engine_speeds(own), source=tr(own[0].source))


def _counters(counted: EngineTimings, singles: tuple[Exchange, ...]) -> str:
    """Means over the counted requests, and beside them the client's over the single ones where these are the same."""
    if counted.requests == 1 and len(singles) > 1:
        return tr("{speeds}, by {source}", speeds=_engine_speeds([counted]), source=tr(counted.source))
    each, parts = max(counted.requests, 1), []
    if counted.prefill_s is not None:
        parts.append(tr("{time} to the first token", time=f.seconds(counted.prefill_s / each)))
    if counted.queue_s is not None:
        parts.append(tr("{time} in the queue", time=f.milliseconds(counted.queue_s / each)))
    if counted.decode_s is not None and counted.decode_tokens:
        time = f.milliseconds(counted.decode_s / counted.decode_tokens)
        parts.append(tr("{time} from token to token", time=time))
    waits = [wait for one in singles if (wait := one.first_token_s) is not None]
    gaps = [gap / one.tokens_per_chunk for one in singles for gap in one.gaps_s]
    if len(waits) != each or not gaps:
        return tr("{times} on average, by {source}", times=", ".join(parts), source=tr(counted.source))
    client = f.listed([f.seconds(sum(waits) / each), f.milliseconds(sum(gaps) / len(gaps))])
    return tr(
        "{times} on average (here {client}), by {source}",
        times=", ".join(parts), client=client, source=tr(counted.source),
    )  # fmt: skip


def _engine_speeds(own: list[EngineTimings]) -> str:
    """The median of decode, and prefill of the longest prompt."""
    telling = [each for each in own if (each.decode_tokens or 0) > ENGINE_TOKENS]
    written = [speed for each in telling if (speed := each.decode_tokens_per_s)]
    longest = max(own, key=lambda each: each.prompt_tokens or 0)
    parts = [tr("decode {speed}", speed=f.tokens_per_s(median(written)))] if written else []
    if longest.prefill_tokens_per_s:
        said, tokens = f.tokens_per_s(longest.prefill_tokens_per_s), f.tokens(longest.prompt_tokens or 0)
        parts.append(tr("prefill {speed} at {tokens}", speed=said, tokens=tokens))
    return f.listed(parts) or tr("no speed")


def _gaps(samples: Samples) -> str:
    return tr(
        "median {median}, p95 {p95}, worst {worst}",
        median=f.milliseconds(samples.median), p95=f.milliseconds(samples.p95), worst=f.milliseconds(samples.worst),
    )  # fmt: skip


def _prefix(reuse: PrefixReuse) -> str:
    again, unique = reuse.repeated_s.median, reuse.unique_s.median
    known = reuse.cached_tokens.or_none()
    cached = ""
    if known is not None:
        cached = tr(", {n} of {tokens} from the cache", n=f.count(known), tokens=f.tokens(reuse.prompt_tokens))
    return tr(
        "{again} to the first token in place of {unique}{cached}",
        again=f.seconds(again), unique=f.seconds(unique), cached=cached,
    )  # fmt: skip


def _counted(result: ServerResult) -> str:
    singles = result.singles
    if not singles:
        return tr("nothing counted")
    origins = sorted({each.counted for each in singles if each.failure is None}, key=str)
    words = _joined([tr(origin) for origin in origins]) or tr("nothing counted")
    if any(each.prompt_counted is CountOrigin.ESTIMATED for each in singles):
        words += tr("; prompts: {how}", how=tr(CountOrigin.ESTIMATED))
    if result.several_per_chunk:
        words += tr("; a chunk carries {number} tokens", number=f.number(result.tokens_per_chunk))
    return words


def _joined(parts: list[str]) -> str:
    """All with "and" between them, also more than two: they have commas of their own."""
    joined = parts[0] if parts else ""
    for part in parts[1:]:
        joined = tr("{first} and {last}", first=joined, last=part)
    return joined


def prompts_table(prefill: Prefill) -> Table:
    """Time to first token by the prompt's length."""
    rows = tuple(
        (f.tokens(point.prompt_tokens), f.seconds(point.first_token_s.median), f.seconds(point.first_token_s.worst),
         f.count(len(point.first_token_s.values)))
        for point in prefill.points
    )  # fmt: skip
    return Table(tr(WAITS_TITLE), (tr("Prompt"), tr("Median"), tr("Worst"), tr("Requests")), rows, ())


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
    head = (
        tr("Users"), tr("Together, tokens/s"), tr("Each"), tr("With prompts"), tr("First token"), tr("p95"),
    )  # fmt: skip
    reasons = sorted({
        f"{f.plural(point.users, 'user', 'users')}: {f.why(point.together_tokens_per_s)}."
        for point in result.users
        if not isinstance(point.together_tokens_per_s, Known)
    })  # fmt: skip
    return Table(tr(USERS_TITLE), head, rows, tuple(reasons))


def _short(fact: Fact[float]) -> str:
    return f.number(fact.value) if isinstance(fact, Known) else NOTHING


def stutter_table(found: Fact[StutterRun]) -> Table:
    """Gaps before and during the long prompt, or why there are none."""
    if not isinstance(found, Known):
        why = tr("Not measured")
        if found is not NOT_MEASURED:
            why = tr("Not measured: {reason}", reason=f.why(found))
        return Table(tr(STUTTER_TITLE), (), (), (f.sentence(why),))
    run = found.value
    named = ((tr("before"), run.before_s), (tr("while it is read"), run.during_s))
    rows = tuple(
        (name, f.seconds(gaps.median), f.seconds(gaps.p95), f.seconds(gaps.worst), f.count(len(gaps.values)))
        for name, gaps in named
        if gaps
    )
    length = f.tokens(run.prompt_tokens) if run.prompt_tokens else tr("a prompt that the server did not count")
    waited = f.seconds(run.long.first_token_s) if run.long.first_token_s is not None else tr("unknown")
    said = trn(
        "{n}\u00a0stream wrote when {length} came; the worst gap was {worst}, and the long prompt waited {waited} for "
        "its first token.",
        "{n}\u00a0streams wrote when {length} came; the worst gap was {worst}, and the long prompt waited {waited} for "
        "its first token.",
        run.streams, n=f.count(run.streams), length=length, worst=f.seconds(run.during_s.worst), waited=waited,
    )  # fmt: skip
    head = (tr("Gaps"), tr("Median"), tr("p95"), tr("Worst"), tr("Count"))
    return Table(tr(STUTTER_TITLE), head, rows, (said,))
