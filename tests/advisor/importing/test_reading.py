"""Recorded and damaged outputs of other tools: right figures, or a clear word on what could not be read."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.benchmarks.model import Phase
from advisor.benchmarks.reported import ReportedRun
from advisor.core.errors import BadFile
from advisor.importing.names import quantisation
from advisor.importing.reading import read_report
from advisor.importing.text import number

FOLDER = Path(__file__).parents[2] / "data" / "imports"


def runs(name: str) -> tuple[ReportedRun, ...]:
    return read_report((FOLDER / name).read_text(encoding="utf-8"), name)


def speeds(run: ReportedRun) -> dict[str, float]:
    return {test.test: round(test.tokens_per_s, 2) for test in run.tests}


@pytest.mark.parametrize(
    ("name", "tool", "model", "label", "expected"),
    [
        ("table_cuda.md", "llama-bench", "llama 8B Q4_K - Medium", "Q4_K_M",
         {"pp512": 4810.33, "tg128": 138.22, "pp512 @ d4096": 3902.7, "tg128 @ d4096": 112.81}),
        ("table_tabs.txt", "llama-bench", "qwen3 4B Q8_0", "Q8_0", {"pp512": 1204.11, "tg128": 71.03}),
        ("table_coloured.txt", "llama-bench", "llama 1B Q4_0", "Q4_0", {"pp512": 191.22, "tg128": 44.91}),
        ("table_damaged.txt", "llama-bench", "gemma3 12B Q4_K - Medium", "Q4_K_M", {"pp512": 512.4, "tg128": 31.05}),
        ("rows_only.txt", "llama-bench", "", "", {"pp512": 812.1, "tg128": 23.5}),
        ("rows.sql", "llama-bench", "qwen2 7B Q4_K - Medium", "Q4_K_M", {"pp512": 7263.61, "tg128": 119.84}),
        ("rows.csv", "llama-bench", "qwen2 7B Q4_K - Medium", "Q4_K_M", {"pp512": 7100.0, "tg128": 118.88}),
        ("batched.md", "llama-batched-bench", "", "",
         {"pp512": 4741.2, "tg128 @ d512": 138.98, "pp512 x 4": 4752.1, "tg128 x 4 @ d512": 464.61}),
        ("ollama_verbose.txt", "Ollama", "", "", {"pp26": 199.88, "tg298": 62.08}),
        ("ollama_api.json", "Ollama", "llama3.2", "", {"pp26": 242.21, "tg237": 55.25}),
        ("ollama_api.ndjson", "Ollama", "llama3.2", "", {"pp26": 199.88, "tg259": 61.19}),
        ("lm_studio.json", "LM Studio", "granite-3.0-2b-instruct", "Q4_K_M", {"pp24": 216.22, "tg53": 55.56}),
        ("lm_studio.txt", "LM Studio", "", "", {"tg290": 34.91}),
        ("llama_perf.txt", "llama.cpp", "Meta Llama 3.1 8B Instruct", "Q4_K_M", {"pp512": 42.0, "tg127": 10.91}),
        ("llama_server.log", "llama.cpp", "", "", {"pp520": 999.81, "tg100": 50.0}),
    ],
)  # fmt: skip
def test_one_model_is_read_with_its_figures(
    name: str, tool: str, model: str, label: str, expected: dict[str, float]
) -> None:
    (run,) = runs(name)
    assert (run.tool, run.model, run.quantisation) == (tool, model, label)
    assert speeds(run) == expected


def test_requests_of_one_log_stay_apart() -> None:
    """A prompt of one and an answer of another belong to no request."""
    first, second = runs("kobold.txt")
    assert (speeds(first), first.request) == ({"pp517": 141.24, "tg100": 10.75}, 1)
    assert (speeds(second), second.request) == ({"pp78": 181.82, "tg65": 17.92}, 2)


def test_several_models_become_several_runs_of_one_build() -> None:
    first, second = runs("table_old_columns.md")
    assert (first.model, second.model) == ("LLaMA 7B mostly Q4_0", "LLaMA 13B mostly Q4_0")
    assert first.build == second.build == "1273 (99115f3)"
    assert {test.n_threads for test in first.tests} == {8}
    assert {test.device for test in first.tests} == {"CPU"}


def test_what_a_table_does_not_say_is_unknown() -> None:
    (run,) = runs("table_cuda.md")
    assert run.gpus == ("NVIDIA GeForce RTX 3090",)
    assert run.cpu == ""
    assert run.model_bytes == round(4.58 * 2**30)
    prefill = run.tests[0]
    assert (prefill.n_threads, prefill.n_batch, prefill.kv_type) == (None, None, None)
    assert (prefill.flash_attention, prefill.n_gpu_layers, prefill.device) == ("on", 99, "CUDA")
    assert prefill.deviation_tokens_per_s == 21.05


def test_a_deviation_of_nothing_is_unknown() -> None:
    (run,) = runs("table_coloured.txt")
    assert run.tests[1].deviation_tokens_per_s is None
    assert run.tests[1].interval_tokens_per_s is None


def test_lines_that_cannot_be_read_are_named() -> None:
    (damaged,), (cut,) = runs("table_damaged.txt"), runs("rows.csv")
    assert damaged.unread_words == (
        "Line 7 could not be read: pp512+tg128 mixes reading and writing, which says nothing of either.",
        "Line 8 could not be read: tg256 has no speed that is a number.",
    )
    assert cut.unread_words == ("Line 4 is cut off and left out.",)


def test_a_table_with_a_column_for_each_test() -> None:
    (run,) = read_report("| model | quant | pp512 | tg128 |\n|--|--|--|--|\n| A | Q8_0 | 100.5 ± 1 | 12 |\n", "x")
    assert speeds(run) == {"pp512": 100.5, "tg128": 12.0}
    assert run.quantisation == "Q8_0"


@pytest.mark.parametrize("name", ["no_figures.txt", "truncated.json"])
def test_nothing_to_read_is_one_sentence(name: str) -> None:
    with pytest.raises(BadFile) as caught:
        runs(name)
    assert caught.value.exit_code == 3
    assert name in caught.value.sentence


def test_the_readings_of_a_truncated_file_are_kept() -> None:
    whole = (FOLDER / "rows.sql").read_text(encoding="utf-8")
    (run,) = read_report(whole[: whole.rindex("119.84")], "cut.sql")
    assert speeds(run) == {"pp512": 7263.61}


@pytest.mark.parametrize(
    ("text", "value"),
    [("1234.56", 1234.56), ("1234,56", 1234.56), ("1.234,56", 1234.56), ("1,234.56", 1234.56), ("1,234", 1234.0),
     ("12", 12.0), ("x", None), ("-3", None), ("1e999", None), ("1.2.3", None)],
)  # fmt: skip
def test_numbers_of_several_languages(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    ("words", "label"),
    [("llama 8B Q4_K - Medium", "Q4_K_M"), ("qwen3 4B Q8_0", "Q8_0"), ("llama 1B F16", "F16"),
     ("llama 256M IQ3_XS - 3.3 bpw", "IQ3_XS"), ("gpt-oss 20B MXFP4 MoE", "MXFP4"), ("llama 7B", "")],
)  # fmt: skip
def test_labels(words: str, label: str) -> None:
    assert quantisation(words) == label


@given(st.text(alphabet="|ptg512 @d±.,0123456789{}\"':\n\tINSERT()", max_size=300))
def test_any_text_gives_runs_or_a_sentence(text: str) -> None:
    try:
        found = read_report(text, "any")
    except BadFile as error:
        assert error.sentence
        return
    assert all(test.tokens_per_s > 0 and test.phase in Phase for run in found for test in run.tests)


def test_our_own_results_are_sent_to_compare() -> None:
    with pytest.raises(BadFile, match="needs no import"):
        read_report('{\n  "schema": "two-machines/sweep/1",\n  "tests": []\n}', "sweep.json")


def test_a_line_longer_than_any_row_is_passed_over() -> None:
    """It would keep the expressions for rows and logs busy for minutes; a table around it is still read."""
    table = (FOLDER / "table_cuda.md").read_text(encoding="utf-8")
    held = read_report("9" * 100_000 + "\n" + table, "noise.md")
    assert [speeds(run) for run in held] == [speeds(run) for run in runs("table_cuda.md")]
    (damaged,) = read_report("9" * 100_000 + "\n" + (FOLDER / "table_damaged.txt").read_text(encoding="utf-8"), "x")
    assert damaged.unread_words[0].startswith("Line 8 ")


@pytest.mark.parametrize("name", ["n_prompt", "n_depth", "n_threads", "model_size", "avg_ns", "avg_ts", "stddev_ts"])
def test_figures_of_hundreds_of_digits_are_damage(name: str) -> None:
    fields = {"n_prompt": 512, "n_gen": 0, "avg_ns": 10**9, "avg_ts": 512.0, "n_threads": 4} | {name: 10**400}
    try:
        (run,) = read_report(json.dumps([fields]), "x.json")
    except BadFile as error:
        assert "could not be read" in error.sentence or "can be read" in error.sentence
        return
    assert speeds(run) == {"pp512": 512.0}
    assert (run.model_bytes, run.tests[0].n_threads) in {(None, 4), (None, None)}


def test_a_row_of_more_tokens_than_can_be_is_named_and_the_next_is_read() -> None:
    table = f"| model | test | t/s |\n|--|--|--|\n| A | tg{'9' * 400} | 12 ± 1 |\n| A | tg128 | 12 ± 1 |\n"
    (run,) = read_report(table, "x.md")
    assert speeds(run) == {"tg128": 12.0}
    assert run.unread_words == ("Line 3 could not be read: a test of more than can be.",)
