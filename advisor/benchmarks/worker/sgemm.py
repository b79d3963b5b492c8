"""Float32 matrix product of numpy's BLAS: an arithmetic ceiling that does not depend on the engine."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

from advisor.benchmarks.worker.talk import Talk

_SIDE = 2048
_REPETITIONS = 3


def sgemm_rows(columns: int, threads: int, talk: Talk) -> Iterator[dict[str, Any]]:
    """One row: ``(side x side) times (side x columns)``, the rows shared out over threads.

    BLAS itself runs with one thread here (see ``reading``), so each of ours multiplies its own rows.
    """
    import numpy

    talk.raise_if_stopped()
    left = numpy.ones((_SIDE, _SIDE), dtype=numpy.float32)
    right = numpy.ones((_SIDE, columns), dtype=numpy.float32)
    parts = numpy.array_split(left, threads)
    outputs = [numpy.empty((len(part), columns), dtype=numpy.float32) for part in parts]

    def once() -> float:
        workers = [
            threading.Thread(target=numpy.matmul, args=(part, right), kwargs={"out": out})
            for part, out in zip(parts, outputs)  # noqa: B905 (Python 3.8 has no strict)
        ]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return time.perf_counter() - start

    once()
    yield {
        "probe": "arithmetic",
        "kernel": "float32 BLAS",
        "device": "CPU",
        "threads": threads,
        "inputs": _SIDE,
        "outputs": _SIDE,
        "columns": columns,
        "flop": 2 * _SIDE * _SIDE * columns,
        "samples_s": [once() for _ in range(_REPETITIONS)],
    }
