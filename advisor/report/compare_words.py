"""A comparison in tables and sentences, the same in a terminal and in Markdown."""

from collections.abc import Sequence
from typing import Final

from advisor.benchmarks.model import Phase, Stamp
from advisor.benchmarks.reported import ReportedTest
from advisor.comparison.model import Comparison, Gap, Outcome, Pair, Side
from advisor.core.evidence import Fact, Known
from advisor.report import formatting as f

PHASES: Final = {Phase.PREFILL: "Prefill", Phase.DECODE: "Decode"}
HEAD: Final = ("Test", "First, tokens/s", "This, tokens/s", "Ratio", "Interval", "So it is")
CEILING_HEAD: Final = ("Ceiling", "First, tokens/s", "This, tokens/s", "Ratio")
GAP_HEAD: Final = ("Gap between the machines", "Measured", "Of their ceilings")
GAPS: Final = {Phase.PREFILL: "Compute gap (prefill)", Phase.DECODE: "Bandwidth gap (decode)"}
ITSELF: Final = "Both are the same result, so that nothing follows from it: name another run, label or file."
NAMED: Final = 6
"""Tests without a partner that are named; more are counted."""


def title(comparison: Comparison) -> str:
    """What is held against what."""
    return f"{_heading(comparison.other.name)} against {comparison.base.name}"


def _heading(name: str) -> str:
    """Runs with a capital letter, files as they are called."""
    return f.capital(name) if name.startswith("run ") else name


def side_words(side: Side) -> str:
    """A side in one line: what was measured, where, with what and by whom."""
    weights = side.weights
    model = weights.name or "unknown model"
    if weights.label and weights.label.lower() not in model.lower():
        model = f"{model} {weights.label}"
    parts = [model, f"on {side.machine.words or 'an unknown machine'}", f"with {side.engine or 'an unknown engine'}"]
    parts += [f.date_time(side.measured_at)] if side.measured_at else []
    parts += ["imported, not measured by Two Machines"] if side.imported else []
    return ", ".join(parts)


def pair_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """One row a test, prefill before decode."""
    return [
        (
            pair.base.test if pair.alike else f"{pair.base.test} | {pair.other.test}",
            _speed(pair.base),
            _speed(pair.other),
            f.factor(pair.ratio),
            f.factor_range(*pair.interval) if pair.interval else "unknown",
            str(pair.outcome),
        )
        for pair in comparison.pairs
    ]


def _speed(test: ReportedTest) -> str:
    return f.with_spread(test.tokens_per_s, test.spread_tokens_per_s)


def ceiling_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """Both ceilings of both sides; none where neither side knows one."""
    rows: list[tuple[str, ...]] = []
    for phase, name in PHASES.items():
        first, second = _ceiling(comparison.base, phase), _ceiling(comparison.other, phase)
        if isinstance(first, Known) or isinstance(second, Known):
            both = isinstance(first, Known) and isinstance(second, Known) and first.value > 0
            ratio = f.factor(second.value / first.value) if both else "unknown"  # type: ignore[union-attr]
            rows.append((name, f.fact(first, f.number), f.fact(second, f.number), ratio))
    return rows


def _ceiling(side: Side, phase: Phase) -> Fact[float]:
    if not isinstance(side.ceilings, Known):
        return side.ceilings
    ceilings = side.ceilings.value
    return ceilings.prefill_tokens_per_s if phase is Phase.PREFILL else ceilings.decode_tokens_per_s


def gap_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """Compute gap and bandwidth gap; none unless two machines ran the same weights."""
    return [
        (GAPS[gap.phase], *(f.factor(value) if value else "unknown" for value in (gap.measured, gap.of_bounds)))
        for gap in comparison.gaps
    ]


def sentences(comparison: Comparison) -> list[str]:
    """What it comes to: each phase apart, the gaps, and what differs or is not known."""
    if comparison.base == comparison.other:
        return [ITSELF, *_remarks(comparison)]
    said = [_phase(comparison, phase) for phase in PHASES]
    said += [words for words in (_gaps(comparison.gaps),) if words]
    said += [_alike(comparison), *_differs(comparison), *_rest(comparison), *_remarks(comparison)]
    return said


def _phase(comparison: Comparison, phase: Phase) -> str:
    name, pair = PHASES[phase], comparison.main(phase)
    if pair is None:
        lacking = [s.name for s in (comparison.base, comparison.other) if all(t.phase is not phase for t in s.tests)]
        why = f"{f.listed(lacking)} has none" if len(lacking) == 1 else "no two tests of it can be put side by side"
        return f"{name}: no comparison, {why}."
    test = pair.base.test if pair.alike else f"{pair.base.test} against {pair.other.test}"
    doubt = ", but the figures are not to be believed" if _invalid(pair) else ""
    return f"{name} ({test}): {_judgement(pair, comparison)}{doubt}."


def _invalid(pair: Pair) -> bool:
    return any(remark.startswith(str(Stamp.INVALID)) for test in (pair.base, pair.other) for remark in test.remarks)


def _judgement(pair: Pair, comparison: Comparison) -> str:
    base, share = comparison.base.name, abs(pair.ratio - 1)
    if pair.ratio == 1 and pair.outcome is Outcome.UNKNOWN:
        return f"as fast as {base}, and whether that is chance is unknown, since a side gives no spread"
    how = f"{f.factor(pair.ratio)}" if not 0.5 < pair.ratio < 2 else f.percent(share)
    match pair.outcome:
        case Outcome.SAME:
            found = f"the ratio of {how}" if "×" in how else f"the difference of {how}"
            return f"not distinguishable from {base}, {found} may be chance"
        case Outcome.CLOSE:
            return f"{how} from {base}, which is no more than two runs of the same thing differ"
        case Outcome.UNKNOWN:
            word = "faster" if pair.ratio > 1 else "slower"
            how = f"{how} as fast as" if "×" in how else f"{how} {word} than"
            return f"{how} {base}, and whether that is chance is unknown, since a side gives no spread"
    word = "faster" if pair.outcome is Outcome.FASTER else "slower"
    how = f"{how} as fast as {base}" if "×" in how else f"{how} {word} than {base}"
    interval = f" ({f.factor_range(*pair.interval)})" if pair.interval else ""
    return f"{how}{interval}"


def _gaps(gaps: Sequence[Gap]) -> str:
    known = {gap.phase: gap.measured for gap in gaps if gap.measured}
    if len(known) < 2:
        return ""
    return (
        f"Between the two machines, prefill shows the compute gap, {f.factor(known[Phase.PREFILL])}, and decode the "
        f"bandwidth gap, {f.factor(known[Phase.DECODE])}; one number for both would hide this."
    )


def _alike(comparison: Comparison) -> str:
    weights = comparison.base.weights, comparison.other.weights
    if comparison.same_weights is None:
        return "Whether both are the same model and quantisation is unknown."
    if not comparison.same_weights:
        held = "are those of the models" if comparison.same_machine else "hold model and machine together"
        return f"These are not the same weights: the ratios {held}."
    by = "" if all(each.header_sha256 for each in weights) else "By quantisation and size, "
    return f.capital(f"{by}both are the same model and quantisation.")


def _differs(comparison: Comparison) -> list[str]:
    said = ["Whether both are the same machine is unknown."] if comparison.same_machine is None else []
    said += [f"What differs: {'; '.join(comparison.differs)}."] if comparison.differs else []
    common = [set(pair.differs) for pair in comparison.pairs]
    first = comparison.pairs[0].differs if comparison.pairs else ()
    everywhere = [
        words for words in first if all(words in one for one in common) and not _said(words, comparison.differs)
    ]
    if everywhere:
        said.append(f"Settings that differ: {', '.join(everywhere)}.")
    for pair in comparison.pairs:
        own = [
            words
            for words in pair.differs[not pair.alike :]
            if words not in everywhere and not _said(words, comparison.differs)
        ]
        if own:
            said.append(f"With {pair.base.test}: {', '.join(own)}.")
    unknown = sorted({name for pair in comparison.pairs for name in pair.unknown})
    if unknown:
        said.append(f"Not known on one side: {', '.join(unknown)}.")
    return said


def _said(words: str, already: Sequence[str]) -> bool:
    """The engine's name stands with each test and with the whole side."""
    return words.startswith("engine ") and any(clause.startswith("the engines:") for clause in already)


def _rest(comparison: Comparison) -> list[str]:
    said = []
    for side, tests in ((comparison.base, comparison.only_base), (comparison.other, comparison.only_other)):
        if tests:
            names = sorted({test.test for test in tests})
            words = ", ".join(names) if len(names) <= NAMED else f.plural(len(tests), "test")
            said.append(f"Only in {side.name}: {words}.")
    return said


def _remarks(comparison: Comparison) -> list[str]:
    said = []
    sides = ((comparison.base, "base"), (comparison.other, "other"))
    for side, of in sides[: 1 if comparison.base == comparison.other else 2]:
        held: dict[str, list[str]] = {}
        for pair in comparison.pairs:
            test = pair.base if of == "base" else pair.other
            for remark in test.remarks:
                held.setdefault(remark, []).append(test.test)
        for remark, names in held.items():
            said.append(f"{_heading(side.name)}, {', '.join(dict.fromkeys(names))}: {remark}.")
    return said
