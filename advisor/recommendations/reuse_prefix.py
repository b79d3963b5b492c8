"""Reuse a cached prefix: tokens that are the same every time are read once."""

from enum import Enum
from typing import Final

from advisor.benchmarks.model import Phase
from advisor.benchmarks.planning.predicting import RESTORE_BYTES_PER_S
from advisor.benchmarks.trials.model import PrefixTrial
from advisor.ceilings.predict import UBATCH
from advisor.core.evidence import Basis
from advisor.core.numbers import count, seconds, size
from advisor.core.translation import marked, tr, trn
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.reading import share_of_wait
from advisor.recommendations.saving import within
from advisor.servers.facts import ServerKind
from advisor.servers.flags import CACHE_REUSE, Aim, command

ID: Final = "reuse-prefix"

BLOCK: Final = 16
"""Tokens of vLLM's cache blocks; only whole ones are reused, and never the last token (physics.md eq. 26)."""

UNSURE: Final = 0.15
"""How far the share of the wait may be off where it is computed from the number of tokens alone: a short rest is read
at a lower speed than a long prompt, and deep tokens cost more than the first ones."""


class Resumes(Enum):
    """Where a cached prompt can be taken up again."""

    ANYWHERE = "anywhere"
    IN_WINDOW = "here, since what changes is short"
    AT_WINDOW = "only at a checkpoint, for layers with a sliding window"
    AT_STATE = "only at a checkpoint, for layers whose state holds all that was read"


_LIMITS: Final = {
    Resumes.IN_WINDOW: marked(
        " This model has sliding-window layers: it can resume here because what changes and the answer are no longer "
        "than the {n} tokens that the cache keeps beside the window."
    ),
    Resumes.AT_WINDOW: marked(
        " This model has sliding-window layers: it can resume only where the server kept a checkpoint, and otherwise "
        "reads everything again."
    ),
    Resumes.AT_STATE: marked(
        " This model has recurrent layers: their state cannot be cut back, so it can resume only where the server kept "
        "a checkpoint, and otherwise reads everything again."
    ),
}


def predict(evidence: Evidence) -> Advice | None:
    """The shared tokens' share of the wait, less a restore in the low case; nothing where nothing is shared."""
    workload, timeline, traffic = evidence.workload, evidence.timeline, evidence.traffic
    # the last prompt token is always evaluated (physics.md eq. 26)
    reusable = min(workload.shared_tokens, workload.prompt_tokens - 1)
    if reusable < 1:
        return None
    middle_s = timeline.wait_s * _share(evidence, reusable)
    restore_s = 0.0 if traffic is None else reusable * traffic.kv_bytes_per_token() / RESTORE_BYTES_PER_S
    row = evidence.prefill_row
    spread = max(UNSURE, (row.relative_spread or 0.0) if row is not None else 0.0)
    resumes = _resumes(evidence)
    safe = resumes in (Resumes.ANYWHERE, Resumes.IN_WINDOW)
    low_s = max(0.0, middle_s - spread * (timeline.wait_s - middle_s) - workload.users * restore_s) if safe else 0.0
    saving = within(timeline.wait_s, low_s, middle_s, middle_s + spread * (timeline.wait_s - middle_s))
    limits = tr(_LIMITS[resumes], n=UBATCH) if resumes in _LIMITS else ""
    return Advice(
        id=ID,
        phase=Phase.PREFILL,
        title=_title(evidence),
        detail=f"{_detail(evidence)}{limits}",
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.COMPUTED,
        how=_how(resumes, reusable),
        cost=_cost(evidence, reusable),
        undo=tr("nothing to undo; the cache empties when the server stops"),
        evidence=trn(
            "{n} of {all} prompt tokens is the same every time and takes {time} at {speed}; counted as if every "
            "request is read cold.{restored}",
            "{n} of {all} prompt tokens are the same every time and take {time} at {speed}; counted as if every "
            "request is read cold.{restored}",
            reusable,
            n=count(reusable), all=count(workload.prompt_tokens), time=seconds(middle_s),
            speed=evidence.reading_words(), restored=_restored(restore_s),
        ),
        trial=PrefixTrial(workload.prompt_tokens, reusable),
    )


def _title(evidence: Evidence) -> str:
    if evidence.is_chat:
        return tr("Keep what was read in the turns before")
    return tr("Keep the {n}-token beginning cached", n=count(evidence.workload.shared_tokens))


def _restored(restore_s: float) -> str:
    if restore_s < 0.1:
        return ""
    return tr(" A cache that was moved away takes {time} to come back.", time=seconds(restore_s))


def _detail(evidence: Evidence) -> str:
    workload = evidence.workload
    if evidence.is_chat:
        return tr(
            "Of the {all} tokens that a turn must know on average, {n} stood there before: they need not be read again "
            "if nothing before them changes.",
            all=count(workload.prompt_tokens), n=count(workload.shared_tokens),
        )  # fmt: skip
    return tr("Read once, reused by each request, if all text that changes comes last.")


def _share(evidence: Evidence, reusable: int) -> float:
    """Share of the wait that the first ``reusable`` tokens cost; what is left to read stands behind them."""
    total = evidence.workload.prompt_tokens
    rest = share_of_wait(evidence, total - reusable, reusable)
    return reusable / total if rest is None else max(0.0, 1 - rest)


def _resumes(evidence: Evidence) -> Resumes:
    """Recurrent layers decide where a model has both kinds: a full-size window cache does not help their state.

    A cache of windows holds one window and a batch (llama.cpp's ``llama_kv_cache_iswa``): it can be cut back by as much
    as the batch.
    """
    traffic, workload = evidence.traffic, evidence.workload
    if traffic is None:
        return Resumes.ANYWHERE
    if traffic.recurrent:
        return Resumes.AT_STATE
    if all(layer.window is None for layer in traffic.attention):
        return Resumes.ANYWHERE
    changing = workload.prompt_tokens - workload.shared_tokens + workload.answer_tokens
    return Resumes.IN_WINDOW if changing <= UBATCH else Resumes.AT_WINDOW


def _cost(evidence: Evidence, reusable: int) -> str:
    if evidence.traffic is None:
        return tr("memory for the cache that is kept")
    held = evidence.traffic.kv_bytes_per_token() * reusable + evidence.traffic.state_bytes
    return tr(
        "up to {size} of memory for the cache that is kept; no time or date at the top of the prompt", size=size(held)
    )


def _how(resumes: Resumes, reusable: int) -> tuple[HowTo, ...]:
    order = HowTo(tr("your program"), tr("Put instructions and documents that stay the same first, and the time, the "
                                         "user's name and the question last."))
    server = HowTo(
        "llama-server",
        tr("On by default (cache_prompt) within one slot; this also reuses pieces that moved, where the cache can "
           "shift."),
        f"llama-server {CACHE_REUSE}",
    )
    if resumes is Resumes.AT_STATE:
        server = HowTo(
            "llama-server",
            tr("On by default (cache_prompt); it resumes at the last checkpoint before the change, and more of them "
               "take more memory."),
            "llama-server --ctx-checkpoints 32",
        )
    if resumes in (Resumes.IN_WINDOW, Resumes.AT_WINDOW):  # pieces cannot move in a cache of windows
        server = HowTo(
            "llama-server",
            tr("On by default (cache_prompt); a full-size window cache lets a sliding-window model resume anywhere, "
               "for more memory."),
            "llama-server --swa-full",
        )
    return (
        order,
        server,
        HowTo("Ollama", tr("Reused by itself while the model stays loaded; keep it loaded longer."),
              command(ServerKind.OLLAMA, Aim.PREFIX)),
        HowTo("LM Studio", tr("Reused by itself; there is no setting.")),
        HowTo("vLLM", tr("On by default, in whole blocks of {block} tokens: {n} of these.",
                         block=BLOCK, n=count(reusable // BLOCK * BLOCK)),
              command(ServerKind.VLLM, Aim.PREFIX)),
    )
