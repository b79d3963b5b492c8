"""Counts that cannot be are not taken for figures."""

from dataclasses import replace
from typing import Any

import pytest

from advisor.core.evidence import Basis, Fact, Known, Unknown
from advisor.core.progress import CancelToken
from advisor.report.server_words import server_pairs
from advisor.servers.believing import believed_timings, usage_is_wrong
from advisor.servers.chunks import Usage, read_usage
from advisor.servers.exchange import CountOrigin, EngineTimings
from advisor.servers.measuring import measure_server
from advisor.servers.model import ServerResult, ServerSettings
from tests.support.fake_server import FakeServer, Script

QUICK = ServerSettings(
    url="", prompts_tokens=(32, 256), answer_tokens=16, repetitions=2, users=(2,), streams=0, budget_s=60,
    silence_s=20, connect_s=20,
)  # fmt: skip


@pytest.mark.parametrize(
    ("usage", "wrong"),
    [
        (Usage(100, 16), False),
        (Usage(100, 17), False),  # an end token
        (Usage(), False),
        (Usage(100, 16, 90), False),
        (Usage(100, 60), True),
        (Usage(999_999_999, 16), True),
        (Usage(100, 0), True),
        (Usage(100, 16, 101), True),
        (Usage(None, None, None, impossible=True), True),
    ],
)
def test_usage_against_what_was_asked(usage: Usage, wrong: bool) -> None:
    assert usage_is_wrong(usage, asked=16, prompt_bytes=400, chunks=16) is wrong


def test_a_server_that_writes_more_than_asked_is_believed_as_its_chunks_show_it() -> None:
    assert not usage_is_wrong(Usage(100, 60), asked=16, prompt_bytes=400, chunks=58)


@pytest.mark.parametrize("count", [-1, 10**12, 3.5, "16", True, [16]])
def test_what_is_no_count_is_impossible(count: Any) -> None:
    assert read_usage({"prompt_tokens": 7, "completion_tokens": count}) == Usage(7, None, None, impossible=True)


@pytest.mark.parametrize(
    ("timings", "believed"),
    [
        (EngineTimings("timings", 90, None, 0.1, 15, 0.3), True),
        (EngineTimings("timings", 90, None, 0.1, 900, 0.3), False),
        (EngineTimings("timings", 10**8, None, 0.1, 15, 0.3), False),
    ],
)
def test_the_engines_own_counts_likewise(timings: EngineTimings, believed: bool) -> None:
    told: Fact[EngineTimings] = Known(timings, Basis.MEASURED, "timings")
    found = believed_timings(told, asked=16, prompt_bytes=400, chunks=16)
    assert isinstance(found, Known) is believed
    assert believed or (isinstance(found, Unknown) and "cannot be those of this request" in found.reason)


def measured(wrong: dict[str, Any]) -> ServerResult:
    with FakeServer(Script(token_s=1e-3, prompt_token_s=1e-4, wrong_usage=wrong)) as server:
        return measure_server(replace(QUICK, url=server.url), lambda _: None, CancelToken())


@pytest.mark.parametrize(
    "wrong",
    [
        {"completion_tokens": -5},
        {"completion_tokens": 4_000_000_000},
        {"completion_tokens": 5_000},
        {"prompt_tokens": 900_000_000},
        {"prompt_tokens": -1, "completion_tokens": -1},
    ],
)
def test_an_absurd_server_is_counted_by_its_chunks_and_that_is_said(wrong: dict[str, Any]) -> None:
    result = measured(wrong)
    assert {each.counted for each in result.singles} == {CountOrigin.DISBELIEVED}
    assert all(each.completion_tokens == len(each.arrivals_s) for each in result.singles)
    assert not result.several_per_chunk and result.failures == {}
    assert all((each.prompt_tokens or 0) < 1000 for each in result.singles)
    assert "since the server's usage figures cannot be right" in dict(server_pairs(result))["Counted by"]
    assert 0 < result.decode_tokens_per_s.median < 2000
