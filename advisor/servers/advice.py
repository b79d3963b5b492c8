"""From a measured server to a verdict and exact settings; pure rules over a ``ServerResult`` (physics.md 5 and 6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Unknown
from advisor.core.numbers import (
    chosen_seconds,
    chosen_speed,
    count,
    percent,
    plural,
    seconds,
    seconds_range,
    speed,
    times,
)
from advisor.core.translation import marked, tr
from advisor.servers.facts import ServerKind
from advisor.servers.flags import Aim, Setting, setting, stall_command
from advisor.servers.model import ServerResult, StutterRun, UsersPoint
from advisor.servers.pauses import ChunkOutlook, chunk_outlook

APART: Final = 0.75
"""Of the time that streams would take one after the other; in one step they take about half of it, or less."""

NEAR: Final = 1.25
"""A step that is larger than the advised one by less is left as it is."""

WORTH: Final = 1.5
"""A pause that shrinks by less and stays over the line is not worth a slower prompt."""

GROWS: Final = 1.1
"""Speed of all together over that of fewer users, from which more users still bring more."""

REUSED: Final = 0.6
UNUSED: Final = 0.85
"""Wait for a repeated prompt over that for a unique one: below, the cache works; above, it does not."""

SHORT_PROMPT: Final = 128
"""Tokens below which a prompt's reading hardly shows beside everything else."""


ONE_AT_A_TIME: Final = marked(
    "llama-cpp-python's server computes one request at a time: no setting changes that; llama-server with the same "
    "model would."
)
RESTLESS: Final = marked(
    "Single tokens come up to {late} late here while no prompt is read, which breaks your line by itself, and no "
    "setting can be chosen from that. Look at what else runs on the server's machine, and measure again when it is "
    "calm."
)
SHORT_ENOUGH: Final = marked(
    "The steps are short enough, the last ones took {took}: what is longer comes from elsewhere. Look at what else "
    "runs on the server's machine."
)


@dataclass(frozen=True, slots=True)
class Comfort:
    """The user's lines.

    Attributes:
        stall_s: longest pause between two tokens of a running stream.
        wait_s: longest time to the first token.
        slowest_tokens_per_s: of each stream.
        prompt_tokens: of the work in mind; 0 for the longest prompt that was measured.
    """

    stall_s: float = 0.2
    wait_s: float = 10.0
    slowest_tokens_per_s: float = 5.3
    prompt_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ServerAdvice:
    """One thing to set.

    Attributes:
        aim: what for.
        title: imperative, short.
        detail: what changes and by how much, sentences.
        setting: None where only words help.
        command: exact, "" where it is set in a window.
        words: how, beside the command.
        outlook: of shorter pauses, what is expected; None for other aims.
    """

    aim: Aim
    title: str
    detail: str
    setting: Setting | None = None
    command: str = ""
    words: str = ""
    outlook: ChunkOutlook | None = None


@dataclass(frozen=True, slots=True)
class ServerVerdict:
    """What the users of this server feel and what helps.

    Attributes:
        phase: "prefill" or "decode", whichever line breaks by more; "" where none does.
        sentence: the verdict.
        findings: pauses, users, prefix cache, each a sentence.
        advice: in order of worth.
        will_not_help: sentences.
    """

    phase: str
    sentence: str
    findings: tuple[str, ...] = ()
    advice: tuple[ServerAdvice, ...] = ()
    will_not_help: tuple[str, ...] = ()


def advise(result: ServerResult, comfort: Comfort) -> ServerVerdict:
    """All rules; parts that were not measured say so."""
    wait, stream = _wait_s(result, comfort), result.decode_tokens_per_s
    phase, sentence = _phase(result, comfort, wait)
    findings: list[str] = []
    advice: list[ServerAdvice] = []
    for finding, found in (_stall(result, comfort), _users(result, comfort), _prefix(result)):
        findings += [finding] if finding else []
        advice += [found] if found is not None else []
    findings += [apart] if (apart := _apart(result)) else []
    if phase == "decode" and (made := _speculate(result)) is not None:
        advice.append(made)
    wont = []
    if phase == "decode":
        wont.append(tr("A smaller step or a prefix cache does nothing for a stream's speed."))
    if phase == "prefill" and not isinstance(result.prefill, Unknown):
        wont.append(tr("Speculative decoding does nothing for the wait: it begins behind the first token."))
    if phase and not advice:
        wont.append(
            tr("None of the server's settings known here changes that: a shorter prompt, a smaller model or other "
            "hardware would.") if phase == "prefill" else
            tr("None of the server's settings known here changes that: fewer bytes per token or faster memory would.")
        )  # fmt: skip
    stutter = result.stutter.or_none()
    pauses = stutter is not None and bool(stutter.during_s) and stutter.during_s.worst > comfort.stall_s
    broken = pauses or any(_breaks(point, comfort) for point in result.users if point.each_tokens_per_s)
    if not phase and not advice and not broken and stream and wait is not None:
        wont.append(tr("Your lines are kept: no setting of the server would be felt."))
    return ServerVerdict(phase, sentence, tuple(findings), tuple(advice), tuple(wont))


def _wait_s(result: ServerResult, comfort: Comfort) -> float | None:
    """Time to first token of the prompt in mind, one request alone; None where reading was not measured."""
    prefill = result.prefill.or_none()
    if prefill is None or not prefill.points:
        return None
    longest = prefill.points[-1]
    rate, tokens = prefill.tokens_per_s.or_none(), comfort.prompt_tokens or longest.prompt_tokens
    if rate is None or tokens == longest.prompt_tokens:
        return longest.first_token_s.median if tokens == longest.prompt_tokens else None
    return (prefill.overhead_s.or_none() or 0.0) + tokens / rate


def _phase(result: ServerResult, comfort: Comfort, wait: float | None) -> tuple[str, str]:
    stream = result.decode_tokens_per_s.median if result.decode_tokens_per_s else None
    if wait is None and stream is None:
        return "", tr("Neither phase was measured on this server.")
    by_wait = 0.0 if wait is None else wait / comfort.wait_s
    by_stream = 0.0 if not stream else comfort.slowest_tokens_per_s / stream
    said = []
    if wait is not None:
        said.append(
            tr(
                "the first token takes {wait}, your line is {line}",
                wait=seconds(wait, comfort.wait_s), line=chosen_seconds(comfort.wait_s),
            )
        )
    if stream is not None:
        shown = speed(stream, result.decode_tokens_per_s.mad)
        said.append(
            tr(
                "a stream comes at {speed}, your line is {line}",
                speed=shown, line=chosen_speed(comfort.slowest_tokens_per_s),
            )
        )
    measured = "; ".join(said)
    if max(by_wait, by_stream) <= 1:
        if wait is None:
            return "", tr(
                "For one user decode is no problem: {measured}. How long a prompt waits was not measured.",
                measured=measured,
            )
        if stream is None:
            return "", tr(
                "For one user prefill is no problem: {measured}. How fast a stream comes was not measured.",
                measured=measured,
            )
        return "", tr("For one user neither phase is a problem: {measured}.", measured=measured)
    phase = "prefill" if by_wait >= by_stream else "decode"
    return phase, tr(
        "{phase} is the problem of this server's users: {measured}.", phase=phase.capitalize(), measured=measured
    )


def _stall(result: ServerResult, comfort: Comfort) -> tuple[str, ServerAdvice | None]:
    run = result.stutter.or_none()
    if run is None:
        why = tr(result.stutter.reason) if isinstance(result.stutter, Unknown) else ""
        return (tr("Pauses: {reason}.", reason=why) if why else ""), None
    if not run.during_s or not run.before_s or run.prompt_tokens is None:
        return tr("Pauses: too little was measured."), None
    kind, worst = result.facts.kind, run.during_s.worst
    finding = tr(
        "While a prompt of {tokens} was read, {streams} paused for up to {worst} (before it {usual} from token to "
        "token); your line is {line}.",
        tokens=plural(run.prompt_tokens, "token", "tokens"),
        streams=plural(run.streams, "running stream", "running streams"),
        worst=seconds(worst), usual=seconds(run.before_s.median), line=seconds(comfort.stall_s),
    )  # fmt: skip
    if worst <= comfort.stall_s:
        return finding, None
    chosen = setting(kind, Aim.STALL)
    if kind is ServerKind.LLAMA_CPP_PYTHON:
        return f"{finding} {tr(ONE_AT_A_TIME)}", None
    prefill = result.prefill.or_none()
    alone = prefill.tokens_per_s.or_none() if prefill is not None else None
    jitter_s = _jitter_s(result, run)
    if jitter_s >= comfort.stall_s:
        return f"{finding} {tr(RESTLESS, late=seconds(jitter_s))}", None
    outlook = chunk_outlook(run, kind, comfort.stall_s, _said_step(result), alone, jitter_s)
    if isinstance(outlook, Unknown) or chosen is None:
        unknown = tr("Which setting shortens them is not known for this server.")
        return finding if chosen else f"{finding} {unknown}", None
    found = outlook.value
    if found.now_s <= comfort.stall_s and found.tokens * NEAR >= found.now_tokens:
        return f"{finding} {tr(SHORT_ENOUGH, took=seconds(found.now_s))}", None
    if not found.keeps and worst < WORTH * (found.gap_low_s + found.gap_high_s - found.jitter_s) / 2:
        hardly = tr("Smaller steps would hardly shorten them: shorter prompts would.")
        return f"{finding} {hardly}", None
    kept = ""
    if not found.keeps and found.gap_high_s - found.jitter_s <= comfort.stall_s:
        kept = " " + tr(
            "Whether your line is kept is not sure: single tokens come up to {late} late here for other reasons.",
            late=seconds(found.jitter_s),
        )
    elif not found.keeps:
        kept = " " + tr("Your line is out of reach: smaller pieces would make prompts much slower.")
    gap = seconds_range(found.gap_low_s, found.gap_high_s)
    cost = seconds_range(found.cost_low_s, found.cost_high_s)
    if wait := run.long.first_token_s or 0.0:
        low, high = percent(found.cost_low_s / wait), percent(found.cost_high_s / wait)
        cost = tr("{later} later ({low} to {high} of its wait)", later=cost, low=low, high=high)
    else:
        cost = tr("{later} later", later=cost)
    detail = tr(
        "The longest pause falls from {worst} to {gap}; such a prompt's first token comes {later}.{kept} Measure again "
        "with it: where it is still too long, the advice goes on from there.",
        worst=seconds(worst), gap=gap, later=cost, kept=kept,
    )  # fmt: skip
    return finding, ServerAdvice(
        Aim.STALL,
        tr("Read prompts in pieces of {tokens}", tokens=plural(found.tokens, "token", "tokens")),
        detail,
        chosen,
        stall_command(kind, chosen, found.tokens, run.streams),
        chosen.words.replace("{value}", str(found.tokens)),
        found,
    )


def _jitter_s(result: ServerResult, run: StutterRun) -> float:
    """By how much a token came later than usual while no prompt was read, at worst."""
    calm = [gaps.worst - gaps.median for gaps in (result.gaps_s, run.before_s) if gaps]
    return max(calm, default=0.0)


def _said_step(result: ServerResult) -> int | None:
    """Tokens per step by the server's own settings (SGLang, LM Studio); None where the pauses must tell it."""
    said = result.facts.settings
    for name in ("chunked_prefill_size", "eval_batch_size"):
        if said.get(name, "").isdigit() and int(said[name]) > 0:
            return int(said[name])
    return None


def _apart(result: ServerResult) -> str:
    """Streams of llama-server that are computed one after the other, in words; "" where they are not.

    Without a unified cache llama.cpp puts only streams of neighbouring slots into one step (``split_equal`` in its
    llama-batch.cpp); which slots they get depends on what was asked before.
    """
    run = result.stutter.or_none()
    if result.facts.kind is not ServerKind.LLAMA_SERVER or run is None or not run.before_s or not result.gaps_s:
        return ""
    together_s, alone_s = run.before_s.median, result.gaps_s.median
    if run.streams < 2 or together_s < APART * run.streams * alone_s:
        return ""
    return tr(
        "{streams} took {together} from token to token, as if one after the other (one alone {alone}): llama-server "
        "computes streams in slots that are not neighbours apart, unless it is started with --kv-unified.",
        streams=plural(run.streams, "stream", "streams"), together=seconds(together_s), alone=seconds(alone_s),
    )  # fmt: skip


def _users(result: ServerResult, comfort: Comfort) -> tuple[str, ServerAdvice | None]:
    points = [point for point in result.users if point.each_tokens_per_s]
    if not points:
        return (tr("No number of users was measured."), None)
    broken = next((point for point in points if _breaks(point, comfort)), None)
    most = points[-1]
    finding = f"{_grows(points)} {_where(broken, most, comfort)}"
    slots = result.facts.slots.or_none()
    chosen = setting(result.facts.kind, Aim.TOGETHER)
    if slots is None and chosen is not None and result.facts.kind is ServerKind.OLLAMA:
        slots = chosen.usual
    if chosen is None or slots is None or most.users <= slots:
        return finding, None
    queued = max(most.first_token_s.values, default=0.0)
    return f"{finding} {_together(slots)}", ServerAdvice(
        Aim.TOGETHER,
        tr("Let {requests} be computed together", requests=plural(most.users, "request", "requests")),
        tr("With {users} the last one waited {queued} for a first token.",
           users=plural(most.users, "user", "users"), queued=seconds(queued)),
        chosen, chosen.with_value(most.users), chosen.words.replace("{value}", str(most.users)),
    )  # fmt: skip


def _together(slots: int) -> str:
    requests = plural(slots, "request", "requests")
    return tr("The server computes {requests} at once; the others wait.", requests=requests)


def _breaks(point: UsersPoint, comfort: Comfort) -> bool:
    waits = point.first_token_s.values
    return point.each_tokens_per_s.median < comfort.slowest_tokens_per_s or (
        bool(waits) and max(waits) > comfort.wait_s
    )


def _where(broken: UsersPoint | None, most: UsersPoint, comfort: Comfort) -> str:
    if broken is None:
        return tr(
            "Up to {users}, the most that were tried, your lines are kept.", users=plural(most.users, "user", "users")
        )
    each = broken.each_tokens_per_s
    slow = each.median < comfort.slowest_tokens_per_s
    what = tr("each stream comes at {speed}", speed=speed(each.median, each.mad)) if slow else (
        tr("the last one waits {wait}", wait=seconds(broken.first_token_s.worst)))  # fmt: skip
    return tr("Your line breaks at {users}: {what}.", users=plural(broken.users, "user", "users"), what=what)


def _grows(points: Sequence[UsersPoint]) -> str:
    known = [(point.users, rate) for point in points if (rate := point.together_tokens_per_s.or_none())]
    if len(known) < 2:
        return tr("Whether more users bring more is not known.")
    (before, slower), (last, faster) = known[-2], known[-1]
    if faster >= GROWS * slower:
        return tr(
            "More users still bring more: {slower} with {fewer}, {faster} with {more}.",
            slower=speed(slower),
            fewer=count(before),
            faster=speed(faster),
            more=count(last),
        )
    fewest, first = known[0]
    gain = times(faster / first)
    if fewest == 1:
        beside = tr("{gain} one alone", gain=gain)
    else:
        beside = tr("{gain} that of {users}", gain=gain, users=count(fewest))
    return tr(
        "More than {users} bring hardly more: {speed} with {most}, {beside}.",
        users=plural(before, "user", "users"), speed=speed(faster), most=count(last), beside=beside,
    )  # fmt: skip


def _prefix(result: ServerResult) -> tuple[str, ServerAdvice | None]:
    reuse = result.prefix.or_none()
    if reuse is None or not reuse.unique_s or not reuse.repeated_s:
        return "", None
    if reuse.prompt_tokens < SHORT_PROMPT:
        return tr("The prompts were too short to tell whether a repeated one is reused."), None
    unique, again = reuse.unique_s.median, reuse.repeated_s.median
    waits = tr("a repeated prompt waits {again}, a new one {unique}", again=seconds(again), unique=seconds(unique))
    if again <= REUSED * unique:
        return tr("The prefix cache works: {waits}.", waits=waits), None
    cached = reuse.cached_tokens.or_none()
    if again < UNUSED * unique or (cached is not None and cached > reuse.prompt_tokens // 2):
        return tr("The prefix cache saves a part: {waits}.", waits=waits), None
    chosen = setting(result.facts.kind, Aim.PREFIX)
    finding = tr("The prefix cache does not work here: {waits}.", waits=waits)
    if chosen is None:
        return finding, None
    return finding, ServerAdvice(
        Aim.PREFIX, tr("Let repeated prompts be read once"),
        tr("A repeated prompt of {tokens} waits as long as a new one.",
           tokens=plural(reuse.prompt_tokens, "token", "tokens")),
        chosen, chosen.with_value(chosen.usual or ""), chosen.words,
    )  # fmt: skip


def _speculate(result: ServerResult) -> ServerAdvice | None:
    chosen = setting(result.facts.kind, Aim.SPECULATE)
    if chosen is None:
        return None
    return ServerAdvice(
        Aim.SPECULATE, tr("Try guessing from repeated text"),
        tr("Where answers repeat their prompt, a step may write several tokens; where they do not, or with many users, "
           "it can lose. How much is not known before it is tried."),
        chosen, chosen.with_value(3), chosen.words,
    )  # fmt: skip
