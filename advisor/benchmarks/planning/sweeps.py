"""The points of every curve, as tests in order of worth for the request that is asked about."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from advisor.benchmarks.model import FlashAttention, Phase, Sweep, TestSpec
from advisor.benchmarks.planning.settings import Purpose
from advisor.core.evidence import Fact, Known, Unknown
from advisor.core.numbers import count, percent, size
from advisor.core.translation import tr
from advisor.gguf.layers import KV_TYPES
from advisor.gguf.memory import memory_needed
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine

SHORT_GEN: Final = 32
"""Tokens that a point of a decode curve writes."""
STREAMS: Final = (2, 3, 4, 8, 16, 32)
"""Streams of the batch curve beside the single one; kernels change between 1 and 4 (physics.md 3, curves a to c)."""
BATCH_GEN: Final = 16
UBATCHES: Final = (128, 256, 1024, 2048)
LONG_PROMPT: Final = 2048
"""Prompt of the ubatch curve: smaller ones do not fill the larger ubatches."""
OTHER_KV_TYPE: Final = "q8_0"
LEAST_DEPTH: Final = 512
"""A shallower depth tells nothing that depth 0 does not."""
CACHE_SHARE: Final = 0.25
"""Share of the free memory that the cache of a test may take."""


@dataclass(frozen=True, slots=True)
class Basis:
    """What every curve starts from.

    Attributes:
        prefill, decode: the two phases as they are set.
        depth: that the request reaches, cut to what can be filled in time; 0 where no depth is worth it.
        on_cpu: the weights lie in main memory, so that threads matter.
    """

    prefill: TestSpec
    decode: TestSpec
    depth: int
    purpose: Purpose
    model: ModelFacts
    machine: Machine
    on_cpu: bool


def worth_order(basis: Basis) -> tuple[TestSpec, ...]:
    """All points of all curves, most useful for the request first, each once and only where it fits the memory."""
    return tuple(spec for spec in _all_points(basis) if not _why_no_room(spec, basis))


def without_room(basis: Basis) -> tuple[tuple[TestSpec, str], ...]:
    """The points that are no part of ``worth_order`` for want of memory, each with the reason, a clause."""
    return tuple((spec, why) for spec in _all_points(basis) if (why := _why_no_room(spec, basis)))


def _all_points(basis: Basis) -> tuple[TestSpec, ...]:
    users = basis.purpose.users
    threads = list(thread_points(basis)) if basis.on_cpu else []
    batch = list(batch_points(basis))
    together = [spec for spec in batch if users > 1 and spec.n_streams == _nearest_streams(users)]
    first = [
        *depth_points(basis, (basis.depth,)),
        *together,
        *[spec for spec in threads if spec.n_threads <= basis.machine.cpu.logical][:4],
        *[spec for spec in batch if spec.n_streams in (2, 4, 8)],
        *attention_points(basis, FlashAttention.OFF),
        *kv_points(basis),
        *depth_points(basis, (basis.depth // 2, basis.depth // 4)),
        *threads,
        *batch,
        *ubatch_points(basis),
        *attention_points(basis, FlashAttention.ON),
    ]
    return tuple(dict.fromkeys(first))


def depth_points(basis: Basis, depths: tuple[int, ...]) -> Iterator[TestSpec]:
    """Decode, then prefill, at each depth."""
    for depth in depths:
        if depth >= LEAST_DEPTH:
            yield replace(basis.decode, n_gen=SHORT_GEN, n_depth=depth, sweep=Sweep.DEPTH)
            yield replace(basis.prefill, n_depth=depth, sweep=Sweep.DEPTH)


def thread_points(basis: Basis) -> Iterator[TestSpec]:
    """Decode, then prefill, at thread counts from near the present setting outwards."""
    for phase in (basis.decode, basis.prefill):
        n_gen = SHORT_GEN if phase.phase is Phase.DECODE else 0
        for threads in thread_counts(basis.machine, phase.n_threads):
            if threads != phase.n_threads:
                yield replace(phase, n_gen=n_gen, n_threads=threads, sweep=Sweep.THREADS)


def thread_counts(machine: Machine, present: int) -> tuple[int, ...]:
    """Powers of two, the counts of cores of each kind, what this process may use, and a little beyond.

    Nearest to the ``present`` setting by ratio first: far fewer threads take longest and surprise least.
    """
    cpu = machine.cpu
    most = max(cpu.usable_threads + 1, cpu.logical)
    counts = {2**power for power in range(most.bit_length()) if 2**power <= cpu.logical}
    counts |= {cpu.usable_threads, cpu.usable_threads + 1, cpu.logical, max(1, cpu.usable_threads * 3 // 4), present}
    for cores in (cpu.physical, cpu.performance_cores):
        if isinstance(cores, Known) and 1 <= cores.value <= most:
            counts.add(cores.value)

    def distance(count: int) -> tuple[float, int]:
        return max(count, present) / min(count, present), count

    return tuple(sorted(counts, key=distance))


def batch_points(basis: Basis) -> Iterator[TestSpec]:
    """Several streams in one context, at depth 0; that of the request's people among them."""
    streams = sorted({*STREAMS, _nearest_streams(basis.purpose.users)} - {1})
    for number in streams:
        yield replace(basis.decode, n_gen=BATCH_GEN, n_streams=number, sweep=Sweep.BATCH)


def why_no_room(spec: TestSpec, model: ModelFacts, room_bytes: Fact[int], cache_share: float | None = None) -> str:
    """Why a point cannot be run, a clause; empty where it can, or where nothing is known.

    Args:
        spec: the point.
        model: facts of the file.
        room_bytes: memory that is free.
        cache_share: where the weights are there already, the part of it that the caches may take; None where weights
            and caches have all of it.
    """
    if spec.n_streams > spec.n_batch:
        return tr(
            "a step of more streams than the batch of {n} tokens cannot be computed at once", n=count(spec.n_batch)
        )
    need = memory_needed(
        model, spec.n_streams * (spec.n_depth + spec.n_prompt + spec.n_gen), spec.n_ubatch,
        KV_TYPES.get(spec.kv_type, 2.0), full_windows=False, sequences=spec.n_streams, unified=False,
    )  # fmt: skip
    if isinstance(need, Unknown) or isinstance(room_bytes, Unknown):
        return ""
    room = size(room_bytes.value)
    if cache_share is None:
        fits = need.value.total_bytes <= room_bytes.value
        return "" if fits else tr("weights and caches do not fit the {size} of free memory", size=room)
    if need.value.kv_bytes + need.value.state_bytes <= cache_share * room_bytes.value:
        return ""
    return tr(
        "the cache would take more than {share} of the {size} of free memory",
        share=percent(cache_share), size=room,
    )  # fmt: skip


def attention_points(basis: Basis, setting: FlashAttention) -> Iterator[TestSpec]:
    """Both phases with flash attention on or off, at the depth where it counts; ``auto`` is the depth curve's."""
    if basis.decode.flash_attention is not setting:
        for spec in depth_points(basis, (basis.depth,)):
            yield replace(spec, flash_attention=setting, sweep=Sweep.FLASH_ATTENTION)


def kv_points(basis: Basis) -> Iterator[TestSpec]:
    """Both phases with the cache in eight bits, at depth."""
    if basis.decode.kv_type == OTHER_KV_TYPE:
        return
    for spec in depth_points(basis, (basis.depth,)):
        yield replace(spec, kv_type=OTHER_KV_TYPE, sweep=Sweep.KV_TYPE)


def ubatch_points(basis: Basis) -> Iterator[TestSpec]:
    """A long prompt at each ubatch, the present one among them, then at the present ubatch with a batch of the same."""
    long = replace(basis.prefill, n_prompt=LONG_PROMPT, sweep=Sweep.UBATCH)
    yield long
    for ubatch in UBATCHES:
        if ubatch != basis.prefill.n_ubatch:
            yield replace(long, n_ubatch=ubatch, n_batch=max(basis.prefill.n_batch, ubatch))
    if long.n_ubatch != long.n_batch:
        yield replace(long, n_batch=long.n_ubatch)


def _nearest_streams(users: int) -> int:
    """The people of the request, up to the largest batch that is tried."""
    return min(users, STREAMS[-1])


def _why_no_room(spec: TestSpec, basis: Basis) -> str:
    return why_no_room(spec, basis.model, basis.machine.memory.available_bytes, CACHE_SHARE)
