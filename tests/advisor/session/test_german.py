"""What a session tells while it measures and tries, in German: the same facts and figures."""

import json
from pathlib import Path

import pytest

from advisor.benchmarks.trials.model import StallCheck
from advisor.core.errors import BadFile, Cancelled, EngineError
from advisor.core.evidence import Unknown
from advisor.core.progress import CancelToken, Progress
from advisor.core.translation import use
from advisor.report.answering import ceilings_fact, load_fact
from advisor.report.server_document import server_document
from advisor.servers.advice import Comfort
from advisor.servers.model import ServerSettings
from advisor.session.clock import RunClock
from advisor.session.events import Remark
from advisor.session.experiments import server_figures
from advisor.session.opening import open_any
from advisor.session.pacer import Pacer
from advisor.session.trial_chunk import stall_words
from advisor.session.trial_context import ended_early
from advisor.session.turn import Turn
from tests.advisor.session.test_pacer import PLAN
from tests.support.figures import figures
from tests.support.server_results import some_result

NBSP = "\u00a0"


def test_the_words_of_progress_come_from_the_child_in_english_and_are_shown_in_german(german: None) -> None:
    heard: list[Progress] = []
    pacer = Pacer(RunClock(heard.append, lambda: 0.0), PLAN, lambda: 0.0)
    assert heard[-1].phase == "Das Modell wird geladen"
    pacer.begun(0)
    assert heard[-1].phase == "Prefill, Aufwärmen"
    pacer.say("Prefill, repetition 2 of 5")
    assert heard[-1].phase == "Prefill, Wiederholung 2 von 5"
    pacer.begun(2)
    pacer.say("Decode, repetition 1 of 3")
    assert heard[-1].phase == "KV-Typ: tg32 @ d4000 mit KV q8_0, Wiederholung 1 von 3"
    pacer.say("Filling the cache with 4000 tokens")
    assert heard[-1].phase == "Der Cache wird mit 4000 Tokens gefüllt"
    pacer.say("Writing text as in real use")
    assert heard[-1].phase == "Text wird wie im echten Gebrauch geschrieben"


@pytest.mark.parametrize("after_s", [0.12, 0.5])
def test_a_stall_budget_that_is_kept_or_not(german: None, after_s: float) -> None:
    check = StallCheck(0.25, 1.42, after_s, 3.1, 3.6)
    said = stall_words(check, 0.045)
    use("en")
    english = stall_words(check, 0.045)
    assert [figures(text) for text in english] == [_german_figures(text) for text in said]
    assert ("wird eingehalten" in said[0]) is check.kept
    assert ("wird nicht eingehalten" in said[0]) is not check.kept


def _german_figures(text: str) -> list[str]:
    use("de")
    try:
        return figures(text)
    finally:
        use("en")


def test_an_experiment_that_ended_early(german: None) -> None:
    assert ended_early(1, 5, Cancelled("x")) == f"Nach 1{NBSP}Durchgang von 5 angehalten."
    assert ended_early(3, 5, EngineError("Warum.")) == f"Nach 3{NBSP}Durchgängen von 5 beendet: Warum."


def test_what_is_not_known_says_why(german: None) -> None:
    loaded, bounds = load_fact(None), ceilings_fact(None)
    assert isinstance(loaded, Unknown) and isinstance(bounds, Unknown)
    assert loaded.reason == "die Engine sagt nicht, wie lange sie geladen hat"
    assert bounds.reason == "noch nicht gemessen"


def test_a_file_that_is_no_whole_diagnosis(german: None, tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    path.write_text(json.dumps({"schema": "two-machines/machine/1"}))
    with pytest.raises(BadFile) as refused:
        open_any(path)
    assert refused.value.sentence == "machine.json enthält keine vollständige Diagnose."


def test_two_measurements_at_once_are_said_and_noted(german: None, tmp_path: Path) -> None:
    told: list[object] = []
    with (
        Turn(tmp_path / "turn").taken(told.append, CancelToken()),
        Turn(tmp_path / "turn", wait=False).taken(told.append, CancelToken()) as held,
    ):
        assert held.notes == ("eine andere Messung dieses Programms lief gleichzeitig",)
    remark = next(event for event in told if isinstance(event, Remark))
    assert remark.sentence.startswith("Eine andere Messung dieses Programms läuft")
    assert remark.sentence.endswith("; beide werden dadurch langsamer.")


def test_figures_of_an_experiment_are_stored_under_names_that_stay(german: None) -> None:
    """The list of runs finds a server's speeds by the phases' own names."""
    settings = ServerSettings("http://127.0.0.1:8080")
    document = server_document("2026-11-30T12:00:00+00:00", "0.1.0", some_result(), settings, Comfort())
    assert [figure.name for figure in server_figures(document)] == ["prefill", "decode", "worst gap"]
