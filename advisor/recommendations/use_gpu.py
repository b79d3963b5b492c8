"""Use the graphics processor that is there: the engine build or a setting keeps the work on the processor."""

from dataclasses import replace
from typing import Final

from advisor.benchmarks.job import Placement
from advisor.benchmarks.model import EngineDevice, Phase
from advisor.benchmarks.phrases import joined, layers, phase_word
from advisor.benchmarks.trials.model import TrialPlan
from advisor.core.evidence import Basis
from advisor.core.numbers import count, size, times_range
from advisor.core.translation import tr, trc, trn
from advisor.recommendations import trying
from advisor.recommendations.card_speed import card_factors, card_of, recent_cards
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.partly import Split, split
from advisor.recommendations.saving import Factors, from_factors
from advisor.recommendations.unused_gpu import sentence

ID: Final = "use-gpu"

ALL_LAYERS: Final = "-ngl all"
"""llama.cpp's option; its default, "auto", puts there what fits."""

SHARED_PREFILL: Final = Factors(0.3, 1.5, 3.0)
"""An integrated GPU on the same memory: from three to four times slower than its processor at prefill (5600U, Vulkan)
to two or three times faster (case D21)."""

SHARED_DECODE: Final = Factors(0.9, 1.0, 1.7)
"""The same at decode: from 10 % slower (5600U) to 25 against 15 tokens/s (case D21)."""


def predict(evidence: Evidence) -> Advice | None:
    """Which phase gains how much, wide; nothing where no unused GPU is known."""
    if evidence.runs_on_gpu:
        return None
    device = _unused_device(evidence)
    if device is None and not evidence.machine.gpus:
        return None
    shared = device.kind == "igpu" if device is not None else not evidence.cards
    offload = evidence.engine is not None and evidence.engine.gpu_offload
    name = _name(evidence, device)
    if shared:
        return _integrated(evidence, name, offload, device)
    return _discrete(evidence, name, offload, device)


def _unused_device(evidence: Evidence) -> EngineDevice | None:
    """The engine's best device that the measurements did not use: a card before an integrated one."""
    if evidence.engine is None:
        return None
    found = [device for device in evidence.engine.devices if device.kind in ("gpu", "igpu")]
    return min(found, key=lambda device: (device.kind != "gpu", device.name), default=None)


def _name(evidence: Evidence, device: EngineDevice | None) -> str:
    if device is not None:
        return device.description or device.name
    gpu = (evidence.cards or evidence.machine.gpus)[0]
    return gpu.name.or_none() or tr("graphics processor")


def _integrated(evidence: Evidence, name: str, offload: bool, device: EngineDevice | None) -> Advice:
    saving = from_factors(evidence.timeline.wait_s, SHARED_PREFILL.low, SHARED_PREFILL.middle, SHARED_PREFILL.high)
    return Advice(
        id=ID,
        phase=Phase.PREFILL,
        title=tr("Measure the integrated GPU ({gpu}) for the prompt", gpu=name),
        detail=tr(
            "It may read the prompt {read} as fast and write {write} as fast: it shares the memory, so each phase can "
            "gain or lose. Measure both before keeping it.",
            read=times_range(SHARED_PREFILL.low, SHARED_PREFILL.high),
            write=times_range(SHARED_DECODE.low, SHARED_DECODE.high),
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=_how(offload, ALL_LAYERS, device),
        cost=trc("cost", "none") if offload else tr("none but a different engine build"),
        undo=tr("start the engine with -ngl 0"),
        evidence=tr(
            "Published integrated GPUs: one three to four times slower than its processor at the prompt and 10 % at "
            "writing, others two to three times faster at the prompt, one at writing 25 against 15 tokens/s."
        ),
        trial=_trial(evidence, device, name, None),
    )


def _discrete(evidence: Evidence, name: str, offload: bool, device: EngineDevice | None) -> Advice | None:
    card = evidence.cards[0] if evidence.cards else None
    total = device.memory_total_bytes.or_none() if device is not None else None
    if total is None and card is not None:
        total = card.memory_total_bytes.or_none()
    fits = total is None or evidence.needed_bytes() <= total
    known = None if card is None else card_of(card)
    cards = recent_cards(0) if known is None else (known,)
    if total is not None:  # what this one holds counts, whatever the cards it is compared with hold
        cards = tuple(replace(held, memory_bytes=total) for held in cards)
    prefill, decode = card_factors(evidence, cards, fits)
    part = None if fits or total is None else split(evidence, total)
    waits, streams = evidence.timeline.wait_s, evidence.timeline.stream_s
    read = from_factors(waits, prefill.low, prefill.middle, prefill.high)
    write = from_factors(streams, decode.low, decode.middle, decode.high)
    reads_more = read.middle_s >= write.middle_s
    main, other = (read, write) if reads_more else (write, read)
    room = "" if fits or total is None else tr(
        " It holds {room} of the {needed} needed, so a part stays on the processor.{part}",
        room=size(total), needed=size(evidence.needed_bytes()), part=_part_words(part),
    )  # fmt: skip
    return Advice(
        id=ID,
        phase=Phase.PREFILL if reads_more else Phase.DECODE,
        title=(
            tr("Use the {gpu} that is there", gpu=name)
            if offload
            else tr("Install an engine build that uses the {gpu}", gpu=name)
        ),
        detail=tr(
            "{waste}Prefill {read}, decode {write} as fast.{room}",
            waste=_waste(evidence), read=times_range(prefill.low, prefill.high),
            write=times_range(decode.low, decode.high), room=room,
        ),
        saved_s=main.middle_s,
        saved_s_low=main.low_s,
        saved_s_high=main.high_s,
        basis=Basis.ESTIMATED,
        how=_how(offload, ALL_LAYERS if fits else part.options if part else "-ngl auto", device),
        cost=trc("cost", "none") if offload else tr("a different build of the engine; a current driver"),
        undo=tr("start the engine with -ngl 0"),
        evidence=tr(
            "The measured run used the processor only: {speeds}. Estimated from published measurements of such cards; "
            "not tried here.",
            speeds=_measured(evidence),
        ),
        other_saved_s=other.middle_s,
        trial=_trial(evidence, device, name, part) if fits or part is not None else None,
    )


def _waste(evidence: Evidence) -> str:
    """The sentence for a card that the engine cannot use, ready to stand before another."""
    words = sentence(evidence.machine, evidence.engine) if evidence.engine is not None else None
    return f"{words} " if words else ""


def _measured(evidence: Evidence) -> str:
    rows = [row for row in (evidence.prefill_row, evidence.decode_row) if row is not None]
    return joined([f"{phase_word(row.phase)} {row.speed_words}" for row in rows])


def _part_words(part: Split | None) -> str:
    if part is None or part.whole:
        return ""
    if part.cpu_expert_layers:
        left = layers(part.cpu_expert_layers)
        return tr(" Best leave the experts of {layers} there, and nothing else.", layers=left)
    return trn(
        " {n} of {layers} fits.", " {n} of {layers} fit.", part.layers,
        n=count(part.layers), layers=layers(part.of_layers),
    )  # fmt: skip


def _trial(evidence: Evidence, device: EngineDevice | None, name: str, part: Split | None) -> TrialPlan | None:
    """On the processor alone against on the device; only where the engine at hand can use it."""
    specs = [trying.spec_of(row) for row in (evidence.prefill_row, evidence.decode_row) if row is not None]
    if device is None or not specs:
        return None
    there = (device.name,)
    return trying.against(specs, specs, tr("on the processor"), tr("on the {gpu}", gpu=name),
                          placed=Placement(devices=("CPU",), gpu_layers=0),
                          placement=Placement(devices=there) if part is None else part.placement(there))


def _how(offload: bool, options: str, device: EngineDevice | None) -> tuple[HowTo, ...]:
    steps = [] if offload else [
        HowTo(tr("this app"), tr("Install llama-cpp-python built for the GPU (CUDA, Vulkan, ROCm or Metal), then "
                                 "measure again; “selftest” lists the devices it finds.")),
    ]
    whole = options == ALL_LAYERS
    where = tr("Put all layers on the GPU.") if whole else tr("Put as much on the GPU as fits.")
    raised = (
        tr("Raise “GPU Offload” to all layers in the model's load settings.")
        if whole
        else tr("Raise “GPU Offload” to what fits in the model's load settings.")
    )
    measured = () if device is None else (
        HowTo(tr("this app"), tr("Measure both phases on it."), f"two-machines bench MODEL --device {device.name}"),
    )
    return (
        *steps,
        HowTo("llama-server", where, f"llama-server {options}"),
        HowTo("Ollama", tr("Used by itself when the driver is found; the processor column shows it."), "ollama ps"),
        HowTo("LM Studio", raised),
        *measured,
    )
