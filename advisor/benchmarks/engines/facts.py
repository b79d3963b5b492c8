"""What a llama-cpp-python is, asked in a child.

Apart from measuring, so that saying what a machine is imports nothing that only a benchmark needs.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from advisor.benchmarks import failures
from advisor.benchmarks.engine_variables import steering
from advisor.benchmarks.known_faults import Crash, recognise
from advisor.benchmarks.launch import Launch
from advisor.benchmarks.model import NO_LINK, EngineDevice, EngineFacts, EngineMode, Link
from advisor.benchmarks.supervisor import Ending, Limits, run_child
from advisor.core.errors import AdvisorError, EngineCrashed
from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.progress import CancelToken
from advisor.core.translation import marked, tr
from advisor.hardware.matching import normalise_pci

INFO_LIMITS: Final = Limits(silence_s=60.0, total_s=120.0)
SOURCE: Final = "ggml"


def read_facts(launch: Launch, cancel: CancelToken, rpc_servers: Sequence[str] = ()) -> Fact[EngineFacts]:
    """Ask the engine what it is; Unknown with the reason and the remedy where it cannot say."""
    request = {"task": "engine", "rpc_servers": list(rpc_servers)}
    outcome = run_child(request, launch, INFO_LIMITS, lambda _message: None, cancel)
    if outcome.ending is not Ending.DONE or outcome.result is None:
        error = _with_cause(failures.explain(outcome, marked("starting")))
        missing = Missing.TOOL_MISSING if error.code == "engine_missing" else Missing.FAILED
        return Unknown(str(error), missing)
    said = outcome.result
    try:
        facts = EngineFacts(
            name="llama-cpp-python",
            version=str(said["version"]),
            build=str(said["build"]),
            system_info=str(said["system_info"]),
            python=launch.command[0],
            gpu_offload=bool(said["gpu_offload"]),
            devices=tuple(_device(entry) for entry in said["devices"]),
            variables=steering(launch.environment),
        )
    except (KeyError, TypeError, ValueError) as problem:
        return Unknown(tr("the engine's answer could not be understood ({error})", error=repr(problem)))
    return Known(facts, Basis.READ, tr("the engine itself, asked in a child process"))


def _with_cause(error: AdvisorError) -> AdvisorError:
    """A crash at the start: the engine cannot be asked what it was built for, the processor can."""
    if not isinstance(error, EngineCrashed):
        return error
    from advisor.hardware.detect import read_machine  # slow to import, and crashes are rare

    cpu = read_machine().cpu
    signal = str(error.fields["signal"])
    crash = Crash(signal, "starting", EngineMode.DEFAULT, cpu.extensions, cpu.architecture)
    return failures.named(error, recognise(crash))


def _device(entry: Mapping[str, Any]) -> EngineDevice:
    def memory(field_name: str) -> Fact[int]:
        value = int(entry[field_name])
        return (
            Known(value, Basis.READ, SOURCE)
            if value > 0
            else Unknown(tr("the backend does not tell"), Missing.NOT_SUPPORTED)
        )

    return EngineDevice(
        name=str(entry["name"]),
        description=str(entry["description"]),
        kind=str(entry["kind"]),
        memory_total_bytes=memory("memory_total_bytes"),
        memory_free_bytes=memory("memory_free_bytes"),
        pci_id=_pci_id(str(entry.get("device_id", ""))),
        link=_link(entry.get("link")),
    )


def _link(measured: Any) -> Fact[Link]:
    if not measured:
        return NO_LINK
    round_trip_s, bytes_per_s = measured
    return Known(Link(float(round_trip_s), float(bytes_per_s)), Basis.MEASURED, tr("a tensor sent there and back"))


def _pci_id(device_id: str) -> Fact[str]:
    """The device's id where it is a PCI address; processors have none, and some backends do not tell."""
    address = normalise_pci(device_id)
    if address is None:
        return Unknown(tr("the backend states no PCI address"), Missing.NOT_SUPPORTED)
    return Known(address, Basis.READ, SOURCE)
