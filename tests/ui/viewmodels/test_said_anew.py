"""After the language was changed every view model says what it holds once more, in the new one."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from advisor.core.translation import language, use
from advisor.diagnosis.workload import preset
from advisor.recommendations.ledger import NO_LEDGER
from advisor.report.answering import answered_again, spoken
from advisor.report.document import Document
from advisor.report.exporters.markdown import document_markdown
from tests.support import documents
from tests.support.catalogue import said_in
from tests.support.fake_pipeline import FakePipeline, answer, write_nothing
from tests.support.fake_shopping import FakeShopping
from ui.bridge.about import AboutReader
from ui.bridge.activity import Activity
from ui.bridge.doors import Doors
from ui.bridge.engine import Engine
from ui.bridge.notices import NoticeCentre
from ui.bridge.opener import ImportedRuns, Opener, PastRun
from ui.bridge.shopping import Shopping
from ui.composition import _read_text
from ui.viewmodels.choose_screen import ChooseScreen
from ui.viewmodels.opened_screen import OpenedScreen
from ui.viewmodels.screen import Screen

WORK = preset("rag")
FIGURES = """| model | size | params | backend | ngl | test | t/s |
| --- | ---: | ---: | --- | --: | ---: | ---: |
| llama 8B Q4_K_M | 4.58 GiB | 8.03 B | CUDA | 99 | pp512 | 2480.12 ± 4.20 |
| llama 8B Q4_K_M | 4.58 GiB | 8.03 B | CUDA | 99 | tg128 | 61.33 ± 0.10 |
"""


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    yield
    use("en")


@pytest.fixture
def pipeline() -> FakePipeline:
    return FakePipeline(hold=("prefill",))


@pytest.fixture
def engine(qapp: object, pipeline: FakePipeline) -> Iterator[Engine]:
    made = Engine(Doors(lambda: pipeline, answer, {"pdf": write_nothing}), NoticeCentre(), WORK)
    yield made
    pipeline.release("prefill")
    assert made.join(5)


def at_rest(engine: Engine) -> bool:
    return engine.activity is Activity.IDLE and not engine.busy


def test_the_overview_and_its_answer(engine: Engine, pipeline: FakePipeline, qtbot: QtBot) -> None:
    pipeline.release("prefill")
    screen = Screen(engine, WORK, has_sample=False)
    gauges, statuses, answers = [], [], []
    screen.gauge.connect(gauges.append)
    screen.status.connect(statuses.append)
    engine.answered.connect(answers.append)
    engine.read_machine()
    engine.open_model(Path("/models/m.gguf"))
    qtbot.waitUntil(lambda: engine.has_model and at_rest(engine))
    engine.benchmark()
    qtbot.waitUntil(lambda: bool(answers and answers[-1].tests) and at_rest(engine))
    assert (gauges[-1].title, statuses[-1].phase) == ("DECODE · WRITES", "Done")
    said = len(answers)
    screen.show_all()
    assert len(answers) == said
    use("de")
    screen.show_all()
    assert len(answers) == said + 1
    assert answers[-1].tests == answers[-2].tests
    assert (gauges[-1].title, statuses[-1].phase) == ("DECODE · SCHREIBT", "Fertig")
    engine.export(Path("/tmp/bericht.pdf"), "pdf")
    qtbot.waitUntil(lambda: statuses[-1].phase == "Bericht geschrieben: /tmp/bericht.pdf")
    use("en")
    screen.show_all()
    assert statuses[-1].phase == "Report written: /tmp/bericht.pdf"


def test_a_run_goes_on_and_ends_in_the_new_language(engine: Engine, pipeline: FakePipeline, qtbot: QtBot) -> None:
    screen = Screen(engine, WORK, has_sample=False)
    gauges, statuses, answers = [], [], []
    screen.gauge.connect(gauges.append)
    screen.status.connect(statuses.append)
    engine.answered.connect(answers.append)
    engine.read_machine()
    engine.open_model(Path("/models/m.gguf"))
    qtbot.waitUntil(lambda: bool(answers) and at_rest(engine))
    engine.benchmark()
    qtbot.waitUntil(lambda: pipeline.arrived("prefill"))
    before = len(answers)
    use("de")
    screen.show_all()
    assert len(answers) == before
    assert gauges[-2].moving
    assert gauges[-2].line == "Aufwärmen"
    pipeline.release("prefill")
    qtbot.waitUntil(lambda: at_rest(engine))
    assert [bool(one.tests) for one in answers[before:]] == [True]
    assert statuses[-1].phase == "Fertig"


def test_the_list_to_choose_from_is_made_anew(engine: Engine, qtbot: QtBot) -> None:
    shopping = Shopping(FakeShopping().doors(), engine, NoticeCentre())
    screen = ChooseScreen(shopping, engine, WORK)
    states, languages = [], []
    screen.state.connect(states.append)
    shopping.listed.connect(lambda _found: languages.append(language()))
    screen.watch(True)
    assert states[-1].empty.startswith("What could this computer run")
    use("de")
    screen.show_all()
    assert states[-1].empty.startswith("Welche Modelle schafft dieser Computer")
    screen.measure()
    qtbot.waitUntil(lambda: bool(states[-1].table.rows) and at_rest(engine))
    screen.select(states[-1].table.rows[1].key)
    use("en")
    screen.show_all()
    qtbot.waitUntil(lambda: len(languages) == 2)
    assert states[-1].table.head[0] == "Model"
    assert states[-1].selected == states[-1].table.rows[1].key
    screen.show_all()
    assert shopping.end(5)
    assert languages == ["de", "en"]


def test_what_was_opened(engine: Engine) -> None:
    opener = Opener(None, NoticeCentre())
    past_screen = Screen(engine, WORK, has_sample=False)
    screen = OpenedScreen(opener, engine, past_screen, lambda: WORK)
    banners, cards = [], []
    screen.past_opened.connect(banners.append)
    screen.import_opened.connect(banners.append)
    screen.imported.connect(cards.append)
    screen.show_all()
    assert not banners
    document = documents.complete_document()
    opener.past_found.emit(PastRun("run.json", replace(document, model=replace(document.model, name="Past-3B"))))
    use("de")
    screen.show_all()
    assert [one.title for one in banners] == ["A past run: Past-3B", "Ein früherer Lauf: Past-3B"]
    assert screen.holds_run
    use("en")
    opener.import_found.emit(ImportedRuns("the clipboard", _read_text(FIGURES)))
    assert not screen.holds_run
    use("de")
    screen.show_all()
    assert banners[2].title == "1\u00a0run from the clipboard"
    assert banners[3].title.startswith("1\u00a0Lauf")
    assert "Zwischenablage" in banners[3].title
    assert cards[-1][0].facts[0][0] == "Rechner"
    screen.close()
    screen.show_all()
    assert len(banners) == 4


def test_what_the_program_is_made_of(qtbot: QtBot) -> None:
    read = []
    about = AboutReader(lambda: read.append(language()) or language())
    for code in ("en", "en", "de", "de"):
        use(code)
        with qtbot.waitSignal(about.known) as known:
            about.ask()
        assert known.args == [code]
    assert read == ["en", "de"]
    assert about.end(5)


def test_a_run_of_the_past_is_told_in_the_language_that_is_chosen_later(engine: Engine) -> None:
    answers: list[Document] = []
    engine.answered.connect(answers.append)
    made = answered_again(documents.suspect_document(), (), NO_LEDGER)
    use("de")
    engine.show_past(spoken(made))
    for code, other in (("en", "de"), ("de", "en")):
        use(code)
        engine.say_anew()
        assert said_in(other, document_markdown(answers[-1])) == []
    assert answers[-1].advice == spoken(made).advice


def test_what_is_measured_while_the_language_changes_ends_in_the_new_one(engine: Engine) -> None:
    answers: list[Document] = []
    engine.answered.connect(answers.append)
    made = answered_again(documents.suspect_document(), (), NO_LEDGER)
    use("de")
    engine._model, engine._workload = made.model, made.workload
    engine._set_document(made)
    assert said_in("en", document_markdown(answers[-1])) == []
