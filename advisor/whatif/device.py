"""Another device in place of, or beside, the processor: a graphics card, or a machine with unified memory; pure."""

from dataclasses import replace
from typing import Final

from advisor.benchmarks.phrases import layers as of_layers
from advisor.ceilings.other_hardware import SpeedRange, decode_on, prefill_on
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import bandwidth, count, percent, size
from advisor.core.translation import marked, tr
from advisor.hardware.catalog import Accelerator
from advisor.hardware.catalog import Kind as Row
from advisor.recommendations.add_gpu import HEADROOM
from advisor.recommendations.partly import (
    FAST_LINK_BYTES_PER_S,
    LINK_BYTES_PER_S,
    ROOM_SHARE,
    Split,
    gains_of,
    split_of,
)
from advisor.recommendations.saving import Factors
from advisor.whatif.model import Assumption, Base, Change, Fit, Kind, Question

UNIFIED_ROOM_SHARE: Final = 0.75
"""Of a unified memory the part that its graphics processor may take: macOS allows two thirds to three quarters unless
told otherwise (Metal's recommendedMaxWorkingSetSize); the rest is the system's."""

PUBLISHED: Final = marked(
    "Speeds of hardware that is not here come from published measurements of such devices; four of five lay in their "
    "range. Drivers, cooling, and an engine build that suits the device are taken for granted."
)
SLOT: Final = marked("Whether slot, power supply and case take the card is not looked at.")
WHOLE_MACHINE: Final = marked("It is a whole machine; everything else about it is not looked at.")
SUM: Final = marked(
    "A model that lies on two devices is reckoned as the sum of both, without waiting between them; half of the gain "
    "is taken as the low end."
)


def with_device(base: Base, device: Accelerator, question: Question) -> Change:
    """Both phases with the model on that device, as far as it fits."""
    device = changed(device, question)
    unified = device.kind is Row.UNIFIED
    share = UNIFIED_ROOM_SHARE if unified else ROOM_SHARE
    room = None if device.memory_bytes is None else round(device.memory_bytes * share)
    fit = Fit(base.needed_bytes, room)
    kind = Kind.UNIFIED if unified else Kind.CARD
    assumed = _assumptions(base, device, question, share)
    whole_machine, card = (tr(PUBLISHED), tr(WHOLE_MACHINE)), (tr(PUBLISHED), tr(SLOT))
    if unified:
        if fit.fits is False:
            gone = Unknown(_no_room(base, room or 0, device.name), Missing.NOT_APPLICABLE)
            return Change(kind, device.name, tr("it does not fit"), gone, gone, fit, assumed, whole_machine)
        prefill, decode = whole(base, device)
        where = tr("all of it in the memory of the machine")
        return Change(kind, device.name, where, prefill, decode, fit, assumed, whole_machine)
    fits = base.needed_bytes * HEADROOM <= (device.memory_bytes or 0)
    if (fits and question.gpu_layers is None) or device.memory_bytes is None:
        prefill, decode = whole(base, device)
        return Change(kind, device.name, tr("all layers on the card"), prefill, decode, fit, assumed, card)
    part = split_of(base.here.demand, device.memory_bytes, question.gpu_layers)
    if question.gpu_layers is None and not part.head_on:
        gone = Unknown(_no_room(base, room or 0, device.name), Missing.NOT_APPLICABLE)
        return Change(kind, device.name, tr("no layer fits the card"), gone, gone, fit, assumed, card)
    if part.whole:
        prefill, decode = whole(base, device)
    else:
        prefill, decode = _partly(base, device, part, question)
    limits = (tr(PUBLISHED), tr(SUM), tr(SLOT))
    return Change(kind, device.name, placed_words(part), prefill, decode, fit, assumed, limits)


def changed(device: Accelerator, question: Question) -> Accelerator:
    """The device with the user's own memory and bandwidth in place of the table's."""
    memory, rate = question.device_memory_bytes, question.device_bytes_per_s
    return replace(
        device,
        memory_bytes=device.memory_bytes if memory is None else memory,
        bandwidth_bytes_per_s=device.bandwidth_bytes_per_s if rate is None else rate,
    )


def whole(base: Base, device: Accelerator) -> tuple[Fact[Factors], Fact[Factors]]:
    """Both speed-ups with all of the model on the device, its memory not looked at."""
    here = base.here
    traffic = here.demand.traffic
    prefill = prefill_on(device, traffic, prompt=here.n_prompt)
    decode = decode_on(device, traffic, depth=here.n_depth)
    return (
        over(prefill, here.prefill_tokens_per_s, base.differ),
        over(decode, here.decode_tokens_per_s, base.differ),
    )


def over(speed: Fact[SpeedRange], here_tokens_per_s: float, differ: float) -> Fact[Factors]:
    """A speed elsewhere ÷ the speed here, which may be off by a share of ``differ`` itself."""
    if isinstance(speed, Unknown):
        return speed
    low, middle, high = (end / here_tokens_per_s for end in (speed.value.low, speed.value.middle, speed.value.high))
    return Known(Factors(low * (1 - differ), middle, high * (1 + differ)), Basis.ESTIMATED, speed.source)


def placed_words(part: Split) -> str:
    """How the model lies: "20 of 32 layers on the card (-ngl 21)"."""
    if part.whole:
        return tr("all layers on the card")
    if not part.layers:
        if part.head_on:
            return tr("the output matrix alone on the card ({options})", options=part.options)
        return tr("nothing of the model on the card ({options})", options=part.options)
    if part.cpu_expert_layers:
        return tr(
            "all on the card but the experts of {layers} ({options})",
            layers=of_layers(part.cpu_expert_layers), options=part.options,
        )  # fmt: skip
    return tr(
        "{n} of {layers} on the card ({options})",
        n=count(part.layers), layers=of_layers(part.of_layers), options=part.options,
    )  # fmt: skip


def _partly(base: Base, device: Accelerator, part: Split, question: Question) -> tuple[Fact[Factors], Fact[Factors]]:
    if base.on_card:
        why = Unknown(tr("a part would stay on the processor, whose own speeds are not measured"), Missing.NOT_YET)
        return why, why
    link = question.link_bytes_per_s
    found = gains_of(base.here, device, part, None if link is None else (link, link))
    if found is None:
        why = Unknown(
            tr("neither arithmetic nor a published measurement is known for {device}", device=device.name),
            Missing.NOT_YET,
        )
        return why, why
    source = tr("sum over the card and this processor")
    prefill, decode = (
        Known(Factors(one.low * (1 - base.differ), one.middle, one.high * (1 + base.differ)), Basis.ESTIMATED, source)
        for one in found
    )
    return prefill, decode


def _no_room(base: Base, room: int, name: str) -> str:
    return tr(
        "model and cache need {needed}, and {device} has {room} for them",
        needed=size(base.needed_bytes), device=name, room=size(room),
    )  # fmt: skip


def _assumptions(base: Base, device: Accelerator, question: Question, share: float) -> tuple[Assumption, ...]:
    given, table, unknown = tr("you said"), tr("accelerator table"), tr("unknown")
    memory = question.device_memory_bytes
    rate = question.device_bytes_per_s
    found = [
        Assumption(
            tr("memory of the device"), unknown if device.memory_bytes is None else size(device.memory_bytes),
            given if memory is not None else table, "--device-memory",
        ),
        Assumption(
            tr("bandwidth of its memory"),
            unknown if device.bandwidth_bytes_per_s is None else bandwidth(device.bandwidth_bytes_per_s),
            given if rate is not None else table, "--device-bandwidth",
        ),
        Assumption(tr("share of its memory for the model"), percent(share), tr("the rest is for system and screen")),
        Assumption(
            tr("context"), tr("{n} tokens in the middle of the answer", n=count(base.here.demand.depth)),
            tr("the work"), "--prompt, --answer, --users",
        ),
    ]  # fmt: skip
    if device.kind is not Row.UNIFIED:
        link = question.link_bytes_per_s
        value = (
            tr("{usual}, at best {best}", usual=bandwidth(LINK_BYTES_PER_S), best=bandwidth(FAST_LINK_BYTES_PER_S))
            if link is None
            else bandwidth(link)
        )
        source = tr("what an engine was seen to reach, and PCIe 4.0 with 16 lanes") if link is None else given
        found.append(Assumption(tr("way to the card, for weights that stay behind"), value, source, "--pcie"))
        layers = question.gpu_layers
        found.append(
            Assumption(
                tr("layers on the card"),
                tr("as many as fit") if layers is None else count(layers),
                tr("as llama.cpp places them") if layers is None else given,
                "--ngl",
            )
        )
    return tuple(found)
