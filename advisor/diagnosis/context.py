"""Whether the model can take the request at all: its context must hold the prompt and the answer."""

from advisor.benchmarks.phrases import tokens
from advisor.core.numbers import count
from advisor.core.translation import tr
from advisor.diagnosis.model import Workload
from advisor.gguf.model import ModelFacts


def excess_tokens(workload: Workload, model: ModelFacts) -> int:
    """Tokens of prompt and answer (of a chat's last turn) beyond the model's context; 0 where it is not known."""
    length = model.context_length.or_none()
    return 0 if not length else max(0, workload.deepest_tokens - length)


def context_words(workload: Workload, model: ModelFacts) -> str:
    """A sentence with the numbers where the model cannot take the request, else empty."""
    length = model.context_length.or_none()
    if not length or not excess_tokens(workload, model):
        return ""
    holds = tokens(length)
    if workload.prompt_tokens >= length:
        return tr(
            "This model cannot take this prompt: its context holds {length}, the prompt has {prompt}. The times below "
            "are what it would take if it could.",
            length=holds, prompt=count(workload.prompt_tokens),
        )  # fmt: skip
    if workload.turns > 1 and workload.prompt_tokens + workload.answer_tokens <= length:
        return tr(
            "This model cannot hold the whole chat: its context holds {length}, turn {turn} ends with {reached}.",
            length=holds, turn=count(workload.turns), reached=count(workload.deepest_tokens),
        )  # fmt: skip
    return tr(
        "This model cannot finish this answer: its context holds {length}, prompt and answer have {both}.",
        length=holds, both=count(workload.prompt_tokens + workload.answer_tokens),
    )  # fmt: skip
