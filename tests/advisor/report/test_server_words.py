from dataclasses import replace

from advisor.core.evidence import Basis, Known, Unknown
from advisor.report.server_words import server_pairs, users_table
from advisor.servers.model import Prefill, PromptPoint, Samples, UsersPoint
from tests.support.server_results import exchange, some_result


def known(value: float) -> Known[float]:
    return Known(value, Basis.MEASURED, "test")


def prefill_said(*waits: tuple[float, ...], overhead_s: float = 0.35) -> str:
    points = tuple(PromptPoint(tokens, Samples(each)) for tokens, each in zip((24, 1024), waits, strict=True))
    held = Known(Prefill(points, known(1000.0), known(overhead_s)), Basis.MEASURED, "slope")
    return dict(server_pairs(replace(some_result(), prefill=held)))["Prefill"]


def test_prefill_has_no_more_digits_than_its_waits_allow() -> None:
    said = prefill_said((0.3, 0.4, 0.5), (1.3, 1.4, 1.5))
    assert said.startswith("1,000\u00a0±\u00a0100\u00a0tokens/s"), "0.1 s of 1.0 s is a tenth"
    assert "0.25–0.45\u00a0s whatever its prompt" in said


def test_prefill_of_single_requests_shows_no_spread_that_nobody_knows() -> None:
    said = prefill_said((0.4,), (1.4,))
    assert said == "1,000\u00a0tokens/s; beside that a request waits 0.35\u00a0s whatever its prompt"


def test_an_overhead_within_the_noise_is_only_an_upper_bound() -> None:
    assert "waits up to 0.15\u00a0s" in prefill_said((0.3, 0.4, 0.5), (1.3, 1.4, 1.5), overhead_s=0.05)


def test_each_users_speed_is_as_fine_as_the_streams_differ() -> None:
    point = UsersPoint(3, (), known(123.4), Samples((38.2, 41.3, 44.9)), Unknown(""), Samples(), Samples())
    (row,) = users_table(replace(some_result(), users=(point,))).rows
    assert row[2] == "41"


def test_chunks_of_several_tokens_are_said_once_they_are_more_than_held_back_characters() -> None:
    def counted(*tokens: int) -> str:
        singles = tuple(replace(exchange(), completion_tokens=each) for each in tokens)
        return dict(server_pairs(replace(some_result(), singles=singles)))["Counted by"]

    assert counted(20, 20) == "the server's usage figures"
    assert counted(60, 60).endswith("a chunk carries 3.00 tokens")
