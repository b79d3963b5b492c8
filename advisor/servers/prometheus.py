"""The text format of ``/metrics``: a tolerant parser, and what happened between two scrapes.

https://prometheus.io/docs/instrumenting/exposition_formats/, read 2026-11-30. A damaged line is counted and skipped.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_LINE: Final = re.compile(
    r'(?P<name>[A-Za-z_:][A-Za-z0-9_:]*)\s*(?:\{(?P<labels>(?:"(?:[^"\\]|\\.)*"|[^"}])*)\})?'
    r'\s+(?P<value>\S+)(?:\s+\S+)?(?:\s+#.*)?'
)
_LABEL: Final = re.compile(r'([A-Za-z_][A-Za-z0-9_.]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*,?\s*')
_ESCAPED: Final = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class Sample:
    """One line: a name as it stands there (``…_sum``, ``…_bucket``), its labels, its value."""

    name: str
    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True, slots=True)
class Scrape:
    """All samples of one answer, and how many lines could not be read."""

    samples: tuple[Sample, ...]
    damaged: int = 0

    def total(self, name: str) -> float | None:
        """The sum over all label sets (engines, models); None where no such sample is there or one is not finite."""
        values = [sample.value for sample in self.samples if sample.name == name]
        return math.fsum(values) if values and all(map(math.isfinite, values)) else None


def parse(text: str) -> Scrape:
    """All samples in order. Never raises."""
    samples, damaged = [], 0
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        sample = _sample(line.strip())
        if sample is None:
            damaged += 1
        else:
            samples.append(sample)
    return Scrape(tuple(samples), damaged)


def _sample(line: str) -> Sample | None:
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    try:
        value = float(match["value"])
    except ValueError:
        return None
    inner = (match["labels"] or "").strip()
    labels, end = {}, 0
    for found in _LABEL.finditer(inner):
        if found.start() != end:
            return None
        labels[found[1]] = _ESCAPED.sub(lambda escape: "\n" if escape[1] == "n" else escape[1], found[2])
        end = found.end()
    return Sample(match["name"], labels, value) if end == len(inner) else None


def grown(before: Scrape, after: Scrape, name: str) -> float | None:
    """How much a counter or a histogram's sum or count rose; None where it is missing or fell (a restart)."""
    late = after.total(name)
    early = before.total(name) if any(sample.name == name for sample in before.samples) else 0.0
    return None if late is None or early is None or late < early else late - early
