"""Stamps of real runs: ten with nothing beside them, then some under troubles that are made on purpose.

    python -m tests.benchmarks.validity [--runs 10] [--only-quiet]

Run it on a machine that does nothing else: the aim is that each of the quiet runs is valid or carries a true reason
(what else ran is printed beside it), and that each troubled one is suspect or invalid for the right reason.
"""

import argparse
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psutil

from advisor.benchmarks.model import Stamp, TestResult
from advisor.core.evidence import Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.hardware.detect import read_machine
from advisor.session.pipeline import BenchSettings, Pipeline
from tests.advisor.benchmarks.test_under_load import busy_processes
from tests.support.sample import sample_path

SETTINGS = BenchSettings(n_prompt=256, n_gen=48, repetitions=5, real_use=False)
PAUSE_S = 1.5


def measured() -> tuple[TestResult, ...]:
    """Both phases of the sample, as a user measures them."""
    pipeline, cancel = Pipeline(), CancelToken()
    model, machine = pipeline.read_model(sample_path()), read_machine()
    engine = pipeline.read_engine(cancel)
    not_probed = Unknown("not asked for", Missing.NOT_YET)
    done = pipeline.bench(model, machine, engine, not_probed, SETTINGS, lambda _event: None, cancel)
    if done.error is not None:
        raise done.error
    return done.tests


@contextmanager
def a_paused_child() -> Iterator[None]:
    """Stops the measuring process for ``PAUSE_S`` in the middle of its work, and lets it go on."""
    over = threading.Event()

    def pause() -> None:
        while not over.wait(0.1):
            for child in psutil.Process().children():
                if "advisor.benchmarks.worker" in " ".join(child.cmdline()) and child.cpu_times().user > 3.0:
                    child.suspend()
                    time.sleep(PAUSE_S)
                    child.resume()
                    return

    thread = threading.Thread(target=pause)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def two_busy_processes() -> Iterator[None]:
    """Two loops of somebody else's."""
    with busy_processes(2, "while True: pass"):
        yield


@contextmanager
def a_memory_hog() -> Iterator[None]:
    """One process that copies 256 MB again and again: it takes no more memory than that, and all of its bandwidth."""
    with busy_processes(1, "a = bytearray(256 << 20)\nwhile True: bytes(a)"):
        yield


def show(name: str, tests: tuple[TestResult, ...]) -> None:
    for test in tests:
        because = "; ".join(test.conditions.because)
        fault = " (fault)" if test.conditions.fault else ""
        print(f"{name:22} {test.test:8} {test.tokens_per_s:9.2f} tokens/s  {test.conditions.stamp}{fault}  {because}")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--only-quiet", action="store_true")
    arguments = parser.parse_args()
    quiet: list[TestResult] = []
    for number in range(arguments.runs):
        tests = measured()
        show(f"quiet run {number + 1}", tests)
        quiet += tests
    if quiet:
        valid = sum(test.conditions.stamp is Stamp.VALID for test in quiet)
        reasons = [why for test in quiet for why in test.conditions.because]
        print(f"{valid} of {len(quiet)} quiet tests valid; the others say: {'; '.join(reasons) or 'nothing'}")
    if arguments.only_quiet:
        return 0
    troubles: dict[str, Callable[[], object]] = {
        "two busy processes": two_busy_processes,
        "a memory hog": a_memory_hog,
        "a paused child": a_paused_child,
    }
    missed = 0
    for name, trouble in troubles.items():
        with trouble():  # type: ignore[attr-defined]
            tests = measured()
        show(name, tests)
        missed += all(test.conditions.stamp is Stamp.VALID for test in tests)
    print(f"{len(troubles) - missed} of {len(troubles)} troubles noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
