from pytestqt.qtbot import QtBot

from advisor.core.evidence import Basis, Known
from tests.support import documents
from ui.charts.loader import ChartLoader
from ui.charts.timeline_bar import TimelineBarView
from ui.theme import DARK, LIGHT, Mode, Theme
from ui.viewmodels.answer import present_timeline
from ui.viewmodels.roofline import present_roofline


def test_the_loader_brings_the_chart_in_once(qtbot: QtBot) -> None:
    loader = ChartLoader()
    with qtbot.waitSignal(loader.ready, timeout=20_000):
        loader.start()
        loader.start()
    assert loader.is_ready
    loader.join(5)


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


def test_the_bar_names_both_parts(qtbot: QtBot) -> None:
    bar = TimelineBarView(Theme(Mode.LIGHT))
    qtbot.addWidget(bar)
    bar.resize(600, 26)
    bar.show_timeline(present_timeline(Known(documents.timeline(), Basis.COMPUTED, "x"), documents.workload()))
    assert bar.accessibleName().startswith("nothing on screen for")
    image = bar.grab().toImage()
    assert image.pixelColor(300, 2).name() == LIGHT.prefill_soft
    assert image.pixelColor(590, 2).name() == LIGHT.decode_soft
