"""One request at a time: both phases apart, and what the prefix cache saves."""

import asyncio
from collections.abc import Sequence
from typing import Final

from advisor.core import numbers
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import seconds
from advisor.core.stats import median, straight_line
from advisor.core.translation import tr, trn
from advisor.servers.exchange import Exchange
from advisor.servers.load import REPEATS
from advisor.servers.model import Prefill, PrefixReuse, PromptPoint, Samples, wait_noise_s
from advisor.servers.run import OutOfTime, Run

LONG_ANSWER_TOKENS: Final = 4
"""Of the longer prompts, which are there for their time to first token."""

ROUND_SHARE: Final = 0.35
"""No further round of single requests is begun past this share of the budget; users and stutter need the rest."""

FEWEST_CHUNKS: Final = 4
"""Of an answer that tells a speed."""

CLEAR: Final = 3.0
"""Deviations by which longer prompts must take longer, for a slope to be more than noise."""


async def measure_singles(run: Run) -> None:
    """Rounds over all prompt lengths, so that a drift of the server meets each of them alike. Raises OutOfTime."""
    wanted, answer = run.settings.prompts_tokens, run.settings.answer_tokens
    lengths = sorted({min(length, run.longest_prompt(answer)) for length in wanted})
    if lengths[-1] < wanted[-1]:
        run.leave_out(
            tr("Prompts are cut to {n} tokens: the server's context holds no more.", n=numbers.count(lengths[-1]))
        )
    done: dict[int, list[Exchange]] = {length: [] for length in lengths}
    for turn in range(run.settings.repetitions):
        if turn and run.left_s < (1 - ROUND_SHARE) * run.settings.budget_s:
            break
        for length in lengths:
            tokens = answer if length == lengths[0] else LONG_ANSWER_TOKENS
            run.step(
                trn(
                    "Prompt of {length} token, request {turn} of {repetitions}",
                    "Prompt of {length} tokens, request {turn} of {repetitions}",
                    length,
                    length=numbers.count(length),
                    turn=turn + 1,
                    repetitions=run.settings.repetitions,
                )
            )
            if not turn and run.request_s(length, tokens) > ROUND_SHARE * max(run.left_s, 0.0):
                lengths = [each for each in lengths if each < length]
                run.leave_out(
                    trn(
                        "Prompts of {length} token and more would take too long for the time given.",
                        "Prompts of {length} tokens and more would take too long for the time given.",
                        length,
                        length=numbers.count(length),
                    )
                )
                break
            exchange = await run.ask(length, tokens)
            done[length].append(exchange)
            keep_singles(run, done)
            if exchange.failure is not None:
                run.fail(tr("single requests"), exchange.failure)
                return


async def measure_own_timings(run: Run) -> None:
    """One more request, to the engine's own API, where only that one tells the engine's times. Raises OutOfTime."""
    prefill = run.result.prefill.or_none()
    tokens = prefill.points[-1].prompt_tokens if prefill is not None else run.settings.prompts_tokens[0]
    if not run.fits(run.request_s(tokens, run.settings.answer_tokens)):
        return
    try:
        async with asyncio.timeout(max(run.left_s, 0.0)):
            own = await run.client.own_timings(run.prompts.unique(tokens), run.settings.answer_tokens)
    except TimeoutError:
        raise OutOfTime from None
    run.keep(counters=own)


def keep_singles(run: Run, done: dict[int, list[Exchange]]) -> None:
    """Bring the result up to date."""
    singles = tuple(sorted((each for group in done.values() for each in group), key=lambda each: each.sent_at_s))
    telling = [each for each in singles if len(each.arrivals_s) >= FEWEST_CHUNKS * 2]
    run.keep(
        singles=singles,
        prefill=prefill_of(prompt_points(list(done.values()))),
        decode_tokens_per_s=Samples(tuple(s for each in telling if (s := each.decode_tokens_per_s))),
        gaps_s=Samples(tuple(gap for each in telling for gap in each.gaps_s)),
    )


def prompt_points(groups: Sequence[Sequence[Exchange]]) -> tuple[PromptPoint, ...]:
    """One point per group of exchanges with prompts of one length; groups without first token or count give none."""
    points = []
    for group in groups:
        lengths = [each.prompt_tokens for each in group if each.prompt_tokens]
        waits = [each.first_token_s for each in group if each.first_token_s is not None]
        if lengths and waits:
            points.append(PromptPoint(round(median(lengths)), Samples(tuple(waits))))
    return tuple(sorted(points, key=lambda point: point.prompt_tokens))


def prefill_of(points: tuple[PromptPoint, ...]) -> Fact[Prefill]:
    """The speed of reading prompts from points of different lengths."""
    if not points:
        return Unknown(tr("no request came to its first token, or the server counts no tokens"))
    source = tr("slope of the time to first token over the prompt's length")
    if len({point.prompt_tokens for point in points}) < 2:
        few = Unknown(tr("prompts of one length only were measured"), Missing.NOT_YET)
        return Known(Prefill(points, few, few), Basis.MEASURED, source)
    line = [(float(point.prompt_tokens), point.first_token_s.median) for point in points]
    overhead_s, slope = straight_line(line)
    if slope <= 0 or line[-1][1] - line[0][1] < CLEAR * (wait_noise_s(points) or 0.0):
        unclear = Unknown(
            tr(
                "prompts of {long} tokens took no clearly longer than those of {short} ({long_s} and {short_s})",
                long=numbers.count(points[-1].prompt_tokens),
                short=numbers.count(points[0].prompt_tokens),
                long_s=seconds(line[-1][1]),
                short_s=seconds(line[0][1]),
            )
        )
        return Known(Prefill(points, unclear, unclear), Basis.MEASURED, source)
    speed = Known(1 / slope, Basis.MEASURED, source)
    overhead: Fact[float] = Known(overhead_s, Basis.COMPUTED, tr("{source}, at 0 tokens", source=source))
    if overhead_s < 0:  # a wait cannot be: the lengths' times do not lie on a line
        overhead = Unknown(tr("longer prompts were read more slowly, or the times scatter too much"), Missing.FAILED)
    return Known(Prefill(points, speed, overhead), Basis.MEASURED, source)


async def measure_prefix(run: Run) -> None:
    """The longest prompt that was measured, sent again. Raises OutOfTime."""
    prefill = run.result.prefill.or_none()
    if prefill is None:
        run.keep(prefix=Unknown(tr("no prompt was measured to compare with"), Missing.NOT_YET))
        return
    unique = prefill.points[-1]
    if not run.fits(run.request_s(unique.prompt_tokens, LONG_ANSWER_TOKENS, users=1 + REPEATS)):
        run.keep(prefix=Unknown(tr("the time given did not reach for it"), Missing.NOT_YET))
        return
    run.step(tr("The same prompt again"), 1 + REPEATS)
    prompt = run.prompts.unique(unique.prompt_tokens)
    exchanges: list[Exchange] = []
    try:
        for _ in range(1 + REPEATS):
            exchanges += await run.ask_together([prompt], LONG_ANSWER_TOKENS)
            failed = exchanges[-1].failure
            if failed is not None:
                run.fail(tr("the same prompt again"), failed)
                break
    finally:
        run.keep(prefix=prefix_of(unique, exchanges))


def prefix_of(unique: PromptPoint, exchanges: Sequence[Exchange]) -> Fact[PrefixReuse]:
    """What sending a prompt again came to; the first of the exchanges fills the cache."""
    again = [each for each in exchanges[1:] if each.first_token_s is not None]
    if not again:
        return Unknown(tr("no prompt was answered twice"), Missing.NOT_YET)
    counts = [count for each in again if (count := cached_tokens(each)) is not None]
    cached: Fact[int] = (
        Known(round(median(counts)), Basis.READ, tr("the server's own count"))
        if counts
        else Unknown(tr("the server does not say how much it found in its cache"), Missing.NOT_SUPPORTED)
    )
    waits = tuple(wait for each in again if (wait := each.first_token_s) is not None)
    found = PrefixReuse(unique.prompt_tokens, unique.first_token_s, Samples(waits), cached)
    return Known(found, Basis.MEASURED, tr("the same prompt again, beside unique ones of its length"))


def cached_tokens(exchange: Exchange) -> int | None:
    """Of the prompt, as the usage figures or else the engine's timings say."""
    if exchange.cached_tokens is not None:
        return exchange.cached_tokens
    timings = exchange.engine.or_none()
    return None if timings is None else timings.cached_tokens

