"""The two upper bounds of a model on this machine, from probes and traffic (physics.md 3).

A phase can be no faster than the slower of two roofs: the bytes it must read over the read bandwidth, and the
arithmetic it must do over the arithmetic speed. Both roofs are the best that any probe reached once.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from advisor.ceilings.model import ArithmeticProbe, Ceilings, ReadProbe
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import bandwidth, count, fixed, flop, flop_rate, size, speed
from advisor.core.translation import tr, trn
from advisor.core.units import FLOP_PER_MAC
from advisor.gguf.traffic import Traffic

DEFAULT_PROMPT: Final = 512
"""Prompt tokens of the prefill ceiling, the size that everybody quotes (pp512)."""

SAME_SET: Final = 0.97
"""Working sets within 3 % of each other count as one: no cache is that sharp."""

MAX_BALANCE_BATCH: Final = 1 << 20
"""Streams up to which a balance point is looked for; beyond it decode counts as never compute-bound."""


def ceilings(
    traffic: Traffic, read_probes: Sequence[ReadProbe], arithmetic_probes: Sequence[ArithmeticProbe], *,
    batch: int = 1, depth: int = 0, prompt: int = DEFAULT_PROMPT, mix: Mapping[str, float] | None = None,
) -> Ceilings:
    """Both ceilings of one model at one batch, depth and prompt length.

    Args:
        traffic: what one step of the model reads and computes.
        read_probes: at least one for a decode ceiling; empty gives Unknown with the reason.
        arithmetic_probes: at least one for a prefill ceiling; likewise.
        batch: streams decoded together, at least 1.
        depth: tokens already in the cache, at least 0.
        prompt: tokens read in one go, at least 1.
        mix: type name -> multiply-adds per token of the blocks' matrices; None where they are not known.

    Raises:
        ValueError: for a batch or prompt below 1 or a negative depth.
    """
    if batch < 1 or prompt < 1 or depth < 0:
        raise ValueError("batch and prompt must be at least 1 and depth at least 0")
    read = read_bandwidth(read_probes, traffic.least_step_bytes(batch, depth))
    best = _best_arithmetic(arithmetic_probes)
    compute = _mixed_arithmetic(best, arithmetic_probes, mix or {})
    return Ceilings(
        batch=batch,
        depth=depth,
        prompt=prompt,
        read_bytes_per_s=read,
        compute_flop_per_s=compute,
        decode_tokens_per_s=decode_ceiling(traffic, read, compute, batch, depth),
        prefill_tokens_per_s=prefill_ceiling(traffic, read, compute, prompt, depth, best=best),
        balance_flop_per_byte=_balance(read, compute),
        balance_batch=balance_batch(traffic, read, compute, depth),
        decode_at_least=False,
        prefill_at_least=False,
        read_probes=tuple(read_probes),
        arithmetic_probes=tuple(arithmetic_probes),
        best_flop_per_s=best,
    )


def decode_ceiling(
    traffic: Traffic, read: Fact[float], compute: Fact[float], batch: int = 1, depth: int = 0
) -> Fact[float]:
    """Tokens per second of all streams together: the lower of memory roof and arithmetic roof (eq. 11).

    Without an arithmetic probe the memory roof alone is given; without a read probe the bound is Unknown. Of routed
    experts those of one token are counted whatever the batch, so that the bound stays one.
    """
    if isinstance(read, Unknown):
        return Unknown(read.reason, read.kind)
    step_bytes = traffic.least_step_bytes(batch, depth)
    if step_bytes <= 0:
        return Unknown(tr("the model reads nothing per token"), Missing.NOT_APPLICABLE)
    memory = batch * read.value / step_bytes
    if isinstance(compute, Known):
        work = traffic.flop_per_decoded_token(depth)
        arithmetic = compute.value / work if work > 0 else memory
        if arithmetic < memory:
            source = tr("{rate} ÷ {work} per token", rate=flop_rate(compute.value), work=flop(work))
            return Known(arithmetic, Basis.COMPUTED, source)
    rate, step = bandwidth(read.value), size(step_bytes)
    source = tr("{rate} ÷ {bytes} per token", rate=rate, bytes=step)
    if batch != 1:
        source = tr("{n} × {rate} ÷ {bytes} per step", n=count(batch), rate=rate, bytes=step)
    return Known(memory, Basis.COMPUTED, source)


def prefill_ceiling(
    traffic: Traffic, read: Fact[float], compute: Fact[float], prompt: int = DEFAULT_PROMPT, depth: int = 0, *,
    best: Fact[float] | None = None,
) -> Fact[float]:
    """Tokens per second of reading ``prompt`` tokens: the lower of arithmetic roof and memory roof.

    The matrices are reckoned with ``compute``, attention and states with ``best`` where it is known.

    The memory roof counts every weight once and the experts of one token only: a lower bound of the bytes, so
    that the ceiling stays an upper one. It binds for prompts of a few tokens.
    """
    if isinstance(compute, Unknown):
        return Unknown(compute.reason, compute.kind)
    work = traffic.prefill_flop(prompt, depth)
    if work <= 0:
        return Unknown(tr("the model computes nothing per token"), Missing.NOT_APPLICABLE)
    arithmetic = prompt / prefill_arithmetic_s(traffic, compute.value, prompt, depth, best=best)
    weight_bytes = traffic.weight_bytes()
    if isinstance(read, Known) and weight_bytes > 0:
        memory = prompt * read.value / weight_bytes
        if memory < arithmetic:
            source = trn(
                "{rate} ÷ {bytes} for all {n}\u00a0token", "{rate} ÷ {bytes} for all {n}\u00a0tokens",
                prompt, rate=bandwidth(read.value), bytes=size(weight_bytes), n=count(prompt),
            )  # fmt: skip
            return Known(memory, Basis.COMPUTED, source)
    rate = arithmetic * work / prompt
    source = trn(
        "{rate} ÷ {work} per prompt token at {n}\u00a0token", "{rate} ÷ {work} per prompt token at {n}\u00a0tokens",
        prompt, rate=flop_rate(rate), work=flop(work / prompt), n=count(prompt),
    )  # fmt: skip
    return Known(arithmetic, Basis.COMPUTED, source)


def prefill_arithmetic_s(
    traffic: Traffic, flop_per_s: float, prompt: int, depth: int = 0, *, best: Fact[float] | None = None
) -> float:
    """Seconds that the arithmetic of a prompt takes at least: matrices at ``flop_per_s``, the rest at the best rate."""
    matrices = traffic.prefill_matrix_flop(prompt)
    rest = traffic.prefill_flop(prompt, depth) - matrices
    best_rate = best.or_none() if best is not None else None
    return matrices / flop_per_s + rest / max(flop_per_s, best_rate or 0.0)


def raise_to(known: Ceilings, phase: str, measured_tokens_per_s: float) -> Ceilings:
    """The ceilings with one phase's bound lifted to a measured speed that stands above it after probing again.

    100 % is never passed: the ceiling becomes the measured speed, marked "at least", and the roof that carried it
    (bandwidth for decode below the balance point, arithmetic otherwise) rises with it, so that no point of the
    roofline chart lies above its roof. A speed at or below the ceiling, or an unknown ceiling, changes nothing.

    Args:
        known: ceilings measured anew since the speed was.
        phase: "prefill" or "decode"; the benchmarks' ``Phase`` is a string with these values.
        measured_tokens_per_s: of the same batch, depth and prompt as the ceilings.

    Raises:
        ValueError: for another phase.
    """
    if phase not in ("prefill", "decode"):
        raise ValueError(f"not a phase: {phase}")
    decode = phase == "decode"
    bound = known.decode_tokens_per_s if decode else known.prefill_tokens_per_s
    if isinstance(bound, Unknown) or measured_tokens_per_s <= bound.value:
        return known
    factor = measured_tokens_per_s / bound.value
    lifted: Fact[float] = Known(
        measured_tokens_per_s, Basis.MEASURED,
        tr(
            "at least: {phase} itself ran at {speed}, above the {bound} of the probes, which were repeated",
            phase=tr(phase), speed=speed(measured_tokens_per_s), bound=speed(bound.value),
        ),
    )  # fmt: skip
    read, compute = known.read_bytes_per_s, known.compute_flop_per_s
    if decode and not _compute_bound(known):
        read = _lift(read, factor, tr("at least: what {phase} itself moved", phase=tr(phase)), bandwidth)
    else:
        compute = _lift(compute, factor, tr("at least: what {phase} itself computed", phase=tr(phase)), flop_rate)
    balance = _balance(read, compute)
    return replace(
        known,
        read_bytes_per_s=read,
        compute_flop_per_s=compute,
        balance_flop_per_byte=balance,
        balance_batch=_scaled(known.balance_batch, balance, known.balance_flop_per_byte),
        decode_tokens_per_s=lifted if decode else known.decode_tokens_per_s,
        prefill_tokens_per_s=known.prefill_tokens_per_s if decode else lifted,
        decode_at_least=known.decode_at_least or decode,
        prefill_at_least=known.prefill_at_least or not decode,
    )


def roof_flop_per_s(known: Ceilings, intensity: float) -> float | None:
    """Height of the roof at an intensity in FLOP per byte (above 0): ``min(intensity * bandwidth, arithmetic)``.

    None while either figure is unknown.
    """
    read, compute = known.read_bytes_per_s.or_none(), known.compute_flop_per_s.or_none()
    if read is None or compute is None:
        return None
    return min(intensity * read, compute)


def decode_point(
    traffic: Traffic, tokens_per_s: float, batch: int = 1, depth: int = 0
) -> tuple[float, float]:
    """Where decode lies on the roofline: (FLOP per byte, FLOP/s); ``tokens_per_s`` of all streams together."""
    work = traffic.flop_per_decoded_token(depth)
    return batch * work / traffic.step_bytes(batch, depth), tokens_per_s * work


def prefill_point(traffic: Traffic, tokens_per_s: float, prompt: int = DEFAULT_PROMPT) -> tuple[float, float]:
    """Where prefill lies on the roofline: (FLOP per byte, FLOP/s), every weight read once for the whole prompt."""
    work = traffic.prefill_flop(prompt)
    return work / traffic.weight_bytes(), tokens_per_s * work / prompt


def read_bandwidth(probes: Sequence[ReadProbe], working_set_bytes: float) -> Fact[float]:
    """Usable read bandwidth at a working set: the upper envelope of all probes, interpolated.

    What was reached over a larger set can be reached over a smaller one, not the other way round (caches). Beyond
    the largest set that was tried its figure holds, below the smallest one the best.
    """
    if not probes:
        return Unknown(tr("the read bandwidth is not measured"), Missing.NOT_YET)
    best: dict[int, ReadProbe] = {}
    for probe in sorted(probes, key=lambda probe: (-probe.bytes_per_pass, -probe.best_bytes_per_s)):
        larger = max(best.values(), key=lambda other: other.best_bytes_per_s, default=probe)
        best.setdefault(
            probe.bytes_per_pass, probe if probe.best_bytes_per_s >= larger.best_bytes_per_s else larger
        )
    sizes = sorted(best)
    above = next((size_ for size_ in sizes if size_ >= SAME_SET * working_set_bytes), sizes[-1])
    below = [size_ for size_ in sizes if size_ < above]
    chosen = best[above]
    source = trn(
        "best of {n}\u00a0read kernel: {kernel}, {threads}, {size}",
        "best of {n}\u00a0read kernels: {kernel}, {threads}, {size}",
        len(probes), n=count(len(probes)), kernel=chosen.kernel, threads=_threads(chosen.threads),
        size=size(chosen.bytes_per_pass),
    )  # fmt: skip
    rate = chosen.best_bytes_per_s
    if below and above > working_set_bytes / SAME_SET:
        low = below[-1]
        share = max(0.0, math.log(working_set_bytes / low) / math.log(above / low))
        rate = best[low].best_bytes_per_s ** (1 - share) * rate**share
        source = tr(
            "{source}, raised to a working set of {size}", source=source, size=size(working_set_bytes)
        )
    return Known(rate, Basis.MEASURED, source)


def _threads(number: int) -> str:
    return trn("{n}\u00a0thread", "{n}\u00a0threads", number, n=count(number))


def _mixed_arithmetic(
    best: Fact[float], probes: Sequence[ArithmeticProbe], mix: Mapping[str, float]
) -> Fact[float]:
    """The model's matrices with each type at its own best; a type that no probe tried counts with the best of all."""
    if isinstance(best, Unknown) or sum(mix.values()) <= 0:
        return best
    rates = type_rates(probes)
    time_s = sum(work / rates.get(name, best.value) for name, work in mix.items())
    heaviest = sorted(mix, key=lambda name: -mix[name])[:3]
    parts = tr(" and ").join(
        tr("{type} at {rate}", type=name, rate=flop_rate(rates.get(name, best.value))) for name in heaviest
    )
    if len(mix) > len(heaviest):
        parts = tr("{parts} and others", parts=parts)
    source = trn(
        "each type at its best of {n}\u00a0matrix product: {parts}",
        "each type at its best of {n}\u00a0matrix products: {parts}",
        len(probes), n=count(len(probes)), parts=parts,
    )  # fmt: skip
    return Known(sum(mix.values()) / time_s, Basis.MEASURED, source)


def type_rates(probes: Sequence[ArithmeticProbe]) -> dict[str, float]:
    """FLOP/s that each weight type reached in any layout and shape; the engine's probes are named ``ggml TYPE``."""
    rates: dict[str, float] = {}
    for probe in probes:
        maker, _, rest = probe.kernel.partition(" ")
        if maker == "ggml":
            name = rest.split(",")[0]
            rates[name] = max(rates.get(name, 0.0), probe.best_flop_per_s)
    return rates


def _best_arithmetic(probes: Sequence[ArithmeticProbe]) -> Fact[float]:
    if not probes:
        return Unknown(tr("the arithmetic speed is not measured"), Missing.NOT_YET)
    best = max(probes, key=lambda probe: probe.best_flop_per_s)
    source = trn(
        "best of {n}\u00a0matrix product: {kernel}, {threads}, {outputs} × {inputs} by {columns}",
        "best of {n}\u00a0matrix products: {kernel}, {threads}, {outputs} × {inputs} by {columns}",
        len(probes), n=count(len(probes)), kernel=best.kernel, threads=_threads(best.threads),
        outputs=best.outputs, inputs=best.inputs,
        columns=trn("{n}\u00a0column", "{n}\u00a0columns", best.columns, n=count(best.columns)),
    )  # fmt: skip
    return Known(best.best_flop_per_s, Basis.MEASURED, source)


def _balance(read: Fact[float], compute: Fact[float]) -> Fact[float]:
    for fact in (compute, read):
        if isinstance(fact, Unknown):
            return Unknown(fact.reason, fact.kind)
    assert isinstance(read, Known)
    assert isinstance(compute, Known)
    return Known(
        compute.value / read.value, Basis.COMPUTED, f"{flop_rate(compute.value)} ÷ {bandwidth(read.value)}"
    )


def balance_batch(traffic: Traffic, read: Fact[float], compute: Fact[float], depth: int) -> Fact[float]:
    """Streams at which the arithmetic of a step takes as long as its bytes (physics.md eq. 10 and 14b).

    As in eq. 14b the arithmetic is that of the matrices; attention's own is left out. Each step costs
    ``step_bytes(B)``, which rises ever more slowly with B (experts saturate), so there is one crossing at most.
    """
    ridge = _balance(read, compute)
    if isinstance(ridge, Unknown):
        return ridge
    matrices = FLOP_PER_MAC * (traffic.block_elements + traffic.head_elements)
    hidden_bytes_per_stream = matrices / ridge.value

    def surplus(batch: int) -> float:
        return batch * hidden_bytes_per_stream - traffic.step_bytes(batch, depth)

    if surplus(MAX_BALANCE_BATCH) <= 0:
        why = trn(
            "at {n}\u00a0token of depth each stream's cache takes longer to read than its arithmetic: "
            "decode never turns compute-bound",
            "at {n}\u00a0tokens of depth each stream's cache takes longer to read than its arithmetic: "
            "decode never turns compute-bound",
            depth, n=count(depth),
        )  # fmt: skip
        return Unknown(why, Missing.NOT_APPLICABLE)
    source = tr("{ridge} FLOP per byte, {work} per token", ridge=fixed(ridge.value, 1), work=flop(matrices))
    low, high = 0, MAX_BALANCE_BATCH
    while high - low > 1:
        middle = (low + high) // 2
        if surplus(middle) > 0:
            high = middle
        else:
            low = middle
    below = surplus(low) if low else -traffic.weight_bytes()
    above = surplus(high)
    return Known(low + below / (below - above), Basis.COMPUTED, source)


def _compute_bound(known: Ceilings) -> bool:
    return isinstance(known.balance_batch, Known) and known.batch > known.balance_batch.value


def _lift(fact: Fact[float], factor: float, source: str, text: Callable[[float], str]) -> Fact[float]:
    if isinstance(fact, Unknown):
        return fact
    source = tr("{source}; the probes reached {figure}", source=source, figure=text(fact.value))
    return Known(fact.value * factor, Basis.COMPUTED, source)


def _scaled(batch: Fact[float], new: Fact[float], old: Fact[float]) -> Fact[float]:
    if isinstance(batch, Unknown) or isinstance(new, Unknown) or isinstance(old, Unknown):
        return batch
    source = tr("{source}, moved with the lifted roof", source=batch.source)
    return Known(batch.value * new.value / old.value, batch.basis, source)
