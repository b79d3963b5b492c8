"""Faster memory: a decode that waits for it follows its bandwidth, as far as the step is spent on reading."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Basis, Fact, Known
from advisor.core.numbers import bandwidth, percent, size, times
from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Limit, Problem
from advisor.diagnosis.waterfall import Part
from advisor.hardware import channels
from advisor.hardware.model import MemoryModule
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import Factors, from_factors

ID: Final = "faster-memory"

UNSEEN: Final = Factors(1.05, 1.3, 1.9)
"""Bandwidth where the modules are not listed: from setting their rated speed to filling an empty second channel."""

SECOND_MODULE: Final = Factors(1.7, 1.85, 2.0)
"""Two channels instead of one double the rated bandwidth; what programs reach of it falls a little at most."""

MODULE: Final = (marked("money for a module, which some laptops have soldered"), marked("take the module out again"))
PROFILE: Final = (marked("none; a restart, and some boards do not allow it"), marked("switch the profile off"))
"""Cost and way back; in the user's language where they are shown."""

RATED_SPEED: Final = marked("Switch on the modules' rated speed (XMP or EXPO).")


@dataclass(frozen=True, slots=True)
class Change:
    """What can be changed about the modules and how much bandwidth that gives."""

    title: str
    bandwidth: Factors
    buys: bool
    how: HowTo
    cost: str
    undo: str


def predict(evidence: Evidence) -> Advice | None:
    """Only where decode is the problem, memory limits it, and this is a machine whose modules can be changed."""
    if evidence.verdict.problem is not Problem.DECODE or evidence.runs_on_gpu:
        return None
    if evidence.limit(Phase.DECODE) is not Limit.MEMORY or isinstance(evidence.machine.cpu.virtual_machine, Known):
        return None
    modules, slots = evidence.machine.memory.modules, evidence.machine.memory.slots
    seen = channels.notes(modules, slots)
    if modules and not seen:
        return None  # all channels are filled and run at the modules' rating, or the memory is soldered
    change = change_of(modules, slots)
    reading = reading_share(evidence)
    low, middle, high = (
        1 / (1 - reading + reading / more)
        for more in (change.bandwidth.low, change.bandwidth.middle, change.bandwidth.high)
    )
    saving = from_factors(evidence.timeline.stream_s, low, middle, high)
    return Advice(
        id=ID,
        phase=Phase.DECODE,
        title=change.title,
        detail=tr(
            "Reading the weights is {share} of each token here. {seen}",
            share=percent(reading), seen=" ".join(seen) or tr("Look whether a channel is empty or a profile is off."),
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=(change.how,),
        cost=change.cost,
        undo=change.undo,
        evidence=tr(
            "{because}{bound} Decode: {speed}.",
            because=evidence.verdict.decode.because, bound=_numbers(evidence), speed=evidence.timeline.decode_speed,
        ),
        costs_money=change.buys,
    )


def change_of(modules: tuple[MemoryModule, ...], slots: Fact[int]) -> Change:
    """The change that these modules allow; with none listed, both are named."""
    one_channel = channels.summarise(modules).channels.or_none() == 1 and channels.may_take_another(modules, slots)
    if not modules:
        how = HowTo(
            tr("firmware setup"),
            tr("Switch on the modules' rated speed (XMP or EXPO); fill every channel with an equal module."),
        )
        title = tr("Make the memory faster: every channel filled, rated speed")
        return Change(title, UNSEEN, True, how, *map(tr, MODULE))
    if one_channel and len(modules) == 1:
        how = HowTo(
            tr("the computer"), tr("Add an equal module in the other channel's slot (see the board's manual).")
        )
        return Change(tr("Add a second memory module"), SECOND_MODULE, True, how, *map(tr, MODULE))
    if one_channel:
        how = HowTo(tr("the computer"), tr("Move one module to the other channel's slot (see the board's manual)."))
        return Change(
            tr("Move a memory module to the other channel"), SECOND_MODULE, False, how,
            tr("none; the computer must be opened"), tr("move it back"),
        )  # fmt: skip
    gain = min(
        module.rated_transfers_per_s.value / module.running_transfers_per_s.value
        for module in modules
        if isinstance(module.rated_transfers_per_s, Known) and isinstance(module.running_transfers_per_s, Known)
    )
    title = tr("Run the memory at its rated speed ({times})", times=times(gain))
    how = HowTo(tr("firmware setup"), tr(RATED_SPEED))
    return Change(title, Factors(1.0, gain, gain), False, how, *map(tr, PROFILE))


def reading_share(evidence: Evidence) -> float:
    """Share of a token's time that reading the weights takes: measured part by part, else as the ceiling has it."""
    taken = evidence.waterfall(Phase.DECODE)
    if taken is not None:
        return min(1.0, taken.share(Part.RATED, Part.READING))
    return evidence.verdict.decode.of_ceiling or 1.0


def _numbers(evidence: Evidence) -> str:
    """The bound of writing, and what the modules are rated for where that is known."""
    read = None if evidence.ceilings is None else evidence.ceilings.read_bytes_per_s.or_none()
    traffic = evidence.traffic
    if read is None or traffic is None:
        return ""
    rated = evidence.machine.memory.bytes_per_s
    if isinstance(rated, Known):
        return tr(
            " {read} (rated {rated}: {source}) ÷ {bytes} per token is the limit of writing here.",
            read=bandwidth(read), rated=bandwidth(rated.value), source=tr(rated.source),
            bytes=size(traffic.step_bytes()),
        )  # fmt: skip
    return tr(
        " {read} ÷ {bytes} per token is the limit of writing here.",
        read=bandwidth(read), bytes=size(traffic.step_bytes()),
    )  # fmt: skip
