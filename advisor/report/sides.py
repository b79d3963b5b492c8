"""Results of our own as sides of a comparison: documents, the JSON of measuring commands, runs of the history."""

from typing import Any, Final

from advisor.benchmarks.model import EngineFacts, TestResult
from advisor.benchmarks.reported import ReportedRun, reported
from advisor.benchmarks.store.model import MachineIdentity, Setup, StoredRun, identity_of
from advisor.ceilings.model import Ceilings
from advisor.comparison.model import Side, Weights
from advisor.core.dates import day
from advisor.core.errors import BadFile
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import marked, tr
from advisor.gguf.model import ModelFacts
from advisor.hardware.catalog import find
from advisor.hardware.model import Machine
from advisor.report.codec import build_fact, build_value, damaged
from advisor.report.document import Document
from advisor.report.loader import check_tests, check_version, load_document, machine_from, model_from

MEASURING: Final = frozenset({"two-machines/bench", "two-machines/sweep"})
"""Commands whose JSON holds tests with their model, machine and engine, but no answer."""
DIAGNOSIS: Final = "two-machines/diagnosis"

NOT_KEPT: Final = Unknown(marked("no ceilings were kept with this run"), Missing.NOT_SUPPORTED)
NOT_IN_FILE: Final = Unknown(
    marked("this command's JSON holds no ceilings; that of diagnose does"), Missing.NOT_SUPPORTED
)
NOT_SAID: Final = Unknown(marked("the source does not tell"), Missing.NOT_SUPPORTED)


def side_of_json(data: dict[str, Any], name: str) -> Side:
    """The side in the JSON of ``diagnose``, ``bench`` or ``sweep``.

    Raises:
        BadFile: of another command, damaged, or of a newer version.
    """
    kind, _, version = str(data["schema"]).rpartition("/")
    if kind == DIAGNOSIS:
        document = load_document(data)
        return _side(
            name, document.machine, document.engine, document.model, document.created_at, document.tests,
            document.ceilings,
        )  # fmt: skip
    if kind not in MEASURING or not version.isascii() or not version.isdigit():
        hint = tr("A history is compared by its numbers; as JSON take that of diagnose, bench or sweep.")
        what = kind or tr("no result")
        raise BadFile(tr("{name} holds no speeds that can be compared ({what}).", name=name, what=what), hint)
    check_version(version)
    tests = build_value(tuple[TestResult, ...], data.get("tests"), "tests")
    if not tests:
        raise damaged("tests", tr("is empty"))
    check_tests(tests)
    machine, engine = machine_from(data.get("machine")), build_fact(EngineFacts, data, "engine", "engine")
    return _side(name, machine, engine, model_from(data.get("model")), machine.read_at, tests, NOT_IN_FILE)


def _side(
    name: str, machine: Machine, engine: Fact[EngineFacts], model: ModelFacts, measured_at: str,
    tests: tuple[TestResult, ...], ceilings: Fact[Ceilings],
) -> Side:
    words = engine.value if isinstance(engine, Known) else None
    bounds = ceilings.or_none()
    why = ceilings if isinstance(ceilings, Unknown) else NOT_SAID
    return Side(
        name=name,
        imported=False,
        machine=identity_of(machine),
        weights=Weights(
            model.name, model.label.or_none() or "", model.file_bytes, True, model.architecture,
        ),
        engine=f"{words.name} {words.version} (build {words.build})" if words else "",
        measured_at=measured_at,
        tests=tuple(reported(test) for test in tests),
        ceilings=ceilings,
        read_bytes_per_s=bounds.read_bytes_per_s if bounds else why,
        compute_flop_per_s=bounds.compute_flop_per_s if bounds else why,
    )  # fmt: skip


def side_of_run(run: StoredRun, kept: Document | None = None) -> Side:
    """The side of a run of the history; ``kept`` is the document that was kept with it, which holds the ceilings."""
    name = tr("run {number}", number=run.number) + (f" ({run.label})" if run.label else "")
    if run.imported is not None:
        return side_of_report(run.imported, name)
    setup: Setup = run.setup
    ceilings: Fact[Ceilings] = kept.ceilings if kept else NOT_KEPT
    bounds = ceilings.or_none()
    why = ceilings if isinstance(ceilings, Unknown) else NOT_KEPT
    engine, model = setup.engine, setup.model
    return Side(
        name=name,
        imported=False,
        machine=setup.machine,
        weights=Weights(
            model.name, model.label, model.size_bytes, True, model.architecture, model.header_sha256,
        ),
        engine=f"{engine.kind} {engine.version} (build {engine.build})" if engine else "",
        measured_at=run.started_at,
        tests=tuple(reported(test.result) for test in run.tests),
        ceilings=ceilings,
        read_bytes_per_s=bounds.read_bytes_per_s if bounds else why,
        compute_flop_per_s=bounds.compute_flop_per_s if bounds else why,
    )  # fmt: skip


def side_of_report(run: ReportedRun, name: str) -> Side:
    """The side of what another tool says; the bandwidth of a graphics card that the table knows is taken from there."""
    return Side(
        name=name,
        imported=True,
        machine=MachineIdentity(run.cpu, 0, run.gpus),
        weights=Weights(run.model, run.quantisation, run.model_bytes),
        engine=f"{run.tool} {run.build}".strip() if run.build else "",
        measured_at=run.measured_at,
        tests=run.tests,
        ceilings=NOT_SAID,
        read_bytes_per_s=_rated(run),
        compute_flop_per_s=NOT_SAID,
    )


def _rated(run: ReportedRun) -> Fact[float]:
    on_cpu = any(test.device == "CPU" for test in run.tests)  # beside a card that did nothing
    row = find(run.gpus[0]) if len(set(run.gpus)) == 1 and not on_cpu else None
    if row is None or row.bandwidth_bytes_per_s is None:
        return NOT_SAID
    return Known(row.bandwidth_bytes_per_s, Basis.TABLE, f"{row.name}, {row.source}, {day(row.looked_up)}")
