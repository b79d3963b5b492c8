"""Everything in a text that looks like a speed is read, or named in a sentence."""

# ruff: noqa: E501  (lines of other programs are as long as they are)

import pytest

from advisor.core.errors import BadFile
from advisor.importing.reading import read_report
from tests.advisor.importing.test_cut_off import ANSWER, VERBOSE
from tests.advisor.importing.test_pasted import BOTH, TABLE, speeds

LOG = (
    "prompt eval time =     520.10 ms /   520 tokens (    1.00 ms per token,   999.81 tokens per second)\n"
    "       eval time =    2000.00 ms /   100 tokens (   20.00 ms per token,    50.00 tokens per second)\n"
    "      total time =    2520.10 ms /   620 tokens"
)
OF_LOG = {"pp520": 999.81, "tg100": 50.0}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I get 23 tok/s", "line 1 says “23 tok/s” and not whether of reading (pp) or of writing (tg)"),
        ("Output generated in 5.20 seconds (45.58 tokens/s, 237 tokens, context 1024)", "of a whole request"),
        ("pp512: 812, tg128: 23.5", "without a unit"),
        ("TG: 20-25 t/s", "gives a range"),
        ("INFO: Avg prompt throughput: 512.3 tokens/s, Avg generation throughput: 45.6 tokens/s, Running: 1 reqs", "averages"),
        ("eval time = fast 3", "holds a timing that could not be read"),
        ('{"eval_count": 26, "eval_duration" 12}', "its JSON is damaged"),
    ],
)
def test_a_text_without_a_phase_says_what_is_missing(text: str, words: str) -> None:
    with pytest.raises(BadFile) as caught:
        read_report(text, "post.txt")
    assert words in caught.value.sentence


@pytest.mark.parametrize(
    ("beside", "words"),
    [
        ("my old card did PP 500 t/s", ("Line 6 says “500 t/s”, which was not taken.",)),
        ("and a friend gets 55 tok/s", ("Line 6 says “55 tok/s” and not whether of reading (pp) or of writing (tg).",)),
        ("so I write at 138 t/s and read at 4810 t/s", ()),
        ("thanks!", ()),
    ],
)
def test_speeds_beside_a_table_are_named_unless_they_are_its_own(beside: str, words: tuple[str, ...]) -> None:
    (run,) = read_report(f"{TABLE}\n\n{beside}\n", "post.txt")
    assert run.unread_words == words


def test_a_text_of_many_such_lines_names_a_few_and_counts_the_rest() -> None:
    (run,) = read_report(TABLE + "\n" + "\n".join(f"I get {speed} tok/s" for speed in range(20, 30)), "post.txt")
    assert len(run.unread_words) == 5
    assert run.unread_words[-1] == "Further lines with speeds that were not taken: 6."


def test_figures_in_several_forms_are_all_read() -> None:
    found = {run.tool: run for run in read_report(f"{TABLE}\n{LOG}\n{ANSWER}\n", "post.txt")}
    assert speeds((found["llama-bench"],)) == BOTH
    assert speeds((found["llama.cpp"],)) == OF_LOG
    assert speeds((found["Ollama"],)) == {"pp26": 199.88, "tg259": 61.19}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LOG.replace(".", ","), OF_LOG),
        (LOG.splitlines()[0], {"pp520": 999.81}),
        (LOG.splitlines()[1], {"tg100": 50.0}),
        ("\n".join(f"llama-1  | {line}" for line in LOG.splitlines()), OF_LOG),
    ],
)
def test_logs_in_part_or_of_other_languages(text: str, expected: dict[str, float]) -> None:
    (run,) = read_report(text, "log.txt")
    assert (speeds((run,)), run.unread) == (expected, ())


def test_each_request_is_a_run_of_its_own() -> None:
    for text in (f"{LOG}\n{LOG.replace('2000', '4000')}", f"{VERBOSE}\n\n{VERBOSE}", f"{ANSWER}\n{ANSWER}"):
        first, second = read_report(text, "log.txt")
        assert (first.request, second.request) == (1, 2)
        assert [len(run.tests) for run in (first, second)] == [2, 2]
    assert read_report(LOG, "log.txt")[0].request is None


def test_of_many_requests_the_newest_are_taken() -> None:
    found = read_report("\n".join([LOG] * 30), "log.txt")
    assert [run.request for run in found] == list(range(21, 31))
    assert "10 of 30" in found[0].unread_words[0]
