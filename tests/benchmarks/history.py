"""Seconds that a large history takes: ``python -m tests.benchmarks.history [RUNS] [KILLS]`` (10,000 and 200).

List, filter and compare over so many stored runs, as the command line and the window ask for them, and a store whose
writer is killed so often while it writes.
"""

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from advisor.benchmarks.store.store import Store
from advisor.importing.reading import read_report
from advisor.session.comparing import compared
from advisor.session.importing import keep
from tests.support.stored import crowded

RUNS = 10_000
KILLS = 200


def timed(name: str, work: Callable[[], object], times: int = 5) -> None:
    """Print the median of some repetitions, the first one apart, since it finds nothing in the cache."""
    took = []
    for _ in range(times + 1):
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    later = sorted(took[1:])
    print(f"  {name:<34} {later[len(later) // 2] * 1000:7.0f} ms (first {took[0] * 1000:.0f} ms)")


def measure(path: Path, runs: int) -> None:
    """Time what people wait for; each use opens the file anew, as the program does."""
    began = time.perf_counter()
    crowded(path, runs)
    size = path.stat().st_size / 1e6
    print(f"{runs:,} runs in {time.perf_counter() - began:.1f} s, {size:.0f} MB")

    report = read_report("pp512: 812 t/s, tg128: 23.5 t/s", "post.txt")
    keep(report, Store(path))

    def filtered() -> None:
        found = [line for line in Store(path).overview() if "seven" in f"{line.label}\n{line.model}".casefold()]
        assert found

    timed("check before the first use", lambda: Store(path).prepare(), 2)
    timed("list of all, in lines", lambda: Store(path).overview())
    timed("filter by text", filtered)
    timed("import, known before", lambda: keep(report, Store(path)))
    timed("newest 20, whole", lambda: Store(path).runs(20))
    timed("compare two by number", lambda: compared([str(runs - 1), str(runs // 2)], Store(path)))
    timed("compare two by label", lambda: compared(["number 7", "number 14"], Store(path)))


def killed(path: Path, kills: int) -> None:
    """Kill a writer at any moment, again and again; every row that it has announced must be there, and nothing torn."""
    lost = torn = announced = 0
    for _ in range(kills):
        before = sum(len(run.tests) for run in Store(path).runs())
        command = [sys.executable, "-m", "tests.support.store_child", "write", str(path), "1000"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(random.random() * 0.05)
            child.kill()
            said = 1 + len(child.stdout.read().splitlines())
        now = Store(path).runs()
        there = sum(len(run.tests) for run in now) - before
        announced += said
        lost += max(0, said - there)
        torn += sum(run.unreadable for run in now)
    print(f"{kills} writers killed: {announced:,} rows announced, {lost} of them lost, {torn} torn")


def main() -> None:
    """Both, in a folder that is removed."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else KILLS
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder) / "many.sqlite", runs)
        killed(Path(folder) / "killed.sqlite", kills)


if __name__ == "__main__":
    main()
