"""Reading what a server says of itself before anything is measured."""

import asyncio
from typing import Final

from advisor.core.errors import AdvisorError
from advisor.core.evidence import Basis, Fact, Known
from advisor.core.numbers import plural
from advisor.core.translation import tr
from advisor.gguf.readable import readable
from advisor.servers import failures
from advisor.servers.address import Address
from advisor.servers.client import ServerClient
from advisor.servers.facts import Answer, ServerFacts, not_said
from advisor.servers.model import ServerSettings
from advisor.servers.prometheus import Scrape, parse
from advisor.servers.recognise import PROBES, recognise

MODELS: Final = "/v1/models"
METRICS: Final = "/metrics"
ROUND_TRIPS: Final = 3
PROBE_S: Final = 5.0
"""Nothing that is probed computes anything."""


async def read_facts(client: ServerClient, address: Address, settings: ServerSettings) -> ServerFacts:
    """Which server it is and which of its models is measured. Raises AdvisorError."""
    listed = await client.get(MODELS)
    refuse(listed, address, settings)
    others = await asyncio.gather(*(_probe(client, path) for path in PROBES if path != MODELS))
    said = recognise((listed, *others))
    model = choose_model(said.models, settings.model)
    client.dialect.kind, client.dialect.model = said.kind, model
    context = said.context_tokens.get(model)
    return ServerFacts(
        base_url=address.api,
        kind=said.kind,
        because=said.because,
        version=said.version,
        models=said.models,
        model=model,
        context_tokens=not_said()
        if context is None
        else Known(context, Basis.READ, tr("the server")),
        slots=said.slots,
        settings=said.settings,
        round_trip_s=await _round_trip(client),
    )


def refuse(listed: Answer, address: Address, settings: ServerSettings) -> None:
    """Raise for a list of models that shows that no request would succeed; one that is missing is no such sign."""
    if listed.status in (404, 405, 501) and not failures.is_html(listed.text, listed.content_type):
        return
    if listed.status != 200:
        raise failures.of_status(
            listed.status, listed.text, listed.content_type, address.root, settings.model, settings.key
        )
    if failures.is_html(listed.text, listed.content_type):
        raise failures.not_an_api(address.root)


async def _probe(client: ServerClient, path: str) -> Answer:
    """One answer; status 0 where none comes soon, since only the list of models must be there."""
    try:
        async with asyncio.timeout(PROBE_S):
            return await client.get(path)
    except (AdvisorError, TimeoutError):
        return Answer(path, 0)


async def scrape(client: ServerClient) -> Scrape:
    """The server's own counters; empty where it has none."""
    answer = await _probe(client, METRICS)
    return parse(answer.text if answer.status == 200 else "")


def choose_model(models: tuple[str, ...], wanted: str) -> str:
    """The id to ask for: the wanted one, found by its whole id or else by its only match; the first without a wish.

    Raises WrongAddress where the server has others only.
    """
    if not wanted:
        return models[0] if models else ""
    close = [each for each in models if wanted.lower() in each.lower()]
    if wanted in models or not models:
        return wanted
    if len(close) == 1:
        return close[0]
    names = ", ".join(readable(each) for each in models[:8])
    if len(models) > 8:
        names = tr("{names} and {more}", names=names, more=plural(len(models) - 8, "other", "others"))
    raise failures.WrongAddress(
        tr("The server has no model {model}.", model=readable(wanted)), tr("It has: {names}.", names=names)
    )


async def _round_trip(client: ServerClient) -> Fact[float]:
    times = [await client.round_trip_s(MODELS) for _ in range(ROUND_TRIPS)]
    return Known(min(times), Basis.MEASURED, tr("the fastest of {n} requests for the list of models", n=ROUND_TRIPS))
