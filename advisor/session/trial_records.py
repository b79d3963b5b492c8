"""Keeps what was tried, and the ledger of predictions; a store that cannot be used is a loss of memory only."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from advisor.benchmarks.model import EngineFacts, Sweep, TestResult
from advisor.benchmarks.safe_mode import cpu_key
from advisor.benchmarks.store.model import Setup, StoreError
from advisor.benchmarks.store.store import Store
from advisor.benchmarks.trials.model import Trial
from advisor.benchmarks.trials.prediction import Prediction
from advisor.core.evidence import Fact
from advisor.core.translation import tr
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine
from advisor.recommendations.ledger import NO_LEDGER, Ledger, ledger_of
from advisor.report.privacy import without_personal_paths
from advisor.session.events import Listener, Remark
from advisor.session.recording import BUSY_S, HINT, setup_of

log = logging.getLogger(__name__)


class TrialRecords:
    """The experiments and predictions of one store.

    Args:
        path: the store's file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def ledger(self, machine: Machine) -> Ledger:
        """How predictions held on this machine; empty where nothing can be read."""
        try:
            return ledger_of(Store(self._path, busy_s=BUSY_S).predictions(cpu_key(machine.cpu)))
        except StoreError as error:
            log.warning("the ledger cannot be read: %s", error)
            return NO_LEDGER

    def earlier(
        self, model: ModelFacts, machine: Machine, engine: Fact[EngineFacts], tests: Sequence[TestResult]
    ) -> tuple[Trial, ...]:
        """What was tried before with this machine, model, engine and settings, oldest first.

        Empty where nothing can be read. ``tests`` are the diagnosis that the trials shall answer.
        """
        settings = {_setting(row) for row in tests if row.sweep is Sweep.PHASES}
        setup = without_personal_paths(setup_of(model, machine, engine), model_path=model.path)
        try:
            found = Store(self._path, busy_s=BUSY_S).trials(setup)
        except StoreError as error:
            log.warning("earlier trials cannot be read: %s", error)
            return ()
        return tuple(one.trial for one in found if {_setting(one.prefill), _setting(one.decode)} <= settings)

    def keep(
        self,
        setup: Setup,
        trial: Trial,
        settings: Mapping[str, Any],
        prediction: Prediction | None,
        model_path: Path,
        listener: Listener,
    ) -> None:
        """Write an experiment down; what keeps it from being kept is said aloud."""
        clean = without_personal_paths((setup, trial, dict(settings)), model_path=model_path)
        store = Store(self._path, lambda sentence, hint: listener(Remark(sentence, hint)), busy_s=BUSY_S)
        try:
            store.add_trial(*clean, prediction)
        except StoreError as error:
            log.warning("the trial was not saved: %s", error)
            listener(Remark(error.sentence, f"{tr(HINT)} {error.hint}".rstrip()))


def _setting(row: TestResult) -> tuple[object, ...]:
    """What a test was run with, its lengths left out."""
    return (
        row.phase, row.n_threads, row.n_batch, row.n_ubatch, row.flash_attention, row.kv_type, row.device, row.mode
    )
