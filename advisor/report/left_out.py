"""Which points of curves were not measured, and why, in sentences."""

from collections.abc import Iterable
from typing import Final

from advisor.benchmarks.model import Sweep, TestSpec
from advisor.report import formatting as f

CURVES: Final = {
    Sweep.PHASES: "the phases",
    Sweep.DEPTH: "depth",
    Sweep.THREADS: "threads",
    Sweep.BATCH: "streams",
    Sweep.UBATCH: "batch sizes",
    Sweep.FLASH_ATTENTION: "flash attention",
    Sweep.KV_TYPE: "KV type",
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
        parts = [f"{CURVES[sweep]} ({_names(names)})" for sweep, names in curves.items()]
        sentences.append(f"Not measured, because {reason[:1].lower()}{reason[1:]}: {f.listed(parts)}.")
    return tuple(sentences)


def named_point(spec: TestSpec) -> str:
    """A test's name with what sets it apart: "tg32 with 4 threads"."""
    return f"{spec.test} with {spec.setting}" if spec.setting else spec.test


def _names(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= NAMED else f.plural(len(names), "point")
