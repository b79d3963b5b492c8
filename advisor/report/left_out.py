"""Which points of curves were not measured, and why, in sentences."""

from collections.abc import Iterable
from typing import Final

from advisor.benchmarks.model import Sweep, TestSpec
from advisor.core.translation import marked, tr
from advisor.report import formatting as f

CURVES: Final = {
    Sweep.PHASES: marked("the phases"),
    Sweep.DEPTH: marked("depth"),
    Sweep.THREADS: marked("threads"),
    Sweep.BATCH: marked("streams"),
    Sweep.UBATCH: marked("batch sizes"),
    Sweep.FLASH_ATTENTION: marked("flash attention"),
    Sweep.KV_TYPE: marked("KV type"),
}
NAMED: Final = 3
"""Points of one curve that are named; more are counted."""


def left_out_words(left_out: Iterable[tuple[TestSpec, str]]) -> tuple[str, ...]:
    """One sentence for each reason (a clause): "Not measured, because there was no time left: streams (tg16 x 32)."."""
    by_reason: dict[str, dict[Sweep, list[str]]] = {}
    for spec, reason in left_out:
        by_reason.setdefault(reason, {}).setdefault(spec.sweep, []).append(named_point(spec))
    sentences = []
    for reason, curves in by_reason.items():
        parts = f.listed([f"{tr(CURVES[sweep])} ({_names(names)})" for sweep, names in curves.items()])
        sentences.append(tr("Not measured, because {reason}: {what}.", reason=f.clause(reason), what=parts))
    return tuple(sentences)


def named_point(spec: TestSpec) -> str:
    """A test's name with what sets it apart: "tg32 with 4 threads"."""
    return tr("{test} with {setting}", test=spec.test, setting=spec.setting) if spec.setting else spec.test


def _names(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= NAMED else f.plural(len(names), "point", "points")
