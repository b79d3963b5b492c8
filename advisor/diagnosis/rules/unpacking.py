"""Limited by unpacking: the weights' format costs more than its bytes."""

from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.phrases import safe_mode_words
from advisor.core.numbers import bandwidth, flop_rate, percent
from advisor.core.translation import tr
from advisor.diagnosis.model import Finding, Limit
from advisor.diagnosis.phase_evidence import PhaseEvidence

UNPACKING_BELOW: Final = 0.60
"""From here on memory itself explains the speed."""

UNPACKING_FROM: Final = 0.05
"""Measured on quiet processors: 32 to 58 % of the read ceiling with the engine's fast layout, down to 10 % without it
and on one thread (physics.md 0.1, 0.4). Below half of that something else is going on."""

FORMAT_EXPLAINS: Final = 0.5
"""Share of the speed of bare products in the model's own types from which these explain a slow prefill; the rest goes
to normalising, attending and copying, as with any format."""


def apply(evidence: PhaseEvidence) -> Finding | None:
    """Unpacking, for quantised weights on a processor that stay well below the roof while their format explains it."""
    return _prefill(evidence) if evidence.phase is Phase.PREFILL else _decode(evidence)


def _prefill(evidence: PhaseEvidence) -> Finding | None:
    """Prefill near what bare products in the model's own types reach, which is far below the best product."""
    own, best, done = evidence.format_flop_per_s, evidence.best_flop_per_s, evidence.computed_flop_per_s
    if own is None or best is None or done is None or not evidence.format_is_slower or done < FORMAT_EXPLAINS * own:
        return None
    because = tr(
        "Matrix products in this file's own formats reach {own} here, the best product {best}; prefill does {done}: "
        "the weights' format is the limit.",
        own=flop_rate(own), best=flop_rate(best), done=flop_rate(done),
    )  # fmt: skip
    return Finding(evidence.phase, Limit.UNPACKING, evidence.of_ceiling, because)


def _decode(evidence: PhaseEvidence) -> Finding | None:
    """Decode well below the read ceiling.

    The competing explanation, too few or too many threads, is named; a thread sweep tells them apart.
    """
    share = evidence.of_ceiling
    if evidence.on_gpu or share is None:
        return None
    if evidence.bound_by is not Limit.MEMORY or not UNPACKING_FROM <= share < UNPACKING_BELOW:
        return None
    if not evidence.quantised:
        return None
    moved, read = evidence.moved_bytes_per_s, evidence.read_bytes_per_s
    if moved is not None and read is not None:
        because = tr(
            "Decode moves {moved} of {read}, {share} of what the memory delivers: the processor spends the rest "
            "unpacking the quantised weights.",
            moved=bandwidth(moved), read=bandwidth(read), share=percent(share),
        )  # fmt: skip
    else:
        because = tr(
            "Decode moves {share} of what the memory delivers: the processor spends the rest unpacking the quantised "
            "weights.",
            share=percent(share),
        )  # fmt: skip
    safe = safe_mode_words() if evidence.row.safe_mode else ""
    other = "" if len(evidence.sweep) > 1 else tr(" A poor thread count would look alike.")
    because = f"{because}{safe}{other}"
    return Finding(evidence.phase, Limit.UNPACKING, share, because)
