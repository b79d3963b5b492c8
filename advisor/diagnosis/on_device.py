"""Reported speeds beside what a device's rated figures allow and what such devices usually reach.

The model is known by its size and its number of parameters alone: every weight is taken as read once for a written
token and used once for a read one, attention is left out. That is right to a few per cent for short prompts of dense
models; of a mixture of experts only the active share counts (``named_mixtures.py``), and nothing is said where that is
not known.
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedRun, ReportedTest
from advisor.ceilings.device_class import ceiling_flop_per_s
from advisor.ceilings.other_hardware import SIXTEEN_BITS_FROM, SpeedRange, decode_on, prefill_on, weight_bits
from advisor.core.dates import day
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.diagnosis.named_mixtures import active_share, is_mixture, shape_of, traffic_of, unseen_layers
from advisor.gguf.traffic import Traffic
from advisor.hardware.catalog import Accelerator

ABOVE: Final = 1.1
"""A speed so far above the rated ceiling was not reached by this device with this model; up to it the ceiling's own
simplification, the head and the cache, may be the reason."""


MARGIN: Final = 1.1
"""Just beyond a range nothing is wrong: one healthy device in ten lies beyond each end of what holds 80 of 100."""
LAYERS_PER_CUBE_ROOT: Final = 18
"""Of the parameters in billions, where a source does not tell the layers; each takes a time of its own in decode."""


class Place(StrEnum):
    """Where a speed lies beside what such devices reach."""

    SLOWER = "slower"
    USUAL = "usual"
    FASTER = "faster"
    UNKNOWN = "unknown"
    IMPOSSIBLE = "impossible"
    """Far above what the device's rated figures allow."""


@dataclass(frozen=True, slots=True)
class PhaseOn:
    """One phase on the device.

    Attributes:
        ceiling_tokens_per_s: from its rated bandwidth (decode) or arithmetic (prefill).
        expected: what published measurements of such devices reach with such a model.
        per_token: bytes read for a written token, or operations for a read one.
        rated: the bandwidth or arithmetic that bounds it, per second.
        numbers: what the arithmetic counts with, "8-bit" for weights of few bits.
        experts, experts_used: of a mixture whose shape is known; else 0.
    """

    test: ReportedTest
    ceiling_tokens_per_s: Fact[float]
    expected: Fact[SpeedRange]
    per_token: Fact[float]
    rated: Fact[float]
    numbers: str = ""
    experts: int = 0
    experts_used: int = 0

    @property
    def of_ceiling(self) -> float | None:
        """Share of the ceiling; None where that is unknown."""
        ceiling = self.ceiling_tokens_per_s.or_none()
        return self.test.tokens_per_s / ceiling if ceiling else None

    @property
    def place(self) -> Place:
        """Beside what is usual."""
        share, usual = self.of_ceiling, self.expected.or_none()
        if share is not None and share > ABOVE:
            return Place.IMPOSSIBLE
        if usual is None:
            return Place.UNKNOWN
        if self.test.tokens_per_s < usual.low / MARGIN:
            return Place.SLOWER
        return Place.FASTER if self.test.tokens_per_s > usual.high * MARGIN else Place.USUAL


def on_device(run: ReportedRun, test: ReportedTest, device: Accelerator) -> PhaseOn:
    """A test of one stream of the run on the device."""
    traffic = _traffic(run)
    unheard = _unheard_mixture(run)
    if test.phase is Phase.DECODE:
        lacking = tr("the table has no bandwidth for {device}", device=device.name)
        rated = _rated(device.bandwidth_bytes_per_s, lacking, device)
        if unheard is not None and active_share(run.model) is None:
            return PhaseOn(test, unheard, unheard, unheard, rated)
        if traffic.dense_bytes <= 0:
            why = Unknown(tr("the size of the model is not said"), Missing.NOT_SUPPORTED)
            return PhaseOn(test, why, why, why, rated)
        bytes_per_token = float(traffic.step_bytes(1, 0))
        per_token = Known(bytes_per_token, Basis.COMPUTED, tr("the model's size"))
        return PhaseOn(
            test, _divided(rated, bytes_per_token), unheard or decode_on(device, traffic), per_token, rated,
            experts=traffic.experts, experts_used=traffic.experts_used,
        )  # fmt: skip
    bits = weight_bits(traffic) if traffic.dense_bytes > 0 else 4.5
    lacking = tr("the table has no arithmetic for {device}", device=device.name)
    rated = _rated(ceiling_flop_per_s(device, bits), lacking, device)
    numbers = "8-bit" if bits < SIXTEEN_BITS_FROM else "16-bit"
    if unheard is not None and active_share(run.model) is None:
        return PhaseOn(test, unheard, unheard, unheard, rated)
    if traffic.block_elements <= 0:
        why = Unknown(tr("the number of parameters is not said"), Missing.NOT_SUPPORTED)
        return PhaseOn(test, why, why, why, rated)
    flop = 2.0 * traffic.block_elements
    expected = prefill_on(device, traffic, prompt=test.tokens or 512) if traffic.dense_bytes > 0 else Unknown(
        tr("the size of the model is not said"), Missing.NOT_SUPPORTED
    )  # fmt: skip
    per_token = Known(flop, Basis.COMPUTED, tr("two operations for each parameter"))
    return PhaseOn(test, _divided(rated, flop), unheard or expected, per_token, rated, numbers)


def fits(run: ReportedRun, device: Accelerator) -> bool | None:
    """Whether the weights fit the device's memory; None where either size is unknown."""
    if run.model_bytes is None or device.memory_bytes is None:
        return None
    return run.model_bytes < device.memory_bytes


def _traffic(run: ReportedRun) -> Traffic:
    """The model as far as a source tells of it; 0 for what it does not."""
    shape = shape_of(run.model, run.parameters)
    if shape is not None and run.model_bytes:
        return traffic_of(shape, run.model_bytes, run.parameters or round(shape.total * 1e9))
    active = active_share(run.model) or 1.0
    return Traffic(
        dense_bytes=round((run.model_bytes or 0) * active), head_bytes=0, expert_bytes=0, experts=0, experts_used=0,
        row_bytes=0, block_elements=round((run.parameters or 0) * active), head_elements=0, last_ffn_elements=0,
        attention=(), recurrent=unseen_layers(usual_layers(run.parameters or 0)),
    )  # fmt: skip


def usual_layers(parameters: int) -> int:
    """Layers of a dense model of that size: 1B have 16 to 26, 8B 32 to 36, 14B 40 to 48, 32B 64, 70B 80, 405B 126."""
    return round(LAYERS_PER_CUBE_ROOT * math.cbrt(parameters / 1e9))


def _unheard_mixture(run: ReportedRun) -> Unknown | None:
    """Why a mixture of unknown shape is held against nothing: choosing among its experts takes time of its own."""
    if not is_mixture(run.model) or shape_of(run.model, run.parameters) is not None:
        return None
    return Unknown(tr("how this mixture of experts is made up is not known"), Missing.NOT_SUPPORTED)


def _rated(value: float | None, lacking: str, device: Accelerator) -> Fact[float]:
    if value is None:
        return Unknown(lacking, Missing.NOT_APPLICABLE)
    return Known(value, Basis.TABLE, f"{device.name}, {device.source}, {day(device.looked_up)}")


def _divided(rated: Fact[float], per_token: float) -> Fact[float]:
    if isinstance(rated, Unknown):
        return rated
    return Known(rated.value / per_token, Basis.COMPUTED, rated.source)
