"""A model that lies on a graphics card only in part: a step is the sum over the devices (physics.md 3, case C02).

What fits is filled as llama.cpp does: the output matrix first, then whole layers from the last one on. Of a mixture
all that every token needs goes to the card before any experts, of which each token reads only a few.
"""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.job import Placement
from advisor.ceilings.bounds import streaming_s
from advisor.ceilings.other_hardware import decode_on, prefill_on
from advisor.core.evidence import Known
from advisor.gguf.traffic import Traffic
from advisor.hardware.catalog import Accelerator
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.saving import Factors

ROOM_SHARE: Final = 0.9
"""Share of a card's memory that model and cache may fill; the rest is for screen, driver and other programs."""

LINK_BYTES_PER_S: Final = 4e9
FAST_LINK_BYTES_PER_S: Final = 25e9
"""Weights left in main memory are sent over for each batch of a prompt: 28 ms for a layer of 112 MB in case C02, on an
engine of 2023; a free PCIe 4.0 link of 16 lanes carries at most about 25 GB/s."""

UBATCH: Final = 512


@dataclass(frozen=True, slots=True)
class Demand:
    """What of a model wants room, and where in the context its steps are reckoned.

    Attributes:
        layers: at least 1.
        depth: tokens in the cache in the middle of the answer.
        cache_bytes: of all streams together.
        buffers_bytes: work buffers of the engine, an estimate; 0 where it is not known.
    """

    traffic: Traffic
    layers: int
    depth: int
    cache_bytes: int
    buffers_bytes: int


@dataclass(frozen=True, slots=True)
class Here:
    """A model's speeds on this machine, measured or reckoned, with the sizes of the tests they mean."""

    demand: Demand
    prefill_tokens_per_s: float
    n_prompt: int
    decode_tokens_per_s: float
    n_depth: int


@dataclass(frozen=True, slots=True)
class Split:
    """Where the parts of a model lie and what one decoded token reads of them, at the request's depth.

    Attributes:
        layers: on the card, 0 to ``of_layers``.
        of_layers: of the model.
        cpu_expert_layers: layers on the card whose experts stay in main memory; 0 for a dense model.
        card_bytes: read from the card's memory.
        off_bytes: read from main memory.
        off_stored_bytes: weights that lie in main memory.
        off_work: share of a prompt's arithmetic that belongs to them, 0 to 1.
        head_on: the output matrix lies on the card, which it fills first.
    """

    layers: int
    of_layers: int
    cpu_expert_layers: int
    card_bytes: float
    off_bytes: float
    off_stored_bytes: float
    off_work: float
    head_on: bool = True

    @property
    def gpu_layers(self) -> int:
        """As llama.cpp's -ngl counts them: the output matrix is one more."""
        return self.layers + 1 if self.head_on else 0

    @property
    def whole(self) -> bool:
        """Whether everything fits the card."""
        return self.off_bytes <= 0

    @property
    def options(self) -> str:
        """llama.cpp's options for it."""
        if self.whole:
            return "-ngl all"
        return f"-ngl all --n-cpu-moe {self.cpu_expert_layers}" if self.cpu_expert_layers else f"-ngl {self.gpu_layers}"

    def placement(self, devices: tuple[str, ...] = ()) -> Placement:
        """The same for the engine at hand."""
        if self.whole:
            return Placement(devices=devices)
        if not self.cpu_expert_layers:
            return Placement(devices=devices, gpu_layers=self.gpu_layers)
        first = "|".join(str(layer) for layer in range(self.cpu_expert_layers))
        return Placement(devices=devices, tensor_overrides=((rf"blk\.({first})\.ffn_.*_exps", "CPU"),))


def demand_of(evidence: Evidence) -> Demand | None:
    """Of the model of a diagnosis at its work; None where its traffic or number of layers is unknown."""
    traffic, layers = evidence.traffic, evidence.model.layers.or_none()
    if traffic is None or not layers:
        return None
    depth = evidence.writing_depth_tokens
    cache = evidence.stream_bytes() * evidence.workload.users
    return Demand(traffic, layers, depth, cache, evidence.buffers_bytes(UBATCH, depth) or 0)


def split(evidence: Evidence, room_bytes: float) -> Split | None:
    """What of the model a card with so much memory takes; None where its traffic or number of layers is unknown."""
    demand = demand_of(evidence)
    return None if demand is None else split_of(demand, room_bytes)


def split_of(demand: Demand, room_bytes: float, gpu_layers: int | None = None) -> Split:
    """What a card with so much memory takes, or as many layers as the user puts there.

    Args:
        demand: of the model.
        room_bytes: the card's memory.
        gpu_layers: as llama.cpp's -ngl counts them, the output matrix being the first; None for as many as fit.
    """
    traffic, layers, depth = demand.traffic, demand.layers, demand.depth
    room = room_bytes * ROOM_SHARE - demand.buffers_bytes
    used = traffic.experts_used / traffic.experts if traffic.experts else 0.0
    read_per_layer = (traffic.step_bytes(1, depth) - traffic.head_bytes) / layers
    stored = (traffic.dense_bytes + traffic.expert_bytes) / layers
    shared = traffic.dense_bytes + traffic.head_bytes + demand.cache_bytes
    if gpu_layers is None and traffic.experts and shared <= room:
        each = traffic.expert_bytes / layers
        off = min(layers, max(0, -int((room - shared - traffic.expert_bytes) // each)))
        off_read = off * traffic.expert_bytes * used / layers
        work = off_read / max(1.0, layers * read_per_layer)
        return Split(layers, layers, off, traffic.step_bytes(1, depth) - off_read, off_read, off * each, work)
    if gpu_layers is None:
        left = room - traffic.head_bytes
        on = max(0, min(layers, int(left // (stored + demand.cache_bytes / layers)))) if left > 0 else 0
        head_on = left > 0
    else:
        on, head_on = max(0, min(layers, gpu_layers - 1)), gpu_layers > 0
    off_read = (layers - on) * read_per_layer + (0.0 if head_on else traffic.head_bytes)
    return Split(
        on, layers, 0, traffic.step_bytes(1, depth) - off_read, off_read, (layers - on) * stored,
        (layers - on) / layers, head_on,
    )  # fmt: skip


def decode_s(part: Split, card_bytes_per_s: float, off_bytes_per_s: float) -> float:
    """Seconds of one decoded token: the devices work one after the other."""
    return streaming_s(((part.card_bytes, card_bytes_per_s), (part.off_bytes, off_bytes_per_s)))


def prefill_s(part: Split, card_tokens_per_s: float, off_tokens_per_s: float, link_bytes_per_s: float) -> float:
    """Seconds of one prompt token: what is left behind is multiplied there, or sent to the card batch by batch."""
    off_s = part.off_work / off_tokens_per_s
    sent_s = part.off_stored_bytes / link_bytes_per_s / UBATCH + part.off_work / card_tokens_per_s
    return (1 - part.off_work) / card_tokens_per_s + min(off_s, sent_s)


def worth_s(bytes_moved: float, card_bytes_per_s: float, off_bytes_per_s: float) -> float:
    """Seconds per decoded token that so many bytes save on the card instead of in main memory."""
    return bytes_moved * (1 / off_bytes_per_s - 1 / card_bytes_per_s)


def gains(evidence: Evidence, card: Accelerator, room_bytes: float) -> tuple[Factors, Factors] | None:
    """Speed-ups of (prefill, decode) over the processor measured here with as much on the card as fits.

    None where a speed of either device is unknown. The processor's part runs at its measured speed. Never below 1,
    since nobody has to use the card.
    """
    demand, read, write = demand_of(evidence), evidence.prefill_row, evidence.decode_row
    if demand is None or read is None or write is None:
        return None
    here = Here(demand, read.tokens_per_s, read.n_prompt, write.tokens_per_s, write.n_depth)
    found = gains_of(here, card, split_of(demand, room_bytes))
    if found is None:
        return None
    prefill, decode = (Factors(max(1.0, one.low), max(1.0, one.middle), max(1.0, one.high)) for one in found)
    return prefill, decode


def gains_of(
    here: Here, card: Accelerator, part: Split, link_bytes_per_s: tuple[float, float] | None = None
) -> tuple[Factors, Factors] | None:
    """Speed-ups of (prefill, decode) over the processor's speeds here with the model split like this.

    Args:
        here: the processor's speeds.
        card: that takes a part.
        part: which.
        link_bytes_per_s: of the way to the card, usual and best; ``LINK_BYTES_PER_S`` and ``FAST_LINK_BYTES_PER_S``
            unless given.
    """
    traffic, depth = here.demand.traffic, here.n_depth
    decode, prefill = decode_on(card, traffic, depth=depth), prefill_on(card, traffic, prompt=here.n_prompt)
    if not isinstance(decode, Known) or not isinstance(prefill, Known):
        return None
    usual, best = link_bytes_per_s or (LINK_BYTES_PER_S, FAST_LINK_BYTES_PER_S)
    step_bytes = traffic.step_bytes(1, depth)
    off_rate = step_bytes * here.decode_tokens_per_s
    now_s = (part.card_bytes + part.off_bytes) / off_rate
    write_gain = [
        now_s / decode_s(part, step_bytes * rate, off_rate)
        for rate in (decode.value.low, decode.value.middle, decode.value.high)
    ]
    read_gain = [
        1 / here.prefill_tokens_per_s / prefill_s(part, rate, here.prefill_tokens_per_s, link)
        for rate, link in (
            (prefill.value.low, usual),
            (prefill.value.middle, usual),
            (prefill.value.high, best),
        )
    ]
    return _cautious(read_gain), _cautious(write_gain)


def _cautious(ends: list[float]) -> Factors:
    """Partly on a card, the low end is half of the gain: copies and waiting between devices take their share."""
    low, middle, high = sorted(ends)
    return Factors(1 + (low - 1) / 2 if low > 1 else low, middle, high)
