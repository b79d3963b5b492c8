import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.evidence import Known, Unknown
from advisor.servers.engine_timings import of_answer, of_scrapes
from advisor.servers.exchange import EngineTimings
from advisor.servers.prometheus import parse
from tests.support.server_dialogues import answers, chunks, text


def known(fact: object) -> EngineTimings:
    assert isinstance(fact, Known)
    assert isinstance(fact.value, EngineTimings)
    return fact.value


def test_llama_server_recorded() -> None:
    held = known(of_answer(chunks("llama_server_stream.sse")))
    assert held.prompt_tokens == 34
    assert held.prefill_s == pytest.approx(2.97144)
    assert held.decode_tokens == 7
    assert held.decode_s == pytest.approx(2.794713)
    assert held.cached_tokens == 0


def test_vllm_says_nothing_of_a_request_unless_it_was_started_so() -> None:
    assert isinstance(of_answer(chunks("vllm_stream.sse")), Unknown)
    held = known(of_answer([{
        "usage": {"prompt_tokens": 42, "completion_tokens": 128, "prompt_tokens_details": {"cached_tokens": 16}},
        "metrics": {"time_to_first_token_ms": 85.2, "generation_time_ms": 1240.5, "queue_time_ms": 12.3},
    }]))  # fmt: skip
    assert (held.prompt_tokens, held.decode_tokens) == (26, 127)
    assert held.prefill_s == pytest.approx(0.0852)
    assert held.queue_s == pytest.approx(0.0123)


def test_ollama_nanoseconds() -> None:
    held = known(of_answer([{
        "done": True, "total_duration": 174560334, "load_duration": 101397084, "prompt_eval_count": 11,
        "prompt_eval_duration": 13074791, "eval_count": 18, "eval_duration": 52479709,
    }]))  # fmt: skip
    assert held.prefill_s == pytest.approx(0.013074791)
    assert held.decode_tokens_per_s == pytest.approx(18 / 0.052479709)
    assert held.load_s == pytest.approx(0.101397084)


def test_lm_studio_both_generations() -> None:
    old = known(of_answer([{
        "usage": {"prompt_tokens": 24, "completion_tokens": 53},
        "stats": {"tokens_per_second": 51.4, "time_to_first_token": 0.111, "generation_time": 0.954},
    }]))  # fmt: skip
    assert (old.prompt_tokens, old.prefill_s, old.decode_s) == (24, 0.111, 0.954)
    new = known(of_answer([{"stats": {
        "input_tokens": 646, "total_output_tokens": 586, "tokens_per_second": 29.3,
        "time_to_first_token_seconds": 1.088, "model_load_time_seconds": 2.656,
    }}]))  # fmt: skip
    assert new.decode_s == pytest.approx(20.0)
    assert new.load_s == 2.656


@pytest.mark.parametrize("odd", [None, "1", -1, True, float("nan"), float("inf"), [], 1e30])
def test_odd_values_are_unknown(odd: object) -> None:
    assert isinstance(of_answer([{"timings": {"prompt_ms": odd, "predicted_ms": odd, "prompt_n": odd}}]), Unknown)
    assert isinstance(of_answer([{"eval_duration": odd}]), Unknown)


def test_no_chunk_at_all() -> None:
    assert isinstance(of_answer([]), Unknown)


def test_vllm_between_two_scrapes_recorded() -> None:
    before = parse(next(each.text for each in answers("vllm") if each.path == "/metrics"))
    held = known(of_scrapes(before, parse(text("vllm_metrics_after.txt"))))
    assert held.prompt_tokens == 62
    assert held.decode_tokens == 7
    assert held.prefill_s is not None
    assert held.decode_s is not None
    assert "1\u00a0request" in held.source


def test_llama_server_between_two_scrapes_recorded() -> None:
    before = parse(next(each.text for each in answers("llama_server") if each.path == "/metrics"))
    held = known(of_scrapes(before, parse(text("llama_server_metrics_after.txt"))))
    assert held.prompt_tokens == 34
    assert held.decode_tokens == 8
    assert held.prefill_s == pytest.approx(2.97, abs=0.01)


def test_sglang_between_two_scrapes() -> None:
    def scrape(requests: int) -> str:
        rows = {
            "time_to_first_token_seconds_count": 1, "time_to_first_token_seconds_sum": 0.5,
            "inter_token_latency_seconds_count": 63, "inter_token_latency_seconds_sum": 1.26,
            "prompt_tokens_total": 800, "cached_tokens_total": 16, "queue_time_seconds_sum": 0.01,
        }  # fmt: skip
        return "".join(f'sglang:{name}{{model_name="m"}} {7 + requests * each}\n' for name, each in rows.items())

    held = known(of_scrapes(parse(scrape(10)), parse(scrape(14))))
    assert held.requests == 4
    assert (held.prompt_tokens, held.cached_tokens, held.decode_tokens) == (3200, 64, 252)
    assert held.prefill_s == pytest.approx(2.0)
    assert held.queue_s == pytest.approx(0.04)
    assert held.decode_tokens_per_s == pytest.approx(50.0)


def test_nothing_between_two_scrapes() -> None:
    same = parse(text("vllm_metrics_after.txt"))
    assert isinstance(of_scrapes(same, same), Unknown)
    assert isinstance(of_scrapes(parse(""), parse("a 1")), Unknown)


@given(st.dictionaries(st.sampled_from(["timings", "stats", "metrics", "usage", "eval_duration"]), st.one_of(
    st.none(), st.integers(), st.text(), st.dictionaries(st.sampled_from(
        ["prompt_ms", "predicted_n", "time_to_first_token", "tokens_per_second", "generation_time_ms"]),
        st.one_of(st.integers(), st.floats(), st.text(), st.booleans()))))) # fmt: skip
def test_never_raises(raw: dict[str, object]) -> None:
    of_answer([raw])
