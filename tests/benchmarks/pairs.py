"""What-if on published pairs: ``python -m tests.benchmarks.pairs``.

The same model on two devices: what was measured on the one and the table, learnt without either of them, predict how
much faster the other is. That is what ``what-if`` does from a run here. ``--docs`` renews docs/accuracy.md.
"""

import argparse
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from advisor.ceilings.efficiency import EfficiencyTable
from advisor.ceilings.other_hardware import ENGINE, decode_on, prefill_on
from advisor.core.evidence import Known
from advisor.core.stats import median
from advisor.hardware.catalog import Kind
from advisor.recommendations.evidence import RUNS_DIFFER
from advisor.recommendations.saving import Factors
from advisor.whatif.device import over
from advisor.whatif.judging import NOTICED
from tests.benchmarks.efficiency_fit import fit, points_of, without
from tests.benchmarks.published import ACCURACY
from tests.support.published import Measured, read_rows

MARK = re.compile(r"(<!-- pairs: begin[^>]*-->\n).*?(<!-- pairs: end -->)", re.DOTALL)

LEAST_COVERED = 0.75
PARTNERS = 8
"""Others that each device is compared from, drawn with a fixed seed: all pairs would be ten thousand fits."""
SEED = 11


@dataclass(frozen=True)
class Pair:
    """One phase's speed on the second device over that on the first, measured and predicted."""

    first: Measured
    second: Measured
    phase: str
    measured: float
    predicted: Factors

    @property
    def inside(self) -> bool:
        return self.predicted.low <= self.measured <= self.predicted.high

    @property
    def half_width(self) -> float:
        return (self.predicted.high - self.predicted.low) / 2 / self.predicted.middle

    @property
    def off(self) -> float:
        return abs(self.measured / self.predicted.middle - 1)

    @property
    def said_right(self) -> bool:
        """Whether gain, loss or neither is what it turned out to be, or the range left it open."""
        if self.predicted.low < NOTICED < self.predicted.high or self.predicted.low < 1 / NOTICED < self.predicted.high:
            return True
        return _side(self.predicted.middle) == _side(self.measured)


def alike(rows: Iterable[Measured]) -> Mapping[tuple[str, ...], Mapping[str, Measured]]:
    """Rows of one model, quantisation, engine and prompt, by device; of several of one device the middle one."""
    groups: dict[tuple[str, ...], dict[str, list[Measured]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.traffic is not None and row.fits and row.decode is not None and row.prefill is not None:
            key = (row.engine, row.model.lower(), row.quant, str(row.prompt))
            groups[key][row.identity].append(row)
    return {
        key: {name: sorted(held, key=lambda row: row.decode or 0.0)[len(held) // 2] for name, held in group.items()}
        for key, group in groups.items()
        if len(group) > 1
    }


def drawn(rows: Sequence[Measured], partners: int = PARTNERS) -> list[tuple[Measured, Measured]]:
    """Ordered pairs: each row as the second device, from at most so many others."""
    chance = random.Random(SEED)
    found = []
    for _, group in sorted(alike(rows).items()):
        for name, second in sorted(group.items()):
            others = sorted(other for other in group if other != name)
            found += [(group[other], second) for other in chance.sample(others, min(partners, len(others)))]
    return found


def predict(rows: Sequence[Measured], pairs: Iterable[tuple[Measured, Measured]]) -> list[Pair]:
    """Both phases of every pair, with both devices left out of what is learnt."""
    points = points_of(rows)

    @cache
    def table(names: frozenset[str]) -> EfficiencyTable:
        kept = points
        for name in names:
            kept = without(kept, name)
        return fit(kept)

    found = []
    for first, second in pairs:
        learnt = table(frozenset((first.identity, second.identity)))
        assert second.traffic is not None
        there = {
            "prefill": prefill_on(
                second.device, second.traffic, prompt=second.prompt, engine=second.engine, table=learnt
            ),
            "decode": decode_on(second.device, second.traffic, engine=second.engine, table=learnt),
        }
        for phase, speed in there.items():
            here, measured = getattr(first, phase), getattr(second, phase)
            predicted = over(speed, here, RUNS_DIFFER)
            if isinstance(predicted, Known):
                found.append(Pair(first, second, phase, measured / here, predicted.value))
    return found


def covered(pairs: Sequence[Pair]) -> float:
    """Share of the pairs whose measured ratio lies in the predicted range."""
    return sum(pair.inside for pair in pairs) / len(pairs)


def report(rows: Sequence[Measured], partners: int = PARTNERS) -> str:
    """The table as Markdown."""
    return "\n".join(_table(predict(rows, drawn(rows, partners))))


def _table(pairs: Sequence[Pair]) -> list[str]:
    kinds: tuple[tuple[str, Callable[[Pair], bool]], ...] = (
        ("all", lambda pair: True),
        ("llama.cpp", lambda pair: pair.first.engine == ENGINE),
        ("first-hand", lambda pair: pair.first.strict and pair.second.strict),
        ("from a processor", lambda pair: pair.first.device.kind is Kind.KIT),
        ("card to card", lambda pair: _card(pair.first) and _card(pair.second)),
        ("to unified memory", lambda pair: pair.second.device.kind is Kind.UNIFIED),
        ("from unified memory to a card", lambda pair: pair.first.device.kind is Kind.UNIFIED and _card(pair.second)),
        ("one phase gains twice the other", _apart(pairs)),
    )
    head = "pairs | phase | count | devices | covered | half-width, median | error, median | gain or loss as said"
    lines = [f"| {head} |", "|---|---|---|---|---|---|---|---|"]
    for name, chosen in kinds:
        for phase in ("prefill", "decode"):
            some = [pair for pair in pairs if pair.phase == phase and chosen(pair)]
            if some:
                devices = len({pair.second.identity for pair in some})
                right = sum(pair.said_right for pair in some) / len(some)
                lines.append(
                    f"| {name} | {phase} | {len(some)} | {devices} | {covered(some):.0%} | "
                    f"±{median([pair.half_width for pair in some]):.0%} | {median([pair.off for pair in some]):.0%} | "
                    f"{right:.0%} |"
                )
    return lines


def _apart(pairs: Sequence[Pair]) -> Callable[[Pair], bool]:
    """Pairs whose phases gain by factors that are at least 2 apart: where one figure for both would mislead."""
    ratios: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for pair in pairs:
        ratios[pair.first.id, pair.second.id][pair.phase] = pair.measured

    def chosen(pair: Pair) -> bool:
        both = ratios[pair.first.id, pair.second.id]
        return len(both) == 2 and max(both.values()) >= 2 * min(both.values())

    return chosen


def _card(row: Measured) -> bool:
    return row.device.kind in (Kind.CARD, Kind.LAPTOP)


def _side(ratio: float) -> int:
    return 1 if ratio >= NOTICED else -1 if ratio <= 1 / NOTICED else 0


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partners", type=int, default=PARTNERS, help=f"others per device and model ({PARTNERS})")
    parser.add_argument("--docs", action="store_true", help="renew the table in docs/accuracy.md")
    options = parser.parse_args(arguments)
    text = report(read_rows(), options.partners)
    print(text)
    if options.docs:
        old = ACCURACY.read_text(encoding="utf-8")
        ACCURACY.write_text(MARK.sub(lambda found: f"{found[1]}{text}\n{found[2]}", old), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
