"""The two gauges: what a phase does, against what it could do."""

from dataclasses import dataclass, field
from typing import Final

from advisor.benchmarks.model import LiveReading, Phase, Stamp, TestResult
from advisor.ceilings.model import Ceilings
from advisor.core.stats import mad
from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Finding, Limit
from advisor.report import formatting as fmt

SCALE_ABOVE_CEILING: Final = 1.2
"""End of the scale over the ceiling, so that the ceiling's tick stands inside the arc."""

SCALE_WITHOUT_CEILING: Final = 1.5

TITLES: Final = {Phase.PREFILL: marked("PREFILL · READS"), Phase.DECODE: marked("DECODE · WRITES")}
LIMIT_TEXTS: Final = {
    Limit.MEMORY: marked("memory-bound"),
    Limit.COMPUTE: marked("compute-bound"),
    Limit.UNPACKING: marked("bound by unpacking"),
    Limit.OVERHEAD: marked("bound by overhead"),
    Limit.FAULT: marked("⚠ something is wrong"),
    Limit.UNKNOWN: "",
}
SHORT_LIMIT_TEXTS: Final = {
    Limit.MEMORY: marked("memory"), Limit.COMPUTE: marked("compute"), Limit.UNPACKING: marked("unpacking"),
    Limit.OVERHEAD: marked("overhead"), Limit.FAULT: marked("⚠ wrong"), Limit.UNKNOWN: "",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Gauge:
    """State of one gauge.

    Attributes:
        value_tokens_per_s: None until something is measured; then ``number`` is its text.
        ceiling_tokens_per_s: None while unknown; ``ceiling_text`` is its number alone.
        full_scale_tokens_per_s: where the arc ends, above 0.
        pill, pill_short: what limits the phase, and the same for a narrow card.
        share: of the ceiling, 0 to 1; None where one of the two is unknown.
        spread_tokens_per_s: median absolute deviation of the repetitions; None for fewer than two.
        unit: line under the number ("tokens/s ± 0.4").
        line: one line under the arc: share of the ceiling, or what is going on.
        warning: stamp and safe mode, empty when the figure needs no remark.
        trace: speed of each repetition in order; ``trace_tips`` says each in words.
        moving: a measurement of this phase is on.
        spoken: the whole gauge as a sentence.
    """

    phase: Phase
    title: str
    pill: str = ""
    pill_short: str = ""
    pill_tip: str = ""
    value_tokens_per_s: float | None = None
    share: float | None = None
    spread_tokens_per_s: float | None = None
    number: str = "–"
    unit: str = field(default_factory=lambda: tr("tokens/s"))
    ceiling_tokens_per_s: float | None = None
    ceiling_text: str = ""
    full_scale_tokens_per_s: float = 1.0
    line: str = field(default_factory=lambda: tr("not measured yet"))
    warning: str = ""
    warning_tip: str = ""
    trace: tuple[float, ...] = ()
    trace_tips: tuple[str, ...] = ()
    moving: bool = False
    spoken: str = ""


@dataclass(frozen=True, slots=True)
class Live:
    """What has been seen of a phase while it is being measured."""

    repetition: int = 0
    repetitions: int = 0
    tokens_per_s: float | None = None
    finished: tuple[float, ...] = ()

    def after(self, reading: LiveReading) -> "Live":
        """The state after one more reading."""
        finished = self.finished
        if reading.final and reading.repetition > 0:
            finished = (*finished, reading.tokens_per_s)
        return Live(reading.repetition, reading.repetitions, reading.tokens_per_s, finished)


def present_gauge(
    phase: Phase, ceilings: Ceilings | None, live: Live | None, result: TestResult | None, finding: Finding | None,
    hint: str = "",
) -> Gauge:
    """A gauge's state; ``live`` wins over ``result`` while it is given, ``hint`` fills the line before both."""
    ceiling, at_least = _ceiling(phase, ceilings)
    value: float | None = None
    spread: float | None = None
    trace: tuple[float, ...] = ()
    if live is not None:
        value, spread, trace = live.tokens_per_s, mad(live.finished), live.finished
    elif result is not None:
        value, spread, trace = result.tokens_per_s, result.mad_tokens_per_s, result.samples_tokens_per_s
    finding = finding if live is None and result is not None else None
    share = min(1.0, value / ceiling) if value is not None and ceiling else None
    number = fmt.number(value, spread) if value is not None else "–"
    unit = _unit(value, spread)
    warning, tip = _warning(result if live is None else None)
    line = _line(live, share, value, ceiling, hint, at_least)
    if ceilings is not None and ceilings.disturbed and ceiling:
        disturbed = tr("ceiling measured while disturbed: {why}", why=tr(ceilings.disturbed))
        tip = "; ".join(filter(None, (tip, disturbed)))
    ceiling_text = ("≥ " if at_least else "") + fmt.number(ceiling) if ceiling else ""
    return Gauge(
        phase=phase,
        title=tr(TITLES[phase]),
        pill=tr(LIMIT_TEXTS[finding.limit]) if finding else "",
        pill_short=tr(SHORT_LIMIT_TEXTS[finding.limit]) if finding else "",
        pill_tip=finding.because if finding else "",
        value_tokens_per_s=value,
        share=share,
        spread_tokens_per_s=spread,
        number=number,
        unit=unit,
        ceiling_tokens_per_s=ceiling,
        ceiling_text=ceiling_text,
        full_scale_tokens_per_s=_full_scale(value, ceiling),
        line=line,
        warning=warning,
        warning_tip=tip,
        trace=trace,
        trace_tips=tuple(
            tr("repetition {number}: {speed}", number=i, speed=fmt.tokens_per_s(speed))
            for i, speed in enumerate(trace, 1)
        ),
        moving=live is not None,
        spoken=_spoken(
            phase, number if value is not None else "", share, ceiling_text, line, warning, live is not None
        ),
    )


def _unit(value: float | None, spread: float | None) -> str:
    """The unit with the spread, cut out of the one text that tables use as well."""
    if value is None or spread is None:
        return tr("tokens/s")
    _, sign, rest = fmt.with_spread(value, spread).partition("±")
    return tr("tokens/s") + f"{fmt.NBSP}{sign}{rest}"


def _ceiling(phase: Phase, ceilings: Ceilings | None) -> tuple[float | None, bool]:
    if ceilings is None:
        return None, False
    if phase is Phase.PREFILL:
        return ceilings.prefill_tokens_per_s.or_none(), ceilings.prefill_is_bound_below
    return ceilings.decode_tokens_per_s.or_none(), ceilings.decode_is_bound_below


def _full_scale(value: float | None, ceiling: float | None) -> float:
    if ceiling:
        return ceiling * SCALE_ABOVE_CEILING
    return value * SCALE_WITHOUT_CEILING if value else 1.0


def _line(
    live: Live | None, share: float | None, value: float | None, ceiling: float | None, hint: str, at_least: bool
) -> str:
    if live is not None:
        if live.repetition <= 0:
            return tr("warming up")
        return tr("repetition {number} of {all}", number=live.repetition, all=live.repetitions)
    if share is not None:
        if at_least:
            return tr("at most {share} of what this machine can do", share=fmt.of_ceiling(share))
        return tr("{share} of what this machine can do", share=fmt.of_ceiling(share))
    if value is not None:
        return tr("ceiling unknown")
    if hint:
        return hint
    if ceiling:
        if at_least:
            return tr("could reach at least {speed}", speed=fmt.tokens_per_s(ceiling))
        return tr("could reach {speed}", speed=fmt.tokens_per_s(ceiling))
    return tr("not measured yet")


def _warning(result: TestResult | None) -> tuple[str, str]:
    if result is None:
        return "", ""
    words, tips = [], [tr(clause) for clause in result.conditions.because]
    if result.conditions.stamp is not Stamp.VALID:
        words.append(tr(result.conditions.stamp))
    if result.safe_mode:
        words.append(tr("safe mode"))
        tips.append(tr("measured without the engine's extra buffers, which crashed here"))
    if not result.complete:
        words.append(tr("stopped early"))
    return (f"⚠ {', '.join(words)}" if words else ""), "; ".join(tips)


def _spoken(
    phase: Phase, number: str, share: float | None, ceiling: str, line: str, warning: str, moving: bool
) -> str:
    if not number:
        known = tr("ceiling {ceiling} tokens per second", ceiling=ceiling) if ceiling else ""
        return ", ".join(filter(None, (tr(phase), known, line)))
    parts = [tr("{phase} {number} tokens per second", phase=tr(phase), number=number)]
    if share is not None:
        percent = fmt.of_ceiling(share).replace(f"{fmt.NBSP}%", " " + tr("percent"))
        parts.append(tr("{percent} of ceiling {ceiling}", percent=percent, ceiling=ceiling))
    if moving:
        parts.append(line)
    if warning:
        parts.append(warning.removeprefix("⚠ "))
    return ", ".join(parts)
