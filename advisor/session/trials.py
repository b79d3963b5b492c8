"""From a diagnosis to an experiment and back: what can be tried, trying it, and the diagnosis with what it showed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from advisor.benchmarks.conditions import noted
from advisor.benchmarks.engines.engine import Engine
from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.benchmarks.model import EngineMode
from advisor.benchmarks.probing import weights_device
from advisor.benchmarks.safe_mode import cpu_key
from advisor.benchmarks.trials.model import Trial
from advisor.benchmarks.trials.rounds import BUDGET_S, ROUNDS
from advisor.core.errors import EngineError, UsageError
from advisor.core.progress import CancelToken
from advisor.core.translation import tr
from advisor.hardware.model import Machine
from advisor.recommendations import drafting, speculate
from advisor.recommendations.drafting import Drafter
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.ledger import answered
from advisor.recommendations.model import Advice
from advisor.recommendations.ranking import predictions, weighed
from advisor.recommendations.tried import cost_s
from advisor.report.answering import answered_again
from advisor.report.document import Document
from advisor.report.evidence_of import evidence_of
from advisor.session import trying
from advisor.session.events import Listener
from advisor.session.recording import setup_of
from advisor.session.trial_context import TrialContext
from advisor.session.trial_records import TrialRecords


@dataclass(frozen=True, slots=True)
class Asked:
    """How an experiment is to be made.

    Attributes:
        rounds: how many at most.
        budget_s: seconds after which no further round is begun, once there are three.
        placement: where the diagnosed run put the model.
        drafter: a small model that the user has picked to guess; None for guessing from the text so far.
        notes: why the result will only be suspect, known beforehand; clauses.
    """

    rounds: int = ROUNDS
    budget_s: float = BUDGET_S
    placement: Placement = OWN_CHOICE
    drafter: Drafter | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """An advice that can be tried.

    Attributes:
        advice: as it is shown now.
        takes_s: predicted seconds of trying it.
    """

    advice: Advice
    takes_s: float


@dataclass(frozen=True, slots=True)
class Trying:
    """Experiments on one diagnosis.

    Attributes:
        engine: what measures.
        machine: as it is now; the diagnosis may be older.
        scratch: folder for files of an experiment.
    """

    engine: Engine
    records: TrialRecords
    machine: Machine
    scratch: Path

    def candidates(self, document: Document, asked: Asked) -> tuple[Candidate, ...]:
        """What can be tried, in the order of the advice, then what was predicted to save nothing."""
        evidence = evidence_of(document)
        if evidence is None:
            return ()
        found = []
        for advice in _predicted(evidence, asked):
            plan = advice.trial
            shown = weighed(advice, evidence, document.trials, document.ledger)
            if plan is not None:
                context = self._context(document, evidence, advice, asked)
                found.append(Candidate(shown, trying.predicted_s(context, plan)))
        order = [advice.id for advice in document.advice]
        return tuple(
            sorted(found, key=lambda one: order.index(one.advice.id) if one.advice.id in order else len(order))
        )

    def run(
        self, document: Document, advice_id: str, asked: Asked, listener: Listener, cancel: CancelToken
    ) -> Document:
        """The diagnosis with one more trial.

        Raises:
            UsageError: there is no such advice, or it cannot be tried here.
            Cancelled: stopped before anything could be compared.
            AdvisorError: the experiment failed; the diagnosis is as good as before.
        """
        evidence = evidence_of(document)
        if evidence is None:
            raise UsageError(
                tr("Nothing can be tried before both phases are measured."), tr("Run the benchmark first.")
            )
        predicted = next((advice for advice in _predicted(evidence, asked) if advice.id == advice_id), None)
        if predicted is None or predicted.trial is None:
            raise _not_there(predicted, advice_id, [one.advice.id for one in self.candidates(document, asked)])
        context = self._context(document, evidence, predicted, asked)
        trial = trying.run(context, predicted.trial, listener, cancel)
        trial = replace(trial, conditions=noted(trial.conditions, asked.notes))
        self._keep(document, evidence, context, predicted, trial, listener)
        ledger = self.records.ledger(self.machine)
        return answered_again(document, (*document.trials, trial), ledger)

    def _keep(
        self,
        document: Document,
        evidence: Evidence,
        context: TrialContext,
        predicted: Advice,
        trial: Trial,
        listener: Listener,
    ) -> None:
        setup = setup_of(document.model, self.machine, document.engine)
        shown = weighed(predicted, evidence, (), document.ledger)
        prediction = None if evidence.unreliable else answered(  # a prediction from disturbed rows says nothing
            predicted, shown, cost_s(predicted, evidence), trial,
            engine_build=context.facts.build, machine=cpu_key(self.machine.cpu), model=setup.model.header_sha256,
        )  # fmt: skip
        self.records.keep(setup, trial, _settings(context), prediction, document.model.path, listener)

    def _context(self, document: Document, evidence: Evidence, advice: Advice, asked: Asked) -> TrialContext:
        prefill, decode, facts = evidence.prefill_row, evidence.decode_row, evidence.engine
        if prefill is None or decode is None or facts is None:
            raise EngineError(tr("Nothing can be tried without an engine."), tr("See: two-machines engines"))
        return TrialContext(
            advice=advice.id,
            engine=self.engine,
            facts=facts,
            machine=self.machine,
            model=document.model,
            mode=EngineMode(max(prefill.mode, decode.mode)),
            placement=asked.placement,
            device=weights_device(document.engine, asked.placement, document.model.layers.or_none()),
            prefill=prefill,
            decode=decode,
            scratch=self.scratch,
            created_at=datetime.now().astimezone().isoformat(timespec="seconds"),
            rounds=asked.rounds,
            budget_s=asked.budget_s,
        )


def _predicted(evidence: Evidence, asked: Asked) -> tuple[Advice, ...]:
    """All predictions; that of speculation is the picked model's where there is one."""
    found = predictions(evidence)
    if asked.drafter is None or not evidence.own_worker:
        return found
    others = tuple(advice for advice in found if advice.id != speculate.ID)
    return (*others, drafting.predict(evidence, asked.drafter))


def _not_there(predicted: Advice | None, advice_id: str, others: Sequence[str]) -> UsageError:
    can = tr("Nothing that was found can be tried here.")
    if others:
        can = tr("What can be tried here: {names}.", names=", ".join(others))
    if predicted is not None:
        return UsageError(tr("The advice “{advice}” cannot be tried here.", advice=advice_id), can)
    return UsageError(tr("There is no advice “{advice}” for this model, machine and work.", advice=advice_id), can)


def _settings(context: TrialContext) -> dict[str, Any]:
    """What it takes to repeat an experiment beyond its plan."""
    return {
        "mode": context.mode,
        "placement": context.placement,
        "device": context.device,
        "prefill": context.prefill,
        "decode": context.decode,
        "rounds": context.rounds,
        "budget_s": context.budget_s,
    }
