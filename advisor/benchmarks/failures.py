"""What the end of a child means, in a sentence and a hint."""

from typing import Final

from advisor.benchmarks import child_words, protocol
from advisor.benchmarks.known_faults import KnownFault, build_here
from advisor.benchmarks.signals import NATIVE_CRASHES, NO_MEMORY
from advisor.benchmarks.supervisor import Ending, Outcome
from advisor.core.errors import AdvisorError, Cancelled, EngineCrashed, EngineError, EngineMissing, EngineTimeout
from advisor.core.translation import marked, tr

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
            tr("The RPC server on the other machine is of another version than this engine."),
            tr("Build both from the same llama.cpp."),
            log | {"reason": "rpc_version"},
        )
    refused = next((line for line in outcome.log if _RPC_REFUSED in line), "")
    if refused:
        return EngineError(
            tr("No RPC server answers at {address}.", address=refused.split(_RPC_REFUSED)[1].strip()),
            tr("Start rpc-server on that machine with -H 0.0.0.0, and check address, port and firewall."),
            log | {"reason": "rpc_unreachable"},
        )
    return EngineError(
        tr("The RPC server on the other machine was lost while {doing}.", doing=doing(stage)),
        tr("Look at what it printed there, start it again, and check the network."),
        log | {"reason": "rpc_lost"},
    )


def named(error: AdvisorError, fault: KnownFault | None) -> AdvisorError:
    """The error of a crash with the fault that it is, in place of what the signal alone may mean."""
    if fault is None or not isinstance(error, EngineCrashed):
        return error
    what = _crashed(str(error.fields["stage"]), str(error.fields["signal"]))
    return EngineCrashed(f"{what} {fault.sentence}", fault.remedy, error.fields)


def _crashed(stage: str, signal: str) -> str:
    return tr("The engine crashed while {doing} ({signal}).", doing=doing(stage), signal=signal)


def crashed_before(stage: str, signal: str) -> str:
    """What the engine did, a clause for the middle of a sentence."""
    return tr("the engine crashed while {doing} ({signal})", doing=doing(stage), signal=signal)


def explain(outcome: Outcome, stage: str) -> AdvisorError:
    """The error for an end that is not DONE; ``stage`` is what it was doing ("prefill", "loading the model")."""
    log: dict[str, object] = {"log": list(outcome.log[-20:]), "stage": stage}
    match outcome.ending:
        case Ending.CANCELLED:
            return Cancelled(tr("Stopped."), tr("What was measured until then is kept."), log)
        case Ending.FAILED:
            said = outcome.failure or {}
            code = str(said.get("code", ""))
            kind = EngineMissing if code == "engine_missing" else EngineError
            sentence, hint = str(said.get("sentence", "The engine failed.")), str(said.get("hint", ""))
            return kind(child_words.translated(sentence), child_words.translated(hint), log | {"reason": code})
        case Ending.CRASHED | Ending.LEFT if (
            outcome.signal_name == NO_MEMORY or protocol.tells_of_memory_shortage(outcome.log)
        ):
            return EngineError(
                tr("Memory ran out while {doing}.", doing=doing(stage)),
                tr("Close other programs, or use a smaller model, quantisation or context."),
                log | {"reason": "out_of_memory", "signal": outcome.signal_name},
            )
        case Ending.CRASHED if _rpc_trouble(outcome):
            return _rpc_error(outcome, stage, log)
        case Ending.CRASHED:
            return _crash_error(outcome.signal_name, stage, log)
        case Ending.HUNG:
            return EngineTimeout(
                tr("The engine hung while {doing}: {detail}.", doing=doing(stage), detail=outcome.detail),
                tr("Try fewer threads, or close other programs."),
                log,
            )
        case Ending.PAUSED:
            return EngineTimeout(
                tr(
                    "The measuring process was paused from outside while {doing} and did not go on.",
                    doing=doing(stage),
                ),
                tr("Start the measurement again."),
                log,
            )
        case Ending.BABBLED:
            return EngineError(
                tr(
                    "The measuring process sent something that cannot be right while {doing}: {detail}.",
                    doing=doing(stage), detail=outcome.detail,
                ),
                tr("Start again; if it stays, the engine's installation is broken."),
                log,
            )  # fmt: skip
        case Ending.NOT_STARTED if any(sign in outcome.detail for sign in _OTHER_ARCHITECTURE):
            return EngineError(
                tr(
                    "The engine's program is built for another system or processor ({detail}).", detail=outcome.detail
                ),
                tr("Choose one that runs in a terminal here: {command}", command="two-machines engines"),
                log,
            )
        case Ending.NOT_STARTED:
            return EngineError(
                tr("The measuring process could not be started: {detail}.", detail=outcome.detail),
                tr("Close other programs if memory or open files ran out; else reinstall Two Machines."),
                log,
            )
        case _:
            return EngineError(
                tr(
                    "The engine ended while {doing} without a result (exit code {code}).",
                    doing=doing(stage), code=outcome.exit_code,
                ),
                tr("Its last words: {words}", words=outcome.log[-1]) if outcome.log else "",
                log,
            )  # fmt: skip


def _crash_error(signal: str, stage: str, log: dict[str, object]) -> EngineCrashed:
    meaning, hint = _meaning(signal)
    sentence = _crashed(stage, signal)
    if meaning:
        sentence = tr(
            "The engine crashed while {doing} ({signal}): {meaning}.",
            doing=doing(stage), signal=signal, meaning=meaning,
        )  # fmt: skip
    return EngineCrashed(sentence, hint, log | {"signal": signal})


def _meaning(signal: str) -> tuple[str, str]:
    """What a signal most often means, a clause or nothing, and what to do."""
    match signal:
        case "SIGILL" | "illegal instruction":
            return tr("a processor instruction was refused"), build_here()
        case "SIGKILL":
            return (
                tr("it was killed from outside, most often because memory ran out"),
                tr("Close other programs or choose a smaller model; the system log tells who killed it."),
            )
        case "SIGTERM" | "SIGINT" | "SIGHUP" | "Ctrl+C":
            return tr("it was ended from outside"), tr("Try again.")
        case "SIGBUS" | "in-page error":
            return (
                tr("a file that it was reading could suddenly not be read, or its own code failed"),
                tr(
                    "Check the disk or share that the model lies on, or copy the file to another; else update the "
                    "engine."
                ),
            )
        case "SIGABRT":
            meaning = tr("it stopped itself after an internal check")
        case _:
            meaning = ""
    return meaning, tr("Update the engine, or try another model file.")


_RUNNING: Final = {"prefill": marked("running prefill"), "decode": marked("running decode")}
_WARMING_UP: Final = (marked("warming up for prefill"), marked("warming up for decode"))
"""Noted for translation here, since they are put together where they are used; other stages are noted there."""


def doing(stage: str) -> str:
    """What goes after "while": a phase is run, other stages are named by what they do."""
    return tr(_RUNNING.get(stage, stage))
