"""Where the seconds go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.core.evidence import Basis, Known, Unknown
from advisor.diagnosis.selection import choose
from advisor.diagnosis.timeline import timeline
from advisor.diagnosis.workload import custom, preset
from tests.support.evidence import pp, tg, traffic


def test_the_request_of_the_design() -> None:
    fact = timeline(preset("rag"), (pp(41.3), tg(11.6)), traffic())
    assert isinstance(fact, Known)
    assert fact.basis is Basis.COMPUTED
    value = fact.value
    assert value.wait_s == pytest.approx(96.9, abs=0.05)
    assert value.stream_s == pytest.approx(25.9, abs=0.05)
    assert value.wait_s + value.stream_s == value.total_s
    assert "pp512 and tg128 measured here" in value.basis
    assert "same speed assumed" in value.basis
    assert "12\u00a0%" in value.basis
    assert (value.prefill_test, value.decode_test) == ("pp512", "tg128")


@pytest.mark.parametrize(("prompt", "speed", "expected"), [
    (2_000, 40, 50.0), (1_500, 55.21, 27.17), (8_000, 2180, 3.67),
])
def test_prefill_is_linear_in_the_prompt(prompt, speed, expected) -> None:
    fact = timeline(custom(prompt, 10), (pp(speed), tg(5)))
    assert fact.value.wait_s == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(("tests", "word"), [((), "prefill"), ((tg(5),), "prefill"), ((pp(5),), "decode")])
def test_a_missing_phase_is_unknown_by_name(tests, word) -> None:
    fact = timeline(preset("chat"), tests)
    assert isinstance(fact, Unknown)
    assert word in fact.reason


def test_two_depths_make_it_grow() -> None:
    """C06: decode 39.85 tokens/s at depth 0, 30.82 at 8,192; 34.62 was measured at 4,096."""
    tests = (pp(1538.22), tg(39.85), tg(30.82, depth=8192))
    value = timeline(custom(4_096, 128), tests).value
    assert value.decode_tokens_per_s == pytest.approx(34.62, rel=0.02)
    assert "0 and 8,192" in value.basis
    assert "same prefill speed assumed" in value.basis


def test_prefill_grows_too() -> None:
    """C06: a prompt of 8,192 at 1,538 falling to 1,024 tokens/s takes about the mean of both times per token."""
    tests = (pp(1538.22), pp(1023.63, depth=8192), tg(39.85))
    value = timeline(custom(8_192, 10), tests).value
    assert value.wait_s == pytest.approx(8192 * (1 / 1538.22 + 1 / 1023.63) / 2, rel=0.03)


def test_noise_that_makes_depth_pay_off_is_no_growth() -> None:
    value = timeline(custom(4_096, 128), (pp(100), tg(20), tg(21, depth=4096))).value
    assert value.decode_tokens_per_s == pytest.approx(21)


def test_several_people_queue_and_share() -> None:
    alone = timeline(custom(1_000, 100), (pp(500), tg(20))).value
    eight = timeline(custom(1_000, 100, users=8), (pp(500), tg(20))).value
    assert eight.wait_s == pytest.approx(8 * alone.wait_s)
    assert eight.decode_tokens_per_s == pytest.approx(20 / 8)
    assert "assumed" in eight.basis


def test_one_thread_setting_serves_both_phases() -> None:
    tests = (pp(10, threads=1), tg(9, threads=1), pp(60, threads=8), tg(8, threads=8))
    rows = choose(tests, custom(1_000, 100))
    assert (rows.prefill.n_threads, rows.decode.n_threads) == (8, 8)
    rows = choose(tests, custom(10, 1_000_000))
    assert (rows.prefill.n_threads, rows.decode.n_threads) == (1, 1)


def test_the_nearest_size_speaks_for_the_prompt() -> None:
    tests = (pp(100, tokens=16), pp(400, tokens=512), tg(20))
    assert choose(tests, custom(300, 10)).prefill.n_prompt == 512
    assert choose(tests, custom(10, 10)).prefill.n_prompt == 16


@given(st.integers(1, 10**6), st.integers(1, 10**5), st.integers(1, 64), st.floats(0.01, 1e5), st.floats(0.01, 1e4))
def test_wait_and_stream_add_up(prompt, answer, users, read, write) -> None:
    value = timeline(custom(prompt, answer, users=users), (pp(read), tg(write))).value
    assert value.wait_s + value.stream_s == value.total_s
    assert value.wait_s > 0
    assert value.stream_s > 0


@given(st.integers(1, 10**5), st.integers(1, 10**5), st.integers(1, 10**4), st.floats(1, 1e4), st.floats(1, 1e3),
       st.floats(0.3, 1.0), st.floats(0.3, 1.0))
def test_more_prompt_never_lowers_the_prefill_share(one, two, answer, read, write, slower_read, slower_write) -> None:
    tests = (pp(read), pp(read * slower_read, depth=4096), tg(write), tg(write * slower_write, depth=4096))
    shares = []
    for prompt in sorted((one, two)):
        # the same rows for both prompts, so that only the prompt differs
        value = timeline(custom(prompt, answer), tests).value
        shares.append(value.wait_s / value.total_s)
    assert shares[0] <= shares[1] * (1 + 1e-9)


@given(st.permutations([pp(10, threads=1), tg(4, threads=1), pp(59, threads=32), tg(16, threads=32),
                        pp(50, depth=4096), tg(12, depth=4096), pp(55), tg(15)]))
def test_the_order_of_the_rows_does_not_matter(tests) -> None:
    first = timeline(preset("rag"), sorted(tests, key=lambda row: (row.phase, row.n_threads, row.n_depth))).value
    assert timeline(preset("rag"), tests).value.total_s == pytest.approx(first.total_s)
