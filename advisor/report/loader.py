"""A diagnosis read back from its JSON, so that a report can be drawn from a result made anywhere, any time."""

import json
from pathlib import Path
from typing import Any, Final

from advisor.benchmarks.model import NO_REAL_USE, NOT_LOADED, EngineFacts, RealUse, TestResult
from advisor.benchmarks.stutter.model import NOT_MEASURED, Stutter
from advisor.benchmarks.trials.model import Trial
from advisor.ceilings.model import Ceilings
from advisor.comparison.trend import Change
from advisor.core.errors import BadFile
from advisor.core.evidence import Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.diagnosis.model import Timeline, Verdict, Workload
from advisor.diagnosis.waterfall import Waterfall
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Gpu, Machine
from advisor.recommendations.ledger import NO_LEDGER, Ledger
from advisor.recommendations.model import Advice, WontHelp
from advisor.report.codec import build, build_fact, build_value, damaged
from advisor.report.document import Document
from advisor.report.exporters.as_json import SCHEMA_VERSION

_KIND: Final = "two-machines/diagnosis"
MAX_BYTES: Final = 64 * 10**6
"""A result with hundreds of tests stays under 1 MB; anything far above it is another kind of file."""


def read_document(path: Path) -> Document:
    """A diagnosis from a JSON file.

    Raises:
        BadFile: when the file is missing, no result of ours, damaged, or of a newer version.
    """
    try:
        data = json.loads(file_bytes(path).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise _not_ours(path.name) from error
    return load_document(data)


def file_bytes(path: Path, hint: str = "") -> bytes:
    """The bytes of a result file. Raises BadFile, with this hint, where it cannot be read or is too large for one."""
    hint = hint or tr("Give the path of a JSON file written by two-machines diagnose.")
    try:
        if path.is_dir():
            raise BadFile(tr("{name} is a folder.", name=path.name or path), hint)
        with path.open("rb") as stream:  # a device or a pipe has no size and may have no end
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        sentence = tr("The result file {file} cannot be read ({why}).", file=path.name, why=error.strerror or error)
        raise BadFile(sentence, hint) from error
    if len(data) > MAX_BYTES:
        raise BadFile(tr("{file} is too large for a result.", file=path.name), hint)
    return data


def load_document(data: object) -> Document:
    """The document behind ``document_json``'s result.

    Raises:
        BadFile: when the data is no diagnosis, damaged, or of a newer version.
    """
    if not isinstance(data, dict) or not isinstance(data.get("schema"), str):
        raise _not_ours("")
    kind, _, version = data["schema"].rpartition("/")
    if kind != _KIND or not version.isascii() or not version.isdigit():
        raise _not_ours("")
    check_version(version)
    document = Document(
        created_at=_required(str, data, "created_at"),
        app_version=_required(str, data, "app_version"),
        machine=machine_from(data.get("machine")),
        engine=build_fact(EngineFacts, data, "engine", "engine"),
        model=model_from(data.get("model")),
        ceilings=build_fact(Ceilings, data, "ceilings", "ceilings"),
        tests=_required(tuple[TestResult, ...], data, "tests"),
        workload=_required(Workload, data, "workload"),
        timeline=build_fact(Timeline, data, "timeline", "timeline"),
        verdict=build_fact(Verdict, data, "verdict", "verdict"),
        advice=_required(tuple[Advice, ...], data, "advice"),
        wont_help=_required(tuple[WontHelp, ...], data, "wont_help"),
        interrupted=_required(str, data, "interrupted"),
        waterfalls=build_value(tuple[Waterfall, ...], data.get("waterfalls", []), "waterfalls"),
        changes=build_value(tuple[Change, ...], data.get("changes", []), "changes"),
        left_out=build_value(tuple[str, ...], data.get("left_out", []), "left_out"),
        real_use=build_fact(RealUse, data, "real_use", "real_use") if "real_use" in data else NO_REAL_USE,
        trials=build_value(tuple[Trial, ...], data.get("trials", []), "trials"),
        ledger=build(Ledger, data["ledger"], "ledger") if "ledger" in data else NO_LEDGER,
        stutter=build_fact(Stutter, data, "stutter", "stutter") if "stutter" in data else NOT_MEASURED,
        load_s=build_fact(float, data, "load_s", "load_s") if "load_s" in data else NOT_LOADED,
    )
    _check(document)
    return document


def check_version(version: str) -> None:
    """Refuse a result of a newer version; raises BadFile. ``version`` holds digits only."""
    if int(version[:9]) > SCHEMA_VERSION:
        raise BadFile(
            tr(
                "This result has format {version}, and this Two Machines reads up to {newest}.",
                version=version[:9], newest=SCHEMA_VERSION,
            ),
            tr("Update Two Machines and open it again."),
        )


def check_tests(tests: tuple[TestResult, ...]) -> None:
    """Refuse measurements of nothing; raises BadFile."""
    for i, test in enumerate(tests):
        if test.tokens < 1 or not test.samples_s or min(test.samples_s) <= 0:
            raise damaged(f"tests[{i}]", tr("holds impossible values"))


def _check(document: Document) -> None:
    """Refuse what the types allow but no measurement gives, so that nobody who draws a document divides by 0."""
    check_tests(document.tests)
    if isinstance(document.real_use, Known):
        use = document.real_use.value
        if use.tokens < 1 or use.total_s <= 0 or min(use.decode_s, use.sample_s, use.detokenise_s) < 0:
            raise damaged("real_use", tr("holds impossible values"))
    if isinstance(document.ceilings, Known):
        bounds = document.ceilings.value
        every_sample = [probe.samples_s for probe in bounds.read_probes]
        every_sample += [probe.samples_s for probe in bounds.arithmetic_probes]
        table = bounds.kernels
        every_sample += [row.samples_s for row in table.products]
        every_sample += [row.samples_s for row in table.attention]
        every_sample += [row.samples_s for row in table.operations]
        if any(not samples or min(samples) <= 0 for samples in every_sample):
            raise damaged("ceilings", tr("holds a probe with impossible samples"))
    if any(found.step_s <= 0 for found in document.waterfalls):
        raise damaged("waterfalls", tr("holds impossible values"))
    if isinstance(document.verdict, Known):
        shares = (document.verdict.value.prefill.of_ceiling, document.verdict.value.decode.of_ceiling)
        if any(share is not None and not 0 < share <= 1 for share in shares):
            raise damaged("verdict", tr("holds impossible values"))
    if isinstance(document.timeline, Known):
        line = document.timeline.value
        if min(line.wait_s, line.stream_s, line.total_s) < 0:
            raise damaged("timeline", tr("holds impossible values"))


def _not_ours(name: str) -> BadFile:
    sentence = tr("This is not a diagnosis written by Two Machines.")
    if name:
        sentence = tr("{file} is not a diagnosis written by Two Machines.", file=name)
    return BadFile(sentence, tr("Write one with: two-machines diagnose MODEL --json RESULT.json"))


def _required(hint: Any, data: dict[str, Any], name: str) -> Any:
    if name not in data:
        raise damaged(name, tr("is missing"))
    return build_value(hint, data[name], name)


def machine_from(data: Any) -> Machine:
    """The machine behind the ``machine`` object of any command's JSON. Raises BadFile."""
    gpus = data.get("gpus") if isinstance(data, dict) else None
    if not isinstance(gpus, list):
        raise damaged("machine.gpus", tr("is not a list"))
    uuid = Unknown("left out of exported results", Missing.NOT_APPLICABLE)
    built = tuple(build(Gpu, gpu, f"machine.gpus[{i}]", uuid=uuid) for i, gpu in enumerate(gpus))
    return build(Machine, data, "machine", gpus=built)


def model_from(data: Any) -> ModelFacts:
    """The model behind the ``model`` object of any command's JSON. Raises BadFile."""
    if not isinstance(data, dict):
        raise damaged("model", tr("is missing"))
    return build(ModelFacts, data, "model", path=Path(build_value(str, data.get("file"), "model.file")))
