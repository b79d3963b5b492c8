"""How long each command takes to start, as whole processes: ``python -m tests.benchmarks.startup``.

Figures for people to read; nothing here is asserted, since timings wander on shared machines. The aim is under 0.3 s
for ``inspect`` and ``machine``. Modules are compiled first, as an installation does: where the interpreter may not keep
bytecode (PYTHONDONTWRITEBYTECODE), compiling them anew makes every start a quarter longer.
"""

import compileall
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from tests.support.sample import sample_path

ROUNDS = 10
ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    for package in ("advisor", "ui", "resources"):
        compileall.compile_dir(ROOT / package, quiet=1)
    model = str(sample_path())
    cases = {
        "python alone": ["-c", "pass"],
        "inspect MODEL --json": ["-m", "advisor", "inspect", model, "--json"],
        "machine --json": ["-m", "advisor", "machine", "--json"],
        "window built (--check)": ["-m", "ui", "--check"],
    }
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    taken: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, words in cases.items():
            start = time.perf_counter()
            subprocess.run([sys.executable, *words], env=environment, check=True, capture_output=True)
            taken[name].append(time.perf_counter() - start)
    print(f"{'whole process':26} {'min':>8} {'median':>8} {'max':>8}   seconds, {ROUNDS} rounds, interleaved")
    for name, seconds in taken.items():
        print(f"{name:26} {min(seconds):8.3f} {statistics.median(seconds):8.3f} {max(seconds):8.3f}")
    from advisor.gguf.reader import read_header

    reads = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        read_header(sample_path())
        reads.append(time.perf_counter() - start)
    print(f"{'reading the header':26} {min(reads):8.4f} {statistics.median(reads):8.4f} {max(reads):8.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
