"""What one chunk of a streamed answer says, for chat and for plain completions; pure functions over untrusted JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from advisor.core.translation import tr

TEXT_FIELDS: Final = ("content", "reasoning_content", "reasoning", "text", "refusal")
"""Where servers put what the model writes; reasoning is written token by token like the answer, and counts."""


class NoChunk(ValueError):
    """The data of an event is no JSON object."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of a whole request; None where a count is missing or no number.

    Attributes:
        impossible: a count was sent that cannot be one (negative, in the billions, a word).
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    impossible: bool = False


@dataclass(frozen=True, slots=True)
class Chunk:
    """One event.

    Attributes:
        has_text: the model wrote something.
        finished: the choice says why it ended.
        error: the server's own words, "" where there is no error.
        usage: None where the chunk has none.
        raw: the whole object, for the engine's own timings.
    """

    has_text: bool
    finished: bool
    error: str
    usage: Usage | None
    raw: Mapping[str, Any]


def read_chunk(data: str) -> Chunk:
    """One event's data. Raises NoChunk."""
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise NoChunk from error
    if not isinstance(raw, dict):
        raise NoChunk
    choices = raw.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    inner = first.get("delta")
    delta = inner if isinstance(inner, dict) else first
    return Chunk(
        has_text=any(isinstance(delta.get(name), str) and delta[name] != "" for name in TEXT_FIELDS),
        finished=bool(first.get("finish_reason")),
        error=error_words(raw),
        usage=read_usage(raw.get("usage")),
        raw=raw,
    )


def read_usage(raw: object) -> Usage | None:
    """The usage object of a chunk or a whole answer; None where it is none."""
    if not isinstance(raw, dict):
        return None
    details = raw.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    sent = (raw.get("prompt_tokens"), raw.get("completion_tokens"), cached)
    prompt, written, held = (token_count(value) for value in sent)
    impossible = any(value is not None and token_count(value) is None for value in sent)
    return Usage(prompt, written, held, impossible)


def token_count(value: object) -> int | None:
    """A number of tokens as a server says it; None for what cannot be one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None


def error_words(raw: object) -> str:
    """The server's own words for what went wrong: of ``error``, or of ``detail`` and ``message`` as a bare object."""
    if not isinstance(raw, dict):
        return ""
    error = raw.get("error")
    if isinstance(error, dict):
        error = error.get("message") or error.get("type") or error.get("code") or tr("no reason given")
    elif not error and raw.get("object") == "error":
        error = raw.get("message") or tr("no reason given")
    elif not error and "choices" not in raw:
        error = raw.get("detail") or raw.get("message")
    return "" if not error else error if isinstance(error, str) else json.dumps(error)
