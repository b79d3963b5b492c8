"""How an advice on settings is tried: measured tests as they are, against the same ones with something changed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from advisor.benchmarks.job import OWN_CHOICE, Placement
from advisor.benchmarks.model import Sweep, TestResult, TestSpec
from advisor.benchmarks.trials.model import Arm, SettingTrial


def spec_of(row: TestSpec, **changes: Any) -> TestSpec:
    """The test behind a measured row, as one of no curve, with these fields changed."""
    held = row.spec if isinstance(row, TestResult) else row
    return replace(held, **{"sweep": Sweep.PHASES, **changes})


def setting(rows: Sequence[TestSpec | None], before: str, after: str, **changes: Any) -> SettingTrial | None:
    """The tests of ``rows`` as they are against the same ones with ``changes``; None without rows.

    Args:
        rows: one per phase; None for a phase that was not measured.
        before: what is set as it is, in words.
        after: what is set as advised.
        changes: fields of the tests.
    """
    specs = [spec_of(row) for row in rows if row is not None]
    return against(specs, [spec_of(spec, **changes) for spec in specs], before, after) if specs else None


def against(
    now: Sequence[TestSpec], then: Sequence[TestSpec], before: str, after: str, placed: Placement = OWN_CHOICE,
    placement: Placement = OWN_CHOICE,
) -> SettingTrial:
    """Some tests against others that do the same work, and where the weights lie in each."""
    return SettingTrial(Arm(before, tuple(now), placed), Arm(after, tuple(then), placement))
