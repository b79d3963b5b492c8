"""``python -m tests.support.pictures OUTDIR``: the pictures of README and guide.

The real window with an invented pipeline (a laptop with an 8B model, a server with eight users), so that pictures taken
anywhere are alike; the guide says that their figures are invented. Colours are reduced to 128, since the pictures
travel with the program.
"""

import os
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QImage, QPixmap, qRgb
from PySide6.QtWidgets import QApplication, QWidget

from advisor.servers.model import ServerResult, ServerSettings
from tests.support.fake_engines import CUDA, FakeEngines
from tests.support.fake_pipeline import FakePipeline, answer, write_nothing
from tests.support.found import some_models
from tests.support.screenshots import MODEL, wait
from tests.support.server_results import some_result
from ui.__main__ import Parts
from ui.bridge.activity import Activity
from ui.bridge.doors import Doors, ServerDoors
from ui.shell.toolbar import SERVER
from ui.theme import Mode, Theme

SIZE = (1360, 860)
TABS = ("roofline", "speed", "seconds", "batching", "stutter", "table")
COLOURS = 128


def main(folder: Path) -> int:
    """Take all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    application = QApplication.instance() or QApplication(["pictures"])
    assert isinstance(application, QApplication)
    application.setStyle("Fusion")
    pipeline = FakePipeline(step_s=0.02, hold=("decode",))
    parts = Parts(
        Doors(
            lambda: pipeline,
            answer,
            {"pdf": write_nothing},
            sample=lambda progress, cancel: MODEL,
            find=lambda cancel: some_models(),
            engines=FakeEngines().doors(),
            servers=ServerDoors(_measure_server, lambda *_: None),
        ),
        Theme(Mode.LIGHT),
    )
    window, engine = parts.window, parts.engine
    window.resize(*SIZE)
    window.show()
    parts.begin()

    def take(name: str, part: QWidget | None = None) -> None:
        pause(400)
        few_colours((part or window).grab()).save(str(folder / f"{name}.png"), "PNG", 0)

    wait(lambda: window.loader.is_ready and not parts.finder.searching)
    take("empty")
    engine.open_model(MODEL)
    rest(parts)
    engine.benchmark()
    wait(lambda: pipeline.arrived("decode"))
    take("measuring")
    pipeline.release("decode")
    rest(parts)
    window.toolbar.export_button.setFocus()
    take("done")
    for measure in (engine.measure_streams, engine.measure_stutter):
        measure()
        rest(parts)
    for number, name in enumerate(TABS):
        window.page.middle.tabs.show_page(number)
        take(name, window.page.middle.tabs)
    window.engines.open_beside()
    wait(lambda: bool(parts.engines.state.engines) and not parts.engines.state.looking)
    parts.engines.check(CUDA.id)
    wait(lambda: not parts.engines.state.checking)
    take("engines", window.engines)
    window.engines.hide()
    window.show_place(SERVER)
    window.server.form.address.setText("http://127.0.0.1:8080")
    window.server.form.address.textEdited.emit("http://127.0.0.1:8080")
    parts.servers.measure()
    rest(parts)
    take("server")
    window.close()
    wait(lambda: not window.isVisible())
    parts.end()
    return 0


def _measure_server(settings: ServerSettings, *_: object) -> ServerResult:
    time.sleep(0.05)
    return some_result()


def few_colours(picture: QPixmap) -> QImage:
    """The picture with the colours that it has most of."""
    image = picture.toImage().convertToFormat(QImage.Format.Format_RGB32)
    counts: dict[int, int] = {}
    for y in range(image.height()):
        for x in range(image.width()):
            colour = image.pixel(x, y) & 0xFCFCFC
            counts[colour] = counts.get(colour, 0) + 1
    most = sorted(counts, key=lambda colour: -counts[colour])[:COLOURS]
    table = [qRgb(c >> 16 & 255 | 3, c >> 8 & 255 | 3, c & 255 | 3) for c in most]
    return image.convertToFormat(QImage.Format.Format_Indexed8, table)


def rest(parts: Parts) -> None:
    """Wait until nothing runs."""
    wait(lambda: parts.engine.activity is Activity.IDLE and not parts.engine.busy)


def pause(milliseconds: int) -> None:
    """Let the window work for a while."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print("Use: python -m tests.support.pictures OUTDIR", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(Path(sys.argv[1])))
