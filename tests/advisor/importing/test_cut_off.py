"""Texts that end too early: what is whole is read, a figure that may have lost digits is left out and named."""

# ruff: noqa: E501  (lines of other programs are as long as they are)

import pytest

from advisor.core.errors import BadFile
from advisor.importing.reading import read_report
from tests.advisor.importing.test_pasted import BOTH, HEAD, PP, RULE, TABLE, speeds

TABS = "\n".join(line.strip("| ").replace(" | ", "\t") for line in TABLE.splitlines() if "---" not in line)
COLUMN = "\n".join(cell.strip() for line in TABLE.splitlines() if "---" not in line for cell in line.strip("|").split("|"))
ANSWER = (
    '{"model":"llama3.2","done":true,"prompt_eval_count":26,"prompt_eval_duration":130079000,"eval_count":259,'
    '"eval_duration":4232710000}'
)
VERBOSE = (
    "total duration:       5.1s\nprompt eval count:    26 token(s)\nprompt eval duration: 130.079ms\n"
    "prompt eval rate:     199.88 tokens/s\neval count:           298 token(s)\neval duration:        4.799921s\n"
    "eval rate:            62.08 tokens/s"
)
SQL = (
    "INSERT INTO t (model_type, n_prompt, n_gen, avg_ts) VALUES ('a 7B (x) Q8_0', '512', '0', '512.0');\n"
    "INSERT INTO t (model_type, n_prompt, n_gen, avg_ts) VALUES ('a 7B Q8_0', '0', '128', '119.84');"
)
CSV = "model_type,n_prompt,n_gen,avg_ts,stddev_ts\na Q8_0,512,0,512.000000,12.100000\na Q8_0,0,128,119.840000,0.110000"
QUOTED = 'model_type,n_prompt,n_gen,stddev_ts,avg_ts\n"a Q8_0","512","0","12.1","512.0"\n"a Q8_0","0","128","0.1","119.84"'
SWEEP = (
    "|    PP |     TG |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |\n|-------|--------|--------|----------|----------|----------|----------|\n"
    "|   512 |    128 |      0 |    1.000 |   512.00 |    2.000 |    64.00 |\n|   512 |    128 |    512 |    1.024 |   500.00 |    2.048 |    62.50 |"
)
KOBOLD = "CtxLimit:617/4096, Amt:100/100, Init:0.00s, Process:3.66s (141.24T/s), Generate:9.30s (10.75T/s), Total:12.96s"
FIRST, READ = {"pp512": 512.0}, {"pp26": 199.88}

CUT = {
    "a table inside its spread": (TABLE[:-4], {"pp512": 4810.33}),
    "a table inside its speed": (TABLE[:-12], {"pp512": 4810.33}),
    "a table inside its speed, with a line's end": (TABLE[:-12] + "\n", {"pp512": 4810.33}),
    "a table before the test": (TABLE[:-30], {"pp512": 4810.33}),
    "a wrapped table": ("\n".join(line[at : at + 60] for line in TABLE.splitlines() for at in range(0, len(line), 60))[:-4], {"pp512": 4810.33}),
    "tabs inside the spread": (TABS[:-1], {"pp512": 4810.33}),
    "tabs before the spread": (TABS[:-7], {"pp512": 4810.33}),
    "tabs inside the speed": (TABS[:-9], {"pp512": 4810.33}),
    "tabs before the test": (TABS[:-24], {"pp512": 4810.33}),
    "cells on lines of their own": (COLUMN[:-20], {"pp512": 4810.33}),
    "a curve": (SWEEP[:-4], {"pp512": 512.0, "tg128": 64.0}),
    "SQL": (SQL[:-4], FIRST),
    "CSV": (CSV[:-4], FIRST),
    "CSV, quoted": (QUOTED[:-2], FIRST),
    "an answer without its brace": (ANSWER[:-1], READ),
    "an answer inside a figure": (ANSWER[:-5], READ),
    "--verbose behind reading": (VERBOSE[: VERBOSE.index("eval count:           298") + 3], READ),
    "--verbose inside the time": (VERBOSE[: VERBOSE.index("99921s")], READ),
    "a line of koboldcpp": (KOBOLD[: KOBOLD.index("75T/s)")], {"pp517": 141.24}),
    "a sentence": ("pp512: 512 t/s, tg128: 23", FIRST),
    "a sentence inside the unit": ("pp512: 512 t/s, tg128: 23.5 t", FIRST),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CUT.values(), ids=CUT)
def test_what_was_whole_is_read_and_the_cut_is_said(text: str, expected: dict[str, float]) -> None:
    found = read_report(text, "post.txt")
    assert speeds(found) == expected
    assert [words for words in found[0].unread_words if "cut off" in words]


@pytest.mark.parametrize("text", [TABLE, TABLE[:-2], TABS, COLUMN, VERBOSE, SQL, CSV, QUOTED, SWEEP, ANSWER, KOBOLD])
def test_a_whole_text_is_not_said_to_be_cut(text: str) -> None:
    """Not even where only the bar behind a complete figure is missing."""
    found = read_report(text, "post.txt")
    assert found[0].unread == ()
    assert len([test for run in found for test in run.tests]) in (2, 4)


def test_a_rate_whose_unit_was_cut_follows_from_tokens_and_time() -> None:
    assert speeds(read_report(VERBOSE[:-11], "post.txt")) == {"pp26": 199.88, "tg298": 62.08}


def test_an_answer_whose_last_figure_ends_its_line_lost_none_of_it() -> None:
    pretty = ANSWER[:-1].replace("{", "{\n").replace(",", ",\n") + "\n"
    assert speeds(read_report(pretty, "post.txt")) == {"pp26": 199.88, "tg259": 61.19}


def test_a_single_row_that_is_cut_gives_no_figure() -> None:
    with pytest.raises(BadFile, match="line 3 is cut off and left out"):
        read_report("\n".join((HEAD, RULE, PP[:-4])), "post.txt")


def test_every_cut_of_a_table_gives_right_figures_or_none() -> None:
    for text in (TABLE, TABS, SWEEP, CSV, QUOTED, SQL):
        whole = speeds(read_report(text, "x"))
        for end in range(1, len(text)):
            try:
                found = speeds(read_report(text[:end], "x"))
            except BadFile:
                continue
            assert found.items() <= whole.items(), text[:end][-60:]
    assert speeds(read_report(TABLE, "x")) == BOTH
