"""Read-only kernels in numpy, run by several threads side by side (numpy lets go of the interpreter lock)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from advisor.benchmarks.worker.talk import Failure, Talk

_LEAST_PASSES = 3
_BUDGET_S = 0.06
"""Seconds of repeated passes of each kernel, after one that is thrown away."""
_CURVE_BUDGET_S = 0.05
_LEAST_WORDS = (64 << 20) // 8
"""Small working sets are read several times in a row, until starting the threads weighs nothing."""


def read_rows(request: dict[str, Any], talk: Talk) -> Iterator[dict[str, Any]]:
    """One row per kernel, thread count and working set: ``kernel``, ``threads``, ``bytes_per_pass``, ``samples_s``.

    First every kernel with the most threads at ``bytes``, then the fastest of them with fewer, and at each of
    ``curve``. The threads fill the part that they will read, so that on a machine of several memory nodes it lies near
    them.

    Request fields: ``bytes``, ``threads`` (list), ``curve`` (list of working sets in bytes).

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

    def two_streams(part: Any) -> Any:
        floats = part.view(numpy.float32)
        half = len(floats) // 2
        return numpy.dot(floats[:half], floats[half : 2 * half])

    # Which is fastest depends on the processor: a Zen 5 read a tenth more with the integers' maximum than with floats',
    # and with two streams at once half as much again as with one (2026-11-30).
    kernels: dict[str, Callable[[Any], Any]] = {
        "or of 64-bit integers": numpy.bitwise_or.reduce,
        "maximum of int32": lambda part: part.view(numpy.int32).max(),
        "dot product of two streams of float32": two_streams,
    }
    counts = sorted(set(request["threads"]))
    words = [max(int(size) // 8, 1 << 17) for size in (request["bytes"], *request["curve"])]
    data = numpy.empty(max(words), dtype=numpy.int64)
    # A working set is a part of each thread's own share, not the front of the whole.
    shares = list(numpy.array_split(data, max(counts)))
    _together(lambda part: part.fill(0x3F8000003F800000), [[share] for share in shares])  # 1.0, 1.0
    best: tuple[float, str, int] = (float("inf"), "", 0)
    for threads in reversed(counts):
        parts = _dealt(shares, words[0], threads)
        for kernel in kernels if threads == counts[-1] else (best[1],):
            talk.raise_if_stopped()
            samples = _repeat(kernels[kernel], parts, _BUDGET_S)
            best = min(best, (min(samples), kernel, threads))
            yield _row(kernel, threads, parts, samples)
    _, kernel, threads = best
    for size in sorted(set(words[1:])):
        talk.raise_if_stopped()
        parts = _dealt(shares, size, threads)
        yield _row(kernel, threads, parts, _repeat(kernels[kernel], parts, _CURVE_BUDGET_S))


def _repeat(function: Callable[[Any], Any], parts: Sequence[Sequence[Any]], budget_s: float) -> list[float]:
    """Seconds of each pass, warm-up left out."""
    words = sum(len(piece) for pieces in parts for piece in pieces)
    passes = -(-_LEAST_WORDS // words)
    _together(function, parts)
    samples: list[float] = []
    end = time.perf_counter() + budget_s
    while len(samples) < _LEAST_PASSES or time.perf_counter() < end:
        samples.append(_together(function, parts, passes))
    return samples


def _row(kernel: str, threads: int, parts: Sequence[Sequence[Any]], samples: list[float]) -> dict[str, Any]:
    return {
        "probe": "read",
        "kernel": kernel,
        "device": "CPU",
        "threads": threads,
        "bytes_per_pass": sum(piece.nbytes for pieces in parts for piece in pieces),
        "samples_s": samples,
    }


def _dealt(shares: Sequence[Any], words: int, threads: int) -> list[list[Any]]:
    """Pieces of each thread: the first words of every share, the shares dealt out to the threads."""
    each = max(1, words // len(shares))
    dealt: list[list[Any]] = [[] for _ in range(threads)]
    for index, share in enumerate(shares):
        piece = share[: min(each, len(share))]
        if threads == len(shares) or len(shares) % threads == 0:
            dealt[index * threads // len(shares)].append(piece)
        else:
            # an uneven deal would let one thread finish late: every share is cut for all threads
            step = -(-len(piece) // threads)
            for thread in range(threads):
                if len(piece[thread * step : (thread + 1) * step]):
                    dealt[thread].append(piece[thread * step : (thread + 1) * step])
    return [pieces for pieces in dealt if pieces]


def _together(function: Callable[[Any], Any], parts: Sequence[Sequence[Any]], passes: int = 1) -> float:
    """Seconds of one of several passes, from the first thread's start until the last has read its pieces."""
    gate = threading.Barrier(len(parts))
    starts, ends = [0.0] * len(parts), [0.0] * len(parts)

    def work(index: int) -> None:
        pieces = parts[index]
        gate.wait()
        starts[index] = time.perf_counter()
        for _ in range(passes):
            for piece in pieces:
                function(piece)
        ends[index] = time.perf_counter()

    threads = [threading.Thread(target=work, args=(index,)) for index in range(1, len(parts))]
    for thread in threads:
        thread.start()
    work(0)
    for thread in threads:
        thread.join()
    return (max(ends) - min(starts)) / passes
