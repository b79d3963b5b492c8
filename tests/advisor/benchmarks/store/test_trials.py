"""Experiments and the ledger in the store."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.benchmarks.job import OWN_CHOICE
from advisor.benchmarks.model import Phase
from advisor.benchmarks.store.model import StoredTrial
from advisor.benchmarks.store.schema import MIGRATIONS
from advisor.benchmarks.store.store import Store
from advisor.benchmarks.trials.model import (
    ChunkTrial,
    PrefixTrial,
    Quality,
    QuantiseTrial,
    Speculated,
    SpeculateTrial,
    Trial,
    TrialPlan,
)
from advisor.benchmarks.trials.prediction import Prediction
from advisor.core.evidence import Basis, Known
from tests.support import documents
from tests.support.stored import filled, setup
from tests.support.trials import CREATED_AT, pair, threads_trial, trial

PREDICTION = Prediction(
    "threads", Phase.PREFILL, 0.4, 0.5, 0.6, 0.35, 0.65, Basis.MEASURED, 0.58, 0.57, 0.6, "0.1.0", "b-1234", "a cpu",
    "ab" * 32, CREATED_AT,
)  # fmt: skip


ROWS = {"prefill": documents.prefill_test(), "decode": documents.decode_test()}


def kept_in(store: Store) -> tuple[Trial, ...]:
    return tuple(one.trial for one in store.trials(setup()))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results.sqlite")


def quantised() -> Trial:
    quality = Known(Quality(0.03, 0.001, 0.92, 6.2, 6.4, 512, "a text"), Basis.MEASURED, "a text")
    guessed = Known(Speculated(0.7, 2.1), Basis.MEASURED, "a text")
    plan = QuantiseTrial("Q4_K_M")
    return replace(trial(pair(0.5), plan=plan), quality=quality, speculated=guessed, notes=("a note.",))


@pytest.mark.parametrize("plan", [
    threads_trial(), QuantiseTrial("Q4_K_M"), PrefixTrial(4000, 600), SpeculateTrial(4, Path("draft.gguf")),
    ChunkTrial(4000, 4, 256, 2048, 128, 0.2, 1.5),
])  # fmt: skip
def test_a_trial_of_every_kind_comes_back_the_same(store: Store, plan: TrialPlan) -> None:
    kept = trial(pair(0.5), pair(1.1, Phase.DECODE), plan=plan)
    store.add_trial(setup(), kept, {"placement": OWN_CHOICE, **ROWS}, None)
    assert store.trials(setup()) == (StoredTrial(kept, ROWS["prefill"], ROWS["decode"]),)
    assert store.predictions("a cpu") == ()


def test_quality_and_guessing_come_back_the_same(store: Store) -> None:
    store.add_trial(setup(), quantised(), ROWS, PREDICTION)
    assert kept_in(store) == (quantised(),)


def test_predictions_are_those_of_one_machine_in_order(store: Store) -> None:
    other = replace(PREDICTION, machine="another")
    later = replace(PREDICTION, measured=0.7)
    for prediction in (PREDICTION, other, later):
        store.add_trial(setup(), trial(pair(0.58)), {}, prediction)
    assert store.predictions("a cpu") == (PREDICTION, later)


def test_a_row_holds_what_it_takes_to_repeat_it_and_stays_as_it_is(store: Store, tmp_path: Path) -> None:
    store.add_trial(setup(), trial(pair(0.58)), {"placement": OWN_CHOICE, "rounds": 5}, PREDICTION)
    connection = sqlite3.connect(tmp_path / "results.sqlite")
    connection.row_factory = sqlite3.Row
    row = dict(connection.execute("SELECT * FROM trials").fetchone())
    assert row["model_header_sha256"] == "ab" * 32
    assert row["engine_build"] == "b-1234"
    assert json.loads(row["plan"])["after"]["tests"][0]["n_threads"] == 6
    assert json.loads(row["settings"])["placement"]["gpu_layers"] == -1
    assert connection.execute("SELECT error FROM predictions").fetchone()[0] == pytest.approx(0.08)
    for statement in ("UPDATE trials SET advice = 'x'", "DELETE FROM predictions"):
        with pytest.raises(sqlite3.IntegrityError, match="kept as they are"):
            connection.execute(statement)
    connection.close()


def test_a_file_of_the_first_format_gets_both_tables(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    Store(path, migrations=MIGRATIONS[:1]).prepare()
    filled(path).add_trial(setup(), trial(pair(0.5)), {}, PREDICTION)
    assert len(Store(path).predictions("a cpu")) == 1
    assert path.with_name(f"results.before-format-{len(MIGRATIONS)}.sqlite").exists()


def test_a_row_that_cannot_be_understood_is_passed_over(store: Store, tmp_path: Path) -> None:
    store.add_trial(setup(), trial(pair(0.5)), ROWS, None)
    connection = sqlite3.connect(tmp_path / "results.sqlite")
    names = [row[1] for row in connection.execute("PRAGMA table_info(trials)") if row[1] != "id"]
    copied = ", ".join("'[]'" if name == "conditions" else name for name in names)
    connection.execute(f"INSERT INTO trials ({', '.join(names)}) SELECT {copied} FROM trials")
    connection.commit()
    connection.close()
    assert len(kept_in(store)) == 1


def test_trials_are_those_of_one_machine_model_and_engine_build(store: Store) -> None:
    here = setup()
    engine = here.engine
    assert engine is not None
    others = (
        replace(here, machine=replace(here.machine, cpu="another")),
        replace(here, model=replace(here.model, header_sha256="cd" * 32)),
        replace(here, engine=replace(engine, build="b-9")),
        replace(here, engine=None),
    )
    newer = replace(here, app_version="9.9", engine=replace(engine, python="elsewhere"))
    for held in (*others, newer):
        store.add_trial(held, trial(pair(0.5), plan=threads_trial()), ROWS, None)
    assert len(store.trials(here)) == 1
