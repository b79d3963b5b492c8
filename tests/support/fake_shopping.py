"""Models and hardware that are not here, for *Upgrades* and *Choose*: the real arithmetic on invented kernels."""

from dataclasses import replace

from advisor.rehearsal.catalogue import find
from advisor.session.considering import consider_document
from advisor.shortlist.choosing import Place, shortlist
from advisor.shortlist.model import Shortlist
from tests.support.yardsticks import place
from ui.bridge.doors import ShoppingDoors

NAMES = ("Llama-3.2-1B", "Llama-3.1-8B", "Llama-3.3-70B")


class FakeShopping:
    """The real arithmetic on invented kernels; ``busy`` times they were measured beside other programs."""

    def __init__(self, busy: int = 0) -> None:
        self.busy = busy
        self.measured = 0
        self.rehearsed: list[tuple[str, str]] = []

    def doors(self) -> ShoppingDoors:
        return ShoppingDoors(consider_document, self._place, self._list, self._rehearse)

    def _place(self, pipeline, listener, cancel) -> Place:  # type: ignore[no-untyped-def]
        self.measured += 1
        there = place()
        return replace(there, disturbed="other programs used 65 % of the CPU") if self.measured <= self.busy else there

    def _list(self, there, work, priority, every) -> Shortlist:  # type: ignore[no-untyped-def]
        return shortlist([find(name) for name in NAMES], work, there, priority, every)

    def _rehearse(self, pipeline, name, recipe, work, listener, cancel):  # type: ignore[no-untyped-def]
        self.rehearsed.append((name, recipe))
        raise cancelled()


def cancelled() -> Exception:
    from advisor.core.errors import EngineError

    return EngineError("No room for the stand-in.", "Free some.")
