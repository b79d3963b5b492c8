"""Texts as people paste them into forums and issues: right figures, or a clear word on what could not be read."""

# ruff: noqa: E501  (lines of other programs are as long as they are)

import pytest

from advisor.benchmarks.reported import ReportedRun
from advisor.core.errors import BadFile
from advisor.importing.reading import read_report

HEAD = "| model | size | params | backend | ngl | test | t/s |"
RULE = "| --- | --: | --: | --- | --: | --: | --: |"
ROW = "| llama 8B Q4_K - Medium | 4.58 GiB | 8.03 B | CUDA | 99 | {test} | {speed} |"
PP, TG = ROW.format(test="pp512", speed="4810.33 ± 21.05"), ROW.format(test="tg128", speed="138.22 ± 0.41")
TABLE = "\n".join((HEAD, RULE, PP, TG))
BOTH = {"pp512": 4810.33, "tg128": 138.22}
JSON_ROW = (
    '{"build_commit": "8cf427ff", "build_number": 5163, "cpu_info": "Ryzen", "gpu_info": "RTX 4080", "backends": "CUDA", '
    '"model_type": "qwen2 7B Q4_K - Medium", "n_prompt": %d, "n_gen": %d, "avg_ns": 1, "avg_ts": %s, "stddev_ts": 1.0, '
    '"samples_ns": [%d], "samples_ts": [%s]}'
)
JSON_PP, JSON_TG = JSON_ROW % (512, 0, 512.0, 10**9, 512.0), JSON_ROW % (0, 128, 64.0, 2 * 10**9, 64.0)

SHAPES = {
    "as it is printed": (TABLE, BOTH),
    "without the rule": ("\n".join((HEAD, PP, TG)), BOTH),
    "without outer pipes": (TABLE.replace("\n| ", "\n").replace(" |\n", "\n"), BOTH),
    "coloured": ("\n".join((HEAD, RULE, f"\x1b[32m{PP}\x1b[0m", f"\x1b[1m{TG}\x1b[0m")), BOTH),
    "colours whose escape was lost": ("\n".join((HEAD, RULE, f"[32m{PP}[0m", TG)), BOTH),
    "wrapped by a narrow terminal": (
        "\n".join((HEAD, RULE, *(row[at : at + 40] for row in (PP, TG) for at in range(0, len(row), 40)))), BOTH,
    ),
    "commas before the decimals": (TABLE.replace("4810.33 ± 21.05", "4.810,33 ± 21,05").replace("138.22", "138,22"), BOTH),
    "quoted in a mail": ("\n".join(f"> {line}" for line in TABLE.splitlines()), BOTH),
    "quoted twice": ("\n".join(f">> {line}" for line in TABLE.splitlines()), BOTH),
    "indented as code": ("\n".join(f"    {line}" for line in TABLE.splitlines()), BOTH),
    "in a fence with a shell prompt": (f"```\n$ ./llama-bench -m model.gguf\n{TABLE}\n```\n", BOTH),
    "bold figures": (TABLE.replace("4810.33 ± 21.05", "**4810.33 ± 21.05**"), BOTH),
    "plus and minus as ASCII": (TABLE.replace("±", "+/-"), BOTH),
    "entities of a web page": (TABLE.replace("±", "&plusmn;").replace(" GiB", "&nbsp;GiB"), BOTH),
    "damaged encoding": (TABLE.replace("±", "Â±"), BOTH),
    "no spread": (TABLE.replace(" ± 21.05", "").replace(" ± 0.41", ""), BOTH),
    "a unit in the cell": (TABLE.replace("± 21.05", "± 21.05 t/s").replace("± 0.41", "± 0.41 t/s"), BOTH),
    "lines drawn with box characters": (TABLE.replace("|", "│").replace("-", "─"), BOTH),
    "tabs from a rendered page": ("\n".join(line.strip("| ").replace(" | ", "\t") for line in (HEAD, PP, TG)), BOTH),
    "a spreadsheet's semicolons": (
        "\n".join(line.strip("| ").replace(" | ", ";").replace(".", ",") for line in (HEAD, PP, TG)), BOTH,
    ),
    "commas of their own": ("\n".join(line.strip("| ").replace(" | ", ",") for line in (HEAD, PP, TG)), BOTH),
    "columns in capitals": (TABLE.replace("model", "Model").replace("test", "Test"), BOTH),
    "depth without spaces": (TABLE.replace("tg128", "tg128@d4096"), {"pp512": 4810.33, "tg128 @ d4096": 138.22}),
    "rows alone": (f"here you go\n{PP}\n{TG}", BOTH),
    "warnings between the rows": (
        f"{HEAD}\n{RULE}\nggml_vulkan: 0 = AMD RX 7900 XTX (RADV NAVI31) (radv) | uma: 0 | fp16: 1\n{PP}\nwarning: x\n{TG}",
        BOTH,
    ),
    "Windows line ends": (TABLE.replace("\n", "\r\n"), BOTH),
    "in a sentence": ("With the new build I get pp512: 812.1 t/s and tg128 = 23,5 tok/s.", {"pp512": 812.1, "tg128": 23.5}),
    "in a sentence without lengths": ("PP 812 t/s, TG 23.5 t/s on my 3060", {"pp?": 812.0, "tg?": 23.5}),
    "in words": ("Prompt processing: 812 tokens/s\nGeneration: 23.5 tokens/s", {"pp?": 812.0, "tg?": 23.5}),
    "llama-cli's last line": ("[ Prompt: 99.8 t/s | Generation: 50.3 t/s ]", {"pp?": 99.8, "tg?": 50.3}),
    "llama.cpp's older log": (
        "llama_print_timings: prompt eval time =   12190.48 ms /   512 tokens (   23.81 ms per token,    42.00 tokens per second)\n"
        "llama_print_timings:        eval time =   11636.36 ms /   127 runs   (   91.63 ms per token,    10.91 tokens per second)\n",
        {"pp512": 42.0, "tg127": 10.91},
    ),
    "koboldcpp": (
        "[12:03:11] CtxLimit:617/4096, Amt:100/100, Init:0.00s, Process:3.66s (141.24T/s), Generate:9.30s (10.75T/s), "
        "Total:12.96s",
        {"pp517": 141.24, "tg100": 10.75},
    ),
    "koboldcpp's benchmark": (
        "Benchmark Completed - v1.92.1 Results:\n======\nFlags: NoAVX2=False\nTimestamp: 2025-05-31 09:00:00\n"
        "Backend: koboldcpp_cublas.dll\nLayers: 37\nModel: Qwen3-8B-Q4_K_M\nMaxCtx: 4096\nGenAmount: 100\n-----\n"
        "ProcessingTime: 3.996s\nProcessingSpeed: 1000.00T/s\nGenerationTime: 4.000s\nGenerationSpeed: 25.00T/s\n"
        "TotalTime: 7.996s\nOutput: 1 1 1 1",
        {"pp3996": 1000.0, "tg100 @ d3996": 25.0},
    ),
    "LM Studio": ("34.91 tok/sec • 290 tokens • 0.11s to first token • Stop reason: EOS Token Found", {"tg290": 34.91}),
    "LM Studio, line by line": ("34.91 tok/sec\n\n290 tokens\n\n0.11s to first token\n\nStop reason: EOS", {"tg290": 34.91}),
    "Ollama": (
        "prompt eval count:    26 token(s)\nprompt eval duration: 130.079ms\nprompt eval rate:     199.88 tokens/s\n"
        "eval count:           298 token(s)\neval duration:        4.799921s\neval rate:            62.08 tokens/s",
        {"pp26": 199.88, "tg298": 62.08},
    ),
    "Ollama, quoted": (
        "> prompt eval count:    26 token(s)\n> prompt eval rate:     199.88 tokens/s\n"
        "> eval count:           298 token(s)\n> eval rate:            62.08 tokens/s",
        {"pp26": 199.88, "tg298": 62.08},
    ),
    "MLX": (
        "==========\nPrompt: 512 tokens, 812.125 tokens-per-sec\nGeneration: 128 tokens, 45.250 tokens-per-sec\n"
        "Peak memory: 4.612 GB",
        {"pp512": 812.12, "tg128": 45.25},
    ),
    "TabbyAPI": (
        "INFO:     Metrics (ID: 6a): 237 tokens generated in 5.91 seconds (Queue: 0.0 s, Process: 0 cached tokens and 1024 new "
        "tokens at 1532.97 T/s, Generate: 45.2 T/s, Context: 1024 tokens)",
        {"pp1024": 1532.97, "tg237": 45.2},
    ),
    "JSON": (f"[{JSON_PP},\n{JSON_TG}]", {"pp512": 512.0, "tg128": 64.0}),
    "JSON lines": (f"{JSON_PP}\n{JSON_TG}\n", {"pp512": 512.0, "tg128": 64.0}),
    "JSON behind a shell prompt": (f"$ llama-bench -o json\n[\n{JSON_PP},\n{JSON_TG}\n]\n$", {"pp512": 512.0, "tg128": 64.0}),
    "JSON cut off in its second test": (f"[{JSON_PP},\n{JSON_TG[:200]}", {"pp512": 512.0}),
    "SQL": (
        "INSERT INTO llama_bench (model_type, n_prompt, n_gen, avg_ts, stddev_ts) VALUES ('a 7B Q8_0', '512', '0', '512.0', '1.0');\n"
        "INSERT INTO llama_bench (model_type, n_prompt, n_gen, avg_ts, stddev_ts) VALUES ('a 7B Q8_0', '0', '128', '64.0', '1.0');",
        {"pp512": 512.0, "tg128": 64.0},
    ),
    "ik_llama.cpp's sweep": (
        "|    PP |     TG |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |\n|-------|--------|--------|----------|----------|----------|----------|\n"
        "|   512 |    128 |      0 |    1.000 |   512.00 |    2.000 |    64.00 |\n|   512 |    128 |    512 |    1.024 |   500.00 |    2.048 |    62.50 |",
        {"pp512": 512.0, "tg128": 64.0, "pp512 @ d512": 500.0, "tg128 @ d512": 62.5},
    ),
    "an own table with a column for each test": (
        "model | quant | pp512 | tg128\n--- | --- | --- | ---\nLlama 8B | Q4_K_M | 812.1 | 23.5", {"pp512": 812.1, "tg128": 23.5},
    ),
}  # fmt: skip


def speeds(runs: tuple[ReportedRun, ...]) -> dict[str, float]:
    return {test.test: round(test.tokens_per_s, 2) for run in runs for test in run.tests}


@pytest.mark.parametrize(("text", "expected"), SHAPES.values(), ids=SHAPES)
def test_figures_are_read_from(text: str, expected: dict[str, float]) -> None:
    assert speeds(read_report(text, "post.txt")) == expected


def test_several_builds_stay_apart() -> None:
    text = f"{TABLE}\n\nbuild: 8cf427ff (5163)\n\nand with the new one:\n\n{TABLE}\n\nbuild: 0c1e5709 (7100)\n"
    assert [run.build for run in read_report(text, "post.txt")] == ["5163 (8cf427ff)", "7100 (0c1e5709)"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{TABLE}\n{ROW.format(test='pp1024', speed='fast')}", "Line 5 could not be read"),
        (f"{TABLE}\n{ROW.format(test='pp1024+tg64', speed='100 ± 1')}", "Line 5 could not be read"),
        (f"[{JSON_PP},\n{JSON_TG[:200]}", "cut off"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, words: str) -> None:
    assert any(words in said for said in read_report(text, "post.txt")[0].unread_words)


@pytest.mark.parametrize(
    "text",
    [
        "", "It is slow, 5 or so.", "I have 2 GPUs with 24 GB and 936 GB/s", "version pp12.4 of tg3", "eval rate: unknown",
        "Output generated in 5.20 seconds (45.58 tokens/s, 237 tokens, context 1024, seed 1)", JSON_PP[:150],
        "The card does 82 TFLOP/s and 1008 GB/s",
    ],
)  # fmt: skip
def test_texts_without_a_phases_speed_are_refused(text: str) -> None:
    with pytest.raises(BadFile):
        read_report(text, "post.txt")
