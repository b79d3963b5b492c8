"""Close the other program: what it takes is missing, and threads that share a core stop all others."""

from typing import Final

from advisor.benchmarks.conditions import others_in
from advisor.benchmarks.model import Phase
from advisor.core.evidence import Basis
from advisor.core.numbers import percent
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
        title=f"Close {name}" if name else "Close the other programs",
        detail=(
            f"Other programs used {percent(share)} of the processor during the run. Measure again afterwards: all "
            "other figures change."
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.ESTIMATED,
        how=(
            HowTo("the computer", "Close it, or let it run at another time."),
            HowTo("this app", "Measure again.", "two-machines diagnose MODEL"),
        ),
        cost="none, if it can wait",
        undo="start it again",
        evidence=(
            f"{percent(share)} of the processor went to others{f', most of all to {name}' if name else ''}; the middle "
            "counts that share back, the high end also the waiting of threads for each other."
        ),
        other_saved_s=_rest(savings, phase),
    )


def _rest(savings: dict[Phase, Saving], phase: Phase) -> float:
    return sum(saving.middle_s for held, saving in savings.items() if held is not phase)
