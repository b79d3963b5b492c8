"""Follows one child that compares two ways itself: what else went on, whether it was paused, and its rounds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from advisor.benchmarks import protocol
from advisor.benchmarks.child_words import translated
from advisor.benchmarks.conditions import OTHERS_SUSPECT, Seen, judge
from advisor.benchmarks.model import Conditions
from advisor.benchmarks.trials.rounds import worst
from advisor.hardware.model import Power
from advisor.hardware.probes.load import LoadWindow, own_processes
from advisor.hardware.probes.programs import ProgramsWindow


@dataclass(slots=True)
class Watch:
    """What is looked at from the child's start to its end; ``say`` hears what it does, in words."""

    say: Callable[[str], None]
    paused_s: float = 0.0
    loaded: bool = False
    _window: LoadWindow = field(default_factory=lambda: LoadWindow(own_processes))
    _programs: ProgramsWindow = field(default_factory=lambda: ProgramsWindow(own_processes))

    def take(self, message: Mapping[str, Any]) -> bool:
        """Whether the message was about the child itself and is dealt with."""
        if message["kind"] == protocol.PAUSED:
            self.paused_s += float(message["seconds"])
        elif message["kind"] == protocol.PROGRESS:
            self.say(translated(str(message.get("phase", ""))))
        elif "load_s" in message:
            self.loaded = True
        else:
            return False
        return True

    def judged(self, ways: Sequence[Sequence[float]], power: Power) -> Conditions:
        """One stamp for both ways, each with one value a round."""
        others = self._window.close()
        disturbed = (others.others_busy_fraction.or_none() or 0.0) >= OTHERS_SUSPECT
        seen = Seen(paused_s=self.paused_s, biggest=self._programs.biggest() if disturbed else "")
        return worst(judge(samples_s, others, power, seen) for samples_s in ways if samples_s)
