"""A process that writes to a result store: ``store_child.py MODE PATH [COUNT]``."""

import os
import signal
import sqlite3
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from advisor.benchmarks.store.model import StoreError
from advisor.benchmarks.store.store import Store
from tests.support import stored

LARGE_SAMPLES = 100_000
"""Samples of a row that fills far more pages than the little cache below, so that the file is written before COMMIT."""


def write(path: Path, count: int) -> None:
    """A run of ``count`` rows; the number of each is printed when it is saved."""
    store = Store(path, lambda sentence, hint: print(f"said {sentence}", flush=True))
    key = str(os.getpid())
    store.begin_run(key, stored.STARTED_AT, stored.setup())
    for number in range(count):
        store.add_test(key, stored.MEASURED_AT, stored.setup(), stored.result(number))
        print(number, flush=True)


def die_in_commit(path: Path) -> None:
    """Killed when everything of a row is written but not yet valid."""
    store = Store(path)
    store.prepare()
    connect = sqlite3.connect

    def fragile(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        connection.execute("PRAGMA cache_size = 1")
        connection.set_trace_callback(die)
        return connection

    def die(statement: str) -> None:
        if statement == "COMMIT":
            os.kill(os.getpid(), signal.SIGKILL)

    sqlite3.connect = fragile  # type: ignore[assignment]
    row = replace(stored.result(), samples_s=(1.25,) * LARGE_SAMPLES)
    store.add_test("k", stored.MEASURED_AT, stored.setup(), row)


def fill_disk(path: Path) -> None:
    """No file may grow beyond what the store has now: every write fails, until there is room again."""
    import resource

    store = Store(path)
    store.prepare()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, before[1]))
    row = replace(stored.result(98), samples_s=(1.25,) * LARGE_SAMPLES)
    try:
        store.add_test("k", stored.MEASURED_AT, stored.setup(), row)
    except StoreError as error:
        print(error.sentence, flush=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    store.add_test("k", stored.MEASURED_AT, stored.setup(), stored.result(99))


if __name__ == "__main__":
    mode, target = sys.argv[1], Path(sys.argv[2])
    if mode == "write":
        write(target, int(sys.argv[3]))
    elif mode == "die-in-commit":
        die_in_commit(target)
    elif mode == "fill-disk":
        fill_disk(target)
