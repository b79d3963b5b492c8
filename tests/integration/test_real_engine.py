"""The real engine on the real sample model, through the commands that users type."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.sample import sample_path

pytestmark = [pytest.mark.engine, pytest.mark.timeout(300)]

# Timings wander on shared machines, so a run may honestly be stamped invalid; it has measured all the same.
MEASURED = (0, 5)


def run(*words: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "advisor", *words],
        capture_output=True,
        text=True,
        env=os.environ | (environment or {}),
        check=False,
        timeout=280,
    )


def test_bench_measures_both_phases_with_raw_samples() -> None:
    done = run("bench", str(sample_path()), "-r", "3", "-n", "32", "--json")
    assert done.returncode in MEASURED, done.stderr
    said = json.loads(done.stdout)
    assert [test["test"] for test in said["tests"]] == ["pp512", "tg32"]
    for test in said["tests"]:
        assert len(test["samples_s"]) == 3
        assert all(sample > 0 for sample in test["samples_s"])
        tokens = test["n_prompt"] or test["n_gen"]
        assert test["tokens_per_s"] == pytest.approx(tokens / sorted(test["samples_s"])[1])
        assert test["device"] == "CPU"
        assert test["conditions"]["stamp"] in ("valid", "suspect", "invalid")
    assert "Decode, repetition 3 of 3" in done.stderr


def test_bench_at_depth_is_named_so() -> None:
    done = run("bench", str(sample_path()), "-p", "0", "-n", "16", "-d", "256", "-r", "2", "--json")
    assert done.returncode in MEASURED, done.stderr
    assert [test["test"] for test in json.loads(done.stdout)["tests"]] == ["tg16 @ d256"]


def test_ceilings_rest_on_several_kernels() -> None:
    done = run("ceilings", str(sample_path()), "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    for name in ("decode_tokens_per_s", "prefill_tokens_per_s", "read_bytes_per_s", "compute_flop_per_s"):
        assert said[name] > 0
        assert said[f"{name}_source"]
    kernels = {probe["kernel"] for probe in said["read_probes"]}
    assert len(kernels) >= 3
    assert any(probe["kernel"].startswith("ggml") for probe in said["arithmetic_probes"])
    assert any("BLAS" in probe["kernel"] for probe in said["arithmetic_probes"])
    step_bytes = 246_587_904
    as_large = [probe for probe in said["read_probes"] if probe["bytes_per_pass"] >= 0.97 * step_bytes]
    assert said["read_bytes_per_s"] == pytest.approx(max(probe["best_bytes_per_s"] for probe in as_large))
    by_reading = said["read_bytes_per_s"] / step_bytes
    by_arithmetic = said["compute_flop_per_s"] / 536e6  # what a busy machine may leave less time for
    assert said["decode_tokens_per_s"] == pytest.approx(min(by_reading, by_arithmetic), rel=0.01)
    assert len({probe["bytes_per_pass"] for probe in said["read_probes"]}) >= 3


def test_the_kernel_table_holds_the_samples_own_products() -> None:
    kernels = json.loads(run("ceilings", str(sample_path()), "--json").stdout)["kernels"]
    single = {(row["type_name"], row["inputs"], row["outputs"]) for row in kernels["products"] if row["columns"] == 1}
    assert {("Q8_0", 640, 262144), ("Q5_0", 640, 2048), ("Q4_K", 1024, 640), ("Q6_K", 2048, 640)} <= single
    few = {
        (row["type_name"], row["inputs"], row["outputs"]) for row in kernels["products"] if row["columns"] in (2, 4, 8)
    }
    assert few <= single  # whole shapes, as a step has them: they are gone through by turns
    batched = {row["type_name"] for row in kernels["products"] if row["columns"] == 512}
    assert {"Q8_0", "Q5_0", "Q4_K", "Q6_K"} <= batched
    assert {row["operation"] for row in kernels["operations"]} >= {"norm", "add", "rope", "copy"}
    assert {(row["columns"] > 1) for row in kernels["attention"]} == {True, False}
    rows = [*kernels["products"], *kernels["operations"], *kernels["attention"]]
    assert all(seconds > 0 for row in rows for seconds in row["samples_s"])


@pytest.fixture(scope="module")
def diagnoses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("reports")
    found = {}
    for workload in ("rag", "long-writing"):
        files = {kind: folder / f"{workload}.{kind}" for kind in ("pdf", "json", "md")}
        done = run(
            "diagnose", str(sample_path()), "--workload", workload, "--budget", "20",
            "--pdf", str(files["pdf"]), "--json", str(files["json"]), "--md", str(files["md"]),
        )  # fmt: skip
        assert done.returncode in MEASURED, done.stderr
        found[workload] = json.loads(files["json"].read_text(encoding="utf-8")) | {"files": files, "text": done.stdout}
    return found


@pytest.mark.parametrize(("workload", "allowed"), [("rag", {"prefill", "none"}), ("long-writing", {"decode", "none"})])
def test_diagnose_names_the_phase_and_its_seconds_add_up(
    diagnoses: dict[str, Any], workload: str, allowed: set[str]
) -> None:
    said = diagnoses[workload]
    assert said["schema"] == "two-machines/diagnosis/1"
    assert said["verdict"]["problem"] in allowed
    times = said["timeline"]
    assert times["wait_s"] + times["stream_s"] == pytest.approx(times["total_s"])
    assert set(said["verdict"]["limits"]) == {"prefill", "decode"}
    for advice in said["advice"]:
        assert advice["saved_s_low"] <= advice["saved_s"] <= advice["saved_s_high"]
        assert {"id", "phase", "basis", "how", "cost", "evidence"} <= set(advice)
    for finding in (said["verdict"]["prefill"], said["verdict"]["decode"]):
        assert finding["of_ceiling"] is None or finding["of_ceiling"] <= 1.0
    assert said["wont_help"]


def test_the_reports_are_there_and_the_pdf_is_one(diagnoses: dict[str, Any]) -> None:
    for said in diagnoses.values():
        assert said["files"]["pdf"].read_bytes().startswith(b"%PDF-")
        assert said["verdict"]["headline"] in said["files"]["md"].read_text(encoding="utf-8")
        assert said["verdict"]["headline"] in said["text"]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("moment", ["Loading", "Prefill, repetition 1", "Decode, repetition 1"])
def test_ctrl_c_keeps_what_was_measured_and_leaves_no_child(moment: str, tmp_path: Path) -> None:
    out = tmp_path / "part.json"
    process = psutil.Popen(
        [sys.executable, "-m", "advisor", "bench", str(sample_path()), "-p", "128", "-r", "10", "--json", str(out)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    for line in process.stderr:
        if moment in line:
            break
    if moment.startswith("Decode"):
        time.sleep(0.3)
    children = process.children(recursive=True)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    _, alive = psutil.wait_procs(children, timeout=5)
    assert not alive
    if moment.startswith("Decode"):
        tests = json.loads(out.read_text(encoding="utf-8"))["tests"]
        assert tests[0]["test"] == "pp128"
        assert len(tests[0]["samples_s"]) == 10


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGSTOP"])
def test_a_child_that_is_hit_in_decode_costs_decode_only(name: str, tmp_path: Path) -> None:
    out = tmp_path / "part.json"
    process = psutil.Popen(
        [
            sys.executable, "-m", "advisor", "bench", str(sample_path()),
            "-p", "128", "-n", "64", "-r", "8", "--json", str(out),
        ],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    for line in process.stderr:
        if "Decode, repetition 2" in line:
            break
    worker = next(child for child in process.children() if "advisor.benchmarks.worker" in " ".join(child.cmdline()))
    worker.send_signal(getattr(signal, name))
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 4, errors
    assert "Traceback" not in errors
    assert "decode" in errors
    tests = json.loads(out.read_text(encoding="utf-8"))["tests"]
    assert [(t["test"], t["complete"]) for t in tests] == [("pp128", True), ("tg64", False)]
    assert not worker.is_running()


def test_without_the_engine_machine_and_inspect_still_work(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nclass Gone:\n    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'llama_cpp':\n            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Gone())\n"
    )
    code = (
        "import sys\n"
        "import advisor.benchmarks.launch as s\n"
        "keep = s.worker_environment\n"
        f"first = {str(tmp_path) + os.pathsep!r}\n"
        "s.worker_environment = lambda e: keep(e) | {'PYTHONPATH': first + keep(e)['PYTHONPATH']}\n"
        "from advisor.__main__ import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )

    def without(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)

    machine = without("machine", "--json")
    assert machine.returncode == 0, machine.stderr
    said = json.loads(machine.stdout)
    assert said["engine"] is None
    assert "pip install" in said["engine_reason"]
    assert without("inspect", str(sample_path()), "--json").returncode == 0
    bench = without("bench", str(sample_path()))
    assert bench.returncode == 4
    assert "not installed" in bench.stderr
    assert "pip install" in bench.stderr
    ceilings = without("ceilings", str(sample_path()), "--json")
    assert ceilings.returncode == 0, ceilings.stderr
    assert json.loads(ceilings.stdout)["read_bytes_per_s"] > 0


def test_an_advice_is_tried_by_turns_on_the_run_that_was_just_made() -> None:
    first = run("diagnose", str(sample_path()), "--json")
    assert first.returncode in MEASURED, first.stderr
    words = ("try", str(sample_path()), "shorten-prompt", "--rounds", "3", "--budget", "1", "--json")
    done = run(*words)
    assert done.returncode in MEASURED, done.stderr
    said = json.loads(done.stdout)
    (pair,) = said["trial"]["pairs"]
    assert len(pair["before_s"]) == len(pair["after_s"]) == 3
    assert 0 < pair["ratio"] < 1
    assert said["predicted"]["id"] == said["advice"]["id"] == "shorten-prompt"
    if done.returncode == 0:
        assert said["ledger"]["tries"] == 1
    if first.returncode == 0:
        assert "is used as the diagnosis" in done.stderr
