"""Coverage-guided fuzzing of the GGUF reader, for as long as one likes.

Needs atheris (``pip install atheris``), which the project itself does not. From the checkout::

    python -m tests.fuzz.long_run FOLDER -max_total_time=3600

FOLDER keeps the corpus and, below ``findings``, one input of each kind of failure, with its traceback; a further run
goes on from there. ``python -m tests.fuzz.long_run FOLDER --again`` reads the findings once more. What follows FOLDER
goes to libFuzzer.
"""

import sys
import time
import traceback
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import atheris

with atheris.instrument_imports(include=["advisor.gguf", "advisor.core", "advisor.report.codec"]):
    from tests.fuzz.trial import little_memory, small, tried

from tests.fuzz.changes import Changer
from tests.fuzz.stock import everything

LIMIT_S = 1.0
"""CPU time for one input, checks included; the instrumented code is a few times slower than the bare."""
TELL_EVERY = 20_000
LONGEST_BYTES = 1 << 17


class TooSlow(Exception):
    """An input took longer than ``LIMIT_S``."""


class LongRun:
    """Takes inputs from libFuzzer and keeps one of each kind of failure, without stopping at it."""

    def __init__(self, folder: Path, files: Path) -> None:
        self._findings = folder / "findings"
        self._findings.mkdir(parents=True, exist_ok=True)
        self._files = files
        self._stock = everything()
        self.counts: dict[str, int] = {}

    def one(self, data: bytes) -> None:
        """Try one input."""
        started = time.process_time()
        try:
            outcome = tried(data, self._files).name
            if small(data) and time.process_time() - started > LIMIT_S:
                raise TooSlow
        except Exception as error:
            outcome = "FAILED"
            self._keep(data, error)
        self.counts[outcome] = self.counts.get(outcome, 0) + 1
        if sum(self.counts.values()) % TELL_EVERY == 0:
            print(self.counts, file=sys.stderr, flush=True)

    def other(self, data: bytes, longest: int, seed: int) -> bytes:
        """A changed input: mostly by structure, else as libFuzzer would."""
        random = Random(seed)
        if not data or random.random() < 0.1:
            return bytes(atheris.Mutate(data, longest))
        # libFuzzer's favourites are short, and what is computed from whole models would be reached too rarely
        start = random.choice(self._stock) if random.random() < 0.4 else data
        changed = Changer(random, self._stock).changed(start)
        return changed if len(changed) <= longest else data

    def _keep(self, data: bytes, error: Exception) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        where = "-".join(f"{Path(frame.filename).stem}.{frame.lineno}" for frame in frames[-2:])
        path = self._findings / f"{type(error).__name__}-{where}-{sha256(where.encode()).hexdigest()[:6]}"
        if not path.exists() or len(data) < path.stat().st_size:
            path.write_bytes(data)
            path.with_name(f"{path.name}.txt").write_text("".join(traceback.format_exception(error)), encoding="utf-8")
            print(f"FINDING {path.name}: {error}", file=sys.stderr, flush=True)


def main() -> None:
    """Run."""
    folder = Path(sys.argv[1])
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as files:
        run = LongRun(folder, Path(files))
        if "--again" in sys.argv:
            for path in sorted((folder / "findings").iterdir()):
                if path.suffix != ".txt":
                    run.one(path.read_bytes())
            print(run.counts)
            return
        for data in everything():
            (corpus / sha256(data).hexdigest()[:16]).write_bytes(data)
        options = [
            f"-max_len={LONGEST_BYTES}",
            "-timeout=60",
            "-rss_limit_mb=0",
            "-reduce_inputs=0",
            "-print_final_stats=1",
        ]
        atheris.Setup([sys.argv[0], str(corpus), *options, *sys.argv[2:]], run.one, custom_mutator=run.other)
        with little_memory():
            atheris.Fuzz()


if __name__ == "__main__":
    main()
