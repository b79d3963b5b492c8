"""Parts and programs that people buy and that cannot help here: one rule each, with its number from this machine."""

from typing import Final

from advisor.benchmarks.curves import flat_part
from advisor.benchmarks.model import Phase
from advisor.benchmarks.phrases import threads, tokens
from advisor.ceilings.roofline import decode_ceiling
from advisor.core.evidence import Fact, Known, Missing, Unknown
from advisor.core.numbers import bandwidth, chosen_seconds, chosen_speed, count, percent, seconds, size, speed
from advisor.core.translation import tr
from advisor.diagnosis.model import Limit, Problem
from advisor.diagnosis.selection import thread_sweep
from advisor.recommendations import faster_memory as advised
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.faster_memory import reading_share
from advisor.recommendations.model import WontHelp

FLAT_WITHIN: Final = 0.05
"""Gains below 5 % drown in run-to-run spread."""

MOST: Final = 2 / 3
"""Share of the request from which changing only the other phase is pointless."""

READING_LIMITS: Final = 0.60
"""From this share of a token's time on reading is its limit, whatever else it spends (``rules.measured``)."""

LINK_SHARE: Final = 0.2
"""Share of a token's time that the way to another machine may take before it is worth a warning."""


def new_hardware(evidence: Evidence) -> WontHelp | None:
    """While something is wrong, no part can be judged."""
    if not evidence.faulty:
        return None
    finding = next(held for held in (evidence.verdict.decode, evidence.verdict.prefill) if held.limit is Limit.FAULT)
    return WontHelp("new-hardware", tr("New hardware: find the fault first, or it moves along."), finding.because)


def comfortable(evidence: Evidence) -> WontHelp | None:
    """Nothing to buy for work that is comfortable already."""
    if evidence.verdict.problem is not Problem.NONE or evidence.unreliable:
        return None
    timeline, comfort = evidence.timeline, evidence.workload.comfort
    values = {
        "wait": seconds(timeline.wait_s, comfort.longest_wait_s),
        "limit": chosen_seconds(comfort.longest_wait_s),
        "speed": timeline.decode_speed,
        "enough": chosen_speed(comfort.slowest_tokens_per_s),
    }
    return WontHelp(
        "comfortable",
        tr("Any new part for this work: nobody would notice it."),
        tr("In an average turn the first word comes after {wait}, up to {limit} is fine; the answer streams at "
           "{speed}, {enough} is enough.", **values)
        if evidence.is_chat
        else tr("The first word comes after {wait}, up to {limit} is fine; the answer streams at {speed}, {enough} is "
           "enough.", **values),
    )


def more_cores(evidence: Evidence) -> WontHelp | None:
    """More cores or threads for a decode that memory limits, by sweep or by ceiling."""
    if evidence.runs_on_gpu:
        return None
    row = evidence.decode_row
    sweep = () if row is None else thread_sweep(evidence.tests, row)
    if len(sweep) >= 3:
        knee, end = flat_part(sweep, FLAT_WITHIN)
        if end.n_threads >= 2 * knee.n_threads:
            return WontHelp(
                "more-cores",
                tr("More cores: decode is flat from {few} to {many} threads.",
                   few=count(knee.n_threads), many=count(end.n_threads)),
                tr("Measured here: {few} and {many}.", few=knee.speed_words, many=end.speed_words),
            )
    if evidence.limit(Phase.DECODE) is Limit.UNPACKING:
        return more_threads(evidence)
    ceiling = _decode_ceiling(evidence).or_none()
    if evidence.limit(Phase.DECODE) is not Limit.MEMORY or ceiling is None:
        return None
    return WontHelp(
        "more-cores",
        tr("More cores: decode waits for memory and stays at or below {speed} with any number of them.",
           speed=_at_depth(evidence, speed(ceiling))),
        evidence.verdict.decode.because,
    )


def more_threads(evidence: Evidence) -> WontHelp | None:
    """More threads than cores, for a decode that unpacks: every core works already, and threads that share one wait."""
    row, cpu = evidence.decode_row, evidence.machine.cpu
    if row is None or row.n_threads < cpu.usable_threads:
        return None
    return WontHelp(
        "more-threads",
        tr("More threads: {threads} unpack the weights already, and this process may use {usable}.",
           threads=threads(row.n_threads), usable=tr(cpu.usable_because)),
        evidence.verdict.decode.because,
    )


def faster_cpu(evidence: Evidence) -> WontHelp | None:
    """A faster processor on the same memory, for decode."""
    source = _decode_ceiling(evidence)
    ceiling = source.or_none()
    if evidence.runs_on_gpu or evidence.limit(Phase.DECODE) is not Limit.MEMORY or ceiling is None:
        return None
    return WontHelp(
        "faster-cpu",
        tr("A processor with twice the compute on the same memory: decode stays at or below {speed}.",
           speed=_at_depth(evidence, speed(ceiling))),
        tr("The ceiling is {source}.", source=source.source)
        if isinstance(source, Known)
        else evidence.verdict.decode.because,
    )


def bigger_card(evidence: Evidence) -> WontHelp | None:
    """A card with more memory but no more bandwidth."""
    if not evidence.runs_on_gpu or evidence.faulty or evidence.limit(Phase.DECODE) is not Limit.MEMORY:
        return None
    if not evidence.fits_on_cards():
        return None
    if evidence.on_unified_memory:
        return WontHelp(
            "bigger-card",
            tr("The same chip with more memory: the model fits, decode follows bandwidth, prefill arithmetic."),
            evidence.verdict.decode.because,
        )
    return WontHelp(
        "bigger-card",
        tr("A card with more memory but no more bandwidth: decode follows bandwidth, prefill arithmetic."),
        tr("{because} Published, same 7B model: 856 GB/s 150 tokens/s, the newer 419 GB/s 88; and a workstation card "
           "with twice the memory took 23 s for what a faster 24 GB card did in 16 s.",
           because=evidence.verdict.decode.because),
    )


def more_cards(evidence: Evidence) -> WontHelp | None:
    """More cards of the same kind by layer split, where the model fits those that hold it."""
    if not evidence.runs_on_gpu or evidence.on_unified_memory or evidence.faulty or not evidence.fits_on_cards():
        return None
    return WontHelp(
        "more-gpus",
        tr("A second card of the same kind: split by layers, it adds memory, not decode speed, and the model fits "
           "one.")
        if evidence.cards_used < 2
        else tr("A further card of the same kind: split by layers, it adds memory, not decode speed, and the model "
                "fits those that hold it."),
        tr("Published, 70B on 1, 2, 3 and 4 cards: 13.48, 10.14, 9.69 and 9.23 tokens/s."),
    )


def faster_memory(evidence: Evidence) -> WontHelp | None:
    """Faster memory for a phase that does not wait for it and is most of the request."""
    timeline, problem = evidence.timeline, evidence.verdict.problem
    if evidence.runs_on_gpu:
        return None
    share = timeline.wait_s / timeline.total_s
    if problem is Problem.PREFILL and share >= MOST and evidence.limit(Phase.PREFILL) is Limit.COMPUTE:
        return WontHelp(
            "faster-memory",
            tr("Faster memory: the prompt is {share} of the request, and reading it is limited by arithmetic.",
               share=percent(share)),
            evidence.verdict.prefill.because,
        )
    row = evidence.deep_decode_row
    if row is None or evidence.limit(Phase.DECODE) is not Limit.UNPACKING or share >= MOST:
        return None
    reading = reading_share(evidence)
    if reading >= READING_LIMITS:
        return None
    token_s = 1 / row.tokens_per_s
    deep = tr(" Both as measured at a depth of {depth}.", depth=tokens(row.n_depth)) if row.n_depth else ""
    return WontHelp(
        "faster-memory",
        tr("Faster memory: reading the weights is {share} of each token, unpacking them is the limit.",
           share=percent(reading)),
        tr("Twice the bandwidth would save at most {saved} of {token} per token. {because}",
           saved=seconds(token_s * reading / 2), token=seconds(token_s), because=evidence.verdict.decode.because)
        + deep,
    )


def more_memory(evidence: Evidence) -> WontHelp | None:
    """More memory of the same speed where the model fits with room to spare."""
    total = evidence.machine.memory.total_bytes
    if isinstance(total, Known) and evidence.needed_bytes() * 1.5 <= total.value and not evidence.runs_on_gpu:
        return WontHelp(
            "more-memory",
            tr("More memory of the same speed: the model fits with room to spare. Only a module in an empty channel "
               "adds speed.")
            if advised.predict(evidence) is not None
            else tr("More memory of the same speed: the model fits with room to spare."),
            tr("The weights and a cache of full length, no sliding window counted, take {needed} of {total}.",
               needed=size(evidence.needed_bytes()), total=size(total.value)),
        )
    return None


def faster_disk(evidence: Evidence) -> WontHelp | None:
    """A faster disk for a model that stays in memory."""
    if evidence.fits_in_memory() is not True or evidence.faulty:
        return None
    return WontHelp(
        "faster-disk",
        tr("A faster disk: it shortens loading once, not a single request."),
        tr("The weights and a cache of full length, no sliding window counted, take {needed} and stay in memory.",
           needed=size(evidence.needed_bytes())),
    )


def other_machine(evidence: Evidence) -> WontHelp | None:
    """A device of another machine, where the way to it takes a large part of each token."""
    row = evidence.decode_row
    if row is None or evidence.engine is None:
        return None
    links = [(device, device.link.or_none()) for device in evidence.engine.devices]
    known = [(device, link) for device, link in links if link is not None]
    if not known:
        return None
    device, link = max(known, key=lambda held: held[1].round_trip_s)
    share = link.round_trip_s * row.tokens_per_s
    if share < LINK_SHARE:
        return None
    return WontHelp(
        "other-machine",
        tr("Layers on the other machine ({device}): each token waits for the network.",
           device=device.description or device.name),
        tr("One way there and back takes {trip} at {bandwidth}, measured here; a token takes {token} now.",
           trip=seconds(link.round_trip_s), bandwidth=bandwidth(link.bytes_per_s),
           token=seconds(1 / row.tokens_per_s)),
    )


def _decode_ceiling(evidence: Evidence) -> Fact[float]:
    """Decode's upper bound at the depth nearest to this work's that was measured."""
    held, row = evidence.ceilings, evidence.deep_decode_row
    if held is None:
        return Unknown(tr("the ceilings are not measured"), Missing.NOT_YET)
    if row is None or evidence.traffic is None or (held.batch == 1 and held.depth == row.n_depth):
        return held.decode_tokens_per_s
    return decode_ceiling(evidence.traffic, held.read_bytes_per_s, held.compute_flop_per_s, 1, row.n_depth)


def _at_depth(evidence: Evidence, said: str) -> str:
    """The speed with the depth that it is of, where that is no empty cache."""
    row = evidence.deep_decode_row
    if row is None or not row.n_depth:
        return said
    return tr("{speed} at a depth of {depth}", speed=said, depth=tokens(row.n_depth))
