"""A server measured from beginning to end, within its budget, with whatever was measured kept."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, Final

from advisor.core.errors import AdvisorError, Cancelled
from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.core.numbers import seconds
from advisor.core.progress import CancelToken, Progress
from advisor.core.translation import tr
from advisor.servers.address import read_address
from advisor.servers.beside import Beholder
from advisor.servers.client import ServerClient
from advisor.servers.dialect import TIMED_PATHS
from advisor.servers.engine_timings import of_scrapes
from advisor.servers.failures import ServerError
from advisor.servers.load import REPEATS, load_words
from advisor.servers.model import NOT_MEASURED, NOT_READ, ServerResult, ServerSettings
from advisor.servers.probing import MODELS, read_facts, scrape
from advisor.servers.run import Event, GaveUp, Listener, Note, OutOfTime, Run, calibrate
from advisor.servers.singles import measure_own_timings, measure_prefix, measure_singles
from advisor.servers.stutter import measure_stutter
from advisor.servers.users import measure_users

LOOK_S: Final = 0.05
"""How often the token of Stop is looked at."""

CLOSING_S: Final = 0.5
CLOSING_TURNS: Final = 5


def measure_server(settings: ServerSettings, listen: Listener, cancel: CancelToken) -> ServerResult:
    """Measure a running server; works on the calling thread, in an event loop of its own.

    Args:
        settings: the address, what to measure, and the limits.
        listen: hears ``Progress``, ``Note`` and, after each part, the ``ServerResult`` until then; on this thread.
        cancel: ends the run within a fraction of a second, open requests are closed.

    Returns:
        What was measured; ``interrupted`` says why where it is not all.

    Raises:
        AdvisorError: the address is none, or the server did not come to its first answer.
        Cancelled: before anything was known.
    """
    address = read_address(settings.url)
    newest: list[ServerResult] = []

    def hear(event: Event) -> None:
        if isinstance(event, ServerResult):
            newest[:] = [event]
        listen(event)

    async def whole() -> ServerResult:
        async with ServerClient(address, settings) as client:
            facts = await read_facts(client, address, settings)
            hear(ServerResult(facts))
            hear(Note(load_words(settings)))
            run = Run(client, settings, ServerResult(facts), hear, _steps(settings))
            await _parts(run)
            if not run.result.interrupted:
                hear(Progress(1.0, tr("Done")))
            return run.result

    beholder = Beholder(address)
    loop = asyncio.new_event_loop()
    try:
        result = loop.run_until_complete(_until_cancelled(whole, cancel))
    finally:
        loop.run_until_complete(_wind_up(loop))
        loop.close()
    if result is None:
        if not newest or not newest[0].requests:
            raise Cancelled(tr("Stopped."), tr("Nothing was measured yet."))
        stopped = Cancelled(tr("Stopped."), tr("What was measured until then is kept."))
        result = replace(newest[0], interrupted=str(stopped))
    seen = beholder.seen()
    return replace(result, beside=Known(seen.beside, Basis.MEASURED, tr("CPU times of processes")), doubts=seen.doubts)


async def _wind_up(loop: asyncio.AbstractEventLoop) -> None:
    """End what is left, and let connections be closed, which takes the loop a few turns."""
    left = asyncio.all_tasks(loop) - {asyncio.current_task(loop)}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    await loop.shutdown_asyncgens()
    for _ in range(CLOSING_TURNS):
        await asyncio.sleep(0)


async def _until_cancelled(
    whole: Callable[[], Coroutine[Any, Any, ServerResult]], cancel: CancelToken
) -> ServerResult | None:
    """The result, or None as soon as the user stops it."""
    task = asyncio.ensure_future(whole())
    while not task.done():
        if cancel.cancelled:
            task.cancel()  # again only where closing the connections hangs: a second one would cut it short
        await asyncio.wait([task], timeout=CLOSING_S if cancel.cancelled else LOOK_S)
    return None if task.cancelled() else task.result()


async def _parts(run: Run) -> None:
    try:
        await calibrate(run)
        before = await scrape(run.client)
        await measure_singles(run)
        run.keep(counters=of_scrapes(before, await scrape(run.client)))
        if run.result.facts.kind in TIMED_PATHS:
            await measure_own_timings(run)
        await measure_prefix(run)
        await measure_users(run, MODELS)
        if run.settings.streams:
            await measure_stutter(run)
    except GaveUp:
        run.keep(interrupted=tr("Two parts failed one after the other, so nothing more was asked of the server."))
    except OutOfTime:
        if not run.result.singles:
            raise _too_slow(run.settings) from None
        up = Unknown(tr("the time given was up"), Missing.NOT_YET)
        parts = {"prefix": run.result.prefix, "stutter": run.result.stutter, "counters": run.result.counters}
        run.keep(**{name: up for name, part in parts.items() if part is NOT_MEASURED or part is NOT_READ})
        run.keep(
            interrupted=tr(
                "The time given, {budget}, was up. Give it more time (--budget).", budget=seconds(run.settings.budget_s)
            )
        )


def _too_slow(settings: ServerSettings) -> AdvisorError:
    return ServerError(
        tr("The server did not finish one short request within {budget}.", budget=seconds(settings.budget_s)),
        tr("Give it more time (--budget)."),
    )


def _steps(settings: ServerSettings) -> int:
    singles = len(settings.prompts_tokens) * settings.repetitions
    return 1 + singles + 1 + REPEATS + len(settings.users) + (2 if settings.streams else 0)
