"""From probes to both ceilings: the model's mix of types, what the memory is rated for, what disturbed the probes."""

from dataclasses import replace

from advisor.benchmarks.engines.engine import Probed
from advisor.benchmarks.model import EngineFacts, Phase, TestResult
from advisor.benchmarks.probing import weights_device
from advisor.ceilings import roofline
from advisor.ceilings.bounds import memory_bound_from_depth
from advisor.ceilings.model import Ceilings
from advisor.ceilings.predict import type_mix
from advisor.core.dates import day
from advisor.core.errors import EngineError
from advisor.core.evidence import Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.gguf.model import ModelFacts
from advisor.gguf.traffic import Traffic
from advisor.hardware.model import Machine


def bounds_of(
    model: ModelFacts,
    machine: Machine,
    engine: Fact[EngineFacts] | None,
    probed: Probed,
    *,
    batch: int = 1,
    depth: int = 0,
    prompt: int = roofline.DEFAULT_PROMPT,
    measured_on: str = "",
) -> Ceilings:
    """Both ceilings with everything they rest on.

    ``measured_on`` is the day of probes that were kept from an earlier run. Raises EngineError where the model's
    traffic is unknown.
    """
    if isinstance(model.traffic, Unknown):
        raise EngineError(tr("The ceilings of this model are unknown: {reason}.", reason=tr(model.traffic.reason)))
    found = roofline.ceilings(
        model.traffic.value, probed.reads, probed.arithmetic, batch=batch, depth=depth, prompt=prompt,
        mix=type_mix(model),
    )  # fmt: skip
    device = weights_device(engine).split("+")[0] if engine is not None else "CPU"
    found = replace(
        found,
        kernels=probed.kernels,
        measured_on=measured_on,
        memory_bound_from_depth=_turning_depth(model.traffic.value, found),
        theoretical_bytes_per_s=_theoretical(machine, device),
    )
    if measured_on:
        found = _noted(found, tr("measured on {date}", date=day(measured_on)))
    if probed.disturbed:  # probes beside other load may be far too low
        found = replace(_noted(found, tr("too low perhaps: {why}", why=probed.disturbed)), disturbed=probed.disturbed)
    return found


def _turning_depth(traffic: Traffic, found: Ceilings) -> Fact[int]:
    balance = found.balance_flop_per_byte
    return balance if isinstance(balance, Unknown) else memory_bound_from_depth(traffic, balance.value)


def passes(test: TestResult, ceilings: Ceilings) -> bool:
    """Whether a test ran faster than the ceiling it is measured against."""
    bound = bound_of(test, ceilings)
    return bound is not None and test.tokens_per_s > bound


def bound_of(test: TestResult, ceilings: Ceilings) -> float | None:
    """The ceiling of a test; None where there is none for its depth, prompt and streams."""
    if test.n_depth != ceilings.depth or test.n_streams != ceilings.batch:
        return None
    if test.phase is Phase.PREFILL:
        return ceilings.prefill_tokens_per_s.or_none() if test.n_prompt == ceilings.prompt else None
    return ceilings.decode_tokens_per_s.or_none()


def _theoretical(machine: Machine, device: str) -> Fact[float]:
    """What the memory that holds the weights is rated for."""
    if device == "CPU":
        return machine.memory.bytes_per_s
    known = [gpu.memory_bytes_per_s for gpu in machine.gpus if isinstance(gpu.memory_bytes_per_s, Known)]
    if len(machine.gpus) == 1 and known:
        return known[0]
    return Unknown(
        tr("which of the machine's GPUs the engine calls {device} is not told", device=device), Missing.NOT_SUPPORTED
    )


def _noted(found: Ceilings, note: str) -> Ceilings:
    """The ceilings with a note in the sources of what they rest on, so that it goes wherever they go."""

    def add(fact: Fact[float]) -> Fact[float]:
        return replace(fact, source=f"{fact.source}; {note}") if isinstance(fact, Known) else fact

    return replace(
        found, read_bytes_per_s=add(found.read_bytes_per_s), compute_flop_per_s=add(found.compute_flop_per_s)
    )
