"""What the end of a child means, in a sentence and a hint."""

from typing import Final

from advisor.benchmarks import protocol
from advisor.benchmarks.known_faults import REBUILD, KnownFault
from advisor.benchmarks.supervisor import Ending, Outcome
from advisor.core.errors import AdvisorError, Cancelled, EngineCrashed, EngineError, EngineMissing, EngineTimeout

NATIVE_CRASHES: Final = frozenset(
    {"SIGSEGV", "SIGILL", "SIGBUS", "SIGABRT", "SIGFPE", "SIGTRAP", "access violation", "illegal instruction", "abort"}
)

_MEANINGS: Final = {
    "SIGILL": ("a processor instruction was refused", f"Build it here, for this CPU: {REBUILD}"),
    "illegal instruction": ("a processor instruction was refused", f"Build it here, for this CPU: {REBUILD}"),
    "SIGKILL": (
        "it was killed from outside, most often because memory ran out",
        "Close other programs or choose a smaller model; the system log tells who killed it.",
    ),
    "SIGTERM": ("it was ended from outside", "Try again."),
    "SIGABRT": ("it stopped itself after an internal check", "Update llama-cpp-python, or try another model file."),
}


def is_engine_fault(outcome: Outcome) -> bool:
    """Whether the engine's own code failed, as opposed to somebody killing the process or memory running out."""
    crashed = outcome.ending is Ending.CRASHED and outcome.signal_name in NATIVE_CRASHES
    return crashed and not protocol.tells_of_memory_shortage(outcome.log)


def named(error: AdvisorError, fault: KnownFault | None) -> AdvisorError:
    """The error of a crash with the fault that it is, in place of what the signal alone may mean."""
    if fault is None or not isinstance(error, EngineCrashed):
        return error
    what = f"The engine crashed while {doing(str(error.fields['stage']))} ({error.fields['signal']})."
    return EngineCrashed(f"{what} {fault.sentence}", fault.remedy, error.fields)


def explain(outcome: Outcome, stage: str) -> AdvisorError:
    """The error for an end that is not DONE; ``stage`` is what it was doing ("prefill", "loading the model")."""
    log = {"log": list(outcome.log[-20:]), "stage": stage}
    match outcome.ending:
        case Ending.CANCELLED:
            return Cancelled("Stopped.", "What was measured until then is kept.", log)
        case Ending.FAILED:
            said = outcome.failure or {}
            code = str(said.get("code", ""))
            kind = EngineMissing if code == "engine_missing" else EngineError
            return kind(
                str(said.get("sentence", "The engine failed.")), str(said.get("hint", "")), log | {"reason": code}
            )
        case Ending.CRASHED if protocol.tells_of_memory_shortage(outcome.log):
            return EngineError(
                f"Memory ran out while {doing(stage)}.",
                "Close other programs, or use a smaller model, quantisation or context.",
                log | {"reason": "out_of_memory", "signal": outcome.signal_name},
            )
        case Ending.CRASHED:
            meaning, hint = _MEANINGS.get(
                outcome.signal_name, ("", "Update llama-cpp-python, or try another model file.")
            )
            because = f": {meaning}" if meaning else ""
            return EngineCrashed(
                f"The engine crashed while {doing(stage)} ({outcome.signal_name}){because}.",
                hint,
                log | {"signal": outcome.signal_name},
            )
        case Ending.HUNG:
            return EngineTimeout(
                f"The engine hung while {doing(stage)}: {outcome.detail}.",
                "Try fewer threads, or close other programs.",
                log,
            )
        case Ending.PAUSED:
            return EngineTimeout(
                f"The measuring process was paused from outside while {doing(stage)} and did not go on.",
                "Start the measurement again.",
                log,
            )
        case Ending.BABBLED:
            return EngineError(
                f"The measuring process sent something that cannot be right while {doing(stage)}: {outcome.detail}.",
                "Start again; if it stays, the engine's installation is broken.",
                log,
            )
        case Ending.NOT_STARTED:
            return EngineError(
                f"The measuring process could not be started: {outcome.detail}.",
                "Close other programs if memory or open files ran out; else reinstall Two Machines.",
                log,
            )
        case _:
            return EngineError(
                f"The engine ended while {doing(stage)} without a result (exit code {outcome.exit_code}).",
                f"Its last words: {outcome.log[-1]}" if outcome.log else "",
                log,
            )


def doing(stage: str) -> str:
    """What goes after "while": a phase is run, other stages are named by what they do."""
    return f"running {stage}" if stage in ("prefill", "decode") else stage
