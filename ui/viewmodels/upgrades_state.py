"""The page *Upgrades*: what is typed and what is shown, as values that cost nothing to import."""

from dataclasses import dataclass, field
from typing import Final

from advisor.core.evidence import Missing, Unknown
from advisor.core.numbers import sentence
from advisor.core.retelling import retold
from advisor.core.translation import marked, tr
from ui.bridge.shopping import NO_MODEL
from ui.viewmodels.cell_table import CellTable

NO_TABLE: Final = CellTable()
EMPTY: Final = marked("Open a model: what other hardware would do to it and to your work is then reckoned here.")
WAITING: Final = marked("The first figures come as soon as this machine's ceilings are measured.")
SLOTS: Final = ("3x4", "3x8", "3x16", "4x4", "4x8", "4x16", "5x8", "5x16")
NETWORKS: Final = ("wifi", "1gbe", "2.5gbe", "10gbe", "25gbe", "thunderbolt")


@dataclass(frozen=True, slots=True)
class UpgradesForm:
    """What is typed; 0, "" and -1 mean the usual figure.

    Attributes:
        device: a card or machine beside the usual ones.
        device_memory_gb, device_gb_per_s: of that device, in place of the table's.
        gpu_layers: -1 for as many as fit.
        slot: "4x16".
        memory_gb_per_s: rated bandwidth of other memory.
        cores, ghz: of another processor.
        network: to a second machine.
        requests_per_day, years: for the money.
    """

    device: str = ""
    device_memory_gb: float = 0.0
    device_gb_per_s: float = 0.0
    gpu_layers: int = -1
    slot: str = ""
    memory_gb_per_s: float = 0.0
    cores: int = 0
    ghz: float = 0.0
    network: str = ""
    requests_per_day: int = 0
    years: int = 3


@dataclass(frozen=True, slots=True)
class UpgradesState:
    """State of the page; ``empty`` says what to do while there is no table.

    Attributes:
        now: what everything is compared with.
        notes: what should be known before anything is bought.
        selected: key of the change whose details are shown.
        sentences: about it.
        assumptions: (name, value, source) of it.
        limits: sentences.
        price: of it, 0 for none.
    """

    empty: str = field(default_factory=lambda: tr(EMPTY))
    now: str = ""
    notes: tuple[str, ...] = ()
    table: CellTable = NO_TABLE
    selected: str = ""
    title: str = ""
    sentences: tuple[str, ...] = ()
    assumptions: tuple[tuple[str, str, str], ...] = ()
    limits: tuple[str, ...] = ()
    price: float = 0.0


def waiting_state(why: Unknown) -> UpgradesState:
    """While nothing can be reckoned: what to do, or what it waits for."""
    if why == NO_MODEL:
        return UpgradesState()
    reason = sentence(retold(why.reason))
    return UpgradesState(f"{reason} {tr(WAITING)}" if why.kind is Missing.NOT_YET else reason)
