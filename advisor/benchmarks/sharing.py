"""A batch curve beside what it is read against: comfort line, balance points, ceiling, memory; pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.batching import (
    BatchPoint,
    Served,
    Stair,
    batch_curve,
    batch_rows,
    flattens_at,
    jumps,
    landings,
    nearly_free,
    served,
)
from advisor.benchmarks.model import EngineDevice, EngineFacts, Phase, Sweep, TestResult
from advisor.ceilings.bounds import measured_balance_batch
from advisor.ceilings.model import Ceilings
from advisor.ceilings.roofline import balance_batch, decode_ceiling
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import speed
from advisor.core.translation import marked, tr
from advisor.gguf.layers import KV_TYPES
from advisor.gguf.memory import memory_needed
from advisor.gguf.model import ModelFacts
from advisor.hardware.model import Machine

ROOM_SHARE: Final = 0.9
"""Share of the memory that weights and cache may fill; the system needs the rest."""

NO_CEILINGS: Final = Unknown(marked("bandwidth and arithmetic are not measured"), Missing.NOT_YET)
NO_ROOM: Final = Unknown(marked("the size of the memory is not known"), Missing.NOT_SUPPORTED)


@dataclass(frozen=True, slots=True)
class Terms:
    """What the people who share the machine want, and what it has.

    Attributes:
        slowest_tokens_per_s: what each is to get at least.
        tokens: that each one's conversation holds, prompt and answer.
        room_bytes: memory where the weights lie.
    """

    slowest_tokens_per_s: float
    tokens: int
    model: ModelFacts
    ceilings: Ceilings | None = None
    room_bytes: Fact[int] = NO_ROOM


@dataclass(frozen=True, slots=True)
class Seats:
    """Memory of the people's caches.

    Attributes:
        each_bytes: cache and recurrent state of one conversation of ``tokens``.
        fit: conversations that fit beside the weights, 0 and up.
    """

    tokens: int
    each_bytes: int
    fit: Fact[int]


@dataclass(frozen=True, slots=True)
class BatchReading:
    """Everything that a batch curve says; at least two points.

    Attributes:
        depth: tokens in each stream's cache while it was measured.
        served: None where fewer streams than measured would have to tell.
        free: the most streams measured that cost next to nothing; None where one alone was not measured.
        flattens: fewest streams that write as much as any; None where the curve still rises at its end.
        balance: streams where bytes and arithmetic of a step take equally long (physics.md eq. 10, 14b).
        balance_by_speeds: the same from prefill and decode as measured (eq. 14c).
        ceiling: most that so many streams can write together, in tokens/s, by streams; empty where unknown.
        experts: the model routes its tokens to some of many experts.
    """

    depth: int
    points: tuple[BatchPoint, ...]
    served: Served | None
    free: int | None
    flattens: int | None
    jumps: tuple[Stair, ...]
    landings: tuple[Stair, ...]
    balance: Fact[float]
    balance_by_speeds: Fact[float]
    ceiling: tuple[tuple[int, float], ...]
    seats: Fact[Seats]
    experts: bool

    @property
    def best(self) -> BatchPoint:
        """The point that writes most."""
        return max(self.points, key=lambda point: point.tokens_per_s)


def read_batch(tests: Sequence[TestResult], terms: Terms) -> BatchReading | None:
    """The batch curve of a run's tests; None for fewer than two numbers of streams."""
    rows = batch_rows(tests)
    points = batch_curve(rows)
    if len(points) < 2:
        return None
    row, alone = rows[0], points[0] if points[0].streams == 1 else None
    return BatchReading(
        depth=row.n_depth,
        points=points,
        served=served(points, terms.slowest_tokens_per_s),
        free=None if alone is None else nearly_free(points, alone.step_s),
        flattens=flattens_at(points),
        jumps=jumps(points),
        landings=landings(points),
        balance=_balance(terms, row.n_depth),
        balance_by_speeds=_balance_by_speeds(tests, alone, terms),
        ceiling=_ceiling(points, terms, row.n_depth),
        seats=seats(terms, row.kv_type, row.n_ubatch),
        experts=bool(terms.model.experts),
    )


def seats(terms: Terms, kv_type: str = "f16", ubatch: int = 512) -> Fact[Seats]:
    """Memory of one conversation, and how many fit; each stream has a cache of its own."""
    need = memory_needed(
        terms.model, terms.tokens, ubatch, KV_TYPES.get(kv_type, 2.0), full_windows=False, unified=False
    )
    if isinstance(need, Unknown):
        return need
    each = need.value.kv_bytes + need.value.state_bytes
    fit: Fact[int]
    if isinstance(terms.room_bytes, Unknown):
        fit = terms.room_bytes
    elif each == 0:
        fit = Unknown(tr("nothing is kept of a conversation"), Missing.NOT_APPLICABLE)
    else:
        left = ROOM_SHARE * terms.room_bytes.value - need.value.weights_bytes - need.value.buffers_bytes
        fit = Known(max(0, int(left // each)), Basis.ESTIMATED, terms.room_bytes.source)
    return Known(Seats(terms.tokens, each, fit), Basis.COMPUTED, need.source)


def _balance(terms: Terms, depth: int) -> Fact[float]:
    if isinstance(terms.model.traffic, Unknown):
        return terms.model.traffic
    if terms.ceilings is None:
        return NO_CEILINGS
    held = terms.ceilings
    return balance_batch(terms.model.traffic.value, held.read_bytes_per_s, held.compute_flop_per_s, depth)


def _balance_by_speeds(tests: Sequence[TestResult], alone: BatchPoint | None, terms: Terms) -> Fact[float]:
    """From the fastest prompt that was read into an empty cache in the same run."""
    if isinstance(terms.model.traffic, Unknown):
        return terms.model.traffic
    prompts = [
        row.tokens_per_s for row in tests
        if row.phase is Phase.PREFILL and row.sweep is Sweep.PHASES and not row.n_depth
    ]  # fmt: skip
    if not prompts or alone is None:
        return Unknown(tr("prefill or one stream alone was not measured"), Missing.NOT_YET)
    streams = measured_balance_batch(terms.model.traffic.value, max(prompts), alone.tokens_per_s)
    rest = tr("prefill {prefill}, decode {decode}", prefill=speed(max(prompts)), decode=speed(alone.tokens_per_s))
    return Known(streams, Basis.COMPUTED, rest)


def _ceiling(points: Sequence[BatchPoint], terms: Terms, depth: int) -> tuple[tuple[int, float], ...]:
    if terms.ceilings is None or isinstance(terms.model.traffic, Unknown):
        return ()
    held, traffic = terms.ceilings, terms.model.traffic.value
    bounds = [
        (point.streams, decode_ceiling(traffic, held.read_bytes_per_s, held.compute_flop_per_s, point.streams, depth))
        for point in points
    ]
    return tuple((streams, bound.value) for streams, bound in bounds if isinstance(bound, Known))


def free_bytes(machine: Machine, engine: Fact[EngineFacts], device: str) -> Fact[int]:
    """Free memory where the weights will lie: the system's, or that of the engine's devices ("CUDA0+CUDA1")."""
    return _memory(machine.memory.available_bytes, engine, device, lambda each: each.memory_free_bytes)


def total_bytes(machine: Machine, engine: Fact[EngineFacts], device: str) -> Fact[int]:
    """All memory where the weights lie, likewise."""
    return _memory(machine.memory.total_bytes, engine, device, lambda each: each.memory_total_bytes)


def _memory(
    main: Fact[int], engine: Fact[EngineFacts], device: str, held: Callable[[EngineDevice], Fact[int]]
) -> Fact[int]:
    if device == "CPU":
        return main
    names = device.split("+")
    devices = engine.value.devices if isinstance(engine, Known) else ()
    known = [found.value for each in devices if each.name in names and isinstance(found := held(each), Known)]
    if len(known) < len(names):
        return NO_ROOM
    return Known(sum(known), Basis.READ, tr("the engine's {names}", names=tr(" and ").join(names)))
