"""Steady streams, into which one long prompt comes: how long everybody's tokens stand still."""

import asyncio
import math
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import count, seconds
from advisor.core.translation import tr, trn
from advisor.servers.exchange import Exchange
from advisor.servers.model import Samples, StutterRun
from advisor.servers.recording import Recording
from advisor.servers.run import OutOfTime, Run

STEADY_CHUNKS: Final = 24
STEADY_S: Final = 4.0
"""Each stream has written so many chunks, or all of them for so long, before the long prompt is sent."""

AFTER_S: Final = 0.5
LONGEST_AFTER_S: Final = 5.0
"""The steady streams go on after the long prompt is read, until each has written again, so that no gap stays open."""

LOOK_S: Final = 0.02
MOST_STEADY_TOKENS: Final = 4096
STEADY_PROMPT_TOKENS: Final = 32
LONG_ANSWER: Final = 4


async def measure_stutter(run: Run) -> None:
    """The experiment, once. Raises OutOfTime."""
    streams, wanted = run.settings.streams, run.settings.stutter_prompt_tokens
    slots = run.result.facts.slots.or_none()
    if slots is not None and slots < 2:
        run.keep(
            stutter=Unknown(tr("the server computes one request at a time, the others wait"), Missing.NOT_APPLICABLE)
        )
        return
    if slots is not None and streams + 1 > slots:
        run.leave_out(
            trn(
                "Stutter with {fewer} steady stream, not {streams}: the server computes {slots} at once.",
                "Stutter with {fewer} steady streams, not {streams}: the server computes {slots} at once.",
                slots - 1,
                fewer=slots - 1,
                streams=streams,
                slots=slots,
            )
        )
        streams = slots - 1
    long_tokens = min(wanted, run.longest_prompt(LONG_ANSWER))
    read_s = run.request_s(long_tokens, 0)
    steady_s = STEADY_S + 2 * read_s + AFTER_S
    if not run.fits(steady_s):
        reason = tr("it would take about {time}, more than is left of the time given", time=seconds(steady_s))
        run.keep(stutter=Unknown(reason, Missing.NOT_YET))
        return
    words = trn(
        "Stutter: {streams} steady stream, then a prompt of {n} tokens",
        "Stutter: {streams} steady streams, then a prompt of {n} tokens",
        streams, streams=streams, n=count(long_tokens),
    )  # fmt: skip
    run.step(words, 2)
    answer = min(MOST_STEADY_TOKENS, max(_answer_tokens(run, steady_s), 64), run.longest_prompt(STEADY_PROMPT_TOKENS))
    await run.client.open_connections(streams + 1, "/v1/models")
    try:
        async with asyncio.timeout(max(run.left_s, 0.0)):
            found = await _experiment(run, streams, long_tokens, answer)
    except TimeoutError:
        run.keep(stutter=Unknown(tr("the time given was up before it was done"), Missing.NOT_YET))
        raise OutOfTime from None
    run.keep(stutter=found)
    if isinstance(found, Known):
        for each in (found.value.long, *found.value.steady):
            if each.failure is not None:
                run.fail("stutter", each.failure)
                break


def _answer_tokens(run: Run, steady_s: float) -> int:
    """Enough that no steady stream ends before the long prompt is read, by the single requests' speed."""
    speeds = run.result.decode_tokens_per_s
    return math.ceil(1.5 * steady_s * speeds.median) if speeds else MOST_STEADY_TOKENS


async def _experiment(run: Run, streams: int, long_tokens: int, answer_tokens: int) -> Fact[StutterRun]:
    client = run.client
    prompts = [run.prompts.unique(STEADY_PROMPT_TOKENS) for _ in range(streams)]
    records = [Recording(client.now_s()) for _ in prompts]
    tasks = [
        asyncio.create_task(client.exchange(prompt, answer_tokens, record))
        for prompt, record in zip(prompts, records, strict=True)
    ]
    try:
        begun_s = None
        while not all(len(record.arrivals_s) >= STEADY_CHUNKS for record in records):
            if any(task.done() for task in tasks):
                break
            if begun_s is None and all(record.arrivals_s for record in records):
                begun_s = client.now_s()
            if begun_s is not None and client.now_s() - begun_s > STEADY_S:
                break
            await asyncio.sleep(LOOK_S)
        if any(task.done() for task in tasks):
            return _ended_early(tasks)
        prompt = run.prompts.unique(long_tokens)
        long = run.counted(await client.exchange(prompt, LONG_ANSWER), prompt)
        read_s = client.now_s()
        while client.now_s() < read_s + AFTER_S or not all(record.arrivals_s[-1] > read_s for record in records):
            if client.now_s() > read_s + LONGEST_AFTER_S or any(task.done() for task in tasks):
                break
            await asyncio.sleep(LOOK_S)
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
    return stutter_of(long, [record.exchange(client.now_s()) for record in records])


def _ended_early(tasks: Sequence["asyncio.Task[Exchange]"]) -> Unknown:
    ended = [task.result() for task in tasks if task.done() and not task.cancelled()]
    failed = next((each.failure for each in ended if each.failure is not None), None)
    if failed is not None:
        return Unknown(tr("a steady stream failed: {reason}", reason=failed.sentence.rstrip(".")))
    return Unknown(tr("a steady stream ended by itself before the long prompt came"))


def stutter_of(long: Exchange, steady: Sequence[Exchange]) -> Fact[StutterRun]:
    """The gaps of the steady streams before the long prompt was sent and while it was read."""
    if long.first_token_s is None:
        if long.failure is None:
            return Unknown(tr("the long prompt was not answered"))
        reason = long.failure.sentence.rstrip(".")
        return Unknown(tr("the long prompt was not answered: {reason}", reason=reason))
    if not all(each.arrivals_s for each in steady):
        return Unknown(tr("not every steady stream wrote"))
    all_write_s = max(each.arrivals_s[0] for each in steady)
    read_s = long.sent_at_s + long.first_token_s
    before, during = [], []
    for each in steady:
        for earlier_s, later_s in pairwise(each.arrivals_s):
            if all_write_s <= earlier_s and later_s <= long.sent_at_s:
                before.append(later_s - earlier_s)
            elif later_s > long.sent_at_s and earlier_s < read_s:
                during.append(later_s - earlier_s)
    if not during:
        return Unknown(tr("the steady streams had ended before the long prompt was read"))
    found = StutterRun(len(steady), long, tuple(steady), Samples(tuple(before)), Samples(tuple(during)))
    return Known(found, Basis.MEASURED, tr("gaps between the chunks of the steady streams"))
