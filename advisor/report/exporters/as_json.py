"""The JSON of every command: plain dictionaries with documented fields (docs/schema/).

Base units stand in the field names, unknowns are null with a ``…_reason``, raw samples are kept. The same
document gives the same bytes. No home folder, user name or serial number is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from advisor.core.evidence import Basis, Fact, Known, Unknown
from advisor.core.translation import ENGLISH, speaking
from advisor.report.codec import Json, fact_fields, plain, plain_fields
from advisor.report.privacy import without_personal_paths

if TYPE_CHECKING:  # each command brings its own values, and none pays for the types of the others
    from advisor.benchmarks.model import EngineFacts, RealUse, TestResult
    from advisor.ceilings.model import Ceilings
    from advisor.comparison.trend import Change
    from advisor.diagnosis.model import Timeline, Verdict
    from advisor.gguf.model import ModelFacts
    from advisor.hardware.model import Gpu, Machine
    from advisor.report.document import Document

SCHEMA_VERSION: Final = 1
MACHINE_SCHEMA: Final = "two-machines/machine/1"
INSPECT_SCHEMA: Final = "two-machines/inspect/1"
CEILINGS_SCHEMA: Final = "two-machines/ceilings/1"
BENCH_SCHEMA: Final = "two-machines/bench/1"
DIAGNOSIS_SCHEMA: Final = "two-machines/diagnosis/1"

FULL_ATTENTION: Final = "full attention, there is no window"

_SERIALS: Final = frozenset({"uuid"})


def machine_json(machine: Machine, engine: Fact[EngineFacts]) -> Json:
    """``two-machines machine --json``."""
    return {"schema": MACHINE_SCHEMA, **_machine(machine), **_engine(engine)}


def inspect_json(model: ModelFacts) -> Json:
    """``two-machines inspect --json``."""
    return {"schema": INSPECT_SCHEMA, **_model(model)}


def ceilings_json(ceilings: Ceilings, model: ModelFacts) -> Json:
    """``two-machines ceilings --json``: both ceilings and every probe they were chosen from."""
    return {"schema": CEILINGS_SCHEMA, **_ceilings(ceilings), "model": _model(model)}


def bench_json(
    tests: tuple[TestResult, ...],
    machine: Machine,
    engine: Fact[EngineFacts],
    model: ModelFacts,
    interrupted: str = "",
) -> Json:
    """``two-machines bench --json``; ``interrupted`` says why tests are missing, empty when none is."""
    return {
        "schema": BENCH_SCHEMA,
        "interrupted": without_personal_paths(interrupted, model_path=model.path),
        "tests": [measurement_json(test) for test in tests],
        "model": _model(model),
        "machine": _machine(machine),
        **_engine(engine),
    }


def document_json(document: Document) -> Json:
    """``two-machines diagnose --json``: everything the report shows, so that it can be drawn from this alone.

    English whatever the window speaks, like every file for programs.
    """
    from advisor.report.answering import spoken

    clean = without_personal_paths(spoken(document, ENGLISH), model_path=document.model.path)
    with speaking(ENGLISH):
        return _document(clean)


def _document(clean: Document) -> Json:
    from advisor.report.exporters.stutter_json import stutter_fields
    from advisor.report.exporters.trials_json import advice_json, ledger_json, trial_json

    return {
        "schema": DIAGNOSIS_SCHEMA,
        "created_at": clean.created_at,
        "app_version": clean.app_version,
        "interrupted": clean.interrupted,
        **_verdict(clean.verdict),
        "workload": plain_fields(clean.workload),
        **_timeline(clean.timeline),
        "advice": [advice_json(advice) for advice in clean.advice],
        "wont_help": [plain_fields(item) for item in clean.wont_help],
        "trials": [trial_json(trial) for trial in clean.trials],
        "ledger": ledger_json(clean.ledger),
        "tests": [measurement_json(test) for test in clean.tests],
        "changes": [_change(change) for change in clean.changes],
        "left_out": list(clean.left_out),
        **_real_use(clean.real_use),
        **fact_fields("load_s", clean.load_s),
        **stutter_fields(clean.stutter),
        **_ceilings_fact(clean.ceilings),
        "waterfalls": [plain_fields(waterfall) for waterfall in clean.waterfalls],
        "model": _model(clean.model),
        "machine": _machine(clean.machine),
        **_engine(clean.engine),
    }


def _machine(machine: Machine) -> Json:
    clean = without_personal_paths(machine)
    result = plain_fields(clean)
    result["gpus"] = [_gpu(gpu) for gpu in clean.gpus]
    return result


def _gpu(gpu: Gpu) -> Json:
    return plain_fields(gpu, _SERIALS)


def _engine(engine: Fact[EngineFacts]) -> Json:
    return fact_fields("engine", without_personal_paths(engine))


def _model(model: ModelFacts) -> Json:
    """The model's facts, with the traffic's derived figures beside those of the header."""
    from advisor.gguf.contents import contents

    clean = without_personal_paths(model)
    header = plain_fields(clean, frozenset({"path", "first_file", "traffic", "small"}))
    result: Json = {"file": clean.path.name}
    for name in ("name", "architecture"):
        result[name] = header.pop(name)
    result.update(header)
    result.update(_traffic(clean))
    result["contents"] = plain_fields(contents(clean))
    return result


def _traffic(model: ModelFacts) -> Json:
    names = (
        "bytes_per_token",
        "kv_bytes_per_token",
        "flop_per_prompt_token",
        "flop_per_decoded_token",
    )
    traffic = model.traffic
    if isinstance(traffic, Unknown):
        figures: list[Fact[int]] = [traffic] * len(names)
    else:
        t = traffic.value
        values = (
            round(t.bytes_per_token()),
            t.kv_bytes_per_token(),
            t.flop_per_prompt_token(),
            t.flop_per_decoded_token(),
        )
        figures = [Known(value, Basis.COMPUTED, traffic.source) for value in values]
    result: Json = {}
    for name, figure in zip(names, figures, strict=True):
        result.update(fact_fields(name, figure))
    result.update(fact_fields("traffic", traffic))
    if isinstance(traffic, Known):
        result["traffic"]["attention"] = [_with_window_reason(layer) for layer in result["traffic"]["attention"]]
    return result


def _with_window_reason(layer: Json) -> Json:
    """Null alone could be read as an unknown window; it means that there is none."""
    words = {"window_reason": FULL_ATTENTION} if layer["window"] is None else {}
    before = dict(list(layer.items())[: list(layer).index("window") + 1])
    return {**before, **words, **layer}


def _ceilings(ceilings: Ceilings) -> Json:
    clean = without_personal_paths(ceilings)
    result = plain_fields(clean)
    for probe, row in zip(clean.read_probes, result["read_probes"], strict=True):
        row["best_bytes_per_s"] = probe.best_bytes_per_s
    for product, row in zip(clean.arithmetic_probes, result["arithmetic_probes"], strict=True):
        row["best_flop_per_s"] = product.best_flop_per_s
    return result


def _ceilings_fact(ceilings: Fact[Ceilings]) -> Json:
    result = fact_fields("ceilings", ceilings)
    if isinstance(ceilings, Known):
        result["ceilings"] = _ceilings(ceilings.value)
    return result


def measurement_json(test: TestResult) -> Json:
    """One measurement, as ``bench`` and ``diagnose`` list it."""
    clean = without_personal_paths(test)
    spread = clean.mad_tokens_per_s
    result: Json = {"test": clean.test, **plain_fields(clean)}
    samples = result.pop("samples_s")
    conditions = result.pop("conditions")
    warm_ups = result.pop("warm_up_s")
    result |= {"safe_mode": clean.safe_mode, "tokens_per_s": clean.tokens_per_s, "mad_tokens_per_s": spread}
    if spread is None:
        result["mad_tokens_per_s_reason"] = "one repetition has no spread"
    interval, differing = clean.interval_tokens_per_s, clean.cold_and_sustained
    result |= {"interval_tokens_per_s": None, "interval_tokens_per_s_reason": "it needs three repetitions"}
    if interval is not None:
        result["interval_tokens_per_s"] = list(interval)
        del result["interval_tokens_per_s_reason"]
    result |= {"cold_tokens_per_s": None, "sustained_tokens_per_s": None}
    if differing is not None:
        result["cold_tokens_per_s"], result["sustained_tokens_per_s"] = differing
    else:
        result["sustained_tokens_per_s_reason"] = "the speed did not fall from the first to the later repetitions"
        result["cold_tokens_per_s_reason"] = result["sustained_tokens_per_s_reason"]
    return {**result, "samples_s": samples, "warm_up_s": warm_ups, "conditions": conditions}


def _timeline(timeline: Fact[Timeline]) -> Json:
    result = fact_fields("timeline", timeline)
    for name in ("prefill_spread_tokens_per_s", "decode_spread_tokens_per_s"):
        if result["timeline"] is not None and result["timeline"][name] is None:
            result["timeline"][f"{name}_reason"] = "one repetition has no spread"
    return result


def _real_use(real_use: Fact[RealUse]) -> Json:
    result = fact_fields("real_use", real_use)
    if isinstance(real_use, Known):
        body: Json = result["real_use"]
        body["tokens_per_s"] = real_use.value.tokens_per_s
        body["gap_fraction"] = real_use.value.gap_fraction
        if real_use.value.gap_fraction is None:
            no_row = "there is no decode test of the same run to compare with"
            body["gap_fraction_reason"] = body["benchmark_tokens_per_s_reason"] = no_row
    return result


def _change(change: Change) -> Json:
    """Beside the last run; what is null says why."""
    result = plain_fields(change)
    if change.interval is None:
        result["interval_reason"] = "one of the two runs has no spread"
    if change.spread is None:
        result["spread_reason"] = "fewer than three runs with these settings"
    return result


def _verdict(verdict: Fact[Verdict]) -> Json:
    result = fact_fields("verdict", verdict)
    if isinstance(verdict, Unknown):
        return result
    body: dict[str, Any] = result["verdict"]
    body["limits"] = {
        "prefill": plain(verdict.value.prefill.limit),
        "decode": plain(verdict.value.decode.limit),
    }
    for name in ("prefill", "decode"):
        if body[name]["of_ceiling"] is None:
            body[name]["of_ceiling_reason"] = "its ceiling is unknown"
    return result
