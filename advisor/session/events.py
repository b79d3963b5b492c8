"""What the pipeline tells whoever listens, each event one frozen value."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Union

from advisor.benchmarks.model import EngineFacts, LiveReading, TestResult, TestSpec
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Fact
from advisor.core.progress import Progress
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine


@dataclass(frozen=True, slots=True)
class MachineRead:
    """The machine's facts are there."""

    machine: Machine


@dataclass(frozen=True, slots=True)
class EngineRead:
    """The engine answered, or why it did not."""

    engine: Fact[EngineFacts]


@dataclass(frozen=True, slots=True)
class ModelRead:
    """The model's facts are there."""

    model: ModelFacts


@dataclass(frozen=True, slots=True)
class CeilingsMeasured:
    """Both ceilings are there; sent again when a measurement passed one and it was measured anew."""

    ceilings: Ceilings


@dataclass(frozen=True, slots=True)
class TestFinished:
    """One test is measured."""

    __test__ = False  # not a pytest class

    result: TestResult


@dataclass(frozen=True, slots=True)
class TestLeftOut:
    """A point of a curve is not measured."""

    __test__ = False  # not a pytest class

    spec: TestSpec
    reason: str
    """A clause."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something the user should be told aloud while work goes on (safe mode, a crash survived)."""

    sentence: str
    hint: str = ""


Event = Union[
    Progress, LiveReading, MachineRead, EngineRead, ModelRead, CeilingsMeasured, TestFinished, TestLeftOut, Remark
]
Listener = Callable[[Event], None]
