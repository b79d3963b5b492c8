"""From the pauses that a long prompt made to the step that keeps a stall budget, and what it costs (physics.md 5)."""

import math
from dataclasses import dataclass
from typing import Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.stats import median
from advisor.core.translation import tr
from advisor.servers.facts import ServerKind
from advisor.servers.flags import Aim, setting
from advisor.servers.model import StutterRun

LEAST_CHUNK: Final = 64
CHUNK_STEP: Final = 32
"""As for the engine on this machine (``recommendations/chunk_prefill.py``): whole tiles, and no piece so small that
every step reads the weights for next to nothing."""

DEPTH_LOW: Final = 1.0
DEPTH_HIGH: Final = 0.25
"""How the longest step's cost of attending to what was read before follows its size: with 1 as the size itself (each
token attends alike), with 0 not at all (docs/accuracy.md, "Servers")."""

COST_LOW: Final = 0.75
COST_HIGH: Final = 0.25
"""The same for all steps together."""

UNSURE: Final = 0.15
"""How far both may be off beside that, as a share: small products are slower, and loaded machines wander."""

LEAST_PAUSE: Final = 0.25
OWN_STEPS: Final = 2.0
"""A gap counts as a pause from so many of the streams' own steps on, and from this share of the median of those."""

SET_ALREADY: Final = 0.5
"""Share of the default step below which the step that the pauses show is no noise."""

JITTER_SHARE: Final = 0.5
"""Of the budget that the step itself may use however much the machine jitters, or that alone would drive it to the
smallest."""

MANY_PAUSES: Final = 6
"""From so many on, the worst of them is the machine's jitter as much as the deepest step."""


@dataclass(frozen=True, slots=True)
class ChunkOutlook:
    """What a smaller piece of prompt per step would do.

    Attributes:
        tokens: of a step.
        gap_low_s, gap_high_s: worst pause expected, the high end with the machine's jitter.
        cost_low_s, cost_high_s: that the long prompt's first token comes later.
        keeps: whether the budget is kept at the high end of the range.
        jitter_s: by which a token came late here for other reasons than a step's length.
        now_tokens: of a step at present.
        now_s: what the last steps of the prompt take at present.
    """

    tokens: int
    gap_low_s: float
    gap_high_s: float
    cost_low_s: float
    cost_high_s: float
    keeps: bool
    jitter_s: float
    now_tokens: int
    now_s: float


def chunk_outlook(
    run: StutterRun, kind: ServerKind, budget_s: float, present: int | None = None,
    alone_tokens_per_s: float | None = None, jitter_s: float = 0.0,
) -> Fact[ChunkOutlook]:  # fmt: skip
    """The largest piece whose step keeps the budget, running streams' own step included (eq. 22 and 24).

    Args:
        run: the measured pauses.
        kind: of the engine, for its default.
        budget_s: longest pause.
        present: tokens per step as the server says; its default otherwise, and what the pauses tell where that differs.
        alone_tokens_per_s: prefill speed without streams, where the long prompt's own is not known.
        jitter_s: by which tokens came late though no prompt was read; the budget must hold it too, up to its half.
    """
    first_s, tokens = run.long.first_token_s, run.prompt_tokens
    if not run.during_s or not run.before_s or first_s is None or not tokens:
        return Unknown(tr("the pauses were not measured"), Missing.NOT_YET)
    worst_s, own_s = run.during_s.worst, run.before_s.median
    usual = setting(kind, Aim.STALL)
    default = usual.usual if usual and usual.usual else None
    step = min(tokens, present or _likely_step(default, _seen_step(run, tokens)))
    if worst_s <= own_s:
        return Unknown(tr("the long prompt made no pause"), Missing.NOT_APPLICABLE)
    fastest = max(tokens / first_s, alone_tokens_per_s or 0.0)
    deepest_s = _deepest_s(run)
    jitter_s = max(jitter_s, worst_s - deepest_s)
    deep_s = max(0.0, deepest_s - own_s - step / fastest)  # what the deepest step pays for attention

    def gap_s(chunk: int, follows: float) -> float:
        """Never less than at the pace at which the whole prompt was read beside the streams."""
        own_pace_s = chunk / fastest + deep_s * math.pow(chunk / step, follows)
        return own_s + max(own_pace_s, chunk * first_s / tokens)

    def cost_s(chunk: int, follows: float) -> float:
        """Of all steps, which pay half of the deepest one's attention on average, against those of now."""
        each_s = own_s + deep_s / 2 * math.pow(chunk / step, follows)
        return max(0.0, -(-tokens // chunk) * each_s - -(-tokens // step) * (own_s + deep_s / 2))

    def high_s(chunk: int) -> float:
        return gap_s(chunk, DEPTH_HIGH) * (1 + UNSURE)

    for_step_s = max(budget_s - jitter_s, JITTER_SHARE * budget_s)
    sizes = [size for size in range(LEAST_CHUNK, step + 1, CHUNK_STEP) if high_s(size) <= for_step_s]
    chunk = min(step, max(sizes, default=LEAST_CHUNK))
    outlook = ChunkOutlook(
        chunk, gap_s(chunk, DEPTH_LOW) * (1 - UNSURE), high_s(chunk) + jitter_s,
        cost_s(chunk, COST_LOW) * (1 - UNSURE), cost_s(chunk, COST_HIGH) * (1 + UNSURE),
        high_s(chunk) + jitter_s <= budget_s, jitter_s, step, deepest_s,
    )  # fmt: skip
    return Known(outlook, Basis.COMPUTED, tr("the measured pauses"))


def _likely_step(default: int | None, seen: int) -> int:
    """The default, unless the pauses are far too short for it: then somebody has set it already (``-b 256``)."""
    return seen if default is None or seen < SET_ALREADY * default else default


def _pauses_s(run: StutterRun) -> list[float]:
    """The gaps of all streams that are pauses, stream by stream, in order."""
    longer = [gap for gap in run.during_s.values if gap > OWN_STEPS * run.before_s.median] or [run.during_s.worst]
    return [gap for gap in longer if gap > LEAST_PAUSE * median(longer)]


def _deepest_s(run: StutterRun) -> float:
    """The pause of the last steps: of many, the median of the second half; of few, the worst."""
    pauses, streams = _pauses_s(run), max(1, run.streams)
    one = pauses[: len(pauses) // streams]
    if len(one) < MANY_PAUSES or len(pauses) % streams:
        return run.during_s.worst
    return median(one[len(one) // 2 :])


def _seen_step(run: StutterRun, tokens: int) -> int:
    """Tokens per step by the number of pauses, each at least ``tokens / pauses``; a power of two where one fits."""
    pauses = max(1, round(len(_pauses_s(run)) / max(1, run.streams)))
    fewest = -(-tokens // pauses)
    power = 1 << (fewest - 1).bit_length()
    return power if pauses > 1 and power * (pauses - 1) < tokens else fewest
