"""What the recorded exchanges come to; no server."""

import pytest

from advisor.core.evidence import Basis, Known, Unknown
from advisor.servers.advice import ChunkOutlook, chunk_outlook
from advisor.servers.exchange import EngineTimings, Exchange
from advisor.servers.facts import ServerKind
from advisor.servers.model import Samples
from advisor.servers.singles import prefill_of, prefix_of, prompt_points
from advisor.servers.stutter import stutter_of
from advisor.servers.users import users_point

from .exchanges import exchange


def test_decode_counts_what_came_after_the_first_chunk() -> None:
    assert exchange(chunks=11).decode_tokens_per_s == pytest.approx(10.0)
    assert exchange(chunks=1).decode_tokens_per_s is None
    assert exchange(chunks=0).first_token_s is None


def test_several_tokens_per_chunk_are_counted_and_said() -> None:
    found = exchange(chunks=11, completion_tokens=44)
    assert found.tokens_per_chunk == 4
    assert found.decode_tokens_per_s == pytest.approx(40.0)


def test_the_end_token_that_has_no_text_is_not_several_per_chunk() -> None:
    assert exchange(chunks=4, completion_tokens=5).tokens_per_chunk == 1


def test_prefill_is_the_slope_so_that_overhead_falls_out() -> None:
    groups = [[exchange(first_s=0.5 + length / 200, prompt=length)] * 3 for length in (64, 512, 1024)]
    found = prefill_of(prompt_points(groups))
    assert isinstance(found, Known)
    assert isinstance(found.value.tokens_per_s, Known) and isinstance(found.value.overhead_s, Known)
    assert found.value.tokens_per_s.value == pytest.approx(200)
    assert found.value.overhead_s.value == pytest.approx(0.5)


def test_one_length_gives_no_slope() -> None:
    found = prefill_of(prompt_points([[exchange()]]))
    assert isinstance(found, Known) and isinstance(found.value.tokens_per_s, Unknown)


@pytest.mark.parametrize("first_s", [(1.0, 1.0), (1.0, 0.5)])
def test_long_prompts_that_take_no_longer_give_no_speed(first_s: tuple[float, float]) -> None:
    groups = [[exchange(first_s=wait, prompt=length)] for wait, length in zip(first_s, (64, 1024), strict=True)]
    found = prefill_of(prompt_points(groups))
    assert isinstance(found, Known) and isinstance(found.value.tokens_per_s, Unknown)


def test_a_difference_within_the_noise_gives_no_speed() -> None:
    groups = [[exchange(first_s=w, prompt=n) for w in (1.0, 1.5, 2.0)] for n in (64, 1024)]
    groups[1] = [exchange(first_s=w, prompt=1024) for w in (1.1, 1.6, 2.1)]
    found = prefill_of(prompt_points(groups))
    assert isinstance(found, Known) and isinstance(found.value.tokens_per_s, Unknown)


def test_nothing_measured_is_unknown() -> None:
    assert isinstance(prefill_of(prompt_points([[exchange(chunks=0)], []])), Unknown)


def test_prefix_leaves_the_first_time_out() -> None:
    (unique,) = prompt_points([[exchange(first_s=3.0, prompt=1024)]])
    again = [exchange(first_s=3.0), *(exchange(first_s=wait, cached_tokens=1000) for wait in (0.2, 0.4))]
    found = prefix_of(unique, again)
    assert isinstance(found, Known)
    assert found.value.repeated_s.values == pytest.approx((0.2, 0.4))
    assert found.value.cached_tokens.or_none() == 1000
    assert isinstance(prefix_of(unique, again[:1]), Unknown)


def test_cached_tokens_may_come_from_the_engines_timings() -> None:
    (unique,) = prompt_points([[exchange()]])
    timings = Known(EngineTimings("timings", cached_tokens=60), Basis.READ, "timings")
    found = prefix_of(unique, [exchange(), exchange(engine=timings)])
    assert isinstance(found, Known) and found.value.cached_tokens.or_none() == 60


def test_users_are_counted_while_all_of_them_write() -> None:
    point = users_point([exchange(first_s=1.0, chunks=30), exchange(first_s=2.0, chunks=30)])
    assert point.together_tokens_per_s.or_none() == pytest.approx(20.0)
    assert point.output_tokens_per_s.or_none() == pytest.approx(60 / 4.9)
    assert point.first_token_s.values == (1.0, 2.0)


def test_users_who_wait_for_each_other_do_not_write_together() -> None:
    point = users_point([exchange(first_s=1.0), exchange(first_s=5.0)])
    assert isinstance(point.together_tokens_per_s, Unknown)
    assert point.output_tokens_per_s.or_none() == pytest.approx(20 / 5.9)


def test_users_of_whom_none_wrote() -> None:
    point = users_point([exchange(chunks=0), exchange(chunks=0)])
    assert isinstance(point.together_tokens_per_s, Unknown) and isinstance(point.output_tokens_per_s, Unknown)
    assert not point.first_token_s


def _steady(stall_s: float) -> Exchange:
    before = [1 + 0.1 * n for n in range(20)]
    after = [before[-1] + stall_s + 0.1 * n for n in range(10)]
    return Exchange(0.0, (*before, *after), after[-1], 32, 30, exchange().counted, stopped=True)


def test_gaps_before_and_while_a_long_prompt_is_read() -> None:
    long = exchange(sent_s=2.95, first_s=1.9, chunks=4, prompt=2048)
    found = stutter_of(long, [_steady(2.0), _steady(1.5)])
    assert isinstance(found, Known)
    assert found.value.before_s.worst == pytest.approx(0.1)
    assert found.value.during_s.worst == pytest.approx(2.0)
    assert found.value.prompt_tokens == 2048


def test_a_long_prompt_without_an_answer_is_unknown_with_its_reason() -> None:
    assert isinstance(stutter_of(exchange(chunks=0), [_steady(1.0)]), Unknown)
    assert isinstance(stutter_of(exchange(sent_s=50.0), [_steady(1.0)]), Unknown)


def _outlook(worst_s: float, first_s: float) -> ChunkOutlook:
    """llama-server, measured with its default -b 2048 (2.6 s of 3.8 s) and with -b 256 (0.53 s of 4.1 s)."""
    found = stutter_of(exchange(sent_s=2.95, first_s=first_s, chunks=4, prompt=2048), [_steady(worst_s)])
    assert isinstance(found, Known)
    outlook = chunk_outlook(found.value, ServerKind.LLAMA_SERVER, budget_s=0.2)
    assert isinstance(outlook, Known)
    return outlook.value


def test_a_step_that_is_small_already_is_made_smaller_not_larger() -> None:
    assert _outlook(worst_s=0.53, first_s=4.1).tokens < 256
    assert _outlook(worst_s=2.6, first_s=3.8).tokens < 256


def test_percentiles_are_by_nearest_rank() -> None:
    sample = Samples(tuple(float(n) for n in range(1, 101)))
    assert (sample.median, sample.p95, sample.worst) == (50.5, 95.0, 100.0)
    assert Samples((4.0,)).p95 == 4.0 and Samples((4.0,)).mad is None
    assert not Samples()
