"""Whether the whole model fits this machine, what spills where it does not, and what that costs; pure functions."""

from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Fact, Known, Unknown
from advisor.core.numbers import count, seconds_range, size
from advisor.core.translation import tr
from advisor.gguf.memory import MemoryNeed, memory_needed
from advisor.gguf.model import ModelFacts

DRIVE_BYTES_PER_S: Final = (0.5e9, 7e9)
"""What drives read at: a SATA SSD, and the rating of a fast PCIe 4.0 one (the data sheets of both kinds)."""
OWN_SHARE: Final = 0.95
"""Share of the main memory that a model may take; the system needs the rest."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The whole model's place on this machine.

    Attributes:
        context: tokens that it holds.
        need: memory by cause.
        device: ggml name of where its weights would lie ("CPU", "CUDA0").
        device_bytes: memory there.
        main_bytes: main memory.
        device_share: share of the layers that fit the device; 1 where all do, and for the processor.
        spilled_bytes: what fits nowhere and is read from the drive again and again; 0 where all fits.
        drive_s: seconds per step that this costs, on a fast and on a slow drive.
    """

    context: int
    need: MemoryNeed
    device: str
    device_bytes: Fact[int]
    main_bytes: Fact[int]
    device_share: float
    spilled_bytes: int
    drive_s: tuple[float, float] = (0.0, 0.0)

    @property
    def fits(self) -> bool:
        """Whether all of it has a place in memory."""
        return self.spilled_bytes == 0

    @property
    def words(self) -> str:
        """All of it as a sentence."""
        needed, room = size(self.need.total_bytes), count(self.context)
        need = tr("It needs {size} with room for {n} tokens", size=needed, n=room)
        if self.device_share < 1:
            need = tr(
                "It needs {size} with room for {n} tokens; {device} has {free} free, so {share}% of its layers go "
                "there and the rest stays on the processor",
                size=needed, n=room, device=self.device, free=size(self.device_bytes.or_none() or 0),
                share=count(100 * self.device_share),
            )  # fmt: skip
        main = self.main_bytes.or_none()
        if main is None:
            return tr("{need}. How much memory this machine has is not known.", need=need)
        if self.fits:
            return tr("{need}, and this machine has {memory} of memory: it fits.", need=need, memory=size(main))
        return tr(
            "{need}, and this machine has {memory} of memory: {spilled} would be read from the "
            "drive again and again, which adds {cost} to every token.",
            need=need, memory=size(main), spilled=size(self.spilled_bytes), cost=seconds_range(*self.drive_s),
        )  # fmt: skip


def fit_of(model: ModelFacts, context: int, device: str, device_bytes: Fact[int], main_bytes: Fact[int]) -> Fact[Fit]:
    """Where the model would lie.

    Args:
        model: the whole one.
        context: tokens to hold.
        device: where the engine would put it.
        device_bytes: free there; of a graphics card its own memory.
        main_bytes: all main memory of the machine.
    """
    need = memory_needed(model, context, full_windows=False)
    if isinstance(need, Unknown):
        return need
    total = need.value.total_bytes
    share, left = 1.0, total
    if device != "CPU":
        free = device_bytes.or_none()
        if free is not None and free < total:
            share = max(0.0, free / total)
        left = round(total * (1 - share))
    main = main_bytes.or_none()
    spilled = max(0, left - round(OWN_SHARE * main)) if main is not None else 0
    flows = model.traffic.or_none()
    drive_s = (0.0, 0.0)
    if spilled and flows is not None:
        read = min(1.0, spilled / need.value.weights_bytes) * flows.weight_bytes(1)
        drive_s = (read / DRIVE_BYTES_PER_S[1], read / DRIVE_BYTES_PER_S[0])
    found = Fit(context, need.value, device, device_bytes, main_bytes, share, spilled, drive_s)
    return Known(found, need.basis, need.source)
