"""What works on this machine: engine, a real measurement, window, PDF; each check on its own."""

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from advisor.benchmarks.engines.engine import Engine
from advisor.benchmarks.model import EngineDevice, EngineMode
from advisor.core.dates import day
from advisor.core.errors import AdvisorError, Cancelled, EngineError
from advisor.core.evidence import Missing, Unknown
from advisor.core.processes import module_command, own_environment
from advisor.core.progress import CancelToken
from advisor.diagnosis.workload import preset
from advisor.session.events import Listener
from advisor.session.measuring import GIVEN_UP, mend
from advisor.session.paths import paths_beside_history, user_paths
from advisor.session.pipeline import BenchSettings, Pipeline
from advisor.session.sample import INSTALL_HINT, is_installed, sample_path

WINDOW_LIMIT_S = 30.0


@dataclass(frozen=True, slots=True)
class Check:
    """One check: ``state`` is "ok", "skipped" or "failed"; ``exit_code`` is 0 unless it failed."""

    name: str
    state: str
    detail: str
    exit_code: int = 0


def run_checks(
    listener: Listener, cancel: CancelToken, chosen: Engine | None = None, forget: bool = False
) -> list[Check]:
    """All checks, the quick ones first; ``forget`` drops what earlier self-tests found. Raises Cancelled."""
    pipeline = Pipeline(chosen)
    if forget:
        pipeline.forget_safe_modes()
    engine = pipeline.read_engine(cancel)
    cancel.raise_if_cancelled()
    machine = pipeline.read_machine()
    checks = [Check("Machine", "ok", machine.system)]
    if isinstance(engine, Unknown):
        checks.append(Check("Engine", "failed", engine.reason, EngineError.exit_code))
    else:
        checked = pipeline.check_engine(engine, machine, cancel, listener, every_device=True)
        cancel.raise_if_cancelled()
        assert not isinstance(checked, Unknown)
        facts = checked.value
        devices = ", ".join(device.name for device in facts.devices)
        checks.append(Check("Engine", "ok", f"{facts.name} {facts.version}, devices: {devices}"))
        checks += [_device(device) for device in facts.devices]
        with paths_beside_history() as paths:
            checks.append(_measurement(Pipeline(chosen, paths), listener, cancel))
    checks.append(_window())
    return checks


def _device(device: EngineDevice) -> Check:
    name, found = f"Engine on {device.name}", device.self_test
    if isinstance(found, Unknown):
        missing = found.kind is Missing.NOT_YET
        return Check(name, "skipped" if missing else "failed", found.reason, 0 if missing else EngineError.exit_code)
    check = found.value
    if check.mode is EngineMode.DEFAULT:
        return Check(name, "ok", f"default mode, tested on {day(check.since)}")
    why = f"{check.happened} on {day(check.since)}. {check.fault}".rstrip().rstrip(".")
    return Check(name, "ok", f"safe mode, {GIVEN_UP[check.mode]}: {why}. {mend(check)}")


def _measurement(pipeline: Pipeline, listener: Listener, cancel: CancelToken) -> Check:
    name = "Measurement and PDF"
    if not is_installed():
        return Check(name, "skipped", f"the sample model is not installed. {INSTALL_HINT}")
    settings = BenchSettings(n_prompt=128, n_gen=16, repetitions=2)
    try:
        path = sample_path(user_paths().sample, listener, cancel)
        document = pipeline.diagnose(path, preset("rag"), settings, listener, cancel)
    except Cancelled:
        raise
    except AdvisorError as error:
        return Check(name, "failed", str(error), error.exit_code)
    if document.interrupted:
        return Check(name, "failed", document.interrupted, EngineError.exit_code)
    speeds = ", ".join(f"{test.test} {test.tokens_per_s:.0f} tokens/s" for test in document.tests)
    mode = "safe mode" if any(test.safe_mode for test in document.tests) else "default mode"
    from advisor.cli.reports import print_pdf

    with tempfile.TemporaryDirectory() as folder:
        try:
            print_pdf(document, Path(folder) / "selftest.pdf")
        except AdvisorError as error:
            return Check(name, "failed", f"measured ({speeds}, {mode}), but: {error.sentence}", error.exit_code)
    return Check(name, "ok", f"{speeds}, {mode}; a PDF was drawn")


def _window() -> Check:
    """Build the window off screen and close it again, in a process of its own."""
    try:
        done = subprocess.run(
            [*module_command("ui"), "--check"],
            env=own_environment(os.environ, QT_QPA_PLATFORM="offscreen"),
            capture_output=True,
            text=True,
            timeout=WINDOW_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check("Window", "failed", f"it could not be built: {error}", 1)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        said = lines[-1] if "Traceback" in done.stderr else " ".join(line.strip() for line in lines)
        return Check("Window", "failed", said.removeprefix("two-machines: "), 1)
    return Check("Window", "ok", "built off screen")
