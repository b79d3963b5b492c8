"""What people buy or change that cannot help here: one rule each, with the number that says so.

A rule speaks only where the evidence of this diagnosis supports it; published figures are named as such.
"""

from collections.abc import Callable
from typing import Final

from advisor.benchmarks.curves import flat_part
from advisor.benchmarks.model import Phase
from advisor.core.evidence import Known
from advisor.core.numbers import count, digits, percent, seconds, size, speed, times
from advisor.diagnosis.model import Limit, Problem
from advisor.diagnosis.selection import thread_sweep
from advisor.recommendations import speculate
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import WontHelp

FLAT_WITHIN: Final = 0.05
"""Gains below 5 % drown in run-to-run spread."""

MOST: Final = 2 / 3
"""Share of the request from which changing only the other phase is pointless."""

LOW_BITS: Final = 5.0
"""Bits per weight of a 4-bit file; below about 4.5 decode gained nothing more where it was measured (physics.md 8)."""

FEW_SPARE: Final = 4.0
"""A step of four tokens fits one weight read only where prefill is at least four times as fast as decode."""


def wont_help(evidence: Evidence) -> tuple[WontHelp, ...]:
    """Everything that the evidence rules out, what costs most money first."""
    found = (rule(evidence) for rule in RULES)
    return tuple(item for item in found if item is not None)


def new_hardware(evidence: Evidence) -> WontHelp | None:
    """While something is wrong, no part can be judged."""
    if not evidence.faulty:
        return None
    finding = next(held for held in (evidence.verdict.decode, evidence.verdict.prefill) if held.limit is Limit.FAULT)
    return WontHelp("new-hardware", "New hardware: find the fault first, or it moves along.", finding.because)


def more_cores(evidence: Evidence) -> WontHelp | None:
    """More cores or threads for a decode that memory limits, by sweep or by ceiling."""
    if evidence.runs_on_gpu:
        return None
    row = evidence.decode_row
    sweep = () if row is None else thread_sweep(evidence.tests, row)
    if len(sweep) >= 3:
        knee, end = flat_part(sweep, FLAT_WITHIN)
        if end.n_threads >= 2 * knee.n_threads:
            return WontHelp(
                "more-cores",
                f"More cores: decode is flat from {count(knee.n_threads)} to {count(end.n_threads)} threads.",
                f"Measured here: {knee.speed_words} and {end.speed_words}.",
            )
    ceiling = _decode_ceiling(evidence)
    if evidence.limit(Phase.DECODE) is not Limit.MEMORY or ceiling is None:
        return None
    return WontHelp(
        "more-cores",
        f"More cores: decode waits for memory and stays at or below {speed(ceiling)} with any number of them.",
        evidence.verdict.decode.because,
    )


def faster_cpu(evidence: Evidence) -> WontHelp | None:
    """A faster processor on the same memory, for decode."""
    ceiling = _decode_ceiling(evidence)
    if evidence.runs_on_gpu or evidence.limit(Phase.DECODE) is not Limit.MEMORY or ceiling is None:
        return None
    source = evidence.ceilings.decode_tokens_per_s if evidence.ceilings is not None else None
    return WontHelp(
        "faster-cpu",
        f"A processor with twice the compute on the same memory: decode stays at or below {speed(ceiling)}.",
        f"The ceiling is {source.source}." if isinstance(source, Known) else evidence.verdict.decode.because,
    )


def bigger_card(evidence: Evidence) -> WontHelp | None:
    """A card with more memory but no more bandwidth."""
    if not evidence.runs_on_gpu or evidence.faulty or evidence.limit(Phase.DECODE) is not Limit.MEMORY:
        return None
    if not _fits_on_card(evidence):
        return None
    return WontHelp(
        "bigger-card",
        "A card with more memory but no more bandwidth: decode follows bandwidth, prefill arithmetic.",
        f"{evidence.verdict.decode.because} Published, same 7B model: 856 GB/s 150 tokens/s, the newer 419 GB/s 88.",
    )


def more_cards(evidence: Evidence) -> WontHelp | None:
    """More cards of the same kind by layer split, where the model fits one."""
    if not evidence.runs_on_gpu or evidence.faulty or not _fits_on_card(evidence):
        return None
    return WontHelp(
        "more-gpus",
        "A second card of the same kind: split by layers, it adds memory, not decode speed, and the model fits one.",
        "Published, 70B on 1, 2, 3 and 4 cards: 13.48, 10.14, 9.69 and 9.23 tokens/s.",
    )


def faster_memory(evidence: Evidence) -> WontHelp | None:
    """Faster memory for a prefill that arithmetic limits and that is most of the request."""
    timeline = evidence.timeline
    share = timeline.wait_s / timeline.total_s
    if evidence.verdict.problem is not Problem.PREFILL or share < MOST:
        return None
    if evidence.limit(Phase.PREFILL) is not Limit.COMPUTE:
        return None
    return WontHelp(
        "faster-memory",
        f"Faster memory: the prompt is {percent(share)} of the request, and reading it is limited by arithmetic.",
        evidence.verdict.prefill.because,
    )


def shorter_answer(evidence: Evidence) -> WontHelp | None:
    """A shorter answer where nearly all seconds pass before the first word."""
    timeline = evidence.timeline
    if evidence.verdict.problem is not Problem.PREFILL or timeline.wait_s / timeline.total_s < MOST:
        return None
    return WontHelp(
        "shorter-answer",
        f"A shorter answer: half of it would save {seconds(timeline.stream_s / 2)} of {seconds(timeline.total_s)}.",
        f"The answer takes {seconds(timeline.stream_s)} at {timeline.decode_speed}.",
    )


def smaller_quantisation(evidence: Evidence) -> WontHelp | None:
    """A still smaller quantisation of a file that is in about 4 bits already."""
    if evidence.bits_per_weight > LOW_BITS or evidence.faulty:
        return None
    return WontHelp(
        "smaller-quantisation",
        "A still smaller quantisation: below about 4.5 bits per weight decode gains little or nothing, and quality "
        "falls fast.",
        f"This file holds {digits(evidence.bits_per_weight)} bits per weight. Published, one 8B model on one GPU: "
        "Q4_K_S 76.7, Q3_K_M 71.7, Q2_K 79.9 tokens/s; perplexity +3 %, +8 % and +39 %.",
    )


def quantise_for_prefill(evidence: Evidence) -> WontHelp | None:
    """Fewer bits for a wait: prefill does the same arithmetic and unpacks more."""
    if evidence.verdict.problem is not Problem.PREFILL or evidence.limit(Phase.PREFILL) is not Limit.COMPUTE:
        return None
    if smaller_quantisation(evidence) is not None:
        return None
    return WontHelp(
        "quantise-for-prefill",
        "Heavier quantisation against the wait: reading the prompt does the same arithmetic.",
        "Published, one 8B model: prefill 923 tokens/s in F16, 865 in Q8_0, 822 in Q4_K_M.",
    )


def batching(evidence: Evidence) -> WontHelp | None:
    """Batching against a wait: it helps decode, not prefill."""
    users = evidence.workload.users
    if users < 2 or evidence.verdict.problem is not Problem.PREFILL:
        return None
    return WontHelp(
        "batch-for-prefill",
        "Batching against the wait: one prompt fills the arithmetic already.",
        "Published, from 1 to 32 streams: decode 66 to 444 tokens/s, prefill 1,048 to 1,084.",
    )


def speculation(evidence: Evidence) -> WontHelp | None:
    """Speculative decoding where checking guesses costs more than they give: by measured kernels, else published."""
    if evidence.faulty:
        return None
    costs = speculate.step_costs_here(evidence)
    if costs is None:
        return _speculation_published(evidence)
    held = speculate.outlook(evidence)
    if held is None:
        return None  # nothing could guess: neither repeated text nor a smaller model
    if held.middle >= speculate.WORTH_FROM:
        return None
    users, alone = evidence.workload.users, speculate.step_costs_here(evidence, 1)
    tokens = (held.n_draft or speculate.DRAFT) + 1
    what = f"checking {tokens} tokens costs {times(costs(tokens))} a step of one"
    if users > 1 and alone is not None:
        what += f" with {count(users)} people at once, {times(alone(tokens))} for one alone"
    elif speculate.is_mixture(evidence):
        what += ", since each wakes other experts"
    work, _ = speculate.assumed(evidence)
    needed = (
        "not even guesses that are always right would gain" if held.break_even is None else
        f"guesses would have to be right in more than {percent(held.break_even)} of cases to gain at all"
    )
    gain = "" if held.n_draft == 0 else f" At best it would run {times(held.middle)} as fast."
    return WontHelp(
        "speculate",
        f"Speculative decoding: {what}.",
        f"By the engine's own operations, measured here: {needed}, and they usually are in {percent(work.middle)}."
        f"{gain}",
    )


def _speculation_published(evidence: Evidence) -> WontHelp | None:
    """Where the cost of several tokens per step is not measured."""
    spare = evidence.spare_compute
    if spare is None:
        return None
    if evidence.workload.users > 1:
        return WontHelp(
            "speculate",
            "Speculative decoding: several people already use the arithmetic that it would need.",
            "Published: 2.8 times faster for one stream turned into 1.8 times slower under load.",
        )
    held = speculate.outlook(evidence)
    if spare >= FEW_SPARE or (held is not None and held.middle >= speculate.WORTH_FROM):
        return None
    return WontHelp(
        "speculate",
        f"Speculative decoding: checking {speculate.DRAFT + 1} tokens costs nearly as much as writing them.",
        f"Measured here, prefill is only {times(spare)} as fast as decode.",
    )


def faster_disk(evidence: Evidence) -> WontHelp | None:
    """A faster disk for a model that stays in memory."""
    if evidence.fits_in_memory() is not True or evidence.faulty:
        return None
    return WontHelp(
        "faster-disk",
        "A faster disk: it shortens loading once, not a single request.",
        f"Model and cache take {size(evidence.needed_bytes())} and stay in memory.",
    )


def more_memory(evidence: Evidence) -> WontHelp | None:
    """More memory of the same speed where the model fits with room to spare."""
    total = evidence.machine.memory.total_bytes
    if isinstance(total, Known) and evidence.needed_bytes() * 1.5 <= total.value and not evidence.runs_on_gpu:
        return WontHelp(
            "more-memory",
            "More memory of the same speed: the model fits with room to spare.",
            f"Model and cache take {size(evidence.needed_bytes())} of {size(total.value)}.",
        )
    return None


def _decode_ceiling(evidence: Evidence) -> float | None:
    return None if evidence.ceilings is None else evidence.ceilings.decode_tokens_per_s.or_none()


def _fits_on_card(evidence: Evidence) -> bool:
    """Whether model and cache fit one card; assumed where the measured run gives no sign of the opposite."""
    totals = [gpu.memory_total_bytes.or_none() for gpu in evidence.cards]
    known = [total for total in totals if total is not None]
    return not known or evidence.needed_bytes() <= max(known)


RULES: Final[tuple[Callable[[Evidence], WontHelp | None], ...]] = (
    new_hardware,
    more_cores,
    faster_cpu,
    bigger_card,
    more_cards,
    faster_memory,
    more_memory,
    smaller_quantisation,
    quantise_for_prefill,
    batching,
    speculation,
    shorter_answer,
    faster_disk,
)
