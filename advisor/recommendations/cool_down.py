"""Keep it cool: a speed that falls while the test runs, or a processor that was throttled (case V6)."""

from typing import Final

from advisor.benchmarks.conditions import fall, was_throttled
from advisor.benchmarks.model import Phase, TestResult
from advisor.benchmarks.phrases import joined, phase_word
from advisor.core.evidence import Basis, Known
from advisor.core.numbers import capital, speed
from advisor.core.stats import median
from advisor.core.translation import tr, trc
from advisor.diagnosis.phase_evidence import on_gpu
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import Saving, from_factors

ID: Final = "cool-down"

REGAINED: Final = 0.5
"""Share of the lost speed that better cooling gives back, as a middle guess between none and all."""

THROTTLED_HIGH: Final = 1.4
"""A run that heats up ends at most 1.4 times slower than it began where that was seen (V6: 204.8 to 149.2 tokens/s)."""


def predict(evidence: Evidence) -> Advice | None:
    """The way back from the sustained to the cold speed; nothing where speeds hold and nothing was throttled.

    A virtual machine cannot tell heat from a busy host, so there only throttling counts.
    """
    guest = isinstance(evidence.machine.cpu.virtual_machine, Known)
    found = []
    for phase, row in ((Phase.PREFILL, evidence.prefill_row), (Phase.DECODE, evidence.decode_row)):
        factor = None if row is None else lost_factor(row)
        if row is not None and factor is not None and not (guest and not was_throttled(row.conditions)):
            gain = from_factors(evidence.cost_s(phase), 1.0, 1 + REGAINED * (factor - 1), factor)
            found.append((gain, row))
    if not found:
        return None
    found.sort(key=lambda held: -held[0].middle_s)
    saving, row = found[0]
    return Advice(
        id=ID,
        phase=row.phase,
        title=tr("Keep the computer cool"),
        detail=f"{capital('; '.join(_words(held) for _, held in found))}.",
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=(
            HowTo(tr("the computer"), tr("Let air reach it: raise the back, clean the fans, take it off soft ground.")),
            HowTo(tr("this app"), tr("Let it cool down, then measure for longer: the later speed is the one you get."),
                  "two-machines bench MODEL -r 20"),
        ),
        cost=trc("cost", "none"),
        undo=tr("nothing to undo"),
        evidence=_seen([held for _, held in found]),
        other_saved_s=_sum([gain for gain, _ in found[1:]]),
    )


def lost_factor(row: TestResult) -> float | None:
    """Cold over sustained speed of a row, above 1; None where it held."""
    lost = fall(row.samples_tokens_per_s)
    if lost is not None and 0 < lost < 1:
        return 1 / (1 - lost)
    return THROTTLED_HIGH if was_throttled(row.conditions) else None


def ends(row: TestResult) -> tuple[float, float]:
    """First speed and the later one, tokens/s: as the stamp has it, else the middle of both halves."""
    known = row.cold_and_sustained
    if known is not None:
        return known
    speeds = row.samples_tokens_per_s
    half = max(1, len(speeds) // 2)
    return median(speeds[:half]), median(speeds[-half:])


def _words(row: TestResult) -> str:
    if fall(row.samples_tokens_per_s) is None:
        if on_gpu(row.device):
            return tr("the graphics card was throttled while {test} ran", test=row.test)
        return tr("the processor was throttled while {test} ran", test=row.test)
    cold, sustained = ends(row)
    return tr(
        "{phase} fell from {cold} cold to {sustained} sustained, as it does with heat",
        phase=phase_word(row.phase), cold=speed(cold), sustained=speed(sustained),
    )  # fmt: skip


def _seen(rows: list[TestResult]) -> str:
    reasons = dict.fromkeys(why for row in rows for why in row.conditions.because)
    if reasons:
        return f"{capital('; '.join(reasons))}."
    tests = joined([row.test for row in rows])
    return tr("The repetitions of {tests} got slower one after the other.", tests=tests)


def _sum(savings: list[Saving]) -> float:
    return sum(saving.middle_s for saving in savings)
