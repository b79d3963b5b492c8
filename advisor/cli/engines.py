"""The list of engines as text for a terminal."""

from collections.abc import Sequence
from typing import Final

from advisor.benchmarks.engines.listed import ListedEngine
from advisor.cli import terminal
from advisor.cli.summaries import device_words
from advisor.core.evidence import Known, Missing, Unknown
from advisor.core.numbers import plural
from advisor.core.processes import is_bundle
from advisor.report import formatting as f
from advisor.session.engine_list import list_engines

__all__ = ["list_engines", "show_engines"]

GPU_WAYS: Final = (
    "This bundle's engine computes on the CPU. To measure on a GPU, give it an engine that can; it is found by itself:",
    "1. llama.cpp's release for your card (CUDA, Vulkan, ROCm; github.com/ggml-org/llama.cpp/releases), unpacked into "
    "~/llama.cpp, or",
    "2. a Python with such a llama-cpp-python: python -m venv ~/venv, then, with CMAKE_ARGS=-DGGML_CUDA=on (or VULKAN, "
    "HIP), ~/venv/bin/python -m pip install llama-cpp-python.",
    "3. Then choose it: --engine NAME, or Engine… in the window.",
)


def show_engines(listed: Sequence[ListedEngine]) -> None:
    """A block for each engine, its name first."""
    print(f"{plural(len(listed), 'engine')} on this machine; choose one with --engine NAME")
    for each in listed:
        terminal.show_pairs(each.found.id, _pairs(each))
    if is_bundle() and len(listed) == 1:
        for line in GPU_WAYS:
            terminal.show_paragraph(line)


def _pairs(each: ListedEngine) -> list[tuple[str, str]]:
    found = each.found
    pairs = [("Kind", f"{found.kind} ({found.because})"), ("Path", str(found.path))]
    if isinstance(each.facts, Unknown):
        pairs.append(("Does not work", each.facts.reason))
    else:
        facts = each.facts.value
        pairs.append(("Version", f"{facts.name} {facts.version} (build {facts.build})"))
        pairs += [("Device", device_words(device)) for device in facts.devices]
    if isinstance(each.check, Known):
        speeds = ", ".join(f"{test.test} {f.tokens_per_s(test.tokens_per_s)}" for test in each.check.value)
        safe = ", safe mode" if any(test.safe_mode for test in each.check.value) else ""
        pairs.append(("Check", f"{speeds}{safe}"))
    elif each.check.kind is not Missing.NOT_YET:
        pairs.append(("Check", f"failed: {each.check.reason}"))
    return pairs
