"""Find the fault first: something that no roof explains keeps a phase slow, and it usually costs nothing to mend."""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.phrases import phase_word
from advisor.core.evidence import Basis
from advisor.core.numbers import percent
from advisor.core.translation import tr
from advisor.diagnosis.model import Limit
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.partly import split
from advisor.recommendations.saving import from_factors

ID: Final = "find-fault"

NORMAL_LOW: Final = 0.40
NORMAL_MIDDLE: Final = 0.60
NORMAL_HIGH: Final = 0.85
"""Shares of its ceiling at which a phase runs when nothing is wrong (cases C09, C32)."""

FALLBACK: Final = 1.5
"""Middle gain promised where no ceiling tells how far the phase may rise; the range starts at no gain."""


def predict(evidence: Evidence) -> Advice | None:
    """What a normal share of the ceiling would save; only while something is wrong."""
    if not evidence.faulty:
        return None
    phase = Phase.DECODE if evidence.limit(Phase.DECODE) is Limit.FAULT else Phase.PREFILL
    finding = evidence.finding(phase)
    share = finding.of_ceiling
    spilled = evidence.runs_on_gpu and not evidence.fits_on_cards()  # no setting brings it near the card's ceiling
    if share is None or share <= 0 or spilled:
        low, middle, high = 1.0, FALLBACK, 2 * FALLBACK
    else:
        low, middle, high = (max(1.0, normal / share) for normal in (NORMAL_LOW, NORMAL_MIDDLE, NORMAL_HIGH))
        middle = max(middle, 1.05)
    saving = from_factors(evidence.cost_s(phase), low, middle, high)
    free = tr("Nothing here needs to be bought.")
    at = "" if share is None else tr(" It runs at {share} of its ceiling now.", share=percent(share))
    return Advice(
        id=ID,
        phase=phase,
        title=tr("Find out what slows {phase} down, before anything else", phase=phase_word(phase)),
        detail=f"{free}{at}",
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=_how(evidence),
        cost=tr("some minutes"),
        undo=tr("nothing to undo"),
        evidence=finding.because,
    )


def _how(evidence: Evidence) -> tuple[HowTo, ...]:
    here = tr("this app")
    again = HowTo(here, tr("Close other programs, plug in, and measure again."), "two-machines diagnose MODEL")
    if evidence.runs_on_gpu:
        return (
            HowTo(tr("the computer"), tr("Update the graphics driver and the engine; switch on Resizable BAR in the "
                                         "firmware setup.")),
            HowTo("llama.cpp", tr("Compare another back end (Vulkan, CUDA, ROCm) with the same model."),
                  "llama-bench -m MODEL -p 512 -n 128 -ngl 99"),
            _placing(evidence),
            again,
        )
    if evidence.fits_in_memory() is False:
        smaller = tr("Take a smaller file of the model, or a smaller model: this one does not fit the memory.")
        return (HowTo(tr("the model"), smaller), again)
    row = evidence.decode_row or evidence.prefill_row
    threads = 1 if row is None else max(1, row.n_threads // 2)
    return (
        again,
        HowTo(here, tr("Try fewer threads; more of them than free cores stand in each other's way."),
              f"two-machines bench MODEL -t {threads}"),
    )


def _placing(evidence: Evidence) -> HowTo:
    """All layers on the card; what fits of a model that it does not hold, which is faster than a driver that swaps."""
    if evidence.fits_on_cards():
        return HowTo("llama-server", tr("Make sure that all layers are on the GPU and that its memory is not full."),
                     "llama-server -ngl all")
    memory = evidence.cards[0].memory_total_bytes.or_none() if len(evidence.cards) == 1 else None
    part = None if memory is None else split(evidence, memory)
    options = "-ngl auto" if part is None else part.options
    words = tr("Put only as much on the GPU as its memory holds; the processor works on the rest.")
    return HowTo("llama-server", words, f"llama-server {options}")
