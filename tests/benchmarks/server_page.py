"""How long the window's event loop is ever away while it measures a server.

    python -m tests.benchmarks.server_page [--where]

The server is the one of the tests, in a process of its own, so that it takes no turns from the window; it writes 100
tokens a second to each of up to 16 users and stops them all while a long prompt is read. The aim is that no gap is
longer than 50 ms. ``--where`` also says what the main thread was doing in the gaps that were longer.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import replace

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

AIM_S = 0.050
LIMIT_S = 120.0
SERVE = """
import sys
from tests.support.fake_server import FakeServer, Script
with FakeServer(Script(token_s=0.01, prompt_token_s=0.0001, stalls=True)) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


class Watcher(threading.Thread):
    """Notes what the main thread is at while it is away for longer than the aim."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.beat = time.perf_counter()
        self.seen: Counter[str] = Counter()
        self.done = threading.Event()
        self._main = threading.main_thread().ident

    def run(self) -> None:
        while not self.done.wait(0.004):
            if time.perf_counter() - self.beat < AIM_S:
                continue
            frame = sys._current_frames().get(self._main or 0)
            lines = []
            while frame is not None and len(lines) < 8:
                code = frame.f_code
                lines.append(f"{code.co_filename.rsplit('/', 1)[-1]}:{frame.f_lineno} {code.co_name}")
                frame = frame.f_back
            self.seen[" < ".join(lines)] += 1


def main() -> int:
    os.environ["TWO_MACHINES_HOME"] = tempfile.mkdtemp()
    server = subprocess.Popen([sys.executable, "-c", SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    from tests.support.eventloop import GapRecorder
    from ui.__main__ import Parts, _application
    from ui.bridge.activity import Activity
    from ui.composition import doors
    from ui.shell.toolbar import SERVER
    from ui.viewmodels.server import ServerForm

    qt = _application()
    parts = Parts(doors())
    parts.window.resize(1360, 860)
    parts.window.show()
    parts.begin()
    wait = time.monotonic() + LIMIT_S
    while not (parts.window.loader.is_ready and not parts.engine.busy) and time.monotonic() < wait:
        qt.processEvents()
        time.sleep(0.001)
    parts.window.show_place(SERVER)
    recorder, watcher = GapRecorder(notable_s=AIM_S), Watcher()
    recorder._timer.timeout.connect(lambda: setattr(watcher, "beat", time.perf_counter()))
    parts.servers.change(replace(ServerForm(url), users=16, time_s=25))
    if "--where" in sys.argv:
        watcher.start()
    recorder.start()
    parts.servers.measure()
    end = time.monotonic() + LIMIT_S
    while not (parts.engine.activity is Activity.IDLE and not parts.engine.busy) and time.monotonic() < end:
        qt.processEvents()
        time.sleep(0.001)
    worst = recorder.stop()
    watcher.done.set()
    mark = "ok" if worst <= AIM_S else "LONGER THAN THE AIM"
    longer = ", ".join(f"{1000 * gap:.0f}" for gap in recorder.gaps_s)
    print(f"server measured               worst gap {1000 * worst:6.1f} ms, {recorder.ticks} ticks   {mark}")
    print(f"gaps beyond the aim, ms: {longer or 'none'}; {parts.window.status.phase}")
    for where, times in watcher.seen.most_common(20):
        print(f"{times:4} × {where}")
    parts.window.close()
    parts.end()
    assert server.stdin is not None
    server.stdin.close()
    server.wait(10)
    return 0


if __name__ == "__main__":
    sys.exit(main())
