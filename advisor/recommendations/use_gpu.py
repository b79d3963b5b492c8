"""Use the graphics processor that is there: the engine build or a setting keeps the work on the processor."""

from typing import Final

from advisor.benchmarks.model import EngineDevice, Phase
from advisor.core.evidence import Basis
from advisor.core.numbers import size, times_range
from advisor.recommendations.card_speed import Factors, card_factors, card_of, recent_cards
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import from_factors
from advisor.recommendations.unused_gpu import sentence

ID: Final = "use-gpu"

SHARED_PREFILL: Final = Factors(1.0, 1.5, 3.0)
"""An integrated GPU on the same memory: published cases reach from slower than the processor (5600U, Vulkan) to two
or three times faster prefill (case D21), so the low end promises nothing."""


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
        return _integrated(evidence, name, offload)
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
    return gpu.name.or_none() or "graphics processor"


def _integrated(evidence: Evidence, name: str, offload: bool) -> Advice:
    saving = from_factors(evidence.timeline.wait_s, SHARED_PREFILL.low, SHARED_PREFILL.middle, SHARED_PREFILL.high)
    return Advice(
        id=ID,
        phase=Phase.PREFILL,
        title=f"Measure the integrated GPU ({name}) for the prompt",
        detail=(
            f"It may read the prompt {times_range(SHARED_PREFILL.low, SHARED_PREFILL.high)} as fast, or lose. It "
            "shares the memory, so writing stays as it is. Measure both phases before keeping it."
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=_how(offload),
        cost="none but a different engine build" if not offload else "none",
        undo="start the engine with -ngl 0",
        evidence="Published integrated GPUs range from slower than their processor to three times faster at prefill.",
    )


def _discrete(evidence: Evidence, name: str, offload: bool, device: EngineDevice | None) -> Advice | None:
    card = evidence.cards[0] if evidence.cards else None
    total = device.memory_total_bytes.or_none() if device is not None else None
    if total is None and card is not None:
        total = card.memory_total_bytes.or_none()
    fits = total is None or evidence.needed_bytes() <= total
    known = None if card is None else card_of(card)
    prefill, decode = card_factors(evidence, recent_cards(0) if known is None else (known,), fits)
    waits, streams = evidence.timeline.wait_s, evidence.timeline.stream_s
    read = from_factors(waits, prefill.low, prefill.middle, prefill.high)
    write = from_factors(streams, decode.low, decode.middle, decode.high)
    reads_more = read.middle_s >= write.middle_s
    main, other = (read, write) if reads_more else (write, read)
    room = "" if fits or total is None else (
        f" It holds {size(total)} of the {size(evidence.needed_bytes())} needed, so a part stays on the processor."
    )
    return Advice(
        id=ID,
        phase=Phase.PREFILL if reads_more else Phase.DECODE,
        title=f"Use the {name} that is there" if offload else f"Install an engine build that uses the {name}",
        detail=(
            f"{_waste(evidence)}Prefill {times_range(prefill.low, prefill.high)}, decode "
            f"{times_range(decode.low, decode.high)} as fast.{room}"
        ),
        saved_s=main.middle_s,
        saved_s_low=main.low_s,
        saved_s_high=main.high_s,
        basis=Basis.ESTIMATED,
        how=_how(offload),
        cost="none" if offload else "a different build of the engine; a current driver",
        undo="start the engine with -ngl 0",
        evidence="The measured run used the processor only. Estimated from published pairs of speeds; not tried here.",
        other_saved_s=other.middle_s,
    )


def _waste(evidence: Evidence) -> str:
    """The sentence for a card that the engine cannot use, ready to stand before another."""
    words = sentence(evidence.machine, evidence.engine) if evidence.engine is not None else None
    return f"{words} " if words else ""


def _how(offload: bool) -> tuple[HowTo, ...]:
    steps = [] if offload else [
        HowTo("this app", "Install llama-cpp-python built for the GPU (CUDA, Vulkan, ROCm or Metal), then measure "
                          "again; “selftest” lists the devices it finds."),
    ]
    return (
        *steps,
        HowTo("llama-server", "Put all layers on the GPU.", "llama-server -ngl 99"),
        HowTo("Ollama", "Used by itself when the driver is found; the processor column shows it.", "ollama ps"),
        HowTo("LM Studio", "Raise “GPU Offload” to all layers in the model's load settings."),
    )
