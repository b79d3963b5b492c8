"""Experiments and answered predictions to rows of their tables and back."""

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from advisor.benchmarks.model import TestResult
from advisor.benchmarks.store.codec import decode, encode
from advisor.benchmarks.store.model import Setup, StoredTrial
from advisor.benchmarks.store.rows import Row, cell, in_english, setup_row
from advisor.benchmarks.trials.model import Trial
from advisor.benchmarks.trials.prediction import Prediction
from advisor.core.retelling import retold

_COLUMNS: Final = ("advice", "before", "after", "pairs", "conditions", "plan")
"""Fields of ``Trial`` that are columns of the same name; the others lie in ``settings``."""

_TRIAL: Final = "trial"


def trial_row(setup: Setup, trial: Trial, settings: Mapping[str, Any]) -> Row:
    """A row of ``trials``; ``settings`` are plain JSON values on what the experiment was made with."""
    values = encode(in_english(trial))
    row: Row = {"tried_at": values.pop("created_at"), **setup_row(setup)}
    row.update({name: cell(values.pop(name)) for name in _COLUMNS})
    return row | {
        "rounds": trial.rounds,
        "stamp": str(trial.conditions.stamp),
        "settings": cell({**encode(in_english(settings)), _TRIAL: values}),
    }


def read_trial(row: Mapping[str, Any]) -> StoredTrial:
    """The experiment behind a row of ``trials``. Raises ValueError."""
    settings = json.loads(row["settings"])
    try:
        prefill, decode_row = (decode(TestResult, settings[name]) for name in ("prefill", "decode"))
    except KeyError as error:
        raise ValueError(f"its settings lack {error}") from error
    values = settings[_TRIAL] | {"created_at": row["tried_at"]}
    for name in _COLUMNS:
        as_it_is = name in ("advice", "before", "after") or row[name] is None
        values[name] = row[name] if as_it_is else json.loads(row[name])
    return StoredTrial(retold(decode(Trial, values)), retold(prefill), retold(decode_row))


def prediction_row(prediction: Prediction) -> Row:
    """A row of ``predictions``, but for its trial."""
    return {**encode(prediction), "error": prediction.error}


def read_prediction(row: Mapping[str, Any]) -> Prediction:
    """The prediction behind a row of ``predictions``. Raises ValueError."""
    prediction: Prediction = decode(Prediction, {each.name: row[each.name] for each in fields(Prediction)})
    return prediction
