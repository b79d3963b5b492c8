"""What is compared and what comes out, as frozen values."""

from dataclasses import dataclass
from enum import StrEnum

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedTest
from advisor.benchmarks.store.model import MachineIdentity
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Fact
from advisor.core.translation import marked


@dataclass(frozen=True, slots=True)
class Weights:
    """What is known of the model of one side.

    Attributes:
        name: as shown; "" unknown.
        label: quantisation label, "" unknown.
        size_bytes: of the file or of the weights; None unknown.
        size_is_exact: whether it is the file's size to the byte; other tools count the tensors alone, or round.
        architecture, header_sha256: "" unknown.
    """

    name: str
    label: str = ""
    size_bytes: int | None = None
    size_is_exact: bool = False
    architecture: str = ""
    header_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the results that are compared.

    Attributes:
        name: what the user called it by: "run 3", "laptop.json".
        imported: figures of another tool, which nobody here has measured.
        engine: name, version and build, "" unknown.
        measured_at: ISO 8601, "" unknown.
        ceilings: of this model on this machine.
        read_bytes_per_s, compute_flop_per_s: of the machine, from its ceilings or from the accelerator table.
    """

    name: str
    imported: bool
    machine: MachineIdentity
    weights: Weights
    engine: str
    measured_at: str
    tests: tuple[ReportedTest, ...]
    ceilings: Fact[Ceilings]
    read_bytes_per_s: Fact[float]
    compute_flop_per_s: Fact[float]


class Outcome(StrEnum):
    """What a difference comes to; in the user's language where it is shown."""

    FASTER = marked("faster")
    SLOWER = marked("slower")
    SAME = marked("not distinguishable")
    CLOSE = marked("within what runs of the same thing differ")
    UNKNOWN = marked("not known")
    """A side has one repetition only, so that nobody knows what chance does."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The same test on both sides.

    Attributes:
        ratio: speed of ``other`` over ``base``.
        interval: between which the ratio lies, from the samples of both; None where a side has no spread.
        differs: clauses on settings that differ: "4 threads against 2".
        unknown: settings that one side does not say.
        alike: False for tests of other lengths, depths or streams, which were put side by side for want of better.
    """

    base: ReportedTest
    other: ReportedTest
    ratio: float
    interval: tuple[float, float] | None
    outcome: Outcome
    differs: tuple[str, ...]
    unknown: tuple[str, ...]
    alike: bool = True


@dataclass(frozen=True, slots=True)
class Gap:
    """What two machines differ by: of their speeds in one phase, and of what bounds it.

    Attributes:
        measured: ratio of the phase's speeds, other over base; None where a side lacks it.
        of_bounds: ratio of arithmetic (prefill) or read bandwidth (decode); None where a side's is unknown.
    """

    phase: Phase
    measured: float | None
    of_bounds: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """One side against the first.

    Attributes:
        pairs: tests of both sides, prefill first.
        same_weights: None where too little is known to say.
        same_machine: likewise.
        differs: clauses on what differs between the sides as a whole.
        gaps: compute gap and bandwidth gap; empty unless these are two machines with the same weights.
        only_base, only_other: tests without a partner.
    """

    base: Side
    other: Side
    pairs: tuple[Pair, ...]
    same_weights: bool | None
    same_machine: bool | None
    differs: tuple[str, ...]
    gaps: tuple[Gap, ...]
    only_base: tuple[ReportedTest, ...]
    only_other: tuple[ReportedTest, ...]

    def main(self, phase: Phase) -> Pair | None:
        """The pair that stands for a phase: alike before unlike, the phase itself before a point of a curve."""
        return self.pairs[at] if (at := main_index(self.pairs, phase)) is not None else None


def main_index(pairs: tuple[Pair, ...], phase: Phase) -> int | None:
    """Where the pair that stands for a phase is; None where there is none."""
    found = [i for i, pair in enumerate(pairs) if pair.base.phase is phase]
    return min(found, key=lambda i: (not pairs[i].alike, _rank(pairs[i].base), _rank(pairs[i].other)), default=None)


def _rank(test: ReportedTest) -> tuple[bool, int, int]:
    return test.on_curve, test.n_streams or 1, test.n_depth or 0
