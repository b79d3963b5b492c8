"""llama-bench's fields, from whichever of its forms, as a reported run of one test."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from advisor.benchmarks.engines.llama_bench_output import count, row_of
from advisor.benchmarks.model import Phase
from advisor.benchmarks.protocol import ProtocolError
from advisor.benchmarks.reported import LARGEST, ReportedRun, ReportedTest
from advisor.importing.names import quantisation
from advisor.importing.text import number

TOOL: Final = "llama-bench"
_SWITCH: Final = {"0": "off", "1": "on", "false": "off", "true": "on", "-1": "auto", "auto": "auto"}
_TEXTS: Final = frozenset({"build_commit", "test_time", "model_filename", "model_type", "tensor_split"})
_LIST: Final = re.compile(r"\s*\[([\d\s.,eE+-]+)\]\s*")


def run_of(fields: Mapping[str, Any], form: str, source: str) -> ReportedRun | None:
    """The run with its one test; None for an object that is no test of one phase.

    Raises:
        ValueError: a test with figures that cannot be.
    """
    try:
        row = row_of({name: _plain(name, value) for name, value in fields.items()})
    except ProtocolError as error:
        raise ValueError(str(error)) from error
    if row is None or bool(row.n_prompt) == bool(row.n_gen):
        return None
    held = row.fields
    tokens = row.n_prompt or row.n_gen or 0
    speeds = tuple(tokens / seconds for seconds in row.samples_s)
    single = len(speeds) > 1 or "samples_ns" in held or "samples_ts" in held
    stated = _figure(held, "stddev_ts")
    gpu = str(held.get("gpu_info") or "").strip()
    test = ReportedTest(
        phase=Phase.PREFILL if row.n_prompt else Phase.DECODE,
        tokens=tokens,
        tokens_per_s=_figure(held, "avg_ts") or sum(speeds) / len(speeds),
        deviation_tokens_per_s=stated or None,
        samples_tokens_per_s=speeds if single else (),
        n_depth=row.n_depth,
        n_streams=1,
        n_threads=count(held, "n_threads"),
        n_batch=count(held, "n_batch"),
        n_ubatch=count(held, "n_ubatch"),
        n_gpu_layers=count(held, "n_gpu_layers"),
        flash_attention=switch(held.get("flash_attn")),
        kv_type=kv_type(held.get("type_k"), held.get("type_v")),
        engine=f"{TOOL} {row.build}".strip(),
        device=_device(held, row.backends, gpu),
        own_json=json.dumps(dict(held), ensure_ascii=False, allow_nan=False),
    )
    model = str(held.get("model_type") or "")
    return ReportedRun(
        tool=TOOL,
        form=form,
        source=source,
        tests=(test,),
        model=model or str(held.get("model_filename") or "").replace("\\", "/").rpartition("/")[2],
        quantisation=quantisation(model),
        model_bytes=count(held, "model_size") or None,
        parameters=count(held, "model_n_params") or None,
        cpu=str(held.get("cpu_info") or "").strip(),
        gpus=tuple(part.strip() for part in gpu.split(", ") if part.strip()),
        build=row.build,
        measured_at=str(held.get("test_time") or ""),
    )


def switch(value: object) -> str | None:
    """Flash attention, "on", "off" or "auto", from what llama-bench writes; None where it says nothing."""
    return None if value is None else _SWITCH.get(str(value).strip().lower())


def kv_type(keys: object, values: object) -> str | None:
    """The cache's type, both halves where they differ; None where it is not said."""
    first, second = str(keys or ""), str(values or "")
    return (first if first == second or not second else f"{first}/{second}") or None


def _device(held: Mapping[str, Any], backends: tuple[str, ...], gpu: str) -> str | None:
    """Where it ran as far as the row tells: on the CPU for certain without layers on a GPU or without a backend."""
    named = str(held.get("devices") or "auto")
    if named not in ("auto", ""):
        return "CPU" if named == "none" else named.replace("/", "+")
    if held.get("n_gpu_layers") == 0 or (not backends and not gpu):
        return "CPU"
    return backends[0] if len(backends) == 1 else None


def _plain(name: str, value: Any) -> Any:
    """CSV and SQL give every value as text; numbers and lists of them become what JSON would have given."""
    if not isinstance(value, str) or name in _TEXTS:
        return value
    if value in ("true", "false"):
        return value == "true"
    listed = _LIST.fullmatch(value)
    if listed:
        return [figure for part in listed[1].split(",") if (figure := number(part)) is not None]
    figure = number(value)
    if figure is None:
        return value
    return int(figure) if re.fullmatch(r"\s*\d+\s*", value) else figure


def _figure(held: Mapping[str, Any], name: str) -> float | None:
    value = held.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LARGEST:
        return None
    return float(value)
