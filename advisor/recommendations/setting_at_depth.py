"""A setting that was swept at the request's depth: the seconds that it changes in both phases."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from advisor.benchmarks.curves import Comparison, compare, middle_depth
from advisor.benchmarks.model import Phase, Sweep, TestResult, TestSpec
from advisor.benchmarks.phrases import phase_word
from advisor.core.numbers import percent
from advisor.core.translation import tr
from advisor.diagnosis.selection import beside
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.saving import Saving, measured_factors, within


@dataclass(frozen=True, slots=True)
class Effect:
    """What one setting does to one phase; negative seconds are lost."""

    comparison: Comparison
    saving: Saving

    @property
    def phase(self) -> Phase:
        """Which phase."""
        return self.comparison.base.phase

    def words(self) -> str:
        """Both measured speeds: "decode 8.10 tokens/s → 8.90 tokens/s (tg32 @ d4000)"."""
        base, other = self.comparison.base, self.comparison.other
        return tr(
            "{phase} {before} → {after} ({test})",
            phase=phase_word(base.phase), before=base.speed_words, after=other.speed_words, test=base.test,
        )  # fmt: skip

    def verdict(self) -> str:
        """Faster or slower by how much, or that the difference is no more than chance."""
        phase, ratio = phase_word(self.phase), self.comparison.ratio
        if not self.comparison.distinct:
            return tr("{phase} changes by no more than chance", phase=phase)
        if ratio >= 1:
            return tr("{phase} is {share} faster", phase=phase, share=percent(ratio - 1))
        return tr("{phase} is {share} slower", phase=phase, share=percent(1 - ratio))


def effects(evidence: Evidence, sweep: Sweep, chosen: Callable[[TestResult], bool]) -> tuple[Effect, ...]:
    """One per phase in which the setting was measured, the phase that gains most seconds first."""
    found = []
    for phase in Phase:
        point = next((row for row in evidence.points(sweep, phase) if chosen(row)), None)
        base = None if point is None else beside(evidence.tests, point)
        if point is not None and base is not None:
            found.append(Effect(compare(base, point), _saving(evidence, base, point)))
    return tuple(sorted(found, key=lambda effect: -effect.saving.middle_s))


def helps(found: tuple[Effect, ...]) -> bool:
    """Whether a phase gains more than chance, and more than the other one loses."""
    return bool(found) and found[0].comparison.distinct and sum(effect.saving.middle_s for effect in found) > 0


def tried_rows(evidence: Evidence, found: tuple[Effect, ...]) -> list[TestSpec]:
    """The tests of an experiment on the setting, at the mean depth of this request: what it shows is said of the whole.

    Never deeper than what was swept, which found the time to be filled.
    """
    rows = []
    for effect in found:
        row = effect.comparison.base
        mean = max(0, round(_mean_depth(evidence, row.phase) - row.tokens / 2))
        rows.append(replace(row.spec, n_depth=min(row.n_depth, mean)))
    return rows


def _mean_depth(evidence: Evidence, phase: Phase) -> float:
    """Tokens before those of the request that the phase works on, on average."""
    return evidence.depth_tokens / 2 if phase is Phase.PREFILL else evidence.writing_depth_tokens


def _saving(evidence: Evidence, base: TestResult, point: TestResult) -> Saving:
    """The measured gain carried over to the depths of this request.

    At the measured depth it is known. Over the request's own, on average smaller depths it lies between growing with
    depth and being the same everywhere.
    """
    cost_s = evidence.cost_s(point.phase)
    reached = min(1.0, _mean_depth(evidence, point.phase) / max(1.0, middle_depth(point)))
    shares = [1 - 1 / factor for factor in measured_factors(base, point, evidence.runs_differ)]
    ends = [cost_s * share * part for share in shares for part in (reached, 1.0)]
    return within(cost_s, min(ends), cost_s * shares[1] * (1 + reached) / 2, max(ends))
