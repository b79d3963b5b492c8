from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from advisor.core.evidence import Basis, Known, Missing, Unknown
from advisor.hardware.model import Gpu
from advisor.hardware.probes import nvml


class NVMLError(Exception):
    """As in pynvml: the code is in ``value``."""

    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.value = value

    def __str__(self) -> str:
        return {3: "Not Supported", 999: "Unknown Error"}.get(self.value, f"error {self.value}")


RTX_4090: dict[str, Any] = {
    "nvmlDeviceGetName": "NVIDIA GeForce RTX 4090",
    "nvmlDeviceGetUUID": "GPU-6d0e8a52-0001-0002-0003-000000000004",
    "nvmlDeviceGetPciInfo": SimpleNamespace(busId="00000000:0A:00.0"),
    "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=25757220864, free=24000000000, used=1757220864),
    "nvmlDeviceGetMemoryBusWidth": 384,
    "nvmlDeviceGetMaxClockInfo": 10501,
    "nvmlDeviceGetCudaComputeCapability": (8, 9),
    "nvmlDeviceGetEnforcedPowerLimit": 450000,
}


CONDITIONS: dict[str, Any] = {
    "nvmlDeviceGetCurrPcieLinkGeneration": 1,
    "nvmlDeviceGetMaxPcieLinkGeneration": 4,
    "nvmlDeviceGetCurrPcieLinkWidth": 8,
    "nvmlDeviceGetMaxPcieLinkWidth": 16,
    "nvmlDeviceGetCurrentClocksEventReasons": 0x1 | 0x4 | 0x20,
    "nvmlDeviceGetMigMode": [1, 1],
    "nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=37, memory=12),
    "nvmlDeviceGetTemperature": 64,
}


def fake(*devices: dict[str, Any], **system: Any) -> ModuleType:
    """A module like pynvml; an exception as a value is raised, a missing metric is a missing function."""
    module: Any = ModuleType("fake_pynvml")
    module.shut_down = 0

    def answer(value: Any) -> Any:
        if isinstance(value, Exception):
            raise value
        return value

    def shutdown() -> None:
        module.shut_down += 1

    def device_function(name: str) -> Callable[..., Any]:
        def ask(handle: int, *_: object) -> Any:
            if name not in devices[handle]:
                raise AttributeError(name)
            return answer(devices[handle][name])

        return ask

    module.NVML_CLOCK_MEM = 2
    module.nvmlInit = lambda: answer(system.get("init"))
    module.nvmlShutdown = shutdown
    module.nvmlSystemGetDriverVersion = lambda: answer(system.get("driver", "580.95.05"))
    module.nvmlDeviceGetCount = lambda: answer(system.get("count", len(devices)))
    module.nvmlDeviceGetHandleByIndex = lambda index: answer(devices[index].get("handle", index))
    for name in {*RTX_4090, *(name for device in devices for name in device if name.startswith("nvml"))}:
        setattr(module, name, device_function(name))
    return module  # type: ignore[no-any-return]


def only_gpu(**changes: Any) -> Gpu:
    reading = nvml.read(fake({**RTX_4090, **changes}))
    assert len(reading.gpus) == 1
    return reading.gpus[0]


def test_a_healthy_card() -> None:
    module = fake(RTX_4090)
    reading = nvml.read(module)
    assert reading.note == Known("NVIDIA's driver shows 1 GPU", Basis.READ, "NVML")
    gpu = reading.gpus[0]
    assert gpu.name.or_none() == "NVIDIA GeForce RTX 4090"
    assert gpu.pci_id.or_none() == "0000:0a:00.0"
    assert gpu.memory_total_bytes.or_none() == 25757220864
    assert gpu.memory_free_bytes.or_none() == 24000000000
    assert gpu.compute_capability.or_none() == "8.9"
    assert gpu.power_limit_w.or_none() == 450.0
    assert gpu.driver.or_none() == "580.95.05"
    assert gpu.shares_memory.or_none() is False
    assert isinstance(gpu.memory_bytes_per_s, Known)
    assert gpu.memory_bytes_per_s.basis is Basis.COMPUTED
    assert gpu.memory_bytes_per_s.value == pytest.approx(1008e9, rel=1e-3)
    assert module.shut_down == 1


@pytest.mark.parametrize(
    ("card", "bits", "mhz", "datasheet_gb_per_s"),
    [
        ("RTX 4090", 384, 10501, 1008),
        ("RTX 3090", 384, 9751, 936),
        ("RTX 5060 Ti", 128, 14001, 448),
        ("GTX 1080 Ti", 352, 5505, 484),
        ("A100 40GB", 5120, 1215, 1555),
        ("H100 SXM", 5120, 2619, 3352),
    ],
)
def test_bandwidth_agrees_with_data_sheets(card: str, bits: int, mhz: int, datasheet_gb_per_s: float) -> None:
    assert nvml.memory_bandwidth(bits, mhz * 1e6) / 1e9 == pytest.approx(datasheet_gb_per_s, rel=0.002), card


@pytest.mark.parametrize(
    ("call", "field"),
    [
        ("nvmlDeviceGetName", "name"),
        ("nvmlDeviceGetUUID", "uuid"),
        ("nvmlDeviceGetPciInfo", "pci_id"),
        ("nvmlDeviceGetMemoryInfo", "memory_total_bytes"),
        ("nvmlDeviceGetMemoryInfo", "memory_free_bytes"),
        ("nvmlDeviceGetMemoryBusWidth", "memory_bytes_per_s"),
        ("nvmlDeviceGetMaxClockInfo", "memory_bytes_per_s"),
        ("nvmlDeviceGetCudaComputeCapability", "compute_capability"),
        ("nvmlDeviceGetEnforcedPowerLimit", "power_limit_w"),
    ],
)
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (NVMLError(nvml.NOT_SUPPORTED), Missing.NOT_SUPPORTED),
        (NVMLError(nvml.FUNCTION_NOT_FOUND), Missing.NOT_SUPPORTED),
        (AttributeError("old pynvml"), Missing.NOT_SUPPORTED),
        (NVMLError(nvml.NO_PERMISSION), Missing.NO_PERMISSION),
        (NVMLError(nvml.GPU_IS_LOST), Missing.FAILED),
        (NVMLError(999), Missing.FAILED),
        (ValueError("nonsense"), Missing.FAILED),
    ],
)
def test_every_metric_fails_alone(call: str, field: str, error: Exception, kind: Missing) -> None:
    gpu = only_gpu(**{call: error})
    fact = getattr(gpu, field)
    assert isinstance(fact, Unknown)
    assert fact.kind is kind
    others = {"name", "uuid", "compute_capability", "power_limit_w"} - {field}
    assert all(isinstance(getattr(gpu, other), Known) for other in others)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"nvmlDeviceGetMemoryInfo": SimpleNamespace(total=0, free=0)}, "memory_total_bytes"),
        ({"nvmlDeviceGetMemoryInfo": SimpleNamespace(total=0, free=0)}, "memory_free_bytes"),
        ({"nvmlDeviceGetMemoryInfo": SimpleNamespace(total=2**62, free=1)}, "memory_total_bytes"),
        ({"nvmlDeviceGetMemoryInfo": SimpleNamespace(total=2**30, free=2**31)}, "memory_free_bytes"),
        ({"nvmlDeviceGetMemoryBusWidth": 0}, "memory_bytes_per_s"),
        ({"nvmlDeviceGetMaxClockInfo": 0}, "memory_bytes_per_s"),
        ({"nvmlDeviceGetMaxClockInfo": 2**32 - 1}, "memory_bytes_per_s"),
        ({"nvmlDeviceGetEnforcedPowerLimit": 0}, "power_limit_w"),
        ({"nvmlDeviceGetEnforcedPowerLimit": 2**32 - 1}, "power_limit_w"),
        ({"nvmlDeviceGetName": ""}, "name"),
        ({"nvmlDeviceGetCudaComputeCapability": None}, "compute_capability"),
    ],
)
def test_zero_and_nonsense_are_unknown(changes: dict[str, Any], field: str) -> None:
    assert isinstance(getattr(only_gpu(**changes), field), Unknown)


@pytest.mark.parametrize(
    "memory",
    [
        NVMLError(nvml.NOT_SUPPORTED),
        SimpleNamespace(total=0, free=0),
        SimpleNamespace(total=130663165952, free=60000000000),
    ],
)
@pytest.mark.parametrize("name", ["NVIDIA GB10", "Orin (nvgpu)", "NVIDIA Thor", "Xavier"])
def test_integrated_devices_share_memory_whatever_the_driver_answers(name: str, memory: object) -> None:
    gpu = only_gpu(nvmlDeviceGetName=name, nvmlDeviceGetMemoryInfo=memory)
    assert gpu.shares_memory.or_none() is True
    assert gpu.memory_total_bytes == Unknown("shares main memory", Missing.NOT_APPLICABLE)
    assert gpu.memory_free_bytes == Unknown("shares main memory", Missing.NOT_APPLICABLE)


@pytest.mark.parametrize("name", ["NVIDIA GB100", "NVIDIA GB200", "NVIDIA RTX PRO 6000"])
def test_a_card_that_hides_its_memory_is_not_taken_for_an_integrated_one(name: str) -> None:
    gpu = only_gpu(nvmlDeviceGetName=name, nvmlDeviceGetMemoryInfo=NVMLError(nvml.NOT_SUPPORTED))
    assert isinstance(gpu.shares_memory, Unknown)
    assert isinstance(gpu.memory_total_bytes, Unknown)
    assert gpu.memory_total_bytes.kind is Missing.NOT_SUPPORTED


@pytest.mark.parametrize(
    ("error", "reason", "kind"),
    [
        (NVMLError(nvml.LIBRARY_NOT_FOUND), "no NVIDIA driver library on this machine", Missing.TOOL_MISSING),
        (NVMLError(nvml.LIB_RM_VERSION_MISMATCH), "the NVIDIA driver was updated; reboot", Missing.FAILED),
        (NVMLError(nvml.DRIVER_NOT_LOADED), "the NVIDIA driver is installed but not loaded", Missing.FAILED),
        (NVMLError(nvml.NO_PERMISSION), "no permission to use the NVIDIA driver", Missing.NO_PERMISSION),
        (NVMLError(999), "the NVIDIA driver library did not start (Unknown Error)", Missing.FAILED),
        (OSError("cannot open"), "the NVIDIA driver library did not start (cannot open)", Missing.FAILED),
    ],
)
def test_a_library_that_does_not_start(error: Exception, reason: str, kind: Missing) -> None:
    assert nvml.read(fake(init=error)) == nvml.GpuReading((), Unknown(reason, kind))


def test_no_gpu_is_a_fact() -> None:
    assert nvml.read(fake()).note.or_none() == "NVIDIA's driver shows no GPU"


def test_a_failing_count_still_shuts_down() -> None:
    module = fake(count=NVMLError(999))
    assert isinstance(nvml.read(module).note, Unknown)
    assert module.shut_down == 1


def test_a_lost_gpu_leaves_its_neighbour() -> None:
    lost, healthy = nvml.read(fake({"handle": NVMLError(nvml.GPU_IS_LOST)}, RTX_4090)).gpus
    assert isinstance(lost.name, Unknown) and "reboot" in lost.name.reason
    assert isinstance(lost.shares_memory, Unknown)
    assert healthy.name.or_none() == "NVIDIA GeForce RTX 4090"


def test_bytes_from_old_bindings() -> None:
    gpu = only_gpu(nvmlDeviceGetName=b"Tesla T4", nvmlDeviceGetPciInfo=SimpleNamespace(busId=b"0000:3B:00.0"))
    assert gpu.name.or_none() == "Tesla T4"
    assert gpu.pci_id.or_none() == "0000:3b:00.0"


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("00000000:01:00.0", "0000:01:00.0"),
        ("0000:0A:00.0", "0000:0a:00.0"),
        ("00010000:3B:00.0", "10000:3b:00.0"),
        ("x", "x"),
    ],
)
def test_pci_ids(text: str, normal: str) -> None:
    assert nvml.normalise_pci_id(text) == normal


def test_conditions_and_link() -> None:
    gpu = only_gpu(**CONDITIONS)
    assert (gpu.pcie_generation.or_none(), gpu.pcie_generation_max.or_none()) == (1, 4)
    assert (gpu.pcie_lanes.or_none(), gpu.pcie_lanes_max.or_none()) == (8, 16)
    assert gpu.throttle_reasons.or_none() == ("power limit", "heat")
    assert gpu.mig_enabled.or_none() is True
    assert (gpu.utilisation_fraction.or_none(), gpu.temperature_c.or_none()) == (0.37, 64.0)
    assert gpu.vendor == "nvidia"


def test_an_idle_gpu_is_not_throttled() -> None:
    assert only_gpu(**{**CONDITIONS, "nvmlDeviceGetCurrentClocksEventReasons": 1}).throttle_reasons.or_none() == ()


def test_the_older_name_of_the_reasons() -> None:
    older = {key: value for key, value in CONDITIONS.items() if "EventReasons" not in key}
    gpu = only_gpu(**older, nvmlDeviceGetCurrentClocksThrottleReasons=0x40)
    assert gpu.throttle_reasons.or_none() == ("heat (hardware)",)


CONDITION_FIELDS = {
    "nvmlDeviceGetCurrPcieLinkGeneration": "pcie_generation",
    "nvmlDeviceGetMaxPcieLinkGeneration": "pcie_generation_max",
    "nvmlDeviceGetCurrPcieLinkWidth": "pcie_lanes",
    "nvmlDeviceGetMaxPcieLinkWidth": "pcie_lanes_max",
    "nvmlDeviceGetCurrentClocksEventReasons": "throttle_reasons",
    "nvmlDeviceGetMigMode": "mig_enabled",
    "nvmlDeviceGetUtilizationRates": "utilisation_fraction",
    "nvmlDeviceGetTemperature": "temperature_c",
}


@pytest.mark.parametrize(("call", "field"), CONDITION_FIELDS.items())
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (NVMLError(nvml.NOT_SUPPORTED), Missing.NOT_SUPPORTED),
        (NVMLError(nvml.GPU_IS_LOST), Missing.FAILED),
        (AttributeError("old"), Missing.NOT_SUPPORTED),
    ],
)
def test_every_condition_fails_alone(call: str, field: str, error: Exception, kind: Missing) -> None:
    gpu = only_gpu(**{**CONDITIONS, call: error})
    fact = getattr(gpu, field)
    assert isinstance(fact, Unknown) and fact.kind is kind
    assert all(isinstance(getattr(gpu, other), Known) for other in CONDITION_FIELDS.values() if other != field)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"nvmlDeviceGetCurrPcieLinkGeneration": 0}, "pcie_generation"),
        ({"nvmlDeviceGetMaxPcieLinkWidth": 2**32 - 1}, "pcie_lanes_max"),
        ({"nvmlDeviceGetTemperature": 0}, "temperature_c"),
        ({"nvmlDeviceGetTemperature": 255}, "temperature_c"),
        ({"nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=2**32 - 1)}, "utilisation_fraction"),
        ({"nvmlDeviceGetCurrentClocksEventReasons": -1}, "throttle_reasons"),
        ({"nvmlDeviceGetMigMode": None}, "mig_enabled"),
    ],
)
def test_impossible_conditions_are_unknown(changes: dict[str, Any], field: str) -> None:
    assert isinstance(getattr(only_gpu(**{**CONDITIONS, **changes}), field), Unknown)
