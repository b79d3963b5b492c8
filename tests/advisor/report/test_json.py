"""The JSON of every command: the documented fields, nothing personal, the same bytes each time."""

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from advisor.benchmarks.model import Sweep
from advisor.core.evidence import Basis, Known, Unknown
from advisor.hardware.model import Machine, MemoryModule
from advisor.report.batching import terms_of
from advisor.report.codec import Json, build, json_text
from advisor.report.document import Document
from advisor.report.exporters.as_json import (
    bench_json,
    ceilings_json,
    document_json,
    inspect_json,
    machine_json,
)
from advisor.report.exporters.sweep_json import sweep_json
from advisor.report.exporters.try_json import try_json
from tests.advisor.report.schema_check import FOLDER, problems, schema
from tests.support import documents as d
from tests.support.trials import tried_document

INSPECT_FIELDS = [
    "architecture",
    "parameters",
    "active_parameters",
    "file_bytes",
    "weights_bytes",
    "bytes_per_token",
    "kv_bytes_per_token",
    "flop_per_prompt_token",
    "flop_per_decoded_token",
    "types",
    "has_decode",
    "notes",
]
CEILINGS_FIELDS = [
    "decode_tokens_per_s",
    "prefill_tokens_per_s",
    "read_bytes_per_s",
    "compute_flop_per_s",
    "balance_flop_per_byte",
    "balance_batch",
]
TEST_FIELDS = [
    "test",
    "n_prompt",
    "n_gen",
    "n_depth",
    "n_threads",
    "tokens_per_s",
    "mad_tokens_per_s",
    "samples_s",
    "engine",
    "device",
    "safe_mode",
    "conditions",
]
ADVICE_FIELDS = ["id", "phase", "saved_s", "saved_s_low", "saved_s_high", "basis", "how", "cost", "evidence"]


def results() -> list[tuple[str, Json]]:
    document = d.complete_document()
    bare = d.bare_document()
    return [
        ("machine", machine_json(document.machine, document.engine)),
        ("machine", machine_json(bare.machine, bare.engine)),
        ("inspect", inspect_json(document.model)),
        ("inspect", inspect_json(bare.model)),
        ("ceilings", ceilings_json(d.ceilings(), document.model)),
        ("bench", bench_json(document.tests, document.machine, document.engine, document.model)),
        ("bench", bench_json((), bare.machine, bare.engine, bare.model, "Stopped.")),
        ("diagnose", document_json(tried_document())),
        ("try", try_json(tried_document(), [(one, 20.0) for one in tried_document().advice[:2]])),
        ("try", try_json(tried_document(), [], d.advice()[0], tried_document().advice[0])),
        *(
            ("sweep", sweep_json(
                sweep, d.curve_tests(), ("a sentence",), document.machine, document.engine, d.model(), "",
                terms_of(document)))
            for sweep in (Sweep.THREADS, Sweep.BATCH, Sweep.DEPTH)
        ),
        ("sweep", sweep_json(Sweep.DEPTH, (), (), bare.machine, bare.engine, bare.model, "Stopped.")),
        *(("diagnose", document_json(build())) for build in d.EXAMPLES.values()),
    ]


@pytest.mark.parametrize(("name", "value"), results())
def test_results_keep_to_their_schema(name: str, value: Json) -> None:
    assert problems(value, name) == []


@pytest.mark.parametrize(("name", "value"), results())
def test_every_null_has_its_reason(name: str, value: Json) -> None:
    for holder, key in _nulls(value):
        assert holder.get(f"{key}_reason"), key


def _nulls(value: Any) -> Iterator[tuple[Json, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            if item is None:
                yield value, key
            yield from _nulls(item)
    elif isinstance(value, list):
        for item in value:
            yield from _nulls(item)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.name)
def test_schemas_are_well_formed(path: Any) -> None:
    name = path.name.removesuffix(".schema.json")
    assert schema(name)["$id"] == path.name
    assert problems({}, name)


def test_inspect_has_the_promised_fields_at_the_top() -> None:
    value = inspect_json(d.model())
    assert all(field in value for field in INSPECT_FIELDS)
    assert value["schema"] == "two-machines/inspect/1"
    assert value["bytes_per_token"] == 4_620_002_304
    assert isinstance(value["bytes_per_token"], int)
    assert value["types"] == {"Q4_K": 3_900_000_000, "Q6_K": 1_010_000_000, "F32": 2_898_304}
    assert value["file"] == "llama-3.1-8b-instruct-q4_k_m.gguf"


def test_an_unknown_architecture_is_null_with_the_reason() -> None:
    value = inspect_json(d.bare_document().model)
    for field in ("bytes_per_token", "kv_bytes_per_token", "flop_per_prompt_token", "flop_per_decoded_token"):
        assert value[field] is None
        assert value[f"{field}_reason"] == "architecture mamba9 is not modelled yet"
        assert value[f"{field}_missing"] == "not supported here"


def test_each_ceiling_says_its_source() -> None:
    value = ceilings_json(d.ceilings(), d.model())
    for field in CEILINGS_FIELDS:
        assert value[field] > 0
        assert value[f"{field}_source"]
    assert value["read_probes"][0]["best_bytes_per_s"] == pytest.approx(4.62e9 / 0.07524)


def test_bench_keeps_raw_samples() -> None:
    value = bench_json((d.prefill_test(), d.decode_test()), d.machine(), d.engine(), d.model())
    first, second = value["tests"]
    assert all(field in first for field in TEST_FIELDS)
    assert (first["test"], second["test"]) == ("pp512", "tg128")
    assert first["samples_s"] == [12.52, 12.31, 12.40, 12.38, 12.55]
    held = {"stamp": "valid", "because": [], "fault": False}
    assert first["conditions"] == held | {"causes": [], "others_fraction": 0.0, "biggest": ""}


def test_one_repetition_has_an_unknown_spread() -> None:
    value = document_json(d.stopped_document())["tests"][0]
    assert value["mad_tokens_per_s"] is None
    assert value["mad_tokens_per_s_reason"]


def test_diagnose_has_everything() -> None:
    value = document_json(d.complete_document())
    fields = "machine model ceilings tests workload timeline verdict advice wont_help engine created_at app_version"
    assert all(field in value for field in fields.split())
    assert value["schema"] == "two-machines/diagnosis/1"
    assert all(value["timeline"][field] > 0 for field in ("wait_s", "stream_s", "total_s"))
    assert value["verdict"]["problem"] == "prefill"
    assert value["verdict"]["limits"] == {"prefill": "compute", "decode": "memory"}
    assert value["verdict"]["sentence"]
    for advice in value["advice"]:
        assert all(field in advice for field in ADVICE_FIELDS)
    assert [set(item) for item in value["wont_help"]] == [{"id", "sentence", "evidence"}] * 3


def test_nothing_personal_is_written() -> None:
    document = d.complete_document()
    how = replace(document.advice[0].how[0], command="llama-server -m /home/maria/models/x.gguf")
    advice = (replace(document.advice[0], how=(how,)),)
    text = json_text(document_json(replace(document, advice=advice)))
    assert "maria" not in text
    assert "x.gguf" in text
    assert "GPU-1b2c3d4e" not in text


@pytest.mark.parametrize("build", d.EXAMPLES.values(), ids=d.EXAMPLES)
def test_the_same_document_gives_the_same_bytes(build: Any) -> None:
    first: Document = build()
    assert json_text(document_json(first)) == json_text(document_json(build()))


def test_a_figure_without_bound_is_unknown_and_never_nan() -> None:
    bounds = replace(d.ceilings(), balance_batch=Known(math.inf, Basis.COMPUTED, "x"))
    text = json_text(ceilings_json(bounds, d.model()))
    assert json.loads(text)["balance_batch"] is None
    assert json.loads(text)["balance_batch_reason"]


def test_the_machines_newer_facts_fit_the_schema_and_load_again() -> None:
    """Modules are a list of objects, throttling a list of words; both survive writing and reading."""

    def known(value: object) -> Known:
        return Known(value, Basis.READ, "test")

    base = d.machine()
    module = MemoryModule("DIMM_A2", 2**34, known("DDR5"), known(6e9), known(4.8e9), known(64))
    throttled = replace(base.gpus[0], throttle_reasons=known(("heat", "power limit")), mig_enabled=known(False),
                        pcie_lanes=known(8), carve_out_bytes=known(2**30), vendor="amd")  # fmt: skip
    machine = replace(
        base, gpus=(throttled,), notes=("The memory runs below its rated speed.",),
        memory=replace(base.memory, modules=(module,), channels=known(1), bytes_per_s=known(38.4e9)),
    )  # fmt: skip
    written = json.loads(json_text(machine_json(machine, Unknown("no engine"))))
    assert problems(written, "machine") == []
    assert written["gpus"][0]["throttle_reasons"] == ["heat", "power limit"]
    assert "uuid" not in written["gpus"][0]
    read = build(Machine, {**written, "gpus": [{**written["gpus"][0], "uuid": None}]}, "machine")
    assert (read.memory.modules, read.notes) == (machine.memory.modules, machine.notes)
    assert read.gpus[0].throttle_reasons == throttled.throttle_reasons
