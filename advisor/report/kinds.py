"""The words of things that come in kinds, as the user's language says them: stamps, phases, curves, outcomes.

The kinds' own values stay English, since files and the store hold them.
"""

from typing import Final

from advisor.benchmarks.model import Phase, Stamp, Sweep
from advisor.benchmarks.trials.model import Outcome as Tried
from advisor.comparison.model import Outcome as Compared
from advisor.core.translation import marked, tr

_STAMPS: Final = {Stamp.VALID: marked("valid"), Stamp.SUSPECT: marked("suspect"), Stamp.INVALID: marked("invalid")}
_PHASES: Final = {Phase.PREFILL: marked("prefill"), Phase.DECODE: marked("decode")}
_SWEEPS: Final = {
    Sweep.PHASES: marked("phases"), Sweep.DEPTH: marked("depth"), Sweep.THREADS: marked("threads"),
    Sweep.BATCH: marked("batch"), Sweep.UBATCH: marked("ubatch"),
    Sweep.FLASH_ATTENTION: marked("flash-attention"), Sweep.KV_TYPE: marked("kv-type"),
}  # fmt: skip
_COMPARED: Final = {
    Compared.FASTER: marked("faster"), Compared.SLOWER: marked("slower"), Compared.SAME: marked("not distinguishable"),
    Compared.CLOSE: marked("within what runs of the same thing differ"), Compared.UNKNOWN: marked("not known"),
}  # fmt: skip
_TRIED: Final = {
    Tried.HELPS: marked("helps"), Tried.HURTS: marked("hurts"), Tried.SAME: marked("no difference"),
    Tried.UNSURE: marked("not decided"),
}  # fmt: skip


def stamp_word(stamp: Stamp) -> str:
    """Words such as "valid"."""
    return tr(_STAMPS[stamp])


def phase_word(phase: Phase) -> str:
    """The word "prefill" or "decode" inside a sentence."""
    return tr(_PHASES[phase])


def sweep_word(sweep: Sweep) -> str:
    """A curve in a table's cell: "depth"."""
    return tr(_SWEEPS[sweep])


def compared_word(outcome: Compared) -> str:
    """What a comparison comes to: "faster"."""
    return tr(_COMPARED[outcome])


def tried_word(outcome: Tried) -> str:
    """What an experiment comes to: "no difference"."""
    return tr(_TRIED[outcome])
