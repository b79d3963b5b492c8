"""Every engine that is found on this machine, asked what it is, and on demand let to measure for two seconds."""

from pathlib import Path
from typing import Final

from advisor.benchmarks.engines.choosing import engine_of, surroundings
from advisor.benchmarks.engines.engine import Engine
from advisor.benchmarks.engines.finding import find_engines
from advisor.benchmarks.engines.listed import NOT_CHECKED, FoundEngine, ListedEngine
from advisor.benchmarks.model import EngineFacts, TestResult
from advisor.benchmarks.planning import BenchSettings
from advisor.core.errors import AdvisorError, Cancelled
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.core.translation import tr
from advisor.hardware.model import Machine
from advisor.session.events import Listener
from advisor.session.paths import paths_beside_history, user_paths
from advisor.session.pipeline import Pipeline
from advisor.session.sample import INSTALL_HINT, is_installed, sample_path

CHECK: Final = BenchSettings(n_prompt=64, n_gen=16, repetitions=2)
"""About two seconds with the sample, most of them loading."""


def list_engines(listener: Listener, cancel: CancelToken, check: bool = False) -> tuple[ListedEngine, ...]:
    """The list. Raises Cancelled."""
    listed = []
    sample = _sample(listener, cancel) if check else NOT_CHECKED
    machine = Pipeline().read_machine() if check else None
    for found in find_engines(surroundings()):
        engine = engine_of(found)
        facts = engine.read_facts(cancel)
        cancel.raise_if_cancelled()
        measured: Fact[tuple[TestResult, ...]] = NOT_CHECKED
        if machine is not None:
            measured = (
                sample
                if isinstance(sample, Unknown)
                else check_engine(engine, facts, sample.value, machine, listener, cancel)
            )
        listed.append(ListedEngine(found, facts, measured))
    return tuple(listed)


def check_engine(
    engine: Engine, facts: Fact[EngineFacts], model: Path, machine: Machine, listener: Listener, cancel: CancelToken
) -> Fact[tuple[TestResult, ...]]:
    """Both phases of a model, shortly; Unknown with the reason where it cannot. Raises Cancelled."""
    not_probed = Unknown(tr("not asked for"), Missing.NOT_YET)
    with paths_beside_history() as paths:
        pipeline = Pipeline(engine, paths)
        measured = pipeline.bench(pipeline.read_model(model), machine, facts, not_probed, CHECK, listener, cancel)
    tests, error = measured.tests, measured.error
    if isinstance(error, Cancelled):
        raise error
    if error is not None:
        return Unknown(str(error))
    return Known(tests, Basis.MEASURED, tr("the sample model"))


def check_found(
    found: FoundEngine, facts: Fact[EngineFacts], listener: Listener, cancel: CancelToken
) -> Fact[tuple[TestResult, ...]]:
    """``check_engine`` of one entry, with the sample. Raises AdvisorError."""
    sample = _sample(listener, cancel)
    if isinstance(sample, Unknown):
        return sample
    machine = Pipeline().read_machine()
    return check_engine(engine_of(found), facts, sample.value, machine, listener, cancel)


def _sample(listener: Listener, cancel: CancelToken) -> Fact[Path]:
    if not is_installed():
        return Unknown(
            tr("the sample model is not installed. {hint}", hint=tr(INSTALL_HINT)), Missing.TOOL_MISSING
        )
    try:
        return Known(sample_path(user_paths().sample, listener, cancel), Basis.READ, tr("the sample's package"))
    except Cancelled:
        raise
    except AdvisorError as error:
        return Unknown(str(error))
