"""The rules of a comparison: which tests belong together, what differs, whether a difference is more than chance."""

import math
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.phrases import setting_name
from advisor.benchmarks.reported import ReportedTest
from advisor.comparison.model import Comparison, Gap, Outcome, Pair, Side, Weights, main_index
from advisor.core.numbers import count
from advisor.core.translation import marked, tr, trn
from advisor.hardware.catalog import normalise

RUNS_DIFFER: Final = 0.03
"""Two runs of the same thing on a quiet machine differ by up to 3 %, though each one's repetitions by 1 %
(docs/accuracy.md); a smaller difference says nothing about machine or setting."""

SAME_SIZE: Final = 0.02
"""Sizes of the same weights, in the words of different tools, differ by less, since some round to 0.01 GiB …"""
HEADER_BYTES: Final = 16e6
"""… and by so much more where one counts the file and the other its tensors: a vocabulary of 260,000 words takes 7 MB
of the file, with its merges about twice that."""

ENGINES: Final = marked("engine {one} against {other}")

_SETTINGS: Final[tuple[tuple[str, str, Callable[[ReportedTest], object]], ...]] = (
    (marked("threads"), "", lambda test: test.n_threads),
    (marked("batch"), marked("batch {one} against {other}"), lambda test: test.n_batch),
    (marked("ubatch"), marked("ubatch {one} against {other}"), lambda test: test.n_ubatch),
    (marked("flash attention"), marked("flash attention {one} against {other}"), lambda test: test.flash_attention),
    (marked("KV cache"), marked("KV cache {one} against {other}"), lambda test: test.kv_type),
    (marked("device"), marked("device {one} against {other}"), lambda test: test.device),
    ("engine", ENGINES, lambda test: test.engine),
    (marked("GPU layers"), marked("GPU layers {one} against {other}"), lambda test: test.n_gpu_layers),
)
"""Name, the clause on a difference (a count has its own), and how it is read; both in the user's language where they
are made. What neither side says is passed over."""


def compare(base: Side, other: Side) -> Comparison:
    """``other`` against ``base``."""
    pairs = tuple(sorted(_pairs(base.tests, other.tests), key=_order))
    same_weights, same_machine = _same_weights(base.weights, other.weights), _same_machine(base, other)
    return Comparison(
        base=base,
        other=other,
        pairs=pairs,
        same_weights=same_weights,
        same_machine=same_machine,
        differs=tuple(_differences(base, other, same_weights, same_machine)),
        gaps=_gaps(base, other, pairs) if same_weights and same_machine is False else (),
        only_base=_left(base.tests, [pair.base for pair in pairs]),
        only_other=_left(other.tests, [pair.other for pair in pairs]),
    )


def ratio_interval(base: ReportedTest, other: ReportedTest) -> tuple[float, float] | None:
    """Between which other ÷ base lies: the ends of both intervals at their farthest, which errs on the wide side."""
    first, second = base.interval_tokens_per_s, other.interval_tokens_per_s
    if first is None or second is None or first[0] <= 0:
        return None
    return second[0] / first[1], second[1] / first[0]


def judged(ratio: float, interval: tuple[float, float] | None) -> Outcome:
    """What the difference comes to."""
    if interval is None:
        return Outcome.UNKNOWN
    if interval[0] <= 1 <= interval[1]:
        return Outcome.SAME
    if 1 / (1 + RUNS_DIFFER) <= ratio <= 1 + RUNS_DIFFER:
        return Outcome.CLOSE
    return Outcome.FASTER if ratio > 1 else Outcome.SLOWER


# ---- which tests belong together


def _pairs(base: Sequence[ReportedTest], other: Sequence[ReportedTest]) -> Iterator[Pair]:
    """Equal tests of equal settings first, then equal tests, each once; of a phase without any, the nearest two."""
    left, waiting = list(base), _Waiting(other)
    here, there = _varied(base), _varied(other)
    found: list[Pair] = []
    for fits in (
        lambda a, b: not _settings(a, b)[0],
        lambda a, b: _differ_by_engine(a, b, here.get(_key(a), set()) | there.get(_key(b), set())),
        _may_stand_together,
    ):
        alone = []
        for one in left:
            partner = waiting.partner(one, fits)
            if partner is not None:
                found.append(_pair(one, partner, alike=True))
            else:
                alone.append(one)
        left = alone
    paired = {pair.base.phase for pair in found}
    for phase in Phase:
        if phase not in paired:
            nearest = _nearest(_kinds(left, phase), _kinds(waiting.rest(), phase))
            found += [_pair(*nearest, alike=False)] if nearest else []
    return iter(found)


Setting = tuple[object, ...]


class _Waiting:
    """Tests without a partner so far, by what they are and by their settings, so that thousands are paired at once.

    Tests of the same settings are as good as each other, so one of each settings is asked.
    """

    def __init__(self, tests: Sequence[ReportedTest]) -> None:
        self._by_key: dict[Setting, dict[Setting, deque[ReportedTest]]] = {}
        for test in tests:
            settings = (*(read(test) for _, _, read in _SETTINGS), test.on_curve)
            self._by_key.setdefault(_key(test), {}).setdefault(settings, deque()).append(test)

    def partner(
        self, test: ReportedTest, fits: Callable[[ReportedTest, ReportedTest], bool]
    ) -> ReportedTest | None:
        """The first of the same tests that fits, which waits no longer; None where none does."""
        alike = self._by_key.get(_key(test), {})
        for settings, tests in alike.items():
            if fits(test, tests[0]):
                taken = tests.popleft()
                if not tests:
                    del alike[settings]
                return taken
        return None

    def rest(self) -> list[ReportedTest]:
        """Those that still wait."""
        return [test for alike in self._by_key.values() for tests in alike.values() for test in tests]


def _kinds(tests: Sequence[ReportedTest], phase: Phase) -> list[ReportedTest]:
    """One test of each kind of a phase, not of a curve; the others are as near as it is."""
    return list({_key(test): test for test in reversed(tests) if test.phase is phase and not test.on_curve}.values())


def _key(test: ReportedTest) -> tuple[object, ...]:
    """What a test is, whatever its settings; a source that does not speak of depth or streams means 0 and 1."""
    return test.phase, test.tokens, test.n_depth or 0, test.n_streams or 1


def _varied(tests: Sequence[ReportedTest]) -> dict[tuple[object, ...], set[str]]:
    """For what a test is, the settings by which those of its side differ, as the points of a curve do."""
    values: dict[tuple[object, ...], dict[str, set[object]]] = {}
    for test in tests:
        held = values.setdefault(_key(test), {})
        for name, _, read in _SETTINGS:
            held.setdefault(setting_name(name), set()).add(read(test))
    return {key: {name for name, seen in held.items() if len(seen) > 1} for key, held in values.items()}


def _differ_by_engine(one: ReportedTest, other: ReportedTest, varied: set[str]) -> bool:
    """The same test of two tools: a point of a curve too, unless a setting that tells its points apart is not known.

    llama-bench knows no curves: its rows are tests like any other.
    """
    differs, unknown = _settings(one, other)
    return set(differs) <= {engines_clause(one, other)} and not varied & set(unknown)


def _may_stand_together(one: ReportedTest, other: ReportedTest) -> bool:
    """The same test under other settings, not two points of curves, which differ on purpose."""
    return not one.on_curve and not other.on_curve


def _nearest(
    base: Sequence[ReportedTest], other: Sequence[ReportedTest]
) -> tuple[ReportedTest, ReportedTest] | None:
    candidates = ((a, b) for a in base for b in other)
    return min(candidates, key=lambda pair: _distance(*pair), default=None)


def _distance(one: ReportedTest, other: ReportedTest) -> float:
    """How far two tests of a phase are from each other, in doublings of their lengths and depths."""
    streams = abs(math.log2((one.n_streams or 1) / (other.n_streams or 1)))
    depths = abs(math.log2((256 + (one.n_depth or 0)) / (256 + (other.n_depth or 0))))
    if one.tokens is None or other.tokens is None:
        return 10 * streams + depths + 1
    return 10 * streams + depths + abs(math.log2(one.tokens / other.tokens))


def _pair(base: ReportedTest, other: ReportedTest, alike: bool) -> Pair:
    ratio, interval = other.tokens_per_s / base.tokens_per_s, ratio_interval(base, other)
    differs, unknown = _settings(base, other)
    if not alike:
        differs = (tr("{one} against {other}", one=base.test, other=other.test), *differs)
    return Pair(base, other, ratio, interval, judged(ratio, interval), differs, unknown, alike)


def _settings(base: ReportedTest, other: ReportedTest) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Clauses on settings that differ, and the names of those that one side does not say."""
    differs, unknown = [], []
    for name, clause, read in _SETTINGS:
        first, second = read(base), read(other)
        if (first is None) != (second is None):
            unknown.append(setting_name(name))
        elif first != second and not (name == "device" and _same_device(str(first), str(second))):
            differs.append(tr(clause, one=first, other=second) if clause else _threads(int(str(first)), second))
    return tuple(differs), tuple(unknown)


def _same_device(one: str, other: str) -> bool:
    """Whether one side names a device and the other its backend alone: CUDA0 and CUDA."""
    short, long = sorted((one, other), key=len)
    return re.fullmatch(re.escape(short) + r"\d+", long) is not None


def _threads(first: int, second: object) -> str:
    return trn(
        "{one}\u00a0thread against {other}", "{one}\u00a0threads against {other}", first, one=count(first), other=second
    )


def engines_clause(one: ReportedTest, other: ReportedTest) -> str:
    """The clause on two tests of different engines, as it stands among what differs."""
    return tr(ENGINES, one=one.engine, other=other.engine)


def _order(pair: Pair) -> tuple[object, ...]:
    test = pair.base
    return test.phase is Phase.DECODE, test.on_curve, test.n_depth or 0, test.n_streams or 1, test.tokens or 0


def _left(tests: Sequence[ReportedTest], used: Sequence[ReportedTest]) -> tuple[ReportedTest, ...]:
    taken = Counter(map(id, used))
    rest = []
    for test in tests:
        if taken[id(test)]:
            taken[id(test)] -= 1
        else:
            rest.append(test)
    return tuple(rest)


# ---- what differs as a whole


def _same(one: str, other: str) -> bool | None:
    return one == other if one and other else None


def _same_weights(one: Weights, other: Weights) -> bool | None:
    """Whether both are the same weights: by the header where both have it, else by label and size."""
    if one.header_sha256 and other.header_sha256:
        return one.header_sha256 == other.header_sha256 and one.size_bytes == other.size_bytes
    sizes = _same_size(one, other)
    labels = _same(one.label.lower(), other.label.lower())
    architectures = _same(one.architecture, other.architecture)
    if False in (sizes, labels, architectures):
        return False
    return True if sizes and labels else None


def _same_size(one: Weights, other: Weights) -> bool | None:
    if one.size_bytes is None or other.size_bytes is None:
        return None
    if one.size_is_exact and other.size_is_exact:
        return one.size_bytes == other.size_bytes
    header = HEADER_BYTES if one.size_is_exact or other.size_is_exact else 0.0
    return abs(one.size_bytes - other.size_bytes) <= SAME_SIZE * max(one.size_bytes, other.size_bytes) + header


def _same_machine(base: Side, other: Side) -> bool | None:
    """False where something known of both differs; another tool names some of its machine's parts, or none."""
    one, two = base.machine, other.machine
    if one == two:
        return True if one.words else None
    # One tool writes the maker's name and another leaves it out.
    cards, others = ({normalise(name) or (name,) for name in machine.gpus} for machine in (one, two))
    whole = not base.imported and not other.imported
    differs = (
        _same(one.cpu, two.cpu) is False
        or (one.logical_cpus and two.logical_cpus and one.logical_cpus != two.logical_cpus)
        or (one.gpus != two.gpus if whole else not (cards <= others or others <= cards))
    )
    return False if differs else None


def _differences(base: Side, other: Side, same_weights: bool | None, same_machine: bool | None) -> Iterator[str]:
    if same_weights is False:
        yield tr("the models: {one} against {other}", one=_model(base.weights), other=_model(other.weights))
    if same_machine is False:
        yield tr("the machines: {one} against {other}", one=base.machine.words, other=other.machine.words)
    if engines_differ(base, other):
        yield tr("the engines: {one} against {other}", one=base.engine, other=other.engine)


def engines_differ(base: Side, other: Side) -> bool:
    """Whether both sides name an engine, and not the same one."""
    return _same(base.engine, other.engine) is False


def _model(weights: Weights) -> str:
    name = weights.name or tr("unknown")
    return name if not weights.label or weights.label.lower() in name.lower() else f"{name} {weights.label}"


def _gaps(base: Side, other: Side, pairs: tuple[Pair, ...]) -> tuple[Gap, ...]:
    found = []
    for phase in Phase:
        at = main_index(pairs, phase)
        bounds = [
            (side.compute_flop_per_s if phase is Phase.PREFILL else side.read_bytes_per_s).or_none()
            for side in (base, other)
        ]
        first, second = bounds
        found.append(
            Gap(
                phase,
                pairs[at].ratio if at is not None and pairs[at].alike else None,
                second / first if first and second else None,
            )
        )
    return tuple(found)
