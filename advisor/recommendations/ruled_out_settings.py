"""Settings and files that people change and that cannot help here: one rule each, with its number."""

from typing import Final

from advisor.benchmarks.curves import compare, kv_share
from advisor.benchmarks.model import FlashAttention, Phase
from advisor.benchmarks.phrases import joined, tokens
from advisor.ceilings.speculation import StepCosts
from advisor.core.numbers import count, digits, percent, seconds, times
from advisor.core.translation import tr
from advisor.diagnosis.model import Limit, Problem
from advisor.recommendations import (
    flash_attention,
    kv_type,
    quantise,
    setting_at_depth,
    shorten_prompt,
    speculate,
    ubatch,
)
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.faster_memory import reading_share
from advisor.recommendations.model import WontHelp
from advisor.recommendations.ruled_out_parts import MOST
from advisor.recommendations.speculate import Outlook

LOW_BITS: Final = 5.0
"""Bits per weight of a 4-bit file; below about 4.5 decode gained nothing more where it was measured (physics.md 8)."""

FEW_SPARE: Final = 4.0
"""A step of four tokens fits one weight read only where prefill is at least four times as fast as decode."""

UNNOTICED: Final = 0.005
"""Share of the request below which no advice is given for it either."""

SMALL_CACHE: Final = 0.05
"""Share of a token's bytes below which the cache's type cannot be felt."""


def smaller_quantisation(evidence: Evidence) -> WontHelp | None:
    """A still smaller quantisation of a file that is in about 4 bits already, and that fits where it runs."""
    if evidence.bits_per_weight > LOW_BITS or evidence.faulty or quantise.is_too_large(evidence):
        return None
    return WontHelp(
        "smaller-quantisation",
        tr("A still smaller quantisation: below about 4.5 bits per weight decode gains little or nothing, and quality "
           "falls fast."),
        tr("This file holds {bits} bits per weight.{reading} Published, one 8B model on one GPU: Q4_K_S 76.7, "
           "Q3_K_M 71.7, Q2_K 79.9 tokens/s; perplexity +3 %, +8 % and +39 %.",
           bits=digits(evidence.bits_per_weight), reading=_unpacked_words(evidence)),
    )


def _unpacked_words(evidence: Evidence) -> str:
    """What fewer bytes could gain at most, where unpacking and not reading is the limit; ready to stand in between."""
    if evidence.limit(Phase.DECODE) is not Limit.UNPACKING:
        return ""
    reading = reading_share(evidence)
    return tr(
        " Reading is {share} of each token here, so that half the bytes save {saved}.",
        share=percent(reading), saved=percent(reading / 2),
    )  # fmt: skip


def quantise_for_prefill(evidence: Evidence) -> WontHelp | None:
    """Fewer bits for a wait: prefill does the same arithmetic and unpacks more."""
    if evidence.verdict.problem is not Problem.PREFILL or evidence.limit(Phase.PREFILL) is not Limit.COMPUTE:
        return None
    if smaller_quantisation(evidence) is not None or quantise.is_too_large(evidence):
        return None
    return WontHelp(
        "quantise-for-prefill",
        tr("Heavier quantisation against the wait: reading the prompt does the same arithmetic."),
        tr("{because} Published, one 8B model: prefill 923 tokens/s in F16, 865 in Q8_0, 822 in Q4_K_M.",
           because=evidence.verdict.prefill.because),
    )


def batching(evidence: Evidence) -> WontHelp | None:
    """Batching against a wait: it helps decode, not prefill."""
    users = evidence.workload.users
    if users < 2 or evidence.verdict.problem is not Problem.PREFILL:
        return None
    return WontHelp(
        "batch-for-prefill",
        tr("Batching against the wait: one prompt fills the arithmetic already."),
        tr("Published, from 1 to 32 streams: decode 66 to 444 tokens/s, prefill 1,048 to 1,084."),
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
    return WontHelp("speculate", _checking_words(evidence, held, costs), _needed_words(evidence, held))


def _checking_words(evidence: Evidence, held: Outlook, costs: StepCosts) -> str:
    """What one step over several tokens costs, and for whom."""
    users, checked = evidence.workload.users, (held.n_draft or speculate.DRAFT) + 1
    alone = speculate.step_costs_here(evidence, 1) if users > 1 else None
    if users > 1 and alone is not None:
        return tr(
            "Speculative decoding: checking {n} tokens costs {times} a step of one with {users} people at once, "
            "{alone} for one alone.",
            n=checked, times=times(costs(checked)), users=count(users), alone=times(alone(checked)),
        )  # fmt: skip
    if speculate.is_mixture(evidence):
        return tr(
            "Speculative decoding: checking {n} tokens costs {times} a step of one, since each wakes other experts.",
            n=checked, times=times(costs(checked)),
        )  # fmt: skip
    return tr(
        "Speculative decoding: checking {n} tokens costs {times} a step of one.",
        n=checked, times=times(costs(checked)),
    )  # fmt: skip


def _needed_words(evidence: Evidence, held: Outlook) -> str:
    """How often guesses would have to be right, beside how often they are."""
    work, _ = speculate.assumed(evidence)
    even = held.break_even
    needed = (
        tr("By the engine's own operations, measured here: not even guesses that are always right would gain, and they "
           "usually are in {usual}.", usual=percent(work.middle))
        if even is None
        else tr("By the engine's own operations, measured here: guesses would have to be right in more than {even} of "
                "cases to gain at all, and they usually are in {usual}.",
                even=percent(even), usual=percent(work.middle))
    )  # fmt: skip
    if held.n_draft == 0:
        return needed
    gain = tr(" It would then run about {times} as fast.", times=times(held.middle))
    return f"{needed}{gain}"


def _speculation_published(evidence: Evidence) -> WontHelp | None:
    """Where the cost of several tokens per step is not measured."""
    spare = evidence.spare_compute
    if spare is None:
        return None
    if evidence.workload.users > 1:
        return WontHelp(
            "speculate",
            tr("Speculative decoding: several people already use the arithmetic that it would need."),
            tr("Published: 2.8 times faster for one stream turned into 1.8 times slower under load."),
        )
    held = speculate.outlook(evidence)
    if spare >= FEW_SPARE or (held is not None and held.middle >= speculate.WORTH_FROM):
        return None
    return WontHelp(
        "speculate",
        tr("Speculative decoding: checking {n} tokens costs nearly as much as writing them.", n=speculate.DRAFT + 1),
        tr("Measured here, prefill is only {times} as fast as decode.", times=times(spare)),
    )


def shorter_answer(evidence: Evidence) -> WontHelp | None:
    """A shorter answer where nearly all seconds pass before the first word."""
    timeline = evidence.timeline
    if evidence.verdict.problem is not Problem.PREFILL or timeline.wait_s / timeline.total_s < MOST:
        return None
    return WontHelp(
        "shorter-answer",
        tr("A shorter answer: half of it would save {saved} of {total}.",
           saved=seconds(timeline.stream_s / 2), total=seconds(timeline.total_s)),
        tr("The answer takes {time} at {speed}.", time=seconds(timeline.stream_s), speed=timeline.decode_speed),
    )


def shorter_prompt(evidence: Evidence) -> WontHelp | None:
    """A shorter prompt where nearly all seconds are writing."""
    timeline = evidence.timeline
    half_s = timeline.wait_s / 2
    if evidence.verdict.problem is not Problem.DECODE or half_s > UNNOTICED * timeline.total_s:
        return None
    if shorten_prompt.writing_saved_s(evidence, evidence.workload.prompt_tokens // 2) > UNNOTICED * timeline.total_s:
        return None
    return WontHelp(
        "shorter-prompt",
        tr("A shorter prompt: half of it would save {saved} of {total}.",
           saved=seconds(half_s), total=seconds(timeline.total_s)),
        tr("The prompt takes {time} at {speed}.", time=seconds(timeline.wait_s), speed=timeline.prefill_speed),
    )


def flash_attention_setting(evidence: Evidence) -> WontHelp | None:
    """Switching flash attention off where it was measured to change nothing or to lose."""
    found = flash_attention.effects_of(evidence, FlashAttention.OFF)
    if not found or setting_at_depth.helps(found):
        return None
    return WontHelp(
        "flash-attention",
        tr("Switching flash attention off: {effects} at this depth.",
           effects=joined([effect.verdict() for effect in found])),
        tr("Measured here: {effects}.", effects="; ".join(effect.words() for effect in found)),
    )


def cache_type(evidence: Evidence) -> WontHelp | None:
    """A smaller cache type for speed, where it was measured to lose or the cache is next to nothing."""
    found = kv_type.effects_of(evidence)
    if found and not setting_at_depth.helps(found):
        return WontHelp(
            "kv-type",
            tr("The cache in 8 bits, for speed: it saves memory only; {effects}.",
               effects=joined([held.verdict() for held in found])),
            tr("Measured here: {effects}.", effects="; ".join(effect.words() for effect in found)),
        )
    traffic, row = evidence.traffic, evidence.decode_row
    if found or traffic is None or row is None or row.kv_type != "f16" or evidence.faulty:
        return None
    depth = evidence.writing_depth_tokens
    share = kv_share(traffic, depth)
    if share >= SMALL_CACHE:
        return None
    return WontHelp(
        "kv-type",
        tr("The cache in fewer bits: at {depth} it is {share} of the bytes of each token.",
           depth=tokens(depth), share=percent(share)),
        tr("Halving its bytes would save {share} of writing, and no more.", share=percent(share * kv_type.SMALLER)),
    )


def batch_size(evidence: Evidence) -> WontHelp | None:
    """Other batch sizes where the sweep found none better."""
    row = evidence.prefill_row
    base = None if row is None else ubatch.base_of(evidence, row)
    if row is None or base is None:
        return None
    others = ubatch.candidates(evidence, row)
    if not others or any((held := compare(base, point)).ratio > 1 and held.distinct for point in others):
        return None
    best = max(others, key=lambda point: point.tokens_per_s)
    return WontHelp(
        "ubatch",
        tr("Another batch size: {n} tokens at once are as good as any that was measured.", n=count(base.n_ubatch)),
        tr("Measured here ({test}): {speed} with {n}, {other_speed} with {other}.",
           test=base.test, speed=base.speed_words, n=count(base.n_ubatch), other_speed=best.speed_words,
           other=count(best.n_ubatch)),
    )
