"""Whether the model can take the request at all: its context must hold the prompt and the answer."""

from advisor.core.numbers import count, plural
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
    limit = f"its context holds {plural(length, 'token')}"
    if workload.prompt_tokens >= length:
        return (
            f"This model cannot take this prompt: {limit}, the prompt has {count(workload.prompt_tokens)}. The times "
            "below are what it would take if it could."
        )
    if workload.turns > 1 and workload.prompt_tokens + workload.answer_tokens <= length:
        return (
            f"This model cannot hold the whole chat: {limit}, turn {count(workload.turns)} ends with "
            f"{count(workload.deepest_tokens)}."
        )
    return (
        f"This model cannot finish this answer: {limit}, prompt and answer have "
        f"{count(workload.prompt_tokens + workload.answer_tokens)}."
    )
