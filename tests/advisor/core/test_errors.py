import copy
import json
import pickle

import pytest

from advisor.core import errors
from advisor.core.errors import (
    AdvisorError,
    BadFile,
    Cancelled,
    EngineCrashed,
    EngineError,
    EngineMissing,
    EngineTimeout,
    PackageMissing,
    UsageError,
)

ALL = [
    AdvisorError, UsageError, BadFile, EngineError, EngineMissing, EngineCrashed, EngineTimeout, Cancelled,
    PackageMissing,
]  # fmt: skip


def test_the_list_above_is_complete() -> None:
    declared = {value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, AdvisorError)}
    assert declared == set(ALL)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("fields", [None, {}, {"path": "m.gguf", "signal": 11}])
def test_errors_survive_pickling_and_copying(kind: type[AdvisorError], fields: dict[str, object] | None) -> None:
    error = kind("It broke.", "Mend it.", fields)
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is kind
        assert (twin.sentence, twin.hint, twin.fields) == ("It broke.", "Mend it.", fields or {})
        assert twin.as_json() == error.as_json()
        assert str(twin) == str(error)


@pytest.mark.parametrize(
    ("kind", "exit_code"),
    [
        (AdvisorError, 1),
        (UsageError, 2),
        (BadFile, 3),
        (EngineError, 4),
        (EngineMissing, 4),
        (EngineCrashed, 4),
        (EngineTimeout, 4),
        (Cancelled, 130),
    ],
)
def test_exit_codes_of_the_command_line(kind: type[AdvisorError], exit_code: int) -> None:
    assert kind("X.").exit_code == exit_code
    assert errors.EXIT_INVALID == 5


def test_codes_differ() -> None:
    assert len({kind.code for kind in ALL}) == len(ALL)


def test_text_is_sentence_and_hint() -> None:
    assert str(BadFile("The file is empty.")) == "The file is empty."
    assert str(BadFile("The file is empty.", "Download it again.")) == "The file is empty. Download it again."


def test_json_holds_the_fields() -> None:
    error = EngineCrashed("The engine crashed.", "", {"signal": 11})
    assert json.loads(json.dumps(error.as_json())) == {
        "code": "engine_crashed",
        "sentence": "The engine crashed.",
        "hint": "",
        "signal": 11,
    }


def test_fields_are_copied() -> None:
    fields: dict[str, object] = {"a": 1}
    error = BadFile("X.", "", fields)
    fields["a"] = 2
    assert error.fields == {"a": 1}


def test_the_cause_is_kept() -> None:
    with pytest.raises(BadFile) as caught:
        try:
            raise OSError("gone")
        except OSError as cause:
            raise BadFile("The file vanished.") from cause
    assert isinstance(caught.value.__cause__, OSError)
