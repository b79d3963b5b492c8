"""Which program answers at an address, from the answers of its own endpoints; pure functions over untrusted text.

Every engine has signs: a strong one counts two, a weak one (a name that others may use as well) one. An engine is named
from two on, if no other has as many; anything else is UNKNOWN with what was seen.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final, TypeGuard

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import tr
from advisor.servers import prometheus
from advisor.servers.chunks import token_count
from advisor.servers.facts import Answer, Recognised, ServerKind, not_said

PROBES: Final = (
    "/v1/models", "/props", "/version", "/metrics", "/server_info", "/get_server_info", "/model_info",
    "/get_model_info", "/api/version", "/api/tags", "/api/ps", "/api/v1/models", "/api/v0/models", "/openapi.json",
)  # fmt: skip
"""Endpoints to ask, below the server's root; none of them computes anything."""

ENOUGH: Final = 2
OWNERS: Final[Mapping[str, ServerKind]] = {
    "llamacpp": ServerKind.LLAMA_SERVER,
    "vllm": ServerKind.VLLM,
    "sglang": ServerKind.SGLANG,
    "library": ServerKind.OLLAMA,
    "organization_owner": ServerKind.LM_STUDIO,
}
"""``owned_by`` in the lists of models of each engine's own source or documents, read 2026-11-30."""

SGLANG_SETTINGS: Final = ("chunked_prefill_size", "max_prefill_tokens", "max_running_requests", "schedule_policy",
                          "disable_radix_cache", "mem_fraction_static", "enable_mixed_chunk")  # fmt: skip
CACHE_SETTINGS: Final = ("enable_prefix_caching", "block_size", "cache_dtype", "num_gpu_blocks")
"""Labels of ``vllm:cache_config_info``."""

LM_STUDIO_FIELDS: Final = frozenset({"compatibility_type", "max_context_length", "publisher", "state"})


@dataclass(frozen=True, slots=True)
class _Sign:
    kind: ServerKind
    weight: int
    words: str


class _Answers:
    """The answers that came with status 200, by path, as JSON objects and as text."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self.all = answers
        self.texts = {answer.path: answer.text for answer in answers if answer.status == 200}
        self._objects = {path: _object(text) for path, text in self.texts.items()}

    def object(self, *paths: str) -> Mapping[str, Any]:
        """The first of the paths that answered with an object; empty where none did."""
        return next((self._objects[path] for path in paths if self._objects.get(path)), {})

    def rows(self, path: str, name: str) -> list[Mapping[str, Any]]:
        """A list of objects in an answer; anything else in it is left out."""
        rows = self.object(path).get(name)
        return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def recognise(answers: Sequence[Answer]) -> Recognised:
    """The engine, its version, its models and what it says of its settings. Never raises."""
    held = _Answers(answers)
    signs = _signs(held)
    points = {kind: sum(sign.weight for sign in signs if sign.kind is kind) for kind in ServerKind}
    best = max(points, key=lambda kind: points[kind])
    rivals = [kind for kind in ServerKind if points[kind] == points[best]]
    models = tuple(row["id"] for row in held.rows("/v1/models", "data") if _text(row.get("id")))
    if points[best] < ENOUGH or len(rivals) > 1:
        return Recognised(ServerKind.UNKNOWN, _seen(held, signs), _no_version(), models, _context_of_list(held))
    because = reduce(
        lambda before, last: tr("{before} and {last}", before=before, last=last),
        (sign.words for sign in signs if sign.kind is best),
    )
    version, context, slots, settings = _READERS[best](held)
    return Recognised(best, because, version, models, {**_context_of_list(held), **context}, slots, settings)


def _signs(held: _Answers) -> list[_Sign]:
    props, metrics = held.object("/props"), held.texts.get("/metrics", "")
    signs = []

    def sign(found: object, kind: ServerKind, weight: int, words: str) -> None:
        if found:
            signs.append(_Sign(kind, weight, words))

    sign(_text(props.get("build_info")) and "default_generation_settings" in props, ServerKind.LLAMA_SERVER, 2,
         tr("/props has build_info"))
    sign(any(answer.server == "llama.cpp" for answer in held.all), ServerKind.LLAMA_SERVER, 1,
         tr("its Server header says llama.cpp"))
    sign(_text(held.object("/version").get("version")), ServerKind.VLLM, 1, tr("/version answers"))
    for prefix, kind in (("vllm:", ServerKind.VLLM), ("sglang:", ServerKind.SGLANG),
                         ("llamacpp:", ServerKind.LLAMA_SERVER)):  # fmt: skip
        sign(f"\n{prefix}" in f"\n{metrics}", kind, 2, tr("/metrics has {prefix}… figures", prefix=prefix))
    info = held.object("/server_info", "/get_server_info")
    sign(
        sum(name in info for name in SGLANG_SETTINGS) >= 2, ServerKind.SGLANG, 2, tr("its server info has its options")
    )
    about = held.object("/model_info", "/get_model_info")
    sign("model_path" in about and "is_generation" in about, ServerKind.SGLANG, 1, tr("its model info answers"))
    sign(_text(held.object("/api/version").get("version")), ServerKind.OLLAMA, 1, tr("/api/version answers"))
    sign(any("digest" in row and "name" in row for row in held.rows("/api/tags", "models")), ServerKind.OLLAMA, 1,
         tr("/api/tags lists models with digests"))
    sign(held.object("/api/tags").get("models") == [], ServerKind.OLLAMA, 1, tr("/api/tags has an empty list"))
    sign(any(len(LM_STUDIO_FIELDS & row.keys()) >= 3 for row in held.rows("/api/v0/models", "data")),
         ServerKind.LM_STUDIO, 2, tr("/api/v0/models lists its models"))
    sign(any("loaded_instances" in row and "key" in row for row in held.rows("/api/v1/models", "models")),
         ServerKind.LM_STUDIO, 2, tr("/api/v1/models lists its models"))
    title = _part(held.object("/openapi.json"), "info").get("title")
    sign(_text(title) and "llama.cpp Python API" in title, ServerKind.LLAMA_CPP_PYTHON, 2,
         tr("its OpenAPI title is “llama.cpp Python API”"))
    owners = {owner for row in held.rows("/v1/models", "data") if _text(owner := row.get("owned_by"))}
    for owner in sorted(owners & OWNERS.keys()):
        sign(True, OWNERS[owner], 1, tr("its models are owned by “{owner}”", owner=owner))
    return signs


def _seen(held: _Answers, signs: Sequence[_Sign]) -> str:
    if signs:
        return tr("too little to tell: {signs}", signs=", ".join(f"{sign.words} ({sign.kind})" for sign in signs))
    if not held.texts:
        return tr("nothing answered")
    return tr("only these answered, in no form known here: {paths}", paths=", ".join(sorted(held.texts)))


_Read = tuple[Fact[str], Mapping[str, int], Fact[int], Mapping[str, str]]


def _llama_server(held: _Answers) -> _Read:
    props = held.object("/props")
    version = _known(props.get("build_info"), "/props build_info")
    context = _count(_part(props, "default_generation_settings").get("n_ctx"))
    ids = [row["id"] for row in held.rows("/v1/models", "data") if _text(row.get("id"))]
    slots = _count(props.get("total_slots"))
    settings = {"model_path": str(props["model_path"])} if _text(props.get("model_path")) else {}
    return version, dict.fromkeys(ids, context) if context else {}, _slots(slots, "/props total_slots"), settings


def _vllm(held: _Answers) -> _Read:
    info = next((sample.labels for sample in prometheus.parse(held.texts.get("/metrics", "")).samples
                 if sample.name == "vllm:cache_config_info"), {})  # fmt: skip
    settings = {name: info[name] for name in CACHE_SETTINGS if name in info}
    return _known(held.object("/version").get("version"), "/version"), {}, not_said(), settings


def _sglang(held: _Answers) -> _Read:
    info = held.object("/server_info", "/get_server_info")
    settings = {name: str(info[name]) for name in SGLANG_SETTINGS if isinstance(info.get(name), int | float | str)}
    served, context = info.get("served_model_name"), _count(info.get("context_length"))
    held_context = {served: context} if _text(served) and context is not None else {}
    slots = _slots(_count(info.get("max_running_requests")), tr("server info, max_running_requests"))
    return _known(info.get("version"), tr("its server info")), held_context, slots, settings


def _ollama(held: _Answers) -> _Read:
    contexts = {row["name"]: count for row in held.rows("/api/ps", "models")
                if _text(row.get("name")) and (count := _count(row.get("context_length")))}  # fmt: skip
    return _known(held.object("/api/version").get("version"), "/api/version"), contexts, not_said(), {}


def _lm_studio(held: _Answers) -> _Read:
    contexts: dict[str, int] = {}
    settings: dict[str, str] = {}
    for row in held.rows("/api/v0/models", "data"):
        count = _count(row.get("loaded_context_length")) or _count(row.get("max_context_length"))
        if _text(row.get("id")) and count:
            contexts[row["id"]] = count
    for row in held.rows("/api/v1/models", "models"):
        instances = row.get("loaded_instances")
        for instance in instances if isinstance(instances, list) else ():
            config = _part(instance, "config") if isinstance(instance, dict) else {}
            if _text(row.get("key")) and (count := _count(config.get("context_length"))):
                contexts[row["key"]] = count
            settings.update({name: str(config[name]) for name in ("eval_batch_size", "parallel", "flash_attention")
                             if isinstance(config.get(name), int)})  # fmt: skip
    slots = _slots(int(settings["parallel"]) if settings.get("parallel", "").isdigit() else None, "/api/v1/models")
    return _no_version(), contexts, slots, settings


def _llama_cpp_python(held: _Answers) -> _Read:
    info = _part(held.object("/openapi.json"), "info")
    return (_known(info.get("version"), "/openapi.json"), {},
            Known(1, Basis.TABLE, tr("llama_cpp.server holds a lock around every request")), {})  # fmt: skip


_READERS: Final[Mapping[ServerKind, Callable[[_Answers], _Read]]] = {
    ServerKind.LLAMA_SERVER: _llama_server,
    ServerKind.VLLM: _vllm,
    ServerKind.SGLANG: _sglang,
    ServerKind.OLLAMA: _ollama,
    ServerKind.LM_STUDIO: _lm_studio,
    ServerKind.LLAMA_CPP_PYTHON: _llama_cpp_python,
}


def _context_of_list(held: _Answers) -> dict[str, int]:
    """``max_model_len`` of vLLM's and SGLang's list of models."""
    rows = [row for row in held.rows("/v1/models", "data") if _text(row.get("id"))]
    return {row["id"]: count for row in rows if (count := _count(row.get("max_model_len")))}


def _object(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _part(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = value.get(name)
    return part if isinstance(part, dict) else {}


def _text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) <= 300


def _count(value: object) -> int | None:
    """A number of tokens or slots as a server says it; None for none at all, too."""
    return token_count(value) or None


def _known(value: object, source: str) -> Fact[str]:
    return Known(str(value), Basis.READ, source) if _text(value) else _no_version()


def _slots(value: int | None, source: str) -> Fact[int]:
    return not_said() if value is None else Known(value, Basis.READ, source)


def _no_version() -> Unknown:
    return Unknown(tr("the server does not say its version"), Missing.NOT_SUPPORTED)
