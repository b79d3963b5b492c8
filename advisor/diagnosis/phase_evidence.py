"""What a rule gets to see of one phase, gathered once; a frozen value, so that rules stay pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.model import Conditions, Phase, Stamp, TestResult
from advisor.ceilings.model import ArithmeticProbe, Ceilings
from advisor.ceilings.predict import type_mix
from advisor.ceilings.roofline import decode_ceiling, prefill_ceiling, type_rates
from advisor.core.evidence import Fact, Missing, Unknown
from advisor.core.numbers import count, flop_rate, size
from advisor.core.translation import tr, trn
from advisor.diagnosis.model import Limit, Workload
from advisor.diagnosis.selection import choose, thread_sweep
from advisor.diagnosis.waterfall import Waterfall, waterfall
from advisor.gguf.model import ModelFacts
from advisor.gguf.traffic import Traffic
from advisor.hardware.model import Machine

NOT_GPU = ("CPU", "AMX", "BLAS", "ACCEL")
"""Beginnings of ggml's device names that compute on the processor."""


MIX_FROM: Final = 0.8
"""Share of the work whose types must have been probed before their mix says something about the model."""


QUANTISED_FROM: Final = 0.5
"""At least half of the bytes must be in a format that has to be unpacked at all."""

SLOWER_FORMAT: Final = 0.8
"""The model's own types must multiply clearly slower than the best product for their format to be the reason."""


@dataclass(frozen=True, slots=True)
class PhaseEvidence:
    """One measured phase against its bound.

    Attributes:
        tokens_per_s: median measured speed, one stream.
        ceiling: bound in tokens/s at the row's own depth and size.
        of_ceiling: measured / ceiling, 0 to 1; None where the ceiling is unknown.
        at_least: the ceiling is only known to be at least the measured speed.
        bound_by: which roof the ceiling is; None where it is unknown.
        ideal_step_s: seconds of one step at the ceiling (a token for decode, the whole prompt for prefill).
        on_gpu: the weights lay on a graphics processor.
        sweep: the row's thread sweep, by threads; one entry where none was run.
        other_tokens_per_s: the other phase's speed.
        format_flop_per_s: arithmetic that matrix products in the model's own types reach, mixed as the model mixes
            them; None where less than ``MIX_FROM`` of the work was probed in its type.
        waterfall: the row's step taken apart; None where its kernels are not measured.
        quantised_share: share of the weights' bytes that must be unpacked before use, 0 to 1.
    """

    phase: Phase
    row: TestResult
    tokens_per_s: float
    ceiling: Fact[float]
    of_ceiling: float | None
    at_least: bool
    bound_by: Limit | None
    ideal_step_s: float | None
    on_gpu: bool
    sweep: tuple[TestResult, ...]
    other_tokens_per_s: float | None
    read_bytes_per_s: float | None
    compute_flop_per_s: float | None
    best_flop_per_s: float | None
    traffic: Traffic | None
    format_flop_per_s: float | None
    quantised_share: float
    waterfall: Waterfall | None
    model: ModelFacts
    machine: Machine

    @property
    def conditions(self) -> Conditions:
        """Stamp of the row's run."""
        return self.row.conditions

    @property
    def invalid(self) -> bool:
        """Whether the run must not be believed."""
        return self.conditions.stamp is Stamp.INVALID

    @property
    def quantised(self) -> bool:
        """Whether most of the weights must be unpacked before use."""
        return self.quantised_share >= QUANTISED_FROM

    @property
    def format_is_slower(self) -> bool:
        """Whether products in the model's own quantised types are clearly slower than the best product here."""
        own, best = self.format_flop_per_s, self.best_flop_per_s
        if self.on_gpu or own is None or best is None:
            return False
        return self.quantised and own <= SLOWER_FORMAT * best

    @property
    def off_the_card(self) -> bool:
        """Whether the engine said that a part of the layers lies on the processor or on another machine."""
        return self.on_gpu and any(name.upper().startswith((*NOT_GPU, "RPC")) for name in self.row.device.split("+"))

    @property
    def mixture(self) -> bool:
        """Whether tokens are routed to experts."""
        return self.traffic is not None and self.traffic.experts > 0

    @property
    def bytes_per_token(self) -> float | None:
        """Bytes that one decoded token reads at the row's depth."""
        return None if self.traffic is None else self.traffic.step_bytes(1, self.row.n_depth)

    @property
    def moved_bytes_per_s(self) -> float | None:
        """Bytes per second that decode moves at its measured speed."""
        each = self.bytes_per_token
        return None if each is None else each * self.tokens_per_s

    @property
    def computed_flop_per_s(self) -> float | None:
        """Useful FLOP per second at the measured speed."""
        if self.traffic is None:
            return None
        if self.phase is Phase.DECODE:
            return self.traffic.flop_per_decoded_token(self.row.n_depth) * self.tokens_per_s
        prompt = self.row.n_prompt
        return self.traffic.prefill_flop(prompt, self.row.n_depth) / prompt * self.tokens_per_s

    def bytes_words(self) -> str:
        """What one token reads: "4.62 GB per token", for a mixture "1.10 GB per token (8 of 256 experts)"."""
        each = self.bytes_per_token
        if each is None or self.traffic is None:
            return tr("an unknown number of bytes per token")
        if not self.mixture:
            return tr("{size} per token", size=size(each))
        return trn(
            "{size} per token ({used} of {all}\u00a0expert)",
            "{size} per token ({used} of {all}\u00a0experts)",
            self.traffic.experts,
            size=size(each), used=count(self.traffic.experts_used), all=count(self.traffic.experts),
        )  # fmt: skip

    def compute_words(self) -> str:
        """The arithmetic ceiling: "0.74 TFLOP/s"."""
        return tr("unknown arithmetic") if self.compute_flop_per_s is None else flop_rate(self.compute_flop_per_s)


def on_gpu(device: str) -> bool:
    """Whether ggml's device name ("CPU", "CUDA0", "Vulkan0") is a graphics processor."""
    return bool(device) and not device.upper().startswith(NOT_GPU)


def quantised_share(model: ModelFacts) -> float:
    """Share of the weights' bytes in types that must be unpacked before use (anything but floats), 0 to 1."""
    total = sum(model.types.values())
    if total <= 0:
        return 0.0
    floats = sum(held for name, held in model.types.items() if name.upper() in {"F32", "F16", "BF16", "F64"})
    return 1.0 - floats / total


def format_speed(model: ModelFacts, probes: Sequence[ArithmeticProbe]) -> float | None:
    """FLOP/s of the model's matrix products in its own types: work over the sum of each type's time at its best."""
    rates = type_rates(probes)
    mix = type_mix(model)
    probed = {name: work for name, work in mix.items() if name in rates}
    if not probed or sum(probed.values()) < MIX_FROM * sum(mix.values()):
        return None
    return sum(probed.values()) / sum(work / rates[name] for name, work in probed.items())


def gather(
    phase: Phase, workload: Workload, tests: Sequence[TestResult], ceilings: Ceilings | None, model: ModelFacts,
    machine: Machine,
) -> PhaseEvidence | None:
    """The evidence of one phase; None where it was not measured."""
    rows = choose(tests, workload)
    row, other = (rows.prefill, rows.decode) if phase is Phase.PREFILL else (rows.decode, rows.prefill)
    if row is None:
        return None
    traffic = model.traffic.or_none()
    read: Fact[float] = Unknown(tr("the ceilings are not measured"), Missing.NOT_YET)
    compute = read
    if ceilings is not None:
        read, compute = ceilings.read_bytes_per_s, ceilings.compute_flop_per_s
    ceiling = _ceiling(phase, row, ceilings, traffic, read, compute)
    speed = row.tokens_per_s
    bound = ceiling.or_none()
    tokens = row.n_prompt if phase is Phase.PREFILL else 1
    at_least = ceilings is not None and (
        ceilings.prefill_at_least if phase is Phase.PREFILL else ceilings.decode_at_least
    )
    return PhaseEvidence(
        phase=phase,
        row=row,
        tokens_per_s=speed,
        ceiling=ceiling,
        of_ceiling=None if bound is None else min(1.0, speed / bound),
        at_least=at_least or (bound is not None and speed > bound),
        bound_by=_bound_by(phase, row, traffic, read, compute) if bound is not None else None,
        ideal_step_s=None if bound is None else tokens / bound,
        on_gpu=on_gpu(row.device),
        sweep=thread_sweep(tests, row),
        other_tokens_per_s=None if other is None else other.tokens_per_s,
        read_bytes_per_s=read.or_none(),
        compute_flop_per_s=compute.or_none(),
        best_flop_per_s=_best(ceilings, compute),
        traffic=traffic,
        format_flop_per_s=None if ceilings is None else format_speed(model, ceilings.arithmetic_probes),
        quantised_share=quantised_share(model),
        waterfall=waterfall(row, model, ceilings).or_none(),
        model=model,
        machine=machine,
    )


def _ceiling(
    phase: Phase, row: TestResult, ceilings: Ceilings | None, traffic: Traffic | None, read: Fact[float],
    compute: Fact[float],
) -> Fact[float]:
    """The bound at the row's own depth and size: the one that the gauges show where they agree."""
    if ceilings is None:
        return read
    if phase is Phase.DECODE:
        if traffic is None or (ceilings.batch == 1 and ceilings.depth == row.n_depth):
            return ceilings.decode_tokens_per_s
        return decode_ceiling(traffic, read, compute, 1, row.n_depth)
    if traffic is None or (ceilings.prompt == row.n_prompt and ceilings.depth == row.n_depth):
        return ceilings.prefill_tokens_per_s
    return prefill_ceiling(traffic, read, compute, row.n_prompt, row.n_depth, best=ceilings.best_flop_per_s)


def _best(ceilings: Ceilings | None, compute: Fact[float]) -> float | None:
    """The fastest product of any type; reports from before it was kept have one figure for all."""
    best = None if ceilings is None else ceilings.best_flop_per_s.or_none()
    return compute.or_none() if best is None else best


def _bound_by(
    phase: Phase, row: TestResult, traffic: Traffic | None, read: Fact[float], compute: Fact[float]
) -> Limit:
    """Which roof is the lower one; the usual one where only one is known."""
    usual = Limit.COMPUTE if phase is Phase.PREFILL else Limit.MEMORY
    if traffic is None or isinstance(read, Unknown) or isinstance(compute, Unknown):
        return usual
    if phase is Phase.DECODE:
        step_s = traffic.step_bytes(1, row.n_depth) / read.value
        work_s = traffic.flop_per_decoded_token(row.n_depth) / compute.value
    else:
        step_s = traffic.weight_bytes() / read.value
        work_s = traffic.prefill_flop(row.n_prompt, row.n_depth) / compute.value
    return Limit.COMPUTE if work_s > step_s else Limit.MEMORY
