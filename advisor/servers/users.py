"""Several streams at once: what another user costs the others."""

import asyncio
from collections.abc import Sequence
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Unknown
from advisor.core.numbers import plural
from advisor.core.translation import tr
from advisor.servers.exchange import Exchange
from advisor.servers.model import Samples, UsersPoint
from advisor.servers.recording import Recording
from advisor.servers.run import OutOfTime, Run

FEWEST_TOGETHER: Final = 4
"""Chunks of each stream within the time in which all of them write, below which it tells no speed."""


async def measure_users(run: Run, models_path: str) -> None:
    """One point after the other, until one fails or does not fit the time. Raises OutOfTime."""
    prompt, answer = run.settings.users_prompt_tokens, run.settings.answer_tokens
    prompt = min(prompt, run.longest_prompt(answer))
    for users in run.settings.users:
        run.step(tr("{users} at once", users=plural(users, "user", "users")))
        if not run.fits(expected_s(run, users)):
            run.leave_out(
                tr("{users} at once would take too long for the time given.", users=plural(users, "user", "users"))
            )
            return
        await run.client.open_connections(users, models_path)
        prompts = [run.prompts.unique(prompt) for _ in range(users)]
        records = [Recording(run.client.now_s()) for _ in prompts]
        try:
            exchanges = await run.ask_together(prompts, answer, records)
        except (OutOfTime, asyncio.CancelledError):
            if all(record.arrivals_s for record in records):
                cut = [record.exchange(run.client.now_s()) for record in records]
                run.keep(users=(*run.result.users, users_point(cut)))
            raise
        run.keep(users=(*run.result.users, users_point(exchanges)))
        failed = next((each.failure for each in exchanges if each.failure is not None), None)
        if failed is not None:
            run.fail(tr("{users} at once", users=plural(users, "user", "users")), failed)
            return


def expected_s(run: Run, users: int) -> float:
    """What a point should take: by the last point, if each further user costs what an average one did."""
    if run.result.users:
        last = run.result.users[-1]
        began = min(each.sent_at_s for each in last.exchanges)
        return (max(each.ended_at_s for each in last.exchanges) - began) * users / last.users
    return run.request_s(run.settings.users_prompt_tokens, run.settings.answer_tokens, users)


def users_point(exchanges: Sequence[Exchange]) -> UsersPoint:
    """The figures of streams that were begun together; at least one."""
    wrote = [each for each in exchanges if each.arrivals_s]
    speeds = tuple(speed for each in wrote if (speed := each.decode_tokens_per_s))
    return UsersPoint(
        users=len(exchanges),
        exchanges=tuple(exchanges),
        together_tokens_per_s=_together(exchanges),
        each_tokens_per_s=Samples(speeds),
        output_tokens_per_s=_output(wrote),
        first_token_s=Samples(tuple(wait for each in wrote if (wait := each.first_token_s) is not None)),
        gaps_s=Samples(tuple(gap for each in wrote for gap in each.gaps_s)),
    )


def _together(exchanges: Sequence[Exchange]) -> Fact[float]:
    if not all(each.arrivals_s for each in exchanges):
        return Unknown(tr("not all of them wrote"))
    begin_s = max(each.arrivals_s[0] for each in exchanges)
    end_s = min(each.arrivals_s[-1] for each in exchanges)
    counts = [sum(begin_s < at_s <= end_s for at_s in each.arrivals_s) for each in exchanges]
    if min(counts) < FEWEST_TOGETHER:
        return Unknown(tr("they wrote one after the other, not together"))
    written = sum(count * each.tokens_per_chunk for count, each in zip(counts, exchanges, strict=True))
    return Known(written / (end_s - begin_s), Basis.MEASURED, tr("tokens of all streams while all of them wrote"))


def _output(wrote: Sequence[Exchange]) -> Fact[float]:
    if not wrote:
        return Unknown(tr("none of them wrote"))
    took_s = max(each.arrivals_s[-1] for each in wrote) - min(each.sent_at_s for each in wrote)
    tokens = sum(each.completion_tokens for each in wrote)
    return Known(tokens / took_s, Basis.MEASURED, tr("all tokens, from the first request to the last token"))
