"""From a measured server to a verdict and exact settings; pure rules over a ``ServerResult`` (physics.md 5 and 6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Unknown
from advisor.core.numbers import count, percent, plural, seconds, seconds_range, speed, times
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
        wont.append("A smaller step or a prefix cache does nothing for a stream's speed.")
    if phase == "prefill" and not isinstance(result.prefill, Unknown):
        wont.append("Speculative decoding does nothing for the wait: it begins behind the first token.")
    if phase and not advice:
        wont.append(
            "None of the server's settings known here changes that: a shorter prompt, a smaller model or other "
            "hardware would." if phase == "prefill" else
            "None of the server's settings known here changes that: fewer bytes per token or faster memory would."
        )  # fmt: skip
    stutter = result.stutter.or_none()
    pauses = stutter is not None and bool(stutter.during_s) and stutter.during_s.worst > comfort.stall_s
    broken = pauses or any(_breaks(point, comfort) for point in result.users if point.each_tokens_per_s)
    if not phase and not advice and not broken and stream and wait is not None:
        wont.append("Your lines are kept: no setting of the server would be felt.")
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
        return "", "Neither phase was measured on this server."
    by_wait = 0.0 if wait is None else wait / comfort.wait_s
    by_stream = 0.0 if not stream else comfort.slowest_tokens_per_s / stream
    said = []
    if wait is not None:
        said.append(f"the first token takes {seconds(wait)}, your line is {seconds(comfort.wait_s)}")
    if stream is not None:
        shown = speed(stream, result.decode_tokens_per_s.mad)
        said.append(f"a stream comes at {shown}, your line is {speed(comfort.slowest_tokens_per_s)}")
    measured = "; ".join(said)
    if max(by_wait, by_stream) <= 1:
        if wait is None:
            return "", f"For one user decode is no problem: {measured}. How long a prompt waits was not measured."
        if stream is None:
            return "", f"For one user prefill is no problem: {measured}. How fast a stream comes was not measured."
        return "", f"For one user neither phase is a problem: {measured}."
    phase = "prefill" if by_wait >= by_stream else "decode"
    return phase, f"{phase.capitalize()} is the problem of this server's users: {measured}."


def _stall(result: ServerResult, comfort: Comfort) -> tuple[str, ServerAdvice | None]:
    run = result.stutter.or_none()
    if run is None:
        return f"Pauses: {result.stutter.reason}." if isinstance(result.stutter, Unknown) else "", None
    if not run.during_s or not run.before_s or run.prompt_tokens is None:
        return "Pauses: too little was measured.", None
    kind, worst = result.facts.kind, run.during_s.worst
    finding = (
        f"While a prompt of {plural(run.prompt_tokens, 'token')} was read, {plural(run.streams, 'running stream')} "
        f"paused for up to {seconds(worst)} (before it {seconds(run.before_s.median)} from token to token); your line "
        f"is {seconds(comfort.stall_s)}."
    )
    if worst <= comfort.stall_s:
        return finding, None
    chosen = setting(kind, Aim.STALL)
    if kind is ServerKind.LLAMA_CPP_PYTHON:
        return f"{finding} llama-cpp-python's server computes one request at a time: no setting changes that; " \
               "llama-server with the same model would.", None
    prefill = result.prefill.or_none()
    alone = prefill.tokens_per_s.or_none() if prefill is not None else None
    jitter_s = _jitter_s(result, run)
    if jitter_s >= comfort.stall_s:
        return f"{finding} Single tokens come up to {seconds(jitter_s)} late here while no prompt is read, which " \
               "breaks your line by itself, and no setting can be chosen from that. Look at what else runs on the " \
               "server's machine, and measure again when it is calm.", None
    outlook = chunk_outlook(run, kind, comfort.stall_s, _said_step(result), alone, jitter_s)
    if isinstance(outlook, Unknown) or chosen is None:
        return finding if chosen else f"{finding} Which setting shortens them is not known for this server.", None
    found = outlook.value
    if found.now_s <= comfort.stall_s and found.tokens * NEAR >= found.now_tokens:
        return f"{finding} The steps are short enough, the last ones took {seconds(found.now_s)}: what is longer " \
               "comes from elsewhere. Look at what else runs on the server's machine.", None
    if not found.keeps and worst < WORTH * (found.gap_low_s + found.gap_high_s - found.jitter_s) / 2:
        return f"{finding} Smaller steps would hardly shorten them: shorter prompts would.", None
    kept = ""
    if not found.keeps and found.gap_high_s - found.jitter_s <= comfort.stall_s:
        late = seconds(found.jitter_s)
        kept = f" Whether your line is kept is not sure: single tokens come up to {late} late here for other reasons."
    elif not found.keeps:
        kept = " Your line is out of reach: smaller pieces would make prompts much slower."
    gap = seconds_range(found.gap_low_s, found.gap_high_s)
    cost = seconds_range(found.cost_low_s, found.cost_high_s)
    wait = run.long.first_token_s or 0.0
    share = f" ({percent(found.cost_low_s / wait)} to {percent(found.cost_high_s / wait)} of its wait)" if wait else ""
    return finding, ServerAdvice(
        Aim.STALL,
        f"Read prompts in pieces of {plural(found.tokens, 'token')}",
        f"The longest pause falls from {seconds(worst)} to {gap}; such a prompt's first token comes {cost} later"
        f"{share}.{kept} Measure again with it: where it is still too long, the advice goes on from there.",
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
    return (
        f"{plural(run.streams, 'stream')} took {seconds(together_s)} from token to token, as if one after the other "
        f"(one alone {seconds(alone_s)}): llama-server computes streams in slots that are not neighbours apart, "
        "unless it is started with --kv-unified."
    )


def _users(result: ServerResult, comfort: Comfort) -> tuple[str, ServerAdvice | None]:
    points = [point for point in result.users if point.each_tokens_per_s]
    if not points:
        return ("No number of users was measured.", None)
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
    return f"{finding} The server computes {plural(slots, 'request')} at once; the others wait.", ServerAdvice(
        Aim.TOGETHER,
        f"Let {plural(most.users, 'request')} be computed together",
        f"With {plural(most.users, 'user')} the last one waited {seconds(queued)} for a first token.",
        chosen, chosen.with_value(most.users), chosen.words.replace("{value}", str(most.users)),
    )  # fmt: skip


def _breaks(point: UsersPoint, comfort: Comfort) -> bool:
    waits = point.first_token_s.values
    return point.each_tokens_per_s.median < comfort.slowest_tokens_per_s or (
        bool(waits) and max(waits) > comfort.wait_s
    )


def _where(broken: UsersPoint | None, most: UsersPoint, comfort: Comfort) -> str:
    if broken is None:
        return f"Up to {plural(most.users, 'user')}, the most that were tried, your lines are kept."
    each = broken.each_tokens_per_s
    slow = each.median < comfort.slowest_tokens_per_s
    what = f"each stream comes at {speed(each.median, each.mad)}" if slow else (
        f"the last one waits {seconds(broken.first_token_s.worst)}")  # fmt: skip
    return f"Your line breaks at {plural(broken.users, 'user')}: {what}."


def _grows(points: Sequence[UsersPoint]) -> str:
    known = [(point.users, rate) for point in points if (rate := point.together_tokens_per_s.or_none())]
    if len(known) < 2:
        return "Whether more users bring more is not known."
    (before, slower), (last, faster) = known[-2], known[-1]
    if faster >= GROWS * slower:
        return f"More users still bring more: {speed(slower)} with {count(before)}, {speed(faster)} with {count(last)}."
    fewest, first = known[0]
    beside = f"{times(faster / first)} {'one alone' if fewest == 1 else f'that of {count(fewest)}'}"
    return f"More than {plural(before, 'user')} bring hardly more: {speed(faster)} with {count(last)}, {beside}."


def _prefix(result: ServerResult) -> tuple[str, ServerAdvice | None]:
    reuse = result.prefix.or_none()
    if reuse is None or not reuse.unique_s or not reuse.repeated_s:
        return "", None
    if reuse.prompt_tokens < SHORT_PROMPT:
        return "The prompts were too short to tell whether a repeated one is reused.", None
    unique, again = reuse.unique_s.median, reuse.repeated_s.median
    waits = f"a repeated prompt waits {seconds(again)}, a new one {seconds(unique)}"
    if again <= REUSED * unique:
        return f"The prefix cache works: {waits}.", None
    cached = reuse.cached_tokens.or_none()
    if again < UNUSED * unique or (cached is not None and cached > reuse.prompt_tokens // 2):
        return f"The prefix cache saves a part: {waits}.", None
    chosen = setting(result.facts.kind, Aim.PREFIX)
    finding = f"The prefix cache does not work here: {waits}."
    if chosen is None:
        return finding, None
    return finding, ServerAdvice(
        Aim.PREFIX, "Let repeated prompts be read once",
        f"A repeated prompt of {plural(reuse.prompt_tokens, 'token')} waits as long as a new one.",
        chosen, chosen.with_value(chosen.usual or ""), chosen.words,
    )  # fmt: skip


def _speculate(result: ServerResult) -> ServerAdvice | None:
    chosen = setting(result.facts.kind, Aim.SPECULATE)
    if chosen is None:
        return None
    return ServerAdvice(
        Aim.SPECULATE, "Try guessing from repeated text",
        "Where answers repeat their prompt, a step may write several tokens; where they do not, or with many users, it "
        "can lose. How much is not known before it is tried.",
        chosen, chosen.with_value(3), chosen.words,
    )  # fmt: skip
