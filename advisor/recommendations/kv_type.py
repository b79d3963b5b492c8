"""The KV cache in eight bits: half the memory of the cache, and at depth another speed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from advisor.benchmarks.curves import kv_share
from advisor.benchmarks.model import EngineMode, Phase, Sweep, TestResult, TestSpec
from advisor.benchmarks.phrases import joined, tokens
from advisor.benchmarks.trials.model import TrialPlan
from advisor.core.evidence import Basis
from advisor.core.numbers import capital, percent, size
from advisor.core.translation import marked, tr
from advisor.diagnosis.model import Limit
from advisor.gguf.layers import KV_ELEMENT_BYTES_F16, KV_TYPES
from advisor.recommendations import setting_at_depth, trying
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import Saving, within
from advisor.recommendations.setting_at_depth import Effect

ID: Final = "kv-type"

TYPE: Final = "q8_0"

SMALLER: Final = 1 - KV_TYPES[TYPE] / KV_ELEMENT_BYTES_F16
"""Share of the cache's bytes that goes: 47 %."""

WORTH_SHARE: Final = 0.10
"""Share of a step's bytes that must be cache before halving it is worth guessing at without a measurement."""

QUALITY: Final = marked(
    "quality: usually nothing to see (mean divergence 0.001 where llama.cpp measured it, pull request 7412), but some "
    "models were reported to suffer; compare a few answers"
)


def predict(evidence: Evidence) -> Advice | None:
    """From the sweep where it was measured; else from the bytes, where memory limits decode and the cache is large."""
    row = evidence.decode_row
    modes = [held.mode for held in (row, evidence.prefill_row) if held is not None]
    if row is None or evidence.faulty or row.kv_type != "f16" or max(modes) >= EngineMode.NO_FLASH_ATTENTION:
        return None
    found = effects_of(evidence)
    return _measured(evidence, found) if found else _from_bytes(evidence, row)


def effects_of(evidence: Evidence) -> tuple[Effect, ...]:
    """What the sweep measured."""
    return setting_at_depth.effects(evidence, Sweep.KV_TYPE, lambda row: row.kv_type == TYPE)


def saved_bytes(evidence: Evidence) -> float:
    """Memory that all users' caches no longer need."""
    traffic = evidence.traffic
    if traffic is None:
        return 0.0
    states = traffic.state_bytes
    return SMALLER * (evidence.stream_bytes() - states) * evidence.workload.users


def _measured(evidence: Evidence, found: tuple[Effect, ...]) -> Advice | None:
    if not setting_at_depth.helps(found):
        return None
    words = f"{capital('; '.join(effect.words() for effect in found))}."
    seen = tr("Measured here against f16: {effects}.", effects=joined([effect.verdict() for effect in found]))
    other_s = sum(effect.saving.middle_s for effect in found[1:])
    trial = _trial(setting_at_depth.tried_rows(evidence, found))
    return _advice(evidence, found[0].phase, found[0].saving, words, seen, Basis.MEASURED, trial,
                   found[0].comparison.base.n_depth, other_s)


def _from_bytes(evidence: Evidence, row: TestResult) -> Advice | None:
    """Never slower than nothing at all in the middle, but the unpacking of the cache may eat the gain."""
    traffic = evidence.traffic
    if traffic is None or evidence.limit(Phase.DECODE) is not Limit.MEMORY:
        return None
    depth = evidence.writing_depth_tokens
    share = kv_share(traffic, depth)
    if share < WORTH_SHARE:
        return None
    cost_s = evidence.timeline.stream_s
    most_s = cost_s * share * SMALLER
    words = tr(
        "At {depth} the cache is {share} of the bytes of each token; this halves it.",
        depth=tokens(depth), share=percent(share),
    )  # fmt: skip
    seen = tr("Decode is limited by memory here: {because}", because=evidence.verdict.decode.because)
    saving = within(cost_s, -most_s / 2, most_s / 2, most_s)
    return _advice(evidence, Phase.DECODE, saving, words, seen, Basis.ESTIMATED,
                   _trial([replace(row.spec, n_depth=depth)]), depth)


def _trial(rows: Sequence[TestSpec]) -> TrialPlan | None:
    before, after = (tr("KV cache in {type}", type=name) for name in ("f16", TYPE))
    return trying.setting(rows, before, after, kv_type=TYPE)


def _advice(
    evidence: Evidence, phase: Phase, saving: Saving, words: str, seen: str, basis: Basis, trial: TrialPlan | None,
    depth: int, other_s: float = 0.0,
) -> Advice:
    freed = saved_bytes(evidence)
    room = tr(" It frees {size} of memory.", size=size(freed)) if freed > 0 else ""
    return Advice(
        id=ID,
        phase=phase,
        title=tr("Keep the cache in 8 bits"),
        detail=f"{words}{room}",
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=basis,
        how=(
            HowTo("llama-server", tr("Needs flash attention."), f"llama-server -ctk {TYPE} -ctv {TYPE} -fa on"),
            HowTo("Ollama", tr("Both variables, for all models."),
                  f"OLLAMA_FLASH_ATTENTION=1 OLLAMA_KV_CACHE_TYPE={TYPE} ollama serve"),
            HowTo("LM Studio", tr("Switch “Flash Attention” on and set “K Cache Quantization Type” and “V Cache "
                                  "Quantization Type” to Q8_0.")),
            HowTo("vLLM", tr("Its own 8-bit format."), "vllm serve MODEL --kv-cache-dtype fp8"),
            HowTo(tr("this app"), tr("Measure at this depth with it."),
                  f"two-machines bench MODEL -d {depth} -ctk {TYPE} -ctv {TYPE}"),
        ),
        cost=tr(QUALITY),
        undo=tr("leave the options out; caches that were saved must be made anew"),
        evidence=seen,
        other_saved_s=other_s,
        trial=trial,
    )
