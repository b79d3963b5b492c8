"""Where the speed goes: the seconds of one measured step, from what the hardware could do to what was measured.

Each part is a measurement of its own (kernels, attention, small operations, read bandwidth); what is left of the step
after all of them is called unexplained. The parts sum to the measured step.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from advisor.benchmarks.model import Phase, Stamp, Sweep, TestResult, TestSpec
from advisor.benchmarks.phrases import joined
from advisor.ceilings.model import Ceilings
from advisor.ceilings.predict import StepTime, decode_step, prefill
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import marked, tr, trn
from advisor.diagnosis.selection import at_depth
from advisor.gguf.model import ModelFacts
from advisor.gguf.traffic import Traffic

LARGE_SHARE: Final = 0.25
"""A part below a quarter of the step is not what limits it: without it the step would be a third faster at most."""

EXPLAINED_FROM: Final = 0.75
"""Share of the step that the parts must explain before they are used for a verdict. The issue's aim is 90 % on a quiet
machine; three quarters still name the right part when it is a large one."""


class Part(StrEnum):
    """What a step's seconds are spent on; in the user's language where it is shown."""

    RATED = marked("reading the weights at the memory's rated speed")
    READING = marked("reading the weights at the speed that programs reach")
    ARITHMETIC = marked("multiplying at the best rate of this machine")
    UNPACKING = marked("the weights' format (unpacking)")
    ATTENTION = marked("cache and attention")
    OVERHEAD = marked("small operations and their fixed costs")
    UNEXPLAINED = marked("unexplained")


@dataclass(frozen=True, slots=True)
class Slice:
    """One part and its seconds; ``UNEXPLAINED`` can be negative, the others are at least 0."""

    part: Part
    seconds: float


@dataclass(frozen=True, slots=True)
class Waterfall:
    """One phase's step taken apart.

    Attributes:
        test: llama-bench's name of the measured test.
        step_s: measured median: one token of every stream, or a whole prompt.
        slices: in the order of the ideal first, summing to ``step_s``.
    """

    phase: Phase
    test: str
    step_s: float
    slices: tuple[Slice, ...]

    def share(self, *parts: Part) -> float:
        """Share of the step that these parts take together."""
        return sum(piece.seconds for piece in self.slices if piece.part in parts) / self.step_s

    @property
    def explained(self) -> float:
        """1 for a step whose parts add up exactly; less for too little and for too much alike."""
        return 1.0 - abs(self.share(Part.UNEXPLAINED))

    @property
    def largest(self) -> Part:
        """The part beyond the ideal that takes most."""
        beyond = [piece for piece in self.slices if piece.part in _BEYOND]
        return max(beyond, key=lambda piece: piece.seconds).part


_BEYOND: Final = (Part.UNPACKING, Part.ATTENTION, Part.OVERHEAD)


def waterfall(row: TestResult, model: ModelFacts, ceilings: Ceilings | None) -> Fact[Waterfall]:
    """The measured row taken apart; Unknown with the reason where something it needs was not measured."""
    if ceilings is None or not ceilings.kernels:
        return Unknown(tr("the engine's kernels are not measured"), Missing.NOT_YET)
    if ceilings.disturbed:
        why = tr("the kernels were measured beside other load ({load})", load=ceilings.disturbed)
        return Unknown(why, Missing.FAILED)
    if isinstance(model.traffic, Unknown):
        return model.traffic
    differs = unlike(row, ceilings)
    if differs:
        return Unknown(differs, Missing.NOT_APPLICABLE)
    decode = row.phase is Phase.DECODE
    if decode:
        # the depth grows while the test writes, so its median step stands halfway
        step = decode_step(model, ceilings.kernels, row.n_streams, row.n_depth + row.n_gen // 2)
        step_s = row.n_streams / row.tokens_per_s
    else:
        step = prefill(model, ceilings.kernels, row.n_prompt, row.n_depth, row.n_ubatch)
        step_s = row.n_prompt / row.tokens_per_s
    if isinstance(step, Unknown):
        return step
    ideal = _decode_ideal if decode else _prefill_ideal
    slices = [
        *ideal(row, model.traffic.value, ceilings, step.value),
        Slice(Part.ATTENTION, step.value.attention_s),
        Slice(Part.OVERHEAD, step.value.operations_s),
    ]
    slices.append(Slice(Part.UNEXPLAINED, step_s - sum(piece.seconds for piece in slices)))
    return Known(Waterfall(row.phase, row.test, step_s, tuple(slices)), Basis.COMPUTED, step.source)


def waterfalls(
    tests: tuple[TestResult, ...], model: ModelFacts, ceilings: Ceilings | None, depth: int = 0
) -> tuple[Waterfall, ...]:
    """One for each believable row of the two phases that can be taken apart, in order; other curves are left out.

    For decode the row of the depth curve stands that is nearest to ``depth``, at which the work writes.
    """
    believed = [row for row in tests if row.sweep is Sweep.PHASES and row.conditions.stamp is not Stamp.INVALID]
    rows = dict.fromkeys(at_depth(tests, row, depth) if row.phase is Phase.DECODE else row for row in believed)
    found = [waterfall(row, model, ceilings) for row in rows]
    return tuple(fact.value for fact in found if isinstance(fact, Known))


def unlike(row: TestResult, ceilings: Ceilings) -> str:
    """Why the kernel table does not belong to this row, as a clause; empty when it does."""
    return unlike_run(row, row.device, row.safe_mode, ceilings)


def unlike_run(spec: TestSpec, device: str, safe_mode: bool, ceilings: Ceilings) -> str:
    """The same for a test that is still to be run on a device."""
    table = ceilings.kernels
    devices = {kernel.device for kernel in table.products}
    if device not in devices:
        measured = joined(sorted(devices))
        return tr("the kernels were measured on {measured}, the test on {device}", measured=measured, device=device)
    threads = {kernel.threads for kernel in table.products if kernel.device.startswith("CPU")}
    if threads and spec.n_threads not in threads:
        return trn(
            "the kernels were measured with {n} thread, the test with {other}",
            "the kernels were measured with {n} threads, the test with {other}",
            max(threads), n=max(threads), other=spec.n_threads,
        )  # fmt: skip
    if safe_mode and any(kernel.layout for kernel in table.products):
        return tr("the kernels were measured in the engine's default mode, the test in safe mode")
    if spec.kv_type != "f16":
        return tr("attention was not measured with a cache of {type}", type=spec.kv_type)
    return ""


def _decode_ideal(row: TestResult, traffic: Traffic, ceilings: Ceilings, step: StepTime) -> list[Slice]:
    """Reading the weights, at the rated and at the reachable speed, and what multiplying them takes beyond it."""
    weights = traffic.weight_bytes(row.n_streams)
    read, rated = ceilings.read_bytes_per_s.or_none(), ceilings.theoretical_bytes_per_s.or_none()
    reading_s = min(weights / read, step.matrices_s) if read else 0.0
    rated_s = min(weights / rated, reading_s) if rated else 0.0
    slices = [Slice(Part.RATED, rated_s)] if rated else []
    return [
        *slices, Slice(Part.READING, reading_s - rated_s), Slice(Part.UNPACKING, step.matrices_s - reading_s),
    ]  # fmt: skip


def _prefill_ideal(row: TestResult, traffic: Traffic, ceilings: Ceilings, step: StepTime) -> list[Slice]:
    """The matrices at the best rate of any product, and what their own formats take beyond it."""
    best = ceilings.best_flop_per_s.or_none() or ceilings.compute_flop_per_s.or_none()
    ideal_s = min(traffic.prefill_matrix_flop(row.n_prompt) / best, step.matrices_s) if best else 0.0
    return [Slice(Part.ARITHMETIC, ideal_s), Slice(Part.UNPACKING, step.matrices_s - ideal_s)]
