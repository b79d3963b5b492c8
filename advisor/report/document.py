"""The whole result as one frozen value: what screens, JSON, Markdown and PDF are made from."""

from dataclasses import dataclass

from advisor.benchmarks.model import NO_REAL_USE, NOT_LOADED, EngineFacts, RealUse, TestResult
from advisor.benchmarks.stutter.model import NOT_MEASURED, Stutter
from advisor.benchmarks.trials.model import Trial
from advisor.ceilings.model import Ceilings
from advisor.comparison.trend import Change
from advisor.core.evidence import Fact
from advisor.diagnosis.model import Timeline, Verdict, Workload
from advisor.diagnosis.waterfall import Waterfall
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.recommendations.ledger import NO_LEDGER, Ledger
from advisor.recommendations.model import Advice, WontHelp


@dataclass(frozen=True, slots=True)
class Document:
    """One diagnosis, possibly partial.

    Attributes:
        created_at: ISO 8601 local time with offset.
        app_version: of Two Machines.
        ceilings: Unknown while or where they could not be measured.
        tests: what was measured, in order; may be empty.
        timeline, verdict: Unknown with the reason while a phase is not measured.
        waterfalls: where the measured seconds of each phase go; empty where the engine's kernels are not measured.
        left_out: sentences naming the points of curves that were not measured, and why.
        real_use: text written after the tests, with everything that the benchmark leaves out.
        load_s: seconds that loading the model took in this run.
        trials: experiments that were made for this diagnosis, in order; each advice that one answers names it as well.
        ledger: how well predictions held on this machine.
        stutter: what running streams felt while a prompt arrived, where that was measured.
        changes: each phase beside the last run of this model on this machine, where there was one.
        interrupted: sentence saying why the run is not complete (Stop, crash), empty when it is.
    """

    created_at: str
    app_version: str
    machine: Machine
    engine: Fact[EngineFacts]
    model: ModelFacts
    ceilings: Fact[Ceilings]
    tests: tuple[TestResult, ...]
    workload: Workload
    timeline: Fact[Timeline]
    verdict: Fact[Verdict]
    advice: tuple[Advice, ...]
    wont_help: tuple[WontHelp, ...]
    interrupted: str = ""
    waterfalls: tuple[Waterfall, ...] = ()
    left_out: tuple[str, ...] = ()
    real_use: Fact[RealUse] = NO_REAL_USE
    load_s: Fact[float] = NOT_LOADED
    trials: tuple[Trial, ...] = ()
    ledger: Ledger = NO_LEDGER
    stutter: Fact[Stutter] = NOT_MEASURED
    changes: tuple[Change, ...] = ()
