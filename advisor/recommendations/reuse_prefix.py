"""Reuse a cached prefix: tokens that are the same every time are read once."""

from enum import Enum
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Basis
from advisor.core.numbers import count, noun, seconds, size
from advisor.gguf.traffic import Traffic
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.saving import within

ID: Final = "reuse-prefix"

RESTORE_BYTES_PER_S: Final = 2e9
"""A cache that was moved away comes back at about this speed (physics.md E28); one still in place costs nothing."""


class Resumes(Enum):
    """Where a cached prompt can be taken up again."""

    ANYWHERE = "anywhere"
    AT_WINDOW = "only at a checkpoint, for layers with a sliding window"
    AT_STATE = "only at a checkpoint, for layers whose state holds all that was read"


_LIMITS: Final = {
    Resumes.AT_WINDOW: "This model has sliding-window layers: it can resume only where the server kept a checkpoint, "
                       "and otherwise reads everything again.",
    Resumes.AT_STATE: "This model has recurrent layers: their state cannot be cut back, so it can resume only where "
                      "the server kept a checkpoint, and otherwise reads everything again.",
}


def predict(evidence: Evidence) -> Advice | None:
    """The shared tokens' share of the wait, less a restore in the low case; nothing where nothing is shared."""
    workload, timeline, traffic = evidence.workload, evidence.timeline, evidence.traffic
    # the last prompt token is always evaluated (physics.md eq. 26)
    reusable = min(workload.shared_tokens, workload.prompt_tokens - 1)
    if reusable < 1:
        return None
    middle_s = timeline.wait_s * reusable / workload.prompt_tokens
    restore_s = 0.0 if traffic is None else reusable * traffic.kv_bytes_per_token() / RESTORE_BYTES_PER_S
    row = evidence.prefill_row
    spread = (row.relative_spread or 0.0) if row is not None else 0.0
    resumes = _resumes(traffic)
    low_s = 0.0 if resumes is not Resumes.ANYWHERE else max(0.0, middle_s * (1 - spread) - workload.users * restore_s)
    saving = within(timeline.wait_s, low_s, middle_s, middle_s * (1 + spread))
    limits = f" {_LIMITS[resumes]}" if resumes in _LIMITS else ""
    return Advice(
        id=ID,
        phase=Phase.PREFILL,
        title=f"Keep the {count(workload.shared_tokens)}-token beginning cached",
        detail=f"Read once, reused by each request, if all text that changes comes last.{limits}",
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.COMPUTED,
        how=_how(resumes),
        cost=_cost(evidence, reusable),
        undo="nothing to undo; the cache empties when the server stops",
        evidence=(
            f"{count(reusable)} of {count(workload.prompt_tokens)} prompt tokens {noun(reusable, 'is', 'are')} the "
            f"same every time and {noun(reusable, 'takes', 'take')} "
            f"{seconds(middle_s)} at {evidence.reading_words()}; counted as if every request is read cold."
        ),
    )


def _resumes(traffic: Traffic | None) -> Resumes:
    """Recurrent layers decide where a model has both kinds: a full-size window cache does not help their state."""
    if traffic is None:
        return Resumes.ANYWHERE
    if traffic.recurrent:
        return Resumes.AT_STATE
    return Resumes.AT_WINDOW if any(layer.window is not None for layer in traffic.attention) else Resumes.ANYWHERE


def _cost(evidence: Evidence, reusable: int) -> str:
    if evidence.traffic is None:
        return "memory for the cache that is kept"
    held = evidence.traffic.kv_bytes_per_token() * reusable + evidence.traffic.state_bytes
    return f"up to {size(held)} of memory for the cache that is kept; no time or date at the top of the prompt"


def _how(resumes: Resumes) -> tuple[HowTo, ...]:
    order = HowTo("your program", "Put instructions and documents that stay the same first, and the time, the user's "
                                  "name and the question last.")
    server = HowTo(
        "llama-server",
        "On by default (cache_prompt) within one slot; this also reuses pieces that moved, where the cache can shift.",
        "llama-server --cache-reuse 256",
    )
    if resumes is Resumes.AT_STATE:
        server = HowTo(
            "llama-server",
            "On by default (cache_prompt); it resumes at the last checkpoint before the change, and more of them take "
            "more memory.",
            "llama-server --ctx-checkpoints 32",
        )
    if resumes is Resumes.AT_WINDOW:
        server = HowTo(
            "llama-server",
            "On by default (cache_prompt); a full-size window cache lets a sliding-window model resume anywhere, for "
            "more memory.",
            "llama-server --swa-full",
        )
    return (
        order,
        server,
        HowTo("Ollama", "Reused by itself while the model stays loaded; keep it loaded longer.",
              "OLLAMA_KEEP_ALIVE=30m ollama serve"),
        HowTo("LM Studio", "Reused by itself; there is no setting."),
        HowTo("vLLM", "On by default, in whole blocks of 16 tokens.", "vllm serve MODEL --enable-prefix-caching"),
    )
