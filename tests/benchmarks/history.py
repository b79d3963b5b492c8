"""How long ten thousand kept runs take: to read, to show, and to filter by each further letter.

    python -m tests.benchmarks.history [--runs 10000]

The aim is that the page is painted with its list within 0.3 s of the click. The store is made of invented runs in a
folder of its own.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from advisor.benchmarks.model import Phase
from advisor.benchmarks.store.connection import connected, transaction
from advisor.benchmarks.store.store import Store
from advisor.session.history import History
from tests.support import documents
from tests.support.fake_pipeline import FakePipeline, answer
from tests.support.stored import MEASURED_AT, STARTED_AT, setup
from ui.__main__ import Parts, _application
from ui.bridge.doors import Doors
from ui.shell.toolbar import HISTORY

AIM_S = 0.3
TYPED = "llama q4"


def fill(path: Path, runs: int) -> None:
    """One real run, copied row by row: with its own keys, and both phases in each."""
    store = Store(path)
    store.begin_run("0", STARTED_AT, setup(), "answers from documents")
    for result in (documents.prefill_test(), documents.decode_test()):
        store.add_test("0", MEASURED_AT, setup(), result)
    with connected(path) as connection, transaction(connection):
        names = [row[1] for row in connection.execute("PRAGMA table_info(runs)") if row[1] not in ("id", "key")]
        columns = ", ".join(names)
        for number in range(1, runs):
            connection.execute(
                f"INSERT INTO runs (key, {columns}) SELECT ?, {columns} FROM runs WHERE key = '0'", (str(number),)
            )
        names = [row[1] for row in connection.execute("PRAGMA table_info(tests)") if row[1] not in ("id", "run_id")]
        columns = ", ".join(names)
        connection.execute(
            f"INSERT INTO tests (run_id, {columns}) SELECT runs.id, {', '.join('t.' + name for name in names)} "
            "FROM runs JOIN tests AS t ON t.run_id = 1 WHERE runs.id > 1"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    runs = parser.parse_args().runs
    path = Path(tempfile.mkdtemp()) / "results.sqlite"
    fill(path, runs)
    began = time.perf_counter()
    lines = Store(path).overview()
    print(f"{len(lines)} runs read in {time.perf_counter() - began:.3f} s", flush=True)
    assert len(lines) == runs and lines[0].prefill_tokens_per_s and lines[-1].decode_tokens_per_s, Phase
    qt = _application()
    parts = Parts(Doors(lambda: FakePipeline(), answer, {}, history=lambda: History(path)))
    parts.window.show()
    qt.processEvents()
    began = time.perf_counter()
    parts.window.show_place(HISTORY)
    wait(qt, lambda: parts.runs.rowCount() == runs)
    qt.processEvents()
    took = time.perf_counter() - began
    mark = "ok" if took <= AIM_S else "LONGER THAN THE AIM"
    print(f"history opened and painted in {took:.3f} s   {mark}", flush=True)
    worst = 0.0
    for end in range(1, len(TYPED) + 1):
        began = time.perf_counter()
        parts.window.history.filter.setText(TYPED[:end])
        qt.processEvents()
        worst = max(worst, time.perf_counter() - began)
    print(f"filtered by each letter of “{TYPED}”: worst {1000 * worst:.1f} ms, painted", flush=True)
    parts.window.close()
    parts.end()
    return 0


def wait(qt: QApplication, done: object) -> None:
    """Run the event loop until the condition holds, 30 s at most."""
    assert callable(done)
    end = time.monotonic() + 30
    while not done() and time.monotonic() < end:
        qt.processEvents()
        time.sleep(0.001)


if __name__ == "__main__":
    raise SystemExit(main())
