"""How requests are worded for each engine, and what is changed where a server refuses them; talks to nobody."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from advisor.core.errors import AdvisorError
from advisor.servers.facts import ServerKind

IGNORE_EOS: Final = frozenset({ServerKind.VLLM, ServerKind.SGLANG, ServerKind.LLAMA_SERVER, ServerKind.UNKNOWN})
MIN_TOKENS: Final = frozenset({ServerKind.LLAMA_CPP_PYTHON})
"""Which option makes an engine write as many tokens as asked; Ollama and LM Studio have none."""

CHAT_FIRST: Final = frozenset({ServerKind.OLLAMA, ServerKind.LM_STUDIO, ServerKind.UNKNOWN})
"""The others are asked for plain completions, whose prompt has no template before it."""

TIMED_PATHS: Final[Mapping[ServerKind, str]] = {
    ServerKind.OLLAMA: "/api/chat",
    ServerKind.LM_STUDIO: "/api/v0/chat/completions",
}
"""APIs of their own whose answers tell the engine's times, which those below /v1 do not."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that is no success; ``retry_after_s`` is −1 where the server names no wait."""

    status: int
    body: str
    retry_after_s: float
    error: AdvisorError


@dataclass(slots=True)
class Dialect:
    """The form of requests to one server.

    Attributes:
        model: named in requests, "" for none.
        kind: of the engine.
        chat: whether chat or plain completions are asked for; None until a request has shown which works.
        refused: fields that the server does not take.
    """

    model: str
    kind: ServerKind = ServerKind.UNKNOWN
    chat: bool | None = None
    refused: set[str] = field(default_factory=set)

    @property
    def asks_chat(self) -> bool:
        """Whether the next request goes to the chat API."""
        return self.kind in CHAT_FIRST if self.chat is None else self.chat

    @property
    def path(self) -> str:
        """Below ``/v1``."""
        return "chat/completions" if self.asks_chat else "completions"

    def body(self, prompt: str, answer_tokens: int) -> dict[str, object]:
        """A streamed request."""
        length = "max_completion_tokens" if "max_tokens" in self.refused else "max_tokens"
        body: dict[str, object] = {"model": self.model} if self.model else {}
        body |= {"messages": _messages(prompt)} if self.asks_chat else {"prompt": prompt}
        body |= {"stream": True, length: answer_tokens, "temperature": 0, "stream_options": {"include_usage": True}}
        body |= {"ignore_eos": True} if self.kind in IGNORE_EOS else {}
        body |= {"min_tokens": answer_tokens} if self.kind in MIN_TOKENS else {}
        return {name: value for name, value in body.items() if name not in self.refused}

    def whole_body(self, prompt: str, answer_tokens: int) -> dict[str, object]:
        """The same request, answered in one piece."""
        body = self.body(prompt, answer_tokens)
        body.pop("stream_options", None)
        return {**body, "stream": False}

    def timed_body(self, prompt: str, answer_tokens: int) -> dict[str, Any]:
        """A request to the engine's path of ``TIMED_PATHS``, answered in one piece."""
        if self.kind is ServerKind.OLLAMA:
            options = {"num_predict": answer_tokens, "temperature": 0}
            return {"model": self.model, "messages": _messages(prompt), "stream": False, "options": options}
        length = {"max_tokens": answer_tokens, "temperature": 0}
        return {"model": self.model, "messages": _messages(prompt), "stream": False, **length}

    def mend(self, refused: Refused) -> bool:
        """Leave out what the server refuses, or turn to its other API; False where nothing is left to change."""
        if self.chat is None and (
            refused.status in (404, 405, 501) or (refused.status == 400 and "template" in refused.body)
        ):
            self.chat = self.kind not in CHAT_FIRST  # the other one than the first
            return True
        if refused.status not in (400, 422):
            return False
        body = self.body("", 1)
        optional = [name for name in ("ignore_eos", "min_tokens", "stream_options", "temperature") if name in body]
        if "max_completion_tokens" in refused.body and "max_completion_tokens" not in body:
            self.refused.add("max_tokens")
            return True
        named = [name for name in optional if name in refused.body]
        self.refused.update(named)
        return bool(named)


def _messages(prompt: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": prompt}]
