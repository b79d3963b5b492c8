"""NVIDIA GPUs through the driver's management library. By hand: ``nvidia-smi --query``.

Every metric has its own wrapper, because drivers answer some of them with "not supported", 0 or nonsense on
otherwise healthy devices (GB10, Jetson, vGPU, MIG). The library is asked once and shut down again: a handle that
stays open keeps a laptop's GPU awake.
Source: https://docs.nvidia.com/deploy/nvml-api/
"""

import importlib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final, TypeVar

from advisor.core.evidence import Basis, Fact, Known, Missing, Unknown
from advisor.core.translation import marked, tr, trn
from advisor.hardware.model import Gpu

T = TypeVar("T")

NOT_SUPPORTED: Final = 3
NO_PERMISSION: Final = 4
DRIVER_NOT_LOADED: Final = 9
LIBRARY_NOT_FOUND: Final = 12
FUNCTION_NOT_FOUND: Final = 13
GPU_IS_LOST: Final = 15
LIB_RM_VERSION_MISMATCH: Final = 18
"""Values of nvmlReturn_t."""

THROTTLE_REASONS: Final = (
    (0x2, marked("application clocks are set")),
    (0x4, marked("power limit")),
    (0x8, marked("hardware slowdown")),
    (0x10, marked("synchronised with another GPU")),
    (0x20, marked("heat")),
    (0x40, marked("heat (hardware)")),
    (0x80, marked("power brake")),
    (0x100, marked("display clocks are set")),
)
"""Bits of nvmlClocksEventReasons, with English words for ``tr``; bit 0, an idle GPU, is no reason to show."""


INTEGRATED_NAMES: Final = re.compile(r"\b(GB10|N1X|Orin|Xavier|Thor|Tegra|nvgpu|Jetson)\b", re.IGNORECASE)
"""Words in the names of NVIDIA devices that have no memory of their own.

The library has no call for "integrated"; the memory query alone cannot decide, since some drivers refuse it on
these devices, some answer 0 and some answer the system's memory. Whole words: "GB100" is another device.
"""

MOST_BYTES: Final = 2**50
MOST_BYTES_PER_S: Final = 1e14
MOST_W: Final = 1e5
MOST_PCIE: Final = {"Generation": 9, "Width": 64}
MOST_C: Final = 150.0
"""Above these a reading is nonsense; each is more than ten times any device of 2025."""


@dataclass(frozen=True, slots=True)
class GpuReading:
    """All GPUs that the library shows, and how the looking went."""

    gpus: tuple[Gpu, ...]
    note: Fact[str]


def memory_bandwidth(bus_width_bits: int, max_memory_clock_hz: float) -> float:
    """Theoretical bandwidth in bytes per second.

    The library states the clock of the data strobe, at which every pin moves two bits per cycle, also for memory
    with four transfers per command-clock cycle: RTX 4090, 384 bits at 10501 MHz, 1.008e12.
    """
    return 2.0 * max_memory_clock_hz * bus_width_bits / 8


def read(nvml: ModuleType | None = None) -> GpuReading:
    """All GPUs of this machine; loads the library on the first call.

    Args:
        nvml: a stand-in for the module pynvml.
    """
    api: Any = nvml
    if api is None:
        try:
            api = importlib.import_module("pynvml")  # 20 ms that importing this file need not cost
        except ImportError:
            return GpuReading((), Unknown(tr("the Python package nvidia-ml-py is not installed"), Missing.TOOL_MISSING))
    try:
        api.nvmlInit()
    except Exception as error:
        return GpuReading((), _init_failure(error))
    try:
        return _read_all(api)
    finally:
        _ask(api.nvmlShutdown, "nvmlShutdown")


def _read_all(api: Any) -> GpuReading:
    driver = _text(_ask(api.nvmlSystemGetDriverVersion, "nvmlSystemGetDriverVersion"))
    count = _ask(lambda: int(api.nvmlDeviceGetCount()), "nvmlDeviceGetCount")
    if isinstance(count, Unknown):
        return GpuReading((), count)
    gpus = tuple(_read_one(api, index, driver) for index in range(count.value))
    found = trn("NVIDIA's driver shows {n} GPU", "NVIDIA's driver shows {n} GPUs", len(gpus), n=len(gpus))
    return GpuReading(gpus, Known(found if gpus else tr("NVIDIA's driver shows no GPU"), Basis.READ, "NVML"))


def _read_one(api: Any, index: int, driver: Fact[str]) -> Gpu:
    handle = _ask(lambda: api.nvmlDeviceGetHandleByIndex(index), "nvmlDeviceGetHandleByIndex")
    if isinstance(handle, Unknown):
        return Gpu(handle, handle, handle, handle, handle, handle, handle, handle, driver, handle)
    device = handle.value

    def metric(call: str, convert: Callable[[Any], T]) -> Fact[T]:
        return _ask(lambda: convert(getattr(api, call)(device)), call)

    name = _text(metric("nvmlDeviceGetName", _decode))
    total = _plausible(metric("nvmlDeviceGetMemoryInfo", lambda memory: int(memory.total)), MOST_BYTES)
    free = metric("nvmlDeviceGetMemoryInfo", lambda memory: int(memory.free))
    integrated = isinstance(name, Known) and INTEGRATED_NAMES.search(name.value) is not None
    shares: Fact[bool] = Unknown(tr("the driver does not describe the GPU's memory"), Missing.NOT_SUPPORTED)
    if integrated:
        shares = Known(True, Basis.READ, tr("the device's name"))
        total = free = Unknown(tr("shares main memory"), Missing.NOT_APPLICABLE)
    elif isinstance(total, Known):
        shares = Known(False, Basis.READ, "nvmlDeviceGetMemoryInfo")
        if isinstance(free, Known) and not 0 <= free.value <= total.value:
            free = Unknown(tr("the driver states more free memory than there is"), Missing.FAILED)
    else:
        free = total
    capability = metric("nvmlDeviceGetCudaComputeCapability", lambda pair: f"{int(pair[0])}.{int(pair[1])}")
    return Gpu(
        name=name,
        uuid=_text(metric("nvmlDeviceGetUUID", _decode)),
        pci_id=_text(metric("nvmlDeviceGetPciInfo", lambda pci: normalise_pci_id(_decode(pci.busId)))),
        memory_total_bytes=total,
        memory_free_bytes=free,
        memory_bytes_per_s=_bandwidth(api, device),
        compute_capability=capability,
        power_limit_w=_plausible(metric("nvmlDeviceGetEnforcedPowerLimit", lambda mw: int(mw) / 1000), MOST_W),
        driver=driver,
        shares_memory=shares,
        vendor="nvidia",
        **_conditions(api, device),
    )


def _conditions(api: Any, device: object) -> dict[str, Any]:
    """What holds at this moment only, and the link; the fields of Gpu that older results do not have."""

    def link(which: str, what: str) -> Fact[int]:
        call = f"nvmlDeviceGet{which}PcieLink{what}"
        return _plausible(_ask(lambda: int(getattr(api, call)(device)), call), MOST_PCIE[what])

    busy = _ask(lambda: int(api.nvmlDeviceGetUtilizationRates(device).gpu) / 100, "nvmlDeviceGetUtilizationRates")
    if isinstance(busy, Known) and not 0 <= busy.value <= 1:
        busy = Unknown(
            tr("the driver states an impossible utilisation of {share}", share=format(busy.value, ".0%")),
            Missing.FAILED,
        )
    heat = _ask(lambda: float(api.nvmlDeviceGetTemperature(device, 0)), "nvmlDeviceGetTemperature")
    return {
        "pcie_generation": link("Curr", "Generation"),
        "pcie_generation_max": link("Max", "Generation"),
        "pcie_lanes": link("Curr", "Width"),
        "pcie_lanes_max": link("Max", "Width"),
        "throttle_reasons": _throttle_reasons(api, device),
        "mig_enabled": _ask(lambda: int(api.nvmlDeviceGetMigMode(device)[0]) == 1, "nvmlDeviceGetMigMode"),
        "utilisation_fraction": busy,
        "temperature_c": _plausible(heat, MOST_C),
    }


def _throttle_reasons(api: Any, device: object) -> Fact[tuple[str, ...]]:
    """The reasons in words; the call was renamed in driver 535, and older bindings have the old name only."""
    names = ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons")
    name = next((name for name in names if hasattr(api, name)), names[0])
    bits = _ask(lambda: int(getattr(api, name)(device)), name)
    if isinstance(bits, Known) and bits.value < 0:
        return Unknown(
            tr("the driver states an impossible {value} for {source}", value=bits.value, source=name), Missing.FAILED
        )
    if isinstance(bits, Unknown):
        return bits
    return Known(tuple(words for bit, words in THROTTLE_REASONS if bits.value & bit), Basis.READ, name)


def normalise_pci_id(text: str) -> str:
    """A PCI address in the kernel's and the engine's form: "00000000:01:00.0" becomes "0000:01:00.0"."""
    domain, colon, rest = text.strip().lower().partition(":")
    return f"{domain.lstrip('0').zfill(4)}:{rest}" if colon and ":" in rest else text.strip().lower()


def _bandwidth(api: Any, device: object) -> Fact[float]:
    width = _ask(lambda: int(api.nvmlDeviceGetMemoryBusWidth(device)), "nvmlDeviceGetMemoryBusWidth")
    clock_hz = _ask(
        lambda: int(api.nvmlDeviceGetMaxClockInfo(device, api.NVML_CLOCK_MEM)) * 1e6, "nvmlDeviceGetMaxClockInfo"
    )
    for part in (_plausible(width, MOST_BYTES), _plausible(clock_hz, MOST_BYTES_PER_S)):
        if isinstance(part, Unknown):
            return part
    assert isinstance(width, Known) and isinstance(clock_hz, Known)
    rate = memory_bandwidth(width.value, clock_hz.value)
    clock = format(clock_hz.value / 1e6, ".0f")
    source = tr("NVML: {width} bits × 2 × {clock} MHz", width=width.value, clock=clock)
    return _plausible(Known(rate, Basis.COMPUTED, source), MOST_BYTES_PER_S)


def _ask(call: Callable[[], T], name: str) -> Fact[T]:
    """One call of the library; whatever goes wrong becomes an Unknown of the right kind."""
    try:
        return Known(call(), Basis.READ, name)
    except Exception as error:
        code = getattr(error, "value", None)
        if code == NOT_SUPPORTED:
            return Unknown(tr("the driver does not support {name} on this device", name=name), Missing.NOT_SUPPORTED)
        if code == FUNCTION_NOT_FOUND or isinstance(error, AttributeError):
            return Unknown(tr("this driver has no {name}", name=name), Missing.NOT_SUPPORTED)
        if code == NO_PERMISSION:
            return Unknown(tr("no permission for {name}", name=name), Missing.NO_PERMISSION)
        if code == GPU_IS_LOST:
            return Unknown(tr("the GPU has fallen off the bus; reboot"), Missing.FAILED)
        return Unknown(tr("{name} failed ({error})", name=name, error=error or type(error).__name__), Missing.FAILED)


def _plausible(fact: Fact[T], most: float) -> Fact[T]:
    """The fact, if it is above 0 and at most ``most``: drivers say 0 and worse where they do not know."""
    if isinstance(fact, Unknown):
        return fact
    value = fact.value
    if isinstance(value, int | float) and math.isfinite(value) and 0 < value <= most:
        return fact
    return Unknown(
        tr("the driver states an impossible {value} for {source}", value=value, source=fact.source), Missing.FAILED
    )


def _text(fact: Fact[Any]) -> Fact[str]:
    """The fact as stripped text; empty text is unknown."""
    if isinstance(fact, Unknown):
        return fact
    text = _decode(fact.value).strip()
    if not text:
        return Unknown(tr("the driver leaves {source} empty", source=fact.source), Missing.NOT_SUPPORTED)
    return Known(text, fact.basis, fact.source)


def _decode(value: object) -> str:
    # Old versions of pynvml return bytes.
    return value.decode("utf-8", errors="replace") if isinstance(value, bytes) else str(value)


def no_library() -> Unknown:
    """Of a machine without NVIDIA's driver."""
    return Unknown(tr("no NVIDIA driver library on this machine"), Missing.TOOL_MISSING)


def _init_failure(error: Exception) -> Unknown:
    code = getattr(error, "value", None)
    if code == LIBRARY_NOT_FOUND:
        return no_library()
    if code == LIB_RM_VERSION_MISMATCH:
        return Unknown(tr("the NVIDIA driver was updated; reboot"), Missing.FAILED)
    if code == DRIVER_NOT_LOADED:
        return Unknown(tr("the NVIDIA driver is installed but not loaded"), Missing.FAILED)
    if code == NO_PERMISSION:
        return Unknown(tr("no permission to use the NVIDIA driver"), Missing.NO_PERMISSION)
    return Unknown(
        tr("the NVIDIA driver library did not start ({error})", error=error or type(error).__name__), Missing.FAILED
    )
