"""Measurements as rows of llama-bench, so that they can be posted and read where its results are.

The fields and their order are those of llama-bench in November 2026 (its source's ``get_fields``). A row that came
from llama-bench is given back as it came, with the fields that a newer one has. Several streams at once are no test of
llama-bench, nor is one of unknown length, and ``left_out`` names them. Its script compare-llama-bench.py refuses rows
that lack a field that it compares by, pairs only rows in which all of these are alike and none is null, and tells runs
apart by their build alone.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from statistics import mean, stdev
from typing import Any, Final

from advisor.benchmarks.engines.llama_bench_output import row_of
from advisor.benchmarks.model import Phase, TestResult
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.benchmarks.store.model import EngineIdentity, StoredRun
from advisor.core.evidence import Known
from advisor.importing.names import UNKNOWN_TOOL
from advisor.report.document import Document
from advisor.report.privacy import without_personal_paths

FIELDS: Final = (
    "build_commit", "build_number", "cpu_info", "gpu_info", "backends", "model_filename", "model_type", "model_size",
    "model_n_params", "n_batch", "n_ubatch", "n_threads", "cpu_mask", "cpu_strict", "poll", "type_k", "type_v",
    "n_gpu_layers", "n_cpu_moe", "split_mode", "main_gpu", "no_kv_offload", "flash_attn", "devices", "tensor_split",
    "tensor_buft_overrides", "load_mode", "lazy_mode", "embeddings", "no_op_offload", "no_host", "repack", "fit_target",
    "fit_min_ctx", "n_prompt", "n_gen", "n_depth", "test_time", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts",
    "samples_ns", "samples_ts",
)  # fmt: skip
DEFAULTS: Final[Mapping[str, Any]] = {
    "cpu_mask": "0x0", "cpu_strict": False, "poll": 50, "n_cpu_moe": 0, "split_mode": "layer", "main_gpu": 0,
    "no_kv_offload": False, "devices": "auto", "tensor_split": "0.00", "tensor_buft_overrides": "none",
    "load_mode": "auto", "lazy_mode": "auto", "repack": True, "embeddings": False, "no_op_offload": 0,
    "no_host": False, "fit_target": 0, "fit_min_ctx": 0,
}  # fmt: skip
"""What llama.cpp does where nobody asks for something else, in the spelling of the program."""
_FLASH: Final = {"off": 0, "on": 1, "auto": -1}
UNKNOWN_BUILD: Final = "unknown"
"""Stands for the commit, without which its script refuses a row."""
_PROGRAM: Final = "llama-bench"
_BUILD: Final = re.compile(r"(\d+) \(([0-9a-f]+)\)")

Row = dict[str, Any]


def document_rows(document: Document) -> list[Row]:
    """Every test of one stream, in order."""
    clean = without_personal_paths(document, model_path=document.model.path)
    engine = clean.engine.value if isinstance(clean.engine, Known) else None
    about = {
        **(_build(engine.name, engine.version) if engine else _build("", "")),
        "cpu_info": clean.machine.cpu.name.or_none() or clean.machine.cpu.architecture,
        "gpu_info": ", ".join(gpu.name.value for gpu in clean.machine.gpus if isinstance(gpu.name, Known)),
        "model_filename": clean.model.path.name,
        "model_type": _named(clean.model.name, clean.model.label.or_none() or ""),
        "model_size": clean.model.weights_bytes,
        "model_n_params": clean.model.parameters,
    }
    return [_row(test, about, clean.created_at) for test in clean.tests if is_its_test(test)]


def run_rows(run: StoredRun, kept: Document | None = None) -> list[Row]:
    """Every test of one stream of a stored run, imported or measured here; ``kept`` is the document kept with it."""
    clean = without_personal_paths(run)
    if clean.imported is not None:
        return [_reported(test, clean.imported) for test in clean.imported.tests if is_its_test(test)]
    machine, model = clean.setup.machine, clean.setup.model
    engine: EngineIdentity | None = clean.setup.engine
    about = {
        **(_build(engine.kind, engine.version) if engine else _build("", "")),
        "cpu_info": machine.cpu,
        "gpu_info": ", ".join(machine.gpus),
        "model_filename": model.file,
        "model_type": _named(model.name, model.label),
        "model_size": kept.model.weights_bytes if kept else sum(model.types.values()) or model.size_bytes,
        "model_n_params": kept.model.parameters if kept else None,
    }
    return [_row(test.result, about, test.measured_at) for test in clean.tests if is_its_test(test.result)]


def is_its_test(test: TestResult | ReportedTest) -> bool:
    """Whether llama-bench has such a test: of one stream, of a known length."""
    known = test.tokens is not None or (isinstance(test, ReportedTest) and test.own_json != "")
    return known and (test.n_streams or 1) == 1


def left_out(held: Document | StoredRun) -> str:
    """A sentence that names the tests which have no row; "" where all have one."""
    tests: Sequence[TestResult | ReportedTest]
    if isinstance(held, Document):
        tests = held.tests
    else:
        tests = held.imported.tests if held.imported else [test.result for test in held.tests]
    names = dict.fromkeys(test.test for test in tests if not is_its_test(test))
    if not names:
        return ""
    return f"Left out, since llama-bench has no test of several streams or of unknown length: {', '.join(names)}."


def _row(test: TestResult, about: Mapping[str, Any], measured_at: str) -> Row:
    samples_ns = [round(sample_s * 1e9) for sample_s in test.samples_s]
    key, _, value = test.kv_type.partition("/")
    on_cpu = test.device == "CPU"
    own = {
        "backends": "CPU" if on_cpu else re.sub(r"\d+(?=\+|$)", "", test.device).replace("+", ","),
        "n_batch": test.n_batch, "n_ubatch": test.n_ubatch, "n_threads": test.n_threads,
        "type_k": key, "type_v": value or key,
        "n_gpu_layers": 0 if on_cpu else -1, "repack": not test.safe_mode,
        "flash_attn": _FLASH[str(test.flash_attention)],
        "n_prompt": test.n_prompt, "n_gen": test.n_gen, "n_depth": test.n_depth,
        "test_time": _utc(measured_at),
        **_figures(samples_ns, test.n_prompt or test.n_gen),
    }  # fmt: skip
    return _ordered({**DEFAULTS, **about, **own})


def _figures(samples_ns: Sequence[int], tokens: int) -> Row:
    """Mean and standard deviation, as the program prints them; its deviation of one repetition is 0."""
    speeds = [tokens * 1e9 / sample for sample in samples_ns]
    several = len(samples_ns) > 1
    return {
        "avg_ns": round(mean(samples_ns)), "stddev_ns": round(stdev(samples_ns)) if several else 0,
        "avg_ts": round(mean(speeds), 6), "stddev_ts": round(stdev(speeds), 6) if several else 0.0,
        "samples_ns": list(samples_ns), "samples_ts": [round(speed, 6) for speed in speeds],
    }  # fmt: skip


def _reported(test: ReportedTest, run: ReportedRun) -> Row:
    """A row as it came and with what newer ones have, else what its source says; null for what it does not."""
    if test.own_json:
        row: Row = json.loads(test.own_json)
        if not isinstance(row.get("avg_ts"), int | float):  # a row that holds times alone
            row |= {"avg_ts": test.tokens_per_s, "stddev_ts": test.deviation_tokens_per_s}
        return row | {name: value for name, value in _newer(row).items() if name not in row}
    tokens, reading = test.tokens or 0, test.phase is Phase.PREFILL
    keys, _, values = (test.kv_type or "").partition("/")
    flash = _FLASH.get(test.flash_attention or "")
    if test.samples_tokens_per_s and tokens:
        figures = _figures([round(tokens * 1e9 / speed) for speed in test.samples_tokens_per_s], tokens)
    else:
        taken_ns = round(tokens * 1e9 / test.tokens_per_s) if tokens else None
        figures = {
            "avg_ns": taken_ns, "stddev_ns": None, "avg_ts": test.tokens_per_s,
            "stddev_ts": test.deviation_tokens_per_s, "samples_ns": [], "samples_ts": [],
        }  # fmt: skip
    own = {
        **_build("" if run.tool == UNKNOWN_TOOL else run.tool, run.build),
        "cpu_info": run.cpu, "gpu_info": ", ".join(run.gpus), "backends": test.device or "",
        "model_filename": "", "model_type": run.model or run.quantisation, "model_size": run.model_bytes,
        "model_n_params": run.parameters,
        "n_batch": test.n_batch, "n_ubatch": test.n_ubatch, "n_threads": test.n_threads,
        "type_k": keys or None, "type_v": values or keys or None, "n_gpu_layers": test.n_gpu_layers,
        "flash_attn": flash, "n_prompt": tokens if reading else 0, "n_gen": 0 if reading else tokens,
        "n_depth": test.n_depth, "test_time": run.measured_at, **figures,
    }  # fmt: skip
    return _ordered({**dict.fromkeys(FIELDS), **own})


def _newer(row: Row) -> Row:
    """Fields that a newer llama-bench has, as an older row means them: what could not be set was as it is by itself."""
    held = row_of(row)
    meant = {**DEFAULTS, "n_depth": 0, "backends": ",".join(held.backends) if held and held.backends else "CPU"}
    if "use_mmap" in row:
        meant["load_mode"] = "mmap" if row["use_mmap"] else "none"
    if "f16_kv" in row:  # of 2023, before these could be chosen
        cache = "f16" if row["f16_kv"] else "f32"
        meant |= {"type_k": cache, "type_v": cache, "flash_attn": 0, "n_ubatch": row.get("n_batch")}
    return {**dict.fromkeys(FIELDS), **meant}


def _ordered(row: Row) -> Row:
    return {name: row[name] for name in FIELDS}


def _build(name: str, version: str) -> Row:
    """Commit and number where the engine has them; else its name, as no commit can look, and 0."""
    found = _BUILD.search(version)
    if found is not None:
        return {"build_commit": found[2], "build_number": int(found[1])}
    words = "" if name == _PROGRAM and not version else f"{name} {version}".strip()
    return {"build_commit": words.replace(" ", "-") or UNKNOWN_BUILD, "build_number": 0}


def _named(name: str, label: str) -> str:
    return name if not label or label.lower() in name.lower() else f"{name} {label}"


def _utc(iso: str) -> str:
    """As the program writes a time; "" for what is none."""
    try:
        return datetime.fromisoformat(iso).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        return ""
