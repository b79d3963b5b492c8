"""Every run in a line: what a list of ten thousand needs, in two queries and without reading whole measurements."""

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from advisor.benchmarks.model import Phase, Stamp, Sweep
from advisor.benchmarks.store.model import MachineIdentity
from advisor.core.retelling import retold
from advisor.core.stats import median
from advisor.core.translation import tr

if TYPE_CHECKING:
    from sqlite3 import Connection

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run of the list.

    Attributes:
        number: what the user calls the run by.
        started_at: ISO 8601 local time with offset.
        model: name with its quantisation label.
        file: the model's file name.
        machine: in words, "" unknown.
        source: what was imported from, empty for a run of our own.
        prefill_tokens_per_s: of the phase at least depth; None where it was not measured.
        doubtful: a shown figure was not measured undisturbed.
        ended: False while it runs, and where program or computer stopped in the middle.
    """

    number: int
    started_at: str
    model: str
    machine: str
    engine: str = ""
    file: str = ""
    workload: str = ""
    label: str = ""
    note: str = ""
    source: str = ""
    prefill_tokens_per_s: float | None = None
    decode_tokens_per_s: float | None = None
    doubtful: bool = False
    ended: bool = True


_LINES = (
    "SELECT runs.id, started_at, machine_cpu, machine_logical_cpus, machine_gpus, model_name, model_label, model_file, "
    "engine_kind, engine_version, workload, label, note, report, ended_at, place, documents.stamp AS stamp, figures "
    "FROM runs LEFT JOIN documents ON documents.run_id = runs.id "
    "LEFT JOIN run_ends ON run_ends.run_id = runs.id LEFT JOIN run_marks ON run_marks.run_id = runs.id "
    "LEFT JOIN imports ON imports.run_id = runs.id WHERE deleted_at IS {} NULL ORDER BY runs.id DESC"
)
# Of a run's rows the first one counts that can be understood: of the least depth the latest. The index has all of it.
_SPEEDS = (
    "SELECT run_id, phase, n_prompt, n_gen, samples_s, stamp FROM tests "
    f"WHERE sweep = '{Sweep.PHASES}' AND n_streams = 1 ORDER BY n_depth, id DESC"
)
_ALIKE = (
    "SELECT runs.id FROM runs LEFT JOIN run_marks ON run_marks.run_id = runs.id WHERE deleted_at IS NULL "
    "AND model_header_sha256 = ? AND machine_cpu = ? AND machine_logical_cpus = ? AND machine_gpus = ? "
    "AND runs.id < ? "
    "AND EXISTS (SELECT 1 FROM tests WHERE run_id = runs.id) ORDER BY runs.id DESC LIMIT ?"
)

_Speeds = dict[int, dict[str, tuple[float, bool]]]


def overview(connection: "Connection", deleted: bool) -> tuple[RunLine, ...]:
    """Every run, newest first; those that the user deleted instead of the others where ``deleted``."""
    speeds = _speeds(connection)
    rows = connection.execute(_LINES.format("NOT" if deleted else ""))
    return tuple(_understood(rows, speeds))


def alike(
    connection: "Connection", machine: MachineIdentity, header_sha256: str, limit: int, before: int | None = None
) -> tuple[int, ...]:
    """Numbers of the newest runs of that machine and that model's header in which something was measured."""
    newest = before if before is not None else 2**62
    values = (header_sha256, machine.cpu, machine.logical_cpus, json.dumps(list(machine.gpus)), newest, limit)
    return tuple(row["id"] for row in connection.execute(_ALIKE, values))


def _understood(rows: Any, speeds: _Speeds) -> Iterator[RunLine]:
    machines: dict[tuple[object, ...], str] = {}
    for row in rows:
        try:
            held = speeds.get(row["id"], {}) if row["figures"] is None else _figures(row)
            yield _imported(row) if row["report"] is not None else _line(row, held, machines)
        except (ValueError, TypeError, KeyError) as error:
            log.warning("run %s cannot be understood: %s", row["id"], error)


def _line(
    row: Mapping[str, Any], speeds: Mapping[str, tuple[float, bool]], machines: dict[tuple[object, ...], str]
) -> RunLine:
    key = row["machine_cpu"], row["machine_logical_cpus"], row["machine_gpus"]
    if key not in machines:
        machines[key] = MachineIdentity(key[0], key[1], tuple(json.loads(key[2]))).words
    prefill, written = speeds.get(Phase.PREFILL), speeds.get(Phase.DECODE)
    return RunLine(
        number=row["id"],
        started_at=row["started_at"],
        model=_named(row["model_name"], row["model_label"]),
        machine=machines[key],
        engine=f"{row['engine_kind']} {row['engine_version']}" if row["engine_kind"] else "",
        file=row["model_file"],
        workload=retold(row["workload"]) or (tr("Server at {place}", place=row["place"]) if row["place"] else ""),
        label=row["label"] or "",
        note=row["note"] or "",
        prefill_tokens_per_s=prefill[0] if prefill else None,
        decode_tokens_per_s=written[0] if written else None,
        doubtful=not all(valid for _, valid in speeds.values()),
        ended=row["ended_at"] is not None,
    )


def _imported(row: Mapping[str, Any]) -> RunLine:
    """Of what was imported only what the line shows, since making the whole value takes far longer."""
    report = json.loads(row["report"])
    phases = [test for test in reversed(report["tests"]) if not test.get("on_curve")]
    best = {test["phase"]: float(test["tokens_per_s"]) for test in phases}
    return RunLine(
        number=row["id"],
        started_at=row["started_at"],
        model=_named(report["model"], report["quantisation"]),
        machine=MachineIdentity(report["cpu"], 0, tuple(report["gpus"])).words,
        engine=f"{report['tool']} {report['build']}".strip(),
        label=row["label"] or "",
        note=row["note"] or "",
        source=report["source"],
        prefill_tokens_per_s=best.get(Phase.PREFILL),
        decode_tokens_per_s=best.get(Phase.DECODE),
    )


def _figures(row: Mapping[str, Any]) -> Mapping[str, tuple[float, bool]]:
    """Phase -> tokens/s of an experiment that is no test, and whether it was measured undisturbed."""
    figures = json.loads(row["figures"])
    return {
        str(figure["name"]): (float(figure["value"]), row["stamp"] == Stamp.VALID)
        for figure in figures
        if figure["name"] in tuple(Phase)
    }


def _speeds(connection: "Connection") -> _Speeds:
    """Run -> phase -> tokens/s, and whether it was measured undisturbed."""
    found: _Speeds = {}
    cursor = connection.cursor()
    cursor.row_factory = None  # plain tuples, since there are many
    for run, phase, prompt, written, samples, stamp in cursor.execute(_SPEEDS):
        held = found.setdefault(run, {})
        if phase in held:
            continue
        try:
            held[phase] = _speed(prompt if phase == Phase.PREFILL else written, samples), stamp == Stamp.VALID
        except (ValueError, TypeError, ZeroDivisionError) as error:
            log.warning("a measurement of run %s cannot be understood: %s", run, error)
    return found


def _speed(tokens: int, samples: str) -> float:
    return median([tokens / sample for sample in json.loads(samples)])


def _named(name: str, label: str) -> str:
    return name if not label or label.lower() in name.lower() else f"{name} {label}"
