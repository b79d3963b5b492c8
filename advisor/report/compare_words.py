"""A comparison in tables and sentences, the same in a terminal and in Markdown."""

from collections.abc import Sequence
from typing import Final

from advisor.benchmarks.model import Phase, Stamp
from advisor.benchmarks.reported import ReportedTest
from advisor.comparison.compare import engines_clause, engines_differ
from advisor.comparison.model import Comparison, Gap, Outcome, Pair, Side
from advisor.core.evidence import Fact, Known
from advisor.core.translation import marked, tr
from advisor.report import formatting as f

PHASES: Final = {Phase.PREFILL: "Prefill", Phase.DECODE: "Decode"}
HEAD: Final = (
    marked("Test"), marked("First, tokens/s"), marked("This, tokens/s"), marked("Ratio"), marked("Interval"),
    marked("So it is"),
)  # fmt: skip
CEILING_HEAD: Final = (marked("Ceiling"), marked("First, tokens/s"), marked("This, tokens/s"), marked("Ratio"))
GAP_HEAD: Final = (marked("Gap between the machines"), marked("Measured"), marked("Of their ceilings"))
GAPS: Final = {Phase.PREFILL: marked("Compute gap (prefill)"), Phase.DECODE: marked("Bandwidth gap (decode)")}
ITSELF: Final = marked(
    "Both are the same result, so that nothing follows from it: name another run, label or file."
)
NAMED: Final = 6
"""Tests without a partner that are named; more are counted."""


def title(comparison: Comparison) -> str:
    """What is held against what."""
    return tr("{this} against {first}", this=_heading(comparison.other.name), first=comparison.base.name)


def _heading(name: str) -> str:
    """Runs with a capital letter, files as they are called."""
    return f.capital(name) if name.startswith("run ") else name


def side_words(side: Side) -> str:
    """A side in one line: what was measured, where, with what and by whom."""
    weights = side.weights
    model = weights.name or tr("unknown model")
    if weights.label and weights.label.lower() not in model.lower():
        model = f"{model} {weights.label}"
    machine, engine = side.machine.words, side.engine
    parts = [model, tr("on {machine}", machine=machine) if machine else tr("on an unknown machine")]
    parts.append(tr("with {engine}", engine=engine) if engine else tr("with an unknown engine"))
    parts += [f.date_time(side.measured_at)] if side.measured_at else []
    parts += [tr("imported, not measured by Two Machines")] if side.imported else []
    return ", ".join(parts)


def pair_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """One row a test, prefill before decode."""
    return [
        (
            pair.base.test if pair.alike else f"{pair.base.test} | {pair.other.test}",
            _speed(pair.base),
            _speed(pair.other),
            f.factor(pair.ratio),
            f.factor_range(*pair.interval) if pair.interval else tr("unknown"),
            tr(pair.outcome),
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
            ratio = f.factor(second.value / first.value) if both else tr("unknown")  # type: ignore[union-attr]
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
        (tr(GAPS[gap.phase]), *(f.factor(value) if value else tr("unknown") for value in (gap.measured, gap.of_bounds)))
        for gap in comparison.gaps
    ]


def sentences(comparison: Comparison) -> list[str]:
    """What it comes to: each phase apart, the gaps, and what differs or is not known."""
    if comparison.base == comparison.other:
        return [tr(ITSELF), *_remarks(comparison)]
    said = [_phase(comparison, phase) for phase in PHASES]
    said += [words for words in (_gaps(comparison.gaps),) if words]
    said += [_alike(comparison), *_differs(comparison), *_rest(comparison), *_remarks(comparison)]
    return said


def _phase(comparison: Comparison, phase: Phase) -> str:
    name, pair = PHASES[phase], comparison.main(phase)
    if pair is None:
        lacking = [s.name for s in (comparison.base, comparison.other) if all(t.phase is not phase for t in s.tests)]
        if len(lacking) == 1:
            return tr("{name}: no comparison, {side} has none.", name=name, side=lacking[0])
        return tr("{name}: no comparison, no two tests of it can be put side by side.", name=name)
    test = pair.base.test
    if not pair.alike:
        test = tr("{this} against {first}", this=test, first=pair.other.test)
    doubt = tr(", but the figures are not to be believed") if _invalid(pair) else ""
    return f"{name} ({test}): {_judgement(pair, comparison)}{doubt}."


def _invalid(pair: Pair) -> bool:
    return any(remark.startswith(str(Stamp.INVALID)) for test in (pair.base, pair.other) for remark in test.remarks)


def _judgement(pair: Pair, comparison: Comparison) -> str:
    base, share = comparison.base.name, abs(pair.ratio - 1)
    if pair.ratio == 1 and pair.outcome is Outcome.UNKNOWN:
        return tr(
            "as fast as {base}, and whether that is chance is unknown, since a side gives no spread", base=base
        )
    as_ratio = not 0.5 < pair.ratio < 2
    how = f.factor(pair.ratio) if as_ratio else f.percent(share)
    match pair.outcome:
        case Outcome.SAME:
            if as_ratio:
                return tr("not distinguishable from {base}, the ratio of {how} may be chance", base=base, how=how)
            return tr("not distinguishable from {base}, the difference of {how} may be chance", base=base, how=how)
        case Outcome.CLOSE:
            return tr(
                "{how} from {base}, which is no more than two runs of the same thing differ", how=how, base=base
            )
        case Outcome.UNKNOWN:
            found = _faster_or_slower(how, as_ratio, pair.ratio > 1, base)
            return tr("{found}, and whether that is chance is unknown, since a side gives no spread", found=found)
    found = _faster_or_slower(how, as_ratio, pair.outcome is Outcome.FASTER, base)
    return f"{found} ({f.factor_range(*pair.interval)})" if pair.interval else found


def _faster_or_slower(how: str, as_ratio: bool, faster: bool, base: str) -> str:
    if as_ratio:
        return tr("{ratio} as fast as {base}", ratio=how, base=base)
    return tr("{share} faster than {base}", share=how, base=base) if faster else (
        tr("{share} slower than {base}", share=how, base=base)
    )


def _gaps(gaps: Sequence[Gap]) -> str:
    known = {gap.phase: gap.measured for gap in gaps if gap.measured}
    if len(known) < 2:
        return ""
    return tr(
        "Between the two machines, prefill shows the compute gap, {compute}, and decode the bandwidth gap, "
        "{bandwidth}; one number for both would hide this.",
        compute=f.factor(known[Phase.PREFILL]), bandwidth=f.factor(known[Phase.DECODE]),
    )  # fmt: skip


def _alike(comparison: Comparison) -> str:
    weights = comparison.base.weights, comparison.other.weights
    if comparison.same_weights is None:
        return tr("Whether both are the same model and quantisation is unknown.")
    if not comparison.same_weights:
        if comparison.same_machine:
            return tr("These are not the same weights: the ratios are those of the models.")
        return tr("These are not the same weights: the ratios hold model and machine together.")
    if all(each.header_sha256 for each in weights):
        return tr("Both are the same model and quantisation.")
    return tr("By quantisation and size, both are the same model and quantisation.")


def _differs(comparison: Comparison) -> list[str]:
    said = [tr("Whether both are the same machine is unknown.")] if comparison.same_machine is None else []
    said += [tr("What differs: {what}.", what="; ".join(comparison.differs))] if comparison.differs else []
    said_of_sides = _said_of_sides(comparison)
    common = [set(pair.differs) for pair in comparison.pairs]
    first = comparison.pairs[0].differs if comparison.pairs else ()
    everywhere = [words for words in first if all(words in one for one in common) and words not in said_of_sides]
    if everywhere:
        said.append(tr("Settings that differ: {settings}.", settings=", ".join(everywhere)))
    for pair in comparison.pairs:
        own = [
            words
            for words in pair.differs[not pair.alike :]
            if words not in everywhere and words not in said_of_sides
        ]
        if own:
            said.append(tr("With {test}: {settings}.", test=pair.base.test, settings=", ".join(own)))
    unknown = sorted({name for pair in comparison.pairs for name in pair.unknown})
    if unknown:
        said.append(tr("Not known on one side: {names}.", names=", ".join(unknown)))
    return said


def _said_of_sides(comparison: Comparison) -> frozenset[str]:
    """Clauses on a pair that are said of the whole sides already: the engine's name stands with each test and side."""
    if not engines_differ(comparison.base, comparison.other):
        return frozenset()
    return frozenset(engines_clause(pair.base, pair.other) for pair in comparison.pairs)


def _rest(comparison: Comparison) -> list[str]:
    said = []
    for side, tests in ((comparison.base, comparison.only_base), (comparison.other, comparison.only_other)):
        if tests:
            names = sorted({test.test for test in tests})
            words = ", ".join(names) if len(names) <= NAMED else f.plural(len(tests), "test", "tests")
            said.append(tr("Only in {side}: {tests}.", side=side.name, tests=words))
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
            tests = ", ".join(dict.fromkeys(names))
            said.append(f"{_heading(side.name)}, {tests}: {remark_words(remark)}.")
    return said


def remark_words(remark: str) -> str:
    """A remark that goes wherever its figure goes; where it opens with a stamp, that in the user's language."""
    stamp, colon, because = remark.partition(": ")
    return f"{tr(stamp)}{colon}{because}" if colon and stamp in tuple(Stamp) else tr(remark)
