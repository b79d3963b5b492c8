"""Which of the window's actions can be used now, and why not."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import EngineFacts
from advisor.core.evidence import Fact, Missing, Unknown
from advisor.core.retelling import retold
from advisor.core.translation import marked, tr
from advisor.gguf.model import ModelFacts
from ui.bridge.activity import Activity

EXPORTS: Final = {
    "pdf": marked("PDF report…"), "html": marked("Web page (HTML)…"), "md": marked("Markdown…"),
    "csv": marked("Table (CSV)…"), "json": marked("JSON…"),
}  # fmt: skip
"""Every kind of report, with the words of its menu."""

PAST_TIP: Final = marked("This is a run of the past; open its model to measure anew")


@dataclass(frozen=True, slots=True)
class Actions:
    """Enabled or not; the tips say what an action does or what it waits for."""

    benchmark: bool
    benchmark_tip: str
    stop: bool
    export: bool
    export_tip: str
    sample: bool
    sample_tip: str
    empty: bool
    """No model is open, so that the page says what to do."""


def why_no_streams(model: ModelFacts | None, engine: Fact[EngineFacts], activity: Activity) -> str:
    """Why several streams cannot be run together now; empty where they can."""
    if model is None:
        return tr("Open a model first")
    if not model.has_decode:
        return tr("This file has no decode phase: nothing here writes tokens")
    if isinstance(engine, Unknown):
        waits = engine.kind is Missing.NOT_YET
        if waits:
            return tr("Looking for the engine")
        return tr("No engine was found ({reason})", reason=retold(engine.reason))
    if engine.value.name != "llama-cpp-python":
        return tr("This engine cannot decode several streams in one context; use llama-cpp-python")
    if activity is Activity.PAST:
        return tr(PAST_TIP)
    return "" if activity is Activity.IDLE else tr("Something else is being measured")


def present_actions(
    activity: Activity, model: ModelFacts | None, engine: Fact[EngineFacts], measured: bool, has_sample: bool
) -> Actions:
    """The state of toolbar and empty page."""
    at_rest = activity in (Activity.IDLE, Activity.CEILINGS, Activity.OPENING)
    tip = tr(PAST_TIP) if activity is Activity.PAST else tr("Measure both phases, and more as time allows (Ctrl+B)")
    can = model is not None and at_rest
    if model is None:
        tip = tr("Open a model first")
    elif not model.has_decode:
        can, tip = False, tr("This file has no decode phase: nothing here writes tokens")
    elif isinstance(engine, Unknown) and engine.kind is not Missing.NOT_YET:
        tip = tr("No engine was found ({reason}); this looks for it again", reason=retold(engine.reason))
    return Actions(
        benchmark=can,
        benchmark_tip=tip,
        stop=activity in (
            Activity.OPENING, Activity.CEILINGS, Activity.BENCHMARK, Activity.TRIAL, Activity.CURVE,
            Activity.SERVER,
            Activity.LENT,
        ),
        export=measured and (at_rest or activity is Activity.PAST),
        export_tip=tr("Write the report as PDF, HTML, Markdown, CSV or JSON (Ctrl+E)")
        if measured
        else tr("There is nothing to report before a benchmark"),
        sample=has_sample and at_rest,
        sample_tip=tr("A small real model (Gemma 3, 270 M parameters), installed beside this program") if has_sample
        else tr("The sample model is not installed: pip install 'two-machines[sample]'"),
        empty=model is None,
    )
