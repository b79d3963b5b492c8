"""What a document's advice rests on, made of the document again; pure and quick."""

from advisor.benchmarks.model import EngineFacts, TestResult
from advisor.benchmarks.stutter.model import Stutter
from advisor.ceilings.model import Ceilings
from advisor.core.evidence import Fact, Unknown
from advisor.diagnosis.average_turn import average_turn
from advisor.diagnosis.model import Timeline, Verdict, Workload
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.recommendations.evidence import Evidence
from advisor.report.document import Document


def evidence_of(document: Document) -> Evidence | None:
    """None while there is no verdict."""
    if isinstance(document.timeline, Unknown) or isinstance(document.verdict, Unknown):
        return None
    return evidence_from(
        document.machine, document.engine, document.model, document.ceilings, document.tests, document.workload,
        document.timeline.value, document.verdict.value, document.stutter,
    )  # fmt: skip


def evidence_from(
    machine: Machine, engine: Fact[EngineFacts], model: ModelFacts, ceilings: Fact[Ceilings],
    tests: tuple[TestResult, ...], workload: Workload, timeline: Timeline, verdict: Verdict, stutter: Fact[Stutter],
) -> Evidence:  # fmt: skip
    """The same from its parts; of a chat its average turn."""
    one, times = average_turn(workload, timeline)
    return Evidence(
        machine, engine.or_none(), model, ceilings.or_none(), tests, one, times, verdict, workload, stutter.or_none()
    )
