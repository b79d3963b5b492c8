import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from advisor import __version__
from advisor.__main__ import main
from advisor.benchmarks import tiny_model
from advisor.benchmarks.model import FlashAttention, Sweep
from advisor.benchmarks.planning import PlanKind
from advisor.benchmarks.worker import llama
from advisor.cli import commands
from advisor.cli.examples import EXAMPLES
from advisor.cli.parser import CURVES, FLASH_ATTENTION, KV_TYPE_NAMES, PLANS, WORKLOADS, parse
from advisor.cli.running import bench_settings
from advisor.core.errors import Cancelled, UsageError
from advisor.diagnosis.workload import PRESETS
from advisor.gguf.layers import KV_TYPES
from tests.support.gguf_builder import decoder
from tests.support.sample import sample_path


def test_the_parser_knows_the_presets() -> None:
    assert tuple(PRESETS) == WORKLOADS


def test_the_parser_knows_the_engines_words() -> None:
    assert tuple(PlanKind) == PLANS
    assert tuple(FlashAttention) == FLASH_ATTENTION
    assert {*CURVES} - {"chunk"} <= set(Sweep)
    assert set(KV_TYPE_NAMES) == set(KV_TYPES) == set(llama.KV_TYPES)


def test_options_are_spelled_as_llama_bench_spells_them() -> None:
    words = ["bench", "m.gguf", "-t", "4", "-tb", "8", "-b", "1024", "-ub", "256"]
    words += ["-fa", "on", "-ctk", "q8_0", "-s", "2"]
    settings = bench_settings(parse(words))
    assert (settings.n_threads, settings.n_threads_prefill) == (4, 8)
    assert (settings.n_batch, settings.n_ubatch) == (1024, 256)
    assert (settings.flash_attention, settings.kv_type) == (FlashAttention.ON, "q8_0")
    assert settings.kind is None
    assert parse(words).streams == 2
    sweep = parse(["sweep", "depth", "m.gguf", "-d", "4096,1024", "-ctv", "q4_0"])
    assert (sweep.curve, sweep.depths, sweep.kv_type) == ("depth", (1024, 4096), "q4_0")
    assert parse(["diagnose", "m.gguf"]).plan == "quick"


@pytest.mark.parametrize(
    ("words", "target"),
    [
        (["inspect", "--json", "model.gguf"], "-"),
        (["inspect", "model.gguf", "--json"], "-"),
        (["diagnose", "model.gguf", "--json", "out.json"], "out.json"),
        (["diagnose", "--json", "--pdf", "a.pdf", "model.gguf"], "-"),
        (["inspect", "model.gguf"], None),
    ],
)
def test_json_goes_to_standard_output_unless_a_json_file_is_named(words: list[str], target: str | None) -> None:
    arguments = parse(words)
    assert arguments.json == target
    assert str(arguments.model) == "model.gguf"


@pytest.mark.parametrize(
    "words",
    [
        ["fly"],
        ["inspect"],
        ["bench", "m.gguf", "-p", "many"],
        ["bench", "m.gguf", "-r", "0"],
        ["bench", "m.gguf", "-p", "-3"],
        ["bench", "m.gguf", "-p", "99999999999"],
        ["diagnose", "m.gguf", "--budget", "soon"],
        ["diagnose", "m.gguf", "--budget", "nan"],
        ["diagnose", "m.gguf", "--budget", "0"],
        ["diagnose", "m.gguf", "--plan", "endless"],
        ["diagnose", "m.gguf", "--turns", "0"],
        ["diagnose", "m.gguf", "--wait", "0"],
        ["diagnose", "m.gguf", "--slowest", "fast"],
        ["diagnose", "m.gguf", "--slowest", "inf"],
        ["sweep", "m.gguf"],
        ["sweep", "colours", "m.gguf"],
        ["sweep", "depth", "m.gguf", "-d", "1024,x"],
        ["sweep", "depth", "m.gguf", "-d", "0"],
        ["bench", "m.gguf", "-fa", "maybe"],
        ["bench", "m.gguf", "-ctk", "q2_k"],
        ["bench", "m.gguf", "-s", "100000"],
        ["diagnose", "m.gguf", "--pdf", ""],
        ["--json", "inspect", "m.gguf"],
        ["inspect", "a.gguf", "b.gguf"],
    ],
)
def test_wrong_usage_is_exit_2_with_one_sentence_and_a_hint(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert lines[0].startswith("two-machines: ")
    assert "--help" in lines[1]
    assert len(lines) == 2


@pytest.mark.parametrize("words", [
    ["--workload", "poetry"], ["--prompt", "100", "--shared", "200"], ["--prompt", "100", "--prompt-file", "a.txt"],
])
def test_an_impossible_workload_is_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "no-such-model.gguf", *words]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_help_and_version_are_no_errors(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--help"], ["--version"], ["bench", "--help"]):
        with pytest.raises(SystemExit) as ending:
            main(words)
        assert ending.value.code == 0
    assert __version__ in capsys.readouterr().out


BAD_FILES = {
    "missing.gguf": None,
    "empty.gguf": b"",
    "text.gguf": b"hello, I am a text\n" * 50,
    "page.gguf": b"<!DOCTYPE html><html><body>404</body></html>",
    "pointer.gguf": b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 123\n",
    "counts.gguf": b"GGUF\x03\x00\x00\x00" + (2**63).to_bytes(8, "little") * 2,
    "cut.gguf": b"GGUF\x03\x00\x00",
}


@pytest.mark.parametrize("command", ["inspect", "ceilings", "bench", "diagnose"])
@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_exit_3_with_one_sentence(
    command: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    content = BAD_FILES[name]
    if content is not None:
        path.write_bytes(content)
    assert main([command, str(path), "--json"]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    sentence = next(line for line in captured.err.splitlines() if line.startswith("two-machines: "))
    assert sentence.endswith(".")


def test_the_sample_cut_after_its_tensor_table_names_both_sizes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cut.gguf"
    with sample_path().open("rb") as source:
        path.write_bytes(source.read(8 << 20))
    assert main(["inspect", str(path)]) == 3
    assert "cut.gguf" in capsys.readouterr().err


def test_inspect_gives_the_figures_that_other_tools_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(sample_path()), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["schema"] == "two-machines/inspect/1"
    assert said["parameters"] == 268_098_176
    assert said["bytes_per_token"] == 246_587_904
    assert said["flop_per_prompt_token"] == 200_540_160
    assert said["flop_per_decoded_token"] == 536_084_480
    assert set(said["types"]) == {"Q8_0", "Q5_0", "Q4_K", "Q6_K", "F32"}
    assert said["has_decode"] is True


@pytest.mark.parametrize("entry", ["advisor", "ui"])
@pytest.mark.parametrize("command", ["inspect", "machine"])
def test_reading_facts_loads_neither_qt_nor_numpy_nor_the_engine(entry: str, command: str) -> None:
    """As ``python -m advisor`` and as ``two-machines``; the child that asks the engine may load what it likes."""
    code = (
        f"import sys; from {entry}.__main__ import main; code = main(sys.argv[1:]);"
        "heavy = {'PySide6', 'shiboken6', 'pyqtgraph', 'numpy', 'llama_cpp'};"
        "print(code, sorted({name.partition('.')[0] for name in sys.modules} & heavy), file=sys.stderr)"
    )
    words = [command, *([str(sample_path())] if command == "inspect" else []), "--json"]
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True, timeout=120)
    assert json.loads(done.stdout)["schema"] == f"two-machines/{command}/1"
    assert done.stderr.strip() == "0 []"


def test_inspect_does_without_psutil() -> None:
    code = "import sys; sys.modules['psutil'] = None; from advisor.__main__ import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, "inspect", str(sample_path())], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", [["machine"], ["ceilings", "m.gguf"], ["bench", "m.gguf"], ["diagnose", "m.gguf"]])
def test_a_missing_package_is_one_sentence_and_a_hint(words: list[str]) -> None:
    code = "import sys; sys.modules['psutil'] = None; from advisor.__main__ import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "two-machines: The Python package psutil is not installed, and this command needs it.\n"
        "  Install it with: python -m pip install psutil\n"
    )


def test_a_missing_module_of_our_own_is_a_defect_and_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "advisor.gguf.architecture", None)
    with pytest.raises(ModuleNotFoundError):
        main(["inspect", "m.gguf"])


def test_machine_loads_neither_qt_nor_numpy_nor_the_engine() -> None:
    code = (
        "import sys; from advisor.__main__ import main; main(['machine', '--json']);"
        "print([m for m in ('PySide6', 'numpy', 'llama_cpp', 'advisor.session') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert json.loads(done.stdout)["engine"]


def test_importing_the_engine_room_loads_no_toolkit_and_no_engine() -> None:
    code = (
        "import sys, advisor.session.pipeline;"
        "print([m for m in ('PySide6', 'pyqtgraph', 'llama_cpp', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_window_here_names_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gui"]) == 2
    assert "diagnose" in capsys.readouterr().err


def test_gui_hands_the_model_to_the_window() -> None:
    seen: list[list[str]] = []
    assert main(["gui", "a.gguf"], lambda words: seen.append(words) or 0) == 0
    assert main([], lambda words: seen.append(words) or 0) == 0
    assert seen == [["a.gguf"], []]


def test_nothing_to_measure_is_wrong_usage() -> None:
    assert main(["bench", str(sample_path()), "-p", "0", "-n", "0"]) == 2


def command(*words: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "advisor", *words], capture_output=True, check=False, **options)


@pytest.mark.parametrize("option", ["--json", "--pdf", "--md"])
def test_a_report_that_could_not_be_written_is_refused_before_measuring(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "no-such-folder" / "report.json"
    assert main(["diagnose", str(sample_path()), option, str(target)]) == 1
    assert "does not exist" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["ceilings", "bench", "diagnose"])
def test_a_model_without_decode_is_exit_3(name: str, tmp_path: Path) -> None:
    path = tmp_path / "encoder.gguf"
    decoder("bert").write(path)
    assert main([name, str(path)]) == 3


def test_usage_errors_carry_their_code() -> None:
    assert UsageError("x").exit_code == 2


@pytest.mark.parametrize("option", ["--json", "--pdf", "--md", "--html", "--csv"])
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's, and nobody may write to it")
def test_a_folder_that_takes_no_file_is_found_before_measuring(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", str(sample_path()), option, "/proc/report.json"]) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and len(captured.err.splitlines()) == 2
    assert "cannot be written" in captured.err


@pytest.mark.parametrize(
    "words", [["server", "http://127.0.0.1:9"], ["sweep", "depth", "m.gguf"], ["sweep", "chunk", "m.gguf"],
              ["machine"], ["models"], ["selftest"], ["try", "m.gguf"], ["engines"]],
)  # fmt: skip
def test_every_command_looks_at_its_file_first(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--json", str(tmp_path / "none" / "out.json")]) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and "does not exist" in captured.err


def test_text_is_shown_beside_json_in_a_file_and_not_beside_json_on_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.json"
    assert main(["inspect", str(sample_path()), "--json", str(target)]) == 0
    shown = capsys.readouterr().out
    assert "Gemma" in shown or "gemma" in shown
    assert shown.endswith(f"Written: {target}\n")
    assert json.loads(target.read_text(encoding="utf-8"))["parameters"] == 268_098_176
    assert main(["inspect", str(sample_path()), "--json"]) == 0
    json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("words", [["bench", "m.gguf", "--json", "out"], ["bench", "--json", "out", "m.gguf"]])
def test_a_json_file_without_its_ending_is_told_how_to_be_named(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "The file of --json must end in .json, and “out” does not." in said
    assert "--json out.json, or --json=out" in said


def test_two_models_are_not_taken_for_a_json_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--json", "a.gguf", "b.gguf"]) == 2
    assert "Unrecognized arguments: b.gguf" in capsys.readouterr().err


def test_a_json_file_may_be_named_anything_after_an_equals_sign(tmp_path: Path) -> None:
    target = tmp_path / "out"
    assert main(["inspect", str(sample_path()), f"--json={target}"]) == 0
    assert json.loads(target.read_text(encoding="utf-8"))["parameters"] == 268_098_176


PRESSED = {
    "raised": "raise KeyboardInterrupt",
    "sent": "import os, signal; os.kill(os.getpid(), signal.SIGINT)",
}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signal to itself")
@pytest.mark.parametrize("how", PRESSED)
@pytest.mark.parametrize("module", ["advisor.cli.terminal", "advisor.cli.commands", "argparse"])
@pytest.mark.parametrize("entry", ["advisor", "ui"])
def test_ctrl_c_while_the_program_is_still_being_imported_is_one_sentence(entry: str, module: str, how: str) -> None:
    code = (
        "import sys\n"
        "class Pressed:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}: {PRESSED[how]}\n"
        f"sys.modules.pop({module!r}, None)\n"
        f"from {entry}.__main__ import main\n"
        "sys.meta_path.insert(0, Pressed())\n"
        "sys.exit(main(['machine']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, ""), done.stderr
    assert done.stderr == "two-machines: Stopped.\n"


def tiny(folder: Path) -> str:
    """A model whose context holds 512 tokens."""
    return str(tiny_model.write(folder / "tiny.gguf"))


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["bench", "MODEL", "-d", "4096", "-p", "64", "-n", "16"], "shorter by 3,648 tokens"),
        (["bench", "MODEL", "-p", "600"], "shorter by 88 tokens"),
        (["sweep", "depth", "MODEL", "-d", "128,4096"], "smaller by 4,096 tokens"),
        (["sweep", "depth", "MODEL"], "Give smaller depths"),
        (["sweep", "batch", "MODEL", "-d", "512"], "smaller by 128 tokens"),
        (["sweep", "chunk", "MODEL", "-P", "2048"], "Make -P smaller by 1,544 tokens"),
        (["sweep", "chunk", "MODEL", "-P", "256", "-d", "600"], "Make -d smaller by 104 tokens"),
    ],
)
def test_what_the_models_context_cannot_hold_is_refused_before_anything_runs(
    words: list[str], hint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def started(*_args: Any, **_more: Any) -> None:
        raise AssertionError("a child was started")

    monkeypatch.setattr("advisor.benchmarks.supervisor.supervise", started)
    assert main([tiny(tmp_path) if word == "MODEL" else word for word in words]) == 2
    captured = capsys.readouterr()
    said = captured.err.replace("\u00a0", " ")
    assert captured.out == "" and "this model was made for 512" in said
    assert hint in said


def helped(*words: str, entry: str = "advisor") -> str:
    done = subprocess.run(
        [sys.executable, "-m", entry, *words, "--help"], capture_output=True, text=True, check=True,
        env=os.environ | {"COLUMNS": "80"},
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_help_ends_with_examples(name: str) -> None:
    with pytest.raises(SystemExit), contextlib.redirect_stdout(io.StringIO()) as said:
        parse([*name.split(), "--help"])
    lines = said.getvalue().splitlines()
    assert lines[-len(EXAMPLES[name]) :] == [f"  two-machines {line}" for line in EXAMPLES[name]]


def test_help_names_the_program_as_it_was_called() -> None:
    assert helped().startswith("usage: python -m advisor ")
    assert "Without a command the window opens" not in helped()
    assert helped("bench").splitlines()[-1].startswith("  python -m advisor bench MODEL.gguf")


@pytest.mark.parametrize(
    "words",
    [
        ["inspect", ""], ["compare", ""], ["import", " "], ["server-log", ""], ["rehearse", ""],
        ["try", "m", "--draft", ""],
    ],
)
def test_an_empty_name_is_wrong_usage(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    said = capsys.readouterr()
    assert said.out == "" and "name is needed" in said.err and len(said.err.splitlines()) == 2


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device here")
@pytest.mark.parametrize("command", ["import", "compare"])
def test_a_device_without_end_and_a_folder_are_no_results(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "/dev/zero"]) == 3
    assert "zero is no file with results in it." in capsys.readouterr().err
    assert main([command, str(tmp_path)]) == 3
    assert f"{tmp_path.name} is a folder." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["bench", "m.gguf"], "  Nothing was measured yet.\n"),
        (["server", "http://box"], "  Nothing was measured yet.\n"),
        (["models"], ""), (["history"], ""), (["sample"], ""), (["import", "f.md"], ""),
    ],
)  # fmt: skip
def test_stopping_speaks_of_measuring_only_where_something_would_have_been_measured(
    words: list[str], hint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(_arguments: object) -> int:
        raise Cancelled("Stopped.")

    monkeypatch.setitem(commands.COMMANDS, words[0], stopped)
    assert main(words) == 130
    assert capsys.readouterr().err == f"two-machines: Stopped.\n{hint}"
