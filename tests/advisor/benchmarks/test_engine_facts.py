"""What the engine says it is, from invented answers."""

import json
from typing import Any

import pytest

from advisor.benchmarks.engines.facts import read_facts
from advisor.benchmarks.model import EngineDevice
from advisor.core.evidence import Known, Missing, Unknown
from advisor.core.progress import CancelToken
from tests.support.children import bad_child

CPU = {
    "name": "CPU", "description": "A processor", "kind": "cpu", "memory_total_bytes": 32_000_000_000,
    "memory_free_bytes": 20_000_000_000,
}  # fmt: skip


def devices(*said: dict[str, Any]) -> tuple[EngineDevice, ...]:
    answer = {
        "v": 1, "kind": "result", "version": "1", "build": "b", "system_info": "", "gpu_offload": True,
        "devices": said,
    }  # fmt: skip
    facts = read_facts(bad_child("says", json.dumps(answer)), CancelToken())
    assert isinstance(facts, Known)
    return facts.value.devices


@pytest.mark.parametrize(
    ("device_id", "address"),
    [
        ("0000:c1:00.0", "0000:c1:00.0"),
        ("00000000:C1:00.0", "0000:c1:00.0"),
        ("c1:00.0", "0000:c1:00.0"),
        ("", None),
        ("GPU-6d0e", None),
        ("0x1a2b", None),
    ],
)
def test_the_address_of_a_device(device_id: str, address: str | None) -> None:
    (device,) = devices({**CPU, "name": "CUDA0", "kind": "gpu", "device_id": device_id})
    assert device.pci_id.or_none() == address


def test_an_engine_without_addresses() -> None:
    """Workers of other versions answer without the field."""
    (device,) = devices(CPU)
    assert isinstance(device.pci_id, Unknown) and device.pci_id.kind is Missing.NOT_SUPPORTED
    assert device.memory_free_bytes.or_none() == 20_000_000_000


def test_a_backend_that_does_not_tell_its_memory() -> None:
    (device,) = devices({**CPU, "memory_total_bytes": 0, "memory_free_bytes": 0})
    assert isinstance(device.memory_total_bytes, Unknown)


def test_an_engine_that_answers_nonsense_is_unknown() -> None:
    assert isinstance(read_facts(bad_child("good"), CancelToken()), Unknown)
