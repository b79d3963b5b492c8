"""From what was measured to the whole document: timeline, verdict, advice; pure and quick."""

from dataclasses import replace
from typing import Final

from advisor import __version__
from advisor.benchmarks.model import NO_REAL_USE, NOT_LOADED, EngineFacts, RealUse, TestResult
from advisor.benchmarks.stutter.model import NOT_MEASURED, Stutter
from advisor.benchmarks.trials.model import Trial
from advisor.ceilings.model import CEILINGS_SOURCE, Ceilings
from advisor.comparison.trend import Change
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.retelling import each_text, retold, told_in
from advisor.core.translation import language, marked, speaking, tr
from advisor.diagnosis.engine import diagnose as judge
from advisor.diagnosis.model import Timeline, Verdict, Workload
from advisor.diagnosis.timeline import timeline as timeline_of
from advisor.diagnosis.waterfall import waterfalls
from advisor.diagnosis.workload import PRESETS
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.recommendations.ledger import NO_LEDGER, Ledger
from advisor.recommendations.ranking import Advised, advise
from advisor.recommendations.wont_help import wont_help
from advisor.report.document import Document
from advisor.report.evidence_of import evidence_from

LOAD_SOURCE: Final = marked("in this run, the file being in memory or not as it happened")


def answer(
    machine: Machine,
    engine: Fact[EngineFacts],
    model: ModelFacts,
    ceilings: Fact[Ceilings],
    tests: tuple[TestResult, ...],
    workload: Workload,
    created_at: str,
    interrupted: str = "",
    left_out: tuple[str, ...] = (),
    real_use: Fact[RealUse] = NO_REAL_USE,
    load_s: Fact[float] = NOT_LOADED,
    trials: tuple[Trial, ...] = (),
    ledger: Ledger = NO_LEDGER,
    stutter: Fact[Stutter] = NOT_MEASURED,
    changes: tuple[Change, ...] = (),
) -> Document:
    """Timeline, verdict and advice from what is there; pure and quick (under 50 ms), for every workload change.

    Trials keep their ratios for another workload as long as they answer what would be tried now (``tried.same``).
    """
    times: Fact[Timeline] = timeline_of(workload, tests, model.traffic.or_none(), load_s, real_use)
    verdict: Fact[Verdict] = Unknown(tr("both phases must be measured first"), Missing.NOT_YET)
    evidence = None
    if isinstance(times, Known):
        found = judge(workload, times.value, tests, ceilings.or_none(), model, machine)
        verdict = Known(found, Basis.COMPUTED, times.value.basis)
        evidence = evidence_from(machine, engine, model, ceilings, tests, workload, times.value, found, stutter)
    advised = advise(evidence, trials, ledger) if evidence else Advised((), ())
    in_vain = {item.id for item in advised.in_vain}
    others = tuple(item for item in wont_help(evidence) if item.id not in in_vain) if evidence else ()
    return Document(
        created_at=created_at,
        app_version=__version__,
        machine=machine,
        engine=engine,
        model=model,
        ceilings=ceilings,
        tests=tests,
        workload=workload,
        timeline=times,
        verdict=verdict,
        advice=advised.advice,
        wont_help=(*advised.in_vain, *others),
        interrupted=interrupted,
        waterfalls=waterfalls(tests, model, ceilings.or_none(), workload.writing_depth_tokens),
        left_out=left_out,
        real_use=real_use,
        load_s=load_s,
        trials=trials,
        ledger=ledger,
        stutter=stutter,
        changes=changes,
    )


def answered_again(document: Document, trials: tuple[Trial, ...], ledger: Ledger) -> Document:
    """The same measurements with other trials and ledger."""
    return answer(
        document.machine, document.engine, document.model, document.ceilings, document.tests, document.workload,
        document.created_at, document.interrupted, document.left_out, document.real_use, document.load_s,
        trials, ledger, document.stutter, document.changes,
    )  # fmt: skip


def spoken(document: Document, target: str = "") -> Document:
    """The document in ``target``, the language spoken now when not given; itself where it is in that language.

    Reasons, sources and stamps are retold by the catalogue; timeline, verdict and advice are answered anew, since what
    they say follows from the measurements. Where another version has answered, whose rules these are no more, its
    own answer is retold instead: a report says the same in every language.
    """
    wanted = target or language()
    told = retold(document, wanted, told_in(document))
    if document.workload.id in PRESETS:  # whose titles are said where they are shown
        told = replace(told, workload=document.workload)
    if told == document:
        return document
    with speaking(wanted):
        again = replace(answered_again(told, told.trials, told.ledger), app_version=document.app_version)
    return again if _bare(again) == _bare(told) else told


def _bare(document: Document) -> Document:
    """Figures, kinds and names alone."""
    return each_text(document, lambda text: "")


def load_fact(load_s: float | None) -> Fact[float]:
    """The seconds of loading as a fact; some engines do not tell them."""
    if load_s is None:
        return Unknown(tr("the engine does not tell how long it loaded"), Missing.NOT_SUPPORTED)
    return Known(load_s, Basis.MEASURED, tr(LOAD_SOURCE))


def ceilings_fact(ceilings: Ceilings | None) -> Fact[Ceilings]:
    """The ceilings as a fact; not measured yet where there are none."""
    if ceilings is None:
        return Unknown(tr("not measured yet"), Missing.NOT_YET)
    return Known(ceilings, Basis.COMPUTED, tr(CEILINGS_SOURCE))
