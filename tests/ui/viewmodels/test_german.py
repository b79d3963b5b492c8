"""What the window shows in German: words and figures of every page, and nothing of it in keys and data."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from advisor.benchmarks.model import LiveReading, Phase, PlanKind, Stamp
from advisor.core.evidence import Known, Missing, Unknown
from advisor.core.progress import Progress
from advisor.core.translation import use
from advisor.diagnosis.model import Limit
from advisor.diagnosis.workload import PRESETS, preset
from advisor.rehearsal.catalogue import find
from advisor.session.considering import consider_document
from advisor.shortlist.choosing import shortlist
from advisor.shortlist.model import Comfort, Priority
from advisor.whatif.model import Question
from tests.support import documents
from tests.support.fake_history import FakeHistory, some_runs
from tests.support.fake_shopping import NAMES
from tests.support.found import some_models
from tests.support.server_results import some_result
from tests.support.stutters import stutter
from tests.support.yardsticks import place
from ui.bridge.activity import Activity
from ui.bridge.engines import NOT_ASKED
from ui.bridge.history import RunList
from ui.bridge.notices import Notice, Severity, notice_from
from ui.viewmodels.actions import present_actions
from ui.viewmodels.answer import present_advice, present_verdict
from ui.viewmodels.batching import depth_options, present_batching
from ui.viewmodels.choose import present_choices
from ui.viewmodels.found import present_found, present_row
from ui.viewmodels.gauges import LIMIT_TEXTS, SHORT_LIMIT_TEXTS, Live, present_gauge
from ui.viewmodels.history import HistoryModel, present_run
from ui.viewmodels.machine_card import present_machine
from ui.viewmodels.measurements import SORT_ROLE, MeasurementsModel, present_measurements
from ui.viewmodels.model_card import present_model
from ui.viewmodels.notice import present_notice
from ui.viewmodels.plans import present_plans
from ui.viewmodels.roofline import present_roofline
from ui.viewmodels.rows import row
from ui.viewmodels.server import ServerForm, present_server
from ui.viewmodels.status import PHASES, present_status
from ui.viewmodels.stutter import present_stutter
from ui.viewmodels.timeline import present_timeline
from ui.viewmodels.upgrades import present_upgrades
from ui.viewmodels.upgrades_state import UpgradesForm, waiting_state
from ui.viewmodels.workload import present_workload

NBSP = "\u00a0"
BOTH = (documents.prefill_test(), documents.decode_test())
FORM = ServerForm("127.0.0.1:8080")


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    yield
    use("en")


@pytest.fixture
def german() -> None:
    use("de")


def test_a_gauge_shows_and_speaks_german(german: None) -> None:
    verdict = documents.verdict()
    state = present_gauge(Phase.PREFILL, documents.ceilings(), None, BOTH[0], verdict.prefill)
    assert state.title == "PREFILL · LIEST"
    assert state.number == "41,3"
    assert state.unit.startswith(f"Tokens/s{NBSP}±{NBSP}0,")
    assert state.line == f"84{NBSP}% dessen, was dieser Rechner kann"
    assert state.spoken.startswith("Prefill 41,3 Tokens je Sekunde, 84 Prozent der Obergrenze ")
    assert state.trace_tips[0].startswith("Wiederholung 1: ")


def test_a_moving_gauge_says_where_it_is(german: None) -> None:
    live = Live().after(LiveReading(Phase.DECODE, 2, 5, 11.5, final=False))
    state = present_gauge(Phase.DECODE, None, live, None, None)
    assert state.line == "Wiederholung 2 von 5"
    assert state.spoken == "Decode 11,5 Tokens je Sekunde, Wiederholung 2 von 5"


def test_every_limit_has_german_words_or_none(german: None) -> None:
    for limit in Limit:
        finding = replace(documents.verdict().decode, limit=limit)
        state = present_gauge(Phase.DECODE, None, None, BOTH[1], finding)
        shown = state.pill, state.pill_short
        assert all(shown) is (limit is not Limit.UNKNOWN)
        assert limit is Limit.UNKNOWN or shown != (LIMIT_TEXTS[limit], SHORT_LIMIT_TEXTS[limit])


def test_the_cards_of_the_overview(german: None) -> None:
    machine = {one.label: one for one in present_machine(documents.machine(), documents.ceilings()).rows}
    assert (machine["Speicher"].value, machine["Bandbreite"].value) == (f"33,4{NBSP}GB", f"61,4{NBSP}GB/s")
    assert machine["Bandbreite"].badge == "gemessen"
    assert machine["Stromversorgung"].value == "Netzbetrieb"
    model = present_model(documents.model(), documents.machine(), preset("rag"))
    assert "Parameter" in model.summary
    labels = [one.label for one in model.rows]
    assert labels[:2] == ["Lesen je Token", "+ je 1.000 Kontext"]
    assert " von " in model.rows[-1].value
    assert row("x", Unknown("kein Zugriff"), str).value == "unbekannt"


def test_the_work_and_its_comfort_line(german: None) -> None:
    card = present_workload(preset("rag"), "model")
    assert [one.label for one in card.quantities][2:4] == ["Antwort", "Gleichzeitige Nutzer"]
    assert [one.key for one in card.quantities] == ["prompt", "shared", "answer", "users", "turns"]
    assert card.quantities[0].unit == " Tokens"
    assert card.comfort == (
        f"Komfortgrenze: erstes Wort innerhalb von 10{NBSP}s, dann mindestens 5,3{NBSP}Tokens/s."
    )
    assert [name for name, _title in card.presets][:-1] == list(PRESETS)
    assert card.presets[-1][1] == "Eigene Zahlen"


def test_the_wait_in_sentences(german: None) -> None:
    card = present_timeline(documents.read(documents.timeline()), documents.workload())
    assert card.sentence.startswith("Erstes Wort nach ")
    assert f"Dann 11,6{NBSP}Tokens/s, mehr als die 5," in card.sentence
    assert any("nichts zu sehen" in part.texts[0] for bar in card.request for part in bar.segments)


def test_verdict_and_advice_before_and_after(german: None) -> None:
    assert present_verdict(None).headline == "Noch kein Befund"
    assert present_verdict(None, measuring=True).headline.startswith("Messung läuft")
    held = present_advice(documents.advice(), documents.wont_help(), True, free=True)
    assert held.advice[0].more[0][0] == "Spart"
    assert held.advice[0].badge in ("gemessen", "berechnet", "geschätzt")
    assert {one.trying.label for one in held.advice} <= {"Ausprobieren", "Erneut ausprobieren", ""}


def test_the_status_bar_says_every_activity_and_the_time_left(german: None) -> None:
    for activity in Activity:
        said = present_status(activity, None, "", documents.engine(), ()).phase
        assert said != PHASES[activity], activity
    busy = present_status(Activity.BENCHMARK, Progress(0.1, "x", 130.0), "", documents.engine(), ())
    assert busy.left == f"noch etwa 2{NBSP}min"
    nothing = Unknown("llama_cpp fehlt", Missing.TOOL_MISSING)
    assert present_status(Activity.IDLE, None, "", nothing, ()).engine == "keine Engine"
    assert "llama_cpp fehlt" in present_actions(Activity.IDLE, documents.model(), nothing, False, False).benchmark_tip


def test_plans_keep_their_ids(german: None) -> None:
    choice = present_plans(
        PlanKind.QUICK, documents.model(), documents.machine(), documents.engine(), documents.ceilings(),
        preset("rag"),
    )  # fmt: skip
    assert [one.id for one in choice.options] == list(PlanKind)
    assert choice.options[0].text.startswith("Schnell · etwa ")
    assert choice.options[2].tip.startswith("Gründlich: ")


def test_the_roofline_in_words(german: None) -> None:
    chart = present_roofline(documents.model(), documents.ceilings(), BOTH)
    assert chart.memory_label == f"61,4{NBSP}GB/s Speicher"
    assert "4 gleichzeitige Nutzer" in chart.balance_label
    assert "Prefill 512: 41,3" in chart.spoken
    assert [point.phase for point in chart.points] == ["prefill", "decode"]


def test_the_table_is_german_and_sorts_and_copies_as_in_english(qapp: object) -> None:
    english = present_measurements(documents.suspect_document().tests, documents.ceilings())
    model = MeasurementsModel()
    model.set_rows(english)
    figures = model.figures()
    use("de")
    rows = present_measurements(documents.suspect_document().tests, documents.ceilings())
    model.set_rows(rows)
    heads = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())]
    assert heads == ["Test", "Kurve", "Tempo", "% der Obergrenze", "Läufe", "Threads", "Gerät", "Stempel"]
    assert rows[0][7].text.startswith("⚠ fraglich: ")
    assert rows[0][6].text == "CPU, abgesicherter Modus"
    assert rows[0][2].text.endswith(f"{NBSP}Tokens/s")
    assert "," in rows[0][2].text
    assert [cell.sort for cell in rows[0][1:]] == [cell.sort for cell in english[0][1:]]
    assert model.index(0, 7).data(SORT_ROLE) == Stamp.SUSPECT
    head, cells = model.figures()
    assert head == figures[0]
    assert [cell for cell in cells[0] if isinstance(cell, float)] == [
        cell for cell in figures[1][0] if isinstance(cell, float)
    ]
    assert model.as_text().startswith("Test\tKurve\t")


def test_the_history_says_itself_anew(qapp: object) -> None:
    model = HistoryModel()
    model.show_runs(RunList(FakeHistory().overview(deleted=False), reading=False))
    assert model.state.count == f"8{NBSP}runs"
    use("de")
    assert model.state.count == f"8{NBSP}Läufe"
    assert model.headerData(5, Qt.Orientation.Horizontal) == "Bezeichnung"
    assert model.headerData(3, Qt.Orientation.Horizontal) == "Prefill\nTokens/s"
    assert "," in model.index(0, 3).data()
    model.set_filter("qwen")
    assert model.state.count == f"2 von 8{NBSP}Läufen"
    model.set_filter("nichts davon")
    assert "„nichts davon“" in model.state.empty
    detail = present_run(some_runs()[0])
    assert detail.title.startswith("Lauf 1, ")
    assert (detail.pairs[0][0], detail.pairs[2][0]) == ("Modell", "Rechner")
    assert detail.head == ("Test", "Tempo", "Stempel")
    assert detail.rows[0][2] == "gültig"


def test_upgrades_keep_their_keys(german: None) -> None:
    considered = consider_document(documents.complete_document(), Question())
    assert isinstance(considered, Known)
    state = present_upgrades(considered.value, UpgradesForm(), {"RTX 4090": 1600.0}, "RTX 4090")
    assert state.table.head == ("Änderung", "Bringt", "Prefill", "Decode", "Erstes Wort", "Antwort", "Platz", "Preis")
    assert (state.selected, state.price) == ("RTX 4090", 1600.0)
    tips = [one.cells[7].tip for one in state.table.rows if not one.cells[7].text]
    assert set(tips) == {"Den Preis rechts eingeben"}
    assert next(one for one in state.table.rows if one.key == "RTX 4090").cells[7].text == "1.600"
    assert waiting_state(Unknown("wartet", Missing.NOT_YET)).empty.startswith("Wartet. Die ersten Zahlen ")


def test_choose_keeps_its_keys(german: None) -> None:
    found = shortlist([find(name) for name in NAMES], preset("chat"), place(), Priority.QUALITY)
    state = present_choices(found, at_rest=True, can_rehearse=True)
    assert state.table.head[:4] == ("Modell", "Quantisierung", "Download", "Erstes Wort")
    assert [one.key for one in state.table.rows] == [f"{one.name} {one.recipe}" for one in found.choices]
    comforts = {one.cells[6].text for one in state.table.rows}
    assert comforts.isdisjoint(Comfort)
    assert any("," in one.cells[2].text for one in state.table.rows)
    assert "Esc hält an" in state.measure_tip


def test_the_server_page(german: None) -> None:
    assert present_server(FORM, None, False, True).empty.startswith("Ein Modell messen, das ein Server betreibt")
    assert present_server(replace(FORM, address=""), None, False, True).measure_tip == (
        "Zuerst die Adresse des Servers eingeben"
    )
    state = present_server(FORM, some_result(), False, True)
    assert state.model_hint.endswith("(das erste des Servers)")
    assert state.speeds.comfort_label == f"Ihre Grenze: je 5,30{NBSP}Tokens/s"
    assert "Nutzer: zusammen " in state.speeds.spoken
    assert state.clock is not None
    assert [ticks.name for ticks in state.clock.rows][-1] == "der Prompt"
    assert state.clock.tick in ("token", "chunk")
    assert "im Median" in state.gaps.spoken


def test_many_users_and_stutter(german: None) -> None:
    tests = documents.curve_tests()
    page = present_batching(
        tests, documents.model(), documents.machine(), documents.engine(), documents.ceilings(), preset("rag"),
        Activity.IDLE,
    )  # fmt: skip
    assert page.comfort_label.startswith(f"Komfort: 5,30{NBSP}Tokens/s")
    assert "ströme: zusammen " in page.dots[1].tip.lower()
    assert [one.id for one in depth_options(preset("rag"), None)] == ["0", "1024", "4096", "workload"]
    assert page.figures[0][0] == "streams"
    document = replace(documents.complete_document(), stutter=documents.read(stutter()))
    clocks = present_stutter(document, "").clocks
    assert clocks[0].rows[0].name == "Strom 1"
    assert clocks[0].spoken.startswith("Stückgröße ")


def test_models_that_were_found(german: None) -> None:
    state = present_found(some_models())
    assert state.heading.replace(NBSP, " ") == "AUF DIESEM COMPUTER: 11 MODELLE, 361 GB"
    assert present_row(some_models().models[0]).detail == f"LM Studio · ⚠ fehlend: 2 von 6{NBSP}Dateien"
    assert present_found(None).note.startswith("Modelle auf diesem Computer werden gesucht")


def test_notices(german: None) -> None:
    told = present_notice(notice_from(RuntimeError("boom")))
    assert (told.severity, told.sentence) == ("error", "✕ Etwas Unerwartetes ist geschehen.")
    assert told.spoken.startswith("Fehler: ")
    again = present_notice(Notice(Severity.WARNING, "So.", count=3))
    assert again.sentence == "⚠ So. (3-mal)"


def test_what_is_kept_for_all_time_is_english(german: None) -> None:
    """Values made when a module is loaded know no language; they are translated where they are shown."""
    assert NOT_ASKED.reason == "not asked yet"
    assert row("x", NOT_ASKED, str).value == "noch nicht befragt"
