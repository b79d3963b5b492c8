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
    "SIGABRT": ("it stopped itself after an internal check", "Update the engine, or try another model file."),
}


_OTHER_ARCHITECTURE: Final = ("Exec format error", "Bad CPU type", "WinError 193", "WinError 216")
"""What systems say when a program is for another processor."""


def is_engine_fault(outcome: Outcome) -> bool:
    """Whether the engine's own code failed, as opposed to somebody killing the process or memory running out."""
    crashed = outcome.ending is Ending.CRASHED and outcome.signal_name in NATIVE_CRASHES
    return crashed and not protocol.tells_of_memory_shortage(outcome.log) and not _rpc_trouble(outcome)


_RPC_VERSION: Final = "RPC server version mismatch"
_RPC_REFUSED: Final = "Failed to connect to "
_RPC_SIGNS: Final = (_RPC_VERSION, _RPC_REFUSED, "Remote RPC server crashed", "RPC handshake failed")
"""What llama.cpp's RPC client prints before it aborts."""


def _rpc_trouble(outcome: Outcome) -> bool:
    return any(sign in line for line in outcome.log for sign in _RPC_SIGNS)


def _rpc_error(outcome: Outcome, stage: str, log: dict[str, object]) -> AdvisorError:
    if any(_RPC_VERSION in line for line in outcome.log):
        return EngineError(
            "The RPC server on the other machine is of another version than this engine.",
            "Build both from the same llama.cpp.",
            log | {"reason": "rpc_version"},
        )
    refused = next((line for line in outcome.log if _RPC_REFUSED in line), "")
    if refused:
        return EngineError(
            f"No RPC server answers at {refused.split(_RPC_REFUSED)[1].strip()}.",
            "Start rpc-server on that machine with -H 0.0.0.0, and check address, port and firewall.",
            log | {"reason": "rpc_unreachable"},
        )
    return EngineError(
        f"The RPC server on the other machine was lost while {doing(stage)}.",
        "Look at what it printed there, start it again, and check the network.",
        log | {"reason": "rpc_lost"},
    )


def named(error: AdvisorError, fault: KnownFault | None) -> AdvisorError:
    """The error of a crash with the fault that it is, in place of what the signal alone may mean."""
    if fault is None or not isinstance(error, EngineCrashed):
        return error
    what = f"The engine crashed while {doing(str(error.fields['stage']))} ({error.fields['signal']})."
    return EngineCrashed(f"{what} {fault.sentence}", fault.remedy, error.fields)


def explain(outcome: Outcome, stage: str) -> AdvisorError:
    """The error for an end that is not DONE; ``stage`` is what it was doing ("prefill", "loading the model")."""
    log: dict[str, object] = {"log": list(outcome.log[-20:]), "stage": stage}
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
        case Ending.CRASHED if _rpc_trouble(outcome):
            return _rpc_error(outcome, stage, log)
        case Ending.CRASHED:
            meaning, hint = _MEANINGS.get(outcome.signal_name, ("", "Update the engine, or try another model file."))
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
        case Ending.NOT_STARTED if any(sign in outcome.detail for sign in _OTHER_ARCHITECTURE):
            return EngineError(
                f"The engine's program is built for another system or processor ({outcome.detail}).",
                "Choose one that runs in a terminal here: two-machines engines",
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
