import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF
from PySide6.QtGui import QAccessible, QHelpEvent, QImage, QPixmap, QRegion
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from advisor.benchmarks.model import LiveReading, Phase
from tests.support import documents
from ui.theme import LIGHT, Mode, Theme
from ui.viewmodels.gauges import Gauge, Live, present_gauge
from ui.widgets.gauge import CEILING_STEPS, GaugeView, arc_fraction, on_arc, trace_band, trace_points

EDGE = 80
"""Of 255: an arc of another length has its edge smoothed otherwise; what is not painted differs by far more."""


def done() -> Gauge:
    return present_gauge(Phase.DECODE, documents.ceilings(), None, documents.decode_test(), None)


@pytest.mark.parametrize(("value", "full", "share"), [
    (None, 10.0, 0.0), (5.0, 10.0, 0.5), (20.0, 10.0, 1.0), (-1.0, 10.0, 0.0), (float("nan"), 10.0, 0.0),
    (5.0, 0.0, 0.0),
])
def test_the_arc_stays_inside_its_half_circle(value: float | None, full: float, share: float) -> None:
    assert arc_fraction(value, full) == share


def test_the_half_circle_runs_from_left_over_the_top() -> None:
    centre = QPointF(100, 100)
    for share, x, y in ((0.0, 50, 100), (0.5, 100, 50), (1.0, 150, 100)):
        point = on_arc(centre, 50, share)
        assert (round(point.x()), round(point.y())) == (x, y)


def test_the_trace_grows_to_the_right_and_does_not_dramatise_noise() -> None:
    area = QRectF(0, 0, 100, 20)
    assert trace_points((), area, 5) == []
    points = trace_points((10.0, 10.01, 10.0), area, 5)
    assert [point.x() for point in points] == [0.0, 25.0, 50.0]
    assert max(abs(point.y() - 10) for point in points) < 1
    wild = trace_points((10.0, 15.0, 10.0), area, 3)
    assert all(0 <= point.y() <= 20 for point in wild)


def test_a_screen_reader_hears_the_live_value(qtbot: QtBot) -> None:
    gauge = GaugeView(Theme(Mode.LIGHT))
    qtbot.addWidget(gauge)
    gauge.show_gauge(done())
    assert gauge.accessibleName() == done().spoken
    assert "percent of ceiling 13.3" in gauge.accessibleName()
    live = Live().after(LiveReading(Phase.DECODE, 2, 5, 11.0, final=False))
    gauge.show_gauge(present_gauge(Phase.DECODE, documents.ceilings(), live, None, None))
    assert gauge.accessibleName().startswith("decode 11.0 tokens per second")


def test_a_screen_reader_finds_a_value_that_moves(qtbot: QtBot) -> None:
    gauge = GaugeView(Theme(Mode.LIGHT))
    qtbot.addWidget(gauge)
    gauge.show()
    found = QAccessible.queryAccessibleInterface(gauge)
    assert found is not None
    assert found.role() is QAccessible.Role.ProgressBar
    value = found.valueInterface()
    gauge.show_gauge(present_gauge(Phase.DECODE, None, None, documents.decode_test(), None))
    assert value.currentValue() < value.minimumValue()  # no ceiling: the share is unknown, not zero
    gauge.show_gauge(done())
    assert value.currentValue() / value.maximumValue() == pytest.approx(done().share, abs=1 / CEILING_STEPS)
    assert done().share == pytest.approx(0.87, abs=0.01)


def test_the_band_is_the_spread_around_the_median() -> None:
    area = QRectF(0, 0, 100, 20)
    assert trace_band((10.0,), None, area).isEmpty()
    band = trace_band((9.0, 10.0, 11.0), 0.5, area)
    assert (band.center().y(), band.height()) == (10.0, 10.0)
    assert trace_band((10.0, 10.0, 10.0), 0.0, area).height() == 1.0  # a line, so that it is seen to be known


def test_a_repetition_is_told_where_the_pointer_is(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr("ui.widgets.gauge.QToolTip.showText", lambda _at, text, _widget: told.append(text))
    gauge = GaugeView(Theme(Mode.LIGHT))
    qtbot.addWidget(gauge)
    gauge.resize(312, 210)
    gauge.show_gauge(done())
    gauge.grab()
    for point in (gauge._points[1].toPoint(), QPoint(5, 5)):
        QApplication.sendEvent(gauge, QHelpEvent(QEvent.Type.ToolTip, point, point))
    assert told == [done().trace_tips[1], ""]
    assert told[0].startswith("repetition 2: ")


@pytest.mark.parametrize("size", [(190, 210), (312, 210), (600, 400)], ids=str)
def test_it_paints_the_value_in_its_phase_colour(qtbot: QtBot, size: tuple[int, int]) -> None:
    gauge = GaugeView(Theme(Mode.LIGHT))
    qtbot.addWidget(gauge)
    gauge.resize(*size)
    gauge.show_gauge(done())
    image = gauge.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(0, image.height(), 3)}
    assert LIGHT.decode in colours
    assert LIGHT.prefill not in colours


def test_the_arc_moves_there_and_rests(qtbot: QtBot) -> None:
    gauge = GaugeView(Theme(Mode.LIGHT))
    qtbot.addWidget(gauge)
    gauge.show()
    gauge.show_gauge(done())
    assert gauge._timer.isActive()
    qtbot.waitUntil(lambda: not gauge._timer.isActive())
    assert gauge._shown == pytest.approx(gauge._target())


def test_reduced_motion_jumps(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Theme, "reduced_motion", True)
    gauge = GaugeView(Theme(Mode.LIGHT))
    qtbot.addWidget(gauge)
    gauge.show()
    gauge.show_gauge(done())
    assert not gauge._timer.isActive()
    assert gauge._shown == pytest.approx(gauge._target())


def test_screen_readers_hear_of_a_moving_gauge_once_a_second(qtbot: QtBot) -> None:
    view = GaugeView(Theme(Mode.LIGHT))
    qtbot.addWidget(view)
    view.show_gauge(Gauge(Phase.DECODE, "DECODE", moving=True, spoken="decode 10 tokens per second"))
    view.show_gauge(Gauge(Phase.DECODE, "DECODE", moving=True, spoken="decode 11 tokens per second"))
    assert view.accessibleName() == "decode 10 tokens per second"
    view.show_gauge(Gauge(Phase.DECODE, "DECODE", spoken="decode 12 tokens per second"))
    assert view.accessibleName() == "decode 12 tokens per second"  # the end is said at once


@pytest.mark.parametrize("size", [(320, 230), (200, 190), (640, 260)], ids=str)
def test_a_frame_paints_all_that_has_changed(qtbot: QtBot, size: tuple[int, int]) -> None:
    gauge = GaugeView(Theme(Mode.LIGHT))
    qtbot.addWidget(gauge)
    gauge.resize(*size)
    gauge.show()

    def reading(speed: float) -> Gauge:
        live = Live().after(LiveReading(Phase.DECODE, 2, 5, speed, final=False))
        return present_gauge(Phase.DECODE, documents.ceilings(), live, None, None)

    def painted(onto: QPixmap, area: QRegion) -> QPixmap:
        gauge.render(onto, area.boundingRect().topLeft(), area)
        return onto

    gauge.show_gauge(reading(1.0))
    gauge._timer.stop()
    gauge._shown = gauge._target()
    for speed in (13.0, 3.0, 11.6):
        shown, before = painted(QPixmap(gauge.size()), QRegion(gauge.rect())), gauge._shown
        gauge.show_gauge(reading(speed))
        assert gauge._timer.isActive()
        gauge._step()
        for area in gauge._frame_areas(before):
            painted(shown, QRegion(area & gauge.rect()))
        whole = painted(QPixmap(gauge.size()), QRegion(gauge.rect()))
        assert difference(shown.toImage(), whole.toImage()) <= EDGE


def difference(one: QImage, other: QImage) -> int:
    """The largest difference of any channel of any pixel."""
    pixels = [np.asarray(image.convertToFormat(QImage.Format.Format_RGB32).constBits()) for image in (one, other)]
    return int(np.abs(pixels[0].astype(int) - pixels[1].astype(int)).max())
