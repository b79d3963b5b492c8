"""Mend the engine's build: safe mode because of a fault, or a build without this processor's instructions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from advisor.benchmarks.known_faults import REBUILD
from advisor.benchmarks.model import EngineMode, Phase, TestResult
from advisor.ceilings.model import ArithmeticProbe
from advisor.ceilings.predict import type_mix
from advisor.core.evidence import Basis
from advisor.core.numbers import capital, sentence, times, times_range
from advisor.core.translation import marked, tr
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import Factors, from_factors

ID: Final = "engine-build"

MODE_WORDS: Final = {
    EngineMode.NO_EXTRA_BUFFERS: marked("The engine runs without its fast weight layout."),
    EngineMode.NO_FLASH_ATTENTION: marked(
        "The engine runs without its fast weight layout and without flash attention."
    ),
    EngineMode.ONE_THREAD: marked("The engine runs with one thread."),
}

UNPACKED: Final = Factors(1.0, 1.15, 1.4)
"""What the fast layout gives back where its products were not measured: decode 41.5 to 30.3 ms a token with one thread
(physics.md 0.1), prefill 350 to 438 and decode 42.4 to 42.9 tokens/s with two (docs/accuracy.md)."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """A vector extension: this machine's name of it, llama.cpp's, and what wider registers can give at most."""

    extension: str
    flag: str
    words: str
    factors: Factors


WIDER: Final = (
    Instructions("avx2", "AVX2", "AVX2", Factors(1.0, 1.5, 2.0)),
    Instructions("avx512f", "AVX512", "AVX-512", Factors(1.0, 1.1, 2.0)),
    Instructions("dotprod", "DOTPROD", marked("dot products"), Factors(1.0, 1.5, 4.0)),
)
"""Registers of twice the width compute at most twice as much per instruction; a dot product of bytes does four
multiply-adds in one. Reading from memory gains nothing, so that the low end is none."""


def predict(evidence: Evidence) -> Advice | None:
    """For engines on the processor: a fault that can be mended before instructions that are unused."""
    if evidence.engine is None or evidence.runs_on_gpu:
        return None
    return _safe_mode(evidence) or _unused_instructions(evidence)


def _safe_mode(evidence: Evidence) -> Advice | None:
    """Only where a row was measured in safe mode: another device's check is no reason to rebuild."""
    rows = [row for row in (evidence.prefill_row, evidence.decode_row) if row is not None and row.safe_mode]
    if not rows or evidence.engine is None:
        return None
    check = evidence.engine.safe_mode
    mode = tr(MODE_WORDS[max(row.mode for row in rows)])
    fault = sentence(check.fault) if check is not None and check.fault else tr("Its default mode crashes here.")
    remedy = check.remedy if check is not None else ""
    rebuild = remedy.partition(": ")[2] if ": " in remedy else REBUILD
    layout = _layout_gain(evidence)
    gain = Factors(1.0, (1 + layout) / 2, layout) if layout is not None else UNPACKED
    seen = (
        tr("The best products in this file's types are {times} as fast in the fast layout, measured alone.",
           times=times(layout))
        if layout is not None
        else tr("The fast layout gave 0 to 37 % at decode and 25 % at prefill where both were measured.")
    )
    return _advice(
        evidence, tr("Mend the engine's build"), f"{mode} {fault}", gain, seen,
        (
            HowTo(tr("this app"), tr("Build the engine anew, then let it be tested again."), rebuild),
            HowTo(tr("this app"), tr("Forget what the self-test found."), "two-machines selftest --forget"),
        ),
    )


def _layout_gain(evidence: Evidence) -> float | None:
    """Arithmetic of the model's own types in their best layout over that as in the file; None where not measured."""
    if evidence.ceilings is None:
        return None
    probes = evidence.ceilings.arithmetic_probes
    plain, best = _rates(probes, repacked=False), _rates(probes, repacked=True)
    mix = {name: work for name, work in type_mix(evidence.model).items() if name in plain and name in best}
    if not mix:
        return None
    slow_s = sum(work / plain[name] for name, work in mix.items())
    fast_s = sum(work / max(plain[name], best[name]) for name, work in mix.items())
    return slow_s / fast_s


def _rates(probes: Sequence[ArithmeticProbe], *, repacked: bool) -> dict[str, float]:
    """Best FLOP/s by weight type, in the file's layout or in another ("ggml Q4_K, CPU_REPACK layout").

    The layout of AMX is left out: the build that is advised has none.
    """
    rates: dict[str, float] = {}
    for probe in probes:
        maker, _, rest = probe.kernel.partition(" ")
        name, _, other = rest.partition(",")
        if maker == "ggml" and bool(other) is repacked and "AMX" not in other:
            rates[name] = max(rates.get(name, 0.0), probe.best_flop_per_s)
    return rates


def _unused_instructions(evidence: Evidence) -> Advice | None:
    """An instruction set that the processor has and the engine's own line says that it lacks."""
    engine, cpu = evidence.engine, evidence.machine.cpu
    if engine is None:
        return None
    told = engine.system_info.replace(" ", "")
    found = next((one for one in WIDER if one.extension in cpu.extensions and lacks(told, one.flag)), None)
    if found is None:
        return None
    return _advice(
        evidence, tr("Install an engine that was built for this processor"),
        tr("This processor has {words}, and the engine was built without it.", words=tr(found.words)), found.factors,
        tr("The engine's own line says so; wider instructions compute at most {times} as much each.",
           times=times(found.factors.high)),
        (
            HowTo(tr("this app"), tr("Build the engine here, for this processor."), REBUILD),
            HowTo("llama.cpp", tr("Its own builds choose by themselves; an own build does with its default."),
                  "cmake -B build -DGGML_NATIVE=ON && cmake --build build --config Release"),
        ),
    )


def lacks(system_info: str, flag: str) -> bool:
    """Whether llama.cpp's line, spaces left out, names other instructions of the kind but not this one.

    Newer builds leave out what they lack, older ones write ``= 0``; a line that names none says nothing.
    """
    names_any = any(f"{known}=1" in system_info for known in ("SSE3", "SSSE3", "AVX", "NEON", "ARM_FMA"))
    return names_any and f"{flag}=1" not in system_info


def _advice(
    evidence: Evidence, title: str, detail: str, gain: Factors, seen: str, how: tuple[HowTo, ...]
) -> Advice:
    rows: list[tuple[Phase, TestResult | None]] = [
        (Phase.PREFILL, evidence.prefill_row), (Phase.DECODE, evidence.decode_row)
    ]
    savings = [
        (from_factors(evidence.cost_s(phase), gain.low, gain.middle, gain.high), phase)
        for phase, row in rows if row is not None
    ]
    savings.sort(key=lambda held: -held[0].middle_s)
    main, phase = savings[0]
    return Advice(
        id=ID,
        phase=phase,
        title=title,
        detail=capital(tr(
            "{detail} Both phases {gain} as fast afterwards; measure again.",
            detail=detail, gain=times_range(gain.low, gain.high),
        )),
        saved_s=main.middle_s,
        saved_s_low=main.low_s,
        saved_s_high=main.high_s,
        basis=Basis.ESTIMATED,
        how=how,
        cost=tr("some minutes of compiling, and a C++ compiler"),
        undo=tr("install the former build again"),
        evidence=seen,
        other_saved_s=sum(saving.middle_s for saving, _ in savings[1:]),
    )
