"""The rule of the problem phase, and users' questions that it must answer."""

import pytest

from advisor.benchmarks.model import Phase
from advisor.core.evidence import Basis, Known, Unknown
from advisor.diagnosis.model import Comfort, Limit, Loss, Problem
from advisor.diagnosis.problem import ABOUT_THE_SAME, lost_s, problem_of
from advisor.diagnosis.workload import WAITING, custom, preset
from tests.support.courses import seconds_of
from tests.support.evidence import C01_SWEEP, ceilings, evidence, model, pp, tg, traffic

NO_CEILING = Unknown("not measured")
FINE, WRONG = Limit.MEMORY, Limit.FAULT


def loss(phase: Phase, beyond_s: float, above_s: float | None = None, took_s: float = 100.0) -> Loss:
    above = NO_CEILING if above_s is None else Known(above_s, Basis.COMPUTED, "test")
    return Loss(phase, took_s, beyond_s, above)


def judged(waiting: tuple[float, float | None], streaming: tuple[float, float | None]) -> Problem:
    return problem_of(loss(Phase.PREFILL, *waiting), loss(Phase.DECODE, *streaming), FINE, FINE)


@pytest.mark.parametrize(("waiting", "streaming", "expected"), [
    ((0.0, 50.0), (0.0, 90.0), Problem.NONE),  # far below both ceilings and comfortable
    ((0.1, 0.0), (0.0, 90.0), Problem.PREFILL),
    ((0.0, 90.0), (0.1, 0.0), Problem.DECODE),
    ((20.0, 1.0), (10.0, 60.0), Problem.PREFILL),  # the larger loss, whatever the utilisation
    ((10.0, 60.0), (20.0, 1.0), Problem.DECODE),
    ((20.0, 2.0), (19.0, 15.0), Problem.DECODE),  # about the same: what can still be had
    ((19.0, 15.0), (20.0, 2.0), Problem.PREFILL),
    ((20.0, None), (19.0, 15.0), Problem.PREFILL),  # a ceiling is unknown: the larger loss
    ((19.0, 5.0), (19.0, 5.0), Problem.PREFILL),
])
def test_the_rule(waiting, streaming, expected) -> None:
    assert judged(waiting, streaming) is expected


def test_losses_count_as_the_same_up_to_the_threshold() -> None:
    less = 20 * (1 - ABOUT_THE_SAME)
    assert judged((20, 0), (less + 0.01, 9)) is Problem.DECODE
    assert judged((20, 0), (less - 0.01, 9)) is Problem.PREFILL


@pytest.mark.parametrize("limits", [(WRONG, FINE), (FINE, WRONG), (WRONG, WRONG)])
def test_a_fault_outranks_every_loss(limits) -> None:
    assert problem_of(loss(Phase.PREFILL, 99), loss(Phase.DECODE, 0), *limits) is Problem.FAULT
    assert problem_of(loss(Phase.PREFILL, 0), loss(Phase.DECODE, 0), *limits) is Problem.FAULT


def test_the_verdict_carries_both_losses() -> None:
    held = evidence(preset("rag"), (pp(41.3), tg(11.6)), bounds=ceilings())
    prefill, decode = held.verdict.losses
    assert prefill.beyond_comfort_s == pytest.approx(86.9, abs=0.05)
    assert decode.beyond_comfort_s == 0
    assert prefill.above_ceiling_s.value == pytest.approx(prefill.took_s * (1 - held.verdict.prefill.of_ceiling))
    assert isinstance(evidence(preset("rag"), (pp(41.3), tg(11.6))).verdict.losses[0].above_ceiling_s, Unknown)


# ---- verdict cases whose phase has not been asked elsewhere

@pytest.mark.parametrize(("workload", "tests", "expected"), [
    # V1 at its best single setting: 59 tokens/s of reading make 68 s, 16.41 of writing are comfortable.
    ("rag", C01_SWEEP, Problem.PREFILL),
    # V1 on long writing: 16.4 tokens/s are above the line of a text that is waited for.
    ("long-writing", C01_SWEEP, Problem.NONE),
    # V2: both phases of all three cards are comfortable for documents; nobody needs another card.
    ("rag", (pp(436, on="CUDA0"), tg(24.0, on="CUDA0")), Problem.NONE),
    ("rag", (pp(4028, on="CUDA0"), tg(87.8, on="CUDA0")), Problem.NONE),
    # V6: the fanless laptop, cold and after it has warmed up.
    ("rag", (pp(204.8), tg(21.1)), Problem.PREFILL),
    ("rag", (pp(149.2), tg(18.1)), Problem.PREFILL),
    ("long-writing", (pp(149.2), tg(18.1)), Problem.NONE),
    # V12: pp and tg by power profile; the lowest writes slower than people read.
    ("long-writing", (pp(232.5), tg(4.63)), Problem.DECODE),
    ("rag", (pp(232.5), tg(4.63)), Problem.DECODE),
    ("rag", (pp(519.7), tg(9.21)), Problem.NONE),
])
def test_the_phase_of_published_machines(workload, tests, expected) -> None:
    assert evidence(preset(workload), tests).verdict.problem is expected


def test_v8_more_cards_by_layer_write_slower_and_are_still_comfortable_to_read() -> None:
    for speed in (13.48, 10.14, 9.69, 9.23):
        assert evidence(custom(300, 500), (pp(400, on="CUDA0"), tg(speed, on="CUDA0"))).verdict.problem is Problem.NONE


# ---- questions

def test_d01_passages_take_minutes_and_a_smaller_answer_is_no_help() -> None:
    """Three passages of about 700 tokens: 2 to 3 min of nothing, then the answer in 4 to 5 s."""
    held = evidence(custom(2_100, 40), (pp(14), tg(9)))
    assert held.verdict.problem is Problem.PREFILL
    assert 120 <= held.timeline.wait_s <= 180
    assert 4 <= held.timeline.stream_s <= 5
    first = "97\u00a0% of each request passes before the first word: 2\u00a0min\u00a030"
    assert held.verdict.sentence.startswith(first)
    assert "shorter-answer" in {item.id for item in _wont_help(held)}


def _wont_help(held):  # type: ignore[no-untyped-def]
    from advisor.recommendations.wont_help import wont_help

    return wont_help(held)


@pytest.mark.parametrize("prompt", [5, 300])
def test_d03_the_wait_is_linear_in_the_prompt(prompt) -> None:
    """About 200 ms a token: "Hello" is instant, pasted search results take a minute."""
    tests = (pp(5), tg(6))
    held = evidence(custom(prompt, 50), tests)
    assert held.timeline.wait_s == pytest.approx(prompt * 0.2)
    assert held.verdict.problem is (Problem.PREFILL if prompt == 300 else Problem.NONE)


@pytest.mark.parametrize(("prompt", "wait_s", "expected"), [(2_400, 12.0, Problem.PREFILL), (600, 3.0, Problem.NONE)])
def test_d04_twelve_seconds_with_passages_and_three_without(prompt, wait_s, expected) -> None:
    held = evidence(custom(prompt, 200), (pp(200), tg(12)))
    assert held.timeline.wait_s == pytest.approx(wait_s)
    assert held.verdict.problem is expected


def test_d05_d06_more_threads_do_not_change_the_phase() -> None:
    """6 threads 5.7, 14 threads 6.2 tokens/s: both above reading speed, both below a text that is waited for."""
    for threads, speed in ((6, 5.7), (14, 6.2)):
        tests = (pp(60, threads=threads), tg(speed, threads=threads))
        assert evidence(custom(200, 400), tests).verdict.problem is Problem.NONE
        assert evidence(custom(200, 400, comfort=WAITING), tests).verdict.problem is Problem.DECODE


def test_d19_every_turn_reads_the_whole_chat_again() -> None:
    """About 17,000 tokens at 2,125 tokens/s: 8.0 s where everything is read again; kept, the new message only."""
    work = custom(12_000, 400, shared=11_400, turns=6, comfort=Comfort(6.0, 5.3))
    again = evidence(work, (pp(2_125), tg(40)))
    assert again.timeline.turns[-1].prompt_tokens == 17_000
    assert again.timeline.turns[-1].wait.middle_s == pytest.approx(8.0, abs=0.01)
    assert again.timeline.turns[-1].wait_kept.middle_s == pytest.approx(600 / 2_125)
    assert again.verdict.problem is Problem.PREFILL
    assert "The first word comes later than 6\u00a0s in 5 of 6 turns." in again.verdict.sentence
    assert "reads the whole chat again" in again.verdict.sentence


def test_d19_kept_from_turn_to_turn_it_is_comfortable() -> None:
    work = custom(12_000, 400, shared=11_400, turns=6, comfort=Comfort(6.0, 5.3), prefix_kept=True)
    kept = evidence(work, (pp(2_125), tg(40)))
    assert kept.verdict.problem is Problem.NONE
    assert "With the chat kept from turn to turn" in kept.verdict.sentence


def test_d20_a_model_with_windows_is_told_that_keeping_may_fail() -> None:
    windowed = traffic(window=1024)
    assert "sliding-window" in evidence(preset("chat"), (pp(800), tg(40)), facts=model(windowed)).timeline.kept_basis
    assert "sliding" not in evidence(preset("chat"), (pp(800), tg(40))).timeline.kept_basis


def test_d23_the_first_request_loads_and_later_ones_do_not() -> None:
    """A one-word prompt takes 3 s, later tokens 0.1 s: loading, which happens once, and no phase is the problem."""
    from advisor.diagnosis.parts import PartId
    from advisor.diagnosis.timeline import timeline

    loaded = Known(2.9, Basis.MEASURED, "test")
    line = timeline(custom(8, 20), (pp(200), tg(10)), load_s=loaded).value
    assert seconds_of(line.first_time, PartId.LOAD) == 2.9
    assert line.first_time.total.middle_s - line.afterwards.total.middle_s == pytest.approx(2.9, abs=0.05)
    assert line.afterwards.part(PartId.LOAD) is None
    assert evidence(custom(8, 20), (pp(200), tg(10))).verdict.problem is Problem.NONE


def test_a_stream_that_slows_below_the_line_in_a_long_chat() -> None:
    work = custom(2_000, 500, shared=1_900, turns=10, prefix_kept=True)
    held = evidence(work, (pp(2_000), tg(6.6), tg(3, depth=16_384)))
    assert work.answer_tokens / held.timeline.turns[0].stream.middle_s > 5.3
    assert held.verdict.problem is Problem.DECODE
    assert "by turn\u00a010, slower than most people read" in held.verdict.sentence


def test_both_lost_about_the_same_is_said() -> None:
    work = custom(1_000, 500, comfort=Comfort(10.0, 10.0))
    held = evidence(work, (pp(25.5), tg(6.3)), bounds=ceilings(bytes_per_s=30e9))
    waiting_s, streaming_s = lost_s(work, held.timeline)
    assert streaming_s > waiting_s >= streaming_s * (1 - ABOUT_THE_SAME)
    assert held.verdict.problem is Problem.PREFILL
    assert "this costs 29.4\u00a0s, the wait 29.2\u00a0s" in held.verdict.sentence
