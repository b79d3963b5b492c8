"""What is asked and what comes out, as frozen values."""

from dataclasses import dataclass, field
from enum import StrEnum

from advisor.core.evidence import Basis, Fact
from advisor.core.translation import marked
from advisor.diagnosis.model import Workload
from advisor.diagnosis.parts import Seconds
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.recommendations.partly import Here
from advisor.recommendations.saving import Factors


class Kind(StrEnum):
    """What kind of change it is; in the user's language where it is shown."""

    SECOND_MODULE = marked("second memory module")
    FASTER_MEMORY = marked("faster memory")
    PROCESSOR = marked("another processor")
    CARD = marked("graphics card")
    UNIFIED = marked("unified-memory machine")
    SECOND_MACHINE = marked("second machine")


class Bought(StrEnum):
    """What a change buys for the work."""

    BOTH = "both"
    PERHAPS_BOTH = "perhaps both"
    FIRST_WORD = "first word"
    PERHAPS_FIRST_WORD = "perhaps first word"
    STREAM = "stream"
    PERHAPS_STREAM = "perhaps stream"
    ROOM = "room"
    NOTHING = "nothing"
    NO_ROOM = "does not fit"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Assumption:
    """One figure that the result rests on and that the user may replace.

    Attributes:
        name: "memory for the model".
        value: in words, with its unit.
        source: why this figure.
        option: of the command line, that changes it; empty where nothing does.
    """

    name: str
    value: str
    source: str
    option: str = ""


@dataclass(frozen=True, slots=True)
class Base:
    """The present: this model, this work and this machine, with the speeds that everything is compared with.

    Attributes:
        work: one request, of a chat its average turn.
        asked: the work as the user says it.
        here: speeds on this machine, with what the model needs.
        wait_s, stream_s: of ``work``, all its people together.
        differ: share by which the present speeds may be off.
        reading_share: share of a decoded token that waits for the memory, 0 to 1.
        prefill_reading_share: the same of a prompt.
        read_bytes_per_s: usable bandwidth of the memory here; None where it was not measured.
        on_card: whether weights lie on a graphics processor now.
        room_bytes: where they lie; None where that is unknown.
        basis: measured, or estimated from single kernels.
        source: one clause ("measured here on 30 November 2026").
        doubt: a sentence where nothing should be bought on these figures; empty where they can be believed.
    """

    machine: Machine
    model: ModelFacts
    work: Workload
    asked: Workload
    here: Here
    wait_s: float
    stream_s: float
    differ: float
    reading_share: float
    prefill_reading_share: float
    read_bytes_per_s: float | None
    on_card: bool
    room_bytes: int | None
    basis: Basis
    source: str
    doubt: str = ""

    @property
    def needed_bytes(self) -> int:
        """Weights, cache of all streams, and the engine's work buffers."""
        demand = self.here.demand
        return self.model.weights_bytes - demand.traffic.unloaded_bytes + demand.cache_bytes + demand.buffers_bytes


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether the model finds room: what it needs, what there would be; None where that is unknown."""

    needed_bytes: int
    room_bytes: int | None

    @property
    def fits(self) -> bool | None:
        """None where the room is unknown."""
        return None if self.room_bytes is None else self.needed_bytes <= self.room_bytes


@dataclass(frozen=True, slots=True)
class Change:
    """A kind of hardware with its effect on both phases, before the work is looked at.

    Attributes:
        name: what one would buy ("RTX 4090"); also its id.
        where: how the model would lie ("all layers on the card"), one clause.
        prefill, decode: speed-ups; Unknown with the reason.
        fit: room for the model as it would lie.
        assumptions: figures that may be replaced.
        limits: sentences: what this does not know.
    """

    kind: Kind
    name: str
    where: str
    prefill: Fact[Factors]
    decode: Fact[Factors]
    fit: Fit
    assumptions: tuple[Assumption, ...] = ()
    limits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gain:
    """Seconds saved per request, ``low <= middle <= high``."""

    middle_s: float
    low_s: float
    high_s: float


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A change and what it does to the work.

    Attributes:
        wait, stream: seconds afterwards.
        saved: seconds of one request that it saves, both phases; a negative end means that it may lose.
        words: "prefill ×12, decode ×1.0: buys you first-word time only".
        buys: the part behind the colon.
        comfortable: whether wait and stream would keep the comfort line; None where only a part of the range does.
    """

    change: Change
    wait: Fact[Seconds]
    stream: Fact[Seconds]
    saved: Fact[Gain]
    words: str
    buys: str
    comfortable: bool | None


@dataclass(frozen=True, slots=True)
class Processor:
    """Another processor.

    Attributes:
        cores: fast ones.
        clock_hz: under load on all cores.
        work_per_clock: of one core and clock against this one's: 2 for wider vectors.
    """

    cores: int
    clock_hz: float
    work_per_clock: float = 1.0


@dataclass(frozen=True, slots=True)
class Question:
    """Everything a user can change about the answers; None and empty mean the usual figure.

    Attributes:
        cards, unified: whole names of the accelerator table, or devices of the user's own.
        second_module: whether an equal memory module is asked for.
        memory_bytes_per_s: rated bandwidth of other memory.
        processor: cores and clock of another processor.
        network: name of the way to a second machine.
        other_machine: device of the second machine; "" for one like this.
        gpu_layers: as llama.cpp's -ngl.
        link_bytes_per_s: of the slot.
        device_memory_bytes: in place of the table's.
        device_bytes_per_s: likewise, the bandwidth.
        there_share: of the layers on the second machine.
    """

    cards: tuple[str, ...] = ()
    unified: tuple[str, ...] = ()
    second_module: bool = False
    memory_bytes_per_s: float | None = None
    processor: Processor | None = None
    network: str = ""
    other_machine: str = ""
    gpu_layers: int | None = None
    link_bytes_per_s: float | None = None
    device_memory_bytes: int | None = None
    device_bytes_per_s: float | None = None
    there_share: float | None = None

    @property
    def empty(self) -> bool:
        """Whether no change is named, so that the usual ones are answered."""
        named = self.cards or self.unified or self.second_module or self.network
        return not named and self.memory_bytes_per_s is None and self.processor is None


@dataclass(frozen=True, slots=True)
class Considered:
    """All answers to a question, with the present beside them."""

    base: Base
    answers: tuple[WhatIf, ...]
    notes: tuple[str, ...] = field(default=())
