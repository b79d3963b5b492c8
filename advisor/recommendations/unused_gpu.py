"""The sentence for the commonest waste: a graphics processor that the engine cannot use; pure."""

from typing import Final

from advisor.benchmarks.model import EngineFacts
from advisor.core.evidence import Known, Missing, Unknown
from advisor.core.translation import marked, tr
from advisor.hardware.matching import EngineDeviceKey, match
from advisor.hardware.model import Gpu, Machine

BACKENDS: Final = {
    "nvidia": ("CUDA", "-DGGML_CUDA=on"),
    "amd": (marked("ROCm or Vulkan"), "-DGGML_VULKAN=on"),
    "intel": (marked("Vulkan or SYCL"), "-DGGML_VULKAN=on"),
    "apple": ("Metal", "-DGGML_METAL=on"),
    "": ("Vulkan", "-DGGML_VULKAN=on"),
}
"""Vendor -> the engine's backends for it in words, and the build option of the one that needs least."""


def sentence(machine: Machine, engine: EngineFacts) -> str | None:
    """What this machine has, why the engine does not use it, and what to do; None where nothing is wasted.

    Args:
        machine: with its GPUs as the drivers show them.
        engine: the chosen engine and the devices that it can really use.
    """
    note = machine.gpus_note
    if isinstance(note, Unknown) and note.kind is Missing.FAILED and not machine.gpus:
        return tr("A graphics processor may be here, but it cannot be used: {why}.", why=tr(note.reason))
    gpu = best(machine)
    if gpu is None:
        return None
    name = gpu.name.or_none() or tr("graphics processor")
    has = _with_article(name)
    seen = [device for device in engine.devices if device.kind in ("gpu", "igpu")]
    if not engine.gpu_offload:
        if seen:
            return None
        words, option = BACKENDS.get(gpu.vendor, BACKENDS[""])
        gain = tr(" It shares the memory, so mainly the prompt gains.") if gpu.shares_memory.or_none() is True else ""
        return tr(
            "This machine has {gpu}, but this engine was built for CPUs only: {driver}install a build for {words} "
            "({command}).{gain}",
            gpu=has, driver=_driver(gpu), words=tr(words), command=command(option, engine.name), gain=gain,
        )  # fmt: skip
    if not seen:
        return tr(
            "This machine has {gpu} and this engine can use graphics processors, but it finds none: "
            "{driver}run “two-machines selftest”.",
            gpu=has, driver=_driver(gpu) or tr("update the driver, then "),
        )  # fmt: skip
    if gpu.shares_memory.or_none() is False and all(device.kind == "igpu" for device in seen):
        keys = [EngineDeviceKey(device.description, device.pci_id.or_none() or "") for device in seen]
        if machine.gpus.index(gpu) not in match(machine.gpus, keys):
            words, option = BACKENDS.get(gpu.vendor, BACKENDS[""])
            return tr(
                "This machine has {gpu}, but this engine sees only the integrated {other}: install a build "
                "for {words} ({command}).",
                gpu=has, other=seen[0].description or seen[0].name, words=tr(words),
                command=command(option, engine.name),
            )  # fmt: skip
    return None


def best(machine: Machine) -> Gpu | None:
    """The GPU that is worth most: one with memory of its own before one that shares, the larger first."""

    def worth(gpu: Gpu) -> tuple[int, int]:
        shares = gpu.shares_memory.or_none()
        return (0 if shares is False else 1 if shares is None else 2), -(gpu.memory_total_bytes.or_none() or 0)

    return min(machine.gpus, key=worth, default=None)


def command(option: str, engine: str) -> str:
    """How an engine is built for a backend: llama.cpp's own programs, or the Python engine."""
    if engine == "llama-bench":
        return f"cmake -B build {option} && cmake --build build --config Release"
    return f'CMAKE_ARGS="{option}" pip install --force-reinstall --no-cache-dir llama-cpp-python'


def _driver(gpu: Gpu) -> str:
    """What comes first where the vendor's driver does not answer."""
    if gpu.vendor == "nvidia" and not isinstance(gpu.driver, Known):
        return tr("install NVIDIA's driver first, then ")
    if gpu.vendor == "nvidia" and gpu.driver.or_none() == "nouveau":
        return tr("install NVIDIA's own driver in place of nouveau first, then ")
    return ""


def _with_article(name: str) -> str:
    """The card with its article: "an" before names that are said with a vowel first (an RTX 4090, an H100)."""
    first = name.split()[0]
    spelled = first.isupper() or any(character.isdigit() for character in first)
    vowel = first[0] in ("AEFHILMNORSX" if spelled else "AEIO")
    return tr("an {gpu}", gpu=name) if vowel else tr("a {gpu}", gpu=name)
