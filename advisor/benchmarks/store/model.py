"""What the store keeps, as frozen values; every measurement carries all that is needed to repeat it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from advisor.benchmarks.model import TestResult
from advisor.benchmarks.reported import ReportedRun
from advisor.benchmarks.trials.model import Trial
from advisor.core.errors import AdvisorError
from advisor.core.evidence import Known
from advisor.core.numbers import count
from advisor.core.translation import ENGLISH, speaking, trn
from advisor.hardware.model import Machine


class StoreError(AdvisorError):
    """Results cannot be kept or read; measuring goes on without."""

    code = "store"


class StoreBusy(StoreError):
    """Another process is writing; a moment later it may work."""

    code = "store_busy"


class UnreadableStore(StoreError):
    """There are results, or there may be, and they cannot be read; never to be taken for none."""

    exit_code = 3
    code = "store_unreadable"


class NewerStore(StoreError):
    """The file was written by a newer version of this program and stays as it is."""

    exit_code = 3
    code = "newer_store"


class NoSuchRun(StoreError):
    """No run has that number."""

    exit_code = 2
    code = "no_such_run"


class DeletedRun(NoSuchRun):
    """The user deleted the run, which hides it until it is restored."""

    code = "deleted_run"


@dataclass(frozen=True, slots=True)
class MachineIdentity:
    """Enough to tell machines apart for comparison; neither serial numbers nor names of user and host.

    Attributes:
        cpu: marketing name, or the instruction set where the system hides it; "" unknown, of imports only.
        logical_cpus: 0 unknown, of imports only.
        gpus: names in the system's order, each card once; of imports those that the source names.
    """

    cpu: str
    logical_cpus: int
    gpus: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The machine in a few words; "" where nothing is known."""
        n = self.logical_cpus
        logical = trn("{n}\u00a0logical CPU", "{n}\u00a0logical CPUs", n, n=count(n)) if n else ""
        return ", ".join(part for part in (self.cpu, logical, *self.gpus) if part)

    @property
    def english(self) -> str:
        """The same in English, for files that programs read."""
        with speaking(ENGLISH):
            return self.words


def identity_of(machine: Machine) -> MachineIdentity:
    """What is kept of a machine that was read."""
    return MachineIdentity(
        cpu=machine.cpu.name.or_none() or machine.cpu.architecture,
        logical_cpus=machine.cpu.logical,
        gpus=tuple(gpu.name.value for gpu in machine.gpus if isinstance(gpu.name, Known)),
    )


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Enough to tell model files apart without reading a weight.

    Attributes:
        file: file name without its folder.
        size_bytes: of all shards together.
        header_sha256: of the bytes before the first tensor's data; "" where they could not be read. Files with the
            same header may still differ in their weights.
        label: quantisation label ("Q4_K_M"), "" where unknown.
        types: tensor type name -> bytes, largest first.
    """

    file: str
    name: str
    size_bytes: int
    header_sha256: str
    architecture: str
    label: str
    types: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EngineIdentity:
    """The engine that measured.

    Attributes:
        kind: "llama-cpp-python".
        build: what identifies the native build.
        python: interpreter that ran it, the home folder written as ``~``.
    """

    kind: str
    version: str
    build: str
    python: str


@dataclass(frozen=True, slots=True)
class Setup:
    """What was measured with: the same for a run's start and for each of its measurements.

    Attributes:
        engine: None where none answered.
    """

    app_version: str
    machine: MachineIdentity
    model: ModelIdentity
    engine: EngineIdentity | None


@dataclass(frozen=True, slots=True)
class StoredTest:
    """One measurement.

    Attributes:
        measured_at: ISO 8601 local time with offset, when its last repetition ended.
        extra: settings that this version does not know, as plain JSON values.
    """

    run: int
    measured_at: str
    setup: Setup
    result: TestResult
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredTrial:
    """One experiment, with the rows of the diagnosis that it was made for."""

    trial: Trial
    prefill: TestResult
    decode: TestResult


class DocumentKind(StrEnum):
    """Experiments that are kept whole; the text is what the file says."""

    STUTTER = "stutter"
    SERVER = "server"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of an experiment, for lists.

    Attributes:
        unit: "tokens_per_s" or "s".
        spread: median absolute deviation, None where it is not known.
    """

    name: str
    value: float
    unit: str
    spread: float | None = None


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """An experiment that is no test: the stutter experiment, or a server that was measured.

    Attributes:
        kind: of ``DocumentKind``, or a word of a newer version.
        place: address of the server; empty for this machine's own engine.
        stamp: "valid", "suspect" or "invalid".
        figures: what it came to.
        body: the experiment's own value as plain JSON; empty in lists of runs.
    """

    kind: str
    place: str
    stamp: str
    figures: tuple[Figure, ...]
    body: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended; all texts empty when everything that was asked for was measured."""

    ended_at: str
    error_code: str = ""
    sentence: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One ``diagnose``, ``bench``, ``sweep`` or ``server``, or what was imported.

    Attributes:
        number: counts up from 1 in this store; what the user calls the run by.
        started_at: ISO 8601 local time with offset.
        workload: the work that it was made for, in words; empty where there was none.
        end: None while it runs, and for good where program or computer stopped in the middle.
        deleted_at: None unless the user deleted it.
        unreadable: measurements that this version cannot understand.
        imported: another tool's figures that the user brought here; such a run has no ``tests``, so that nothing takes
            them for measured on this machine.
    """

    number: int
    started_at: str
    setup: Setup
    workload: str = ""
    end: RunEnd | None = None
    label: str = ""
    note: str = ""
    deleted_at: str | None = None
    tests: tuple[StoredTest, ...] = ()
    unreadable: int = 0
    imported: ReportedRun | None = None
    document: StoredDocument | None = None
