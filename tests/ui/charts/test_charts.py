import sys

import pytest
from pytestqt.qtbot import QtBot

from advisor.core.evidence import Basis, Known
from tests.support import documents
from tests.support.fake_history import some_runs
from ui.charts.loader import PAUSE_MS, ChartLoader, _turns_between_modules
from ui.charts.timeline_bar import TimelineBarView
from ui.theme import DARK, LIGHT, Mode, Theme
from ui.viewmodels.roofline import present_roofline
from ui.viewmodels.timeline import present_timeline


def test_the_loader_brings_the_chart_in_once(qtbot: QtBot) -> None:
    loader = ChartLoader()
    with qtbot.waitSignal(loader.ready, timeout=20_000):
        loader.start()
        loader.start()
    assert loader.is_ready
    loader.join(5)


def test_a_loader_waits_for_the_import_that_another_one_is_at(qtbot: QtBot) -> None:
    loader = ChartLoader()
    with _turns_between_modules():
        loader._import_library()
        qtbot.wait(3 * PAUSE_MS)
        assert not loader.is_ready
    with qtbot.waitSignal(loader.ready, timeout=20_000):
        pass


def test_the_turns_between_modules_change_no_list_that_another_import_walks_along() -> None:
    walked, finders = sys.meta_path, list(sys.meta_path)
    with _turns_between_modules():
        within = sys.meta_path
        assert walked == finders and within[1:] == finders
        turns = within[0]
    assert sys.meta_path == finders and within == [turns, *finders]


def test_the_roofline_paints_both_phases_and_follows_the_theme(qtbot: QtBot) -> None:
    from ui.charts.roofline import RooflineView

    theme = Theme(Mode.LIGHT)
    view = RooflineView(theme)
    qtbot.addWidget(view)
    view.resize(640, 320)
    view.show()
    state = present_roofline(
        documents.model(), documents.ceilings(), (documents.prefill_test(), documents.decode_test())
    )
    view.show_roofline(state)
    assert state.spoken in view.accessibleName()
    for palette, mode in ((LIGHT, Mode.LIGHT), (DARK, Mode.DARK)):
        theme.set_mode(mode)
        image = view.grab().toImage()
        colours = {image.pixelColor(x, y).name() for x in range(640) for y in range(320)}
        assert {palette.prefill, palette.decode, palette.surface} <= colours


def test_the_bars_name_their_parts_in_colours_and_in_words(qtbot: QtBot) -> None:
    bar = TimelineBarView(Theme(Mode.LIGHT))
    qtbot.addWidget(bar)
    card = present_timeline(Known(documents.timeline(), Basis.COMPUTED, "x"), documents.workload())
    bar.show_bars(card.request, card.sentence)
    bar.resize(674, bar.sizeHint().height())
    assert bar.accessibleName().startswith("first: load (once) 2.1")
    assert "afterwards: tokenise" in bar.accessibleName()
    image = bar.grab().toImage()
    soft = {"neutral": LIGHT.line, "prefill": LIGHT.prefill_soft, "decode": LIGHT.decode_soft}
    for area, segment in bar._areas():
        assert image.pixelColor(int(area.right()) - 2, int(area.top()) + 2).name() == soft[segment.tone]
    assert image.pixelColor(660, 34).name() not in soft.values()


def test_every_part_has_a_tip_however_short_it_is(qtbot: QtBot) -> None:
    bar = TimelineBarView(Theme(Mode.LIGHT))
    qtbot.addWidget(bar)
    card = present_timeline(Known(documents.timeline(), Basis.COMPUTED, "x"), documents.workload())
    bar.show_bars(card.request, card.sentence)
    bar.resize(300, bar.sizeHint().height())
    areas = bar._areas()
    assert len(areas) == sum(len(each.segments) for each in card.request)
    assert all(area.width() >= 4 and segment.tip for area, segment in areas)
    assert max(area.right() for area, _ in areas) <= 300.5


def test_a_chart_that_cannot_be_made_is_told_and_stops_nothing(qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    loader, told, made = ChartLoader(), [], []

    def broken() -> None:
        raise ValueError("no font")

    loader.build(broken, told.append)
    loader.build(broken)
    loader.build(lambda: made.append("first"), told.append)
    with qtbot.waitSignal(loader.ready, timeout=10_000):
        loader.start()
    loader.join(5)
    assert told == ["The chart could not be drawn, because: no font. The table has the same figures."]
    assert made == ["first"]
    assert "no font" in caplog.text
    for name in ("second", "third"):
        loader.build(lambda name=name: made.append(name))
    assert made == ["first"]
    qtbot.waitUntil(lambda: made == ["first", "second", "third"])


def test_without_the_library_every_page_is_told_whenever_it_asks(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("ui.charts.loader.WITHOUT_QT", ("no_such_library",))
    loader, told = ChartLoader(), []
    loader.build(lambda: told.append("made"), told.append)
    with qtbot.waitSignal(loader.failed, timeout=10_000):
        loader.start()
    loader.join(5)
    loader.build(lambda: told.append("made"), told.append)
    assert len(told) == 2
    assert all("because: No module named 'no_such_library'" in words for words in told)
    assert "charts cannot be drawn" in caplog.text


def test_a_label_covers_no_point_of_an_earlier_run_where_there_is_another_place(qtbot: QtBot) -> None:
    import pyqtgraph as pg

    from ui.charts.roofline import RooflineView

    view = RooflineView(Theme(Mode.LIGHT))
    qtbot.addWidget(view)
    view.resize(640, 320)
    view.show()
    now = (documents.prefill_test(), documents.decode_test())
    state = present_roofline(documents.model(), documents.ceilings(), now, earlier=tuple(some_runs(1)))
    view.show_roofline(state)
    ghosts = [view._spot_of(point).center() for point in state.earlier]
    assert ghosts
    box = view._plot.getPlotItem().getViewBox()
    named = [item for item in view._plot.items() if isinstance(item, pg.TextItem) and "GFLOP/s" in item.toPlainText()]
    assert len(named) == 2
    for item in named:
        place = item.mapRectToItem(box, item.boundingRect())
        assert not any(place.contains(ghost) for ghost in ghosts), item.toPlainText()
