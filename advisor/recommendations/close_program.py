"""Close the other program: what it takes is missing, and threads that share a core stop all others."""

from typing import Final

from advisor.benchmarks.conditions import others_in
from advisor.benchmarks.model import Phase
from advisor.core.evidence import Basis
from advisor.core.numbers import percent
from advisor.core.translation import tr
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import Saving, from_factors

ID: Final = "close-program"

LOCKSTEP: Final = 2.0
"""A thread that lost its core is waited for by all others, so that the loss can be far above the share taken: on two
shared cores decode took 304 ms with two threads and 41.5 ms with one (physics.md 0.3). Twice the share is the high
end."""


def predict(evidence: Evidence) -> Advice | None:
    """For runs that the engine shared with another program."""
    found = [
        others for row in (evidence.prefill_row, evidence.decode_row)
        if row is not None and (others := others_in(row.conditions)) is not None
    ]  # fmt: skip
    if not found or evidence.runs_on_gpu:
        return None
    share, name = max(found)
    left = max(0.1, 1 - share)
    savings = {phase: from_factors(evidence.cost_s(phase), 1.0, 1 / left, LOCKSTEP / left) for phase in Phase}
    phase = max(savings, key=lambda held: savings[held].middle_s)
    saving = savings[phase]
    return Advice(
        id=ID,
        phase=phase,
        title=tr("Close {program}", program=name) if name else tr("Close the other programs"),
        detail=tr(
            "Other programs used {share} of the processor during the run. Measure again afterwards: all other figures "
            "change.",
            share=percent(share),
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=(
            HowTo(tr("the computer"), tr("Close it, or let it run at another time.")),
            HowTo(tr("this app"), tr("Measure again."), "two-machines diagnose MODEL"),
        ),
        cost=tr("none, if it can wait"),
        undo=tr("start it again"),
        evidence=_seen(percent(share), name),
        other_saved_s=_rest(savings, phase),
    )


def _seen(share: str, name: str) -> str:
    if name:
        return tr(
            "{share} of the processor went to others, most of all to {program}; the middle counts that share back, the "
            "high end also the waiting of threads for each other.",
            share=share, program=name,
        )  # fmt: skip
    return tr(
        "{share} of the processor went to others; the middle counts that share back, the high end also the waiting of "
        "threads for each other.",
        share=share,
    )  # fmt: skip


def _rest(savings: dict[Phase, Saving], phase: Phase) -> float:
    return sum(saving.middle_s for held, saving in savings.items() if held is not phase)
