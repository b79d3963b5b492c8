"""What a child says while it writes texts or reads prompts, and who guesses what comes next."""

from itertools import pairwise

import pytest

from advisor.benchmarks import protocol
from advisor.benchmarks.trials.prefix_run import Case, Kept, PrefixRun
from advisor.benchmarks.trials.speculate_run import SpeculateRun
from advisor.benchmarks.trials.watching import Watch
from advisor.benchmarks.worker import prefix, texts
from advisor.benchmarks.worker.guessing import NGrams


def row(**fields: object) -> dict[str, object]:
    return {"kind": protocol.ROW, **fields}


def written(way: str, round_: int, seconds: float, **more: int) -> dict[str, object]:
    counted = {"steps": 10, "drafts": 8, "guessed": 24, "accepted": 12} if way == "guessing" else {
        "steps": 22, "drafts": 0, "guessed": 0, "accepted": 0}
    return row(text="edit", round=round_, way=way, seconds=seconds, **{**counted, **more})


def begun() -> SpeculateRun:
    run = SpeculateRun(Watch(lambda _words: None))
    run.take(row(load_s=1.0))
    run.take(row(text="edit", words="a program", prompt_tokens=30, tokens=22, led=False))
    return run


def test_only_whole_rounds_count_and_counters_add_up() -> None:
    run = begun()
    for step, seconds in ((1, 0.1), (4, 0.2), (1, 0.3), (1, 0.1)):
        run.take(row(step=step, seconds=seconds))
    run.take(written("plain", 0, 2.0))
    run.take(written("guessing", 0, 1.0))
    run.take(written("guessing", 1, 1.1))
    text = run.texts["edit"]
    assert text.both() == ((2.0,), (1.0,))
    assert text.tokens_per_step == pytest.approx(2.2)
    said = run.speculated(text)
    assert said.accepted == pytest.approx(0.5)
    assert said.step_s == ((1, 0.1), (4, 0.2))


@pytest.mark.parametrize("message", [
    row(text="other", round=0, way="plain", seconds=1.0),
    written("sideways", 0, 1.0),
    written("plain", 0, -1.0),
    written("guessing", 0, 1.0, accepted=25),
    written("guessing", 0, 1.0, steps=0),
    row(step=0, seconds=1.0),
    row(step=True, seconds=1.0),
])
def test_what_cannot_be_is_refused(message) -> None:
    with pytest.raises(protocol.ProtocolError):
        begun().take(message)


def test_a_prefix_run_keeps_its_cases_apart() -> None:
    run = PrefixRun(Watch(lambda _words: None))
    run.take(row(kept="copy", window=0, copy_bytes=1000))
    for case, seconds in (("cold", 2.0), ("shared", 0.5), ("early", 2.1)):
        run.take(row(round=0, case=case, seconds=seconds))
    run.take(row(round=1, case="cold", seconds=2.0))
    run.take(row(round=1, agrees=True))
    assert run.kept is Kept.COPY
    assert run.both() == ((2.0,), (0.5,))
    assert run.seconds[Case.EARLY] == {0: 2.1}
    assert run.agrees == [True]
    for wrong in (row(kept="somehow"), row(round=0, case="warm", seconds=1.0), row(round=-1, case="cold", seconds=1.0)):
        with pytest.raises(protocol.ProtocolError):
            run.take(wrong)


def test_a_round_is_the_median_of_its_turns_and_only_whole_ones_count() -> None:
    run = PrefixRun(Watch(lambda _words: None), turns=2)
    for turn, (cold, shared) in enumerate([(2.0, 1.0), (4.0, 3.0), (2.0, 1.0)]):
        run.take(row(round=turn, case="cold", seconds=cold))
        run.take(row(round=turn, case="shared", seconds=shared))
    assert run.both() == ((3.0,), (2.0,))


def test_whole_and_kept_prompts_go_first_by_turns() -> None:
    assert [prefix.cold_first(turn) for turn in range(4)] == [True, False, True, False]


def test_n_grams_guess_what_followed_the_longest_agreement_last_time() -> None:
    guesser = NGrams()
    guesser.begin([1, 2, 3, 4, 9, 2, 3, 5, 1, 2, 3])
    assert guesser.guess(2) == [4, 9]
    guesser.told([4])
    assert guesser.guess(8) == [9, 2, 3, 5, 1, 2, 3, 4]
    guesser.told([7])
    assert guesser.guess(4) == []
    guesser.begin([5, 6])
    assert guesser.guess(4) == []
    guesser.told([5])
    assert guesser.guess(4) == [6, 5]


def test_one_text_repeats_its_prompt_and_the_other_does_not() -> None:
    assert "value" not in texts.TEXTS[texts.EDIT].continuation
    assert texts.TEXTS[texts.EDIT].continuation.replace("amount", "value") in texts.TEXTS[texts.EDIT].prompt
    words = texts.TEXTS[texts.PROSE].continuation.lower().split()
    pairs = list(pairwise(words))
    assert len(set(pairs)) > 0.95 * len(pairs)
