"""The engine's first run on a device: a tiny model in a child, down the ladder of safe mode only as far as needed."""

import tempfile
from datetime import date
from pathlib import Path
from typing import Final

from advisor.benchmarks import tiny_model
from advisor.benchmarks.engines.engine import Engine, Listening, Measured
from advisor.benchmarks.failures import crashed_before, named
from advisor.benchmarks.job import Job, Placement, PlannedTest
from advisor.benchmarks.known_faults import Crash, KnownFault, recognise
from advisor.benchmarks.model import EngineCheck, EngineFacts, EngineMode, Phase, TestSpec
from advisor.benchmarks.signals import NATIVE_CRASHES
from advisor.benchmarks.steadiness import Repeat
from advisor.benchmarks.supervisor import Limits
from advisor.core.errors import AdvisorError, EngineCrashed
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.core.translation import tr
from advisor.hardware.model import Cpu, Machine

MODEL_NAME: Final = "two-machines-self-test.gguf"
LIMITS: Final = Limits(silence_s=20.0, total_s=40.0)
"""A child takes 0.4 s on a quiet machine; where all cores are taken, two threads wait for each other for seconds."""
MOST_THREADS: Final = 2
"""Enough to see faults of several threads, and not more than wait for each other on a busy machine."""
_PROMPT: Final = 32
_STEPS: Final = 2
_ONCE: Final = Repeat(minimum=1, maximum=1, budget_s=0.0)
_NOBODY: Final = Listening(lambda _reading: None, lambda _phase: None, lambda _test, _s: None, lambda _result: None)


def find_mode(
    runner: Engine, facts: EngineFacts, machine: Machine, device: str, cancel: CancelToken
) -> Fact[EngineCheck]:
    """The first step of the ladder on which the engine works on this device.

    A crash counts when it is a known fault, or when it comes twice: a single one may be chance. Unknown with the
    reason where the test could not be made, and where no step works.
    """
    crashed: tuple[AdvisorError, KnownFault | None] | None = None
    try:
        with tempfile.TemporaryDirectory(prefix="two-machines-", ignore_cleanup_errors=True) as folder:
            model = tiny_model.write(Path(folder) / MODEL_NAME)
            for mode in EngineMode:
                measured = _run(runner, model, machine, device, mode, cancel)
                fault = fault_of(measured, mode, machine.cpu, facts)
                if fault is None and is_native_crash(measured):
                    measured = _run(runner, model, machine, device, mode, cancel)
                if measured.error is None:
                    return Known(check(mode, crashed), Basis.MEASURED, tr("the engine's self-test"))
                if not is_native_crash(measured):
                    return Unknown(str(measured.error), Missing.FAILED)
                crashed = crashed or (measured.error, fault)
    except OSError as error:
        why = tr("the self-test's model could not be written ({error})", error=error.strerror or error)
        return Unknown(why, Missing.FAILED)
    assert crashed is not None
    return Unknown(str(named(*crashed)), Missing.FAILED)


def check(mode: EngineMode, crashed: tuple[AdvisorError, KnownFault | None] | None) -> EngineCheck:
    """What is remembered: the step that works, and what the first one above it did."""
    today = date.today().isoformat()
    if crashed is None or mode is EngineMode.DEFAULT:
        return EngineCheck(mode, since=today)
    error, fault = crashed
    stage, signal = str(error.fields["stage"]), str(error.fields["signal"])
    return EngineCheck(
        mode, crashed_before(stage, signal), fault.sentence if fault else "", fault.remedy if fault else "", today,
        stage, signal, fault.id if fault else "",
    )  # fmt: skip


def fault_of(measured: Measured, mode: EngineMode, cpu: Cpu, facts: EngineFacts) -> KnownFault | None:
    """The known fault behind a crash, if it is one."""
    if not is_native_crash(measured) or measured.error is None:
        return None
    signal, stage = (str(measured.error.fields[name]) for name in ("signal", "stage"))
    return recognise(Crash(signal, stage, mode, cpu.extensions, cpu.architecture, facts.system_info))


def is_native_crash(measured: Measured) -> bool:
    """Whether the engine's own code ended the child, at whatever stage."""
    return isinstance(measured.error, EngineCrashed) and measured.error.fields.get("signal") in NATIVE_CRASHES


def _run(
    runner: Engine, model: Path, machine: Machine, device: str, mode: EngineMode, cancel: CancelToken
) -> Measured:
    threads = min(MOST_THREADS, machine.cpu.usable_threads)
    prefill = TestSpec(
        phase=Phase.PREFILL, n_prompt=_PROMPT, n_gen=0, n_threads=threads, n_batch=_PROMPT, n_ubatch=_PROMPT
    )
    decode = TestSpec(
        phase=Phase.DECODE, n_prompt=0, n_gen=_STEPS, n_threads=threads, n_batch=_PROMPT, n_ubatch=_PROMPT
    )
    on_cpu = device == "CPU"
    job = Job(
        model,
        tuple(PlannedTest(spec, _ONCE, 0.1) for spec in (prefill, decode)),
        mode,
        Placement(devices=(device,), gpu_layers=0 if on_cpu else -1),
        device,
        "self-test",
    )
    return runner.measure(job, LIMITS, machine.power, _NOBODY, cancel)
