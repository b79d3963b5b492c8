"""The JSON of the command ``server``."""

from typing import Any, Final

from advisor.core.evidence import Known
from advisor.core.retelling import retold
from advisor.core.translation import ENGLISH, language, speaking
from advisor.report.codec import Json, fact_fields, plain_fields
from advisor.report.privacy import shortened, without_personal_paths
from advisor.report.server_words import model_words
from advisor.servers.advice import ServerVerdict
from advisor.servers.exchange import Exchange, Failure
from advisor.servers.facts import ServerFacts
from advisor.servers.model import (
    Beside,
    Prefill,
    PrefixReuse,
    Samples,
    ServerResult,
    ServerSettings,
    StutterRun,
    UsersPoint,
)

SERVER_SCHEMA: Final = "two-machines/server/1"


def server_json(result: ServerResult, settings: ServerSettings, verdict: ServerVerdict) -> Json:
    """``two-machines server --json``: facts, figures, every exchange, in English; never a key."""
    said = language()
    with speaking(ENGLISH):
        return _json(retold(result, source=said), settings, retold(verdict, source=said))


def _json(result: ServerResult, settings: ServerSettings, verdict: ServerVerdict) -> Json:
    return {
        "schema": SERVER_SCHEMA,
        "server": _facts(result.facts),
        "asked": _settings(settings),
        **_part("prefill", result.prefill, _prefill),
        "decode_tokens_per_s": _samples(result.decode_tokens_per_s),
        "gaps_s": _samples(result.gaps_s),
        **_part("counters", result.counters, plain_fields),
        "tokens_per_chunk": result.tokens_per_chunk,
        "gaps_between": "chunks" if result.several_per_chunk else "tokens",
        **_part("prefix", result.prefix, _prefix),
        "users": [_users(point) for point in result.users],
        **_part("stutter", result.stutter, _stutter),
        "requests": [_exchange(each) for each in result.singles],
        "requests_sent": result.requests,
        "spent_s": result.spent_s,
        "verdict": _verdict(verdict),
        "failures": [{"part": part, **_failure(failure)} for part, failure in result.failures.items()],
        "left_out": list(result.left_out),
        "interrupted": result.interrupted,
        **_part("beside", result.beside, _beside),
        "stamp": "suspect" if result.doubts else "valid",
        "doubts": list(result.doubts),
    }


def _beside(beside: Beside) -> Json:
    return {
        **fact_fields("server_fraction", beside.server_fraction, float),
        **fact_fields("others_fraction", beside.others_fraction, float),
        "biggest": beside.biggest,
    }


def _settings(settings: ServerSettings) -> Json:
    """What was asked for; the address stands with the server, and the key nowhere."""
    return plain_fields(settings, frozenset({"url", "key", "model"}))


def _verdict(verdict: ServerVerdict) -> Json:
    return {
        "phase": verdict.phase or "none",
        "sentence": verdict.sentence,
        "findings": list(verdict.findings),
        "will_not_help": list(verdict.will_not_help),
        "advice": [
            {
                "aim": advice.aim.value,
                "title": advice.title,
                "detail": advice.detail,
                "command": advice.command,
                "words": advice.words,
                "setting": None if advice.setting is None else plain_fields(advice.setting),
                "outlook": None if advice.outlook is None else plain_fields(advice.outlook),
            }
            for advice in verdict.advice
        ],
    }


def _facts(facts: ServerFacts) -> Json:
    body = plain_fields(without_personal_paths(facts))
    return {**body, "model": model_words(facts.model), "models": [model_words(each) for each in facts.models]}


def _part(name: str, fact: Any, write: Any) -> Json:
    if isinstance(fact, Known):
        return {name: write(fact.value), f"{name}_source": f"{fact.basis}: {fact.source}"}
    return fact_fields(name, fact)


def _samples(samples: Samples) -> Json | None:
    """Null where nothing was measured."""
    if not samples:
        return None
    return {
        "median": samples.median,
        "p95": samples.p95,
        "worst": samples.worst,
        "mad": samples.mad,
        "samples": list(samples.values),
    }


def _prefill(prefill: Prefill) -> Json:
    return {
        **fact_fields("tokens_per_s", prefill.tokens_per_s, float),
        **fact_fields("overhead_s", prefill.overhead_s, float),
        "points": [
            {"prompt_tokens": point.prompt_tokens, "first_token_s": _samples(point.first_token_s)}
            for point in prefill.points
        ],
    }


def _prefix(prefix: PrefixReuse) -> Json:
    return {
        "prompt_tokens": prefix.prompt_tokens,
        "unique_s": _samples(prefix.unique_s),
        "repeated_s": _samples(prefix.repeated_s),
        **fact_fields("cached_tokens", prefix.cached_tokens, int),
    }


def _users(point: UsersPoint) -> Json:
    return {
        "users": point.users,
        **fact_fields("together_tokens_per_s", point.together_tokens_per_s, float),
        "each_tokens_per_s": _samples(point.each_tokens_per_s),
        **fact_fields("output_tokens_per_s", point.output_tokens_per_s, float),
        "first_token_s": _samples(point.first_token_s),
        "gaps_s": _samples(point.gaps_s),
        "requests": [_exchange(each) for each in point.exchanges],
    }


def _stutter(run: StutterRun) -> Json:
    return {
        "streams": run.streams,
        "prompt_tokens": run.prompt_tokens,
        "first_token_s": run.long.first_token_s,
        "before_s": _samples(run.before_s),
        "during_s": _samples(run.during_s),
        "long": _exchange(run.long),
        "steady": [_exchange(each) for each in run.steady],
    }


def _exchange(exchange: Exchange) -> Json:
    body = plain_fields(exchange, frozenset({"failure", "engine"}))
    body["first_token_s"] = exchange.first_token_s
    body["decode_tokens_per_s"] = exchange.decode_tokens_per_s
    body["failure"] = None if exchange.failure is None else _failure(exchange.failure)
    return {**body, **_part("engine", exchange.engine, plain_fields)}


def _failure(failure: Failure) -> Json:
    return {
        "sentence": shortened(failure.sentence), "hint": shortened(failure.hint), "exit_code": failure.exit_code
    }  # fmt: skip
