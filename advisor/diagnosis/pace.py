"""How many seconds a phase takes for some tokens at some depth, and how sure that is; pure functions over rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.curves import DepthFit, fit_depth, middle_depth
from advisor.benchmarks.model import Phase, TestResult
from advisor.diagnosis.parts import Seconds
from advisor.gguf.traffic import Traffic

RUNS_DIFFER: Final = 0.10
"""By how much a single repetition may be off: processes of one program differed by 10 % and more on a shared machine
(docs/accuracy.md, parity)."""


@dataclass(frozen=True, slots=True)
class Pace:
    """One phase's speed over depth.

    Attributes:
        line: seconds per token over depth.
        faster, slower: what the seconds may be in truth, as factors of the line's: at most 1, at least 1.
        row: the measured row nearest to the workload.
        traffic: of the model; None where it is not known.
    """

    line: DepthFit
    faster: float
    slower: float
    row: TestResult
    traffic: Traffic | None

    def takes(self, tokens: int, depth: int) -> Seconds:
        """Seconds of ``tokens`` one after the other from a depth on.

        Where only one depth was measured the same speed is assumed at all, and the work that depth adds (cache to be
        read, attention to be computed) counts into the high end.
        """
        middle_s = tokens * self.line.s_per_token(depth + tokens / 2)
        extra = 1.0 if len(self.line.depths) > 1 else 1.0 + self.extra_work(tokens, depth)
        return Seconds(middle_s, middle_s * self.faster, middle_s * self.slower * extra)

    def extra_work(self, tokens: int, depth: int) -> float:
        """Share by which a token there needs more than one of the measured row; 0 where that is not known."""
        if self.traffic is None or tokens < 1:
            return 0.0
        row = self.row
        if row.phase is Phase.DECODE:
            here = self.traffic.step_bytes(1, row.n_depth)
            there = self.traffic.step_bytes(1, depth + tokens // 2)
        else:
            here = self.traffic.prefill_flop(row.n_prompt, row.n_depth) / row.n_prompt
            there = self.traffic.prefill_flop(tokens, depth) / tokens
        return max(0.0, there / here - 1) if here > 0 else 0.0


def pace_of(rows: Sequence[TestResult], nearest: TestResult, traffic: Traffic | None) -> Pace:
    """The fit through one row per depth; the nearest row's own speed at every depth where that gives none.

    Rows of another size than the nearest one are left out unless they are the only ones at their depth.
    """
    by_depth: dict[int, TestResult] = {nearest.n_depth: nearest}
    for row in rows:
        held = by_depth.get(row.n_depth)
        if held is None or (row.n_depth != nearest.n_depth and _rank(row, nearest) < _rank(held, nearest)):
            by_depth[row.n_depth] = row
    used = list(by_depth.values())
    line = fit_depth(used)
    if line is None or line.per_depth_s == 0:
        line = DepthFit(nearest.phase, 1 / nearest.tokens_per_s, 0.0, tuple(sorted(by_depth)))
        used = [nearest]
    around = [_around(row) for row in used]
    missed = max(abs(line.s_per_token(middle_depth(row)) * row.tokens_per_s - 1) for row in used) if used[1:] else 0.0
    faster, slower = min(low for low, _ in around), max(high for _, high in around)
    return Pace(line, faster / (1 + missed), slower * (1 + missed), nearest, traffic)


def _around(row: TestResult) -> tuple[float, float]:
    """What the row's seconds may be in truth, as factors of its median's.

    The interval of the median from three repetitions on, both values of two, and a usual deviation for a single one.
    """
    if len(row.samples_s) < 2:
        return 1 / (1 + RUNS_DIFFER), 1 / (1 - RUNS_DIFFER)
    slowest, fastest = row.interval_tokens_per_s or (min(row.samples_tokens_per_s), max(row.samples_tokens_per_s))
    return min(1.0, row.tokens_per_s / fastest), max(1.0, row.tokens_per_s / slowest)


def _rank(row: TestResult, nearest: TestResult) -> tuple[int, float]:
    return abs(row.tokens - nearest.tokens), -row.tokens_per_s
