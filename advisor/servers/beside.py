"""What this computer did while a server was measured: the server's own work is none of the others'."""

from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Fact, Known, Missing, Unknown
from advisor.core.numbers import percent
from advisor.core.translation import tr
from advisor.hardware.probes import listeners
from advisor.hardware.probes.load import LoadWindow, own_processes
from advisor.hardware.probes.programs import ProgramsWindow
from advisor.servers.address import Address
from advisor.servers.model import Beside

BUSY: Final = 0.10
"""Share of all CPUs used by other programs from which waits are not the server's alone; as for our own benchmarks."""

STEAL: Final = 0.05

def elsewhere() -> Unknown:
    """The share of a server whose processes are not here."""
    return Unknown(tr("the server is on another machine"), Missing.NOT_APPLICABLE)


def hidden() -> Unknown:
    """The share of a server whose processes cannot be told from others."""
    return Unknown(tr("the system does not tell which program is the server"), Missing.NO_PERMISSION)


@dataclass(frozen=True, slots=True)
class Watched:
    """What was seen, and what of it is a reason to doubt the figures, as clauses."""

    beside: Beside
    doubts: tuple[str, ...]


class Beholder:
    """Watches this computer from construction on; costs some milliseconds at either end and nothing in between.

    Args:
        address: where the server is; on this machine its own processes are looked for.
    """

    def __init__(self, address: Address) -> None:
        self._local = address.loopback
        self._port = address.port
        self._server = self._processes()
        self._all = LoadWindow(own_processes)
        self._others = LoadWindow(self._ours)
        self._programs = ProgramsWindow(self._ours)

    def seen(self) -> Watched:
        """What others did until now. Never raises."""
        self._server = tuple({*self._server, *self._processes()})
        every, others = self._all.close(), self._others.close()
        busy = others.others_busy_fraction
        return watched(
            self._share(every.others_busy_fraction, busy), busy, others.steal_fraction.or_none() or 0.0,
            self._programs.biggest() if (busy.or_none() or 0.0) >= BUSY else "",
            blind=self._local and not self._server,
        )  # fmt: skip

    def _share(self, every: Fact[float], others: Fact[float]) -> Fact[float]:
        if not self._local:
            return elsewhere()
        if not self._server:
            return hidden()
        if not isinstance(every, Known) or not isinstance(others, Known):
            return every
        share = max(0.0, every.value - others.value)
        return Known(
            share, every.basis, tr("CPU times of the processes that listen on its port, and of their children")
        )

    def _processes(self) -> tuple[int, ...]:
        return listeners.listening_on(self._port) if self._local else ()

    def _ours(self) -> list[int]:
        return [*own_processes(), *self._server]


def watched(server: Fact[float], others: Fact[float], steal_fraction: float, biggest: str, blind: bool) -> Watched:
    """The figures, and what they are a reason to doubt.

    Args:
        server: share of all CPUs that the server's own processes used.
        others: share that programs used which are neither the server nor this one.
        steal_fraction: share that the hypervisor gave to others.
        biggest: which program of the others used most; "" for none.
        blind: the server is here and its processes are not known, so that it is among the others.
    """
    busy, doubts = others.or_none() or 0.0, []
    if busy >= BUSY and not blind:
        used = percent(busy)
        doubts.append(
            tr("other programs used {used} of the CPU, most of all {program}", used=used, program=biggest) if biggest
            else tr("other programs used {used} of the CPU", used=used)
        )  # fmt: skip
    if steal_fraction >= STEAL:
        doubts.append(tr("the hypervisor gave {share} of the CPU to other machines", share=percent(steal_fraction)))
    return Watched(Beside(server, others, biggest), tuple(doubts))
