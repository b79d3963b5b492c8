"""Figures that a server sends of a request, held against what the request was; pure functions.

A count that cannot be (negative, in the billions, more tokens than were asked for or than the prompt has letters) says
nothing, and nothing else in the same answer is better for standing beside it.
"""

from typing import Final

from advisor.core.evidence import Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.servers.chunks import Usage
from advisor.servers.exchange import EngineTimings

ANSWER_SLACK: Final = 8
"""Tokens by which servers go past what was asked for: end tokens, the last step of guessed tokens."""

TEMPLATE_TOKENS: Final = 20_000
"""The longest system prompt that a server may put around ours; those of assistants reach some thousands."""


def usage_is_wrong(usage: Usage, asked: int, prompt_bytes: int, chunks: int) -> bool:
    """Whether the usage figures cannot be right.

    Args:
        usage: as sent.
        asked: tokens of the answer that were asked for.
        prompt_bytes: of the prompt as UTF-8; no tokenizer makes more tokens than bytes.
        chunks: with text that came. A server that writes more than it was asked for sends more of them as well.
    """
    written, prompt, cached = usage.completion_tokens, usage.prompt_tokens, usage.cached_tokens
    return (
        usage.impossible
        or prompt_is_wrong(prompt, prompt_bytes)
        or (written is not None and written > max(asked, chunks) + ANSWER_SLACK)
        or (written == 0 and chunks > 1)
        or (cached is not None and prompt is not None and cached > prompt)
    )


def prompt_is_wrong(tokens: int | None, prompt_bytes: int) -> bool:
    """Whether a prompt of so many bytes cannot have come to so many tokens, the server's template included."""
    return tokens is not None and tokens > prompt_bytes + TEMPLATE_TOKENS


def believed_timings(
    engine: Fact[EngineTimings], asked: int, prompt_bytes: int, chunks: int
) -> Fact[EngineTimings]:
    """The engine's own timings of a request; Unknown where they cannot be those of this one."""
    if not isinstance(engine, Known):
        return engine
    told = engine.value
    wrong = (told.decode_tokens or 0) > max(asked, chunks) + ANSWER_SLACK
    wrong = wrong or prompt_is_wrong(told.prompt_tokens, prompt_bytes)
    return (
        Unknown(tr("{source} cannot be those of this request", source=told.source), Missing.FAILED) if wrong else engine
    )
