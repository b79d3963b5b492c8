"""The bundle's engine, which suits any processor, against the one that pip compiled for this one, A B A B in one run.

    python -m tests.benchmarks.bundle_engine [--bundle build/bundle/two-machines/two-machines] [--rounds N] [MODEL]

Both are the whole program, measured through its command ``bench``; who goes first changes from round to round. A ratio
is that of two neighbours; shown are the rounds' median with its interval (for fewer than six rounds their whole range).
The aim is 0.97 in the same mode; ends with 1 where a median is below it.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from advisor.core.stats import median, median_interval
from tests.support.sample import sample_path

ROOT = Path(__file__).resolve().parents[2]
AIM = 0.97
TESTS = {"pp512": (512, 0, 0), "pp2048": (2048, 0, 0), "tg128": (0, 128, 0), "tg32 @ d1024": (0, 32, 1024)}


def speed(program: Sequence[str], test: str, model: Path, repetitions: int) -> tuple[float, bool]:
    """(median tokens/s, whether in safe mode) of one call."""
    n_prompt, n_gen, n_depth = TESTS[test]
    words = ["bench", str(model), "-p", n_prompt, "-n", n_gen, "-d", n_depth, "-r", repetitions, "--json"]
    # In the checkout's folder, so that `python -m advisor` is this source.
    done = subprocess.run(
        [*program, *map(str, words)], cwd=ROOT, capture_output=True, text=True, check=False, env=dict(os.environ)
    )
    if done.returncode not in (0, 5):  # 5: measured, but on a disturbed machine
        raise SystemExit(f"{program[0]}, {test}: {done.stderr.strip()[-500:]}")
    row = next(row for row in json.loads(done.stdout)["tests"] if row["n_prompt"] == n_prompt)
    return row["tokens_per_s"], row["safe_mode"]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", type=Path, help="a GGUF file (the sample)")
    parser.add_argument(
        "--bundle", type=Path, default=ROOT / "build/bundle/two-machines/two-machines", metavar="PROGRAM"
    )
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--tests", nargs="*", choices=TESTS, default=list(TESTS))
    arguments = parser.parse_args(argv)
    model = arguments.model or sample_path()
    programs = {"bundle": [str(arguments.bundle)], "compiled": [sys.executable, "-m", "advisor"]}
    below = []
    for test in arguments.tests:
        seen: dict[str, list[float]] = {name: [] for name in programs}
        modes: set[bool] = set()
        ratios = []
        for index in range(arguments.rounds):
            for name in list(programs) if index % 2 == 0 else list(reversed(programs)):
                value, safe = speed(programs[name], test, model, arguments.repetitions)
                seen[name].append(value)
                modes.add(safe)
            ratios.append(seen["bundle"][-1] / seen["compiled"][-1])
            print(
                f"  {test} {index + 1}: {seen['bundle'][-1]:.1f} / {seen['compiled'][-1]:.1f}",
                file=sys.stderr,
                flush=True,
            )
        low, high = median_interval(ratios) or (min(ratios), max(ratios))
        mode = "different modes!" if len(modes) > 1 else "safe mode" if modes == {True} else "default mode"
        print(
            f"{test:13} bundle {median(seen['bundle']):8.2f}   compiled {median(seen['compiled']):8.2f}   "
            f"ratio {median(ratios):.3f} ({low:.3f} to {high:.3f}), of the fastest "
            f"{max(seen['bundle']) / max(seen['compiled']):.3f}   {mode}",
            flush=True,
        )
        if median(ratios) < AIM or len(modes) > 1:
            below.append(test)
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
