from dataclasses import replace

import pytest

from advisor.core.evidence import Basis, Known, Unknown
from advisor.servers.advice import Comfort, advise
from advisor.servers.facts import ServerFacts, ServerKind, not_said
from advisor.servers.flags import Aim
from advisor.servers.model import Prefill, PrefixReuse, PromptPoint, Samples, ServerResult, StutterRun, UsersPoint
from advisor.servers.pauses import chunk_outlook
from tests.advisor.servers.exchanges import exchange


def known(value: object) -> Known:  # type: ignore[type-arg]
    return Known(value, Basis.MEASURED, "test")


def facts(kind: ServerKind = ServerKind.VLLM, slots: int | None = None, **settings: str) -> ServerFacts:
    return ServerFacts("http://127.0.0.1/v1", kind, "test", Unknown(""), ("m",), "m", Unknown(""),
                       not_said() if slots is None else known(slots), settings, Unknown(""))  # fmt: skip


def stutter(worst_s: float = 1.1, own_s: float = 0.02, tokens: int = 7000, first_s: float = 3.8) -> StutterRun:
    long = exchange(first_s=first_s, prompt=tokens, chunks=4)
    return StutterRun(3, long, (), Samples((own_s,) * 9), Samples((worst_s * 0.8, worst_s)))


def users(number: int, each: float, first_s: float = 0.5) -> UsersPoint:
    return UsersPoint(number, (), known(each * number), Samples((each,) * number), known(each * number),
                      Samples((first_s,) * number), Samples())  # fmt: skip


def result(**more: object) -> ServerResult:
    base = {
        "facts": facts(),
        "prefill": known(Prefill((PromptPoint(1000, Samples((0.5,))),), known(2000.0), known(0.0))),
        "decode_tokens_per_s": Samples((50.0,)),
    }
    return ServerResult(**(base | more))  # type: ignore[arg-type]


def test_chunk_follows_the_budget_and_leaves_room_for_the_streams_own_step() -> None:
    shallow = stutter(worst_s=2048 / 2000 + 0.02, first_s=3.5)
    outlook = chunk_outlook(shallow, ServerKind.VLLM, 0.2, present=2048).value  # type: ignore[union-attr]
    assert outlook.tokens == 288, "0.2 s with 15 % to spare, less the own step, at 2,000 tokens a second, whole tiles"
    assert outlook.keeps and outlook.gap_high_s <= 0.2
    assert (outlook.gap_low_s + outlook.gap_high_s) / 2 == pytest.approx(0.02 + 288 / 2000)


@pytest.mark.parametrize(
    ("budget_s", "tokens", "gap_s", "first_s"), [(0.465, 256, 0.39, 4.4), (0.59, 480, 0.49, 3.6)]
)
def test_what_vllm_did_lies_in_the_range(budget_s: float, tokens: int, gap_s: float, first_s: float) -> None:
    """vLLM 0.32.0 on two CPU cores, from 1.0 s and 2.5 s at 2,048 tokens per step."""
    run = stutter(worst_s=1.0, own_s=0.014, tokens=6903, first_s=2.5)
    outlook = chunk_outlook(run, ServerKind.VLLM, budget_s, 2048, 4822).value  # type: ignore[union-attr]
    assert outlook.tokens == tokens
    assert outlook.gap_low_s < gap_s < outlook.gap_high_s
    assert outlook.cost_low_s < first_s - 2.5 < outlook.cost_high_s


def test_what_llama_server_did_lies_in_the_range() -> None:
    """ggml 0.25.3 on two CPU cores: -b 2048 made 2.7 s and 3.8 s, -b 256 made 0.51 s."""
    run = stutter(worst_s=2.7, own_s=0.031, tokens=2048, first_s=3.8)
    outlook = chunk_outlook(run, ServerKind.LLAMA_SERVER, 0.59, 2048, 757).value  # type: ignore[union-attr]
    assert outlook.tokens == 256
    assert outlook.gap_low_s < 0.51 < outlook.gap_high_s


def test_a_line_that_breaks_is_never_called_kept() -> None:
    said = advise(result(stutter=known(stutter(worst_s=0.25, own_s=0.2))), Comfort())
    assert not said.advice
    assert not said.will_not_help


@pytest.mark.parametrize("budget_s", [0.05, 0.1, 0.2, 0.5, 1.0, 5.0])
def test_a_larger_budget_never_asks_for_a_smaller_piece_and_never_more_than_now(budget_s: float) -> None:
    small = chunk_outlook(stutter(), ServerKind.VLLM, budget_s, present=2048).value  # type: ignore[union-attr]
    large = chunk_outlook(stutter(), ServerKind.VLLM, 2 * budget_s, present=2048).value  # type: ignore[union-attr]
    assert 64 <= small.tokens <= large.tokens <= 2048


@pytest.mark.parametrize("jitter_s", [0.0, 0.05, 0.1, 0.2, 0.4])
def test_jitter_takes_its_part_of_the_budget_but_never_makes_a_larger_budget_ask_for_less(jitter_s: float) -> None:
    found = [
        chunk_outlook(stutter(), ServerKind.VLLM, budget_s / 20, 2048, jitter_s=jitter_s).value  # type: ignore[union-attr]
        for budget_s in range(1, 30)
    ]
    assert [each.tokens for each in found] == sorted(each.tokens for each in found)
    assert all(each.gap_high_s >= jitter_s for each in found)
    assert all(each.keeps is (each.gap_high_s <= budget_s / 20) for budget_s, each in enumerate(found, 1))
    calm = chunk_outlook(stutter(), ServerKind.VLLM, 0.4, 2048).value  # type: ignore[union-attr]
    assert found[7].tokens < calm.tokens or jitter_s == 0.0


def test_a_second_run_goes_on_from_the_step_in_force() -> None:
    """vLLM told 736 tokens per step, which the first advice had named: 0.44 s, over the line of 0.4 s."""
    steps = (0.401, 0.192, 0.192, 0.350, 0.317, 0.438, 0.327, 0.331, 0.421, 0.333)
    run = replace(stutter(own_s=0.017, tokens=7077, first_s=3.334), during_s=Samples((0.02, *steps, 0.024) * 3))
    held = result(stutter=known(run))
    (made,) = [each for each in advise(held, Comfort(stall_s=0.4)).advice if each.aim is Aim.STALL]
    assert made.outlook is not None
    assert made.outlook.tokens < 736 and made.outlook.keeps


def test_pauses_that_a_machine_makes_and_not_the_steps_are_said_to_be_so() -> None:
    """vLLM at 192 tokens per step beside another program."""
    steps = [0.05 + 0.002 * number for number in range(37)]
    steps[20] = 0.81
    run = replace(stutter(own_s=0.016, tokens=7084, first_s=4.5), during_s=Samples(tuple(steps) * 3))
    said = advise(result(stutter=known(run)), Comfort(stall_s=0.4))
    assert not said.advice
    assert "what else runs" in said.findings[0]


def test_of_many_pauses_what_stands_out_is_jitter() -> None:
    steps = [0.10 + 0.01 * number for number in range(12)]
    even = replace(stutter(own_s=0.01, first_s=2.0), during_s=Samples(tuple(steps) * 3))
    steps[3] = 0.4
    odd = replace(even, during_s=Samples(tuple(steps) * 3))
    calm = chunk_outlook(even, ServerKind.VLLM, 0.5, 583).value  # type: ignore[union-attr]
    shaken = chunk_outlook(odd, ServerKind.VLLM, 0.5, 583).value  # type: ignore[union-attr]
    assert calm.jitter_s == pytest.approx(0.025)
    assert calm.now_s == shaken.now_s
    assert shaken.jitter_s == pytest.approx(0.4 - calm.now_s)


def test_a_line_that_jitter_alone_may_break_is_not_promised() -> None:
    calm = result(stutter=known(stutter()), gaps_s=Samples((0.02,) * 50))
    shaken = result(stutter=known(stutter()), gaps_s=Samples((0.02,) * 50 + (0.2,)))
    assert "not sure" not in advise(calm, Comfort()).advice[0].detail
    assert "not sure" in advise(shaken, Comfort()).advice[0].detail


def test_a_machine_that_jitters_past_the_line_gets_no_size_and_is_asked_for_a_calm_run() -> None:
    shaken = result(stutter=known(stutter()), gaps_s=Samples((0.02,) * 50 + (0.35,)))
    said = advise(shaken, Comfort())
    assert not said.advice and not said.will_not_help
    assert "up to 0.33\u00a0s late" in said.findings[0] and "measure again when it is calm" in said.findings[0]
    assert advise(shaken, Comfort(stall_s=0.5)).advice, "a longer line holds that jitter"


@pytest.mark.parametrize("kind", [ServerKind.LLAMA_SERVER, ServerKind.OLLAMA])
def test_a_server_that_was_started_with_smaller_steps_is_not_taken_for_its_default(kind: ServerKind) -> None:
    """Eight pauses for 1,024 tokens: pieces of 128, whatever the default is."""
    run = replace(stutter(own_s=0.02, tokens=1024, first_s=3.0), during_s=Samples((0.36,) * 7 + (0.38,)), streams=1)
    (made,) = [each for each in advise(result(facts=facts(kind), stutter=known(run)), Comfort(stall_s=0.3)).advice
               if each.aim is Aim.STALL]  # fmt: skip
    assert made.outlook is not None
    assert made.outlook.now_tokens == 128 and made.outlook.tokens < 128


def test_what_the_server_says_of_its_step_comes_before_what_the_pauses_tell() -> None:
    told = facts(ServerKind.SGLANG, chunked_prefill_size="4096")
    (made,) = [each for each in advise(result(facts=told, stutter=known(stutter())), Comfort()).advice
               if each.aim is Aim.STALL]  # fmt: skip
    assert made.outlook is not None and made.outlook.now_tokens == 4096


def test_a_phase_that_was_not_measured_is_not_called_no_problem() -> None:
    said = advise(result(prefill=Unknown("no counts")), Comfort())
    assert said.phase == "" and "prompt waits was not measured" in said.sentence
    assert "neither" not in said.sentence and not said.will_not_help
    said = advise(result(decode_tokens_per_s=Samples()), Comfort())
    assert "stream comes was not measured" in said.sentence and "neither" not in said.sentence


@pytest.mark.parametrize(("fewest", "words"), [(1, "one alone"), (2, "that of 2")])
def test_users_that_bring_hardly_more_are_set_beside_the_fewest(fewest: int, words: str) -> None:
    said = advise(result(users=(users(fewest, 50), users(4, 40), users(8, 20.5))), Comfort())
    assert "More than 4\u00a0users bring hardly more" in said.findings[-1] and words in said.findings[-1]


def test_an_unreachable_budget_is_said() -> None:
    outlook = chunk_outlook(stutter(own_s=0.3), ServerKind.VLLM, 0.2, present=2048).value  # type: ignore[union-attr]
    assert outlook.tokens == 64
    assert not outlook.keeps


def test_the_step_is_told_by_the_pauses_where_nothing_else_tells_it() -> None:
    four = replace(stutter(), during_s=Samples((0.2, 0.4, 0.7, 1.0) * 3 + (0.02,) * 6))
    assert chunk_outlook(four, ServerKind.VLLM, 0.2) == chunk_outlook(four, ServerKind.VLLM, 0.2, present=2048)


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        (ServerKind.VLLM, "vllm serve MODEL --max-num-batched-tokens"),
        (ServerKind.LLAMA_SERVER, "llama-server -b "),
        (ServerKind.SGLANG, "python -m sglang.launch_server --model-path MODEL --chunked-prefill-size"),
        (ServerKind.OLLAMA, "PARAMETER num_batch"),
    ],
)
def test_pauses_name_the_engines_own_flag(kind: ServerKind, command: str) -> None:
    said = advise(result(facts=facts(kind), stutter=known(stutter())), Comfort())
    (made,) = [each for each in said.advice if each.aim is Aim.STALL]
    assert made.command.startswith(command)
    assert "1.1\u00a0s" in made.detail


def test_lm_studio_is_set_in_its_window_and_llama_cpp_python_cannot_be() -> None:
    said = advise(result(facts=facts(ServerKind.LM_STUDIO), stutter=known(stutter())), Comfort())
    assert said.advice[0].command == ""
    assert "Set it to" in said.advice[0].words
    said = advise(result(facts=facts(ServerKind.LLAMA_CPP_PYTHON), stutter=known(stutter())), Comfort())
    assert not said.advice
    assert "one request at a time" in " ".join(said.findings)


def test_short_pauses_need_nothing_and_that_is_said() -> None:
    said = advise(result(stutter=known(stutter(worst_s=0.15))), Comfort())
    assert not said.advice
    assert said.phase == ""
    assert "no setting" in " ".join(said.will_not_help)


def test_phases() -> None:
    slow = Prefill((PromptPoint(4000, Samples((20.0,))),), known(200.0), known(0.0))
    assert advise(result(prefill=known(slow)), Comfort()).phase == "prefill"
    said = advise(result(decode_tokens_per_s=Samples((2.0,))), Comfort())
    assert said.phase == "decode"
    assert [each.aim for each in said.advice] == [Aim.SPECULATE]
    none = ServerResult(facts())
    assert "Neither" in advise(none, Comfort()).sentence


def test_users_where_the_line_breaks_and_whether_more_bring_more() -> None:
    said = advise(result(users=(users(1, 50), users(2, 25.5), users(4, 5.0))), Comfort())
    words = " ".join(said.findings)
    assert "breaks at 4\u00a0users" in words
    said = advise(result(users=(users(1, 50), users(2, 40), users(4, 30))), Comfort())
    words = " ".join(said.findings)
    assert "still bring more" in words
    assert "your lines are kept" in words


def test_users_that_wait_for_a_slot() -> None:
    said = advise(result(facts=facts(ServerKind.LLAMA_SERVER, 4), users=(users(1, 50), users(8, 20, 12.0))), Comfort())
    assert [each.command for each in said.advice] == ["llama-server -np 8 -c CONTEXT"]
    said = advise(result(facts=facts(ServerKind.OLLAMA), users=(users(1, 50), users(8, 20))), Comfort())
    assert said.advice[0].command == "OLLAMA_NUM_PARALLEL=8 ollama serve"


@pytest.mark.parametrize(("again_s", "word", "advised"), [(0.1, "works", 0), (0.8, "a part", 0), (1.0, "does not", 1)])
def test_prefix_cache(again_s: float, word: str, advised: int) -> None:
    reuse = PrefixReuse(1024, Samples((1.0,)), Samples((again_s,)), Unknown(""))
    said = advise(result(prefix=known(reuse)), Comfort())
    assert word in " ".join(said.findings)
    assert len(said.advice) == advised


@pytest.mark.parametrize(("own_s", "said"), [(0.0716, True), (0.0366, False)])
def test_streams_of_llama_server_that_are_computed_apart_are_noticed(own_s: float, said: bool) -> None:
    """Three streams in slots 1, 3 and 5, and in slots 1, 2 and 3 of one server with 8 slots; alone 24 ms."""
    held = result(
        facts=facts(ServerKind.LLAMA_SERVER), stutter=known(stutter(own_s=own_s)), gaps_s=Samples((0.024,) * 60)
    )
    assert ("--kv-unified" in " ".join(advise(held, Comfort()).findings)) is said
    elsewhere = replace(held, facts=facts(ServerKind.VLLM))
    assert "--kv-unified" not in " ".join(advise(elsewhere, Comfort()).findings)


def test_lines_are_told_as_they_were_chosen_and_not_with_digits_of_a_measurement() -> None:
    said = advise(result(), Comfort())
    assert "your line is 10\u00a0s;" in said.sentence and "your line is 5.3\u00a0tokens/s." in said.sentence
