"""Two machines that share the layers of a model over a network (llama.cpp's RPC); pure.

The machines work one after the other, so that a second one brings room and no speed: a token is computed by the one,
sent, computed by the other. ``token = (1 − s) / v_here + s / v_there + messages × latency + bytes / bandwidth``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from advisor.ceilings.other_hardware import SpeedRange
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import bandwidth, count, percent, seconds, size
from advisor.core.translation import marked, tr
from advisor.hardware.catalog import Accelerator
from advisor.hardware.catalog import Kind as Row
from advisor.recommendations.partly import ROOM_SHARE, UBATCH
from advisor.recommendations.saving import Factors
from advisor.whatif.device import PUBLISHED, UNIFIED_ROOM_SHARE, changed, whole
from advisor.whatif.model import Assumption, Base, Change, Fit, Kind, Question


@dataclass(frozen=True, slots=True)
class Network:
    """A way between two machines; what a single connection carries, and how long a message and its answer take."""

    name: str
    bytes_per_s: float
    round_trip_s: float


NETWORKS: Final[Mapping[str, Network]] = MappingProxyType({
    "wifi": Network("Wi-Fi 6", 60e6, 4e-3),
    "1gbe": Network("1 Gbit/s", 117e6, 0.30e-3),
    "2.5gbe": Network("2.5 Gbit/s", 292e6, 0.25e-3),
    "10gbe": Network("10 Gbit/s", 1.15e9, 0.10e-3),
    "25gbe": Network("25 Gbit/s", 2.9e9, 0.06e-3),
    "thunderbolt": Network(marked("Thunderbolt or USB4"), 2.2e9, 0.15e-3),
})  # fmt: skip
"""Line rates less their framing (94 % of Gigabit Ethernet), usual round trips in one room; assumptions that the user
may replace by what ``ping`` says."""

MESSAGES: Final = (2, 4, 8)
"""Messages with an answer per step and second machine: inputs set, graph sent, result fetched; low to high."""

ACTIVATION_BYTES: Final = 4
"""llama.cpp passes activations on in 32 bits."""

ROOM_ONLY: Final = marked(
    "Both machines work one after the other on each token, so that the second one brings room, and speed only where "
    "it is the faster one. Loading sends its part of the weights over the network once."
)
UNTRIED: Final = marked("Messages per token are an assumption; “two-machines bench --rpc HOST:PORT” measures it.")


def over_network(base: Base, network: Network, other: Accelerator | None, question: Question) -> Change:
    """Both phases with a share of the layers on a second machine.

    Args:
        base: the present.
        network: between both.
        other: its device; None for a machine like this one.
        question: with the user's own figures.
    """
    if other is not None:
        other = changed(other, question)
    there_room = base.room_bytes if other is None else _room(other)
    room = None if there_room is None or base.room_bytes is None else there_room + base.room_bytes
    share = question.there_share if question.there_share is not None else _share(base, there_room)
    prefill, decode = _there(base, other)
    embedding = base.model.embedding_length.or_none() or 0
    sent = embedding * ACTIVATION_BYTES
    way, given = tr(network.name), tr("you said")
    return Change(
        kind=Kind.SECOND_MACHINE,
        name=machine_name(network, other),
        where=tr("{there} of the layers there, {here} here", there=percent(share), here=percent(1 - share)),
        prefill=_both(base, base.here.prefill_tokens_per_s, prefill, share, network, sent, UBATCH),
        decode=_both(base, base.here.decode_tokens_per_s, decode, share, network, sent, 1),
        fit=Fit(base.needed_bytes, room),
        assumptions=(
            Assumption(tr("network"), tr("{bandwidth}, {trip} there and back", bandwidth=bandwidth(network.bytes_per_s),
                                         trip=seconds(network.round_trip_s)), way, "--rpc"),
            Assumption(tr("messages per step"), tr("{low} to {high}", low=MESSAGES[0], high=MESSAGES[2]),
                       tr("as llama.cpp's RPC sends them")),
            Assumption(tr("share of the layers there"), percent(share),
                       given if question.there_share is not None else tr("by the memory of both, as llama.cpp does"),
                       "--there"),
            Assumption(tr("the other machine"), tr("like this one") if other is None else other.name,
                       tr("unless you name its device") if other is None else given, "--rpc-device"),
            Assumption(tr("passed on per token"), size(2 * sent),
                       tr("{n} numbers there and back", n=count(embedding))),
        ),
        limits=tuple(map(tr, (PUBLISHED, ROOM_ONLY, UNTRIED) if other is not None else (ROOM_ONLY, UNTRIED))),
    )  # fmt: skip


def step_s(here_s: float, there_s: float, share: float, network: Network, messages: int, sent_bytes: float) -> float:
    """Seconds of a step that takes so long on either machine alone, with that share of it on the second one."""
    way_s = messages * network.round_trip_s + 2 * sent_bytes / network.bytes_per_s
    return (1 - share) * here_s + share * there_s + (way_s if share > 0 else 0.0)


def machine_name(network: Network, other: Accelerator | None) -> str:
    """What a second machine over a network is called."""
    return f"{tr(Kind.SECOND_MACHINE) if other is None else other.name}, {tr(network.name)}"


def _both(
    base: Base,
    here_tokens_per_s: float,
    there: Fact[SpeedRange],
    share: float,
    network: Network,
    sent_bytes: int,
    tokens: int,
) -> Fact[Factors]:
    if isinstance(there, Unknown):
        return there
    here_s = tokens / here_tokens_per_s
    ends = []
    for speed, messages in zip(
        (there.value.low, there.value.middle, there.value.high), reversed(MESSAGES), strict=True
    ):  # fmt: skip
        taken_s = step_s(here_s, tokens / speed, share, network, messages, sent_bytes * tokens)
        ends.append(here_s / taken_s)
    low, middle, high = sorted(ends)
    return Known(Factors(low, middle, high), Basis.ESTIMATED, tr("sum over both machines and the way between them"))


def _there(base: Base, other: Accelerator | None) -> tuple[Fact[SpeedRange], Fact[SpeedRange]]:
    """Both speeds of the other machine with all of the model, in tokens/s."""
    here = base.here
    if other is None:
        same = [
            Known(SpeedRange(speed * (1 - base.differ), speed, speed * (1 + base.differ)), base.basis, base.source)
            for speed in (here.prefill_tokens_per_s, here.decode_tokens_per_s)
        ]
        return same[0], same[1]
    found = whole(base, other)
    speeds: list[Fact[SpeedRange]] = []
    for fact, now in zip(found, (here.prefill_tokens_per_s, here.decode_tokens_per_s), strict=True):
        if isinstance(fact, Unknown):
            speeds.append(Unknown(fact.reason, Missing.NOT_APPLICABLE))
        else:
            gain = fact.value
            speeds.append(Known(SpeedRange(gain.low * now, gain.middle * now, gain.high * now), fact.basis, ""))
    return speeds[0], speeds[1]


def _share(base: Base, there_room: int | None) -> float:
    if there_room is None or base.room_bytes is None:
        return 0.5
    return there_room / (there_room + base.room_bytes)


def _room(other: Accelerator) -> int | None:
    share = UNIFIED_ROOM_SHARE if other.kind is Row.UNIFIED else ROOM_SHARE
    return None if other.memory_bytes is None else round(other.memory_bytes * share)
