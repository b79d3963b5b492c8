"""What a running server is, by its own answers; ``recognise.py`` makes ``Recognised`` of ``Answer``s, purely."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from advisor.core.evidence import Fact, Missing, Unknown
from advisor.core.translation import tr


def not_said() -> Unknown:
    """What the server keeps to itself."""
    return Unknown(tr("the server does not say"), Missing.NOT_SUPPORTED)


class ServerKind(StrEnum):
    """The program behind the address; the text is what the user reads."""

    VLLM = "vLLM"
    LLAMA_SERVER = "llama-server"
    SGLANG = "SGLang"
    OLLAMA = "Ollama"
    LM_STUDIO = "LM Studio"
    LLAMA_CPP_PYTHON = "llama-cpp-python"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one probing GET came back with; nothing in it is trusted.

    Attributes:
        path: below the server's root, ``/version``, ``/v1/models``.
        status: HTTP status; 0 where no answer came.
        content_type: as sent, "" where absent.
        server: the header ``Server``, "" where absent.
        text: the body, cut at 256 KiB.
    """

    path: str
    status: int
    content_type: str = ""
    server: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What the probing answers say.

    Attributes:
        kind: the engine, UNKNOWN where nothing fits.
        because: which answer says so, in words of their language that a user can check ("/props has build_info").
        version: as the server says it.
        models: ids that requests may name, in the server's order.
        context_tokens: of one request, by model id; models that do not tell are absent.
        slots: requests that are computed together; more of them wait.
        settings: what the server says of its own settings, by its own name for them ("chunked_prefill_size": "2048").
    """

    kind: ServerKind
    because: str
    version: Fact[str]
    models: tuple[str, ...] = ()
    context_tokens: Mapping[str, int] = field(default_factory=dict)
    slots: Fact[int] = field(default_factory=not_said)
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """The server and the model that is measured.

    Attributes:
        base_url: up to and with ``/v1``, without user, password and query.
        model: the id that requests name, "" where the server has no list and none was given.
        round_trip_s: the fastest answer to a request that computes nothing, on an open connection.
    """

    base_url: str
    kind: ServerKind
    because: str
    version: Fact[str]
    models: tuple[str, ...]
    model: str
    context_tokens: Fact[int]
    slots: Fact[int]
    settings: Mapping[str, str]
    round_trip_s: Fact[float]
