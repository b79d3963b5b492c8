"""Read-only kernels in numpy, run by several threads side by side (numpy lets go of the interpreter lock)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from advisor.benchmarks.worker.talk import Failure, Talk

_PASSES = 6
_WARM_UP = 1


def read_rows(read_bytes: int, thread_counts: list[int], talk: Talk) -> Iterator[dict[str, Any]]:
    """One row per kernel and thread count: ``probe``, ``kernel``, ``threads``, ``bytes_per_pass``, ``samples_s``.

    Each thread fills its own part first, so that on a machine of several memory nodes it lies near the thread.

    Raises:
        Failure: ``numpy_missing``.
    """
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # the threads here are ours; BLAS would add its own to each
    try:
        import numpy
    except ImportError as error:
        raise Failure(
            "numpy_missing", "numpy is not installed in this Python.", "python -m pip install numpy"
        ) from error

    words = max(read_bytes // 8, 1024)
    data = numpy.empty(words, dtype=numpy.int64)
    kernels: dict[str, Callable[[Any], Any]] = {
        "or of 64-bit integers": numpy.bitwise_or.reduce,
        "maximum of float32": lambda part: part.view(numpy.float32).max(),
        "dot product of float32": lambda part: numpy.dot(part.view(numpy.float32), part.view(numpy.float32)),
    }
    first = max(thread_counts)
    _together(lambda part: part.fill(0x3F8000003F800000), numpy.array_split(data, first))  # 1.0, 1.0
    for threads in sorted(set(thread_counts)):
        parts = numpy.array_split(data, threads)
        for kernel, function in kernels.items():
            talk.raise_if_stopped()
            samples = [_together(function, parts) for _ in range(_WARM_UP + _PASSES)][_WARM_UP:]
            yield {
                "probe": "read",
                "kernel": kernel,
                "device": "CPU",
                "threads": threads,
                "bytes_per_pass": data.nbytes,
                "samples_s": samples,
            }


def _together(function: Callable[[Any], Any], parts: list[Any]) -> float:
    """Seconds from the common start until the last thread has read its part."""
    if len(parts) == 1:
        start = time.perf_counter()
        function(parts[0])
        return time.perf_counter() - start
    gate = threading.Barrier(len(parts) + 1)

    def work(part: Any) -> None:
        gate.wait()
        function(part)

    threads = [threading.Thread(target=work, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    gate.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start
