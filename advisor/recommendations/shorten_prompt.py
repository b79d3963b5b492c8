"""Shorten the prompt: the wait is linear in its tokens, so every passage has a price in seconds."""

import math
from dataclasses import replace
from typing import Final

from advisor.benchmarks.model import Phase, Sweep
from advisor.benchmarks.phrases import tokens as of_tokens
from advisor.benchmarks.trials.model import Arm, SettingTrial
from advisor.core.evidence import Basis
from advisor.core.numbers import count, seconds
from advisor.core.translation import marked, tr, trn
from advisor.diagnosis.context import excess_tokens
from advisor.diagnosis.timeline import timeline
from advisor.recommendations.evidence import Evidence
from advisor.recommendations.model import Advice, HowTo
from advisor.recommendations.reading import share_of_wait
from advisor.recommendations.saving import Saving, within

ID: Final = "shorten-prompt"

PASSAGE_TOKENS: Final = 340
"""A retrieved passage of about 250 words (0.75 words per token): ten of them fill the document preset. People's own
passages differ, so the price of one is stated as well."""

FEWEST_PASSAGES: Final = 3
"""Fewer passages risk missing the answer; below this it is no longer the same work."""

HALF: Final = 0.5

TRIED_S: Final = 6.0
"""A prompt that takes longer to read than this is tried with a shorter one, so that five rounds fit a minute."""
LEAST_TRIED: Final = 512
"""Tokens of that shorter one: no fewer than the engine computes at once."""

UNSURE: Final = 0.15
"""Processes of one program differ by 10 % (docs/accuracy.md), and kernels are predicted within 12 %."""


def predict(evidence: Evidence) -> Advice | None:
    """Fewer passages for questions on documents, half of the changing part for others; at least what must go to fit."""
    workload = evidence.workload
    movable = workload.prompt_tokens - workload.shared_tokens
    s_per_token = evidence.timeline.wait_s / workload.prompt_tokens
    if workload.id == "rag":
        passages = max(1, round(movable / PASSAGE_TOKENS))
        kept = _passages_to_keep(evidence, passages, movable / passages)
        removed = round(movable * (passages - kept) / passages)
        each_s = movable / passages * s_per_token
        title = trn(
            "Retrieve {n}\u00a0passage, not {all}", "Retrieve {n}\u00a0passages, not {all}", kept,
            n=count(kept), all=count(passages),
        )  # fmt: skip
        price = tr(
            "Each passage of about {tokens} costs {time} of waiting.",
            tokens=of_tokens(movable / passages), time=seconds(each_s),
        )  # fmt: skip
    else:
        removed = int(movable * HALF)
        title = tr(_TITLES.get(workload.id, HALVE))
        price = tr("Each 1,000 prompt tokens cost {time} of waiting.", time=seconds(1000 * s_per_token))
    excess = 0 if evidence.is_chat else excess_tokens(workload, evidence.model)  # a chat is told to be too long
    if excess > removed:
        removed, title = excess, tr("Cut the prompt to what the model can take")
    if not 1 <= removed < workload.prompt_tokens:
        return None
    fits = f" {_context(evidence)}" if excess else ""
    row = evidence.prefill_row
    spread = (row.relative_spread or 0.0) if row is not None else 0.0
    left = workload.prompt_tokens - removed
    saving = _saving(evidence, left, max(spread, UNSURE))
    return Advice(
        id=ID,
        phase=Phase.PREFILL,
        title=title,
        detail=trn(
            "{all} → {left} prompt token.{fits} {price}", "{all} → {left} prompt tokens.{fits} {price}", left,
            all=count(workload.prompt_tokens), left=count(left), fits=fits, price=price,
        ),
        saved_s=saving.middle_s,
        saved_s_low=saving.low_s,
        saved_s_high=saving.high_s,
        basis=Basis.COMPUTED,
        how=_how(workload.id),
        cost=tr("the model sees less; check that answers stay right"),
        undo=tr("send the longer prompt again"),
        evidence=tr(
            "The prompt is read at {speed}, so the wait falls with every token left out.",
            speed=evidence.reading_words(),
        ),
        other_saved_s=writing_saved_s(evidence, left),
        trial=_trial(evidence, left),
    )


def writing_saved_s(evidence: Evidence, left: int) -> float:
    """What writing gains from less before it, as far as its speed was measured over depth; of a chat not told."""
    if evidence.is_chat:
        return 0.0
    shared = min(evidence.workload.shared_tokens, left)
    shorter = replace(evidence.workload, prompt_tokens=left, shared_tokens=shared)
    then = timeline(shorter, evidence.tests, evidence.traffic).or_none()
    return 0.0 if then is None else max(0.0, evidence.timeline.stream_s - then.stream_s)


def _saving(evidence: Evidence, left: int, spread: float) -> Saving:
    """By the kernels, where the last tokens of a long prompt cost most and few tokens hardly less than more of them.

    The range reaches to the tokens' own share. A chat's average turn stands behind what was said before, so that its
    tokens cost about the same.
    """
    wait_s, by_tokens = evidence.timeline.wait_s, 1 - left / evidence.workload.prompt_tokens
    kept = None if evidence.is_chat else share_of_wait(evidence, left)
    share = by_tokens if kept is None else max(0.0, 1 - kept)
    low, high = min(share, by_tokens) * (1 - spread), max(share, by_tokens) * (1 + spread)
    return within(wait_s, wait_s * low, wait_s * share, wait_s * high)


def _trial(evidence: Evidence, left: int) -> SettingTrial | None:
    """Both prompts, read from the start; a long one that takes long is stood for by a shorter one of the same share."""
    row, tokens = evidence.prefill_row, evidence.workload.prompt_tokens
    if row is None:
        return None
    longest = tokens
    if tokens > TRIED_S * row.tokens_per_s:
        longest = round(max(TRIED_S * row.tokens_per_s, LEAST_TRIED))
    longest = min(tokens, longest, evidence.model.context_length.or_none() or longest)

    def arm(whole: int) -> Arm:
        read = max(1, round(whole * longest / tokens))
        stands = "" if read == whole else tr(", standing for {n}", n=count(whole))
        words = trn(
            "{n}\u00a0prompt token{stands}", "{n}\u00a0prompt tokens{stands}", read, n=count(read), stands=stands
        )
        return Arm(words, (replace(row.spec, n_prompt=read, n_depth=0, sweep=Sweep.PHASES),))

    return SettingTrial(arm(tokens), arm(left))


HALVE: Final = marked("Halve the part of the prompt that changes")
_TITLES: Final = {
    "chat": marked("Send half of the new text"),
    "summarise": marked("Summarise only the half that matters"),
    "coding": marked("Send half of the changing files"),
}


def _context(evidence: Evidence) -> str:
    return tr(
        "The model's context holds {length}, an answer of {answer} included: the present prompt does not fit.",
        length=of_tokens(evidence.model.context_length.or_none() or 0),
        answer=of_tokens(evidence.workload.answer_tokens),
    )


def _passages_to_keep(evidence: Evidence, passages: int, each_tokens: float) -> int:
    """As many as the comfort line allows, between ``FEWEST_PASSAGES`` and one less; half where it is met already."""
    workload, now = evidence.workload, evidence.timeline
    limit_s = workload.comfort.longest_wait_s
    if each_tokens <= 0:
        return passages
    if now.wait_s <= limit_s:
        return max(min(FEWEST_PASSAGES, passages), passages // 2)
    budget_tokens = limit_s * now.prefill_tokens_per_s - workload.shared_tokens
    affordable = math.floor(budget_tokens / each_tokens)
    return max(min(FEWEST_PASSAGES, passages), min(affordable, passages - 1))


def _how(workload_id: str) -> tuple[HowTo, ...]:
    if workload_id == "rag":
        words = tr(
            "Lower the number of retrieved passages (often called top-k), or rerank and keep the best ones."
        )
    elif workload_id == "chat":
        words = tr("Send shorter messages: paste the passage that matters, not the whole file.")
    else:
        words = tr("Leave out files and instructions that this request does not need.")
    return (HowTo(tr("your program"), words),)
