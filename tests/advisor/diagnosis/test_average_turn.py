from dataclasses import replace

import pytest

from advisor.core.evidence import Known
from advisor.diagnosis.average_turn import average_turn
from advisor.diagnosis.model import Timeline, Workload
from advisor.diagnosis.timeline import timeline
from tests.support import documents


def asked(turns: int, kept: bool = False) -> Workload:
    return replace(
        documents.workload(), prompt_tokens=1000, shared_tokens=600, answer_tokens=200, turns=turns, prefix_kept=kept
    )


def seconds(workload: Workload) -> Timeline:
    found = timeline(workload, (documents.prefill_test(), documents.decode_test()), None)
    assert isinstance(found, Known)
    return found.value


def test_a_single_request_stays_as_it_is() -> None:
    work = asked(1)
    times = seconds(work)
    assert average_turn(work, times) == (work, times)


def test_a_chat_that_is_read_again_costs_what_its_turns_cost_together() -> None:
    work = asked(4)
    times = seconds(work)
    one, average = average_turn(work, times)
    assert one.prompt_tokens == 1000 + 1.5 * 600  # each turn adds its 400 new tokens and the answer's 200
    assert one.shared_tokens == (0 + 1200 + 1800 + 2400) / 4  # nothing in the first, then all but the 400 new ones
    assert average.wait_s * 4 == pytest.approx(sum(turn.wait.middle_s for turn in times.turns))
    assert average.total_s == pytest.approx(average.wait_s + average.stream_s)
    assert average.prefill_tokens_per_s == pytest.approx(one.prompt_tokens / average.wait_s)


def test_a_chat_that_is_kept_reads_what_is_new() -> None:
    work = asked(4, kept=True)
    times = seconds(work)
    one, average = average_turn(work, times)
    assert one.prompt_tokens == (1000 + 3 * 400) / 4
    assert one.shared_tokens == 0
    assert average.wait_s < average_turn(asked(4), seconds(asked(4)))[1].wait_s
