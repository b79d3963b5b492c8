"""The choice of how much to measure, each with the time that it will take."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import EngineFacts, PlanKind
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Basis, Fact, Known
from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Workload
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.report import formatting as fmt

NAMES: Final[Mapping[PlanKind, str]] = {
    PlanKind.QUICK: marked("Quick"), PlanKind.STANDARD: marked("Standard"), PlanKind.THOROUGH: marked("Thorough"),
}  # fmt: skip
TIPS: Final[Mapping[PlanKind, str]] = {
    PlanKind.QUICK: marked("both phases, and as much of your workload's depth and threads as fits"),
    PlanKind.STANDARD: marked("the curves over depth, threads and streams as well, with more repetitions"),
    PlanKind.THOROUGH: marked("every curve: depth, threads, streams, batch sizes, flash attention, KV type"),
}


@dataclass(frozen=True, slots=True)
class PlanOption:
    """One entry: "Quick · about 20 s"."""

    id: str
    text: str
    tip: str


@dataclass(frozen=True, slots=True)
class PlanChoice:
    """The entries, and which one the next run takes."""

    options: tuple[PlanOption, ...]
    chosen: str


def present_plans(
    chosen: PlanKind,
    model: ModelFacts | None,
    machine: Machine | None,
    engine: Fact[EngineFacts],
    ceilings: Ceilings | None,
    workload: Workload,
) -> PlanChoice:
    """The choice; without a time until the ceilings tell how fast this model can run here."""
    options = []
    for kind in PlanKind:
        name = text = tr(NAMES[kind])
        if model is not None and model.has_decode and machine is not None and ceilings is not None:
            time = fmt.about_seconds(_seconds(kind, model, machine, engine, ceilings, workload))
            text = tr("{plan} · about {time}", plan=name, time=time)
        options.append(PlanOption(kind, text, f"{name}: {tr(TIPS[kind])}"))
    return PlanChoice(tuple(options), chosen)


def _seconds(
    kind: PlanKind, model: ModelFacts, machine: Machine, engine: Fact[EngineFacts], ceilings: Ceilings,
    workload: Workload,
) -> float:
    # Needed only once there are ceilings, long after the window has been painted.
    from advisor.benchmarks.planning import BenchSettings, Purpose, make_plan
    from advisor.benchmarks.probing import weights_device

    known: Fact[Ceilings] = Known(ceilings, Basis.COMPUTED, "probes")
    purpose = Purpose(workload.prompt_tokens, workload.answer_tokens, workload.users)
    on_cpu = weights_device(engine) == "CPU"
    return make_plan(model, machine, known, BenchSettings(kind=kind), purpose, on_cpu).predicted_s
