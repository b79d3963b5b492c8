"""The engines' own clocks, whatever each calls its figures, as one record; pure functions over untrusted values.

llama-server: ``timings`` of the last chunk (milliseconds). LM Studio: ``stats`` (seconds). Ollama: ``…_duration``
(nanoseconds). vLLM: ``metrics`` of an answer (milliseconds, with ``--enable-per-request-metrics``). vLLM, SGLang and
llama-server also count in ``/metrics``; the difference of two scrapes is that of all requests between them.
Documents and sources read 2026-11-30.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.numbers import plural
from advisor.core.translation import tr
from advisor.servers.chunks import Usage, read_usage, token_count
from advisor.servers.exchange import EngineTimings, no_timings
from advisor.servers.facts import ServerKind
from advisor.servers.prometheus import Scrape, grown

MS: Final = 1e-3
NS: Final = 1e-9
LONGEST_S: Final = 1e6
"""A duration above is no duration."""


def of_answer(chunks: Sequence[Mapping[str, Any]]) -> Fact[EngineTimings]:
    """The timings in the newest of the chunks that has some, or in an answer that was not streamed."""
    for chunk in reversed(chunks):
        kind = kind_of(chunk)
        if kind is ServerKind.OLLAMA:
            return _checked(_ollama(chunk), tr("the durations of the answer"))
        if kind is not ServerKind.UNKNOWN:
            name, read = _PARTS[kind]
            usage = chunk.get("usage")
            timings = read(chunk[name], usage if isinstance(usage, dict) else {})
            return _checked(timings, tr("“{name}” of the answer", name=name))
    return no_timings()


def kind_of(chunk: Mapping[str, Any]) -> ServerKind:
    """The engine whose names the timings in an answer bear; UNKNOWN where it holds none."""
    for kind, (name, _) in _PARTS.items():
        if isinstance(chunk.get(name), dict):
            return kind
    return ServerKind.OLLAMA if "eval_duration" in chunk or "prompt_eval_duration" in chunk else ServerKind.UNKNOWN


def _checked(timings: EngineTimings, source: str) -> Fact[EngineTimings]:
    if timings.prefill_s is None and timings.decode_s is None:
        return Unknown(tr("{source} hold no times that can be read", source=source), Missing.FAILED)
    return Known(timings, Basis.MEASURED, source)


def _llama_server(raw: Mapping[str, Any], _usage: Mapping[str, Any]) -> EngineTimings:
    """``predicted_ms`` begins at the first token, so that one token less than ``predicted_n`` was written in it."""
    predicted = token_count(raw.get("predicted_n"))
    return EngineTimings(
        source=tr("llama-server's timings"),
        prompt_tokens=token_count(raw.get("prompt_n")),
        cached_tokens=token_count(raw.get("cache_n")),
        prefill_s=_time(raw.get("prompt_ms"), MS),
        decode_tokens=None if predicted is None else max(0, predicted - 1),
        decode_s=_time(raw.get("predicted_ms"), MS),
    )


def _lm_studio(raw: Mapping[str, Any], usage: Mapping[str, Any]) -> EngineTimings:
    """Both generations of its API; a cached prompt is not told, so that the wait counts as reading."""
    first = raw.get("time_to_first_token_seconds", raw.get("time_to_first_token"))
    written = token_count(raw.get("total_output_tokens", usage.get("completion_tokens")))
    decode_s = _time(raw.get("generation_time"))
    rate = _time(raw.get("tokens_per_second"))
    if decode_s is None and rate and written:
        decode_s = written / rate
    return EngineTimings(
        source=tr("LM Studio's stats"),
        prompt_tokens=token_count(raw.get("input_tokens", usage.get("prompt_tokens"))),
        prefill_s=_time(first),
        decode_tokens=written,
        decode_s=decode_s,
        load_s=_time(raw.get("model_load_time_seconds")),
    )


def _vllm(raw: Mapping[str, Any], usage: Mapping[str, Any]) -> EngineTimings:
    told = read_usage(usage) or Usage()
    written, prompt, cached = told.completion_tokens, told.prompt_tokens, told.cached_tokens
    return EngineTimings(
        source=tr("vLLM's metrics of the request"),
        prompt_tokens=None if prompt is None else max(0, prompt - (cached or 0)),
        cached_tokens=cached,
        prefill_s=_time(raw.get("time_to_first_token_ms"), MS),
        decode_tokens=None if not written else written - 1,
        decode_s=_time(raw.get("generation_time_ms"), MS),
        queue_s=_time(raw.get("queue_time_ms"), MS),
    )


def _ollama(raw: Mapping[str, Any]) -> EngineTimings:
    return EngineTimings(
        source=tr("Ollama's durations"),
        prompt_tokens=token_count(raw.get("prompt_eval_count")),
        prefill_s=_time(raw.get("prompt_eval_duration"), NS),
        decode_tokens=token_count(raw.get("eval_count")),
        decode_s=_time(raw.get("eval_duration"), NS),
        load_s=_time(raw.get("load_duration"), NS),
    )


_PARTS: Final[Mapping[ServerKind, tuple[str, Callable[[Mapping[str, Any], Mapping[str, Any]], EngineTimings]]]] = {
    ServerKind.LLAMA_SERVER: ("timings", _llama_server),
    ServerKind.LM_STUDIO: ("stats", _lm_studio),
    ServerKind.VLLM: ("metrics", _vllm),
}
"""Where an answer holds an engine's times, and what reads them."""


def of_scrapes(before: Scrape, after: Scrape) -> Fact[EngineTimings]:
    """All requests that ended between two scrapes of ``/metrics``, added up: tokens and seconds are sums over them."""

    def more(name: str) -> float | None:
        return grown(before, after, name)

    if after.total("vllm:request_prefill_time_seconds_sum") is not None:
        requests = more("vllm:request_prefill_time_seconds_count")
        written = more("vllm:request_generation_tokens_sum")
        timings = EngineTimings(
            source=_over("vllm:request_…_time_seconds", requests),
            prompt_tokens=_whole(more("vllm:request_prefill_kv_computed_tokens_sum")),
            cached_tokens=_whole(more("vllm:prompt_tokens_cached_total")),
            prefill_s=more("vllm:request_prefill_time_seconds_sum"),
            decode_tokens=None if written is None or requests is None else max(0, round(written - requests)),
            decode_s=more("vllm:request_decode_time_seconds_sum"),
            queue_s=more("vllm:request_queue_time_seconds_sum"),
            requests=_whole(requests) or 1,
        )
    elif after.total("sglang:time_to_first_token_seconds_sum") is not None:
        requests = more("sglang:time_to_first_token_seconds_count")
        timings = EngineTimings(
            source=_over(tr("{name} (queue included)", name="sglang:time_to_first_token_seconds"), requests),
            prompt_tokens=_whole(more("sglang:prompt_tokens_total")),
            cached_tokens=_whole(more("sglang:cached_tokens_total")),
            prefill_s=more("sglang:time_to_first_token_seconds_sum"),
            decode_tokens=_whole(more("sglang:inter_token_latency_seconds_count")),
            decode_s=more("sglang:inter_token_latency_seconds_sum"),
            queue_s=more("sglang:queue_time_seconds_sum"),
            requests=_whole(requests) or 1,
        )
    elif after.total("llamacpp:prompt_seconds_total") is not None:
        tokens, requests = more("llamacpp:prompt_tokens_total"), more("llamacpp:prompt_tokens_total")
        timings = EngineTimings(
            source="llamacpp:…_seconds_total",
            prompt_tokens=_whole(tokens),
            prefill_s=more("llamacpp:prompt_seconds_total"),
            decode_tokens=_whole(more("llamacpp:tokens_predicted_total")),
            decode_s=more("llamacpp:tokens_predicted_seconds_total"),
        )
    else:
        return Unknown(tr("/metrics holds no times of requests"), Missing.NOT_SUPPORTED)
    if not requests:
        return Unknown(tr("no request ended between two readings of /metrics"), Missing.FAILED)
    return _checked(timings, timings.source)


def _over(name: str, requests: float | None) -> str:
    if not requests:
        return name
    return tr("{name} over {requests}", name=name, requests=plural(requests, "request", "requests"))


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def _time(value: object, unit_s: float = 1.0) -> float | None:
    """A duration in seconds (or a rate as it is); None for what cannot be one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        return None
    return value * unit_s if value * unit_s <= LONGEST_S else None
