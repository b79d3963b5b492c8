"""Exchanges for tests, from a few figures."""

from typing import Any

from advisor.servers.exchange import CountOrigin, Exchange


def exchange(
    sent_s: float = 0.0, first_s: float = 1.0, gap_s: float = 0.1, chunks: int = 10, prompt: int = 64, **more: Any
) -> Exchange:
    """A stream whose first chunk comes ``first_s`` after sending, and the others ``gap_s`` apart."""
    arrivals = tuple(sent_s + first_s + gap_s * number for number in range(chunks))
    fields: dict[str, Any] = {
        "completion_tokens": chunks, "counted": CountOrigin.USAGE,
        "ended_at_s": arrivals[-1] if arrivals else sent_s + first_s,
    }  # fmt: skip
    return Exchange(sent_at_s=sent_s, arrivals_s=arrivals, prompt_tokens=prompt, **(fields | more))
